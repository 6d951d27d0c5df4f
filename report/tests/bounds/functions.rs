//! Functions of a size that no source has: graphs, paths and locations.

use pathformat::manifest::{
    Block, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, Location, Manifest,
};

use crate::scene::Scene;

#[test]
fn code_that_was_inlined_again_and_again() {
    let scene = Scene::new();
    let location = |at: u32| Location {
        file: "a.c".into(),
        line: at + 1,
        inlined_at: at.checked_sub(1),
        ..Location::default()
    };
    let block =
        Block { locations: (0..300_000).collect(), exit: Some(Exit::Return), ..Block::default() };
    let function = Function {
        name: "f".into(),
        file: "a.c".into(),
        num_paths: 1,
        locations: (0..300_000).map(location).collect(),
        blocks: vec![block],
        dag: vec![DagEdge { kind: DagEdgeKind::Leave { block: 0 }, value: 0 }],
        ..Function::default()
    };
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, 1, vec![(0, 1)]);
    scene.harmless();
}

/// `count` diamonds in a row: 2^count paths.
fn diamonds(count: u32) -> Function {
    let tops = (0..count).map(|at| 3 * at);
    let ways = tops
        .flat_map(|top| [(top, top + 1), (top, top + 2), (top + 1, top + 3), (top + 2, top + 3)]);
    let edges: Vec<_> = ways.map(|(from, to)| Edge { from, to, ..Edge::default() }).collect();
    let value = |edge: u32| if edge % 4 == 1 { 1 << (count - 1 - edge / 4) } else { 0 };
    let flow = |edge: u32| DagEdge { kind: DagEdgeKind::Flow { edge }, value: value(edge) };
    let leave = DagEdge { kind: DagEdgeKind::Leave { block: 3 * count }, value: 0 };
    let mut blocks = vec![Block::default(); 3 * count as usize + 1];
    blocks[3 * count as usize].exit = Some(Exit::Return);
    Function {
        name: "f".into(),
        file: "a.c".into(),
        line: 1,
        num_paths: 1 << count,
        dag: (0..4 * count).map(flow).chain([leave]).collect(),
        locations: vec![Location { file: "a.c".into(), line: 1, ..Location::default() }],
        blocks,
        edges,
        ..Function::default()
    }
}

#[test]
fn more_paths_than_can_be_listed() {
    let scene = Scene::new();
    let mut function = diamonds(62);
    function.blocks[0].locations = vec![0];
    scene.program(
        &Manifest { functions: vec![function], ..Manifest::default() },
        1 << 62,
        vec![(0, 1)],
    );
    let (code, said) = scene.pathprof(&[
        "coverage",
        "--missing",
        "--most-paths",
        "18446744073709551615",
        "x.pathprof",
    ]);
    assert_eq!((code, said.as_str()), (0, ""));
    scene.harmless();
}

/// `count` blocks on many lines, with all edges between them.
fn tangle(count: u32, lines: u32) -> Function {
    let location = |line| Location { file: "a.c".into(), line, ..Location::default() };
    let block = Block { locations: (0..lines).collect(), ..Block::default() };
    let mut blocks = vec![block; count as usize];
    blocks[count as usize - 1].exit = Some(Exit::Return);
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    let edges: Vec<_> =
        pairs.map(|(from, to)| Edge { from, to, cut: Some((0, 1)), ..Edge::default() }).collect();
    Function {
        name: "f".into(),
        file: "a.c".into(),
        line: 1,
        locations: (1..=lines).map(location).collect(),
        blocks,
        edges,
        ..Function::default()
    }
}

#[test]
fn lines_with_many_loops() {
    let scene = Scene::new();
    // All edges are counted, so all counts are known.
    let mut function = tangle(64, 2_000);
    function.edges.iter_mut().for_each(|edge| edge.cut = None);
    function.counted_arcs = (0..function.edges.len() as u32).collect();
    let counters = function.counters();
    let counts = (0..counters).map(|at| (at, 1 + at % 7)).collect();
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, counters, counts);
    scene.harmless();
}

#[test]
fn edges_that_are_all_cut() {
    let scene = Scene::new();
    let why = CutReason::Opaque;
    let edge = |at| Edge { from: 0, to: 1, cut: Some((at, at)), ..Edge::default() };
    let function = Function {
        name: "f".into(),
        num_paths: 1,
        blocks: vec![Block::default(); 2],
        edges: (0..150_000).map(edge).collect(),
        dag: vec![DagEdge { kind: DagEdgeKind::End { block: 0, why }, value: 0 }; 150_000],
        ..Function::default()
    };
    scene.program(&Manifest { functions: vec![function], ..Manifest::default() }, 1, vec![(0, 1)]);
    let (code, said) = scene.pathprof(&["coverage", "--functions", "x.pathprof"]);
    assert!(code <= 1 && said.lines().count() <= 1, "{said}");
    scene.harmless();
}

#[test]
fn paths_that_are_many_and_long() {
    let scene = Scene::new();
    // A switch of many ways into a long chain.
    let (ways, chain) = (20_000u32, 40_000u32);
    let edge = |from, to| Edge { from, to, ..Edge::default() };
    let fan = (1..=ways).flat_map(|way| [edge(0, way), edge(way, ways + 1)]);
    let edges: Vec<_> = fan.chain((ways + 1..ways + chain).map(|at| edge(at, at + 1))).collect();
    let value =
        |edge: u32| if edge < 2 * ways && edge.is_multiple_of(2) { u64::from(edge / 2) } else { 0 };
    let flow = |edge: u32| DagEdge { kind: DagEdgeKind::Flow { edge }, value: value(edge) };
    let last = ways + chain;
    let leave = DagEdge { kind: DagEdgeKind::Leave { block: last }, value: 0 };
    let mut blocks = vec![Block::default(); last as usize + 1];
    blocks[last as usize].exit = Some(Exit::Return);
    let function = Function {
        name: "f".into(),
        num_paths: ways.into(),
        dag: (0..edges.len() as u32).map(flow).chain([leave]).collect(),
        blocks,
        edges,
        ..Function::default()
    };
    let counts = (0..ways.into()).map(|id| (id, 1)).collect();
    scene.program(
        &Manifest { functions: vec![function], ..Manifest::default() },
        ways.into(),
        counts,
    );
    scene.each(|arguments, (code, said)| {
        let text = "it takes far more memory than what a compiler writes";
        assert!(
            code == 1 && said.contains(text) || arguments[0] == "merge",
            "{arguments:?}: {code} {said}"
        );
        assert!(said.lines().count() <= 1, "{said}");
    });
}
