//! Tells the paths of one function.

use std::collections::HashMap;

use pathformat::manifest::{self, Location, Outcome};
use pathformat::settings::Stage;

use super::words::{Choice, PathText, Step};
use crate::distinct::{Detail, Precision};
use crate::frames::Frames;
use crate::model::{Function, Module, Path, Start};

/// What stands for a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Its source lines.
    #[default]
    Lines,
    /// Its number.
    Blocks,
}

/// How paths are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wording<'a> {
    /// What stands for a block.
    pub notation: Notation,
    /// Whether code of system headers that was inlined is told like any other.
    pub unfold: bool,
    /// Directories of system headers that the compiler was told of.
    pub system_directories: &'a [String],
    /// Where in the pipeline the function was instrumented.
    pub stage: Stage,
}

impl<'a> Wording<'a> {
    /// How the paths of a module's functions are told: by lines, code of system headers folded.
    pub fn of(module: &'a Module) -> Self {
        Self {
            system_directories: &module.system_directories,
            stage: module.stage,
            ..Self::default()
        }
    }
}

/// The most cases of a `switch` that are written out.
const CASES: usize = 3;

/// Describes the paths of one function.
pub struct PathDescriber<'a> {
    function: &'a Function,
    frames: Frames<'a>,
    notation: Notation,
    stage: Stage,
    /// Edge by its two blocks.
    edges: HashMap<(u32, u32), usize>,
    /// For each block how many ways lead out of it.
    ways: Vec<u32>,
    /// The edges that are cut, by what ends the paths there.
    cuts: HashMap<u32, Vec<&'a manifest::Edge>>,
}

impl<'a> PathDescriber<'a> {
    /// That of `function`; blocks stand for lines if no line of it is known.
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

    /// The text of `path`, whose blocks at some positions are described more exactly.
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
            // A choice in a block without a line is one of that block.
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
                    // Back to the line that it came from: the column says where.
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

    /// Where a block begins, if a line says so.
    pub(crate) fn first_place(&self, block: u32) -> Option<(Vec<&'a str>, u32, u32)> {
        let first = self.frames.visible_in(block).next().filter(|first| first.location.column > 0);
        first
            .filter(|_| self.notation == Notation::Lines)
            .map(|at| (self.frames.stack(at.location), at.location.line, at.location.column))
    }

    /// What was decided where control took this edge; `None` if nothing was.
    fn choice(&self, edge: &manifest::Edge) -> Option<Choice> {
        choice(&edge.outcome, self.stage).filter(|_| self.ways[edge.from as usize] > 1)
    }

    /// What all cut edges that can have ended `path` agree on.
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

    /// Whether a line says where a block is.
    pub(crate) fn has_place(&self, block: u32) -> bool {
        self.notation == Notation::Lines && self.frames.visible_in(block).next().is_some()
    }

    /// Where a block begins: its first line, with its column or not, or its number.
    pub(crate) fn place(&self, block: u32, column: bool) -> String {
        let first = self.frames.visible_in(block).next().filter(|_| self.has_place(block));
        let precision = if column { Precision::Column } else { Precision::Line };
        let step = self.step(0, block, first.map(|first| first.location), precision);
        let inlined = step.stack.last().filter(|_| step.stack.len() > 1);
        inlined.map_or_else(String::new, |name| format!("{name}:")) + &step.place()
    }
}

/// What an outcome decided; `None` for a jump, and for a call that came back.
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
        // That a call came back is no choice of the source.
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
