//! A progress bar that only shows up when there is something to wait for.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Progress of one piece of work, on standard error if that is a terminal. Vanishes when dropped.
pub struct Progress {
    bar: ProgressBar,
    hidden_until: Mutex<Option<Instant>>,
}

impl Progress {
    /// `total` steps of `what` begin.
    pub fn new(what: &'static str, total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} {wide_bar} {human_pos}/{human_len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what);
        Self { bar, hidden_until: Mutex::new(Some(Instant::now() + PATIENCE)) }
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
        if let Ok(mut hidden) = self.hidden_until.lock()
            && hidden.is_some_and(|until| Instant::now() >= until)
        {
            *hidden = None;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
