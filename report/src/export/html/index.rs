//! The index: the data of all tables of functions, in columns.

use std::collections::{BTreeMap, HashMap};

use counts::listed_paths::ListedPath;
use counts::model::{Count, Counting, Function, Report};
use counts::origin::is_made;
use counts::path_ranks;
use counts::path_text::Wording;
use counts::possible_paths::Possible;
use counts::select::{self, Filter, Sort};
use pathformat::manifest::Outcome;
use profile::names;
use serde::Serialize;

use super::calls::{Calls, calls};
use super::coverage::{Coverages, Row};
use super::files::{FileEntry, Files};
use super::path_steps;
use super::payload::{Exact, shown};
use super::runs::{ImageEntry, Runs, images, runs};
use crate::schema;

/// The number of paths of the program on the first page.
const TOP_PATHS: usize = 30;

/// The largest number of characters in the text of a path on the first page.
const LONGEST_TEXT: usize = 400;

/// The index.
#[derive(Serialize)]
pub(super) struct Index<'a> {
    schema: &'static str,
    mode: &'static str,
    stage: &'static str,
    executed: Exact,
    images: Vec<ImageEntry>,
    runs: Runs,
    files: Vec<FileEntry>,
    modules: Vec<(String, String)>,
    /// The classes of opcodes.
    classes: Vec<String>,
    functions: Functions,
    calls: Calls,
    top: Vec<TopPath>,
    coverage: &'a [Row],
    /// True if all counts are of the code before it was optimised.
    early: bool,
}

/// Columns with an entry for each function.
#[derive(Default, Serialize)]
struct Functions {
    symbol: Vec<String>,
    name: Vec<String>,
    /// The name without parameters.
    short: Vec<String>,
    file: Vec<Option<u32>>,
    line: Vec<u32>,
    image: Vec<usize>,
    module: Vec<usize>,
    /// The kind of counting, and the reason if nothing is counted.
    counting: Vec<&'static str>,
    skipped: Vec<Option<String>>,
    made: Vec<bool>,
    entries: Vec<Exact>,
    executed: Vec<Exact>,
    executed_paths: Vec<Exact>,
    possible_paths: Vec<Exact>,
    /// The number of paths without the limit, for functions with cuts at the limit.
    uncut: Vec<Option<String>>,
    blocks: Vec<usize>,
    executed_blocks: Vec<usize>,
    interrupted: Vec<Exact>,
    /// The share of executions of branches that took the most frequent way.
    bias: Vec<Option<f64>>,
    /// The class and the count, in turn.
    opcodes: Vec<Vec<Exact>>,
}

#[derive(Serialize)]
struct TopPath {
    function: usize,
    id: String,
    /// The number in the function.
    rank: usize,
    count: Exact,
    executed: Exact,
    text: String,
}

/// Returns the index of a report.
pub(super) fn index<'a>(
    report: &Report,
    files: &Files<'_>,
    coverage: &'a Coverages,
    class_of: fn(&str) -> String,
) -> Index<'a> {
    let mut classes = Classes { of: class_of, all: Vec::new(), known: HashMap::new() };
    let mut columns = Functions::default();
    for function in &report.functions {
        columns.add(function, files, &mut classes);
    }
    Index {
        schema: schema::REPORT_PAGE,
        mode: report.common(|module| module.mode.name()),
        stage: report.common(|module| module.stage.name()),
        early: report.common(|module| module.stage.name()) == "early",
        executed: Exact(report.executed()),
        images: images(report),
        runs: runs(report),
        files: files.index(report),
        modules: report
            .modules
            .iter()
            .map(|module| {
                (shown(&module.source).into_owned(), shown(&module.directory).into_owned())
            })
            .collect(),
        classes: classes.all,
        functions: columns,
        calls: calls(report),
        top: top(report),
        coverage: &coverage.rows,
    }
}

/// Classes of opcodes, numbered.
struct Classes<'a> {
    of: fn(&str) -> String,
    all: Vec<String>,
    known: HashMap<&'a str, usize>,
}

impl<'a> Classes<'a> {
    fn number(&mut self, opcode: &'a str) -> usize {
        if let Some(&number) = self.known.get(opcode) {
            return number;
        }
        let class = (self.of)(opcode);
        let number = self.all.iter().position(|known| *known == class).unwrap_or_else(|| {
            self.all.push(class);
            self.all.len() - 1
        });
        self.known.insert(opcode, number);
        number
    }

    /// Returns the instructions that a function executed, by class.
    fn mix(&mut self, function: &'a Function) -> Vec<Exact> {
        let mut mix: BTreeMap<usize, Count> = BTreeMap::new();
        for ran in function.ran().filter(|ran| ran.count > 0) {
            for (opcode, times) in ran.opcodes {
                let sum = mix.entry(self.number(opcode)).or_default();
                *sum = sum.saturating_add(ran.count.saturating_mul(Count::from(*times)));
            }
        }
        mix.into_iter().flat_map(|(class, count)| [Exact(class as Count), Exact(count)]).collect()
    }
}

impl Functions {
    fn add<'a>(&mut self, function: &'a Function, files: &Files<'_>, classes: &mut Classes<'a>) {
        let shape = &function.shape;
        let text = |text: &str| shown(text).into_owned();
        self.symbol.push(text(&shape.name));
        self.name.push(text(&function.demangled));
        self.short.push(names::short(shape).as_deref().map(text).unwrap_or_default());
        self.file.push(files.number(function.module, &shape.file));
        self.line.push(shape.line);
        self.image.push(function.image);
        self.module.push(function.module);
        self.counting.push(match function.counting {
            Counting::Nothing => "nothing",
            Counting::Paths => "paths",
            Counting::Blocks => "blocks",
            Counting::Edges => "edges",
            Counting::Calls => "calls",
        });
        self.skipped.push(shape.skipped.as_deref().map(text));
        self.made.push(is_made(shape));
        self.entries.push(Exact(function.entries));
        self.executed.push(Exact(function.executed()));
        self.executed_paths.push(Exact(function.completed().count() as Count));
        self.possible_paths.push(Exact(function.num_paths().into()));
        self.uncut.push(function.is_cut_short().then(|| possible(Possible::of(shape))));
        self.blocks.push(shape.blocks.len());
        self.executed_blocks.push(function.block_counts.iter().filter(|&&ran| ran > 0).count());
        self.interrupted.push(Exact(function.interrupted));
        self.bias.push(bias(function));
        self.opcodes.push(classes.mix(function));
    }
}

fn possible(paths: Possible) -> String {
    match paths {
        Possible::Exactly(paths) => paths.to_string(),
        Possible::PowerOfTwo(exponent) => format!("2^{exponent}"),
        Possible::Beyond => "more than 2^1023".into(),
    }
}

/// Returns the bias of the branches of a function; `None` without a branch with known ways.
fn bias(function: &Function) -> Option<f64> {
    let shape = &function.shape;
    let mut ways: Vec<Vec<Option<Count>>> = vec![Vec::new(); shape.blocks.len()];
    for (edge, &count) in shape.edges.iter().zip(&function.edge_counts) {
        let is_choice = !matches!(edge.outcome, Outcome::Jump | Outcome::Normal | Outcome::Unwind);
        if is_choice {
            ways[edge.from as usize].push(count);
        }
    }
    let known = ways.into_iter().filter(|ways| ways.len() > 1);
    let known = known.filter_map(|ways| ways.into_iter().collect::<Option<Vec<Count>>>());
    let (most, all) = known.fold((0, 0), |(most, all): (Count, Count), ways| {
        let sum = ways.iter().fold(0, |sum: Count, &way| sum.saturating_add(way));
        let largest = ways.iter().max().copied().unwrap_or_default();
        (most.saturating_add(largest), all.saturating_add(sum))
    });
    (all > 0).then(|| most as f64 / all as f64)
}

/// Returns the paths that executed most. Those of system headers are left out, as in the terminal.
fn top(report: &Report) -> Vec<TopPath> {
    let functions = Filter::default().choose(report, report.counted()).functions;
    let numbers: HashMap<*const Function, usize> = report
        .functions
        .iter()
        .enumerate()
        .map(|(number, of)| (std::ptr::from_ref(of), number))
        .collect();
    let mut paths = select::paths(&functions, Sort::Instructions);
    paths.truncate(TOP_PATHS);
    let list: Vec<_> = paths
        .into_iter()
        .map(|(function, path)| {
            let wording = Wording::of(&report.modules[function.module]);
            ListedPath { function, path, wording }
        })
        .collect();
    let entry = |(listed, text): (&ListedPath<'_>, String)| {
        let ListedPath { function, path, .. } = *listed;
        TopPath {
            function: numbers.get(&std::ptr::from_ref(function)).copied().unwrap_or_default(),
            id: path.id.to_string(),
            rank: path_ranks::ranks(function).get(&path.id).copied().unwrap_or_default(),
            count: Exact(path.count),
            executed: Exact(path.executed()),
            text,
        }
    };
    list.iter().zip(path_steps::cut_numbered(&list, LONGEST_TEXT)).map(entry).collect()
}
