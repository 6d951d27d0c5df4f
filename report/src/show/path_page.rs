//! One path as the text of its source: each line that it went through, and behind each decision the
//! number of times that control went that way.

use std::collections::HashMap;
use std::fmt::Write;

use counts::model::{Function, Path, Report, Start};
use counts::path_text::{self, Choice, PathText, Step, Wording};
use owo_colors::OwoColorize;
use profile::source::Source;

use crate::show::cell_text::wrapped;
use crate::show::code::Line;
use crate::show::forms::behind;
use crate::show::style::{grouped, percent, plural};

/// The page of a path of a function.
pub struct Page<'a> {
    /// The report on the profiles.
    pub report: &'a Report,
    /// The function.
    pub function: &'a Function,
    /// The path.
    pub path: &'a Path,
    /// The number of the path among the executed ones of the function.
    pub rank: usize,
    /// The wording of the path.
    pub wording: Wording<'a>,
    /// The text of source files by their names in the function's locations.
    pub sources: &'a HashMap<String, Option<Source>>,
    /// The largest width of the heading; `None` if it is unlimited.
    pub width: Option<usize>,
}

impl Page<'_> {
    /// Returns the page as text with styles.
    pub fn text(&self) -> String {
        let words = path_text::texts(self.function, self.wording, &[self.path]);
        let Some(words) = words.first() else { return String::new() };
        let mut text = self.heading();
        let (headings, labels) = labels(words);
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
        let width = width.max(4);
        let mut pieces = Vec::with_capacity(words.steps.len());
        for (index, (step, heading)) in words.steps.iter().zip(headings).enumerate() {
            let mut text = String::new();
            if let Some((stack, file)) = heading {
                let _ = writeln!(text, "\n  {}  {}", stack.cyan().bold(), file.dimmed());
            }
            self.step(step, &labels[index], &target(words, index), width, &mut text);
            pieces.push(text);
        }
        text += &without_repetitions(words, &pieces, width);
        if words.steps.last().is_none_or(|last| last.choice.is_none()) {
            let _ = writeln!(text, "  {:width$} {} → {}", "", "│".dimmed(), words.end());
        }
        text
    }

    /// Returns the lines above it: how often the path ran, and what it is.
    pub(crate) fn heading(&self) -> String {
        let Self { report, function, path, rank, .. } = self;
        let share = percent(path.executed(), report.executed());
        let runs: u128 = function.paths.iter().fold(0, |sum, path| sum.saturating_add(path.count));
        let start = match path.start {
            Start::Entry => "from the entry",
            Start::Loop => "from the header of a loop",
            Start::Resume => "from behind a call",
            Start::Cut => "from behind an edge that is cut",
        };
        let name = format!("{}#{rank}", function.demangled);
        let times =
            if path.count == 1 { "once".into() } else { format!("{} times", grouped(path.count)) };
        let of_paths = percent(path.count, runs);
        let how_often = format!(
            "{times}, {of_paths} of the paths that the function took, {share} of all executed \
             instructions"
        );
        let what = format!(
            "{start}, {}, {}",
            plural(path.blocks.len(), "basic block"),
            plural(usize::try_from(path.instructions).unwrap_or(usize::MAX), "instruction"),
        );
        let name = name.bold().to_string();
        let lines = [behind(&name, &format!(" {how_often}"), self.width)];
        lines.into_iter().chain(wrapped(&what, self.width)).map(|line| line + "\n").collect()
    }

    fn step(&self, step: &Step<'_>, label: &str, target: &str, width: usize, text: &mut String) {
        let source = step.location.and_then(|at| {
            self.sources.get(&at.file).and_then(Option::as_ref).map(|file| file.line(at.line))
        });
        let code = Line::new(source.unwrap_or_default().trim_end()).text;
        let folded = step.folded();
        let folded = if folded.is_empty() { folded } else { format!("  {}", folded.dimmed()) };
        let _ = writeln!(text, "  {:>width$} {} {code}{folded}", label.dimmed(), "│".dimmed());
        let Some(choice) = &step.choice else { return };
        let word = choice.word().map(|word| format!("{word}, ")).unwrap_or_default();
        let arrow = match choice {
            Choice::Throw => "└→".red().to_string(),
            _ => "└→".yellow().to_string(),
        };
        let _ = writeln!(
            text,
            "  {:width$} {} {arrow} {word}{target}{}",
            "",
            "│".dimmed(),
            self.how_often(step)
        );
    }

    /// Returns the number of times that control went this way: `, 29 of 39 times`.
    fn how_often(&self, step: &Step<'_>) -> String {
        let taken = step.taken.and_then(|edge| {
            let count = self.function.edge_counts[edge]?;
            let from = self.function.shape.edges[edge].from;
            Some((count, self.function.block_counts[from as usize]))
        });
        taken.map_or_else(String::new, |(count, all)| {
            format!(", {} of {} times", grouped(count), grouped(all)).dimmed().to_string()
        })
    }
}

/// Functions with their file, at the step where they begin.
type Heading<'a> = Option<(String, &'a str)>;

/// Returns the heading above each step, and the label before it: its line, with its file if that is
/// not the one in the heading.
fn labels<'a>(words: &'a PathText<'_>) -> (Vec<Heading<'a>>, Vec<String>) {
    let (mut before, mut file) = (String::new(), "");
    let label = |step: &'a Step<'_>| {
        let stack = step.stack.join(" › ");
        let mut heading = None;
        if before != stack && !stack.is_empty() {
            file = step.location.map_or("", |at| &at.file);
            heading = Some((stack.clone(), path_text::base_name(file)));
            before = stack;
        }
        let label = match step.location {
            None => step.place(),
            Some(at) if at.file == file => at.line.to_string(),
            Some(at) => format!("{}:{}", path_text::base_name(&at.file), at.line),
        };
        (heading, label)
    };
    words.steps.iter().map(label).unzip()
}

/// Returns the steps as text, those of an unrolled loop once. Code that several calls of one line
/// inline is not a repetition.
fn without_repetitions(words: &PathText<'_>, pieces: &[String], width: usize) -> String {
    let calls = words.steps.iter().map(|step| step.location.and_then(|at| at.inlined_at));
    let places: Vec<_> = calls.zip(pieces).collect();
    let mut text = String::new();
    let mut rest = places.as_slice();
    while !rest.is_empty() {
        let repeats = |&length: &usize| rest[..length] == rest[length..2 * length];
        let length = (1..=rest.len() / 2).find(repeats).unwrap_or(1);
        let times = rest.chunks(length).take_while(|&chunk| *chunk == rest[..length]).count();
        rest[..length].iter().for_each(|(_, piece)| text += piece);
        if times > 1 {
            let more = match times - 1 {
                1 => "once more".into(),
                more => format!("{} times more", grouped(more as u128)),
            };
            let said = format!("the same {more}: the loop is unrolled");
            let _ = writeln!(text, "  {:width$} {} {}", "", "│".dimmed(), said.dimmed());
        }
        rest = &rest[length * times..];
    }
    text
}

/// Returns the target of a step: the next step, with its function if that is another, or the end.
fn target(words: &PathText<'_>, index: usize) -> String {
    let Some(next) = words.steps.get(index + 1) else { return words.end() };
    match next.stack.last() {
        Some(function) if next.stack != words.steps[index].stack => {
            format!("{function}:{}", next.place())
        }
        _ => next.place(),
    }
}

#[cfg(test)]
mod tests {
    use counts::path_ranks::ranked;

    use super::*;
    use crate::sample;

    fn page(function: usize, sources: &HashMap<String, Option<Source>>) -> String {
        let report = sample::report();
        let function = &report.functions[function];
        let page = Page {
            report: &report,
            function,
            path: ranked(function)[0],
            rank: 1,
            wording: Wording::default(),
            sources,
            width: None,
        };
        anstream::adapter::strip_str(&page.text()).to_string()
    }

    #[test]
    fn a_path_is_the_text_of_its_lines() {
        let lines = (1..=40).map(|line| format!("\tcode of line {line};")).collect();
        let source = Source { lines, changed: None };
        let sources = HashMap::from([("src/main.c".to_string(), Some(source))]);
        insta::assert_snapshot!("path-page", page(0, &sources));
    }

    #[test]
    fn a_line_of_another_file_says_so() {
        let mut report = sample::report();
        let mut locations = report.functions[0].shape.locations.iter_mut();
        let merged = locations.find(|at| at.line == 16).expect("a line of its");
        merged.file = "include/merged.h".into();
        let function = &report.functions[0];
        let path = ranked(function)[0];
        let wording = Wording::default();
        let page = Page {
            report: &report,
            function,
            path,
            rank: 1,
            wording,
            sources: &HashMap::new(),
            width: Some(60),
        };
        let text = anstream::adapter::strip_str(&page.text()).to_string();
        assert!(text.lines().take(3).all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("\n           13 │"), "{text}");
        assert!(text.contains("\n  merged.h:16 │"), "{text}");
        assert!(text.contains("\n           12 │"), "{text}");
    }

    #[test]
    fn what_an_unrolled_loop_repeats_stands_once() {
        let report = sample::report();
        let function = &report.functions[0];
        let path = ranked(function)[0];
        let words = &path_text::texts(function, Wording::default(), &[path])[0];
        let step = words.steps.first().expect("a step").clone();
        let page = |letters: &str| {
            let pieces: Vec<_> = letters.chars().map(|letter| format!("{letter}\n")).collect();
            let steps = vec![step.clone(); pieces.len()];
            let words = PathText { steps, ..words.clone() };
            let text = without_repetitions(&words, &pieces, 4);
            let text = anstream::adapter::strip_str(&text).to_string();
            text.lines().map(|line| line.trim().trim_start_matches("│ ").to_owned()).collect()
        };
        let of = |letters| -> Vec<String> { page(letters) };
        let more = |times| format!("the same {times} more: the loop is unrolled");
        assert_eq!(of("abc"), ["a", "b", "c"]);
        assert_eq!(of("aab"), ["a", &more("once"), "b"]);
        assert_eq!(of("cababab"), ["c", "a", "b", &more("2 times")]);
        assert_eq!(of(""), [""; 0]);
    }

    #[test]
    fn without_source_its_lines_have_numbers() {
        insta::assert_snapshot!("path-page-without-source", page(1, &HashMap::new()));
    }
}
