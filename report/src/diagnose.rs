//! Says why a program that ran left no profile, from how it ended and from what its image looks like.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use pathformat::names;

use crate::image::{self, Traces};
use crate::run::find_program;

/// The reasons that apply, as whole sentences.
pub fn explain(program: &OsStr, status: ExitStatus) -> String {
    let mut text = format!("{} wrote no profile, nor did a program that it started.", program.display());
    if let Some(signal) = status.signal() {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
        text += &format!(" It was ended by signal {signal} ({name}).");
    }
    text + " " + &find_program(program).map_or_else(|| "Its image was not found.".into(), |path| reason(&path))
}

fn reason(path: &Path) -> String {
    let place = path.display();
    let traces = match image::traces(path) {
        Ok(traces) => traces,
        Err(_) if std::fs::read(path).is_ok_and(|content| !content.starts_with(b"\x7fELF")) => {
            return format!(
                "{place} is no ELF image but a script: only instrumented programs that it starts write profiles."
            );
        }
        Err(error) => return format!("Its image cannot be looked at: {error:#}."),
    };
    match traces {
        Traces { manifest: false, .. } => format!(
            "{place} has no section {}: it was not compiled with pathcc (CC=pathcc CXX=pathc++), or it was stripped.",
            names::MANIFEST_SECTION
        ),
        Traces { symbols: true, descriptor: false, .. } => format!(
            "{place} was compiled with pathcc, but it has no symbol {}: it was linked without pathld. \
             Link it with pathcc or with -fuse-ld=pathld.",
            names::IMAGE
        ),
        Traces { symbols: false, .. } => format!(
            "{place} was compiled with pathcc; it has no symbol table, so that nobody can see whether it was \
             linked with pathld."
        ),
        _ => format!(
            "{place} is instrumented as it should be. It may be set-user-id, have no place to write to, or have been \
             started through something that sets PATHCC_PROFILE (off writes nothing); `pathprof doctor` looks for reasons."
        ),
    }
}
