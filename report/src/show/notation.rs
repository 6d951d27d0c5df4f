//! Writes a path as source lines, in the notation of gcov's prime paths: `13(true) 14 17`.
//!
//! A line is followed by the outcome of the branch that ends its block. A line of the function's
//! own file is a number, even if its code was inlined. A line of another file has the name of the
//! file before it. Equal lines in a row are written once. Without debug information, basic blocks
//! (`bb3`) stand for the lines.
//!
//! A path need not run from entry to return. So words say where it starts and ends.

use std::collections::HashMap;

use pathformat::manifest::{self, Outcome};

use crate::analyse::model::{End, Function, Path, Start};

/// What stands for a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Its source lines.
    #[default]
    Lines,
    /// Its number.
    Blocks,
}

/// A path in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenPath {
    /// How it starts, if not at the function's entry.
    pub start: Option<&'static str>,
    /// Where it goes.
    pub steps: Vec<Step>,
    /// How it ends.
    pub end: String,
}

/// A line or block, and the outcomes of the branches on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `13`, `list.h:13` or `bb3`.
    pub place: String,
    /// In the order of execution.
    pub outcomes: Vec<(OutcomeKind, String)>,
}

/// What kind of outcome it is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// A condition held.
    True,
    /// A condition did not hold.
    False,
    /// An exception.
    Throw,
    /// Anything else.
    Other,
}

/// Writes the paths of one function.
pub struct PathWriter<'a> {
    function: &'a Function,
    notation: Notation,
    /// Edge by its two blocks.
    edges: HashMap<(u32, u32), usize>,
}

/// The most cases of a `switch` that are written out.
const CASES: usize = 3;

impl<'a> PathWriter<'a> {
    /// A writer for `function`; falls back to blocks if no line of it is known.
    pub fn new(function: &'a Function, notation: Notation) -> Self {
        let notation = if function.has_lines() { notation } else { Notation::Blocks };
        let edges = function
            .shape
            .edges
            .iter()
            .enumerate()
            .map(|(index, edge)| ((edge.from, edge.to), index));
        Self { function, notation, edges: edges.collect() }
    }

    /// Writes `path`, which must be one of the function's.
    pub fn write(&self, path: &Path) -> WrittenPath {
        let mut steps: Vec<Step> = Vec::new();
        for (position, &block) in path.blocks.iter().enumerate() {
            for place in self.places(block) {
                if steps.last().is_none_or(|step| step.place != place) {
                    steps.push(Step { place, outcomes: Vec::new() });
                }
            }
            let outcome = match path.blocks.get(position + 1) {
                Some(&next) => self
                    .edges
                    .get(&(block, next))
                    .map(|&edge| &self.function.shape.edges[edge].outcome),
                None => self.only(path, |edge| &edge.outcome),
            };
            if let Some(outcome) = outcome.and_then(words) {
                if steps.is_empty() {
                    steps.push(Step { place: block_name(block), outcomes: Vec::new() });
                }
                steps.last_mut().into_iter().for_each(|step| step.outcomes.push(outcome.clone()));
            }
        }
        if steps.is_empty() {
            steps.extend(
                path.blocks
                    .first()
                    .map(|&block| Step { place: block_name(block), outcomes: Vec::new() }),
            );
        }
        WrittenPath { start: start(path.start), steps, end: self.end(path) }
    }

    /// What stands for a block; nothing if the block has no lines.
    fn places(&self, block: u32) -> Vec<String> {
        if self.notation == Notation::Blocks {
            return vec![block_name(block)];
        }
        places(self.function, block)
    }

    /// What all cut edges that can have ended `path` agree on.
    fn only<T: PartialEq>(&self, path: &Path, what: impl Fn(&'a manifest::Edge) -> T) -> Option<T> {
        let ends_here =
            |edge: &&manifest::Edge| edge.cut.is_some_and(|(end, _)| Some(end) == path.last);
        let mut found = self.function.shape.edges.iter().filter(ends_here).map(what);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    fn end(&self, path: &Path) -> String {
        let word = match path.end {
            End::Return => return "return".into(),
            End::Unwind => return "unwind".into(),
            End::NoReturn => return "no return".into(),
            End::InFlight => return "in flight".into(),
            End::BackEdge => "loop",
            End::Cut => "cut",
        };
        let target = self.only(path, |edge| edge.to);
        match target.and_then(|target| self.places(target).into_iter().next()) {
            Some(place) => format!("{word} {place}"),
            None => word.into(),
        }
    }
}

/// The source lines of a block, equal ones in a row once; the block itself if no line of the
/// function is known.
pub fn lines(function: &Function, block: u32) -> Vec<String> {
    if !function.has_lines() {
        return vec![block_name(block)];
    }
    let mut places = places(function, block);
    places.dedup();
    places
}

/// The source lines of the locations of a block.
fn places(function: &Function, block: u32) -> Vec<String> {
    let shape = &function.shape;
    let locations = shape.blocks[block as usize]
        .locations
        .iter()
        .map(|&index| &shape.locations[index as usize]);
    locations
        .filter(|location| location.line != 0)
        .map(|location| place(function, location))
        .collect()
}

/// A line. If it is of another file than the function, the name of the file stands before it.
pub fn place(function: &Function, location: &manifest::Location) -> String {
    if location.file == function.shape.file {
        location.line.to_string()
    } else {
        format!("{}:{}", base_name(&location.file), location.line)
    }
}

fn start(start: Start) -> Option<&'static str> {
    match start {
        Start::Entry => None,
        Start::Loop => Some("loop:"),
        Start::Resume => Some("resume:"),
        Start::Cut => Some("cut:"),
    }
}

fn block_name(block: u32) -> String {
    format!("bb{block}")
}

/// An outcome in words; `None` where there was no choice.
pub fn words(outcome: &Outcome) -> Option<(OutcomeKind, String)> {
    Some(match outcome {
        Outcome::Jump | Outcome::Normal => return None,
        Outcome::True => (OutcomeKind::True, "true".into()),
        Outcome::False => (OutcomeKind::False, "false".into()),
        Outcome::Cases(values) => {
            let mut text: Vec<_> = values.iter().take(CASES).map(i64::to_string).collect();
            if values.len() > CASES {
                text.push(format!("+{}", values.len() - CASES));
            }
            (OutcomeKind::Other, format!("case {}", text.join(",")))
        }
        Outcome::Default => (OutcomeKind::Other, "default".into()),
        Outcome::Unwind => (OutcomeKind::Throw, "throw".into()),
        Outcome::Indirect => (OutcomeKind::Other, "goto".into()),
        Outcome::Suspended => (OutcomeKind::Other, "suspend".into()),
        Outcome::Resumed => (OutcomeKind::Other, "resume".into()),
        Outcome::Destroyed => (OutcomeKind::Other, "destroy".into()),
    })
}

/// The last part of a file's path.
pub fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl Step {
    /// Its text without colours.
    pub fn plain(&self) -> String {
        let outcomes: String =
            self.outcomes.iter().map(|(_, outcome)| format!("({outcome})")).collect();
        format!("{}{outcomes}", self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// All executed paths of the function `name` of the sample program, one a line.
    fn written(name: &str, notation: Notation) -> String {
        let report = sample::report();
        let function = report
            .counted()
            .find(|function| function.shape.name == name)
            .expect("it is in the sample");
        let writer = PathWriter::new(function, notation);
        let line = |path: &Path| {
            let WrittenPath { start, steps, end } = writer.write(path);
            let steps: Vec<_> = steps.iter().map(Step::plain).collect();
            format!("{} {} -> {end}", start.unwrap_or("entry:"), steps.join(" "))
        };
        function.paths.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_loop() {
        insta::assert_snapshot!(written("collatz", Notation::Lines), @r"
        entry: 11 13(true) 14 12(false) 18 -> return
        entry: 11 13(true) 14 12(true) -> loop 13
        loop: 13(true) 14 12(true) -> loop 13
        loop: 13(false) 16 12(false) 18 -> return
        loop: 13(false) 16 12(true) -> loop 13
        ");
    }

    #[test]
    fn blocks() {
        insta::assert_snapshot!(written("collatz", Notation::Blocks), @r"
        entry: bb0 bb1(true) bb2 bb4(false) bb5 -> return
        entry: bb0 bb1(true) bb2 bb4(true) -> loop bb1
        loop: bb1(true) bb2 bb4(true) -> loop bb1
        loop: bb1(false) bb3 bb4(false) bb5 -> return
        loop: bb1(false) bb3 bb4(true) -> loop bb1
        ");
    }

    #[test]
    fn a_switch_and_inlined_code() {
        insta::assert_snapshot!(written("main", Notation::Lines), @r"
        entry: 31(case 1) util.h:5 33 40 -> return
        entry: 31(case 2,3,4,+2) 35 -> no return
        entry: 31(default) 40 -> return
        ");
    }

    #[test]
    fn exceptions_and_cuts_without_debug_information() {
        insta::assert_snapshot!(written("_ZN4util5guardEi", Notation::Lines), @r"
        entry: bb0 -> cut
        resume: bb1 -> return
        resume: bb2(true) -> cut bb3
        resume: bb2(false) bb4 -> unwind
        cut: bb3 -> return
        ");
    }
}
