//! Instructions that run on an edge only.

use counts::model::{self, Count, Counting};
use counts::sample::graphs::decoded;
use pathformat::manifest::{Block, CutReason, DagEdge, DagEdgeKind, Edge, Exit, Function, Outcome};
use pathformat::settings::Mode;

fn block(instructions: u32) -> Block {
    Block { opcodes: vec![("ADD64rr".into(), instructions)], ..Block::default() }
}

fn edge(from: u32, to: u32, jumps: u32) -> Edge {
    let opcodes = vec![("JMP_1".into(), jumps)];
    Edge { from, to, opcodes: if jumps > 0 { opcodes } else { Vec::new() }, ..Edge::default() }
}

/// Returns a loop: block 0 jumps to block 1 or to block 2. Block 1 returns, and block 2 jumps back.
fn a_loop() -> Function {
    let dag = |kind, value| DagEdge { kind, value };
    let back = CutReason::BackEdge;
    Function {
        num_paths: 4,
        blocks: vec![block(4), Block { exit: Some(Exit::Return), ..block(2) }, block(3)],
        edges: vec![
            Edge { outcome: Outcome::True, ..edge(0, 1, 0) },
            edge(0, 2, 1),
            Edge { cut: Some((3, 4)), ..edge(2, 0, 1) },
        ],
        dag: vec![
            dag(DagEdgeKind::Flow { edge: 0 }, 0),
            dag(DagEdgeKind::Leave { block: 1 }, 0),
            dag(DagEdgeKind::Flow { edge: 1 }, 1),
            dag(DagEdgeKind::End { block: 2, why: back }, 0),
            dag(DagEdgeKind::Start { block: 0, why: back }, 2),
        ],
        ..Function::default()
    }
}

#[test]
fn they_ran_as_often_as_the_edge() {
    let found = decoded(Mode::Paths, a_loop(), &[(1, 10), (2, 10), (3, 5)].into(), &[]);
    assert_eq!(found.block_counts, [25, 10, 15]);
    assert_eq!(found.executed_by_block(), [25 * 4 + 15, 10 * 2, 15 * 3 + 15]);
    assert_eq!(found.executed(), 195);
    let lengths: Vec<_> = found.paths.iter().map(|path| path.instructions).collect();
    assert_eq!(lengths, [4 + 1 + 3 + 1, 4 + 2, 4 + 1 + 3 + 1]);
    let of_paths: Count = found.paths.iter().map(model::Path::executed).sum();
    assert_eq!(of_paths, found.executed());
}

#[test]
fn of_edges_that_are_not_told_apart_the_most_is_taken() {
    let executed = |edge_counts: [Option<Count>; 3]| {
        let function = model::Function {
            shape: Function {
                blocks: vec![block(2); 3],
                edges: vec![edge(0, 1, 0), edge(0, 2, 1), edge(0, 0, 3)],
                ..Function::default()
            },
            counting: Counting::Paths,
            block_counts: vec![7, 0, 0],
            edge_counts: edge_counts.into(),
            ..model::Function::default()
        };
        function.executed()
    };
    assert_eq!(executed([Some(2), Some(4), Some(1)]), 7 * 2 + 4 + 3);
    assert_eq!(executed([Some(2), None, Some(1)]), 7 * 2 + 4 + 3);
    assert_eq!(executed([Some(2), None, None]), 7 * 2 + 5 * 3);
    assert_eq!(executed([None; 3]), 7 * 2 + 7 * 3);
}
