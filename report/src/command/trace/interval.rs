//! The part of a run that is shown or taken, in seconds.

use std::ops::Range;

use anyhow::{Result, bail};

/// Reads a time.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| "it is no number of seconds".into())
}

/// A time in nanoseconds.
///
/// # Errors
/// It ends before it begins.
pub(crate) fn time(from: f64, to: Option<f64>) -> Result<Range<u64>> {
    if let Some(to) = to.filter(|&to| to < from) {
        bail!("--to {to} is before --from {from}");
    }
    let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
    Ok(nanoseconds(from)..to.map_or(u64::MAX, nanoseconds))
}
