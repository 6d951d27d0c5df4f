//! Hands the viewer of `pathprof html` to the compiler, if it was built.
//!
//! `make build` builds it from `viewer` and names it in `PATHPROF_VIEWER`. Without that variable it
//! is looked for where `make build` puts it. Without a viewer an empty one stands for it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=PATHPROF_VIEWER");
    println!("cargo::rerun-if-changed=build.rs");
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/viewer/viewer.html");
    let viewer = env::var_os("PATHPROF_VIEWER").map_or(usual, PathBuf::from);
    let mut text = Vec::new();
    if viewer.is_file() {
        println!("cargo::rerun-if-changed={}", viewer.display());
        text = fs::read(&viewer)?;
    }
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    fs::write(out.join("viewer.html"), text)
}
