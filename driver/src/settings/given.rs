//! The values of the options: those that were given, whether they go together, and what they say
//! to the plugin.

use crate::command_line::CommandLine;
use crate::settings::options::{self, COUNT, HASH, OPTIONS, option};
use crate::settings::setting::{Key, Need, Needed, PREFIX, Setting, Source};
use crate::settings::values::{Values, path_of_weights};
use anyhow::{Result, anyhow, bail};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Options, each as far as it was given. Their values are checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    given: [Option<String>; COUNT],
}

impl Settings {
    /// Reads our own flags from a command line.
    ///
    /// # Errors
    /// An unknown flag, or a value that is not allowed: the message names the flag and what it
    /// takes.
    pub(crate) fn from_words(words: &CommandLine) -> Result<Settings> {
        let mut settings = Settings::default();
        let is_flag = |word: &&OsStr| word.as_bytes().starts_with(PREFIX.as_bytes());
        for word in words.own().filter(is_flag) {
            let text =
                word.to_str().ok_or_else(|| anyhow!("{}: not valid UTF-8", word.display()))?;
            let rest = &text[PREFIX.len()..];
            let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
            let Some(option) = options::flags().find(|option| option.name == name) else {
                bail!("unknown flag '{text}'; pathcc knows {}", known_flags());
            };
            if matches!(option.values, Values::Globs) && !rest.contains('=') {
                bail!("{text}: expected {}GLOB,…", option.flag());
            }
            settings.set(option, value).map_err(|message| anyhow!("{text}: {message}"))?;
        }
        Ok(settings)
    }

    /// Takes the options that are environment variables; `value` has a variable's value, if it is
    /// set.
    ///
    /// # Errors
    /// A value that is not allowed: the message names the variable and what it takes.
    pub(crate) fn from_variables<'a>(
        value: impl Fn(&str) -> Option<&'a OsStr>,
    ) -> Result<Settings> {
        let mut settings = Settings::default();
        for option in &OPTIONS {
            let Source::Variable(name) = option.source else { continue };
            let Some(text) = value(name) else { continue };
            let error = |message| anyhow!("{name}={}: {message}", text.display());
            settings.set(option, &text.to_string_lossy()).map_err(error)?;
        }
        Ok(settings)
    }

    /// Sets an option to the value that a text stands for.
    ///
    /// # Errors
    /// The message names the values that are allowed.
    pub(crate) fn set(&mut self, option: &Setting, text: &str) -> Result<(), String> {
        self.set_checked(option.key, option.values.checked(text)?);
        Ok(())
    }

    /// Sets an option to a value that is checked.
    pub(crate) fn set_checked(&mut self, key: Key, value: String) {
        self.given[key as usize] = Some(value);
    }

    /// The value that an option was given.
    pub(crate) fn given(&self, key: Key) -> Option<&str> {
        self.given[key as usize].as_deref()
    }

    /// The value of an option, or what holds without it.
    fn in_force(&self, key: Key) -> &str {
        self.given(key).unwrap_or_else(|| self.unset(option(key)))
    }

    /// The effect of an option that is not given.
    fn unset(&self, option: &Setting) -> &'static str {
        let default = &option.default;
        let of_mode = default.in_mode.filter(|(mode, _)| self.given(Key::Mode) == Some(mode));
        of_mode.map_or(default.text, |(_, text)| text)
    }

    /// True if an option has this value.
    pub(crate) fn is(&self, key: Key, value: &str) -> bool {
        self.in_force(key) == value
    }

    /// The number that an option has, if it takes numbers and has one.
    pub(crate) fn number<T: std::str::FromStr>(&self, key: Key) -> Option<T> {
        self.in_force(key).parse().ok()
    }

    /// These settings, and where one was not given, that of `other`.
    pub(crate) fn or(self, other: Settings) -> Settings {
        let mut rest = other.given.into_iter();
        Settings { given: self.given.map(|value| value.or(rest.next().flatten())) }
    }

    /// Whether all settings go together. `file` has the file that gives an option.
    ///
    /// # Errors
    /// Two that do not: the message names both, as they are written where the first was given.
    pub(crate) fn check<'a>(&self, file: &dyn Fn(Key) -> Option<&'a Path>) -> Result<()> {
        for option in &OPTIONS {
            let (Some(need), Some(value)) = (&option.need, self.given(option.key)) else {
                continue;
            };
            if need.except != Some(value) && !self.has(need) {
                let message = need.otherwise.replace("{value}", value);
                let message = message.replace("{mode}", self.in_force(Key::Mode));
                match file(option.key) {
                    Some(file) => bail!("{}: {}", file.display(), as_keys(&message)),
                    None => bail!(message),
                }
            }
        }
        Ok(())
    }

    fn has(&self, need: &Need) -> bool {
        match need.needed {
            Needed::Modes(modes) => modes.contains(&self.in_force(Key::Mode)),
            Needed::Option(key) => self.given(key).is_some(),
            Needed::Value(key, value) => self.is(key, value),
        }
    }

    /// The plugin's options that differ from its defaults, in a fixed order (compiler caches
    /// compare command lines).
    pub(crate) fn plugin_options(&self) -> Vec<String> {
        let value = |option: &Setting| match option.key {
            // The plugin knows by the size of the table what becomes of paths beyond the limit.
            Key::Overflow | Key::Jobs => None,
            Key::Table if !self.is(Key::Overflow, HASH) => None,
            Key::Table | Key::Callees => {
                let number = self.number(option.key).filter(|&number: &u32| number > 0)?;
                Some(number.next_power_of_two().to_string())
            }
            _ => self
                .given(option.key)
                .filter(|value| says_something(option, value))
                .map(str::to_owned),
        };
        let written =
            |option: &Setting| Some(format!("-pathcc-{}={}", option.name, value(option)?));
        OPTIONS.iter().filter_map(written).collect()
    }

    /// The value that an option was given, as it is shown.
    pub(crate) fn given_as_shown(&self, option: &Setting) -> Option<&str> {
        let value = self.given(option.key).filter(|value| !value.is_empty())?;
        let is_weights = matches!(option.values, Values::Weights);
        Some(if is_weights { path_of_weights(value) } else { value })
    }

    /// The value in force of an option, as it is shown.
    pub(crate) fn shown(&self, option: &Setting) -> &str {
        self.given_as_shown(option).unwrap_or_else(|| self.unset(option))
    }
}

/// True if a value differs from what holds without it. A list of no globs does not.
fn says_something(option: &Setting, value: &str) -> bool {
    let is_default = option.default.is_value && option.default.text == value;
    !value.is_empty() && !is_default
}

/// A message about flags, about the keys of a file instead.
fn as_keys(message: &str) -> String {
    let key = |word: &str| {
        let Some((name, value)) = word.strip_prefix(PREFIX).and_then(|flag| flag.split_once('='))
        else {
            return word.to_owned();
        };
        let (value, comma) = value.strip_suffix(',').map_or((value, ""), |value| (value, ","));
        match value {
            "" => format!("{name}{comma}"),
            value => format!("{name} = '{value}'{comma}"),
        }
    };
    message.split(' ').map(key).collect::<Vec<_>>().join(" ")
}

/// The flags, as a list in a sentence.
fn known_flags() -> String {
    let mut flags: Vec<_> = options::flags().map(Setting::flag).collect();
    let last = flags.pop().unwrap_or_default();
    format!("{} and {last}", flags.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;

    fn options(line: &str) -> String {
        match Settings::from_words(&words(line))
            .and_then(|settings| settings.check(&|_| None).map(|()| settings))
        {
            Ok(settings) => settings.plugin_options().join(" "),
            Err(error) => format!("{error:#}"),
        }
    }

    #[test]
    fn a_conflict_is_reported_as_it_is_written() {
        let message = |line| {
            let settings = Settings::from_words(&words(line)).expect("values");
            let conflict = settings.check(&|_| Some(Path::new("a/pathcc.toml")));
            conflict.expect_err("a conflict").to_string()
        };
        assert_eq!(
            message("-fpath-placement=patterns"),
            "a/pathcc.toml: placement = 'patterns' chooses the blocks that are counted and needs \
             mode = 'blocks'"
        );
        assert_eq!(
            message("-fpath-table=7"),
            "a/pathcc.toml: table is the size of a table that only overflow = 'hash' has"
        );
        assert!(message("-fpath-hot=7").ends_with("executed: give use = 'FILE', too"));
    }

    #[test]
    fn flags_become_options_of_the_plugin() {
        assert_eq!(options("-c a.c"), "");
        assert_eq!(
            options("-fpath-mode=paths -fpath-stage=auto -fpath-threads=exact -fpath-limit=4096"),
            ""
        );
        assert_eq!(
            options("-fpath-limit=7 -fpath-mode=edges"),
            "-pathcc-mode=edges -pathcc-limit=7"
        );
        assert_eq!(options("-fpath-stage=early -fpath-stage=auto"), "");
        assert!(
            options("-fpath-use=/does/not/exist")
                .starts_with("-fpath-use=/does/not/exist: cannot read")
        );
        assert_eq!(options("-fpath-threads=atomic"), "-pathcc-threads=atomic");
        assert_eq!(options("-fpath-promotion=no"), "-pathcc-promotion=no");
        assert_eq!(
            options("-fpath-mode=blocks -fpath-placement=every-block"),
            "-pathcc-mode=blocks -pathcc-placement=every-block"
        );
        assert_eq!(
            options("-fpath-mode=trace -fpath-trace-from=a::*:03+4"),
            "-pathcc-mode=trace -pathcc-trace-from=a::*:3+4"
        );
        assert_eq!(options("-fpath-filter=a*,!b"), "-pathcc-filter=a*,!b");
        assert_eq!(options("-fpath-filter=a -fpath-filter="), "");
        assert_eq!(options("-fpath-limit=4294967296"), "-pathcc-limit=4294967296");
        assert_eq!(options("-- -fpath-bad"), "");
        assert_eq!(options("-Xclang -fpath-bad"), "");
    }

    #[test]
    fn bad_flags_are_refused_with_a_reason() {
        assert_eq!(
            options("-fpath-mode=x"),
            "-fpath-mode=x: unknown value 'x', expected paths, blocks, edges, calls or trace"
        );
        assert_eq!(
            options("-fpath-mode"),
            "-fpath-mode: no value, expected paths, blocks, edges, calls or trace"
        );
        assert_eq!(
            options("-fpath-placement=every-block"),
            "-fpath-placement=every-block chooses the blocks that are counted and needs \
             -fpath-mode=blocks"
        );
        assert_eq!(
            options("-fpath-mode=blocks -fpath-placement=patterns"),
            "-pathcc-mode=blocks -pathcc-placement=patterns"
        );
        assert_eq!(options("-fpath-mode=calls"), "-pathcc-mode=calls -pathcc-callees=8");
        assert_eq!(options("-fpath-mode=calls -fpath-callees=0"), "-pathcc-mode=calls");
        assert_eq!(options("-fpath-callees=3"), "-pathcc-callees=4");
        assert_eq!(options("-fpath-profile=/x/%e"), "-pathcc-profile=/x/%e");
        assert!(options("-fpath-profile=").starts_with("-fpath-profile=: expected a pattern"));
        assert_eq!(options("-fpath-overflow=cut"), "");
        assert_eq!(options("-fpath-overflow=hash"), "-pathcc-table=4096");
        assert_eq!(options("-fpath-overflow=hash -fpath-table=100"), "-pathcc-table=128");
        assert_eq!(
            options("-fpath-limit=0"),
            "-fpath-limit=0: expected a number of paths from 1 to 4294967296"
        );
        assert_eq!(
            options("-fpath-limit=4294967297"),
            "-fpath-limit=4294967297: expected a number of paths from 1 to 4294967296"
        );
        assert_eq!(
            options("-fpath-table=0"),
            "-fpath-table=0: expected a number of paths from 1 to 65536"
        );
        assert_eq!(
            options("-fpath-callees=x"),
            "-fpath-callees=x: expected a number of callees from 0 to 4096"
        );
        assert_eq!(
            options("-fpath-table=7"),
            "-fpath-table= is the size of a table that only -fpath-overflow=hash has"
        );
        assert_eq!(
            options("-fpath-mode=edges -fpath-overflow=hash"),
            "-fpath-overflow=hash counts paths and cannot be had with -fpath-mode=edges"
        );
        assert_eq!(
            options("-fpath-trace-from=work:3"),
            "-fpath-trace-from=work:3 says where a trace begins and needs -fpath-mode=trace"
        );
        assert_eq!(
            options("-fpath-mode=trace -fpath-trace-from=work"),
            "-fpath-trace-from=work: expected FUNCTION:N or FUNCTION:N+M, such as work:1, with \
             numbers from 1"
        );
        assert_eq!(options("-fpath-hot=0"), "-fpath-hot=0: expected a percentage from 1 to 100");
        assert!(
            options("-fpath-hot=90")
                .starts_with("-fpath-hot= needs to know what an earlier run executed")
        );
        assert_eq!(options("-fpath-filter=a,,b"), "-fpath-filter=a,,b: '' is not a glob");
        assert_eq!(options("-fpath-filter=!"), "-fpath-filter=!: '!' is not a glob");
        assert!(
            options("-fpath-coverage")
                .starts_with("unknown flag '-fpath-coverage'; pathcc knows -fpath-mode=")
        );
    }
}
