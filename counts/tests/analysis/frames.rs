//! Frames that stay in a function, and entries of functions.

use std::collections::BTreeMap;

use counts::counted::CountedModule;
use counts::decode::decode;
use counts::entries::Layout;
use counts::model::{Count, End, Path, PathId, Start};
use pathformat::manifest::{
    Block, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, Linkage, Manifest, Outcome, Uncut,
};
use pathformat::settings::Mode;

use counts::sample::graphs::{decoded, loaded};

fn dag(kind: DagEdgeKind, value: u64) -> DagEdge {
    DagEdge { kind, value }
}

fn edge(from: u32, to: u32) -> Edge {
    Edge { from, to, ..Edge::default() }
}

fn exit() -> Block {
    Block { exit: Some(Exit::Return), ..Block::default() }
}

/// Returns a function whose block 0 leads to block 1, which returns.
fn two_blocks() -> Function {
    let entry = Block { opcodes: vec![("add".into(), 4)], ..Block::default() };
    Function { blocks: vec![entry, exit()], edges: vec![edge(0, 1)], ..Function::default() }
}

fn counts<const N: usize>(counts: [(u64, u64); N]) -> BTreeMap<u64, u64> {
    counts.into()
}

/// Returns the same function where control may stay in block 0: it has two paths, the first of
/// which is in flight.
fn may_stay() -> Function {
    let mut function = two_blocks();
    function.blocks[0].may_stay = true;
    Function {
        num_paths: 2,
        in_flight_paths: 1,
        dag: vec![
            dag(DagEdgeKind::InFlight { block: 0 }, 0),
            dag(DagEdgeKind::Flow { edge: 0 }, 1),
            dag(DagEdgeKind::Leave { block: 1 }, 0),
        ],
        ..function
    }
}

/// Returns the number and the count of each path.
fn paths(of: &counts::model::Function) -> Vec<(u64, Count)> {
    of.paths.iter().map(|path| (path.id.0, path.count)).collect()
}

#[test]
fn frames_that_ended_no_path_are_where_they_stayed() {
    let found = decoded(Mode::Paths, may_stay(), &counts([(0, 8), (1, 3)]), &[]);
    assert_eq!((found.entries, &found.block_counts), (8, &vec![8, 3]));
    assert_eq!(found.edge_counts, [Some(3)]);
    let in_flight = Path {
        id: PathId(0),
        count: 5,
        start: Start::Entry,
        end: End::InFlight,
        last: Some(0),
        blocks: vec![0],
        instructions: 4,
    };
    assert_eq!((found.paths.len(), found.paths.first()), (2, Some(&in_flight)));
    assert_eq!(found.completed().map(|path| path.count).collect::<Vec<_>>(), [3]);
    assert_eq!((found.num_paths(), found.path_runs()), (1, 3));

    let all_ended = decoded(Mode::Paths, may_stay(), &counts([(0, 3), (1, 3)]), &[]);
    assert_eq!((paths(&all_ended), all_ended.block_counts), (vec![(1, 3)], vec![3, 3]));

    // Beside uncut paths, a path in flight is shown as a piece.
    let leave =
        vec![dag(DagEdgeKind::Flow { edge: 0 }, 0), dag(DagEdgeKind::Leave { block: 1 }, 0)];
    let uncut = Uncut { num_paths: 10, slots: 1, dag: leave, cuts: vec![None] };
    let found =
        decoded(Mode::Paths, Function { uncut: Some(uncut), ..may_stay() }, &counts([(0, 2)]), &[]);
    assert_eq!(paths(&found), [(10, 2)]);
}

/// Returns a module of one function after several processes have counted.
fn counted(function: Function, processes: &[&[(u64, u64)]]) -> CountedModule {
    let counters = function.counters();
    let manifest = Manifest { mode: Mode::Paths, functions: vec![function], ..Manifest::default() };
    let mut counted = CountedModule::new(counters, manifest, Vec::new());
    processes.iter().for_each(|counts| counted.add(counts, &[], |_| String::new()));
    counted
}

/// Returns the function that is decoded from such a module.
fn of_processes(function: Function, processes: &[&[(u64, u64)]]) -> counts::model::Function {
    let (report, problems) = decode(vec![loaded(vec![counted(function, processes)])], &());
    assert!(problems.is_empty(), "{problems:?}");
    report.functions.into_iter().next().expect("the function")
}

#[test]
fn what_a_forked_child_ends_its_parent_entered() {
    // All three frames continued in the child. In the parent they stay: the counters do not show
    // which frame of a process was forked.
    let found = of_processes(may_stay(), &[&[(0, 3)], &[(1, 3)]]);
    assert_eq!((found.entries, paths(&found)), (3, vec![(0, 3), (1, 3)]));
    assert_eq!((found.block_counts, found.edge_counts), (vec![3, 3], vec![Some(3)]));
    // In the parent three frames reached the call and one continued. In the child one inherited
    // frame continued, and one frame of its own.
    let found = of_processes(may_stay(), &[&[(0, 3), (1, 1)], &[(0, 1), (1, 2)]]);
    assert_eq!((found.entries, paths(&found)), (4 - 1 + 1, vec![(0, 2), (1, 3)]));
    assert_eq!((found.block_counts, found.edge_counts), (vec![4, 3], vec![Some(3)]));
    // A child whose parent has no counts.
    let found = of_processes(may_stay(), &[&[(1, 2)]]);
    assert_eq!((found.entries, paths(&found)), (0, vec![(1, 2)]));
    assert_eq!((found.block_counts, found.edge_counts), (vec![0, 2], vec![Some(2)]));
}

#[test]
fn what_children_of_several_copies_took_over_is_added_up() {
    let copy = |&frames: &u64| {
        let function = Function { linkage: Linkage::Inline, ..may_stay() };
        counted(function, &[&[(0, frames)], &[(1, frames)]])
    };
    for copies in [&[3, 2][..], &[2, 3, 4]] {
        let (report, problems) = decode(vec![loaded(copies.iter().map(copy).collect())], &());
        assert!(problems.is_empty(), "{problems:?}");
        let [found] = report.functions.as_slice() else { panic!("one function") };
        let all = copies.iter().copied().map(Count::from).sum();
        assert_eq!((found.entries, paths(found)), (all, vec![(0, all), (1, all)]));
        assert_eq!((&found.block_counts, &found.edge_counts), (&vec![all, all], &vec![Some(all)]));
    }
}

#[test]
fn frames_that_stay_do_no_harm_where_blocks_or_edges_are_counted() {
    let stays = Function { num_paths: 0, in_flight_paths: 0, dag: Vec::new(), ..may_stay() };
    let by_blocks = Function { counted_blocks: vec![0, 1], ..stays.clone() };
    for (entered, left) in [(8, 3), (8, 8), (8, 0)] {
        let found =
            decoded(Mode::Blocks, by_blocks.clone(), &counts([(0, entered), (1, left)]), &[]);
        let (entered, left) = (Count::from(entered), Count::from(left));
        assert_eq!(
            (found.block_counts, found.entries, found.edge_counts),
            (vec![entered, left], entered, vec![Some(left)])
        );
    }
    // The arcs are the edge, both blocks, and the frames that stay.
    for arcs in [vec![1, 2], vec![1, 0]] {
        let by_edges = Function { counted_arcs: arcs, ..stays.clone() };
        let found = decoded(Mode::Edges, by_edges, &counts([(0, 8), (1, 3)]), &[]);
        assert_eq!(
            (found.block_counts, found.entries, found.edge_counts),
            (vec![8, 3], 8, vec![Some(3)])
        );
    }
}

/// Two indirect branches lead to the same two blocks: the counts of their edges cannot be
/// distinguished.
#[test]
fn ways_from_several_indirect_branches_are_not_known() {
    let indirect = |from, to| Edge { outcome: Outcome::Indirect, ..edge(from, to) };
    let with = |edges: Vec<Edge>, arcs: Vec<u32>| Function {
        blocks: vec![Block::default(), Block::default(), exit(), exit()],
        edges,
        counted_arcs: arcs,
        ..Function::default()
    };
    // The arcs are the four blocks, and the departures and arrivals.
    let two =
        with(vec![indirect(0, 1), indirect(0, 2), indirect(1, 1), indirect(1, 2)], vec![0, 1, 2]);
    let found = decoded(Mode::Edges, two, &counts([(0, 9), (1, 6), (2, 9)]), &[]);
    assert_eq!(found.edge_counts, [None; 4]);
    assert_eq!(found.block_counts, [9, 6, 9, 0]);

    // Only one of them leads to block 1, and only the other one to block 3. So all four edges are
    // known.
    let apart = with(
        vec![indirect(0, 1), indirect(0, 2), indirect(1, 2), indirect(1, 3)],
        vec![0, 1, 2, 3],
    );
    let by_blocks =
        Function { counted_blocks: vec![0, 1, 2, 3], counted_arcs: Vec::new(), ..apart.clone() };
    for (mode, function) in [(Mode::Edges, apart), (Mode::Blocks, by_blocks)] {
        let found = decoded(mode, function, &counts([(0, 9), (1, 6), (2, 5), (3, 4)]), &[]);
        assert_eq!(found.edge_counts, [Some(6), Some(3), Some(2), Some(4)], "{mode}");
        assert_eq!(found.block_counts, [9, 6, 5, 4], "{mode}");
    }

    // Both edges come from one block. The arcs are the plain edge and the four blocks.
    let one = with(vec![indirect(0, 1), indirect(0, 2), edge(1, 3)], vec![1, 3, 4]);
    let found = decoded(Mode::Edges, one, &counts([(0, 9), (1, 5), (2, 4)]), &[]);
    assert_eq!(found.edge_counts, [Some(4), Some(5), Some(4)]);
    assert_eq!(found.block_counts, [9, 4, 5, 4]);
}

#[test]
fn numbers_that_make_no_sense_count_nothing() {
    // The counts are inconsistent: one side of the diamond ran more often than the entry.
    let diamond = Function {
        blocks: vec![Block::default(), Block::default(), Block::default(), exit()],
        edges: vec![edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3)],
        counted_blocks: vec![0, 1],
        ..Function::default()
    };
    let found = decoded(Mode::Blocks, diamond.clone(), &counts([(0, 2), (1, 7)]), &[]);
    assert_eq!(found.block_counts, [2, 7, 0, 2]);
    let large = u64::MAX >> 1;
    let found = decoded(Mode::Blocks, diamond, &counts([(0, large), (1, 1)]), &[]);
    assert_eq!(found.block_counts[2], u128::from(large) - 1);
}

/// Returns a manifest of two functions. In the first, block 0, where control may stay, leads to
/// blocks 1 and 2, which return. The three paths from the entry are followed by one from a loop.
/// The second function has one path.
fn with_a_loop(first_counter: u64) -> Manifest {
    let function = Function {
        first_counter,
        num_paths: 4,
        in_flight_paths: 1,
        blocks: vec![Block { may_stay: true, ..Block::default() }, exit(), exit()],
        edges: vec![edge(0, 1), edge(0, 2)],
        dag: vec![
            dag(DagEdgeKind::InFlight { block: 0 }, 0),
            dag(DagEdgeKind::Flow { edge: 0 }, 1),
            dag(DagEdgeKind::Flow { edge: 1 }, 2),
            dag(DagEdgeKind::Leave { block: 1 }, 0),
            dag(DagEdgeKind::Leave { block: 2 }, 0),
            dag(DagEdgeKind::Start { block: 1, why: CutReason::BackEdge }, 3),
        ],
        ..Function::default()
    };
    let leave = vec![dag(DagEdgeKind::Leave { block: 0 }, 0)];
    let next = Function {
        first_counter: first_counter + 4,
        num_paths: 1,
        blocks: vec![exit()],
        dag: leave,
        ..Function::default()
    };
    Manifest { functions: vec![next, function], ..Manifest::default() }
}

#[test]
fn entries_are_told_wherever_the_counters_stand() {
    for first in [0, 1, 4, 100] {
        let settled = |counts: &[(u64, u64)]| {
            let counts: Vec<_> =
                counts.iter().map(|&(index, count)| (first + index, count)).collect();
            let (counts, entries) = Layout::of(&with_a_loop(first)).settle(&counts);
            let counts: Vec<_> =
                counts.into_iter().map(|(index, count)| (index - first, count)).collect();
            (counts, entries.into_iter().collect::<Vec<_>>())
        };
        // Seven frames entered, and two of them stay. A path from a loop is no entry.
        assert_eq!(
            settled(&[(0, 7), (1, 3), (2, 2), (3, 50)]),
            (vec![(0, 2), (1, 3), (2, 2), (3, 50)], vec![(1, 7)]),
            "{first}"
        );
        assert_eq!(
            settled(&[(0, 5), (1, 3), (2, 2)]),
            (vec![(1, 3), (2, 2)], vec![(1, 5)]),
            "{first}"
        );
        assert_eq!(settled(&[(3, 50)]), (vec![(3, 50)], vec![(1, 0)]), "{first}");
        // The second function has its own entries, and later counters belong to others.
        assert_eq!(settled(&[(4, 6)]), (vec![(4, 6)], vec![(0, 6)]), "{first}");
        assert_eq!(
            settled(&[(0, 2), (4, 6)]),
            (vec![(0, 2), (4, 6)], vec![(0, 6), (1, 2)]),
            "{first}"
        );
        assert_eq!(settled(&[(5, 6)]), (vec![(5, 6)], vec![]), "{first}");
        // A child that ends a path of its parent subtracts it from the counter in flight.
        let taken = |count: u64| count.wrapping_neg();
        assert_eq!(
            settled(&[(1, 1), (2, 2)]),
            (vec![(0, taken(3)), (1, 1), (2, 2)], vec![(1, 0)]),
            "{first}"
        );
    }
}
