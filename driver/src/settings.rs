//! The settings of a command: what its flags say, then what variables say, then `pathcc.toml`.
//!
//! The files, in reading order:
//!
//! * [`setting`] the parts of a setting
//! * [`values`] the kinds of values, and their checks
//! * [`options`] the table of all settings
//! * `given` the values that one source gives, and what they mean for the plugin
//! * `config` those in `pathcc.toml`
//! * `trust` the owners whose files are obeyed

pub(crate) mod config;
pub(crate) mod given;
pub mod options;
pub mod setting;
mod trust;
pub mod values;

use crate::command_line::CommandLine;
use crate::environment::Environment;
use anyhow::Result;
use pathformat::variables::CONFIG;
use std::path::PathBuf;

use self::config::Config;
use self::given::Settings;
use self::trust::Trust;

/// The settings, by where they come from.
pub(crate) struct LayeredSettings {
    pub(crate) flags: Settings,
    pub(crate) variables: Settings,
    pub(crate) config: Config,
    /// All of them: flags win over variables, and variables over the file.
    pub(crate) all: Settings,
}

impl LayeredSettings {
    /// Reads all sources.
    ///
    /// # Errors
    /// A value is not allowed, two settings exclude each other, or the file cannot be read.
    pub(crate) fn read(words: &CommandLine, environment: &Environment) -> Result<Self> {
        let flags = Settings::from_words(words)?;
        let config = Config::find(
            environment.config.as_ref(),
            std::env::current_dir().ok().as_deref(),
            &Trust::of_process(),
        )?;
        let variables = Settings::from_variables(|name| environment.option(name))?;
        let all = flags.clone().or(variables.clone()).or(config.settings.clone());
        all.check(&|key| {
            let is_in_file = flags.given(key).is_none() && variables.given(key).is_none();
            config.file.as_deref().filter(|_| is_in_file)
        })?;
        Ok(Self { flags, variables, config, all })
    }

    /// A warning for each file that is not obeyed.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warning = |(path, why): &(PathBuf, String)| {
            format!("{} is ignored: {why}; to use it anyway, set {CONFIG} to it", path.display())
        };
        self.config.refused.iter().map(warning).collect()
    }
}
