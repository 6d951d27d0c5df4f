//! The command line: what the program `pathprof` is asked for, does and prints.
//!
//! * [`cli`] has the commands, [`arguments`] their options, [`examples`] the text below their help.
//! * [`commands`] does what each command is for, [`reading`] what all of them begin with.
//! * [`manual`] writes the manual pages.
//! * [`growth`] sums profiles that have become long.
//! * [`messages`] and [`progress`] write to standard error.

pub(crate) mod arguments;
pub(crate) mod cli;
pub(crate) mod commands;
pub(crate) mod examples;
pub(crate) mod growth;
pub(crate) mod manual;
pub(crate) mod messages;
pub(crate) mod progress;
pub(crate) mod reading;
