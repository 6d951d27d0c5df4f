//! The model of an execution: images, runs, functions, and the executed paths of each function.
//!
//! It consists of plain values, without input, output or presentation. The static facts of a
//! function are those of its manifest. The dynamic facts are the counts of paths, blocks and edges.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display, Formatter};
use std::path::{Path as FilePath, PathBuf};

use pathformat::manifest;
use pathformat::settings::{Level, Mode, Stage};
use profile::names;
pub use profile::run::{Count, Image, ProcessId, Run};
use serde::Serialize;

/// The content of the profiles.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The images that ran.
    pub images: Vec<Image>,
    /// The runs (processes) whose counts are summed, in the order of the profiles.
    pub runs: Vec<Run>,
    /// The translation units of all images.
    pub modules: Vec<Module>,
    /// All functions, executed or not, counted or skipped, in the order of the images' modules.
    pub functions: Vec<Function>,
    /// Functions without code in any image, because the optimiser or the linker found that nothing
    /// calls them. They never ran. Only units that are instrumented at the start of the pipeline
    /// (`early`) list them: in others the optimiser drops them before the pass runs.
    pub dropped: Vec<Function>,
}

/// A translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The source file, as it was given to the compiler.
    pub source: String,
    /// The compiler's working directory.
    pub directory: String,
    /// The mode: the things that are counted.
    pub mode: Mode,
    /// The stage of the pipeline at which the pass ran.
    pub stage: Stage,
    /// The level of optimisation of the pipeline.
    pub level: Level,
    /// Directories of system headers that its command line or environment names. Relative ones
    /// start from `directory`.
    pub system_directories: Vec<String>,
    /// True if counters of loops may be in registers while the loops run.
    pub promotes: bool,
    /// The loops of which that is known: the symbol of the function, and the header.
    pub promoted_loops: Vec<(String, u32)>,
    /// The maximum number of paths of a function before edges are cut.
    pub limit: u64,
}

impl Module {
    /// Returns the module that a manifest describes.
    pub fn of(manifest: &manifest::Manifest) -> Self {
        Self {
            source: manifest.source.clone(),
            directory: manifest.directory.clone(),
            mode: manifest.mode,
            stage: manifest.stage,
            level: manifest.level,
            system_directories: manifest.system_directories.clone(),
            promotes: manifest.promotes,
            promoted_loops: promoted_loops(manifest),
            limit: manifest.limit,
        }
    }

    /// Returns true if optimised code was counted, not the code of the source.
    pub fn is_optimised(&self) -> bool {
        self.stage != Stage::Early && self.level != Level::Zero
    }

    /// Returns the path of a file that the module names.
    pub fn path(&self, file: &str) -> PathBuf {
        FilePath::new(&self.directory).join(file)
    }
}

fn promoted_loops(manifest: &manifest::Manifest) -> Vec<(String, u32)> {
    let named = |of: &manifest::PromotedLoop| {
        let function = manifest.functions.get(of.function as usize)?;
        Some((function.name.clone(), of.header))
    };
    manifest.promoted_loops.iter().filter_map(named).collect()
}

/// One function of one image.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Index of the image.
    pub image: usize,
    /// Index of the module; for copies of an inline function, of the first one.
    pub module: usize,
    /// Name as the source writes it.
    pub demangled: String,
    /// The static facts.
    pub shape: manifest::Function,
    /// The kind of its counters.
    pub counting: Counting,
    /// The number of times it was entered.
    pub entries: Count,
    /// Executed paths, by ascending id. A path that has not ended may have an id beyond those of
    /// the possible paths. Where a table counts uncut paths, pieces of paths that are not in the
    /// table have such ids, too.
    pub paths: Vec<Path>,
    /// The number of executions of uncut paths that found no room in the table, and are shown as
    /// pieces.
    pub beyond_table: Count,
    /// For each block, the number of times it ran.
    pub block_counts: Vec<Count>,
    /// Where blocks, edges or calls are counted: the number of processes that were killed, or ended
    /// while other threads were running, and so may have been in the middle of the function. A
    /// count without its own counter may be off by one for each of their threads.
    pub interrupted: Count,
    /// The callees of its calls through pointers, where they are recorded.
    pub sites: Vec<CallSite>,
    /// For each edge of the control-flow graph, the number of times it was taken; `None` where the
    /// paths do not determine it.
    pub edge_counts: Vec<Option<Count>>,
}

/// The kind of counters in a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Nothing: it is skipped.
    #[default]
    Nothing,
    /// Its paths.
    Paths,
    /// Its blocks: enough of them have counters to determine the counts of all.
    Blocks,
    /// Its edges: enough of them have counters to determine the counts of all.
    Edges,
    /// Its calls. The counts of blocks without calls are unknown, and 0 here (see
    /// [`Function::knows`]).
    Calls,
}

impl Counting {
    /// Returns the kind of the counters of a function. `only_calls` is true if its unit counts only
    /// calls.
    pub fn of(shape: &manifest::Function, only_calls: bool) -> Self {
        match shape {
            _ if counts_paths(shape) => Self::Paths,
            _ if only_calls => Self::Calls,
            _ if !shape.counted_arcs.is_empty() => Self::Edges,
            _ if shape.counters() > 0 => Self::Blocks,
            _ => Self::Nothing,
        }
    }

    /// Returns true if paths are counted, or if there is nothing to count and so no path ran.
    pub fn is_of_paths(self) -> bool {
        matches!(self, Self::Paths | Self::Nothing)
    }

    /// Returns true if the counts of all blocks are known.
    pub fn knows_blocks(self) -> bool {
        self != Self::Calls
    }

    /// Returns true if blocks are counted, or edges, which determine the counts of blocks.
    pub fn is_of_blocks(self) -> bool {
        matches!(self, Self::Blocks | Self::Edges)
    }
}

/// Returns true if the counters of a function are for its paths.
pub fn counts_paths(shape: &manifest::Function) -> bool {
    shape.num_paths > 0
}

/// A call through a pointer, and its callees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The block.
    pub block: u32,
    /// Index among its calls.
    pub call: u32,
    /// Symbols of callees and the number of calls of each, most calls first.
    pub targets: Vec<(String, Count)>,
    /// The number of calls of other functions.
    pub others: Count,
}

/// Returns the number of path ids of a function: of uncut paths, if a table counts those. Some may
/// be of paths in flight.
pub fn num_ids(shape: &manifest::Function) -> u64 {
    shape.uncut.as_ref().map_or(shape.num_paths, |uncut| uncut.num_paths)
}

/// A path, by its number among the possible paths of its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct PathId(pub u64);

impl Display for PathId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An executed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its number among the function's possible paths.
    pub id: PathId,
    /// The number of times it ran.
    pub count: Count,
    /// The way it starts.
    pub start: Start,
    /// The way it ends.
    pub end: End,
    /// Index in the shape's `dag` of the edge that ends it; `None` if it has not ended.
    pub last: Option<u32>,
    /// Its basic blocks.
    pub blocks: Vec<u32>,
    /// Instructions of one execution; see [`instructions`]. Where a path may end with one of
    /// several edges, those of the edge with the most.
    pub instructions: u64,
}

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// At the function's entry.
    Entry,
    /// At a loop's header, after a back edge.
    Loop,
    /// After an edge that cannot hold code, or in machine code behind a call.
    Resume,
    /// After an edge that was cut because of the limit, or because no register is free.
    Cut,
}

/// The end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The function returns.
    Return,
    /// An exception propagates to the caller.
    Unwind,
    /// A call does not return.
    NoReturn,
    /// A back edge is taken.
    BackEdge,
    /// A loop is entered.
    LoopEntry,
    /// Control continues, but the path is cut here.
    Cut,
    /// The path has not ended: the function was still running when the counters were read, or was
    /// jumped over. The path has the blocks that are known to have been entered.
    InFlight,
}

impl Start {
    /// Returns its name in exports.
    pub fn key(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Loop => "loop",
            Self::Resume => "resume",
            Self::Cut => "cut",
        }
    }
}

impl End {
    /// Returns true if control stays in the frame, and another path begins where this one ends.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::BackEdge | Self::LoopEntry | Self::Cut)
    }

    /// Returns its name in exports.
    pub fn key(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Unwind => "unwind",
            Self::NoReturn => "noreturn",
            Self::BackEdge => "back_edge",
            Self::LoopEntry => "loop_entry",
            Self::Cut => "cut",
            Self::InFlight => "in_flight",
        }
    }

    /// Returns its name in texts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Unwind => "unwind",
            Self::NoReturn => "no return",
            Self::BackEdge | Self::LoopEntry => "loop",
            Self::Cut => "cut",
            Self::InFlight => "in flight",
        }
    }
}

impl Path {
    /// Returns the instructions of all its executions.
    pub fn executed(&self) -> Count {
        self.count.saturating_mul(Count::from(self.instructions))
    }
}

impl Ran<'_> {
    /// Returns the number of instructions that were executed.
    pub fn executed(&self) -> Count {
        self.count.saturating_mul(Count::from(instructions(self.opcodes)))
    }
}

/// The opcodes of instructions that cost nothing.
pub const PHI: [&str; 2] = ["phi", "vector phi"];

/// The number of instructions of each opcode.
pub type Opcodes = [(Cow<'static, str>, u32)];

/// Returns the number of instructions of a block, or of those that run on an edge only. `phi` is
/// left out: it costs nothing by itself, since it only selects a value by incoming edge.
pub fn instructions(opcodes: &Opcodes) -> u64 {
    let costs = |opcode: &str| !PHI.contains(&opcode);
    opcodes.iter().filter(|(opcode, _)| costs(opcode)).map(|&(_, count)| u64::from(count)).sum()
}

/// Instructions that ran equally often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran<'a> {
    /// Their block.
    pub block: usize,
    /// The instructions.
    pub opcodes: &'a Opcodes,
    /// The number of times that they ran.
    pub count: Count,
}

impl Function {
    /// Returns the name without parameters and return type, or else the whole one.
    pub fn short_name(&self) -> String {
        names::short(&self.shape).unwrap_or_else(|| self.demangled.clone())
    }

    /// Returns the instructions that it executed, without those of its callees, in an order of
    /// blocks and edges; nothing where only calls are counted.
    ///
    /// Where the paths do not tell edges apart, the one with the most instructions of its own is
    /// taken to be the one that was taken.
    pub fn ran(&self) -> impl Iterator<Item = Ran<'_>> {
        let blocks = if self.counting.knows_blocks() { self.shape.blocks.as_slice() } else { &[] };
        let edges = if self.counting.knows_blocks() { self.shape.edges.as_slice() } else { &[] };
        let of_blocks = blocks.iter().zip(&self.block_counts).enumerate();
        let of_blocks =
            of_blocks.map(|(block, (of, &count))| Ran { block, opcodes: &of.opcodes, count });
        let of_edges = edges.iter().zip(&self.edge_counts).map(|(edge, count)| Ran {
            block: edge.from as usize,
            opcodes: &edge.opcodes,
            count: count.unwrap_or_default(),
        });
        of_blocks.chain(of_edges).chain(self.ran_on_unknown_edges())
    }

    /// Returns for each block what is taken to run on the edges out of it whose count is unknown.
    fn ran_on_unknown_edges(&self) -> Vec<Ran<'_>> {
        let edges = || self.shape.edges.iter().zip(&self.edge_counts);
        let mut most: BTreeMap<u32, &Opcodes> = BTreeMap::new();
        for (edge, _) in edges().filter(|(edge, count)| count.is_none() && !edge.opcodes.is_empty())
        {
            let known = most.entry(edge.from).or_insert(&edge.opcodes);
            if instructions(&edge.opcodes) > instructions(known) {
                *known = &edge.opcodes;
            }
        }
        let mut taken: BTreeMap<u32, Count> = BTreeMap::new();
        for (edge, count) in edges().filter(|(edge, _)| most.contains_key(&edge.from)) {
            let sum = taken.entry(edge.from).or_default();
            *sum = sum.saturating_add(count.unwrap_or_default());
        }
        let all = |block: u32| self.block_counts.get(block as usize).copied().unwrap_or_default();
        let left = |block: u32| all(block).saturating_sub(taken[&block]);
        most.into_iter()
            .map(|(block, opcodes)| Ran { block: block as usize, opcodes, count: left(block) })
            .collect()
    }

    /// Returns the instructions that it executed, without those of its callees; 0 where only calls
    /// are counted.
    pub fn executed(&self) -> Count {
        self.ran().fold(0, |sum: Count, ran| sum.saturating_add(ran.executed()))
    }

    /// Returns the instructions that each of its blocks executed; 0 where only calls are counted.
    pub fn executed_by_block(&self) -> Vec<Count> {
        let mut executed = vec![0; self.shape.blocks.len()];
        for ran in self.ran() {
            if let Some(sum) = executed.get_mut(ran.block) {
                *sum = Count::saturating_add(*sum, ran.executed());
            }
        }
        executed
    }

    /// Returns the number of calls that it made, without inline assembly and intrinsics.
    pub fn calls(&self) -> Count {
        let blocks = self.shape.blocks.iter().zip(&self.block_counts);
        blocks.fold(0, |sum: Count, (block, &count)| {
            sum.saturating_add(count.saturating_mul(block.calls.len() as Count))
        })
    }

    /// Returns true if the count of a block is known.
    pub fn knows(&self, block: usize) -> bool {
        self.counting.knows_blocks()
            || u32::try_from(block).is_ok_and(|block| self.shape.knows_calls(block))
    }

    /// Returns true if the count of a block may be wrong, see [`interrupted`](Self::interrupted).
    pub fn is_in_doubt(&self, block: usize) -> bool {
        self.interrupted > 0
            && u32::try_from(block).is_ok_and(|block| !self.shape.counted_blocks.contains(&block))
    }

    /// Returns the number of its paths. Paths in flight are not included: they are parts of others.
    pub fn num_paths(&self) -> u64 {
        let in_flight = if self.shape.uncut.is_some() { 0 } else { self.shape.in_flight_paths };
        num_ids(&self.shape).saturating_sub(in_flight)
    }

    /// Returns the executed paths that have ended, without pieces of uncut paths.
    pub fn completed(&self) -> impl Iterator<Item = &Path> {
        let possible = num_ids(&self.shape);
        self.paths.iter().filter(move |path| path.end != End::InFlight && path.id.0 < possible)
    }

    /// Returns the number of executions of paths to their end.
    pub fn path_runs(&self) -> Count {
        self.completed().fold(0, |sum: Count, path| sum.saturating_add(path.count))
    }

    /// Returns the number of paths that were in flight when their frames were left.
    pub fn paths_in_flight(&self) -> Count {
        self.paths.iter().filter(|path| path.end == End::InFlight).count() as Count
    }

    /// Returns true if it has a location with a source line.
    pub fn has_lines(&self) -> bool {
        self.shape.locations.iter().any(|location| location.line != 0)
    }

    /// Returns true if paths end because of the limit, or because no register is free.
    pub fn is_cut_short(&self) -> bool {
        [manifest::CutReason::Limit, manifest::CutReason::Register]
            .into_iter()
            .any(|reason| self.cuts(reason) > 0)
    }

    /// Returns the number of edges that are cut for this reason.
    pub fn cuts(&self, reason: manifest::CutReason) -> usize {
        // Where a table has all paths that the limit cuts, the limit has no effect.
        let uncut = self.shape.uncut.as_ref().filter(|_| self.beyond_table == 0);
        let why = |index: u32| {
            uncut
                .map_or(&self.shape.dag, |uncut| &uncut.dag)
                .get(index as usize)
                .map(|edge| edge.kind)
        };
        let matches =
            |end| matches!(why(end), Some(manifest::DagEdgeKind::End { why, .. }) if why == reason);
        match uncut {
            Some(uncut) => uncut.cuts.iter().flatten().filter(|(end, _)| matches(*end)).count(),
            None => self
                .shape
                .edges
                .iter()
                .filter_map(|edge| edge.cut)
                .filter(|&(end, _)| matches(end))
                .count(),
        }
    }
}

/// The value for modules that differ.
pub const MIXED: &str = "mixed";

impl Report {
    /// Returns for each run the number of its process, in order of appearance. Images of one
    /// process share a number.
    pub fn processes(&self) -> Vec<usize> {
        let mut known: HashMap<ProcessId<'_>, usize> = HashMap::new();
        let mut count = 0;
        let mut number = |run| {
            let mut fresh = || {
                count += 1;
                count - 1
            };
            match Run::process(run) {
                Some(process) => *known.entry(process).or_insert_with(fresh),
                None => fresh(),
            }
        };
        self.runs.iter().map(&mut number).collect()
    }

    /// Returns the instrumented functions.
    pub fn counted(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.shape.skipped.is_none())
    }

    /// Returns the functions of the sources: the instrumented ones, then those that no image
    /// contains.
    pub fn of_source(&self) -> impl Iterator<Item = &Function> {
        self.counted().chain(&self.dropped)
    }

    /// Returns the instrumented functions whose blocks all have counts.
    pub fn with_blocks(&self) -> impl Iterator<Item = &Function> {
        self.counted().filter(|function| function.counting.knows_blocks())
    }

    /// Returns the instructions that all functions executed.
    pub fn executed(&self) -> Count {
        self.functions
            .iter()
            .fold(0, |sum: Count, function| sum.saturating_add(function.executed()))
    }

    /// Returns what is counted as an instruction: LLVM's, or one of the machine.
    pub fn instructions(&self) -> &'static str {
        let is_machine = |module: &Module| module.stage == Stage::Machine;
        match (self.modules.iter().any(is_machine), self.modules.iter().all(is_machine)) {
            (false, _) => "LLVM instructions",
            (true, true) => "machine instructions",
            (true, false) => "instructions of LLVM's and of the machine",
        }
    }

    /// Returns the value that all modules share, or `mixed` if they differ (empty without modules).
    pub fn common(&self, what: impl Fn(&Module) -> &'static str) -> &'static str {
        let mut modules = self.modules.iter().map(&what);
        let first = modules.next().unwrap_or_default();
        if modules.all(|other| other == first) { first } else { MIXED }
    }
}
