//! One link, from the arguments to the finished image.
//!
//! Bitcode that clang made without us is instrumented while it is optimised, by the same plugin,
//! which lld can load.
//!
//! A build never fails because of pathld: it warns of what goes wrong here, and links the program
//! uncounted.
//!
//! The files, in reading order:
//!
//! * `rounds` links until the list of modules fits the image
//! * `command` calls the real linker, with what counting needs
//! * `installed` our own files
//! * `messages` the warnings

mod command;
mod installed;
mod messages;
mod rounds;

use std::env;
use std::ffi::{OsStr, OsString};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use pathformat::variables;
use wrapper::children::Children;

use self::command::Link;
use self::installed::{Lto, Runtime};
use self::messages::{NOTHING_COUNTS, warn, warn_damaged, warn_uncounted};
use crate::args::{self, CommandLine, Replacement};
use crate::content::content;
use crate::image_kind::{self, ImageKind};
use crate::pipes::ReplacedPipes;
use crate::process::Outcome;
use crate::real::{RealLinker, Verbosity};
use crate::scan::{self, ScanResult};
use crate::workspace::Workspace;
use crate::{depfile, neutral, response, restored};

/// Links as the arguments say.
///
/// # Errors
/// The real linker cannot be found or started.
pub(crate) fn run(arguments: &[OsString]) -> Result<Outcome> {
    let real = RealLinker::find()?;
    let Some(expanded) = response::expand(arguments, &|| real.dialect()) else {
        return Err(real.exec(arguments));
    };
    let line = args::parse(&expanded);
    if is_disabled() || line.foreign.is_some() || line.inputs.is_empty() {
        return Err(real.exec(arguments));
    }
    match ReplacedPipes::new(&expanded) {
        // What came from a pipe may be a response file.
        Some(kept) => match response::expand(&kept.arguments, &|| real.dialect()) {
            Some(expanded) => take_part(real, &expanded, &expanded, &args::parse(&expanded)),
            None => Err(real.exec(&kept.arguments)),
        },
        None => take_part(real, arguments, &expanded, &line),
    }
}

/// Links an image that may have counters. `expanded` are the arguments without response files, and
/// `line` is what they say.
fn take_part(
    real: RealLinker,
    arguments: &[OsString],
    expanded: &[OsString],
    line: &CommandLine,
) -> Result<Outcome> {
    let mut found = scan::scan_inputs(line);
    warn_damaged(&found.damaged);
    let by_pathcc = env::var_os(variables::LINKED_BY).is_some();
    if found.modules.is_empty() && !found.bitcode {
        if line.has_start_files() && !by_pathcc {
            warn(NOTHING_COUNTS);
        }
        return Err(real.exec(arguments));
    }
    let prepared = Runtime::find().and_then(|runtime| {
        // Watched for first, so that no signal leaves the directory behind.
        let children = Children::watching_signals().context("cannot watch for signals")?;
        Ok((runtime, children, Workspace::new().context("cannot make a temporary directory")?))
    });
    let (runtime, children, workspace) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            warn_uncounted(&error);
            return Err(real.exec(arguments));
        }
    };
    let copies = match &found.discarding {
        Some(_) => copies(&workspace, &found, &found.counted, neutral::copy),
        None => copies(&workspace, &found, &found.changed, restored::copy),
    };
    let replaced = (!copies.is_empty()).then(|| args::with_files(expanded, line, &copies));
    // pathcc has instrumented its bitcode before, but not that of others.
    let lto = found.bitcode && (found.plain_bitcode || !by_pathcc);
    let lto = if lto { Lto::find(&real) } else { None };
    let counted = replaced.as_deref();
    let files = (!found.unseen).then(|| mem::take(&mut found.files));
    let link =
        Link { real, lto, arguments, expanded, counted, line, files, runtime, workspace, children };
    let discarding = found.discarding.clone();
    let may_be_library =
        found.counts_in_segment() && image_kind::expected(line, &found) == ImageKind::Library;
    let outcome = match &discarding {
        Some(script) => link.without_what_is_discarded(script),
        None => link.link(found),
    };
    let outcome = outcome.or_else(|error| {
        let outcome = link.call_with(None, Verbosity::Loud)?;
        if outcome.success() {
            warn_uncounted(&error);
        }
        anyhow::Ok(outcome)
    })?;
    if outcome.success() && may_be_library {
        link.take_segment_from_library();
    }
    if let Some(file) = &line.dependency_file {
        depfile::name_originals(file, &copies);
        depfile::clean(
            file,
            link.workspace.path(),
            &[&link.runtime.counters, &link.runtime.threads],
        );
    }
    Ok(outcome)
}

fn is_disabled() -> bool {
    variables::is_on(env::var_os(variables::DISABLE).as_deref().map(OsStr::as_bytes))
}

/// Changed copies of those inputs that are in a list.
fn copies(
    workspace: &Workspace,
    found: &ScanResult,
    list: &[PathBuf],
    change: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Vec<Replacement> {
    let replacement = |(input, file): (usize, &Option<PathBuf>)| {
        let original = file.as_ref().filter(|file| list.contains(file))?;
        let copy = change(&content(original).ok()?)?;
        let copy = workspace.write_beside(input, original, &copy).ok()?;
        Some(Replacement { input, original: original.clone(), copy })
    };
    found.inputs.iter().enumerate().filter_map(replacement).collect()
}
