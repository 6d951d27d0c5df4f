//! Finds the file that a command starts, or that somebody means.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The program that somebody names: a file as every command takes it, or else one in `PATH`.
pub fn named_program(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_file() { Some(path.to_path_buf()) } else { find_program(program) }
}

/// The file that running `program` starts.
pub fn find_program(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.as_bytes().contains(&b'/') {
        return Some(path.to_path_buf());
    }
    let search = env::var_os("PATH")?;
    env::split_paths(&search).map(|directory| directory.join(path)).find(|file| file.is_file())
}
