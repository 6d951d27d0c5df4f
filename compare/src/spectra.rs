//! Ranks executed elements by how well they distinguish failing runs from passing ones.
//!
//! The set of elements that a run executed is its *spectrum* (Reps, Ball, Das and Larus, *The Use
//! of Program Profiling for Software Maintenance with Applications to the Year 2000 Problem*,
//! ESEC/FSE 1997, whose spectra are of paths). For each element, only the numbers of failing and
//! passing runs that executed it are kept. Paths in flight are elements, too: they show where a run
//! crashed.
//!
//! Functions of several builds are the same if image, source file, name, CFG hash and number of
//! blocks are equal.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path as FilePath;

use counts::lines;
use counts::model::{Function, PathId, Report};
use counts::select::Filter;

use crate::formulas::{Formula, Runs, Score};

/// The kind of elements that are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementKind {
    /// Acyclic paths.
    Paths,
    /// Basic blocks.
    Blocks,
    /// Edges out of blocks that have several.
    Branches,
    /// Source lines.
    Lines,
}

/// All kinds.
pub const KINDS: [ElementKind; 4] =
    [ElementKind::Paths, ElementKind::Blocks, ElementKind::Branches, ElementKind::Lines];

/// An element that a run may execute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// A path of a function, by its id.
    Path(usize, PathId),
    /// A block of a function.
    Block(usize, u32),
    /// An edge of a function, by its index.
    Branch(usize, u32),
    /// A line of a file.
    Line(String, u32),
}

/// The identity of a function: image, source file, name, CFG hash, number of blocks.
type Identity = (String, String, String, u64, usize);

/// The elements that all runs executed.
#[derive(Debug, Default)]
pub struct Spectra {
    /// The number of runs.
    pub runs: Runs,
    /// The functions that ran, each with all paths that any run executed.
    pub functions: Vec<Function>,
    /// The build-ids of each image, by the name of its file.
    pub builds: BTreeMap<String, BTreeSet<Vec<u8>>>,
    by_identity: HashMap<Identity, usize>,
    paths: HashSet<(usize, PathId)>,
    executed: HashMap<Element, Runs>,
    /// The function that owns each line, behind true if the line was inlined into it.
    owners: HashMap<(String, u32), (bool, usize)>,
}

/// An element with its rank.
#[derive(Clone, Debug)]
pub struct Ranked<T> {
    /// The element.
    pub what: T,
    /// The number of runs that executed it.
    pub by: Runs,
    /// Its score.
    pub score: Score,
    /// Its rank, from 1, if elements of the same score are placed behind it.
    pub best: usize,
    /// Its rank if they are placed before it.
    pub worst: usize,
}

impl<T> Ranked<T> {
    /// Returns the mean rank of the elements of its score.
    pub fn mean(&self) -> f64 {
        (self.best + self.worst) as f64 / 2.0
    }
}

impl Spectra {
    /// Adds a run.
    pub fn add(&mut self, report: &Report, has_failed: bool) {
        let mut executed: HashSet<Element> = HashSet::new();
        for image in &report.images {
            let builds = self.builds.entry(file_name(&image.path)).or_default();
            builds.insert(image.build_id.clone());
        }
        for function in report.counted().filter(|of| of.block_counts.iter().any(|&c| c > 0)) {
            let number = self.number(report, function);
            executed.extend(self.of_function(number, function));
        }
        let count = |runs: &mut Runs| match has_failed {
            true => runs.failing += 1,
            false => runs.passing += 1,
        };
        count(&mut self.runs);
        for element in executed {
            count(self.executed.entry(element).or_default());
        }
    }

    /// Returns the number of a function among all functions.
    fn number(&mut self, report: &Report, function: &Function) -> usize {
        let image = report.images.get(function.image).map(|image| file_name(&image.path));
        let source = report.modules.get(function.module).map(|module| module.source.clone());
        let identity = (
            image.unwrap_or_default(),
            source.unwrap_or_default(),
            function.shape.name.clone(),
            function.shape.cfg_hash,
            function.shape.blocks.len(),
        );
        let functions = &mut self.functions;
        *self.by_identity.entry(identity).or_insert_with(|| {
            functions.push(Function { paths: Vec::new(), ..function.clone() });
            functions.len() - 1
        })
    }

    /// Returns the elements of a function that one run executed.
    fn of_function(&mut self, number: usize, function: &Function) -> Vec<Element> {
        let mut executed = Vec::new();
        for path in function.paths.iter().filter(|path| path.count > 0) {
            if self.paths.insert((number, path.id)) {
                self.functions[number].paths.push(path.clone());
            }
            executed.push(Element::Path(number, path.id));
        }
        let blocks = function.block_counts.iter().enumerate();
        let ran = blocks.filter(|(block, count)| **count > 0 && function.knows(*block));
        executed.extend(ran.map(|(block, _)| Element::Block(number, block as u32)));
        let mut ways = vec![0; function.shape.blocks.len()];
        function.shape.edges.iter().for_each(|edge| ways[edge.from as usize] += 1);
        let edges = function.shape.edges.iter().zip(&function.edge_counts).enumerate();
        let taken = edges.filter(|(_, (edge, count))| {
            ways[edge.from as usize] > 1 && count.is_some_and(|count| count > 0)
        });
        executed.extend(taken.map(|(edge, _)| Element::Branch(number, edge as u32)));
        for ((file, line, inlined_at), count) in lines::of(function) {
            let place = (file.to_owned(), line);
            let is_inlined = inlined_at.is_some();
            // The function whose text it is takes precedence over one that it was inlined into.
            let owner = self.owners.entry(place.clone()).or_insert((is_inlined, number));
            *owner = (*owner).min((is_inlined, number));
            if count > 0 {
                executed.push(Element::Line(place.0, place.1));
            }
        }
        executed
    }

    /// Returns the function of an element.
    pub fn function(&self, element: &Element) -> usize {
        match element {
            Element::Path(function, _)
            | Element::Block(function, _)
            | Element::Branch(function, _) => *function,
            Element::Line(file, line) => {
                self.owners.get(&(file.clone(), *line)).map_or(0, |&(_, function)| function)
            }
        }
    }

    /// Returns all elements of a kind that any run executed, the most suspicious first. Elements of
    /// the same score are in the order of functions, paths, blocks, lines. Only elements of
    /// functions that pass a filter are listed, but all elements count in the ranks.
    pub fn ranked(
        &self,
        kind: ElementKind,
        formula: Formula,
        filter: &Filter,
    ) -> Vec<Ranked<&Element>> {
        let of_kind = self.executed.iter().filter(|(element, _)| element.kind() == kind);
        let mut ranked = ranking(of_kind.map(|(element, by)| (element, *by)), formula, self.runs);
        let is_match: Vec<_> = self
            .functions
            .iter()
            .map(|function| filter.matches_at(FilePath::new(&function.shape.file), function))
            .collect();
        ranked.retain(|element| is_match[self.function(element.what)]);
        ranked
    }

    /// Returns the functions, each ranked by the most suspicious of its elements of a kind.
    pub fn ranked_functions(&self, kind: ElementKind, formula: Formula) -> Vec<Ranked<usize>> {
        let mut best: BTreeMap<usize, (Score, Runs)> = BTreeMap::new();
        for (element, by) in self.executed.iter().filter(|(element, _)| element.kind() == kind) {
            let found = (formula.score(*by, self.runs), *by);
            let known = best.entry(self.function(element)).or_insert(found);
            *known = (*known).max(found);
        }
        ranking(best.into_iter().map(|(function, (_, by))| (function, by)), formula, self.runs)
    }

    /// Returns the images of which the runs used different builds.
    pub fn rebuilt(&self) -> impl Iterator<Item = &str> {
        let several = self.builds.iter().filter(|(_, builds)| builds.len() > 1);
        several.map(|(image, _)| image.as_str())
    }
}

impl Element {
    /// Returns the kind of the element.
    pub fn kind(&self) -> ElementKind {
        match self {
            Self::Path(..) => ElementKind::Paths,
            Self::Block(..) => ElementKind::Blocks,
            Self::Branch(..) => ElementKind::Branches,
            Self::Line(..) => ElementKind::Lines,
        }
    }
}

/// Sorts by score, then by element, and assigns ranks.
fn ranking<T: Ord>(
    elements: impl Iterator<Item = (T, Runs)>,
    formula: Formula,
    all: Runs,
) -> Vec<Ranked<T>> {
    let scored = |(what, by)| Ranked { what, by, score: formula.score(by, all), best: 0, worst: 0 };
    let mut ranked: Vec<_> = elements.map(scored).collect();
    ranked
        .sort_by(|one, other| other.score.cmp(&one.score).then_with(|| one.what.cmp(&other.what)));
    let mut from = 0;
    while from < ranked.len() {
        let same = ranked[from..].iter().take_while(|other| other.score == ranked[from].score);
        let to = from + same.count();
        for element in &mut ranked[from..to] {
            (element.best, element.worst) = (from + 1, to);
        }
        from = to;
    }
    ranked
}

fn file_name(path: &FilePath) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use counts::sample;

    /// Returns the spectra of three runs. One of them failed, in which `guard` took another path.
    fn spectra() -> Spectra {
        let passed = sample::report();
        let mut failed = passed.clone();
        failed.functions[4].paths.retain(|path| path.id != PathId(1));
        failed.functions[4].block_counts[1] = 0;
        let mut passing = passed.clone();
        passing.functions[4].paths.retain(|path| path.id == PathId(1));
        passing.functions[4].block_counts = vec![0, 9, 0, 0, 0];
        let mut spectra = Spectra::default();
        spectra.add(&passing, false);
        spectra.add(&passing, false);
        spectra.add(&failed, true);
        spectra
    }

    #[test]
    fn what_only_the_failing_run_did_comes_first() {
        let spectra = spectra();
        assert_eq!(spectra.runs, Runs { failing: 1, passing: 2 });
        for formula in crate::formulas::FORMULAS {
            for kind in [ElementKind::Paths, ElementKind::Blocks] {
                let functions = spectra.ranked_functions(kind, formula);
                let first = &spectra.functions[functions[0].what];
                assert_eq!(first.demangled, "util::guard(int)", "{kind:?} {formula:?}");
                assert_eq!((functions[0].best, functions[0].worst), (1, 1));
            }
        }
        let paths = spectra.ranked(ElementKind::Paths, Formula::Ochiai, &Filter::default());
        let first: Vec<_> = paths.iter().take_while(|path| path.best == 1).collect();
        assert!(first.len() > 1 && first.iter().all(|path| path.worst == first.len()));
        assert_eq!(first[0].mean(), (1 + first.len()) as f64 / 2.0);
        assert_eq!(paths.last().map(|path| path.by), Some(Runs { failing: 0, passing: 2 }));
        let guard = spectra.ranked(
            ElementKind::Paths,
            Formula::Ochiai,
            &Filter::of_function("util::guard"),
        );
        assert!(guard.len() < paths.len() && guard[0].worst == first.len());
    }

    #[test]
    fn builds_are_told_apart() {
        let mut spectra = spectra();
        assert_eq!(spectra.rebuilt().count(), 0);
        let mut other = sample::report();
        other.images[0].build_id = vec![7];
        spectra.add(&other, true);
        assert_eq!(spectra.rebuilt().collect::<Vec<_>>(), ["demo"]);
    }
}
