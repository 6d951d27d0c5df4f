//! Describes the paths of one function.

use std::collections::HashMap;

use pathformat::manifest::{self, Location, Outcome};
use pathformat::settings::Stage;

use super::words::{Choice, PathText, Step};
use crate::distinct::{Detail, Precision};
use crate::frames::Frames;
use crate::model::{Function, Module, Path, Start};

/// The notation for a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Its source lines.
    #[default]
    Lines,
    /// Its number.
    Blocks,
}

/// The wording of paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wording<'a> {
    /// The notation for a block.
    pub notation: Notation,
    /// True if inlined code of system headers is described like any other.
    pub unfold: bool,
    /// The directories of system headers that were given to the compiler.
    pub system_directories: &'a [String],
    /// The stage of the pipeline at which the function was instrumented.
    pub stage: Stage,
}

impl<'a> Wording<'a> {
    /// Returns the wording for the functions of a module: lines, with code of system headers
    /// folded.
    pub fn of(module: &'a Module) -> Self {
        Self {
            system_directories: &module.system_directories,
            stage: module.stage,
            ..Self::default()
        }
    }
}

/// The maximum number of cases of a `switch` that are written out.
const CASES: usize = 3;

/// Describes the paths of one function.
pub struct PathDescriber<'a> {
    function: &'a Function,
    frames: Frames<'a>,
    notation: Notation,
    stage: Stage,
    /// The index of each edge, by its two blocks.
    edges: HashMap<(u32, u32), usize>,
    /// For each block, the number of edges out of it.
    ways: Vec<u32>,
    /// The cut edges, by the acyclic edge that ends the paths there.
    cuts: HashMap<u32, Vec<&'a manifest::Edge>>,
}

impl<'a> PathDescriber<'a> {
    /// Creates the describer of `function`. Blocks are used in place of lines if it has none.
    pub fn new(function: &'a Function, wording: Wording<'_>) -> Self {
        let shape = &function.shape;
        let mut ways = vec![0; shape.blocks.len()];
        shape.edges.iter().for_each(|edge| ways[edge.from as usize] += 1);
        let edges = shape.edges.iter().enumerate();
        let mut cuts: HashMap<u32, Vec<&manifest::Edge>> = HashMap::new();
        for edge in &shape.edges {
            edge.cut.into_iter().for_each(|(end, _)| cuts.entry(end).or_default().push(edge));
        }
        Self {
            cuts,
            function,
            frames: Frames::new(shape, wording.system_directories, wording.unfold),
            notation: if function.has_lines() { wording.notation } else { Notation::Blocks },
            stage: wording.stage,
            edges: edges.map(|(index, edge)| ((edge.from, edge.to), index)).collect(),
            ways,
        }
    }

    /// Returns the text of `path`. The blocks at the positions in `detail` are described more
    /// exactly.
    pub(super) fn describe(&self, path: &Path, detail: &Detail) -> PathText<'a> {
        let mut steps: Vec<Step<'a>> = Vec::new();
        for (position, &block) in path.blocks.iter().enumerate() {
            let precision = detail.get(&position).copied().unwrap_or_default();
            self.block(position, block, precision, &mut steps);
            let edges = &self.function.shape.edges;
            let taken = match path.blocks.get(position + 1) {
                Some(&next) => self.edges.get(&(block, next)).copied(),
                None => self
                    .only(path, |edge| (edge.from, edge.to))
                    .and_then(|ends| self.edges.get(&ends).copied()),
            };
            let choice = match taken {
                Some(edge) => self.choice(&edges[edge]),
                None => self.only(path, |edge| self.choice(edge)).flatten(),
            };
            let Some(choice) = choice else { continue };
            // A choice in a block without a line belongs to a step of that block.
            if steps.last().is_none_or(|last| last.choice.is_some()) {
                steps.push(self.step(position, block, None, Precision::Block));
            }
            if let Some(last) = steps.last_mut() {
                (last.choice, last.taken) = (Some(choice), taken);
            }
        }
        if let ([], Some(&block)) = (steps.as_slice(), path.blocks.first()) {
            steps.push(self.step(0, block, None, Precision::Block));
        }
        PathText {
            function: self.frames.root(),
            start: start(path.start),
            steps,
            end: self.end(path),
            id: path.id,
            needs_id: false,
        }
    }

    /// Adds the steps of a block.
    fn block(&self, position: usize, block: u32, precision: Precision, steps: &mut Vec<Step<'a>>) {
        if precision == Precision::Block || self.notation == Notation::Blocks {
            steps.push(self.step(position, block, None, Precision::Block));
        }
        if self.notation == Notation::Blocks {
            return;
        }
        let mut is_first = true;
        for visible in self.frames.visible_in(block) {
            let exactness = if is_first { precision } else { Precision::Line };
            let known = steps.last_mut().filter(|last| {
                last.is_at(visible.location)
                    && last.choice.is_none()
                    && exactness == Precision::Line
            });
            match known {
                Some(last) => {
                    let folded = visible.folded.filter(|name| last.folded.last() != Some(name));
                    last.folded.extend(folded);
                }
                None => {
                    // Back to the line that control came from: the column shows the place.
                    let again = steps.last().is_some_and(|last| last.is_at(visible.location));
                    let exactness = match exactness {
                        Precision::Line if again => Precision::Column,
                        Precision::Block => Precision::Line,
                        exactness => exactness,
                    };
                    steps.push(Step {
                        index: Some(visible.index),
                        folded: visible.folded.into_iter().collect(),
                        ..self.step(position, block, Some(visible.location), exactness)
                    });
                }
            }
            is_first = false;
        }
    }

    fn step(
        &self,
        position: usize,
        block: u32,
        location: Option<&'a Location>,
        precision: Precision,
    ) -> Step<'a> {
        let is_own = |at: &Location| at.inlined_at.is_some() || at.file == self.function.shape.file;
        Step {
            stack: location.map(|at| self.frames.stack(at)).unwrap_or_default(),
            location,
            precision,
            other_file: location.is_some_and(|at| !is_own(at)),
            ..Step::of_block(position, block)
        }
    }

    /// Returns the place where a block begins, if it has a line.
    pub(crate) fn first_place(&self, block: u32) -> Option<(Vec<&'a str>, u32, u32)> {
        let first = self.frames.visible_in(block).next().filter(|first| first.location.column > 0);
        first
            .filter(|_| self.notation == Notation::Lines)
            .map(|at| (self.frames.stack(at.location), at.location.line, at.location.column))
    }

    /// Returns the choice by which control took this edge; `None` if there was none.
    fn choice(&self, edge: &manifest::Edge) -> Option<Choice> {
        choice(&edge.outcome, self.stage).filter(|_| self.ways[edge.from as usize] > 1)
    }

    /// Returns the value on which all cut edges that can have ended `path` agree.
    fn only<T: PartialEq>(&self, path: &Path, what: impl Fn(&'a manifest::Edge) -> T) -> Option<T> {
        let mut found = self.cuts.get(&path.last?)?.iter().map(|edge| what(edge));
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    fn end(&self, path: &Path) -> String {
        let target = path.end.goes_on().then(|| self.only(path, |edge| edge.to)).flatten();
        let place = target.map(|target| format!(" {}", self.place(target, false)));
        format!("{}{}", path.end.word(), place.unwrap_or_default())
    }

    /// Returns true if a block is described by a line.
    pub(crate) fn has_place(&self, block: u32) -> bool {
        self.notation == Notation::Lines && self.frames.visible_in(block).next().is_some()
    }

    /// Returns the place where a block begins: its first line, with or without its column, or its
    /// number.
    pub(crate) fn place(&self, block: u32, column: bool) -> String {
        let first = self.frames.visible_in(block).next().filter(|_| self.has_place(block));
        let precision = if column { Precision::Column } else { Precision::Line };
        let step = self.step(0, block, first.map(|first| first.location), precision);
        let inlined = step.stack.last().filter(|_| step.stack.len() > 1);
        inlined.map_or_else(String::new, |name| format!("{name}:")) + &step.place()
    }
}

/// Returns the choice of an outcome; `None` for a jump, and for a call that returned.
pub(crate) fn choice(outcome: &Outcome, stage: Stage) -> Option<Choice> {
    Some(match outcome {
        Outcome::Jump => return None,
        Outcome::Cases(_) | Outcome::Default if stage != Stage::Early => Choice::Branch,
        Outcome::Cases(values) => {
            let mut text: Vec<_> = values.iter().take(CASES).map(i64::to_string).collect();
            if values.len() > CASES {
                text.push(format!("+{}", values.len() - CASES));
            }
            Choice::Cases(format!("case {}", text.join(",")))
        }
        Outcome::Default => Choice::Cases("default".into()),
        Outcome::Unwind => Choice::Throw,
        Outcome::Suspended => Choice::Coroutine("suspend"),
        Outcome::Resumed => Choice::Coroutine("resume"),
        Outcome::Destroyed => Choice::Coroutine("destroy"),
        // The return of a call is no choice of the source.
        Outcome::Normal => return None,
        Outcome::True | Outcome::False | Outcome::Indirect => Choice::Branch,
    })
}

fn start(start: Start) -> Option<&'static str> {
    match start {
        Start::Entry => None,
        Start::Loop => Some("loop:"),
        Start::Resume => Some("resume:"),
        Start::Cut => Some("cut:"),
    }
}
