//! Which profile files to read: those named, those in a directory, or the newest one here.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::escape::terminal;
use crate::profile;

/// What profiles' names end in.
pub const EXTENSION: &str = "pathprof";

/// What follows in the name of a process's raw file.
const RAW: &str = "raw";

/// The files that `arguments` name, in order; a directory stands for the profiles in it. Without arguments, the newest
/// profile in the current directory, whose name goes to standard error.
///
/// # Errors
/// A directory without profiles, or one that cannot be read. Whether the files can be read is not asked here.
pub fn profiles(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if arguments.is_empty() {
        let found = newest(Path::new("."))?;
        let first = found[0].to_string_lossy();
        let first = terminal(&first);
        match found.len() {
            1 => anstream::eprintln!("reading {first}, the newest profile here"),
            more => {
                anstream::eprintln!("reading {first}, the newest profile here, and {} more of its process", more - 1)
            }
        }
        return Ok(found);
    }
    let mut files = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            let found = in_directory(argument)?;
            if found.is_empty() {
                bail!("{}: this directory holds no profile (*.{EXTENSION})", argument.display());
            }
            files.extend(found);
        } else {
            files.push(argument.clone());
        }
    }
    Ok(files)
}

/// The profiles in `directory`, by name.
///
/// # Errors
/// The directory cannot be read.
pub fn in_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory).with_context(|| format!("{}", directory.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("{}", directory.display()))?.path();
        let profile = finished_name(&path).unwrap_or_else(|| path.clone());
        if profile.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The name of the profile that a raw file's process writes when it ends; `None` if this is no raw file's name. As long as
/// the process lives, that begins with a dot.
pub fn finished_name(path: &Path) -> Option<PathBuf> {
    let finished = (path.extension()? == RAW).then(|| path.with_extension(""))?;
    let name = finished.file_name()?.as_bytes();
    Some(finished.with_file_name(OsStr::from_bytes(name.strip_prefix(b".").unwrap_or(name))))
}

/// The name of a file whose process has ended: a raw file need not be hidden any more.
pub fn shown(name: &Path) -> PathBuf {
    let raw = |finished: PathBuf| {
        let mut name = finished.into_os_string();
        name.push(format!(".{RAW}"));
        PathBuf::from(name)
    };
    finished_name(name).map_or_else(|| name.to_path_buf(), raw)
}

/// The name with a number before its extension.
pub fn numbered(name: &Path, number: u32) -> PathBuf {
    match finished_name(name) {
        Some(finished) => finished.with_extension(format!("{number}.{EXTENSION}.{RAW}")),
        None => name.with_extension(format!("{number}.{EXTENSION}")),
    }
}

/// The newest profile in `directory`, and those of the same process behind it.
fn newest(directory: &Path) -> Result<Vec<PathBuf>> {
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let files = in_directory(directory)?;
    let newest = files.iter().max_by_key(|path| age(path)).with_context(|| {
        format!(
            "no profile (*.{EXTENSION}) in the current directory: run the instrumented program first \
             (`pathprof run -- PROGRAM`), or name a profile"
        )
    })?;
    let mut found = vec![newest.clone()];
    if let Some(process) = process(newest) {
        let same = |path: &&PathBuf| *path != newest && self::process(path).as_ref() == Some(&process);
        found.extend(files.iter().filter(same).cloned());
    }
    Ok(found.iter().map(|path| path.strip_prefix(".").unwrap_or(path).to_path_buf()).collect())
}

/// The process that a profile is of; `None` if that cannot be told.
fn process(path: &Path) -> Option<(String, u32, u64)> {
    let run = profile::read(path).ok()??.run;
    run.process().map(|(host, pid, start)| (host.to_owned(), pid, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_file_is_hidden_only_while_it_is_used() {
        let finished = |name: &str| finished_name(Path::new(name));
        assert_eq!(finished("a/.x.pathprof.raw"), Some("a/x.pathprof".into()));
        assert_eq!(finished("x.pathprof.raw"), Some("x.pathprof".into()));
        assert_eq!(finished(".x.pathprof"), None);
        assert_eq!(shown(Path::new(".x.pathprof.raw")), Path::new("x.pathprof.raw"));
        assert_eq!(shown(Path::new(".x.pathprof")), Path::new(".x.pathprof"));
        assert_eq!(numbered(Path::new(".x.pathprof.raw"), 2), Path::new("x.2.pathprof.raw"));
    }
}
