//! Lends a program the runtime when it starts: `libpathrt.so`, by `LD_PRELOAD`. Then images count
//! that another linker made.
//!
//! Only a program that needs the runtime gets it, since the program can see it: in its environment
//! and among its libraries.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pathformat::tree;
use profile::image;

use crate::launch::lookup::find_program;

/// The variable that the loader reads.
pub const VARIABLE: &str = "LD_PRELOAD";

/// The value of [`VARIABLE`] for a program; `None` if it stays as it is. Unless the library is
/// `asked` for, only a program gets it that was compiled with pathcc and linked by another linker.
///
/// # Errors
/// It is asked for, and the library is not there or has a name that the loader cannot read.
pub fn value(program: &OsStr, asked: bool) -> Result<Option<OsString>> {
    if !asked && !find_program(program).is_some_and(|path| needs_it(&path)) {
        return Ok(None);
    }
    let library = match library() {
        Ok(library) => library.into_os_string(),
        Err(_) if !asked => return Ok(None),
        Err(error) => return Err(error),
    };
    let others = env::var_os(VARIABLE).filter(|others| !others.is_empty());
    Ok(Some(others.map_or(library.clone(), |others| {
        OsString::from_iter([library.as_os_str(), ":".as_ref(), &others])
    })))
}

fn needs_it(program: &Path) -> bool {
    image::traces(program)
        .is_ok_and(|traces| traces.manifest && !traces.linked && !traces.needs_first)
}

/// The library in the tree that this program is part of.
fn library() -> Result<PathBuf> {
    let this = env::current_exe()
        .and_then(|path| path.canonicalize())
        .context("cannot find out where pathprof is")?;
    let root = this.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let library = root.join(tree::PRELOAD);
    let place = library.display();
    ensure!(library.is_file(), "{place} is missing: install pathcc again");
    let separates = |byte: &u8| matches!(byte, b' ' | b':');
    ensure!(
        !library.as_os_str().as_bytes().iter().any(separates),
        "{place} cannot be loaded into a program: {VARIABLE} cannot hold a name with a space or a \
         colon"
    );
    Ok(library)
}
