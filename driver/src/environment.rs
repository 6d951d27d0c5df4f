//! The arguments of the process, and the environment variables that pathcc reads.
//!
//! Everything that decides what will be run is read here, once, so that the rest can be tested as
//! plain values.

use crate::settings::options::OPTIONS;
use crate::settings::setting::Source;
use crate::system_directories;
use pathformat::variables::{self, CLANG, CONFIG, DISABLE, DRY_RUN, FLANG};
use pathformat::variables::{REAL_LINKER, REAL_LINKER_BY};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Which configuration somebody has asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfigChoice {
    /// None.
    Nothing,
    /// This file.
    File(PathBuf),
}

/// The outside world as far as pathcc looks at it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `argv[0]`.
    pub(crate) called_as: OsString,
    /// The arguments after `argv[0]`.
    pub(crate) arguments: Vec<OsString>,
    /// [`CLANG`], if not empty.
    pub(crate) clang: Option<OsString>,
    /// [`FLANG`], if not empty.
    pub(crate) flang: Option<OsString>,
    /// [`CONFIG`], if not empty.
    pub(crate) config: Option<ConfigChoice>,
    /// Options that are variables, with their names and values, if not empty.
    pub(crate) options: Vec<(&'static str, OsString)>,
    /// [`DISABLE`].
    pub(crate) disable: bool,
    /// [`DRY_RUN`].
    pub(crate) dry_run: bool,
    /// clang's variables that name directories of system headers, with their values, if not empty.
    pub(crate) header_paths: Vec<(&'static str, OsString)>,
    /// `PATH`.
    pub(crate) path: OsString,
    /// [`REAL_LINKER`], unless an earlier pathcc has set it.
    pub(crate) users_linker: Option<OsString>,
    /// True if [`REAL_LINKER`] was left behind by an earlier pathcc.
    pub(crate) stale_linker: bool,
    /// True if clang's own `COMPILER_PATH` changes where it looks for programs.
    pub(crate) compiler_path: bool,
    /// True if a variable is set that makes the driver itself (not its jobs) write a log.
    pub(crate) driver_logs: bool,
    /// `MAKEFLAGS`, in which make names its jobserver.
    pub(crate) makeflags: Option<String>,
}

impl Environment {
    /// Reads the process's own arguments and environment.
    pub(crate) fn of_process() -> Environment {
        let mut arguments = std::env::args_os();
        let called_as = arguments.next().unwrap_or_else(|| "pathcc".into());
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| variables::given(Some(value.as_bytes())).is_some())
        };
        let switched_on = |name: &str| variables::is_on(set(name).as_deref().map(OsStr::as_bytes));
        let option = |source: &Source| match source {
            Source::Variable(name) => Some((*name, set(name)?)),
            Source::Flag => None,
        };
        let stale_linker = set(REAL_LINKER_BY).is_some();
        Environment {
            called_as,
            arguments: arguments.collect(),
            clang: set(CLANG),
            flang: set(FLANG),
            config: set(CONFIG).map(|value| match value.as_bytes() {
                variables::NOTHING => ConfigChoice::Nothing,
                _ => ConfigChoice::File(value.into()),
            }),
            options: OPTIONS.iter().filter_map(|known| option(&known.source)).collect(),
            disable: switched_on(DISABLE),
            dry_run: switched_on(DRY_RUN),
            header_paths: system_directories::VARIABLES
                .into_iter()
                .filter_map(|name| Some((name, set(name)?)))
                .collect(),
            path: std::env::var_os("PATH").unwrap_or_default(),
            users_linker: if stale_linker { None } else { set(REAL_LINKER) },
            stale_linker,
            compiler_path: set("COMPILER_PATH").is_some(),
            driver_logs: [
                "CC_PRINT_OPTIONS",
                "CC_PRINT_PROC_STAT",
                "CC_LOG_DIAGNOSTICS",
                "CCC_OVERRIDE_OPTIONS",
            ]
            .iter()
            .any(|name| std::env::var_os(name).is_some()),
            makeflags: set("MAKEFLAGS").and_then(|value| value.into_string().ok()),
        }
    }

    /// The value of one of clang's variables that name directories of system headers.
    pub(crate) fn header_path(&self, name: &str) -> Option<OsString> {
        let found = self.header_paths.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    }

    /// The value of an option that is a variable, if it is set.
    pub(crate) fn option(&self, name: &str) -> Option<&OsStr> {
        let found = self.options.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_os_str())
    }
}
