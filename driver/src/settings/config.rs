//! `pathcc.toml`: a project's settings, in the nearest directory upwards from the current one.
//!
//! Its keys are the names in the [table of options](crate::settings::options). A filter may also be
//! an array of globs.
//!
//! Flags and variables win over the file. `PATHCC_CONFIG` names another file, or `off` for none.
//!
//! A file that is found is obeyed only if it is the user's or root's and nobody else can write it
//! ([`Trust`]); the search goes on above it. A file that is named is obeyed whoever wrote it.
//! Either must be a regular file of at most a mebibyte.

use crate::environment::ConfigChoice;
use crate::regular_file::{self, RegularFile};
use crate::settings::given::Settings;
use crate::settings::options::OPTIONS;
use crate::settings::setting::Setting;
use crate::settings::trust::Trust;
use crate::settings::values::{self, Values};
use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// The file's name.
const NAME: &str = "pathcc.toml";

/// No file is larger.
const MOST_BYTES: u64 = 1 << 20;

/// The content of a configuration file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// The file, if there is one.
    pub(crate) file: Option<PathBuf>,
    /// Files that were found and not obeyed, and why.
    pub(crate) refused: Vec<(PathBuf, String)>,
    /// The options that it gives.
    pub(crate) settings: Settings,
}

/// An option, and the value that a file gives it, with its place.
type Entry = (&'static Setting, Spanned<Value>);

/// The entries of a file.
struct File(Vec<Entry>);

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(file: D) -> Result<Self, D::Error> {
        file.deserialize_map(Entries)
    }
}

/// Reads the entries.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = File;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut file: A) -> Result<File, A::Error> {
        let mut entries = Vec::new();
        while let Some(option) = file.next_key_seed(Name)? {
            entries.push((option, file.next_value()?));
        }
        // Errors are reported in the order of the table.
        entries.sort_by_key(|(option, ..)| option.key);
        Ok(File(entries))
    }
}

/// Reads the name of an option.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = &'static Setting;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = &'static Setting;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("the name of an option")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let known = OPTIONS.iter().find(|option| option.name == name);
        let names = || OPTIONS.iter().map(|option| option.name).collect::<Vec<_>>().join(", ");
        known.ok_or_else(|| E::custom(format!("unknown key '{name}', expected {}", names())))
    }
}

impl Config {
    /// Reads what `choice` names, else the nearest `pathcc.toml` upwards from `directory` that is
    /// to be obeyed.
    ///
    /// # Errors
    /// A file that cannot be read or understood; the message names file and line.
    pub(crate) fn find(
        choice: Option<&ConfigChoice>,
        directory: Option<&Path>,
        trust: &Trust,
    ) -> Result<Config> {
        match choice {
            Some(ConfigChoice::Nothing) => return Ok(Config::default()),
            Some(ConfigChoice::File(path)) => {
                let text = regular_file::read(path, MOST_BYTES);
                return Config::of(
                    path,
                    text.with_context(|| format!("cannot read {}", path.display()))?,
                );
            }
            None => {}
        }
        let mut refused = Vec::new();
        for path in
            directory.into_iter().flat_map(Path::ancestors).map(|directory| directory.join(NAME))
        {
            let read = |file: RegularFile| match trust.objection(&path, &file.metadata) {
                Some(objection) => Err(objection),
                None => file.read(MOST_BYTES).map_err(|error| error.to_string()),
            };
            match RegularFile::open(&path) {
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
        let text =
            String::from_utf8(text).with_context(|| format!("cannot read {}", path.display()))?;
        let config = Config::parse(&text)
            .map_err(|(line, message)| anyhow!("{}:{line}: {message}", path.display()))?;
        Ok(Config { file: Some(path.to_owned()), ..config })
    }

    /// Parses the text of a file; an error is a line, counted from 1, and what is wrong there.
    fn parse(text: &str) -> Result<Config, (usize, String)> {
        let line = |span: Range<usize>| {
            1 + text.as_bytes().iter().take(span.start).filter(|byte| **byte == b'\n').count()
        };
        let file: File = toml::from_str(text).map_err(|error| {
            (error.span().map_or(1, line), error.message().lines().collect::<Vec<_>>().join(", "))
        })?;
        let mut settings = Settings::default();
        for (option, value) in file.0 {
            let error = |message| (line(value.span()), format!("{}: {message}", option.name));
            set(&mut settings, option, value.get_ref()).map_err(error)?;
        }
        Ok(Config { settings, ..Config::default() })
    }
}

/// Sets an option to a value of the file.
fn set(settings: &mut Settings, option: &Setting, value: &Value) -> Result<(), String> {
    match (&option.values, value) {
        (Values::Number { .. }, Value::Integer(number)) => {
            settings.set(option, &number.to_string())
        }
        // No number is empty, so the error names the range.
        (Values::Number { .. }, _) => settings.set(option, ""),
        (Values::Globs, Value::Array(list)) => {
            let globs: Option<Vec<_>> = list.iter().map(Value::as_str).collect();
            settings.set_checked(option.key, joined(&globs.ok_or(NO_GLOBS)?)?);
            Ok(())
        }
        (_, Value::String(text)) => settings.set(option, text),
        (Values::Globs, _) => Err(NO_GLOBS.into()),
        // The errors name the words that are allowed.
        (Values::Words(_), Value::Integer(number)) => settings.set(option, &number.to_string()),
        (Values::Words(_), Value::Boolean(word)) => settings.set(option, &word.to_string()),
        (Values::Words(_) | Values::Weights | Values::Pattern | Values::Part, _) => {
            Err("expected a string".into())
        }
    }
}

const NO_GLOBS: &str = "expected a string or an array of strings";

fn joined(globs: &[&str]) -> Result<String, String> {
    if globs.is_empty() { Ok(String::new()) } else { values::globs(globs) }
}

/// True if there is no such file, as far as we can see.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::setting::Key;
    use std::os::unix::fs::PermissionsExt;

    fn jobs_of(config: &Config) -> Option<u32> {
        config.settings.number(Key::Jobs)
    }

    fn shown(text: &str) -> String {
        match Config::parse(text) {
            Ok(config) => format!(
                "{} jobs={:?}",
                config.settings.plugin_options().join(" "),
                jobs_of(&config)
            ),
            Err((line, message)) => format!("{line}: {message}"),
        }
    }

    #[test]
    fn a_file_is_read() {
        assert_eq!(shown(""), " jobs=None");
        assert_eq!(
            shown("mode = 'edges'\nlimit = 16\njobs = 3"),
            "-pathcc-mode=edges -pathcc-limit=16 jobs=Some(3)"
        );
        assert_eq!(shown("filter = 'a,!b'"), "-pathcc-filter=a,!b jobs=None");
        assert_eq!(shown("filter = ['a', '!b']"), "-pathcc-filter=a,!b jobs=None");
        assert_eq!(shown("filter = []"), " jobs=None");
        assert_eq!(shown("profile = 'x/'"), "-pathcc-profile=x/ jobs=None");
    }

    #[test]
    fn a_bad_file_is_refused_with_its_line() {
        assert_eq!(
            shown("mode = 'paths'\n\nstage = 'soon'"),
            "3: stage: unknown value 'soon', expected auto, late, early or machine"
        );
        assert_eq!(
            shown("# x\nlimit = 0"),
            "2: limit: expected a number of paths from 1 to 4294967296"
        );
        assert_eq!(shown("jobs = -1"), "1: jobs: expected a number of jobs from 1 to 4096");
        assert_eq!(shown("\nfilter = ['a,b']"), "2: filter: 'a,b' is not a glob");
        assert_eq!(shown("\n\nfilter = 3"), "3: filter: expected a string or an array of strings");
        let unknown = shown("mode = 'edges'\nmoode = 'log'");
        assert!(unknown.starts_with("2: unknown key 'moode', expected mode, "), "{unknown}");
        assert!(
            shown("mode = 'edges'\nstage = ").starts_with("2: "),
            "{}",
            shown("mode = 'edges'\nstage = ")
        );
        let refused = "1: limit: expected a number of paths from 1 to 4294967296";
        for value in ["'x'", "1.5", "[1]", "true"] {
            assert_eq!(shown(&format!("limit = {value}")), refused);
        }
        assert_eq!(shown("mode = 3").split(',').next(), Some("1: mode: unknown value '3'"));
        assert_eq!(
            shown("promotion = true"),
            "1: promotion: unknown value 'true', expected auto, yes or no"
        );
        assert_eq!(shown("stage = ['late']"), "1: stage: expected a string");
        assert_eq!(shown("profile = 3"), "1: profile: expected a string");
        assert!(shown("filter = ['a', 3]").starts_with("1: filter: expected a string or an array"));
    }

    #[test]
    fn the_nearest_file_upwards_is_used() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let deep = directory.path().join("a/b");
        std::fs::create_dir_all(&deep).expect("directories");
        std::fs::write(directory.path().join(NAME), "jobs = 5").expect("file");
        std::fs::write(directory.path().join("a/other.toml"), "jobs = 6").expect("file");
        let find = |choice: Option<ConfigChoice>| {
            Config::find(choice.as_ref(), Some(&deep), &Trust::of_process())
        };
        let jobs = |choice| jobs_of(&find(choice).expect("readable"));
        assert_eq!(jobs(None), Some(5));
        assert_eq!(jobs(Some(ConfigChoice::File(directory.path().join("a/other.toml")))), Some(6));
        assert_eq!(jobs(Some(ConfigChoice::Nothing)), None);
        let missing =
            find(Some(ConfigChoice::File(deep.join("none.toml")))).expect_err("no such file");
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
            (jobs_of(&config), config.refused.into_iter().map(|(_, why)| why).collect::<Vec<_>>())
        };
        let mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours")
        };
        std::fs::write(&path, "jobs = 6").expect("file");
        mode(0o644);
        assert_eq!(found(), (Some(6), vec![]));
        mode(0o666);
        assert_eq!(found(), (Some(5), vec!["everybody can write it".into()]));
        mode(0o600);
        std::fs::File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(3 << 30))
            .expect("a sparse file");
        assert_eq!(found(), (Some(5), vec!["it is larger than 1 MiB".into()]));
        std::fs::remove_file(&path).expect("ours");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("a pipe");
        assert_eq!(found(), (Some(5), vec!["it is not a regular file".into()]));
        std::fs::remove_file(&path).expect("ours");
        assert_eq!(found(), (Some(5), vec![]));
    }
}
