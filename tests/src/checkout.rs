//! The checkout that is tested: its root, and what stands in it.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the checkout, without links on the way to it.
///
/// # Panics
///
/// If it is not there any more.
#[must_use]
pub fn checkout() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::canonicalize(root).expect("the checkout exists")
}

/// The files below a folder, without what git or a build keeps there.
///
/// # Panics
///
/// If a folder cannot be read.
#[must_use]
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the checkout");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let is_kept = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && name != "target" && name != "node_modules"
    };
    let (folders, files): (Vec<_>, Vec<_>) = paths.filter(is_kept).partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}
