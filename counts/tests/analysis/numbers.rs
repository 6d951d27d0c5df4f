//! Execution counts of lines, in closed form.

use counts::lines;
use counts::model::{Count, Function};
use pathformat::manifest::{self, Block, Edge, Location};

/// Returns a function, entered once, whose blocks are on these lines (0 is no line), with edges as
/// source, target and count.
fn function(lines: &[u32], edges: &[(u32, u32, Count)]) -> Function {
    let location = |line| Location { file: "a.c".into(), line, ..Location::default() };
    let shape = manifest::Function {
        locations: lines.iter().map(|&line| location(line)).collect(),
        blocks: (0..lines.len() as u32)
            .map(|at| Block { locations: vec![at, at], ..Block::default() })
            .collect(),
        edges: edges.iter().map(|&(from, to, _)| Edge { from, to, ..Edge::default() }).collect(),
        ..manifest::Function::default()
    };
    let into = |block: usize| {
        edges.iter().filter(|(_, to, _)| *to as usize == block).map(|(_, _, count)| count).sum()
    };
    Function {
        block_counts: (0..lines.len())
            .map(|block| if block == 0 { 1 } else { into(block) })
            .collect(),
        edge_counts: edges.iter().map(|&(_, _, count)| Some(count)).collect(),
        entries: 1,
        shape,
        ..Function::default()
    }
}

fn counts(function: &Function) -> Vec<(u32, Count)> {
    lines::of(function).into_iter().map(|((_, line, _), count)| (line, count)).collect()
}

#[test]
fn a_loop_of_one_block_runs_as_often_as_the_block() {
    assert_eq!(
        counts(&function(&[1, 2, 3], &[(0, 1, 1), (1, 1, 9), (1, 2, 1)])),
        [(1, 1), (2, 10), (3, 1)]
    );
    // The whole loop on one line: one execution, and one more for each turn.
    assert_eq!(counts(&function(&[1, 1, 1], &[(0, 1, 1), (1, 1, 9), (1, 2, 1)])), [(1, 10)]);
}

/// for (…10 times) for (…5 times) on one line: the inner loop takes 40 turns and the outer one
/// nine.
#[test]
fn loops_in_loops_on_one_line_are_added_up() {
    let nested = [(0, 1, 1), (1, 2, 10), (2, 2, 40), (2, 1, 9), (2, 3, 1)];
    assert_eq!(counts(&function(&[1, 1, 1, 1], &nested)), [(1, 1 + 40 + 9)]);
    let with_bodies = [(0, 1, 1), (1, 2, 10), (2, 3, 50), (3, 2, 40), (3, 1, 9), (3, 4, 1)];
    assert_eq!(counts(&function(&[1, 1, 1, 1, 2], &with_bodies)), [(1, 1 + 40 + 9), (2, 1)]);
    // With the inner body elsewhere, control comes back to the line 50 times.
    assert_eq!(
        counts(&function(&[1, 1, 1, 3, 2], &with_bodies)),
        [(1, 1 + 40 + 9), (2, 1), (3, 50)]
    );
}

#[test]
fn two_ways_around_are_two_loops() {
    // 1 → {2, 3} → 4 → 1, thirty times through 2 and twelve times through 3.
    let two = [(0, 1, 1), (1, 2, 30), (1, 3, 12), (2, 4, 30), (3, 4, 12), (4, 1, 41), (4, 5, 1)];
    assert_eq!(counts(&function(&[1, 1, 1, 1, 1, 2], &two)), [(1, 42), (2, 1)]);
    // Side by side: the first loop takes seven turns, the second eleven.
    let beside = [(0, 1, 1), (1, 1, 7), (1, 2, 1), (2, 2, 11), (2, 3, 1)];
    assert_eq!(counts(&function(&[1, 1, 1, 2], &beside)), [(1, 1 + 7 + 11), (2, 1)]);
    // Edges that join without a cycle are no loop.
    let diamond = [(0, 1, 1), (0, 2, 0), (1, 3, 1), (2, 3, 0), (3, 4, 1)];
    assert_eq!(counts(&function(&[1; 5], &diamond)), [(1, 1)]);
}

#[test]
fn blocks_without_a_line_have_none() {
    assert_eq!(counts(&function(&[1, 0, 1], &[(0, 1, 1), (1, 2, 1)])), [(1, 2)]);
}

#[test]
fn on_lines_of_more_than_a_thousand_blocks_the_hottest_one_counts() {
    for (blocks, expected) in [(999, 2), (1000, 2), (1001, 5), (1002, 5)] {
        // The first block leads to another line, which leads back. No edges explain the count 5 of
        // block 3.
        let mut lines = vec![1; blocks];
        lines.push(2);
        let last = blocks as u32;
        let mut edges: Vec<_> = (1..last - 1).map(|at| (at, at + 1, 1)).collect();
        edges.extend([(0, last, 1), (last, 1, 1)]);
        let mut function = function(&lines, &edges);
        function.block_counts[3] = 5;
        assert_eq!(counts(&function)[0], (1, expected), "{blocks}");
    }
}
