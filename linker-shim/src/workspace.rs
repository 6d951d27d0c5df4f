//! The directory for what is handed to the real linker. Nobody but us can look or write into it,
//! whatever the umask is, and it is gone when it goes out of scope.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A private directory.
pub(crate) struct Workspace(TempDir);

impl Workspace {
    /// A fresh one, where temporary files belong.
    ///
    /// # Errors
    /// There is no such place, or it cannot be written.
    pub(crate) fn new() -> io::Result<Self> {
        tempfile::Builder::new()
            .prefix("pathld-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map(Self)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file that is called as another one, in a directory of its own.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write_beside(
        &self,
        number: usize,
        like: &Path,
        content: &[u8],
    ) -> io::Result<PathBuf> {
        let directory = number.to_string();
        fs::DirBuilder::new().mode(0o700).create(self.path().join(&directory))?;
        let name = Path::new(&directory).join(like.file_name().unwrap_or_default());
        self.write(&name, content)
    }

    /// Writes a file in place of an earlier one of that name; gives its path.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&self, name: impl AsRef<Path>, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Neither a file nor a link that somebody has put there is written to.
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?
            .write_all(content)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ours_alone_and_does_not_stay() {
        let workspace = Workspace::new().expect("a place for temporary files");
        let mode =
            |path: &Path| fs::symlink_metadata(path).expect("there").permissions().mode() & 0o7777;
        assert_eq!(mode(workspace.path()), 0o700);
        let path = workspace.write("x", b"one").expect("writable");
        assert_eq!(mode(&path), 0o600);
        assert_eq!(workspace.write("x", b"two").expect("once more"), path);
        assert_eq!(fs::read(&path).expect("readable"), b"two");
        drop(workspace);
        assert!(!path.parent().expect("a directory").exists());
    }

    #[test]
    fn a_link_is_not_followed() {
        let workspace = Workspace::new().expect("a place for temporary files");
        let target = workspace.write("target", b"others'").expect("writable");
        std::os::unix::fs::symlink(&target, workspace.path().join("x")).expect("writable");
        workspace.write("x", b"ours").expect("the link goes");
        assert_eq!(fs::read(&target).expect("readable"), b"others'");
    }
}
