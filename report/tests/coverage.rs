//! Coverage of small functions, as it is shown.

use counts::coverage::Coverage;
use counts::model::{Count, End, Function, Module, Path, PathId, Report, Start};
use counts::select::Filter;
use counts::source_files::Covered;
use pathformat::manifest::{
    self, Block, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Location, Outcome, Uncut,
};
use pathformat::settings::Stage;
use pathprof::show::coverage::{self, Options};
use pathprof::show::forms;
use pathprof::show::text_table::Screen;

/// A function from line 2 on, which is a line of its entry: `if` on line 3, with a way on line 4
/// and one on line 6, then line 8. Each way as often as told.
fn branch(name: &str, file: &str, [yes, no]: [Count; 2]) -> Function {
    let location = |line| Location { file: file.into(), line, ..Location::default() };
    let block = |at| Block { locations: vec![at], ..Block::default() };
    let edge = |from, to, outcome| Edge { from, to, outcome, ..Edge::default() };
    let flow = |edge, value| DagEdge { kind: DagEdgeKind::Flow { edge }, value };
    let shape = manifest::Function {
        name: name.into(),
        file: file.into(),
        line: 2,
        num_paths: 2,
        locations: [3, 4, 6, 8].map(location).to_vec(),
        blocks: vec![block(0), block(1), block(2), Block { exit: Some(Exit::Return), ..block(3) }],
        edges: vec![
            edge(0, 1, Outcome::True),
            edge(0, 2, Outcome::False),
            edge(1, 3, Outcome::Jump),
            edge(2, 3, Outcome::Jump),
        ],
        dag: vec![
            flow(0, 0),
            flow(1, 1),
            flow(2, 0),
            flow(3, 0),
            DagEdge { kind: DagEdgeKind::Leave { block: 3 }, value: 0 },
        ],
        ..manifest::Function::default()
    };
    let path = |id, count, way| Path {
        id,
        count,
        start: Start::Entry,
        end: End::Return,
        last: Some(4),
        blocks: vec![0, way, 3],
        instructions: 0,
    };
    let paths = [path(PathId(0), yes, 1), path(PathId(1), no, 2)];
    Function {
        demangled: name.into(),
        entries: yes + no,
        block_counts: vec![yes + no, yes, no, yes + no],
        edge_counts: [yes, no, yes, no].map(Some).to_vec(),
        paths: paths.into_iter().filter(|path| path.count > 0).collect(),
        shape,
        ..Function::default()
    }
}

fn module(stage: Stage) -> Module {
    Module { directory: "/src".into(), stage, ..Module::default() }
}

fn report(functions: Vec<Function>) -> Report {
    Report { modules: vec![module(Stage::Early)], functions, ..Report::default() }
}

fn shown(report: &Report, options: &Options) -> (Coverage, String) {
    let report = report.clone().into();
    let (document, coverage) = coverage::document(&report, options);
    let text = forms::text(&document, Screen::default());
    (coverage, anstream::adapter::strip_str(&text).to_string())
}

fn missing(functions: Vec<Function>, most_paths: u64) -> Vec<String> {
    let options = Options { missing: true, most_paths, ..Options::default() };
    let (_, text) = shown(&report(functions), &options);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines()
        .skip_while(|line| !line.starts_with("what"))
        .skip(1)
        .map(words)
        .filter(|line| !line.is_empty())
        .collect()
}

const fn covered(executed: Count, all: Count) -> Covered {
    Covered { executed, all }
}

#[test]
fn everything_is_counted_once() {
    let functions =
        || vec![branch("f", "a.c", [5, 0]), branch("g", "b.c", [0, 0]), branch("h", "", [1, 1])];
    let (coverage, text) = shown(&report(functions()), &Options::default());
    assert_eq!(coverage.functions, covered(2, 3));
    assert_eq!((coverage.lines, coverage.branches), (covered(4, 10), covered(1, 4)));
    assert_eq!(coverage.paths, covered(3, 6));
    let row = |name: &str| {
        let row = text.lines().find(|line| line.ends_with(name)).expect("a row");
        row.split_whitespace().filter(|word| word.contains('/')).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("a.c"), "1/1 4/5 1/2 1/2");
    assert_eq!(row("b.c"), "0/1 0/5 0/2 0/2");
    assert_eq!(row("(no debug information)"), "1/1 2/2");
    assert_eq!(row("all"), "2/3 4/10 1/4 3/6");
    assert!(!text.contains("after optimisation") && !text.contains("missing"), "{text}");
}

#[test]
fn functions_that_were_dropped_did_not_run() {
    let mut report = report(vec![branch("f", "a.c", [3, 4])]);
    report.dropped = vec![branch("g", "b.c", [0, 0])];
    let (sum, text) = shown(&report, &Options { missing: true, ..Options::default() });
    assert_eq!(
        (sum.functions, sum.lines, sum.branches),
        (covered(1, 2), covered(5, 10), covered(2, 4))
    );
    assert_eq!(sum.paths, covered(2, 4));
    assert!(text.contains("b.c\nlines            2-8\n"), "{text}");
    let filter = Filter { functions: vec!["g".into()], ..Filter::default() };
    let (sum, _) = shown(&report, &Options { filter, ..Options::default() });
    assert_eq!(sum.functions, covered(0, 1));
}

#[test]
fn functions_that_did_not_run_are_not_entered_even_without_a_file() {
    let (coverage, _) =
        shown(&report(vec![branch("f", "", [0, 0]), branch("g", "", [1, 0])]), &Options::default());
    assert_eq!(
        coverage,
        Coverage { functions: covered(1, 2), paths: covered(1, 4), ..Coverage::default() }
    );
}

#[test]
fn what_was_not_covered_is_named() {
    let left = ["a.c", "lines 6", "branches 3→6", "paths f 1 of 2"];
    assert_eq!(missing(vec![branch("f", "a.c", [5, 0])], 1), left);
    let listed = missing(vec![branch("f", "a.c", [5, 0])], 2);
    assert_eq!((&listed[..4], listed.len()), (&left.map(String::from)[..], 5));
    assert!(
        listed[4].contains('6') && listed[4].contains('8') && !listed[4].contains('4'),
        "{listed:?}"
    );
    let left = ["a.c", "lines 4", "branches 3→4", "paths f 1 of 2"];
    assert_eq!(missing(vec![branch("f", "a.c", [0, 5])], 1), left);
    assert_eq!(missing(vec![branch("f", "a.c", [1, 1])], 9), [""; 0]);
}

#[test]
fn a_branch_that_nobody_came_to_has_no_ways() {
    // Nor are the paths of a function that was not entered listed one by one.
    let expected = ["a.c", "lines 2-8", "paths f 2 of 2"];
    assert_eq!(missing(vec![branch("f", "a.c", [0, 0])], 9), expected);
}

#[test]
fn ways_of_which_nothing_is_known_are_not_missing() {
    let mut function = branch("f", "a.c", [5, 0]);
    function.edge_counts[1] = None;
    let note = "note: left out of the branches: 1 way of which nothing is known";
    assert_eq!(missing(vec![function], 1), ["a.c", "lines 6", "paths f 1 of 2", note]);
    // The one that is known was not taken, and the other may have been.
    let mut function = branch("f", "a.c", [0, 5]);
    function.edge_counts[1] = None;
    assert_eq!(missing(vec![function], 1)[2], "branches 3→4");
}

#[test]
fn each_file_has_its_own_functions() {
    let functions =
        || vec![branch("f", "a.c", [5, 0]), branch("g", "b.c", [0, 5]), branch("h", "", [5, 0])];
    let text = missing(functions(), 1).join("\n");
    let a = "a.c\nlines 6\nbranches 3→6\npaths f 1 of 2";
    let b = "b.c\nlines 4\nbranches 3→4\npaths g 1 of 2";
    assert_eq!(text, format!("{a}\n{b}"));
}

#[test]
fn a_row_for_each_function_says_where_it_is() {
    let mut here = branch("f", "a.c", [5, 0]);
    let nowhere = branch("g", "", [0, 7]);
    let options = Options { functions: true, ..Options::default() };
    let rows = |functions: Vec<Function>| {
        let (_, text) = shown(&report(functions), &options);
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(words).filter(|line| line.contains('%')).collect::<Vec<_>>()
    };
    assert_eq!(rows(vec![here.clone()]), ["5 4/5 80.0% 1/2 50.0% 1/2 50.0% f a.c:2"]);
    here.shape.line = 0;
    assert_eq!(rows(vec![here]), ["5 3/4 75.0% 1/2 50.0% 1/2 50.0% f a.c"]);
    let mut nowhere = nowhere;
    nowhere.shape.line = 0;
    assert_eq!(rows(vec![nowhere]), ["7 – – 1/2 50.0% g"]);
}

#[test]
fn units_that_were_counted_late_are_told() {
    use Stage::{Early, Late};
    for (stages, told) in
        [([Early, Early], ""), ([Early, Late], "1 unit "), ([Late, Late], "2 units ")]
    {
        let modules = stages.map(module).to_vec();
        let report =
            Report { modules, functions: vec![branch("f", "a.c", [1, 1])], ..Report::default() };
        let (_, text) = shown(&report, &Options::default());
        assert_eq!(text.contains("counted after optimisation"), !told.is_empty(), "{stages:?}");
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn uncut_paths_are_listed_where_they_are_counted() {
    let mut function = branch("f", "a.c", [5, 0]);
    let shape = &mut function.shape;
    // The limit makes one path of it; without it there are two.
    let uncut = Uncut { num_paths: 2, slots: 4, dag: shape.dag.clone(), cuts: vec![None; 4] };
    shape.uncut = Some(uncut);
    shape.num_paths = 3;
    shape.dag.truncate(2);
    shape
        .dag
        .push(DagEdge { kind: DagEdgeKind::End { block: 0, why: CutReason::Limit }, value: 0 });
    let listed = missing(vec![function], 9);
    assert_eq!(listed[3], "paths f 1 of 2");
    assert_eq!(listed.len(), 5, "{listed:?}");
    assert!(listed[4].contains('6') && listed[4].contains('8'), "to its end: {listed:?}");
}
