//! A folder with the sources of a program, in which a user types lines of shell.

use std::fs;
use std::path::{Path, PathBuf};

use pathtests::shell::shell;
use tempfile::TempDir;

/// A program in one file.
pub(crate) const SOURCE: &str =
    "int main(int count, char **words) { return count > 3 ? 4 : !words; }\n";

pub(crate) struct Project(TempDir);

impl Project {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    /// Runs lines of shell in the folder; gives what they print.
    pub(crate) fn shell(&self, lines: &str) -> String {
        shell(self.folder(), lines)
    }
}
