//! Lists the entries of a directory, and the files below it.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the entries of `directory`, in no order.
///
/// # Errors
/// The directory cannot be read; the message names it.
pub fn entries(directory: &Path) -> Result<Vec<DirEntry>> {
    let problem = || format!("{}", directory.display());
    fs::read_dir(directory)
        .with_context(problem)?
        .map(|entry| entry.with_context(problem))
        .collect()
}

/// Returns everything in and below `directory` that is not a directory, in no order. A directory
/// that cannot be read is an error among the results. Symbolic links to directories are not
/// followed.
pub fn files_below(directory: &Path) -> Vec<Result<PathBuf>> {
    let (mut found, mut left) = (Vec::new(), vec![directory.to_path_buf()]);
    while let Some(directory) = left.pop() {
        match entries(&directory) {
            Err(why) => found.push(Err(why)),
            Ok(entries) => {
                for entry in entries {
                    let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                    if is_directory {
                        left.push(entry.path())
                    } else {
                        found.push(Ok(entry.path()))
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).expect("writable");
        for name in ["x", "a/y", "a/b/z"] {
            fs::write(at(name), "").expect("writable");
        }
        std::os::unix::fs::symlink(folder.path(), at("a/loop")).expect("writable");
        let found: Result<Vec<_>> = files_below(folder.path()).into_iter().collect();
        let mut found = found.expect("readable");
        found.sort();
        assert_eq!(found, [at("a/b/z"), at("a/loop"), at("a/y"), at("x")]);
        assert!(matches!(&files_below(&at("none"))[..], [Err(_)]));
    }
}
