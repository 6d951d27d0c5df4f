//! The tree under test: `PATHCC_TREE`, by default `target/pathcc` as `make build` leaves it.

use std::path::{Path, PathBuf};

/// A program of that tree.
pub fn bin(name: &str) -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pathcc");
    let tree = std::env::var_os("PATHCC_TREE").map_or_else(built, PathBuf::from);
    tree.join("bin").join(name)
}
