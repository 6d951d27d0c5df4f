//! Computes the counts of functions, lines and branches of each source file, over all copies of the
//! code.
//!
//! A line may have several copies: one for each instance of a template, each place where it was
//! inlined, each unit that includes it. The copies are counted [as gcov counts them](crate::lines),
//! then summed.
//!
//! A branch is a place in the source where control can go several ways. Ways that only an exception
//! takes are left out, and so are the outcomes of a suspended coroutine and the branches that the
//! compiler made: the source does not choose them.
//!
//! Functions that the compiler [made] are not functions of the source. The lines of the source in
//! them are kept. A constructor or destructor may be several functions in the code; the entries of
//! those that are not made are summed.
//!
//! [made]: pathformat::manifest::Function::is_made
//!
//! Functions that are not counted are left out, since the counts of their lines are unknown.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use pathformat::manifest::{Chooser, Outcome};

use crate::lines::{self, locations};
use crate::model::{Count, Counting, Function, Module, Report};
use crate::path_text::Wording;
use crate::ways::{self, Ways};

/// The counts of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its name, as it was given to the compiler.
    pub name: String,
    /// Its functions by line and symbol, and the entries of each.
    pub functions: BTreeMap<(u32, String), Count>,
    /// Its lines with code, and the count of each.
    pub lines: BTreeMap<u32, Count>,
    /// Its branches by place: the ways in the order of the code.
    pub branches: BTreeMap<BranchPlace, Vec<BranchWay>>,
}

/// The place of a branch. Copies of the code have their branches at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchPlace {
    /// Line, from 1.
    pub line: u32,
    /// Column, or 0.
    pub column: u32,
    /// The index among several branches at the same place, as in a macro.
    pub copy: u32,
}

/// One way out of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchWay {
    /// The outcome for which control takes it.
    pub outcome: Outcome,
    /// The word for the outcome, if there is one, and the target in the first copy.
    pub target: (Option<String>, String),
    /// The number of times it was taken; `None` if the paths do not determine it.
    pub taken: Option<Count>,
}

/// The number of things that were executed, and of all things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// The number that was executed.
    pub executed: Count,
    /// The number of all.
    pub all: Count,
}

impl Covered {
    /// Adds one thing.
    pub fn add(&mut self, executed: bool) {
        *self = self.and(Self { executed: executed.into(), all: 1 });
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            executed: self.executed.saturating_add(other.executed),
            all: self.all.saturating_add(other.all),
        }
    }

    /// Returns true if at least this percentage was executed. If there is nothing, the percentage
    /// is 0.
    pub fn reaches(self, percent: f64) -> bool {
        self.executed as f64 * 100.0 >= percent * self.all as f64
            && (self.all > 0 || percent == 0.0)
    }

    fn of(executed: impl Iterator<Item = bool>) -> Self {
        let mut covered = Self::default();
        executed.for_each(|executed| covered.add(executed));
        covered
    }
}

impl SourceFile {
    /// Returns the coverage of its functions: those that were entered are covered.
    pub fn function_coverage(&self) -> Covered {
        Covered::of(self.functions.values().map(|&count| count > 0))
    }

    /// Returns the coverage of its lines with code.
    pub fn line_coverage(&self) -> Covered {
        Covered::of(self.lines.values().map(|&count| count > 0))
    }

    /// Returns the coverage of the ways out of its branches, without those of unknown counts.
    pub fn branch_coverage(&self) -> Covered {
        Covered::of(
            self.branches.values().flatten().filter_map(|way| way.taken).map(|count| count > 0),
        )
    }

    /// Returns the number of ways out of its branches whose counts are unknown.
    pub fn unknown_ways(&self) -> usize {
        self.branches.values().flatten().filter(|way| way.taken.is_none()).count()
    }
}

/// Returns all files with code of these functions, by absolute path.
pub fn files<'a>(
    report: &'a Report,
    functions: impl IntoIterator<Item = &'a Function>,
) -> BTreeMap<PathBuf, SourceFile> {
    let mut files = Files::default();
    for function in functions {
        files.add(&report.modules[function.module], function);
    }
    files.0
}

#[derive(Default)]
struct Files(BTreeMap<PathBuf, SourceFile>);

impl Files {
    /// Returns the file that a module calls `name`; `None` without debug information.
    fn get(&mut self, module: &Module, name: &str) -> Option<&mut SourceFile> {
        let fresh = || SourceFile { name: name.into(), ..SourceFile::default() };
        if name.is_empty() {
            return None;
        }
        Some(self.0.entry(module.path(name)).or_insert_with(fresh))
    }

    fn add(&mut self, module: &Module, function: &Function) {
        let shape = &function.shape;
        if !shape.is_made
            && let Some(file) = self.get(module, &shape.file)
        {
            let is_same = |(_, name): &&(u32, String)| are_variants(name, &shape.name);
            let of_line = (shape.line, String::new())..(shape.line + 1, String::new());
            let known = file.functions.range(of_line).map(|(key, _)| key).find(is_same).cloned();
            let key = known.unwrap_or_else(|| (shape.line, shape.name.clone()));
            let entries = file.functions.entry(key).or_default();
            *entries = entries.saturating_add(function.entries);
        }
        if function.counting == Counting::Calls {
            return;
        }
        // Looking up a file takes longer than adding a line.
        let lines: Vec<_> = lines::of(function).into_iter().collect();
        for of_file in lines.chunk_by(|((one, ..), _), ((other, ..), _)| one == other) {
            let Some(file) = self.get(module, of_file[0].0.0) else { continue };
            for ((_, line, _), count) in of_file {
                let sum = file.lines.entry(*line).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
        for ((name, place), ways) in branches(module, function) {
            if let Some(file) = self.get(module, name) {
                add_ways(file.branches.entry(place).or_default(), ways);
            }
        }
    }
}

/// Returns true if two symbols are of one function of the source: they are equal, or differ only in
/// the number of the variant of a constructor or destructor (`_ZN1AC1Ev`, `_ZN1AC2Ev`).
fn are_variants(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let differs = |at: &usize| one[*at] != other[*at];
    one == other
        || one.len() == other.len() && one.starts_with(b"_Z") && {
            let mut places = (0..one.len()).filter(differs);
            let at = places.next().unwrap_or_default();
            let is_variant = |of: &[u8]| {
                matches!(of[at - 1], b'C' | b'D')
                    && matches!(of[at], b'0'..=b'5')
                    && of[at + 1] == b'E'
            };
            places.next().is_none() && at + 1 < one.len() && is_variant(one) && is_variant(other)
        }
}

/// Groups `functions` by function of the source, in the order of the first of each group.
pub fn by_source<'a>(report: &Report, functions: &[&'a Function]) -> Vec<Vec<&'a Function>> {
    let mut groups: Vec<Vec<&Function>> = Vec::new();
    let mut at_place: HashMap<(PathBuf, u32), Vec<usize>> = HashMap::new();
    for &function in functions {
        let shape = &function.shape;
        let of_line = match shape.line {
            0 => &mut Vec::new(),
            line => {
                let path = report.modules[function.module].path(&shape.file);
                at_place.entry((path, line)).or_default()
            }
        };
        let is_same = |at: &&usize| are_variants(&groups[**at][0].shape.name, &shape.name);
        match of_line.iter().find(is_same) {
            Some(&at) => groups[at].push(function),
            None => {
                of_line.push(groups.len());
                groups.push(vec![function]);
            }
        }
    }
    groups
}

/// Adds the ways of one copy of a branch to those of the others.
fn add_ways(known: &mut Vec<BranchWay>, ways: Vec<BranchWay>) {
    for way in ways {
        match known.iter_mut().find(|known| known.outcome == way.outcome) {
            Some(known) => {
                known.taken =
                    known.taken.zip(way.taken).map(|(one, other)| one.saturating_add(other))
            }
            None => known.push(way),
        }
    }
}

/// Returns true if the source chooses an outcome. It does not choose exceptions, nor the outcomes
/// of a suspended coroutine.
fn is_of_source(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::True
        | Outcome::False
        | Outcome::Cases(_)
        | Outcome::Default
        | Outcome::Indirect => true,
        Outcome::Jump | Outcome::Normal | Outcome::Unwind => false,
        Outcome::Suspended | Outcome::Resumed | Outcome::Destroyed => false,
    }
}

/// Returns the branches of one function: file and place, and its ways.
fn branches<'a>(
    module: &Module,
    function: &'a Function,
) -> Vec<((&'a str, BranchPlace), Vec<BranchWay>)> {
    let shape = &function.shape;
    let mut choices = vec![0; shape.blocks.len()];
    let is_chosen = |from: u32| shape.blocks[from as usize].chooser == Chooser::Source;
    let chosen = shape.edges.iter().filter(|edge| is_chosen(edge.from));
    for edge in chosen.filter(|edge| is_of_source(&edge.outcome)) {
        choices[edge.from as usize] += 1;
    }
    let ways_out = Ways::new(function, Wording::of(module));
    let way = |way: ways::Way| {
        let outcome = &shape.edges[way.edge].outcome;
        let (target, taken) = ((way.word, way.place), way.taken);
        is_of_source(outcome).then(|| BranchWay { outcome: outcome.clone(), target, taken })
    };
    let mut seen: BTreeMap<_, u32> = BTreeMap::new();
    let mut branches = Vec::new();
    for (number, _) in choices.into_iter().enumerate().filter(|(_, choices)| *choices > 1) {
        // A terminator is at the end of its block, and so is its line.
        let block = &shape.blocks[number];
        let Some(location) = locations(shape, block).next_back() else { continue };
        let ways = ways_out.out_of(number).into_iter().filter_map(way).collect();
        let copy = seen
            .entry((location.file.as_str(), location.line, location.column, location.inlined_at))
            .or_default();
        let place = BranchPlace { line: location.line, column: location.column, copy: *copy };
        *copy += 1;
        branches.push(((location.file.as_str(), place), ways));
    }
    branches
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sample;

    fn shown(covered: Covered) -> String {
        format!("{}/{}", covered.executed, covered.all)
    }

    #[test]
    fn functions_lines_and_branches_are_those_of_the_blocks() {
        let report = sample::report();
        let files = files(&report, report.counted());
        let rows: Vec<_> = files
            .iter()
            .map(|(path, file)| {
                let [functions, lines, branches] =
                    [file.function_coverage(), file.line_coverage(), file.branch_coverage()]
                        .map(shown);
                format!("{} ({}) {functions} {lines} {branches}", path.display(), file.name)
            })
            .collect();
        assert_eq!(
            rows,
            [
                "/build/include/util.h (include/util.h) 1/1 2/2 0/0",
                "/build/src/main.c (src/main.c) 2/2 12/12 7/7"
            ]
        );
    }

    #[test]
    fn a_line_ran_as_often_as_control_came_to_it_in_each_copy() {
        let report = sample::report();
        let files = files(&report, report.counted());
        let main = &files[Path::new("/build/src/main.c")];
        // The loop's body and its branch, counted as blocks: see the tests of `decode`.
        assert_eq!((main.lines[&13], main.lines[&12], main.lines[&18]), (1_274_572, 1_274_572, 3));
        let weigh = report
            .functions
            .iter()
            .find(|of| of.demangled == "util::weigh(int)")
            .expect("a function");
        let inlined = report
            .functions
            .iter()
            .find(|of| of.demangled == "main")
            .expect("a function")
            .block_counts[1];
        assert_eq!(
            files[Path::new("/build/include/util.h")].lines[&5],
            weigh.block_counts[0] + inlined
        );
    }

    #[test]
    fn variants_of_a_constructor_are_one_function() {
        for (one, other) in [("_ZN1AC1Ev", "_ZN1AC2Ev"), ("_ZN1AIiED2Ev", "_ZN1AIiED1Ev")] {
            assert!(are_variants(one, other) && are_variants(one, one), "{one} {other}");
        }
        for (one, other) in [
            ("_ZN1AC1Ev", "_ZN1BC1Ev"),
            ("_ZN1AC1Ev", "_ZN1AD1Ev"),
            ("_ZN1AC1Ei", "_ZN1AC2Ev"),
            ("_Z2C1i", "_Z2C2i"),
            ("C1E", "C2E"),
            ("_ZN1AC1Ev", "_ZN1AC1Evv"),
            ("", "_Z"),
        ] {
            assert!(!are_variants(one, other), "{one} {other}");
        }
    }

    #[test]
    fn what_the_compiler_chose_is_no_branch() {
        let mut report = sample::report();
        let branches = |report: &Report| {
            files(report, report.counted())[Path::new("/build/src/main.c")].branch_coverage()
        };
        assert_eq!(shown(branches(&report)), "7/7");
        report.functions[0].shape.blocks[1].chooser = Chooser::Compiler;
        assert_eq!(shown(branches(&report)), "5/5");
    }

    #[test]
    fn what_the_compiler_made_is_no_function() {
        let mut report = sample::report();
        report.functions[0].shape.is_made = true;
        let files = files(&report, report.counted());
        let main = &files[Path::new("/build/src/main.c")];
        assert_eq!((shown(main.function_coverage()), main.lines[&13]), ("1/1".into(), 1_274_572));
    }

    #[test]
    fn a_branch_that_the_paths_do_not_tell_of_is_not_counted() {
        let mut report = sample::report();
        report.functions[0].edge_counts[1] = None;
        let files = files(&report, report.counted());
        assert_eq!(shown(files[Path::new("/build/src/main.c")].branch_coverage()), "6/6");
    }
}
