//! Draws a progress bar on standard error, once there is something to wait for.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use profile::observer::{Observer, Work};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of one piece of work after the other, on standard error if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    patience: Duration,
    /// Where bars are drawn.
    target: fn() -> ProgressDrawTarget,
    bar: Mutex<Option<Bar>>,
}

/// The bar of one piece of work. It vanishes when dropped.
#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    hidden_until: Option<Instant>,
}

/// Does work that reads so many chunks of a trace, and shows how many of them were read.
pub(crate) fn tracing<T>(chunks: usize, work: impl FnOnce(&dyn Observer) -> T) -> T {
    let progress = Progress::default();
    progress.begin(Work::Tracing, chunks);
    work(&progress)
}

impl Default for Progress {
    fn default() -> Self {
        Self { patience: PATIENCE, target: ProgressDrawTarget::stderr, bar: Mutex::new(None) }
    }
}

impl Progress {
    fn bar(&self) -> MutexGuard<'_, Option<Bar>> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
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
            Work::Tracing => "reading the trace",
        });
        *self.bar() = Some(Bar { bar, hidden_until: Some(Instant::now() + self.patience) });
    }

    fn step(&self) {
        if let Some(Bar { bar, hidden_until }) = self.bar().as_mut() {
            bar.inc(1);
            if hidden_until.is_some_and(|until| Instant::now() >= until) {
                *hidden_until = None;
                bar.set_draw_target((self.target)());
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

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use indicatif::{InMemoryTerm, TermLike};

    use super::*;

    /// A terminal of 60 columns, which all bars of these tests share.
    fn terminal() -> InMemoryTerm {
        static TERMINAL: OnceLock<InMemoryTerm> = OnceLock::new();
        TERMINAL.get_or_init(|| InMemoryTerm::new(5, 60)).clone()
    }

    fn target() -> ProgressDrawTarget {
        let terminal: Box<dyn TermLike> = Box::new(terminal());
        ProgressDrawTarget::term_like_with_hz(terminal, 255)
    }

    #[test]
    fn a_bar_is_drawn_behind_the_patience_and_vanishes_at_the_end() {
        let drawn = |patience| {
            let progress = Progress { patience, target, bar: Mutex::new(None) };
            progress.begin(Work::Tracing, 4_000);
            (0..1_000).for_each(|_| progress.step());
            if let Some(Bar { bar, .. }) = progress.bar().as_ref() {
                bar.tick();
            }
            let during = terminal().contents();
            progress.end();
            (during, terminal().contents())
        };
        let (during, behind) = drawn(Duration::ZERO);
        insta::assert_snapshot!(during, @"reading the trace ███████░░░░░░░░░░░░░░░░░░░░░░░ 1,000/4,000");
        assert_eq!(behind, "");
        assert_eq!(drawn(Duration::from_secs(1 << 30)), Default::default());
    }
}
