//! Names of source files: each file has one, however its compilations wrote it.
//!
//! `x/../a.c`, `./a.c` and `a.c` are one file, and so are a symbolic link and its target. On a
//! machine that has the file, the file system decides; elsewhere the names do, as far as possible.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The names of the files that were looked up.
#[derive(Debug, Default)]
pub struct SourceNames {
    /// The representative path, by the path as it was written.
    known: HashMap<PathBuf, PathBuf>,
    /// The representative path, by the path without links: the first one that was seen.
    first: HashMap<PathBuf, PathBuf>,
}

impl SourceNames {
    /// Returns the name of a file that a unit compiled in `directory` calls `file`. It stays
    /// relative to that directory if it was relative, and the file is below the directory.
    pub fn name(&mut self, directory: &str, file: &str) -> String {
        let given = Path::new(directory).join(file);
        if file.is_empty() || !given.is_absolute() {
            return normal(Path::new(file)).to_string_lossy().into_owned();
        }
        let path = self.path(given);
        let below = || path.strip_prefix(normal(Path::new(directory))).ok();
        let relative = if Path::new(file).is_absolute() { None } else { below() };
        relative.unwrap_or(&path).to_string_lossy().into_owned()
    }

    /// Returns the representative path of an absolute one.
    fn path(&mut self, given: PathBuf) -> PathBuf {
        if let Some(known) = self.known.get(&given) {
            return known.clone();
        }
        let real = resolved(&given);
        let written = normal(&given);
        // Behind a link, `..` is not the directory that the text of the path suggests.
        let written = if resolved(&written) == real { written } else { real.clone() };
        let path = self.first.entry(real).or_insert(written).clone();
        self.known.insert(given, path.clone());
        path
    }
}

/// Resolves the links of the path, as far as it exists here.
fn resolved(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, real)) = existing else { return normal(path) };
    let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
    normal(&real.join(rest))
}

/// Removes `.` and `..` from the path, as far as possible without access to the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        let last = normal.components().next_back();
        match (part, last) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                normal.pop();
            }
            (Component::ParentDir, Some(Component::RootDir)) => {}
            (part, _) => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_that_is_not_here_is_known_by_its_names() {
        let mut names = SourceNames::default();
        for (directory, file, name) in [
            ("/no/p", "a.c", "a.c"),
            ("/no/p", "./a.c", "a.c"),
            ("/no/p", "x/../a.c", "a.c"),
            ("/no/p", "x//a.c", "x/a.c"),
            ("/no/p/", "a.c", "a.c"),
            ("/no/p/t", "../a.c", "/no/p/a.c"),
            ("/no/p", "/no/p/t/../a.c", "/no/p/a.c"),
            ("/no/p", "/../a.c", "/a.c"),
            ("", "x/../a.c", "a.c"),
            ("", "../a.c", "../a.c"),
            ("/no/p", "", ""),
        ] {
            assert_eq!(names.name(directory, file), name, "{directory} {file}");
        }
    }

    #[test]
    fn a_link_is_the_file_that_it_leads_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it exists");
        fs::create_dir_all(root.join("real/deep")).expect("made");
        fs::write(root.join("real/a.c"), "").expect("written");
        symlink("real/deep", root.join("link")).expect("linked");
        symlink("a.c", root.join("real/b.c")).expect("linked");
        let (top, real) = (root.to_string_lossy(), root.join("real"));
        let real = real.to_string_lossy();
        let mut names = SourceNames::default();
        // `..` behind a link is not the directory that contains the link.
        assert_eq!(names.name(&top, "link/../a.c"), "real/a.c");
        assert_eq!(names.name(&top, "real/a.c"), "real/a.c");
        assert_eq!(names.name(&real, "b.c"), "a.c");
        // A file that is gone keeps its first name.
        assert_eq!(names.name(&top, "link/gone.c"), "link/gone.c");
        assert_eq!(names.name(&real, "deep/gone.c"), format!("{top}/link/gone.c"));
    }
}
