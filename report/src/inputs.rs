//! Which profile files to read: those named, those in a directory, or the newest one here.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

/// What profiles' names end in.
pub const EXTENSION: &str = "pathprof";

/// The files that `arguments` name, in order; a directory stands for the profiles in it. Without arguments, the newest
/// profile in the current directory, whose name goes to standard error.
///
/// # Errors
/// A directory without profiles, or one that cannot be read. Whether the files can be read is not asked here.
pub fn profiles(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if arguments.is_empty() {
        let newest = newest(Path::new("."))?;
        anstream::eprintln!("reading {}, the newest profile here", newest.display());
        return Ok(vec![newest]);
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
        if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn newest(directory: &Path) -> Result<PathBuf> {
    let age = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let newest = in_directory(directory)?.into_iter().max_by_key(age).with_context(|| {
        format!(
            "no profile (*.{EXTENSION}) in the current directory: run the instrumented program first \
             (`pathprof run -- PROGRAM`), or name a profile"
        )
    })?;
    Ok(newest.strip_prefix(".").map(Path::to_path_buf).unwrap_or(newest))
}
