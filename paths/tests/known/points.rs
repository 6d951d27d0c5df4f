//! Which blocks and edges are counted.

use paths::blocks::{Counted, network};
use paths::cfg::{Block, ENTRY, Edge, EdgeKind};
use paths::edges::{Arc, Arcs, PlainBlock, PlainEdge};

use crate::graph;

fn counted(text: &str, wanted: impl Fn(Block) -> bool) -> String {
    let named = graph(text);
    let counted = Counted::fewest(&named.cfg, &named.frequency, wanted);
    counted.blocks().map(|block| named.names[block.index()].clone()).collect::<Vec<_>>().join(" ")
}

/// A counter in `D` would come between the call in tail position and the return.
const TAIL: &str = "A: B C*9\nB: D\nC:\nD^:";

#[test]
fn behind_a_call_in_tail_position_no_block_is_counted() {
    assert_eq!(counted(TAIL, |_| true), "B C");
    // The same graph where no such call is: the block that stands first is as good.
    assert_eq!(counted("A: B C*9\nB: D\nC:\nD:", |_| true), "C D");
}

#[test]
fn behind_a_call_in_tail_position_no_arc_is_counted() {
    for (text, is_counted) in [(TAIL, false), ("A: B C*9\nB: D\nC:\nD:", true)] {
        let named = graph(text);
        let arcs = Arcs::of(&named.cfg);
        let counted = arcs.fewest(&named.cfg, &named.frequency);
        assert_eq!(
            counted.iter().any(|&number| arcs.list[number] == Arc::Block(Block(3))),
            is_counted,
            "{text}"
        );
    }
}

#[test]
fn only_some_of_the_counted_blocks_are_kept() {
    let named = graph("A: B C\nB: D\nC: D\nD:");
    let only =
        |counted: Counted| counted.only(|block| block.0 % 2 == 1).blocks().collect::<Vec<_>>();
    assert_eq!(only(Counted::every(&named.cfg)), [Block(1), Block(3)]);
    let fewest = Counted::fewest(&named.cfg, &named.frequency, |block| block == ENTRY);
    assert_eq!((fewest.is_counted(ENTRY), only(fewest)), (true, vec![]));
}

#[test]
fn edges_from_and_to_no_block_join_nothing() {
    let sound = network(&[(0, 1)], &[false, true]);
    let same = network(&[(0, 1), (0, 2), (2, 0), (2, 2), (0, 3), (3, 1)], &[false, true]);
    for known in [vec![Some(5), None], vec![None, Some(7)]] {
        let count = known.iter().find_map(|&count| count);
        assert_eq!(same.infer(known.clone()), [count; 2]);
        assert_eq!(same.infer(known.clone()), sound.infer(known));
    }
    let nothing = network(&[(0, 0), (0, 1)], &[]);
    assert_eq!(nothing.infer(vec![Some(1)]), []);
    let edge = |from, to, kind| PlainEdge { from, to, kind };
    let block = |exits| PlainBlock { exits, may_stay: false };
    let (plain, opaque) = (EdgeKind::Plain, EdgeKind::Opaque);
    let edges = [
        edge(0, 1, plain),
        edge(1, 2, plain),
        edge(2, 1, plain),
        edge(2, 0, opaque),
        edge(0, 2, opaque),
    ];
    let arcs = Arcs::new(&edges, &[block(false), block(true)]);
    assert_eq!(arcs.list, [Arc::Edge(Edge(0)), Arc::Block(Block(0)), Arc::Block(Block(1))]);
    assert_eq!(Arcs::new(&[edge(0, 0, plain)], &[]).list, []);
}

#[test]
fn every_kind_of_arc_stands_where_it_should() {
    let named = graph("A?: B ~C\nB?: !C !D\nC: !D\nD?:");
    let arcs = Arcs::of(&named.cfg);
    let blocks = [0, 1, 2, 3].map(Block);
    let expected = [
        vec![Arc::Edge(Edge(0)), Arc::Edge(Edge(1))],
        blocks.map(Arc::Block).to_vec(),
        vec![Arc::Depart(blocks[1]), Arc::Depart(blocks[2])],
        vec![Arc::Arrive(blocks[2]), Arc::Arrive(blocks[3])],
        // Where the function is left, nobody stays.
        vec![Arc::Stay(blocks[0]), Arc::Stay(blocks[1])],
    ];
    assert_eq!(arcs.list, expected.concat());
}

/// Three come to A, two go on to B and one leaves: one stays in each. Nothing is known of the arcs
/// beside them.
#[test]
fn frames_that_stay_are_the_difference_between_what_comes_and_what_goes_on() {
    let named = graph("A?: B\nB?: C\nC:");
    let arcs = Arcs::of(&named.cfg);
    let at = |arc| arcs.list.iter().position(|&of| of == arc).expect("an arc");
    let derived = |runs: [Option<i128>; 3]| {
        let mut known = vec![None; arcs.list.len()];
        (0..).map(Block).zip(runs).for_each(|(block, runs)| known[at(Arc::Block(block))] = runs);
        let derived = arcs.infer(known);
        let of = [Arc::Edge(Edge(0)), Arc::Stay(Block(0)), Arc::Edge(Edge(1)), Arc::Stay(Block(1))];
        of.map(|arc| derived[at(arc)])
    };
    assert_eq!(derived([Some(3), Some(2), Some(1)]), [2, 1, 1, 1].map(Some));
    assert_eq!(derived([Some(3), Some(3), Some(3)]), [3, 0, 3, 0].map(Some));
    // What comes to A says nothing of what goes on.
    assert_eq!(derived([Some(3), None, Some(1)]), [None, None, Some(1), None]);
    assert_eq!(derived([None, Some(2), Some(1)]), [Some(2), None, Some(1), Some(1)]);
}

#[test]
fn a_shape_is_a_pattern_only_if_all_of_it_is_there() {
    let shapes = |text: &str| {
        let patterns = paths::patterns::find(&graph(text).cfg).1;
        patterns.iter().map(|pattern| format!("{:?}", pattern.shape)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shapes("A:"), "", "one block is none");
    assert_eq!(shapes("A: B C\nB: C\nC:"), "HalfDiamond Exits");
    assert_eq!(shapes("E: A D X\nA: B C\nB: C\nD: C\nC:\nX:"), "Exits", "C has a third way in");
    assert_eq!(
        shapes("E: A D X\nA: B C\nB: Y\nD: C\nC:\nX:\nY: Z W\nZ:\nW:"),
        "Jump Exits",
        "B leads elsewhere"
    );
}
