//! Chooses the trace to read: the named one, or the newest one of a program or a directory.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs};

use anyhow::{Result, bail};
use pathformat::files::TRACE;
use profile::inputs::{default_profiles, is_image};
use profile::{arrays, directories};

use crate::file::is_trace;

/// The trace that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The path of the trace.
    pub path: PathBuf,
    /// The number of traces of which it is the newest; `None` if it was named.
    pub among: Option<usize>,
}

/// Returns the trace that `argument` names. An image stands for the newest trace that its runs
/// left, a directory for the newest one in it. Without an argument, returns the newest one in the
/// current directory.
///
/// # Errors
/// There is no trace, or a directory cannot be read. This function does not check that a named
/// trace can be read.
pub fn chosen(argument: Option<&Path>) -> Result<Chosen> {
    let Some(path) = argument else {
        return match newest(traces_in(Path::new("."))?) {
            Some(chosen) => Ok(chosen),
            None => bail!(
                "no trace (*.{TRACE}) in the current directory: name a trace or the program that \
                 left it, or run that with `pathprof trace run -- PROGRAM`"
            ),
        };
    };
    let shown = path.display();
    if path.is_dir() {
        return match newest(traces_in(path)?) {
            Some(chosen) => Ok(chosen),
            None => bail!("{shown}: this directory holds no trace (*.{TRACE})"),
        };
    }
    if !is_image(path) {
        return Ok(Chosen { path: path.to_path_buf(), among: None });
    }
    let traces = default_profiles(path)?.into_iter().flat_map(|profile| traces_beside(&profile));
    match newest(traces.collect()) {
        Some(chosen) => Ok(chosen),
        None if arrays::is_traced(path) => bail!(
            "{shown}: this program has left no trace; run it first, or name the trace if \
             PATHCC_PROFILE said where it goes"
        ),
        None => bail!("{shown}: this program is not traced; compile it with -fpath-mode=trace"),
    }
}

/// Returns the traces in a directory.
fn traces_in(directory: &Path) -> Result<Vec<PathBuf>> {
    let files = directories::entries(directory)?.into_iter().map(|entry| entry.path());
    Ok(files.filter(|path| path.extension() == Some(OsStr::new(TRACE)) && is_trace(path)).collect())
}

/// Returns the traces `NAME.PROCESS.pathtrace` beside the profile `NAME.pathprof`.
fn traces_beside(profile: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(stem)) = (profile.parent(), profile.file_stem()) else {
        return Vec::new();
    };
    let mut traces = traces_in(directory).unwrap_or_default();
    traces.retain(|trace| {
        let name = trace.file_stem().unwrap_or_default().as_bytes();
        let process = name.strip_prefix(stem.as_bytes()).and_then(|rest| rest.strip_prefix(b"."));
        process.is_some_and(|process| process.iter().all(u8::is_ascii_digit))
    });
    traces
}

/// Returns the trace that was written last; among several, the one with the greatest name.
fn newest(traces: Vec<PathBuf>) -> Option<Chosen> {
    let among = Some(traces.len());
    let written = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let dated = traces.into_iter().map(|path| (written(&path), path));
    let (_, path): (Option<SystemTime>, _) = dated.max()?;
    let here = env::current_dir().unwrap_or_default();
    let below = [Path::new("."), &here].into_iter().find_map(|of| path.strip_prefix(of).ok());
    Some(Chosen { path: below.unwrap_or(&path).to_path_buf(), among })
}
