//! One link, from the arguments to the finished image.
//!
//! The inputs tell which modules there may be, so that the real linker usually runs once. Its output tells which
//! modules there are: bitcode shows its modules only then, and of an archive only some members are taken. If a
//! module is missing in the list, or the list reserves far too much, it runs again with the list from the output.
//!
//! A build never fails because of pathld: what goes wrong here is told, and the program is linked uncounted.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::args::{self, CommandLine, Kind};
use crate::process::{Outcome, Runner};
use crate::real::{RealLinker, Voice};
use crate::scan::{self, Damaged, Found, Module};
use crate::{depfile, module, response, warn};

/// A region of this size may not fit in a program any more, whose code reaches 2 GiB.
const LARGE_REGION: u64 = 1 << 30;

/// So much may be reserved for modules of archives that were not taken. It is never touched, so it costs no memory.
const TOLERATED_EXCESS: u64 = 64 << 20;

/// The second run is final unless the real linker takes other members of archives than in the first.
const MOST_ROUNDS: usize = 3;

/// Of many damaged records only so many are told.
const TOLD: usize = 3;

/// Links as the arguments say.
///
/// # Errors
/// The real linker cannot be found or started.
pub(crate) fn run(arguments: &[OsString]) -> Result<Outcome> {
    let real = RealLinker::find()?;
    let line = args::parse(&response::expand(arguments));
    if is_disabled() || line.foreign.is_some() || line.inputs.is_empty() {
        return Err(real.exec(arguments));
    }
    let found = scan::scan_inputs(&line);
    tell_damaged(&found.damaged);
    if found.modules.is_empty() && !found.bitcode {
        return Err(real.exec(arguments));
    }
    let (runtime, workspace) = match prepare() {
        Ok(prepared) => prepared,
        Err(error) => {
            warn(&format!("{error:#}; the program is linked, but its paths are not counted"));
            return Err(real.exec(arguments));
        }
    };
    let link = Link { real, arguments, line: &line, runtime, workspace, runner: Runner::new()? };
    let outcome = link.link(found)?;
    if let Some(file) = &line.dependency_file {
        depfile::clean(file, link.workspace.path());
    }
    Ok(outcome)
}

fn is_disabled() -> bool {
    env::var_os("PATHCC_DISABLE").is_some_and(|value| value == "1")
}

/// Finds the runtime and makes a private directory.
fn prepare() -> Result<(Runtime, TempDir)> {
    let this = env::current_exe().and_then(fs::canonicalize).context("cannot find out where pathld is installed")?;
    let root = this.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let library = root.join("lib/pathcc");
    let [counters, threads] = ["libpathrt.a", "libpathrt-threads.a"].map(|name| library.join(name));
    for archive in [&counters, &threads] {
        fs::metadata(archive).with_context(|| format!("the runtime {} is missing", archive.display()))?;
    }
    let workspace =
        tempfile::Builder::new().prefix("pathld-").tempdir().context("cannot make a temporary directory")?;
    Ok((Runtime { counters, threads }, workspace))
}

fn tell_damaged(damaged: &[Damaged]) {
    damaged.iter().take(TOLD).for_each(|damaged| warn(&damaged.to_string()));
    if damaged.len() > TOLD {
        warn(&format!("{} more inputs have the same problem", damaged.len() - TOLD));
    }
}

/// The archives of the runtime.
struct Runtime {
    counters: PathBuf,
    /// For static executables.
    threads: PathBuf,
}

/// A link that pathld takes part in.
struct Link<'a> {
    real: RealLinker,
    arguments: &'a [OsString],
    line: &'a CommandLine,
    runtime: Runtime,
    workspace: TempDir,
    runner: Runner,
}

impl Link<'_> {
    fn link(&self, found: Found) -> Result<Outcome> {
        // Of a region that may be too large, find out first how much of it is needed.
        let unsure = is_large(&found.modules);
        let mut modules = if unsure { Vec::new() } else { found.modules };
        let mut outcome = self.once(&modules, Voice::Loud)?;
        for _ in 0..MOST_ROUNDS {
            let reached = Some(outcome).filter(|outcome| outcome.success());
            let Some(reached) = reached.and_then(|_| scan::scan_image(&self.output())) else { break };
            let Some(better) = better_list(&modules, &reached.modules) else { break };
            if found.bitcode {
                tell_damaged(&reached.damaged);
            }
            if is_large(&better) {
                let megabytes = module::region_size(&better).unwrap_or(u64::MAX) >> 20;
                warn(&format!(
                    "{}: the counters need {megabytes} MiB; if the link fails for relocations out of range, compile \
                     with a smaller -fpath-limit",
                    self.output().display()
                ));
            }
            modules = better;
            outcome = self.once(&modules, Voice::Quiet)?;
            if !outcome.success() {
                warn(&format!(
                    "{}: the linker failed on the second run; the program is linked, but its paths are not counted",
                    self.output().display()
                ));
                return self.once(&[], Voice::Loud);
            }
        }
        Ok(outcome)
    }

    fn output(&self) -> PathBuf {
        self.line.output.clone().unwrap_or_else(|| "a.out".into())
    }

    /// Calls the real linker with counters for these modules; without any, as it was meant to be called.
    fn once(&self, modules: &[Module], voice: Voice) -> Result<Outcome> {
        let mut arguments = Vec::new();
        if !modules.is_empty() {
            let object = self.workspace.path().join("pathcc.o");
            fs::write(&object, module::generate(modules, self.line.kind)?)
                .with_context(|| format!("cannot write {}", object.display()))?;
            // In front of everything, where no option before it can change how it is read.
            arguments.extend([object.into_os_string(), self.runtime.counters.clone().into_os_string()]);
            if !self.line.build_id {
                arguments.push("--build-id=sha1".into());
            }
            if self.line.kind == Kind::Static && self.line.has_c_library() {
                // musl takes handlers of forks into a program only if something asks for them.
                arguments.push("--undefined=pthread_atfork".into());
            }
        }
        let before_system = args::before_system_libraries(self.arguments);
        arguments.extend_from_slice(&self.arguments[..before_system]);
        if !modules.is_empty() && self.line.kind == Kind::Static {
            arguments.push(self.runtime.threads.clone().into_os_string());
        }
        arguments.extend_from_slice(&self.arguments[before_system..]);
        let command = self.real.prepare(&arguments, self.workspace.path(), voice)?;
        self.runner.run(command).context("cannot start the real linker")
    }
}

fn is_large(modules: &[Module]) -> bool {
    module::region_size(modules).is_none_or(|size| size > LARGE_REGION)
}

/// The list to link again with, if the one that was used does not do for what reached the output.
fn better_list(used: &[Module], reached: &[Module]) -> Option<Vec<Module>> {
    if reached.is_empty() {
        return None;
    }
    let missing = reached.iter().any(|module| !used.contains(module));
    let size = |modules| module::region_size(modules).unwrap_or(u64::MAX);
    let excessive = size(used).saturating_sub(size(reached)) > TOLERATED_EXCESS;
    (missing || excessive).then(|| reached.to_vec())
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;
    use pathformat::raw::Threads;

    use super::*;

    fn module(id: u8, counters: u64) -> Module {
        Module { id: ModuleId([id; 16]), counters, keys: 0, threads: Threads::Exact, own_base: false }
    }

    #[test]
    fn a_list_is_replaced_only_for_a_reason() {
        let list = [module(1, 10), module(2, 10)];
        assert_eq!(better_list(&list, &list), None);
        assert_eq!(better_list(&list, &list[..1]), None);
        assert_eq!(better_list(&list, &[]), None);
        assert_eq!(better_list(&list[..1], &list), Some(list.to_vec()));
        assert_eq!(better_list(&[], &list), Some(list.to_vec()));
        let huge = [module(1, 10), module(3, 16 << 20)];
        assert_eq!(better_list(&huge, &huge[..1]), Some(vec![huge[0]]));
    }

    #[test]
    fn sizes_that_overflow_are_large() {
        assert!(is_large(&[module(1, u64::MAX)]) && is_large(&[module(1, 1 << 28)]));
        assert!(!is_large(&[module(1, 1 << 20)]));
    }
}
