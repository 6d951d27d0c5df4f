//! Files that are read whole: regular ones only, and only up to a size.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use wrapper::files::open_regular;

/// A regular file that is open.
pub(crate) struct RegularFile {
    file: File,
    /// Its metadata.
    pub(crate) metadata: Metadata,
}

impl RegularFile {
    /// Opens a file.
    ///
    /// # Errors
    /// There is none, it may not be read, or it is not a regular one.
    pub(crate) fn open(path: &Path) -> io::Result<RegularFile> {
        open_regular(path).map(|(file, metadata)| RegularFile { file, metadata })
    }

    /// Its content, if that has at most `most` bytes.
    ///
    /// # Errors
    /// It is larger, or cannot be read.
    pub(crate) fn read(self, most: u64) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        if self.metadata.len() <= most {
            self.file.take(most + 1).read_to_end(&mut content)?;
        }
        if self.metadata.len() > most || content.len() as u64 > most {
            return Err(io::Error::other(format!("it is larger than {} MiB", most >> 20)));
        }
        Ok(content)
    }
}

/// The content of a regular file of at most `most` bytes.
///
/// # Errors
/// As of [`RegularFile::open`] and [`RegularFile::read`].
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    RegularFile::open(path)?.read(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_size_are_read() {
        let root = tempfile::tempdir().expect("temporary directory");
        let path = root.path().join("file");
        std::fs::write(&path, "content").expect("file");
        let message = |path: &Path, most| read(path, most).expect_err("refused").to_string();
        assert_eq!(read(&path, 7).expect("small"), b"content");
        assert_eq!(message(&path, 6), "it is larger than 0 MiB");
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(3 << 30))
            .expect("a sparse file");
        assert_eq!(message(&path, 1 << 20), "it is larger than 1 MiB");
        // Its size is said to be 0.
        assert_eq!(message(Path::new("/proc/self/maps"), 10), "it is larger than 0 MiB");
        assert_eq!(message(Path::new("/dev/zero"), 10), "it is not a regular file");
        assert_eq!(message(root.path(), 10), "it is not a regular file");
        let pipe = root.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        assert_eq!(message(&pipe, 10), "it is not a regular file");
    }
}
