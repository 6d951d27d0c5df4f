//! Names of source files: each file has one, however its compilations wrote it.
//!
//! `x/../a.c`, `./a.c` and `a.c` are one file, and so are a symbolic link and what it leads to. On
//! a machine that has the file, the file system decides; elsewhere the names do, as far as they
//! can.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The name of each file that was asked for.
#[derive(Debug, Default)]
pub struct SourceNames {
    /// By the path as it was written, the path that stands for it.
    known: HashMap<PathBuf, PathBuf>,
    /// By the path without any link, the path that stands for it: the first that was seen.
    first: HashMap<PathBuf, PathBuf>,
}

impl SourceNames {
    /// The name of a file that a unit compiled in `directory` calls `file`. It stays relative to
    /// that directory if it was, and the file lies below it.
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

    /// The path that stands for an absolute one.
    fn path(&mut self, given: PathBuf) -> PathBuf {
        if let Some(known) = self.known.get(&given) {
            return known.clone();
        }
        let real = resolved(&given);
        let written = normal(&given);
        // Behind a link, `..` is not the folder that the name says.
        let written = if resolved(&written) == real { written } else { real.clone() };
        let path = self.first.entry(real).or_insert(written).clone();
        self.known.insert(given, path.clone());
        path
    }
}

/// The path without links, as far as it exists here.
fn resolved(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, real)) = existing else { return normal(path) };
    let rest = path.strip_prefix(above).unwrap_or(Path::new(""));
    normal(&real.join(rest))
}

/// The path without `.` and `..`, as far as that can be said without looking at the disk.
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
        // `..` behind a link is not the folder that the link is in.
        assert_eq!(names.name(&top, "link/../a.c"), "real/a.c");
        assert_eq!(names.name(&top, "real/a.c"), "real/a.c");
        assert_eq!(names.name(&real, "b.c"), "a.c");
        // The first name of a file that is not there any more.
        assert_eq!(names.name(&top, "link/gone.c"), "link/gone.c");
        assert_eq!(names.name(&real, "deep/gone.c"), format!("{top}/link/gone.c"));
    }
}
