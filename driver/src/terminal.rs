//! The options that make clang write messages as for a terminal.
//!
//! The plan is asked for, and the jobs run, with captured streams; the driver would then write
//! neither colours nor lines as wide as the terminal. So it is given what it would have found out
//! (measured with clang 22 on a pseudo-terminal; the rule for colours is
//! `llvm/lib/Support/Unix/Process.inc`).

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// Driver options for messages as they would be on this process's standard error.
pub(crate) fn message_options() -> Vec<OsString> {
    let stderr = io::stderr();
    if !stderr.is_terminal() {
        return Vec::new();
    }
    let mut options = Vec::new();
    let term = env::var("TERM").unwrap_or_default();
    if env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && has_colours(&term) {
        options.push("-fcolor-diagnostics".into());
    }
    let named = env::var("COLUMNS")
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .filter(|columns| *columns > 0);
    let columns =
        named.or_else(|| rustix::termios::tcgetwinsize(&stderr).ok().map(|size| size.ws_col));
    if let Some(columns) = columns.filter(|columns| *columns > 0) {
        options.push(format!("-fmessage-length={columns}").into());
    }
    options
}

fn has_colours(term: &str) -> bool {
    ["ansi", "cygwin", "linux"].contains(&term)
        || ["screen", "xterm", "vt100", "rxvt"].iter().any(|start| term.starts_with(start))
        || term.ends_with("color")
}
