//! Explains why a program that ran left no profile.
//!
//! The reasons follow from how the program ended and from what its image looks like.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use pathformat::names;

use crate::launch::lookup::find_program;
use crate::read::arrays;
use crate::read::image::{self, Traces};

/// What to say of an image with counters that pathld did not link, behind its name.
pub const UNLINKED: &str = "\
    was compiled with pathcc and linked by another linker, so that nobody writes down what it \
    counts unless `pathprof run` starts it. Link it with pathcc or pathc++, too: in CMake as \
    CMAKE_C_COMPILER and CMAKE_CXX_COMPILER, or as the launcher of both compiler and linker; for \
    cargo with RUSTFLAGS=-Clinker=pathcc; for pip and Python's packages with CC=pathcc CXX=pathc++ \
    LDSHARED='pathcc -shared'; for Go with CC=pathcc and -ldflags='-linkmode=external \
    -extld=pathcc'; for node-gyp with CC=pathcc CXX=pathc++ LINK=pathc++; or give any clang \
    -fuse-ld=pathld.";

/// Why nothing was written down although `pathprof run` started it.
pub const NOT_LENT: &str = "\
    Here it did not help: the runtime cannot be lent to a program that is linked statically, that \
    needs the address sanitizer's library, or that has more rights than its user; and it loses the \
    counts of a program that is killed or executes another one.";

/// The reasons that apply, as whole sentences.
pub fn explain(program: &OsStr, status: ExitStatus) -> String {
    let mut text =
        format!("{} wrote no profile, nor did a program that it started.", program.display());
    if let Some(signal) = status.signal() {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
        text += &format!(" It was ended by signal {signal} ({name}).");
    }
    text + " "
        + &find_program(program)
            .map_or_else(|| "Its image was not found.".into(), |path| reason(&path))
}

fn reason(path: &Path) -> String {
    let place = path.display();
    let traces = match image::traces(path) {
        Ok(traces) => traces,
        Err(_) if std::fs::read(path).is_ok_and(|content| !content.starts_with(b"\x7fELF")) => {
            return format!(
                "{place} is no ELF image but a script: only instrumented programs that it starts \
                 write profiles."
            );
        }
        Err(error) => return format!("Its image cannot be looked at: {error:#}."),
    };
    match traces {
        Traces { manifest: false, .. } => format!(
            "{place} has no section {}: it was not compiled with pathcc (CC=pathcc CXX=pathc++), \
             or that section was removed. With --preload, what it loads and starts counts wherever \
             that was compiled with pathcc.",
            names::MANIFEST_SECTION
        ),
        Traces { linked: false, .. } => format!("{place} {UNLINKED} {NOT_LENT}"),
        _ if arrays::is_traced(path) => format!(
            "{place} is traced (-fpath-mode=trace): it writes traces instead of profiles. \
             `pathprof trace run` runs it and says where they are."
        ),
        _ => format!(
            "{place} is instrumented as it should be. It may be set-user-id, have no place to \
             write to, or have been started through something that sets PATHCC_PROFILE (off writes \
             nothing); `pathprof doctor` looks for reasons."
        ),
    }
}
