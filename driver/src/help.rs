//! `pathcc --help`: what pathcc adds to clang. Clang's own help follows it.

use crate::role::Language;
use crate::settings::options::{GLOBS, SHOWS, flags, needed};
use crate::settings::setting::Setting;
use crate::settings::values::Values;
use std::fmt::Write;

/// The most characters of a line of the whole help.
const WIDTH: usize = 80;

/// The name of a driver, and the compiler behind it.
fn names(language: Language) -> [&'static str; 2] {
    match language {
        Language::C => ["pathcc", "clang"],
        Language::Cxx => ["pathc++", "clang++"],
        Language::Fortran => ["pathfc", "flang"],
    }
}

/// The text before the options.
fn head(language: Language) -> String {
    let [program, compiler] = names(language);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{program} {version}: {compiler} 22, and the program counts which paths ran through it\n\n"
    )
}

/// The text before the compiler's help. `--version` stays the compiler's own, since build
/// systems take its version from it.
pub(crate) fn text(language: Language) -> String {
    let [_, compiler] = names(language);
    let mut placed: Vec<_> =
        flags().filter_map(|option| Some((option.brief.place?, option))).collect();
    placed.sort_by_key(|(place, _)| *place);
    let with_values = placed
        .iter()
        .map(|(_, option)| (format!("{}{}", option.flag(), option.brief.value), option.brief.text));
    let shows = SHOWS.chunk_by(|a, b| a.brief == b.brief).map(|group| {
        let flags: Vec<_> = group.iter().map(|show| show.flag).collect();
        (flags.join(", "), group[0].brief)
    });
    let line = |(flag, brief): (String, &str)| format!("  {flag:22} {brief}\n");
    let lines: String = with_values.chain(shows).map(line).collect();
    format!(
        "{}pathcc compiles C, pathc++ C++, and pathfc Fortran.\n\
         Run the program, then `pathprof report`. Options of pathcc:\n{lines}\n\
         A project's settings are in `pathcc.toml`. PATHCC_DISABLE=1: plain {compiler}.\n\n\
         Options of {compiler}:\n\n",
        head(language)
    )
}

/// All that there is to say of our own options.
pub(crate) fn whole(language: Language) -> String {
    let mut text = head(language);
    text += "Its own options; the last one of a kind wins. The rest are the compiler's.\n";
    for option in flags() {
        let _ = write!(text, "\n  {}{}\n", option.flag(), option.brief.value);
        facts(option).iter().for_each(|fact| text += &paragraph(fact));
    }
    for show in &SHOWS {
        let _ = write!(text, "\n  {}\n{}", show.flag, paragraph(show.meaning));
    }
    text += "\nGlobs:\n";
    GLOBS.iter().for_each(|sentence| text += &paragraph(sentence));
    text
}

/// The explanation of an option, by paragraphs.
fn facts(option: &Setting) -> Vec<String> {
    let default = &option.default;
    let of_mode = default.in_mode.map(|(mode, value)| format!(", {value} with -fpath-mode={mode}"));
    let words = option.values.words().map(|word| format!("{}: {}", word.text, word.meaning));
    let range = match &option.values {
        Values::Number { range, .. } => Some(format!("{} to {}", range.start(), range.end())),
        _ => None,
    };
    let needed = needed(option);
    let needs = (!needed.is_empty()).then(|| format!("needs {}", needed.join(" or ")));
    let default = format!("default: {}{}", default.text, of_mode.unwrap_or_default());
    let first = [option.meaning.to_owned()].into_iter();
    first.chain(words).chain(range).chain(needs).chain([default]).collect()
}

/// A text in lines, without the backticks of Markdown.
fn paragraph(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.replace('`', "").split_whitespace() {
        let line = lines.last_mut().expect("a line");
        if line.is_empty() {
            *line = format!("      {word}");
        } else if line.chars().count() + 1 + word.chars().count() <= WIDTH {
            *line += " ";
            *line += word;
        } else {
            lines.push(format!("        {word}"));
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal_and_every_option_is_there() {
        for language in [Language::C, Language::Cxx, Language::Fortran] {
            for text in [text(language), whole(language)] {
                assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
                let options: Vec<_> = flags().map(|option| option.flag()).collect();
                let shows = SHOWS.iter().map(|show| show.flag);
                let named = options.iter().map(|flag| flag.trim_end_matches('=')).chain(shows);
                assert!(named.into_iter().all(|flag| text.contains(flag)), "{text}");
                let [program, compiler] = names(language);
                assert!(text.starts_with(program), "{text}");
                assert!(text.contains(&format!(": {compiler} 22")), "{text}");
            }
        }
        let whole = whole(Language::C);
        let words = flags().flat_map(|option| option.values.words());
        assert!(words.map(|word| word.text).all(|word| whole.contains(&format!("      {word}: "))));
    }
}
