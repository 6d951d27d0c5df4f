//! The manual page.

use driver::settings::options::{GLOBS, OPTIONS, SHOWS, VARIABLES, flags, needed};
use driver::settings::setting::{Setting, Source};
use driver::settings::values::Values;
use roff::{Inline, Roff, bold, italic, roman};

/// The page, for `man`.
pub(crate) fn page() -> String {
    let mut page = Roff::new();
    page.control("TH", ["PATHCC", "1"]);
    section(&mut page, "NAME");
    page.text([roman("pathcc, pathc++, pathfc - compile a program that counts which paths ran")]);
    section(&mut page, "SYNOPSIS");
    for program in ["pathcc", "pathc++", "pathfc"] {
        page.text([
            bold(program),
            roman(" [options of pathcc and of the compiler] "),
            italic("file"),
            roman("..."),
        ]);
        page.control("br", []);
    }
    section(&mut page, "DESCRIPTION");
    page.text([
        bold("pathcc"),
        roman(" takes the place of clang 22, "),
        bold("pathc++"),
        roman(" that of clang++ 22 and "),
        bold("pathfc"),
        roman(
            " that of flang 22. They pass the command line on to it. The program that is compiled \
             counts exactly which paths run through it; ",
        ),
        bold("pathprof report"),
        roman(" shows them."),
    ]);
    section(&mut page, "OPTIONS");
    page.text([roman("The last one wins. All other options are the compiler's.")]);
    for option in flags() {
        let value = value(option);
        item(&mut page, [bold(option.flag()), italic(value)]);
        page.text(marked(option.meaning));
        describe(&mut page, option);
    }
    for show in &SHOWS {
        item(&mut page, [bold(show.flag)]);
        page.text(marked(show.meaning));
    }
    section(&mut page, "CONFIGURATION");
    page.text([
        roman("The nearest "),
        bold("pathcc.toml"),
        roman(
            " upwards from the current directory has a project's settings. Flags and variables win \
             over it. Its keys:",
        ),
    ]);
    let mut keys = Vec::new();
    for option in &OPTIONS {
        let end = if option.key == OPTIONS[OPTIONS.len() - 1].key { "." } else { ", " };
        keys.extend([bold(option.name), roman(end)]);
    }
    page.text(keys);
    section(&mut page, "ENVIRONMENT");
    environment(&mut page);
    for option in &OPTIONS {
        let Source::Variable(name) = option.source else { continue };
        item(&mut page, [bold(name)]);
        page.text(marked(option.meaning));
        describe(&mut page, option);
    }
    section(&mut page, "GLOBS");
    for sentence in &GLOBS {
        page.control("PP", []);
        page.text(sentences(sentence));
    }
    section(&mut page, "SEE ALSO");
    page.text([
        bold("ld.pathld"),
        roman("(1), "),
        bold("pathprof"),
        roman("(1), "),
        bold("clang"),
        roman("(1)"),
    ]);
    page.to_roff()
}

/// The page of the linker.
pub(crate) fn page_of_linker() -> String {
    let mut page = Roff::new();
    page.control("TH", ["LD.PATHLD", "1"]);
    section(&mut page, "NAME");
    page.text([roman("ld.pathld - link a program that counts which paths ran")]);
    section(&mut page, "SYNOPSIS");
    page.text([
        bold("ld.pathld"),
        roman(" [options of the linker] "),
        italic("file"),
        roman("..."),
    ]);
    section(&mut page, "DESCRIPTION");
    page.text([
        bold("ld.pathld"),
        roman(" takes the place of the linker. "),
        bold("pathcc"),
        roman(" chooses it; "),
        bold("clang -fuse-ld=pathld"),
        roman(
            " does, too. It makes one more object, which defines the counters of all objects that \
             count and holds the runtime, and calls the real linker with it. It has no options of \
             its own: all are those of the real linker.",
        ),
    ]);
    section(&mut page, "ENVIRONMENT");
    environment(&mut page);
    section(&mut page, "SEE ALSO");
    page.text([
        bold("pathcc"),
        roman("(1), "),
        bold("pathprof"),
        roman("(1), "),
        bold("ld"),
        roman("(1)"),
    ]);
    page.to_roff()
}

/// The environment variables that are no options.
fn environment(page: &mut Roff) {
    page.text([roman(
        "An empty variable counts as not set. A switch is on unless it is 0, no, off or false. The \
         programs of pathcc set the internal variables for each other.",
    )]);
    for (name, value, meaning) in &VARIABLES {
        item(page, [bold(*name), roman(" ("), italic(*value), roman(")")]);
        page.text(marked(meaning));
    }
}

fn section(page: &mut Roff, name: &str) {
    page.control("SH", [name]);
}

/// A term, whose description follows.
fn item<const N: usize>(page: &mut Roff, term: [Inline; N]) {
    page.control("TP", []);
    page.text(term);
}

/// What stands for the value of an option.
fn value(option: &Setting) -> &'static str {
    match option.values {
        Values::Words(_) => "word",
        Values::Number { .. } => "number",
        Values::Weights => "file",
        Values::Pattern => "pattern",
        Values::Globs => "glob,...",
        Values::Part => "function:number",
    }
}

/// The values of an option, and which of them holds without it.
fn describe(page: &mut Roff, option: &Setting) {
    let words: Vec<_> = option.values.words().collect();
    page.control("RS", []);
    for word in &words {
        item(page, [bold(word.text)]);
        page.text(marked(word.meaning));
    }
    page.control("PP", []);
    if let Values::Number { range, .. } = &option.values {
        page.text([roman(format!("From {} to {}.", range.start(), range.end()))]);
    }
    let default = &option.default;
    let of_mode = default.in_mode.map(|(mode, value)| format!(", {value} with mode {mode}"));
    let text = format!("Default: {}{}.", default.text, of_mode.unwrap_or_default());
    page.text([roman(text)]);
    let needed = needed(option);
    if !needed.is_empty() {
        page.text([roman("Needs "), bold(needed.join(" or ")), roman(".")]);
    }
    page.control("RE", []);
}

/// A sentence of what is Markdown; of that only code in backticks is used.
fn marked(text: &str) -> Vec<Inline> {
    let (first, rest) = text.split_at(1);
    sentences(&(first.to_uppercase() + rest + "."))
}

/// Sentences with their full stops, in the same way.
fn sentences(text: &str) -> Vec<Inline> {
    let style = |(place, part)| if place % 2 == 0 { roman(part) } else { bold(part) };
    let parts = text.split('`').map(str::to_owned).enumerate().map(style);
    parts.collect()
}
