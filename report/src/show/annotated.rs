//! Source with its counts in the margin, and the hottest paths of a function drawn beside it.
//!
//! Each path has a column: `●` on a line that it went through, `◆` on a line with a decision, and
//! `▲` or `▼` where it ended, at a back edge or for good. Below a line whose blocks ran different
//! numbers of times, the count of each is at its column. A `~` before a number means that it may
//! not be that of the source's line, because the optimiser made other code of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

use counts::annotation::Annotation;
use counts::frames::Frames;
use counts::lines::{Executions, Meaning};
use counts::model::{Count, End, Function, Path};
use counts::path_text::{self, Wording};
use owo_colors::OwoColorize;
use profile::source::Source;

use crate::show::cell_text::wrapped;
use crate::show::code::{Line, marks};
use crate::show::style::grouped;

/// A drawing of annotated source.
pub struct Annotated<'a> {
    /// The title: the function or the file, and the copies of its code.
    pub title: String,
    /// The counts.
    pub annotation: &'a Annotation,
    /// The text of the file; `None` if it is not available.
    pub source: Option<&'a Source>,
    /// The lines that are drawn.
    pub range: RangeInclusive<u32>,
    /// The paths that are drawn beside it.
    pub paths: Vec<DrawnPath>,
    /// The largest width of the text; `None` if it is unlimited.
    pub width: Option<usize>,
}

/// A path beside the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPath {
    /// The number of the path in its function, and its count.
    pub title: String,
    /// The sign on each line.
    signs: BTreeMap<u32, char>,
}

impl DrawnPath {
    /// Creates the drawing of a path of `function`. Inlined code is at its call.
    pub fn new(function: &Function, path: &Path, rank: usize, wording: Wording<'_>) -> Self {
        let texts = path_text::texts(function, wording, &[path]);
        let frames = Frames::new(&function.shape, wording.system_directories, true);
        let mut signs = BTreeMap::new();
        let mut last = None;
        for step in texts.iter().flat_map(|text| &text.steps) {
            let Some(at) = step.location.map(|at| frames.outermost(at)) else { continue };
            if at.file != function.shape.file {
                continue;
            }
            let sign = signs.entry(at.line).or_insert('●');
            if step.choice.is_some() {
                *sign = '◆';
            }
            last = Some(at.line);
        }
        let end = match path.end {
            End::BackEdge => Some('▲'),
            End::Return | End::Unwind | End::NoReturn => Some('▼'),
            End::LoopEntry | End::Cut | End::InFlight => None,
        };
        if let Some((line, end)) = last.zip(end) {
            signs.insert(line, end);
        }
        Self { title: format!("#{rank} {}×", grouped(path.count)), signs }
    }

    fn sign(&self, line: u32) -> char {
        let within = || {
            let first = self.signs.first_key_value().map(|(first, _)| *first);
            let last = self.signs.last_key_value().map(|(last, _)| *last);
            first.zip(last).is_some_and(|(first, last)| (first..=last).contains(&line))
        };
        self.signs.get(&line).copied().unwrap_or_else(|| if within() { '│' } else { ' ' })
    }
}

impl Annotated<'_> {
    /// Returns the text with styles.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        if !self.paths.is_empty() {
            let titles: Vec<_> = self.paths.iter().map(|path| path.title.as_str()).collect();
            let _ = writeln!(text, "paths {}", titles.join("  ").yellow());
        }
        text.push('\n');
        let widest = self.annotation.lines.values().map(|ran| number(ran, true).len());
        let counts = widest.max().unwrap_or_default().max(5);
        let numbers = self.range.end().to_string().len().max(4);
        let most = self.annotation.lines.values().map(|ran| ran.count).max().unwrap_or_default();
        let margin =
            numbers + counts + 4 + if self.paths.is_empty() { 0 } else { self.paths.len() + 1 };
        let room = self.width.map_or(usize::MAX, |width| width.saturating_sub(margin).max(16));
        let last = self.source.map_or(*self.range.end(), |source| {
            (*self.range.end()).min(u32::try_from(source.lines.len()).unwrap_or(u32::MAX))
        });
        for line in *self.range.start()..=last {
            if !self.annotation.lines.contains_key(&line) && self.source.is_none() {
                continue;
            }
            let code = Line::new(self.source.map_or("", |source| source.line(line)).trim_end());
            let shown: String = crop(&code.text, room);
            let _ = writeln!(
                text,
                "{:>numbers$} {} {}{} {shown}",
                line.dimmed(),
                self.count(line, most, counts),
                self.signs(line),
                "│".dimmed(),
            );
            for marks in self.columns(line, &code, room) {
                let blank = " ".repeat(numbers + 1 + counts + 1);
                let signs = self.signs_between(line);
                let _ = writeln!(text, "{blank}{signs}{} {}", "│".dimmed(), marks.blue());
            }
        }
        if self.has_vague() {
            let meaning = if self.annotation.is_optimised { OPTIMISED } else { SEVERAL };
            text.push('\n');
            for line in wrapped(meaning, self.width) {
                let _ = writeln!(text, "{}", line.dimmed());
            }
        }
        text
    }

    /// Returns true if any number has a `~`, that of a line or that of a column.
    fn has_vague(&self) -> bool {
        let is_vague = |(&line, ran): (&u32, &Executions)| self.is_vague(line, ran);
        let columns = self.annotation.columns.values().filter(|_| self.source.is_some());
        self.annotation.lines.iter().any(is_vague)
            || columns.flat_map(BTreeMap::values).any(|ran| ran.meaning != Meaning::Exact)
    }

    /// Returns the count of a line in the margin: `-` if it has no code.
    fn count(&self, line: u32, most: Count, width: usize) -> String {
        let Some(ran) = self.annotation.lines.get(&line) else {
            return format!("{:>width$}", "-").dimmed().to_string();
        };
        let text = format!("{:>width$}", number(ran, self.is_vague(line, ran)));
        match ran.count {
            0 => text.red().to_string(),
            count if count.saturating_mul(2) >= most => text.bold().to_string(),
            _ => text,
        }
    }

    /// Returns true if the count may not be that of the source's line.
    fn is_vague(&self, line: u32, ran: &Executions) -> bool {
        match ran.meaning {
            Meaning::Exact => false,
            Meaning::OfStatement => !self.source.is_some_and(|of| is_statement(of.line(line))),
            Meaning::Vague => true,
        }
    }

    fn signs(&self, line: u32) -> String {
        let signs: String = self.paths.iter().map(|path| path.sign(line)).collect();
        if signs.is_empty() { signs } else { format!("{} ", signs.yellow()) }
    }

    /// Returns the signs between a line and the next.
    fn signs_between(&self, line: u32) -> String {
        let goes_on = |path: &DrawnPath| {
            let both = path.sign(line) != ' ' && path.sign(line + 1) != ' ';
            if both { '│' } else { ' ' }
        };
        let signs: String = self.paths.iter().map(goes_on).collect();
        if signs.is_empty() { signs } else { format!("{} ", signs.yellow()) }
    }

    /// Returns the counts of the columns of a line, at their places.
    fn columns(&self, line: u32, code: &Line, room: usize) -> Vec<String> {
        let columns = self.annotation.columns.get(&line).filter(|_| self.source.is_some());
        let Some(columns) = columns else { return Vec::new() };
        let mark = |(&column, ran): (&u32, &Executions)| {
            let is_vague = ran.meaning != Meaning::Exact;
            (code.column(column), format!("^{}", number(ran, is_vague)))
        };
        let all: Vec<_> = columns.iter().map(mark).collect();
        marks(&all, room.min(1 << 12))
    }
}

/// The meaning of `~` in optimised code, below a text that has it.
const OPTIMISED: &str = "~ counts what the optimiser left of the line: it copies, joins and moves \
                         code. Compile with -O0 -fpath-stage=early to count the lines of the \
                         source.";

/// Its meaning elsewhere, where only columns have it.
const SEVERAL: &str = "~ may be too high: several blocks begin there, and one may go on with what \
                       another began.";

/// Returns a number, with a sign before it if it may not be that of the source.
fn number(ran: &Executions, is_vague: bool) -> String {
    format!("{}{}", if is_vague { "~" } else { "" }, grouped(ran.count))
}

/// The words in lines of more than one statement that runs once.
const BRANCHING: [&str; 13] = [
    "for", "while", "do", "if", "else", "elseif", "switch", "case", "catch", "try", "goto",
    "where", "forall",
];

/// Returns true if a line of source is one plain statement or a part of it, as far as its text
/// shows.
fn is_statement(text: &str) -> bool {
    let code = text.split("//").next().unwrap_or_default().to_lowercase();
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_plain = !["{", "}", "?", "&&", "||"].iter().any(|sign| code.contains(sign));
    is_plain && code.matches(';').count() < 2 && !words.any(|word| BRANCHING.contains(&word))
}

/// Returns the first characters of a text, with an ellipsis if there are more.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use counts::annotation::{self, Chosen};
    use counts::path_ranks::ranked;

    use super::*;
    use crate::sample;

    #[test]
    fn a_statement_is_told_from_a_line_that_holds_more() {
        for text in ["    f(x);", "y = f(x) + 1; // if z", "printf(\"%d\",", "CALL f(x)", "iffy();"]
        {
            assert!(is_statement(text), "{text}");
        }
        for text in [
            "for (;;) f(x);",
            "f(); g();",
            "IF (x) call f()",
            "} f();",
            "a && f();",
            "a ? f() : b;",
        ] {
            assert!(!is_statement(text), "{text}");
        }
    }

    #[test]
    fn each_sign_of_doubt_has_its_meaning_below() {
        let text = |line: Meaning, column: Meaning, is_optimised| {
            let ran = |meaning| Executions { count: 7, meaning };
            let annotation = Annotation {
                lines: [(1, ran(line))].into(),
                columns: [(1, [(1, ran(column))].into())].into(),
                is_optimised,
                ..Annotation::default()
            };
            let source = Source { lines: vec!["while (*p && f())".into()], changed: None };
            let annotated = Annotated {
                title: "f".into(),
                annotation: &annotation,
                source: Some(&source),
                range: 1..=1,
                paths: Vec::new(),
                width: None,
            };
            annotated.text()
        };
        assert!(!text(Meaning::Exact, Meaning::Exact, false).contains('~'));
        let early = text(Meaning::Exact, Meaning::Vague, false);
        assert!(early.contains("^~7") && early.contains(SEVERAL), "{early}");
        assert!(text(Meaning::Exact, Meaning::Vague, true).contains(OPTIMISED));
        assert!(text(Meaning::Vague, Meaning::Exact, true).contains(OPTIMISED));
    }

    #[test]
    fn source_has_counts_and_paths_in_the_margin() {
        let mut report = sample::report();
        for (index, column) in [(1, 5), (2, 20)] {
            let at = &mut report.functions[0].shape.locations[index];
            (at.line, at.column) = (13, column);
        }
        let function = &report.functions[0];
        let path = std::path::Path::new("/build/src/main.c");
        let annotation = annotation::of(&report, Chosen { path, function: None });
        let lines =
            (1..=20).map(|line| format!("    code of line {line}, which is long;")).collect();
        let source = Source { lines, changed: None };
        let drawn = |path| DrawnPath::new(function, path, 1, Wording::default());
        let annotated = Annotated {
            title: "collatz".into(),
            annotation: &annotation,
            source: Some(&source),
            range: 10..=18,
            paths: ranked(function).into_iter().take(2).map(drawn).collect(),
            width: Some(60),
        };
        let text = anstream::adapter::strip_str(&annotated.text()).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        insta::assert_snapshot!("annotated", text);
    }
}
