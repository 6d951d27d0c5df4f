//! The warnings of a link. None of them keeps the program from being linked.

use std::io::{self, Write};

use anyhow::Error;

use crate::scan::DamagedRecord;

/// The most damaged records that are reported.
const MOST_DAMAGED: usize = 3;

/// Nothing in a link by pathld was compiled for it.
pub(super) const NOTHING_COUNTS: &str = "none of the inputs counts its paths: compile them with \
    pathcc (CC=pathcc CXX=pathc++), or with the options that `pathcc --cflags` prints";

/// Link-time optimisation makes one unit of what is counted and what is not.
pub(super) const JOINED: &str = "full link-time optimisation joins bitcode that pathcc compiled \
    with bitcode that it did not compile, and that is not counted: compile all of it with pathcc, \
    or use -flto=thin";

/// Warns the user.
pub(super) fn warn(message: &str) {
    // If nobody listens, the program is linked all the same.
    let _ = writeln!(io::stderr(), "pathld: warning: {message}");
}

pub(super) fn warn_uncounted(error: &Error) {
    warn(&format!("{error:#}; the program is linked, but its paths are not counted"));
}

pub(super) fn warn_damaged(damaged: &[DamagedRecord]) {
    damaged.iter().take(MOST_DAMAGED).for_each(|damaged| warn(&damaged.to_string()));
    if damaged.len() > MOST_DAMAGED {
        warn(&format!("{} more inputs have the same problem", damaged.len() - MOST_DAMAGED));
    }
}
