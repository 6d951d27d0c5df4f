//! Pipes that the linker is to read (`--version-script=<(…)`, `/dev/stdin`). They can be read but
//! once, and the real linker may run several times. So they are read here, into files in memory
//! that every run inherits.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::args;

/// A command line that names files where it named pipes.
pub(crate) struct ReplacedPipes {
    /// The command line.
    pub(crate) arguments: Vec<OsString>,
    /// Open for as long as a linker may read them.
    files: Vec<File>,
}

impl ReplacedPipes {
    /// Reads the pipes that a command line names; `None` if there are none. One that cannot be read
    /// stays, for the real linker to report.
    pub(crate) fn new(arguments: &[OsString]) -> Option<Self> {
        let mut kept = Self { arguments: arguments.to_vec(), files: Vec::new() };
        for (index, start) in args::files_to_read(arguments) {
            let (before, name) = arguments[index].as_bytes().split_at(start);
            let path = Path::new(OsStr::from_bytes(name));
            let is_pipe = fs::metadata(path).is_ok_and(|pipe| pipe.file_type().is_fifo());
            if is_pipe && let Ok(file) = in_memory(path) {
                let name = format!("/dev/fd/{}", file.as_raw_fd());
                kept.arguments[index] =
                    OsString::from_iter([OsStr::from_bytes(before), OsStr::new(&name)]);
                kept.files.push(file);
            }
        }
        (!kept.files.is_empty()).then_some(kept)
    }
}

/// A file in memory with what comes from a pipe. Programs that are executed inherit it.
fn in_memory(pipe: &Path) -> io::Result<File> {
    let mut file = File::from(memfd_create("pathld", MemfdFlags::empty())?);
    io::copy(&mut File::open(pipe)?, &mut file)?;
    Ok(file)
}
