//! The command line.

pub(crate) mod cli;
pub(crate) mod commands;
