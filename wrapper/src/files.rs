//! Files that are looked at: regular ones only.
//!
//! A pipe would notice that it is opened, so the path is looked at first. What counts is the open
//! file, so that nothing else can take its place in between; and opening waits for nobody, which it
//! would at the end of a pipe.

use rustix::fs::OFlags;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Which file, whatever it is called: its device and its number there.
pub type Identity = (u64, u64);

/// The identity of a file with this metadata.
pub fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// Opens a regular file for reading; gives its metadata, too.
///
/// # Errors
/// There is none, it may not be read, or it is not a regular one.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let regular = |metadata: Metadata| {
        Some(metadata)
            .filter(Metadata::is_file)
            .ok_or_else(|| io::Error::other("it is not a regular file"))
    };
    regular(std::fs::metadata(path)?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let metadata = regular(file.metadata()?)?;
    Ok((file, metadata))
}
