//! `pathcc.toml`: a project's settings, in the nearest directory upwards from the current one.
//!
//! ```toml
//! mode = "paths"          # as -fpath-mode=
//! placement = "…"         # as -fpath-placement=
//! stage = "late"          # as -fpath-stage=
//! threads = "exact"       # as -fpath-threads=
//! in-flight = "no"        # as -fpath-in-flight=
//! promotion = "yes"       # as -fpath-promotion=
//! limit = 4096            # as -fpath-limit=
//! overflow = "cut"        # as -fpath-overflow=
//! table = 4096            # as -fpath-table=
//! callees = 8             # as -fpath-callees=
//! use = "/a/b.weights"    # as -fpath-use=
//! hot = 95                # as -fpath-hot=
//! filter = ["!test_*"]    # as -fpath-filter=, a string or an array
//! jobs = 4                # as PATHCC_JOBS
//! ```
//!
//! Flags and `PATHCC_JOBS` win over the file. `PATHCC_CONFIG` names another file; set but empty it means none.

use crate::flags::{self, Settings};
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The file's name.
const NAME: &str = "pathcc.toml";

/// What a configuration file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The settings that are also flags.
    pub(crate) settings: Settings,
    /// How many compile jobs may run at once.
    pub(crate) jobs: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    mode: Option<Spanned<String>>,
    placement: Option<Spanned<String>>,
    stage: Option<Spanned<String>>,
    threads: Option<Spanned<String>>,
    #[serde(rename = "in-flight")]
    in_flight: Option<Spanned<String>>,
    promotion: Option<Spanned<String>>,
    limit: Option<Spanned<i64>>,
    overflow: Option<Spanned<String>>,
    table: Option<Spanned<i64>>,
    callees: Option<Spanned<i64>>,
    #[serde(rename = "use")]
    weights: Option<Spanned<String>>,
    hot: Option<Spanned<i64>>,
    filter: Option<Spanned<Filter>>,
    jobs: Option<Spanned<i64>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or an array of strings")]
enum Filter {
    One(String),
    Many(Vec<String>),
}

impl Config {
    /// Reads `named` if it is given, else the nearest `pathcc.toml` upwards from `directory`, if there is one.
    ///
    /// # Errors
    /// A file that cannot be read or understood; the message names file and line.
    pub(crate) fn find(named: Option<&Path>, directory: Option<PathBuf>) -> Result<Config> {
        let path = match named {
            Some(path) if path.as_os_str().is_empty() => None,
            Some(path) => Some(path.to_owned()),
            None => directory
                .as_deref()
                .into_iter()
                .flat_map(Path::ancestors)
                .map(|dir| dir.join(NAME))
                .find(|file| file.is_file()),
        };
        let Some(path) = path else { return Ok(Config::default()) };
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Config::parse(&text).map_err(|(line, message)| anyhow!("{}:{line}: {message}", path.display()))
    }

    /// Parses the text of a file; an error is a line, counted from 1, and what is wrong there.
    fn parse(text: &str) -> Result<Config, (usize, String)> {
        let line =
            |span: Range<usize>| 1 + text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count();
        let file: File = toml::from_str(text)
            .map_err(|error| (error.span().map_or(1, line), error.message().lines().collect::<Vec<_>>().join(", ")))?;
        let word = |key: &str, value: Option<Spanned<String>>, check: fn(&str) -> Result<&'static str, String>| {
            value
                .map(|value| {
                    check(value.get_ref()).map_err(|message| (line(value.span()), format!("{key}: {message}")))
                })
                .transpose()
        };
        let limit = file.limit.map(|value| {
            flags::limit(u64::try_from(*value.get_ref()).ok())
                .map_err(|message| (line(value.span()), format!("limit: {message}")))
        });
        let number = |key: &str, value: Option<Spanned<i64>>, check: fn(Option<u32>) -> Result<u32, String>| {
            let checked = |value: Spanned<i64>| {
                check(u32::try_from(*value.get_ref()).ok())
                    .map_err(|message| (line(value.span()), format!("{key}: {message}")))
            };
            value.map(checked).transpose()
        };
        let weights = file.weights.map(|value| {
            flags::weights(value.get_ref()).map_err(|message| (line(value.span()), format!("use: {message}")))
        });
        let filter = file.filter.map(|value| {
            let joined = match value.get_ref() {
                Filter::One(globs) => flags::filter(&globs.split(',').collect::<Vec<_>>()),
                Filter::Many(globs) if globs.is_empty() => Ok(String::new()),
                Filter::Many(globs) => flags::filter(&globs.iter().map(String::as_str).collect::<Vec<_>>()),
            };
            joined.map_err(|message| (line(value.span()), format!("filter: {message}")))
        });
        let jobs = file.jobs.map(|value| {
            checked_jobs(usize::try_from(*value.get_ref()).ok())
                .map_err(|message| (line(value.span()), format!("jobs: {message}")))
        });
        Ok(Config {
            settings: Settings {
                mode: word("mode", file.mode, flags::mode)?,
                placement: word("placement", file.placement, flags::placement)?,
                stage: word("stage", file.stage, flags::stage)?,
                threads: word("threads", file.threads, flags::threads)?,
                in_flight: word("in-flight", file.in_flight, flags::in_flight)?,
                promotion: word("promotion", file.promotion, flags::promotion)?,
                limit: limit.transpose()?,
                overflow: word("overflow", file.overflow, flags::overflow)?,
                table: number("table", file.table, flags::table)?,
                callees: number("callees", file.callees, flags::callees)?,
                hot: number("hot", file.hot, flags::hot)?,
                weights: weights.transpose()?,
                filter: filter.transpose()?,
            },
            jobs: jobs.transpose()?,
        })
    }
}

/// Checks a number of jobs; nothing stands for what was no number.
pub(crate) fn checked_jobs(jobs: Option<usize>) -> Result<usize, String> {
    jobs.filter(|jobs| (1..=4096).contains(jobs)).ok_or_else(|| "expected a number of jobs from 1 to 4096".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match Config::parse(text) {
            Ok(config) => format!("{} jobs={:?}", config.settings.plugin_options().join(" "), config.jobs),
            Err((line, message)) => format!("{line}: {message}"),
        }
    }

    #[test]
    fn a_file_is_read() {
        assert_eq!(shown(""), " jobs=None");
        assert_eq!(shown("mode = 'log'\nlimit = 16\njobs = 3"), "-pathcc-mode=log -pathcc-limit=16 jobs=Some(3)");
        assert_eq!(shown("filter = 'a,!b'"), "-pathcc-filter=a,!b jobs=None");
        assert_eq!(shown("filter = ['a', '!b']"), "-pathcc-filter=a,!b jobs=None");
        assert_eq!(shown("filter = []"), " jobs=None");
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line() {
        assert_eq!(shown("mode = 'paths'\n\nstage = 'soon'"), "3: stage: unknown value 'soon', expected late or early");
        assert_eq!(shown("# x\nlimit = 0"), "2: limit: expected a number of paths from 1 to 4294967296");
        assert_eq!(shown("jobs = -1"), "1: jobs: expected a number of jobs from 1 to 4096");
        assert_eq!(shown("\nfilter = ['a,b']"), "2: filter: 'a,b' is not a glob");
        assert_eq!(shown("\n\nfilter = 3"), "3: expected a string or an array of strings");
        let unknown = shown("mode = 'log'\nmoode = 'log'");
        assert!(unknown.starts_with("2: unknown field `moode`, expected one of"), "{unknown}");
        assert!(shown("mode = 'log'\nstage = ").starts_with("2: "), "{}", shown("mode = 'log'\nstage = "));
        assert!(shown("limit = 'x'").starts_with("1: invalid type"), "{}", shown("limit = 'x'"));
    }

    #[test]
    fn the_nearest_file_upwards_is_used() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let deep = directory.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("directories");
        std::fs::write(directory.path().join(NAME), "jobs = 5").expect("file");
        std::fs::write(directory.path().join("a/other.toml"), "jobs = 6").expect("file");
        let jobs = |named: Option<&Path>| Config::find(named, Some(deep.clone())).expect("readable").jobs;
        assert_eq!(jobs(None), Some(5));
        assert_eq!(jobs(Some(&directory.path().join("a/other.toml"))), Some(6));
        assert_eq!(jobs(Some(Path::new(""))), None);
        let missing = Config::find(Some(&deep.join("none.toml")), None).expect_err("no such file");
        assert!(format!("{missing:#}").contains("none.toml"));
    }
}
