//! The tables of options in the documentation.

use driver::settings::options::{OPTIONS, SHOWS, flags, needed};
use driver::settings::setting::{Setting, Source};
use driver::settings::values::Values;

/// Between these lines of a document its table stands.
const MARKERS: [&str; 2] =
    ["<!-- options: made from driver/src/settings/options.rs -->", "<!-- end of options -->"];

/// A document with another table between its markers.
pub(crate) fn put_into(text: &str, table: &str) -> String {
    let [start, end] = MARKERS;
    let (before, rest) = text.split_once(start).expect("a start marker");
    let (_, after) = rest.split_once(end).expect("an end marker");
    format!("{before}{start}\n{table}{end}{after}")
}

/// A flag, as a user meets it.
fn row_of_flag(option: &Setting) -> [String; 5] {
    let meaning = option.meaning.to_owned();
    [code(&option.flag()), values(option), default(option), needs(option), meaning]
}

/// The table of the flags.
pub(crate) fn flags_of_pathcc() -> String {
    let shows = SHOWS.iter().map(|show| {
        let [values, default, needs] = [""; 3].map(str::to_owned);
        [code(show.flag), values, default, needs, show.meaning.to_owned()]
    });
    let rows = flags().map(row_of_flag).chain(shows);
    table(["option", "values", "default", "needs", "meaning"], rows)
}

/// The table of the keys of `pathcc.toml`.
pub(crate) fn keys() -> String {
    let row = |option: &Setting| {
        let winner = match option.source {
            Source::Flag => option.flag(),
            Source::Variable(name) => name.to_owned(),
        };
        let text = match option.values {
            Values::Number { .. } => "number",
            Values::Globs => "string, or array of strings",
            _ => "string",
        };
        [code(option.name), text.to_owned(), default(option), code(&winner)]
    };
    table(["key", "type", "default", "what wins over it"], OPTIONS.iter().map(row))
}

fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let line = |cells: [String; N]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(N));
    line(heads.map(str::to_owned)) + &rule + &rows.map(line).collect::<String>()
}

/// What an option takes.
fn values(option: &Setting) -> String {
    match &option.values {
        Values::Words(_) => {
            option.values.words().map(|word| code(word.text)).collect::<Vec<_>>().join(", ")
        }
        Values::Number { range, .. } => format!("{} to {}", range.start(), range.end()),
        Values::Weights => "a file".to_owned(),
        Values::Pattern => "a pattern".to_owned(),
        Values::Globs => "globs, separated by commas".to_owned(),
        Values::Part => "a glob and a number".to_owned(),
    }
}

fn default(option: &Setting) -> String {
    let default = &option.default;
    let text = if default.is_value { code(default.text) } else { default.text.to_owned() };
    let of_mode = default.in_mode.map(|(mode, value)| format!(", {} with `{mode}`", code(value)));
    text + &of_mode.unwrap_or_default()
}

/// What an option needs.
fn needs(setting: &Setting) -> String {
    needed(setting).iter().map(|flag| code(flag)).collect::<Vec<_>>().join(", ")
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
