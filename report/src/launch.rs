//! Runs a program so that its profiles can be found, and says why there are none.
//!
//! * [`program`] runs it and gathers its profiles, [`traced`] runs it and finds its traces.
//!   `signals` hands signals on.
//! * [`lookup`] finds the file that a command starts, `pattern` the profiles that
//!   `PATHCC_PROFILE` names.
//! * [`preload`] lends the runtime to programs that another linker made.
//! * [`mca`] asks llvm-mca what it predicts.
//! * [`doctor`] finds what would make counts be lost, [`diagnose`] explains it afterwards.

pub mod diagnose;
pub mod doctor;
pub mod lookup;
pub mod mca;
pub(crate) mod pattern;
pub mod preload;
pub mod program;
pub(crate) mod signals;
pub mod traced;
