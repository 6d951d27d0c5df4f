//! Files as byte slices, without reading them: linking reads the same pages anyway.
#![allow(unsafe_code, reason = "mapping a file is the one thing here that Rust cannot check")]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Maps a regular file. An empty file gives an empty slice.
///
/// # Errors
/// The file cannot be opened, or is not a regular one: a pipe must be left to the real linker.
pub(crate) fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    // SAFETY: a build that changes an input while it is being linked breaks the real linker, which maps it as well;
    // no invariant of ours depends on two looks at a byte giving the same.
    unsafe { Mmap::map(&file) }
}
