//! From the inputs of a command line to files, as the linker would find them: `-l` through `-L`,
//! `=` and `$SYSROOT`, and one script that names others.
//!
//! A library that is found elsewhere than the real linker finds it does no lasting harm: the output
//! is compared with what was found here.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::args::{CommandLine, Input};

/// Where linkers look at last on Debian, Red Hat and the like.
const DEFAULT_DIRECTORIES: &[&str] = &[
    "=/usr/local/lib/x86_64-linux-gnu",
    "=/lib/x86_64-linux-gnu",
    "=/usr/lib/x86_64-linux-gnu",
    "=/usr/local/lib64",
    "=/lib64",
    "=/usr/lib64",
    "=/usr/local/lib",
    "=/lib",
    "=/usr/lib",
];

/// Finds the files of inputs.
pub(crate) struct Locator {
    directories: Vec<PathBuf>,
    sysroot: Option<PathBuf>,
}

impl Locator {
    /// A locator for the inputs of this command line.
    pub(crate) fn new(line: &CommandLine) -> Self {
        let sysroot = line.sysroot.clone();
        let given = line.search.iter().map(OsString::as_os_str);
        let directories = given.chain(DEFAULT_DIRECTORIES.iter().map(OsStr::new));
        Self {
            directories: directories
                .map(|directory| with_sysroot(directory, sysroot.as_deref()))
                .collect(),
            sysroot,
        }
    }

    /// The file of an input of the command line; `None` if there is none, which the real linker
    /// will report.
    pub(crate) fn file(&self, input: &Input) -> Option<PathBuf> {
        match input {
            Input::File(path) if path.exists() => Some(path.clone()),
            // A script is also searched for, and so is what looks like one.
            Input::File(path) if path.is_relative() => {
                self.in_directories(|directory| directory.join(path))
            }
            Input::File(_) => None,
            Input::Library { name, static_only } => self.library(name, *static_only),
        }
    }

    /// The file of a name in a script, which lies in `directory`.
    pub(crate) fn named_in_script(&self, name: &OsStr, directory: &Path) -> Option<PathBuf> {
        if let Some(library) = name.as_bytes().strip_prefix(b"-l") {
            return self.library(OsStr::from_bytes(library), false);
        }
        let path = with_sysroot(name, self.sysroot.as_deref());
        if path.is_absolute() {
            let inside = self.sysroot.as_ref().filter(|root| directory.starts_with(root));
            let moved = inside.map(|root| root.join(path.strip_prefix("/").unwrap_or(&path)));
            return moved.filter(|path| path.exists()).or_else(|| path.exists().then_some(path));
        }
        if path.exists() {
            return Some(path);
        }
        let beside = directory.join(&path);
        if beside.exists() {
            Some(beside)
        } else {
            self.in_directories(|directory| directory.join(&path))
        }
    }

    fn library(&self, name: &OsStr, static_only: bool) -> Option<PathBuf> {
        if let Some(file) = name.as_bytes().strip_prefix(b":") {
            return self.in_directories(|directory| directory.join(OsStr::from_bytes(file)));
        }
        let file =
            |suffix: &str| OsString::from_iter([OsStr::new("lib"), name, OsStr::new(suffix)]);
        let (shared, archive) = (file(".so"), file(".a"));
        self.directories.iter().find_map(|directory| {
            let shared = Some(directory.join(&shared)).filter(|path| !static_only && path.exists());
            shared.or_else(|| Some(directory.join(&archive)).filter(|path| path.exists()))
        })
    }

    fn in_directories(&self, path: impl Fn(&Path) -> PathBuf) -> Option<PathBuf> {
        self.directories.iter().map(|directory| path(directory)).find(|path| path.exists())
    }
}

/// Replaces `=` or `$SYSROOT` at the front.
fn with_sysroot(path: &OsStr, sysroot: Option<&Path>) -> PathBuf {
    let bytes = path.as_bytes();
    match bytes.strip_prefix(b"=").or_else(|| bytes.strip_prefix(b"$SYSROOT")) {
        Some(rest) => PathBuf::from_iter([
            sysroot.unwrap_or(Path::new("")).as_os_str(),
            OsStr::from_bytes(if sysroot.is_some() {
                rest.strip_prefix(b"/").unwrap_or(rest)
            } else {
                rest
            }),
        ]),
        None => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::args;

    #[test]
    fn libraries_are_found_as_linkers_do() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let make = |name: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("inside")).expect("writable");
            fs::write(&path, "").expect("writable");
            path
        };
        let (shared, archive) = (make("a/libx.so"), make("a/libx.a"));
        let other = make("b/liby.a");
        let (named, in_root) = (make("b/odd.name"), make("usr/lib/libz.a"));
        let line = format!("-L{0}/none -L{0}/a -L=/b --sysroot={0}", root.path().display());
        let line = args::parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        let locator = Locator::new(&line);
        let library = |name: &str, static_only| {
            locator.file(&Input::Library { name: name.into(), static_only })
        };
        assert_eq!(library("x", false), Some(shared));
        assert_eq!(library("x", true), Some(archive));
        assert_eq!(library("y", false), Some(other));
        assert_eq!(library(":odd.name", false), Some(named.clone()));
        assert_eq!(library("z", false), Some(in_root.clone()));
        assert_eq!(library("none", false), None);
        let script = |name: &str| locator.named_in_script(OsStr::new(name), &root.path().join("b"));
        assert_eq!(script("/usr/lib/libz.a"), Some(in_root.clone()));
        assert_eq!(script("=/usr/lib/libz.a"), Some(in_root));
        assert_eq!(script("odd.name"), Some(named));
        assert_eq!(script("-lnone"), None);
    }
}
