//! What the process was started with: arguments and the environment variables that pathcc reads.
//!
//! Everything that decides what will be run is read here, once, so that the rest can be tested as
//! plain values.

use std::ffi::OsString;
use std::path::PathBuf;

/// The compiler to use instead of the one that is looked for: a path, or a name on `PATH`.
pub(crate) const CLANG: &str = "PATHCC_CLANG";
/// The configuration file to use instead of the nearest `pathcc.toml`; set but empty: none.
pub(crate) const CONFIG: &str = "PATHCC_CONFIG";
/// How many compile jobs may run at once; 1 leaves several sources to clang alone.
pub(crate) const JOBS: &str = "PATHCC_JOBS";
/// Set (and neither empty nor `0`): be plain clang.
pub(crate) const DISABLE: &str = "PATHCC_DISABLE";
/// Set (and neither empty nor `0`): print what would be run, run nothing of it.
pub(crate) const DRY_RUN: &str = "PATHCC_DRYRUN";
/// Tells pathld which linker is behind it: a path, or a name on `PATH`. Unset: `ld`.
pub(crate) const REAL_LINKER: &str = "PATHLD_REAL";
/// Says who has set [`REAL_LINKER`], so that a value of ours that leaked into a later pathcc is known
/// as such; the user's own value is kept.
pub(crate) const REAL_LINKER_BY: &str = "PATHLD_REAL_BY";

/// The outside world as far as pathcc looks at it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `argv[0]`.
    pub(crate) called_as: OsString,
    /// The arguments after `argv[0]`.
    pub(crate) arguments: Vec<OsString>,
    /// [`CLANG`], if not empty.
    pub(crate) clang: Option<OsString>,
    /// [`CONFIG`], empty if set but empty.
    pub(crate) config: Option<PathBuf>,
    /// [`JOBS`], if not empty.
    pub(crate) jobs: Option<OsString>,
    /// [`DISABLE`].
    pub(crate) disable: bool,
    /// [`DRY_RUN`].
    pub(crate) dry_run: bool,
    /// `PATH`.
    pub(crate) path: OsString,
    /// [`REAL_LINKER`], unless an earlier pathcc has set it.
    pub(crate) users_linker: Option<OsString>,
    /// Whether [`REAL_LINKER`] was left behind by an earlier pathcc.
    pub(crate) stale_linker: bool,
    /// Whether clang's own `COMPILER_PATH` changes where it looks for programs.
    pub(crate) compiler_path: bool,
    /// Whether a variable is set that makes the driver itself (not its jobs) write a log.
    pub(crate) driver_logs: bool,
    /// `MAKEFLAGS`, where make tells of its jobserver.
    pub(crate) makeflags: Option<String>,
}

impl Environment {
    /// Reads the process's own arguments and environment.
    pub(crate) fn of_process() -> Environment {
        let mut arguments = std::env::args_os();
        let called_as = arguments.next().unwrap_or_else(|| "pathcc".into());
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let switched_on = |name: &str| set(name).is_some_and(|value| value != "0");
        let stale_linker = set(REAL_LINKER_BY).is_some();
        Environment {
            called_as,
            arguments: arguments.collect(),
            clang: set(CLANG),
            config: std::env::var_os(CONFIG).map(PathBuf::from),
            jobs: set(JOBS),
            disable: switched_on(DISABLE),
            dry_run: switched_on(DRY_RUN),
            path: std::env::var_os("PATH").unwrap_or_default(),
            users_linker: if stale_linker { None } else { set(REAL_LINKER) },
            stale_linker,
            compiler_path: set("COMPILER_PATH").is_some(),
            driver_logs: ["CC_PRINT_OPTIONS", "CC_PRINT_PROC_STAT", "CC_LOG_DIAGNOSTICS", "CCC_OVERRIDE_OPTIONS"]
                .iter()
                .any(|name| std::env::var_os(name).is_some()),
            makeflags: set("MAKEFLAGS").and_then(|value| value.into_string().ok()),
        }
    }
}
