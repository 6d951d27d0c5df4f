//! What is known of an option: its names, its values, what it needs, and words about it.

use crate::settings::values::Values;

/// What all flags with a value start with.
pub(crate) const PREFIX: &str = "-fpath-";

/// The place of an option in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// What is counted.
    Mode,
    /// Which blocks are counted.
    Placement,
    /// What a trace holds.
    Trace,
    /// Where a trace begins.
    TraceFrom,
    /// When the pass runs.
    Stage,
    /// How threads count.
    Threads,
    /// Whether counters may be in registers.
    Promotion,
    /// The most paths of a function.
    Limit,
    /// What becomes of paths beyond the limit.
    Overflow,
    /// How many of them there is room for.
    Table,
    /// How many callees of a call are told apart.
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
    /// How many compilations run side by side.
    Jobs,
}

/// How an option is given, if not by its key in `pathcc.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// By the flag `-fpath-NAME=`.
    Flag,
    /// By this environment variable.
    Variable(&'static str),
}

/// What holds if an option is not given.
pub struct Default {
    /// A value; if the option has no such value, what happens instead.
    pub text: &'static str,
    /// Whether it is a value.
    pub is_value: bool,
    /// A mode with another value.
    pub in_mode: Option<(&'static str, &'static str)>,
}

/// What an option needs in order to be given.
pub enum Needed {
    /// One of these modes.
    Modes(&'static [&'static str]),
    /// Another option, with any value.
    Option(Key),
    /// Another option, with this value.
    Value(Key, &'static str),
}

/// That an option needs something.
pub struct Need {
    /// The value with which it needs nothing.
    pub except: Option<&'static str>,
    /// What it needs.
    pub needed: Needed,
    /// What is said otherwise; `{value}` stands for its value and `{mode}` for the mode.
    pub otherwise: &'static str,
}

/// An option, in a few words.
pub struct Brief {
    /// What stands behind `=` for a value.
    pub value: &'static str,
    /// What it is for.
    pub text: &'static str,
    /// Its place in `--help`, which begins with what is used most. Without one, another option's
    /// line tells of it.
    pub place: Option<u8>,
}

/// An option.
pub struct Setting {
    /// Its place in the table.
    pub key: Key,
    /// Its key in `pathcc.toml`, and the end of its flag.
    pub name: &'static str,
    /// How else it is given.
    pub source: Source,
    /// What it takes.
    pub values: Values,
    /// What holds without it.
    pub default: Default,
    /// What it needs.
    pub need: Option<Need>,
    /// In a few words, for `--help` and completions.
    pub brief: Brief,
    /// What it means, in Markdown, for the manual and the documentation.
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
    /// What it shows, in a few words; flags with the same words share a line of `--help`.
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
