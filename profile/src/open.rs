//! Opens files from outside, provided that they are regular files.
//!
//! A pipe would block the reader, a device would never end, and opening either may have an effect.
//! So the kind of a file is checked before it is opened. It is checked again afterwards, because by
//! then the name may lead elsewhere.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens the regular file at `path` for reading.
///
/// # Errors
/// The path is not a regular file, does not exist, or may not be read.
pub fn regular(path: &Path) -> io::Result<File> {
    check(fs::metadata(path)?.file_type())?;
    // If a pipe or a terminal takes the file's place meanwhile, opening it does not block, and it
    // does not become the controlling terminal.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    let file = File::options().read(true).custom_flags(flags.cast_signed()).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a file of ours for reading and for what `options` adds. A link is not followed. The caller
/// checks that it is a regular file.
///
/// # Errors
/// The path is a link, does not exist unless `options` create it, or may not be opened so.
pub(crate) fn to_change(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // If a pipe takes the file's place meanwhile, opening it does not block.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    options.read(true).custom_flags(flags).open(path)
}

fn check(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = match kind {
        kind if kind.is_dir() => {
            return Err(Error::new(ErrorKind::IsADirectory, "it is a directory"));
        }
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_socket() => "a socket",
        kind if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "something else",
    };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a regular file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), b"text").expect("writable");
        std::os::unix::fs::symlink(at("file"), at("link")).expect("writable");
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            at("pipe"),
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        )
        .expect("writable");
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("writable");
        let says = |path: &Path| match regular(path) {
            Ok(file) => io::read_to_string(file).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        assert_eq!(says(&at("file")), Ok("text".into()));
        assert_eq!(says(&at("link")), Ok("text".into()));
        assert_eq!(says(&at("pipe")), Err("it is a pipe, not a regular file".into()));
        assert_eq!(says(&at("socket")), Err("it is a socket, not a regular file".into()));
        assert_eq!(says(Path::new("/dev/zero")), Err("it is a device, not a regular file".into()));
        assert_eq!(says(folder.path()), Err("it is a directory".into()));
        assert_eq!(
            regular(&at("none")).map_err(|error| error.kind()).err(),
            Some(ErrorKind::NotFound)
        );
    }
}
