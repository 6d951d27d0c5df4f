//! Writes documents to standard output, through a pager if they are longer than the screen.

use std::env;
use std::io::{self, BufWriter, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use pathprof::show::document::{Document, Tone};
use pathprof::show::forms::{self, Format};
use pathprof::show::style::visible_width;
use pathprof::show::text_table::Screen;
use rustix::termios::{Winsize, tcgetwinsize};
use signal_hook::consts::SIGINT;

use crate::command::filters::Form;
use crate::command::messages;
use crate::command::screen::terminal_width;

/// The size of the terminal, of which it may tell a part only: the rest is 0. The crate
/// `terminal_size` has no width then.
fn screen() -> Option<Winsize> {
    tcgetwinsize(io::stdout()).ok()
}

/// Writes a document to standard output.
pub(crate) fn print(document: &Document<'_>, form: Form) -> Result<()> {
    let width = terminal_width();
    let screen = Screen { width: width.filter(|_| !form.full), links: width.is_some() };
    let mut bytes = Vec::new();
    forms::write(document, form.format, screen, &mut bytes)?;
    remarks(document, form.format);
    print_bytes(&bytes, form.pager)
}

/// Tells the warnings of a document in whose form there is no place for them.
pub(crate) fn remarks(document: &Document<'_>, format: Format) {
    if format == Format::Csv {
        let warnings = document.remarks.iter().filter(|remark| remark.tone == Tone::Warning);
        warnings.for_each(|warning| messages::remark(&warning.text));
    }
}

/// Writes text with styles to standard output; through a pager if it may and the screen is shorter.
pub(crate) fn print_bytes(text: &[u8], pager: bool) -> Result<()> {
    let height = screen().map(|size| usize::from(size.ws_row)).filter(|&height| height > 0);
    if pager
        && let Some(width) = terminal_width()
        && height
            .is_some_and(|height| lines_on_screen(&String::from_utf8_lossy(text), width) >= height)
        && page(|out| out.write_all(text))
    {
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}

/// Writes what has no bound to standard output, through a pager if it may; `write` is called again
/// if the pager cannot be run.
pub(crate) fn print_stream(
    pager: bool,
    mut write: impl FnMut(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if pager && terminal_width().is_some() {
        let mut result = Ok(());
        let shown = page(|out| {
            result = write(out);
            Ok(())
        });
        if shown {
            return result;
        }
    }
    let mut out = BufWriter::new(anstream::stdout().lock());
    write(&mut out)?;
    Ok(out.flush()?)
}

/// How many lines of a screen a text takes.
fn lines_on_screen(text: &str, width: usize) -> usize {
    text.lines().map(|line| visible_width(line).div_ceil(width.max(1)).max(1)).sum()
}

/// Shows what is written with the user's pager, as git does it: `less` leaves what fits on the
/// screen, and passes colours on. Whether that could be done.
fn page(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> bool {
    let pager = env::var_os("PAGER");
    let mut command = match pager {
        Some(pager) if pager.is_empty() || pager == "cat" => return false,
        Some(pager) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(pager);
            shell
        }
        None => Command::new("less"),
    };
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    // The keyboard's interrupt is for the pager.
    let interrupted = Arc::new(AtomicBool::new(false));
    let handler = signal_hook::flag::register(SIGINT, interrupted);
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(stdin) = child.stdin.take() {
        let colours = anstream::AutoStream::choice(&io::stdout());
        let stdin = anstream::AutoStream::new(Box::new(stdin) as Box<dyn Write>, colours);
        let mut out = BufWriter::new(stdin);
        // Whoever has seen enough ends the pager.
        let _ = write(&mut out).and_then(|()| out.flush());
    }
    let status = child.wait();
    handler.into_iter().for_each(|handler| {
        signal_hook::low_level::unregister(handler);
    });
    // What a shell says of a command that it cannot run.
    !status.is_ok_and(|status| matches!(status.code(), Some(126 | 127)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_takes_several_of_the_screen() {
        assert_eq!(lines_on_screen("", 10), 0);
        assert_eq!(lines_on_screen("\n\u{1b}[1m0123456789\u{1b}[0m\n01234567890\n", 10), 4);
    }
}
