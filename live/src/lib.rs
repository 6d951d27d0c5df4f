//! Looks at processes while they run.
//!
//! The counters of a process are a file that it has mapped. Whoever reads that file sees them as
//! they are, and the process does not notice.
//!
//! * [`processes`] finds the raw files of processes.
//! * [`watch`] tells what they counted from one reading to the next.
#![forbid(unsafe_code)]

pub mod processes;
pub mod watch;
