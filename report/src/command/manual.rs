//! Writes the manual pages, which are made from the definition of the command line.
//!
//! `clap_mangen` would fill the text below a command's help as one paragraph. Here it becomes the
//! sections that readers of manuals look for, and the lines of examples stay lines.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// What begins the lines of examples in the text below a command's help.
const EXAMPLES: &str = "Examples:";

/// What begins the paragraph of exit codes there.
const EXIT_CODE: &str = "Exit code: ";

/// Writes the pages of a command and of all its subcommands into a directory, which is made.
///
/// # Errors
/// Those of the file system.
pub(crate) fn write_all(command: Command, directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    write_tree(&command, directory)
}

fn write_tree(command: &Command, directory: &Path) -> Result<()> {
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        write_tree(subcommand, directory)?;
    }
    let file = directory.join(Man::new(command.clone()).get_filename());
    let mut page = Vec::new();
    write(command.clone(), &mut page)?;
    Ok(std::fs::write(file, page)?)
}

/// Writes the page of a command.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(command: Command, out: &mut dyn Write) -> Result<()> {
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    Man::new(command.after_help(None::<&str>)).render(out)?;
    Ok(out.write_all(sections(&below).to_roff().as_bytes())?)
}

/// The sections that the text below a command's help becomes.
fn sections(text: &str) -> Roff {
    let mut page = Roff::new();
    let mut section = "";
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.is_empty()) {
        let (name, content) = match (paragraph.split_once('\n'), paragraph.split_once(EXIT_CODE)) {
            (Some((EXAMPLES, lines)), _) => ("EXAMPLES", lines),
            (_, Some(("", codes))) => ("EXIT STATUS", codes),
            _ => ("NOTES", paragraph),
        };
        if name == section {
            page.control("PP", []);
        } else {
            page.control("SH", [name]);
        }
        section = name;
        let mut is_filled = true;
        for line in content.lines() {
            let shall_fill = !line.starts_with("  ");
            if shall_fill != is_filled {
                page.control(if shall_fill { "fi" } else { "nf" }, []);
            }
            is_filled = shall_fill;
            page.text([roman(line)]);
        }
        if !is_filled {
            page.control("fi", []);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines_and_prose_is_filled() {
        let text =
            "Examples:\n  a -b  c\n  .d\n\nA path:\n  loop: 1\nends.\n\nMore.\n\nExit code: 0; 1.";
        let expected = [
            ".SH EXAMPLES",
            ".nf",
            "  a \\-b  c",
            "  .d",
            ".fi",
            ".SH NOTES",
            "A path:",
            ".nf",
            "  loop: 1",
            ".fi",
            "ends.",
            ".PP",
            "More.",
            ".SH \"EXIT STATUS\"",
            "0; 1.",
        ];
        assert_eq!(sections(text).to_roff().lines().collect::<Vec<_>>(), expected);
        assert_eq!(sections("").to_roff(), "");
    }
}
