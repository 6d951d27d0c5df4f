//! An option: its names, its values, the options that it needs, and its explanation.

use crate::settings::values::Values;

/// The prefix of all flags with a value.
pub(crate) const PREFIX: &str = "-fpath-";

/// The place of an option in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The things that are counted.
    Mode,
    /// Which blocks are counted.
    Placement,
    /// The content of a trace.
    Trace,
    /// Where a trace begins.
    TraceFrom,
    /// When the pass runs.
    Stage,
    /// The way in which threads count.
    Threads,
    /// Whether counters may be in registers.
    Promotion,
    /// The most paths of a function.
    Limit,
    /// The treatment of paths beyond the limit.
    Overflow,
    /// The room for them.
    Table,
    /// The number of callees that are counted apart, for each call.
    Callees,
    /// The file with the weights of edges.
    Use,
    /// The share of instructions that is counted.
    Hot,
    /// Where profiles go.
    Profile,
    /// Which functions are counted.
    Filter,
    /// Whether reports have the intermediate language.
    Ir,
    /// The number of compilations that run side by side.
    Jobs,
}

/// The way to give an option outside of `pathcc.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The flag `-fpath-NAME=`.
    Flag,
    /// This environment variable.
    Variable(&'static str),
}

/// The effect of an option that is not given.
pub struct Default {
    /// A value; if the option has no such value, what happens instead.
    pub text: &'static str,
    /// True if it is a value.
    pub is_value: bool,
    /// A mode with another value.
    pub in_mode: Option<(&'static str, &'static str)>,
}

/// A setting without which an option is refused.
pub enum Needed {
    /// One of these modes.
    Modes(&'static [&'static str]),
    /// Another option, with any value.
    Option(Key),
    /// Another option, with this value.
    Value(Key, &'static str),
}

/// A condition of an option.
pub struct Need {
    /// The value with which it needs nothing.
    pub except: Option<&'static str>,
    /// The setting that it needs.
    pub needed: Needed,
    /// The message if it is not there; `{value}` stands for the option's value and `{mode}` for the
    /// mode.
    pub otherwise: &'static str,
}

/// An option, in a few words.
pub struct Brief {
    /// The word for a value, behind `=`.
    pub value: &'static str,
    /// Its purpose.
    pub text: &'static str,
    /// Its place in `--help`, which begins with what is used most. Without one, another option's
    /// line names it.
    pub place: Option<u8>,
}

/// An option.
pub struct Setting {
    /// Its place in the table.
    pub key: Key,
    /// Its key in `pathcc.toml`, and the end of its flag.
    pub name: &'static str,
    /// Its flag or its variable.
    pub source: Source,
    /// The values that it takes.
    pub values: Values,
    /// The effect without it.
    pub default: Default,
    /// Its condition.
    pub need: Option<Need>,
    /// In a few words, for `--help` and completions.
    pub brief: Brief,
    /// Its meaning, in Markdown, for the manual and the documentation.
    pub meaning: &'static str,
}

impl Setting {
    /// Its flag, up to the value.
    pub fn flag(&self) -> String {
        format!("{PREFIX}{}=", self.name)
    }
}

/// An option that shows something, so that nothing is compiled.
pub struct Show {
    /// Its flag.
    pub flag: &'static str,
    /// The thing that it shows, in a few words; flags with the same words share a line of `--help`.
    pub brief: &'static str,
    /// The same for the manual and the documentation.
    pub meaning: &'static str,
}

pub(crate) const fn value(text: &'static str) -> Default {
    Default { text, is_value: true, in_mode: None }
}

pub(crate) const fn described(text: &'static str) -> Default {
    Default { text, is_value: false, in_mode: None }
}

pub(crate) const fn brief(place: u8, value: &'static str, text: &'static str) -> Brief {
    Brief { value, text, place: Some(place) }
}

pub(crate) const fn number(lowest: u64, highest: u64, what: &'static str) -> Values {
    Values::Number { range: lowest..=highest, what }
}
