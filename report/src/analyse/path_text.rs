//! Tells a path as the source reads: line after line, and behind each branch where control went.
//!
//! What a branch tested is not told. The optimiser negates conditions, merges and splits branches,
//! so that only the place that control reached next is true at every level of optimisation. Two
//! kinds of choices have words, since they are the source's own: an exception that was thrown, and
//! the fate of a suspended coroutine. At the early stage so have the cases of a `switch`.
//!
//! A step is a line. Where control goes from a line to the same line again, the step has its column,
//! and a block without a line that decides something is told by its name. Code that was inlined has
//! the name of its function; see [`Frames`] for code of system headers.
//!
//! [`texts`] tells several paths of a function so that no two of them read the same.

use std::collections::HashMap;

use pathformat::manifest::{self, Location, Outcome};
use pathformat::settings::Stage;

pub use crate::analyse::distinct::Precision;
use crate::analyse::distinct::{self, Detail};
use crate::analyse::frames::Frames;
use crate::analyse::model::{End, Function, Module, Path, Start};

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

/// A path in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathText<'a> {
    /// The name of the function that was compiled, as its lines give it; empty without lines.
    pub function: &'a str,
    /// How it starts, unless at the function's entry.
    pub start: Option<&'static str>,
    /// Where it goes.
    pub steps: Vec<Step<'a>>,
    /// How it ends: `return`, or a word and the place where control goes on.
    pub end: String,
    /// The id of the path.
    pub id: u64,
    /// Whether nothing but its id tells it from another path.
    pub needs_id: bool,
}

/// A line or a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The names of the functions around it, the one that was compiled first; empty for a block
    /// without a line.
    pub stack: Vec<&'a str>,
    /// Where it is; `None` for a block without a line.
    pub location: Option<&'a Location>,
    /// The index of that location among the function's.
    pub index: Option<u32>,
    /// How exactly it is told.
    pub precision: Precision,
    /// Index in the path of the block that it begins in.
    pub position: usize,
    /// That block.
    pub block: u32,
    /// The functions of system headers whose inlined code ran there.
    pub folded: Vec<&'a str>,
    /// What was decided behind it, if control could go several ways.
    pub choice: Option<Choice>,
    /// The edge that control took then; `None` where several end the path alike.
    pub taken: Option<usize>,
    /// Whether its file is not that of the function around it.
    pub other_file: bool,
}

/// What was decided where control could go several ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A way that the next step tells.
    Branch,
    /// An exception was thrown.
    Throw,
    /// These cases of a `switch`, or `default`.
    Cases(String),
    /// What became of a coroutine.
    Coroutine(&'static str),
}

/// The most cases of a `switch` that are written out.
const CASES: usize = 3;

/// Tells `paths`, which must be the function's. No two of them read the same.
pub fn texts<'a>(
    function: &'a Function,
    wording: Wording<'_>,
    paths: &[&Path],
) -> Vec<PathText<'a>> {
    let teller = Teller::new(function, wording);
    let mut texts: Vec<_> = paths.iter().map(|path| teller.tell(path, &Detail::new())).collect();
    let mut plain: Vec<_> = texts.iter().map(PathText::plain).collect();
    for equal in same(&plain) {
        let group: Vec<&[u32]> = equal.iter().map(|&index| &*paths[index].blocks).collect();
        let details = distinct::details(&group, |block| teller.first_place(block));
        for (index, detail) in equal.into_iter().zip(details) {
            texts[index] = teller.tell(paths[index], &detail);
            plain[index] = texts[index].plain();
        }
    }
    for equal in same(&plain) {
        for index in equal {
            texts[index].needs_id = true;
        }
    }
    texts
}

/// The indexes of texts that occur more than once, those of each text together.
fn same(texts: &[String]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        groups.entry(text).or_default().push(index);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// Tells the paths of one function.
pub struct Teller<'a> {
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

impl<'a> Teller<'a> {
    /// A teller for `function`; blocks stand for lines if no line of it is known.
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

    /// Tells `path`, whose blocks at some positions are told more exactly.
    fn tell(&self, path: &Path, detail: &Detail) -> PathText<'a> {
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
            let told = if is_first { precision } else { Precision::Line };
            let known = steps.last_mut().filter(|last| {
                last.is_at(visible.location) && last.choice.is_none() && told == Precision::Line
            });
            match known {
                Some(last) => {
                    let folded = visible.folded.filter(|name| last.folded.last() != Some(name));
                    last.folded.extend(folded);
                }
                None => {
                    // Back to the line that it came from: the column says where.
                    let again = steps.last().is_some_and(|last| last.is_at(visible.location));
                    let told = match told {
                        Precision::Line if again => Precision::Column,
                        Precision::Block => Precision::Line,
                        told => told,
                    };
                    steps.push(Step {
                        index: Some(visible.index),
                        folded: visible.folded.into_iter().collect(),
                        ..self.step(position, block, Some(visible.location), told)
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
        let goes_on = matches!(path.end, End::BackEdge | End::Cut);
        let target = goes_on.then(|| self.only(path, |edge| edge.to)).flatten();
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

/// What a block without a line is called.
pub fn block_name(block: u32) -> String {
    format!("bb{block}")
}

/// The last part of a file's path.
pub fn base_name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

impl Choice {
    /// What stands between the step that decided and the next one: an arrow behind the word for
    /// the choice, if it has one.
    pub fn arrow(&self) -> String {
        self.word().map_or_else(|| "→".into(), |word| format!("({word})→"))
    }

    /// The word for it, if it has one.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Branch => None,
            Self::Throw => Some("throw"),
            Self::Cases(cases) => Some(cases),
            Self::Coroutine(word) => Some(word),
        }
    }
}

impl Step<'_> {
    /// A step that is told by its block, at this position of a path.
    pub(crate) fn of_block(position: usize, block: u32) -> Self {
        Self {
            stack: Vec::new(),
            location: None,
            index: None,
            precision: Precision::Line,
            position,
            block,
            folded: Vec::new(),
            choice: None,
            taken: None,
            other_file: false,
        }
    }

    fn is_at(&self, location: &Location) -> bool {
        self.location.is_some_and(|at| {
            (at.line, at.inlined_at, &at.file)
                == (location.line, location.inlined_at, &location.file)
        })
    }

    /// The function that its code is of: `parse › skip` if that was inlined into the one that was
    /// compiled, else that one. `None` for a block without a line.
    pub fn function(&self) -> Option<String> {
        match self.stack.as_slice() {
            [own] => Some((*own).into()),
            [_, inlined @ ..] => Some(inlined.join(" › ")),
            [] => None,
        }
    }

    /// Its line, with its column or its file if that is told, or its block.
    pub fn place(&self) -> String {
        let Some(at) = self.location else { return block_name(self.block) };
        let line = match self.precision {
            Precision::Column if at.column > 0 => format!("{}:{}", at.line, at.column),
            _ => at.line.to_string(),
        };
        if self.other_file { format!("{}:{line}", base_name(&at.file)) } else { line }
    }

    /// The functions of system headers whose code ran there: `‹size push_back›`.
    pub fn folded(&self) -> String {
        if self.folded.is_empty() {
            String::new()
        } else {
            format!("‹{}›", self.folded.join(" "))
        }
    }
}

/// Gives steps the names of their functions: where the function changes, and with those around it
/// only where that is new.
#[derive(Clone, Debug)]
pub struct Namer {
    /// The function of the last step.
    before: String,
    /// By the last name of a stack the stack that it stands for.
    known: HashMap<String, String>,
}

impl Namer {
    /// A namer for a path of the function of this name.
    pub fn new(function: &str) -> Self {
        Self { before: function.into(), known: HashMap::new() }
    }

    /// What stands before a step of this function (see [`Step::function`]), if anything.
    pub fn name(&mut self, function: &str) -> Option<String> {
        if function == self.before {
            return None;
        }
        self.before = function.into();
        let last = function.rsplit(" › ").next().unwrap_or(function);
        let known = self.known.insert(last.into(), function.into());
        Some(if known.as_deref() == Some(function) { last.into() } else { function.into() })
    }
}

impl PathText<'_> {
    /// How it ends, with its id where nothing else tells it from another path.
    pub fn end(&self) -> String {
        let id = if self.needs_id { format!(" #{}", self.id) } else { String::new() };
        format!("{}{id}", self.end)
    }

    /// The whole text on one line, without colours.
    pub fn plain(&self) -> String {
        let mut text = self.start.map(|start| format!("{start} ")).unwrap_or_default();
        let mut namer = Namer::new(self.function);
        for step in &self.steps {
            let name = step.function().and_then(|function| namer.name(&function));
            text += &name.map(|name| name + ":").unwrap_or_default();
            text += &(step.place() + &step.folded());
            text += &step.choice.as_ref().map_or_else(|| " ".into(), Choice::arrow);
        }
        let arrow = if text.ends_with('→') { "" } else { "→ " };
        format!("{text}{arrow}{}", self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// All executed paths of the function `name` of the sample program, one a line.
    fn told(name: &str, wording: Wording<'_>) -> String {
        let report = sample::report();
        let function = report
            .counted()
            .find(|function| function.shape.name == name)
            .expect("it is in the sample");
        let paths: Vec<_> = function.paths.iter().collect();
        let texts = texts(function, wording, &paths);
        texts.iter().map(PathText::plain).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_loop() {
        insta::assert_snapshot!(told("collatz", Wording::default()), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→14 12→loop 13
        loop: 13→16 12→18 → return
        loop: 13→16 12→loop 13
        ");
    }

    #[test]
    fn blocks() {
        let wording = Wording { notation: Notation::Blocks, ..Wording::default() };
        insta::assert_snapshot!(told("collatz", wording), @r"
        bb0 bb1→bb2 bb4→bb5 → return
        bb0 bb1→bb2 bb4→loop bb1
        loop: bb1→bb2 bb4→loop bb1
        loop: bb1→bb3 bb4→bb5 → return
        loop: bb1→bb3 bb4→loop bb1
        ");
    }

    #[test]
    fn a_switch_and_inlined_code() {
        insta::assert_snapshot!(told("main", Wording::default()), @r"
        31→5 33 40 → return
        31→35 → no return
        31→40 → return
        ");
        let early = Wording { stage: Stage::Early, ..Wording::default() };
        insta::assert_snapshot!(told("main", early), @r"
        31(case 1)→5 33 40 → return
        31(case 2,3,4,+2)→35 → no return
        31(default)→40 → return
        ");
    }

    #[test]
    fn exceptions_and_cuts_without_debug_information() {
        insta::assert_snapshot!(told("_ZN4util5guardEi", Wording::default()), @r"
        bb0 → cut
        resume: bb1 → return
        resume: bb2→cut bb3
        resume: bb2→bb4 → unwind
        cut: bb3 → return
        ");
    }

    #[test]
    fn paths_on_the_same_lines_have_columns_or_blocks() {
        let mut report = sample::report();
        let function = &mut report.functions[0];
        // Both sides of the branch stand on line 14: first in different columns, then in none.
        function.shape.locations[3].line = 14;
        function.shape.locations[3].column = 9;
        let all = |function: &Function| {
            let paths: Vec<_> = function.paths.iter().collect();
            let texts = texts(function, Wording::default(), &paths);
            texts.iter().map(PathText::plain).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(all(function), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→14:1 12→loop 13
        loop: 13→14 12→18 → return
        loop: 13→14:9 12→loop 13
        ");
        function.shape.locations[3].column = 1;
        insta::assert_snapshot!(all(function), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→bb2 14 12→loop 13
        loop: 13→14 12→18 → return
        loop: 13→bb3 14 12→loop 13
        ");
    }

    #[test]
    fn paths_of_the_same_blocks_have_their_ids() {
        let mut report = sample::report();
        let function = &mut report.functions[0];
        let twin = Path { id: 99, ..function.paths[0].clone() };
        function.paths = vec![function.paths[0].clone(), twin];
        let paths: Vec<_> = function.paths.iter().collect();
        let texts = texts(function, Wording::default(), &paths);
        assert!(texts[0].plain().ends_with("→ return #0"), "{texts:?}");
        assert!(texts[1].plain().ends_with("→ return #99"), "{texts:?}");
    }
}
