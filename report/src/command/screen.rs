//! How wide the terminal is that a stream goes to.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// The width of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

/// The width of the terminal, if standard output is one.
pub(crate) fn terminal_width() -> Option<usize> {
    width_of(&io::stdout())
}

/// The width of a stream, if it is a terminal.
pub(crate) fn width_of(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let width = tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col));
    stream.is_terminal().then(|| width.filter(|&width| width > 0).unwrap_or(USUAL_WIDTH))
}
