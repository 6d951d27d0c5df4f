//! `pathcc.toml`: a project's settings, in the nearest directory upwards from the current one.
//!
//! ```toml
//! mode = "paths"          # as -fpath-mode=
//! placement = "…"         # as -fpath-placement=
//! stage = "late"          # as -fpath-stage=
//! threads = "exact"       # as -fpath-threads=
//! promotion = "yes"       # as -fpath-promotion=
//! limit = 4096            # as -fpath-limit=
//! overflow = "cut"        # as -fpath-overflow=
//! table = 4096            # as -fpath-table=
//! callees = 8             # as -fpath-callees=
//! use = "/a/b.weights"    # as -fpath-use=
//! hot = 95                # as -fpath-hot=
//! profile = "/tmp/%e"     # as -fpath-profile=
//! filter = ["!test_*"]    # as -fpath-filter=, a string or an array
//! jobs = 4                # as PATHCC_JOBS
//! ```
//!
//! Flags and `PATHCC_JOBS` win over the file. `PATHCC_CONFIG` names another file, or `off` for none.
//!
//! A file that is found is obeyed only if it is the user's or root's and nobody else can write it ([`Trust`]); the search
//! goes on above it. A file that is named is obeyed whoever wrote it. Either must be a regular file of at most a mebibyte.

use crate::environment::ConfigChoice;
use crate::flags::{self, Settings};
use crate::regular::{self, Regular};
use crate::trust::Trust;
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The file's name.
const NAME: &str = "pathcc.toml";

/// No file is larger.
const MOST_BYTES: u64 = 1 << 20;

/// What a configuration file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The file, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Files that were found and not obeyed, and why.
    pub(crate) refused: Vec<(PathBuf, String)>,
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
    promotion: Option<Spanned<String>>,
    limit: Option<Spanned<i64>>,
    overflow: Option<Spanned<String>>,
    table: Option<Spanned<i64>>,
    callees: Option<Spanned<i64>>,
    #[serde(rename = "use")]
    weights: Option<Spanned<String>>,
    hot: Option<Spanned<i64>>,
    profile: Option<Spanned<String>>,
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
    /// Reads what `choice` names, else the nearest `pathcc.toml` upwards from `directory` that is to be obeyed.
    ///
    /// # Errors
    /// A file that cannot be read or understood; the message names file and line.
    pub(crate) fn find(choice: Option<&ConfigChoice>, directory: Option<&Path>, trust: &Trust) -> Result<Config> {
        match choice {
            Some(ConfigChoice::Nothing) => return Ok(Config::default()),
            Some(ConfigChoice::File(path)) => {
                let text = regular::read(path, MOST_BYTES);
                return Config::of(path, text.with_context(|| format!("cannot read {}", path.display()))?);
            }
            None => {}
        }
        let mut refused = Vec::new();
        for path in directory.into_iter().flat_map(Path::ancestors).map(|directory| directory.join(NAME)) {
            let read = |file: Regular| match trust.objection(&path, &file.metadata) {
                Some(objection) => Err(objection),
                None => file.read(MOST_BYTES).map_err(|error| error.to_string()),
            };
            match Regular::open(&path) {
                Err(error) if is_missing(&error) => continue,
                opened => match opened.map_err(|error| error.to_string()).and_then(read) {
                    Ok(text) => return Ok(Config { refused, ..Config::of(&path, text)? }),
                    Err(objection) => refused.push((path, objection)),
                },
            }
        }
        Ok(Config { refused, ..Config::default() })
    }

    fn of(path: &Path, text: Vec<u8>) -> Result<Config> {
        let text = String::from_utf8(text).with_context(|| format!("cannot read {}", path.display()))?;
        let config = Config::parse(&text).map_err(|(line, message)| anyhow!("{}:{line}: {message}", path.display()))?;
        Ok(Config { file: Some(path.to_owned()), ..config })
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
        let profile = file.profile.map(|value| {
            flags::profile(value.get_ref()).map_err(|message| (line(value.span()), format!("profile: {message}")))
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
                promotion: word("promotion", file.promotion, flags::promotion)?,
                limit: limit.transpose()?,
                overflow: word("overflow", file.overflow, flags::overflow)?,
                table: number("table", file.table, flags::table)?,
                callees: number("callees", file.callees, flags::callees)?,
                hot: number("hot", file.hot, flags::hot)?,
                weights: weights.transpose()?,
                profile: profile.transpose()?,
                filter: filter.transpose()?,
            },
            jobs: jobs.transpose()?,
            ..Config::default()
        })
    }
}

/// Whether there is no such file, as far as we can see.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Checks a number of jobs; nothing stands for what was no number.
pub(crate) fn checked_jobs(jobs: Option<usize>) -> Result<usize, String> {
    jobs.filter(|jobs| (1..=4096).contains(jobs)).ok_or_else(|| "expected a number of jobs from 1 to 4096".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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
        assert_eq!(shown("profile = 'x/'"), "-pathcc-profile=x/ jobs=None");
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
        let find = |choice: Option<ConfigChoice>| Config::find(choice.as_ref(), Some(&deep), &Trust::of_process());
        let jobs = |choice| find(choice).expect("readable").jobs;
        assert_eq!(jobs(None), Some(5));
        assert_eq!(jobs(Some(ConfigChoice::File(directory.path().join("a/other.toml")))), Some(6));
        assert_eq!(jobs(Some(ConfigChoice::Nothing)), None);
        let missing = find(Some(ConfigChoice::File(deep.join("none.toml")))).expect_err("no such file");
        assert!(format!("{missing:#}").contains("none.toml"));
    }

    #[test]
    fn a_file_that_others_could_have_written_is_passed_by() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let deep = directory.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("directories");
        std::fs::write(directory.path().join(NAME), "jobs = 5").expect("file");
        let path = directory.path().join("a").join(NAME);
        let found = || {
            let config = Config::find(None, Some(&deep), &Trust::of_process()).expect("readable");
            assert!(config.refused.iter().all(|(refused, _)| *refused == path));
            (config.jobs, config.refused.into_iter().map(|(_, why)| why).collect::<Vec<_>>())
        };
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");
        std::fs::write(&path, "jobs = 6").expect("file");
        mode(0o644);
        assert_eq!(found(), (Some(6), vec![]));
        mode(0o666);
        assert_eq!(found(), (Some(5), vec!["everybody can write it".into()]));
        mode(0o600);
        std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(3 << 30)).expect("a sparse file");
        assert_eq!(found(), (Some(5), vec!["it is larger than 1 MiB".into()]));
        std::fs::remove_file(&path).expect("ours");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .expect("a pipe");
        assert_eq!(found(), (Some(5), vec!["it is not a regular file".into()]));
        std::fs::remove_file(&path).expect("ours");
        assert_eq!(found(), (Some(5), vec![]));
    }
}
