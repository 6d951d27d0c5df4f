//! `pathprof html`: writes a page for the browser, and opens it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use pathprof::export::html::{self, Page, Written};
use pathprof::show::opcodes::Class;
use profile::escape::terminal;
use profile::inputs::Choice;

use crate::command::arguments::SourceArguments;
use crate::command::chosen::found;
use crate::command::filters::GlobArguments;
use crate::command::reading::read;
use crate::command::serve::Served;

/// The viewer, as `build.rs` found it.
const VIEWER: &str = include_str!(concat!(env!("OUT_DIR"), "/viewer.html"));

/// Browsers are slow with larger files.
const MOST_BYTES: usize = 20_000_000;

/// Text below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  pathprof html -o report.html                the last start of what is here
  pathprof html --open                        the same, opened in the browser
  pathprof html --serve server                what a server does right now
  pathprof html --all a.pathprof -o a.html    all starts in a profile";

#[derive(Args)]
pub(crate) struct HtmlArguments {
    #[command(flatten)]
    sources: SourceArguments,
    /// File to write; above 20 MB a directory of that name without its extension
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
    /// Do not write it: show what runs now to browsers of this machine, on this port or any free
    /// one, and load it again whenever something was counted
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "0", conflicts_with = "output")]
    serve: Option<u16>,
    #[command(flatten)]
    globs: GlobArguments,
}

/// Writes the page.
pub(crate) fn html(arguments: HtmlArguments) -> Result<u8> {
    let page = page()?;
    if let Some(port) = arguments.serve {
        let mode = arguments.sources.failure.failure_mode;
        let (sources, filter) =
            (arguments.sources.sources(Choice::Usual), arguments.globs.filter());
        return Served { sources, filter, page, mode }.serve(port, |address| {
            let mut out = anstream::stdout().lock();
            writeln!(out, "{address}")?;
            out.flush()?;
            if arguments.open { open(Path::new(address)) } else { Ok(()) }
        });
    }
    let (report, code) = read(arguments.sources, Choice::Usual)?;
    let Some(report) = report else { return Ok(code) };
    let filter = arguments.globs.filter();
    found(&report, &filter, true)?;
    let written = html::write(report, &filter, &page, &arguments.output)?;
    present(&written, arguments.open)?;
    Ok(code)
}

/// What pages are made of.
///
/// # Errors
/// The viewer is missing.
pub(crate) fn page() -> Result<Page<'static>> {
    if VIEWER.is_empty() {
        bail!(
            "this pathprof was built without its viewer, since Node's packages could not be had; \
             run `make build` where npm reaches a registry"
        );
    }
    let class_of = |opcode: &str| Class::of(opcode).to_string();
    Ok(Page { viewer: VIEWER, class_of, most_bytes: MOST_BYTES })
}

/// Says where a page is, and opens it if that is wanted.
///
/// # Errors
/// There is nothing to open it with.
pub(crate) fn present(written: &Written, is_opened: bool) -> Result<()> {
    let text = match written {
        Written::File(page) => format!("wrote {}", page.display()),
        Written::Directory(directory, size) => format!(
            "the page would have had {} MB, so it is a directory: open {}",
            size / 1_000_000,
            directory.join("index.html").display()
        ),
    };
    anstream::eprintln!("{}", terminal(&text));
    if is_opened {
        open(&written.start())?;
    }
    Ok(())
}

/// Opens a page in the browser of the desktop.
fn open(page: &Path) -> Result<()> {
    let started = Command::new("xdg-open")
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.with_context(|| format!("cannot start xdg-open; open {} yourself", page.display()))?;
    Ok(())
}
