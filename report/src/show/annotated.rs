//! Source with its counts in the margin, and the hottest paths of a function drawn beside it.
//!
//! Each path has a column: `●` where it went through a line, `◆` where something was decided there,
//! and `▲` or `▼` where it ended, at a back edge or for good. Below a line whose blocks ran
//! differently often, the count of each stands at its column. A `›` stands for the count of a line
//! that has nothing but a call whose code was inlined.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

use owo_colors::OwoColorize;

use crate::analyse::annotation::Annotation;
use crate::analyse::frames::Frames;
use crate::analyse::model::{Count, End, Function, Path};
use crate::analyse::path_text::{self, Wording};
use crate::read::source::Source;
use crate::show::code::{Line, marks};
use crate::show::style::grouped;

/// What is drawn.
pub struct Annotated<'a> {
    /// What stands above it: the function or the file, and what copies of its code there are.
    pub title: String,
    /// The counts.
    pub annotation: &'a Annotation,
    /// The text of the file; `None` if it is not to be had.
    pub source: Option<&'a Source>,
    /// The lines that are drawn.
    pub range: RangeInclusive<u32>,
    /// The paths that are drawn beside it.
    pub paths: Vec<DrawnPath>,
    /// How wide the text may be; `None` if there is no end.
    pub width: Option<usize>,
}

/// A path beside the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPath {
    /// Its number in its function, and how often it ran.
    pub title: String,
    /// What it has on each line.
    signs: BTreeMap<u32, char>,
}

impl DrawnPath {
    /// A path of `function`. Code that was inlined stands at its call.
    pub fn new(function: &Function, path: &Path, rank: usize, wording: Wording<'_>) -> Self {
        let told = path_text::texts(function, wording, &[path]);
        let frames = Frames::new(&function.shape, wording.system_directories, true);
        let mut signs = BTreeMap::new();
        let mut last = None;
        for step in told.iter().flat_map(|told| &told.steps) {
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
    /// The text with styles.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        if !self.paths.is_empty() {
            let titles: Vec<_> = self.paths.iter().map(|path| path.title.as_str()).collect();
            let _ = writeln!(text, "paths {}", titles.join("  ").yellow());
        }
        text.push('\n');
        let widest = self.annotation.lines.values().map(|&count| grouped(count).len());
        let counts = widest.max().unwrap_or_default().max(5);
        let numbers = self.range.end().to_string().len().max(4);
        let most = self.annotation.lines.values().copied().max().unwrap_or_default();
        let margin =
            numbers + counts + 4 + if self.paths.is_empty() { 0 } else { self.paths.len() + 1 };
        let room = self.width.map_or(usize::MAX, |width| width.saturating_sub(margin).max(16));
        let last = self.source.map_or(*self.range.end(), |source| {
            (*self.range.end()).min(u32::try_from(source.lines.len()).unwrap_or(u32::MAX))
        });
        for number in *self.range.start()..=last {
            if !self.annotation.lines.contains_key(&number) && self.source.is_none() {
                continue;
            }
            let code = Line::new(self.source.map_or("", |source| source.line(number)).trim_end());
            let shown: String = crop(&code.text, room);
            let _ = writeln!(
                text,
                "{:>numbers$} {} {}{} {shown}",
                number.dimmed(),
                self.count(number, most, counts),
                self.signs(number),
                "│".dimmed(),
            );
            for line in self.columns(number, &code, room) {
                let blank = " ".repeat(numbers + 1 + counts + 1);
                let signs = self.signs_between(number);
                let _ = writeln!(text, "{blank}{signs}{} {}", "│".dimmed(), line.blue());
            }
        }
        text
    }

    /// The count of a line in the margin: `-` if it has no code.
    fn count(&self, line: u32, most: Count, width: usize) -> String {
        match self.annotation.lines.get(&line) {
            None if self.annotation.calls.contains(&line) => {
                format!("{:>width$}", "›").cyan().to_string()
            }
            None => format!("{:>width$}", "-").dimmed().to_string(),
            Some(0) => format!("{:>width$}", "0").red().to_string(),
            Some(&count) if count.saturating_mul(2) >= most => {
                format!("{:>width$}", grouped(count)).bold().to_string()
            }
            Some(&count) => format!("{:>width$}", grouped(count)),
        }
    }

    fn signs(&self, line: u32) -> String {
        let signs: String = self.paths.iter().map(|path| path.sign(line)).collect();
        if signs.is_empty() { signs } else { format!("{} ", signs.yellow()) }
    }

    /// The signs between a line and the next.
    fn signs_between(&self, line: u32) -> String {
        let goes_on = |path: &DrawnPath| {
            let both = path.sign(line) != ' ' && path.sign(line + 1) != ' ';
            if both { '│' } else { ' ' }
        };
        let signs: String = self.paths.iter().map(goes_on).collect();
        if signs.is_empty() { signs } else { format!("{} ", signs.yellow()) }
    }

    /// The counts of the columns of a line, at their places.
    fn columns(&self, line: u32, code: &Line, room: usize) -> Vec<String> {
        let Some(columns) = self.annotation.columns.get(&line) else { return Vec::new() };
        let mark = |(&column, &count): (&u32, &Count)| {
            (code.column(column), format!("^{}", grouped(count)))
        };
        let all: Vec<_> = columns.iter().map(mark).collect();
        marks(&all, room.min(1 << 12))
    }
}

/// The first characters of a text, with an ellipsis if there are more.
fn crop(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse::annotation::{self, Chosen};
    use crate::analyse::path_ranks::ranked;
    use crate::sample;

    #[test]
    fn source_has_counts_and_paths_in_the_margin() {
        let mut report = sample::report();
        for (index, column) in [(1, 5), (2, 20)] {
            let at = &mut report.functions[0].shape.locations[index];
            (at.line, at.column) = (13, column);
        }
        let function = &report.functions[0];
        let annotation = annotation::of(&report, Chosen::File("src/main.c"));
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
