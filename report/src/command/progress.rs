//! Draws a progress bar on standard error, once there is something to wait for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pathprof::read::observer::{Observer, Work};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of one piece of work after the other, on standard error if that is a terminal.
#[derive(Default)]
pub(crate) struct Progress(Mutex<Option<Bar>>);

/// The bar of one piece of work. It vanishes when dropped.
struct Bar {
    bar: ProgressBar,
    hidden_until: Option<Instant>,
}

impl Progress {
    fn bar(&self) -> MutexGuard<'_, Option<Bar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress {
    fn begin(&self, work: Work, steps: usize) {
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(match work {
            Work::Reading => "reading profiles",
            Work::Decoding => "decoding paths",
        });
        *self.bar() = Some(Bar { bar, hidden_until: Some(Instant::now() + PATIENCE) });
    }

    fn step(&self) {
        if let Some(Bar { bar, hidden_until }) = self.bar().as_mut() {
            bar.inc(1);
            if hidden_until.is_some_and(|until| Instant::now() >= until) {
                *hidden_until = None;
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        }
    }

    fn end(&self) {
        *self.bar() = None;
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
