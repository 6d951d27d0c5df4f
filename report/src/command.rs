//! The command line.

pub(crate) mod arguments;
pub(crate) mod cli;
pub(crate) mod commands;
pub(crate) mod examples;
pub(crate) mod growth;
pub(crate) mod messages;
pub(crate) mod progress;
pub(crate) mod reading;
