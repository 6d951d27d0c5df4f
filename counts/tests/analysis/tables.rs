//! Tables of callees and paths, and the functions that are listed.

use counts::counted::CountedModule;
use counts::decode::decode;
use counts::model::{CallSite, Counting};
use counts::tables::{TableCounts, TableKey, Tables};
use pathformat::manifest::{
    Block, Call, DagEdge, DagEdgeKind, Edge, Exit, Function, INDIRECT, Linkage, Manifest, TableOf,
};
use pathformat::settings::{Mode, Stage};
use profile::names;

use counts::sample::graphs::loaded;

fn callee(name: &str) -> TableKey {
    TableKey::Callee(name.into())
}

/// Returns a function of one block with a number of calls through pointers. The table of each call
/// has room for two callees.
fn caller(name: &str, calls: usize, first_counter: u64, first_key: u64) -> Function {
    let call = Call { callee: INDIRECT.into(), location: None };
    Function {
        name: name.into(),
        linkage: Linkage::Weak,
        blocks: vec![Block {
            calls: vec![call; calls],
            exit: Some(Exit::Return),
            ..Block::default()
        }],
        counted_blocks: vec![0],
        callees: 2,
        first_counter,
        first_key,
        ..Function::default()
    }
}

const fn call(call: u32) -> TableOf {
    TableOf::Callees { block: 0, call }
}

#[test]
fn what_found_no_room_has_nobody_elses_key() {
    let manifest = Manifest {
        functions: vec![caller("f", 2, 10, 4), caller("g", 1, 17, 8)],
        ..Manifest::default()
    };
    // f: a block at 10, a table at 11 and one at 14, each with a rest; g: a block at 17, a table at
    // 18.
    let counts: Vec<_> = (9..22).map(|index| (index, 1 << index)).collect();
    let keys: Vec<_> = (4..10).map(|index| (index, 100 + index)).collect();
    let (plain, tables) =
        Tables::of(&manifest).take(&counts, &keys, |address| format!("at {address}"));
    assert_eq!(plain, [9, 10, 17, 21].map(|index| (index, 1 << index)));
    let seen = |key: u64, counter: u32| TableCounts {
        known: [0, 1]
            .map(|slot| (callee(&format!("at {}", key + slot)), 1 << (counter as u64 + slot)))
            .into(),
        rest: 1 << (counter + 2),
    };
    assert_eq!(
        tables,
        [
            ((0, call(0)), seen(103, 11)),
            ((0, call(1)), seen(105, 14)),
            ((1, call(0)), seen(107, 18))
        ]
        .into()
    );
}

#[test]
fn what_has_no_key_found_no_room() {
    let manifest = Manifest { functions: vec![caller("f", 1, 0, 0)], ..Manifest::default() };
    let (_, tables) =
        Tables::of(&manifest).take(&[(1, 5), (2, 6), (3, 7)], &[(1, 9)], |_| "g".into());
    assert_eq!(tables[&(0, call(0))], TableCounts { known: [(callee("g"), 6)].into(), rest: 12 });
}

#[test]
fn tables_are_added_thing_by_thing() {
    let mut sum = TableCounts { known: [(callee("f"), 1), (TableKey::Path(3), 2)].into(), rest: 4 };
    sum.add(TableCounts { known: [(callee("f"), 10), (callee("g"), 20)].into(), rest: 40 });
    assert_eq!(
        sum,
        TableCounts {
            known: [(callee("f"), 11), (callee("g"), 20), (TableKey::Path(3), 2)].into(),
            rest: 44
        }
    );
}

fn counted(
    mode: Mode,
    function: Function,
    present: bool,
    counts: &[(u64, u64)],
    names: [&str; 2],
) -> CountedModule {
    let manifest = Manifest {
        mode,
        functions: vec![function],
        source: mode.name().into(),
        ..Manifest::default()
    };
    let mut counted = CountedModule::new(100, manifest, vec![present]);
    counted.add(counts, &[(0, 1), (1, 2)], |address| names[address as usize].into());
    counted
}

#[test]
fn copies_of_a_function_are_added_up_and_their_callees_too() {
    let copy = |first, counts: &[(u64, u64)], names| {
        let counts: Vec<_> = counts.iter().map(|&(index, count)| (first + index, count)).collect();
        counted(Mode::Blocks, caller("_Z1fv", 1, first, 0), true, &counts, names)
    };
    let modules = vec![
        copy(0, &[(0, 3), (1, 1), (2, 2), (3, 9)], ["g", "h"]),
        copy(7, &[(0, 5), (1, 4)], ["h", "g"]),
    ];
    let (report, problems) = decode(vec![loaded(Vec::new()), loaded(modules)], &());
    assert!(problems.is_empty(), "{problems:?}");
    let [f] = report.functions.as_slice() else { panic!("one function") };
    assert_eq!((f.image, f.module, f.demangled.as_str()), (1, 0, "f()"));
    assert_eq!((f.entries, &f.block_counts), (8, &vec![8]));
    // The callee with the most calls comes first.
    let targets = vec![("h".to_string(), 6), ("g".to_string(), 1)];
    assert_eq!(f.sites, [CallSite { block: 0, call: 0, targets, others: 9 }]);
    assert_eq!(
        report.modules.iter().map(|module| module.source.as_str()).collect::<Vec<_>>(),
        ["blocks"; 2]
    );
}

#[test]
fn copies_are_the_same_if_nothing_tells_them_apart() {
    let listed = |change: fn(&mut Function)| {
        let mut other = caller("_Z1fv", 0, 0, 0);
        change(&mut other);
        let modules = [caller("_Z1fv", 0, 0, 0), other]
            .map(|of| counted(Mode::Blocks, of, true, &[], ["", ""]));
        decode(vec![loaded(modules.into())], &()).0.functions.len()
    };
    assert_eq!(listed(|_| ()), 1);
    assert_eq!(listed(|of| of.linkage = Linkage::Inline), 1);
    assert_eq!(listed(|of| of.linkage = Linkage::External), 2);
    assert_eq!(listed(|of| of.linkage = Linkage::Internal), 2);
    assert_eq!(listed(|of| of.name = "_Z1gv".into()), 2);
    assert_eq!(listed(|of| of.cfg_hash = 1), 2);
}

#[test]
fn functions_that_are_not_in_the_image_are_not_listed() {
    let listed = |present, counts: &[(u64, u64)], skipped: bool| {
        let mut function = caller("f", 0, 0, 0);
        if skipped {
            function =
                Function { name: "f".into(), skipped: Some("why".into()), ..Function::default() };
        }
        decode(vec![loaded(vec![counted(Mode::Blocks, function, present, counts, ["", ""])])], &())
            .0
            .functions
            .len()
    };
    assert_eq!(listed(true, &[], false), 1);
    assert_eq!(listed(false, &[], false), 0);
    // A function that ran is in the image. A skipped function has no word that could be missing.
    assert_eq!(listed(false, &[(0, 1)], false), 1);
    assert_eq!(listed(false, &[], true), 1);
}

#[test]
fn functions_without_code_are_dropped_ones_of_the_source() {
    // Listed and dropped functions of the units of one image. A unit is given by its stage, its
    // linkage, and true if the code is in the image.
    let found = |units: &[(Stage, Linkage, bool)]| {
        let unit = |&(stage, linkage, present): &(Stage, Linkage, bool)| {
            let function = Function { linkage, ..caller("f", 0, 0, 0) };
            let mut counted = counted(Mode::Paths, function, present, &[], ["", ""]);
            counted.manifest.stage = stage;
            counted
        };
        let (report, problems) = decode(vec![loaded(units.iter().map(unit).collect())], &());
        assert!(problems.is_empty(), "{problems:?}");
        assert!(report.dropped.iter().all(|of| of.entries == 0 && of.block_counts == [0]));
        assert_eq!(report.of_source().count(), report.functions.len() + report.dropped.len());
        (report.functions.len(), report.dropped.len())
    };
    use Linkage::{Copy, External, Inline, Internal, Weak};
    assert_eq!(found(&[(Stage::Early, Internal, false)]), (0, 1));
    assert_eq!(found(&[(Stage::Late, Internal, false)]), (0, 0));
    assert_eq!(found(&[(Stage::Early, External, false)]), (0, 1));
    // Another unit has the definition.
    assert_eq!(found(&[(Stage::Early, Copy, false)]), (0, 0));
    // A single copy in any unit is enough. Without any, one function is dropped.
    for linkage in [Inline, Weak] {
        assert_eq!(found(&[(Stage::Early, linkage, false), (Stage::Early, linkage, true)]), (1, 0));
        assert_eq!(found(&[(Stage::Early, linkage, false), (Stage::Late, External, true)]), (1, 0));
        assert_eq!(
            found(&[(Stage::Early, linkage, false), (Stage::Early, linkage, false)]),
            (0, 1)
        );
    }
    // Each unit has its own function.
    assert_eq!(found(&[(Stage::Early, Internal, false), (Stage::Early, Internal, true)]), (1, 1));
    assert_eq!(found(&[(Stage::Early, Internal, false), (Stage::Early, Internal, false)]), (0, 2));
    assert_eq!(found(&[(Stage::Early, External, false), (Stage::Early, Internal, true)]), (1, 1));
}

/// Returns the problems of a module with these functions and counts.
fn problems(functions: Vec<Function>, counters: u64, counts: &[(u64, u64)]) -> Vec<String> {
    let manifest = Manifest { functions, ..Manifest::default() };
    let mut counted = CountedModule::new(counters, manifest, Vec::new());
    counted.add(counts, &[], |_| String::new());
    decode(vec![loaded(vec![counted])], &())
        .1
        .iter()
        .map(|problem| format!("{problem:#}"))
        .collect()
}

#[test]
fn every_counter_belongs_to_one_function() {
    let two = |first: u64, second: u64| vec![caller("f", 0, first, 0), caller("g", 0, second, 0)];
    assert_eq!(problems(two(3, 4), 5, &[(3, 1), (4, 1)]), [""; 0]);
    assert_eq!(problems(two(4, 3), 5, &[(3, 1), (4, 1)]), [""; 0]);
    let refused = |of: Vec<String>, what: &str| {
        assert_eq!(of.len(), 1);
        assert!(of[0].contains(what), "{of:?}");
    };
    refused(problems(two(3, 3), 5, &[]), "the counters of the function g are not its own");
    refused(problems(two(3, 5), 5, &[]), "the counters of the function g are not its own");
    refused(problems(two(3, u64::MAX), 5, &[]), "the counters of the function g are not its own");
    for lost in [0, 2, 5, 7] {
        refused(
            problems(two(3, 6), 8, &[(lost, 1)]),
            &format!("counter {lost} belongs to no function"),
        );
    }
}

#[test]
fn names_are_shown_as_the_source_writes_them() {
    let short = |name: &str| names::short(&Function { name: name.into(), ..Function::default() });
    assert_eq!(short("_ZN4util5weighEi").as_deref(), Some("util::weigh"));
    assert_eq!(short("weigh"), None);
    assert_eq!(short("_Z"), None);
    let shown = |name: &str| {
        let function = Function { name: name.into(), ..caller("f", 0, 0, 0) };
        decode(vec![loaded(vec![counted(Mode::Blocks, function, true, &[], ["", ""])])], &())
            .0
            .functions[0]
            .demangled
            .clone()
    };
    assert_eq!(shown("_ZN4util5weighEi"), "util::weigh(int)");
    assert_eq!(shown("main"), "main");
    assert_eq!(shown("_Z"), "_Z");
}

/// Returns the same function with one path instead of a counted block.
fn with_a_path(name: &str) -> Function {
    let leave = DagEdge { kind: DagEdgeKind::Leave { block: 0 }, value: 0 };
    Function { counted_blocks: Vec::new(), num_paths: 1, dag: vec![leave], ..caller(name, 1, 0, 0) }
}

#[test]
fn every_function_knows_its_unit_and_what_it_called_whatever_is_counted() {
    let counts = [(0, 7), (1, 2), (2, 4), (3, 1)];
    let units = |first: Function, second: Function| {
        let first = counted(Mode::Paths, first, true, &counts, ["g", "h"]);
        loaded(vec![first, counted(Mode::Blocks, second, true, &counts, ["h", "g"])])
    };
    let images = vec![
        units(caller("f1", 1, 0, 0), with_a_path("f2")),
        units(with_a_path("f3"), caller("f4", 1, 0, 0)),
    ];
    let (report, problems) = decode(images, &());
    assert!(problems.is_empty(), "{problems:?}");
    let places: Vec<_> =
        report.functions.iter().map(|of| (of.demangled.as_str(), of.image, of.module)).collect();
    assert_eq!(places, [("f1", 0, 0), ("f2", 0, 1), ("f3", 1, 2), ("f4", 1, 3)]);
    for (function, [most, least]) in
        report.functions.iter().zip([["h", "g"], ["g", "h"], ["h", "g"], ["g", "h"]])
    {
        let targets = vec![(most.to_string(), 4), (least.to_string(), 2)];
        assert_eq!(
            function.sites,
            [CallSite { block: 0, call: 0, targets, others: 1 }],
            "{}",
            function.demangled
        );
        assert_eq!((function.entries, &function.block_counts), (7, &vec![7]));
        assert_eq!(function.shape.name, function.demangled);
    }
    assert_eq!(
        report.modules.iter().map(|unit| unit.source.as_str()).collect::<Vec<_>>(),
        ["paths", "blocks", "paths", "blocks"]
    );
}

#[test]
fn only_where_something_was_counted_a_process_was_interrupted_in_it() {
    let interrupted = |function: Function, counts: &[(u64, u64)]| {
        let mut counted = counted(Mode::Blocks, function, true, counts, ["", ""]);
        counted.interrupted = 3;
        decode(vec![loaded(vec![counted])], &()).0.functions[0].interrupted
    };
    assert_eq!(interrupted(caller("f", 0, 0, 0), &[(0, 7)]), 3);
    assert_eq!(interrupted(caller("f", 0, 0, 0), &[]), 0);
    // Paths in flight show where a process was interrupted.
    assert_eq!(interrupted(with_a_path("f"), &[(0, 7)]), 0);
}

#[test]
fn a_function_without_counters_is_counted_as_its_unit_is() {
    let endless = Edge { from: 0, to: 0, ..Edge::default() };
    let function = Function {
        blocks: vec![Block::default()],
        edges: vec![endless],
        counted_blocks: Vec::new(),
        ..caller("f", 0, 0, 0)
    };
    for (mode, edge) in [(Mode::Blocks, Some(0)), (Mode::Calls, None)] {
        let (report, problems) =
            decode(vec![loaded(vec![counted(mode, function.clone(), true, &[], ["", ""])])], &());
        assert!(problems.is_empty(), "{problems:?}");
        let found = &report.functions[0];
        assert_eq!(
            (found.counting == Counting::Calls, found.edge_counts.as_slice()),
            (mode == Mode::Calls, &[edge][..]),
            "{mode}"
        );
        assert_eq!((found.entries, found.block_counts.as_slice()), (0, &[0][..]), "{mode}");
    }
}
