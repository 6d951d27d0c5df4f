//! The files of the installed tree that a link needs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pathformat::tree;

use crate::real::RealLinker;

/// The archives of the runtime.
pub(super) struct Runtime {
    pub(super) counters: PathBuf,
    /// For static executables.
    pub(super) threads: PathBuf,
}

impl Runtime {
    /// Finds it.
    pub(super) fn find() -> Result<Self> {
        let root = root()?;
        let [counters, threads] = [tree::RUNTIME, tree::THREADS].map(|path| root.join(path));
        for archive in [&counters, &threads] {
            fs::metadata(archive)
                .with_context(|| format!("the runtime {} is missing", archive.display()))?;
        }
        Ok(Self { counters, threads })
    }
}

/// The linker and the plugin that instrument bitcode while it is linked.
pub(super) struct Lto {
    /// lld: no other linker loads a plugin of LLVM's passes.
    pub(super) linker: RealLinker,
    pub(super) plugin: PathBuf,
}

impl Lto {
    /// The real linker, if that is lld, else clang's own; `None` without either.
    pub(super) fn find(real: &RealLinker) -> Option<Self> {
        let plugin = root().ok()?.join(tree::PLUGIN).canonicalize().ok()?;
        Some(Self { linker: real.as_lld()?, plugin })
    }
}

/// The root of the installed tree.
fn root() -> Result<PathBuf> {
    let this = env::current_exe()
        .and_then(fs::canonicalize)
        .context("cannot find out where pathld is installed")?;
    Ok(this.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_path_buf())
}
