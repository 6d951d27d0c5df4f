//! The payload of one function: blocks, edges, paths, lines.

use std::collections::{HashMap, HashSet};

use counts::lines::{self, Executions, Line, Meaning};
use counts::model::{CallSite, Function, Path, Report, instructions};
use counts::path_ranks;
use counts::path_text::Wording;
use pathformat::manifest::{CutReason, DagEdgeKind, Edge, Exit, Outcome};
use serde::Serialize;

use super::files::Files;
use super::path_steps::{PathSteps, StepCollector, StepColumns};
use super::payload::{Exact, shown};

/// The data of one function. Columns become smaller than rows.
#[derive(Serialize)]
pub(super) struct Payload {
    /// Texts to which others refer: names of functions and opcodes.
    texts: Vec<String>,
    locations: Locations,
    blocks: Blocks,
    edges: Edges,
    lines: Lines,
    steps: StepColumns,
    paths: Vec<PathEntry>,
}

/// Columns with an entry for each location.
#[derive(Default, Serialize)]
struct Locations {
    file: Vec<Option<u32>>,
    /// Each is the difference from the one before.
    line: Vec<i64>,
    column: Vec<u32>,
    /// The name of the function to which the text belongs.
    owner: Vec<u32>,
    /// The location of the call.
    call: Vec<Option<u32>>,
}

/// Columns with an entry for each block.
#[derive(Default, Serialize)]
struct Blocks {
    name: Vec<String>,
    /// `null` if it is unknown.
    count: Vec<Option<Exact>>,
    instructions: Vec<u64>,
    /// The opcode and its number, in turn.
    opcodes: Vec<Vec<u32>>,
    locations: Vec<Vec<u32>>,
    calls: Vec<Vec<Call>>,
    /// The kind of exit from the function, or nothing.
    exit: Vec<&'static str>,
    /// The blocks with counts that may be wrong.
    doubt: Vec<usize>,
    /// Their lines of LLVM's intermediate language, where the manifest has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ir: Vec<String>,
}

/// Columns with an entry for each edge.
#[derive(Default, Serialize)]
struct Edges {
    from: Vec<u32>,
    to: Vec<u32>,
    count: Vec<Option<Exact>>,
    label: Vec<String>,
    /// The reason why it is cut, or nothing.
    cut: Vec<&'static str>,
}

/// Columns with an entry for each line of each copy of the code.
#[derive(Default, Serialize)]
struct Lines {
    file: Vec<Option<u32>>,
    /// Each is the difference from the one before.
    line: Vec<i64>,
    /// The location of the call at which it was inlined.
    call: Vec<Option<u32>>,
    /// `null` if it is unknown.
    count: Vec<Option<Exact>>,
    /// The lines with counts of the code: the line of the source may have another count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vague: Vec<usize>,
}

/// Numbers, as differences from the one before.
#[derive(Default)]
struct Differences(i64);

impl Differences {
    fn next(&mut self, number: u32) -> i64 {
        let number = i64::from(number);
        number - std::mem::replace(&mut self.0, number)
    }
}

#[derive(Serialize)]
struct Call {
    /// The symbol.
    callee: u32,
    location: Option<u32>,
    /// For a call through a pointer: symbols and counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<(u32, Exact)>>,
    /// The number of calls of other functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<Exact>,
}

#[derive(Serialize)]
struct PathEntry {
    id: String,
    /// The number in the function. The path with 1 executed the most instructions.
    rank: usize,
    count: Exact,
    instructions: u64,
    blocks: Vec<u32>,
    #[serde(flatten)]
    written: PathSteps,
    /// The edges, one of which ends the path, if it goes on elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    last: Vec<u32>,
}

/// Texts, without repetitions.
#[derive(Default)]
struct Texts<'a> {
    all: Vec<String>,
    known: HashMap<&'a str, u32>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> u32 {
        let next = self.all.len() as u32;
        *self.known.entry(text).or_insert_with(|| {
            self.all.push(shown(text).into_owned());
            next
        })
    }
}

/// Returns the payload of `function`.
pub(super) fn function(function: &Function, report: &Report, files: &Files<'_>) -> Payload {
    let mut texts = Texts::default();
    let locations = locations(function, files, &mut texts);
    let blocks = blocks(function, &mut texts);
    let mut collector = StepCollector::of_numbered();
    let wording = Wording::of(&report.modules[function.module]);
    let written = collector.collect(function, wording, &function.paths.iter().collect::<Vec<_>>());
    let cuts = cuts(function);
    let ranks = path_ranks::ranks(function);
    let rank = |path: &Path| ranks.get(&path.id).copied().unwrap_or_default();
    let written = function.paths.iter().zip(written);
    let paths = written.map(|(of, written)| path(of, rank(of), written, &cuts)).collect();
    Payload {
        locations,
        blocks,
        edges: edges(function),
        lines: lines(function, report, files),
        steps: collector.into_steps(),
        paths,
        texts: texts.all,
    }
}

fn locations<'a>(function: &'a Function, files: &Files<'_>, texts: &mut Texts<'a>) -> Locations {
    let mut columns = Locations::default();
    let mut line = Differences::default();
    for at in &function.shape.locations {
        columns.file.push(files.number(function.module, &at.file));
        columns.line.push(line.next(at.line));
        columns.column.push(at.column);
        columns.owner.push(texts.number(&at.function));
        columns.call.push(at.inlined_at);
    }
    columns
}

/// Returns text of several lines without invisible characters.
fn multiline(text: &str) -> String {
    text.split('\n').map(|line| shown(line).into_owned()).collect::<Vec<_>>().join("\n")
}

fn blocks<'a>(function: &'a Function, texts: &mut Texts<'a>) -> Blocks {
    let mut columns = Blocks::default();
    if function.shape.blocks.iter().any(|block| !block.ir.is_empty()) {
        let lines = function.shape.blocks.iter().map(|block| block.ir.join("\n"));
        columns.ir = lines.map(|lines| multiline(&lines)).collect();
    }
    for (id, block) in function.shape.blocks.iter().enumerate() {
        columns.name.push(shown(&block.name).into_owned());
        columns.count.push(function.knows(id).then(|| Exact(function.block_counts[id])));
        columns.instructions.push(instructions(&block.opcodes));
        let opcodes =
            block.opcodes.iter().flat_map(|(opcode, count)| [texts.number(opcode), *count]);
        columns.opcodes.push(opcodes.collect());
        columns.locations.push(block.locations.clone());
        columns.calls.push(calls(function, id, texts));
        columns.exit.push(match block.exit {
            None => "",
            Some(Exit::Return) => "return",
            Some(Exit::Unwind) => "unwind",
            Some(Exit::NoReturn) => "no return",
        });
        if function.is_in_doubt(id) {
            columns.doubt.push(id);
        }
    }
    columns
}

fn calls<'a>(function: &'a Function, id: usize, texts: &mut Texts<'a>) -> Vec<Call> {
    let calls = (0..).zip(&function.shape.blocks[id].calls).map(|(number, call)| {
        let is_this = |site: &&CallSite| (site.block as usize, site.call) == (id, number);
        let site = function.sites.iter().find(is_this);
        let targets = site.map(|site| {
            site.targets.iter().map(|(name, count)| (texts.number(name), Exact(*count))).collect()
        });
        Call {
            callee: texts.number(&call.callee),
            location: call.location,
            targets,
            others: site.map(|site| Exact(site.others)),
        }
    });
    calls.collect()
}

fn edges(function: &Function) -> Edges {
    let mut columns = Edges::default();
    for (edge, count) in function.shape.edges.iter().zip(&function.edge_counts) {
        columns.from.push(edge.from);
        columns.to.push(edge.to);
        columns.count.push(count.map(Exact));
        columns.label.push(label(&edge.outcome));
        columns.cut.push(cut(function, edge));
    }
    columns
}

fn lines(function: &Function, report: &Report, files: &Files<'_>) -> Lines {
    let mut columns = Lines::default();
    let mut difference = Differences::default();
    let lines = lines::in_module(&report.modules[function.module], function);
    let unknown = unknown_lines(function);
    for (index, ((name, line, call), Executions { count, meaning })) in
        lines.into_iter().enumerate()
    {
        // A call on the line gives the count of its statement, whatever other blocks the line has.
        let is_known = meaning == Meaning::OfStatement || !unknown.contains(&(name, line, call));
        columns.vague.extend((is_known && meaning != Meaning::Exact).then_some(index));
        columns.file.push(files.number(function.module, name));
        columns.line.push(difference.next(line));
        columns.call.push(call);
        columns.count.push(is_known.then_some(Exact(count)));
    }
    columns
}

/// Returns the lines with a block of an unknown count.
fn unknown_lines(function: &Function) -> HashSet<Line<'_>> {
    let shape = &function.shape;
    let blocks = (0..).zip(&shape.blocks).filter(|(id, _)| !function.knows(*id));
    let locations = blocks.flat_map(|(_, block)| lines::locations(shape, block));
    locations.map(|at| (at.file.as_str(), at.line, at.inlined_at)).collect()
}

/// Returns the label of a way on, from the source. The machine may test the opposite of the
/// source's condition, so the ways of a branch have no label and are named by their targets.
fn label(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Jump | Outcome::Normal | Outcome::True | Outcome::False => String::new(),
        Outcome::Cases(values) => {
            let values: Vec<_> = values.iter().map(i64::to_string).collect();
            format!("case {}", values.join(", "))
        }
        Outcome::Default => "default".into(),
        Outcome::Unwind => "throws".into(),
        Outcome::Indirect => "goto".into(),
        Outcome::Suspended => "suspends".into(),
        Outcome::Resumed => "resumed".into(),
        Outcome::Destroyed => "destroyed".into(),
    }
}

/// Returns the reason why paths end at an edge.
fn cut(function: &Function, edge: &Edge) -> &'static str {
    let end = edge.cut.and_then(|(end, _)| function.shape.dag.get(end as usize));
    match end.map(|end| end.kind) {
        Some(DagEdgeKind::End { why: CutReason::BackEdge, .. }) => "back",
        Some(DagEdgeKind::End { why: CutReason::LoopEntry, .. }) => "entry",
        Some(DagEdgeKind::End { why: CutReason::Opaque, .. }) => "opaque",
        Some(DagEdgeKind::End { why: CutReason::Limit, .. }) => "limit",
        Some(DagEdgeKind::End { why: CutReason::Call, .. }) => "call",
        Some(DagEdgeKind::End { why: CutReason::Register, .. }) => "register",
        _ => "",
    }
}

/// Returns the edges that are cut, by the end of the paths there.
fn cuts(function: &Function) -> HashMap<u32, Vec<u32>> {
    let mut cuts: HashMap<u32, Vec<u32>> = HashMap::new();
    for (index, edge) in (0..).zip(&function.shape.edges) {
        edge.cut.into_iter().for_each(|(end, _)| cuts.entry(end).or_default().push(index));
    }
    cuts
}

fn path(path: &Path, rank: usize, written: PathSteps, cuts: &HashMap<u32, Vec<u32>>) -> PathEntry {
    PathEntry {
        id: path.id.to_string(),
        rank,
        count: Exact(path.count),
        instructions: path.instructions,
        blocks: path.blocks.clone(),
        written,
        last: path.last.and_then(|end| cuts.get(&end)).cloned().unwrap_or_default(),
    }
}
