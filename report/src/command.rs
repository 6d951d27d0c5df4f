//! The command line: what the program `pathprof` is asked for, does and prints.
//!
//! * [`cli`] has the commands, [`arguments`] their options, [`examples`] the text below their help.
//! * [`commands`] does what each command is for, [`reading`] what all of them begin with.
//! * [`source_views`] are the commands that show source, [`machine_views`] shows instructions, and
//!   [`diff`] compares. [`path_argument`] is the path that they are asked for.
//! * [`labels`] are the commands about labels.
//! * [`html`] writes and opens the page for the browser, [`serve`] shows what runs now in it.
//! * [`trace`] shows traces.
//! * [`filters`] has the options that choose rows and the form of tables, [`pages`] writes those.
//!   [`chosen`] says if what they choose is not there.
//! * [`top`] shows what running processes execute, [`top_screen`] does so on a terminal.
//!   [`readings`] are what both show.
//! * [`manual`] writes the manual pages.
//! * [`growth`] sums profiles that have become long.
//! * [`messages`] and [`progress`] write to standard error. [`screen`] is how wide terminals are.

pub(crate) mod arguments;
pub(crate) mod chosen;
pub(crate) mod cli;
pub(crate) mod commands;
pub(crate) mod diff;
pub(crate) mod examples;
pub(crate) mod filters;
pub(crate) mod growth;
pub(crate) mod html;
pub(crate) mod labels;
pub(crate) mod machine_views;
pub(crate) mod manual;
pub(crate) mod messages;
pub(crate) mod pages;
pub(crate) mod path_argument;
pub(crate) mod progress;
pub(crate) mod reading;
pub(crate) mod readings;
pub(crate) mod screen;
pub(crate) mod serve;
pub(crate) mod source_views;
pub(crate) mod top;
pub(crate) mod top_screen;
pub(crate) mod trace;
