//! Which edges a limit cuts, on graphs whose paths can be counted by hand.

use paths::cfg::EdgeKind;
use paths::cuts::{Cuts, Reason};

use crate::{graph, planned};

/// How many paths are left, and the edges that are cut for the limit.
fn cut(text: &str, limit: u64) -> (u64, String) {
    let named = graph(text);
    let cuts = Cuts::necessary(&named.cfg).within(&named.cfg, &named.frequency, limit);
    let by_limit = named.cfg.edges().filter(|&edge| cuts.reason(edge) == Some(Reason::Limit));
    let name = |block: paths::cfg::Block| named.names[block.index()].as_str();
    let words = by_limit
        .map(|edge| named.cfg.edge(edge))
        .map(|edge| format!("{}→{}", name(edge.from), name(edge.to)));
    (planned(&named, limit).numbering.total(), words.collect::<Vec<_>>().join(" "))
}

/// This many loops of one block, one behind the other, with fewer and fewer ways to each.
fn loops(count: usize) -> String {
    let one = |at: usize| {
        let ways: Vec<_> = (0..count - at + 1).map(|way| format!("w{at}_{way}")).collect();
        let lines: String = ways.iter().map(|way| format!("{way}: h{at}\n")).collect();
        format!("a{at}: {}\n{lines}h{at}: h{at}*9 a{}\n", ways.join(" "), at + 1)
    };
    (0..count).map(one).collect::<String>() + &format!("a{count}:")
}

#[test]
fn loops_are_cut_off_from_the_one_with_most_paths_on() {
    // Which loops: twice as many each time, until it is enough. With all five cut off, six paths
    // lead to the first, and from each loop leads one that goes around and one for each way to the
    // next.
    assert_eq!(6 + (1 + 5) + (1 + 4) + (1 + 3) + (1 + 2) + (1 + 1), 26);
    for (limit, paths, off) in [
        (2370, 2370, 0),
        (2369, 420, 1),
        (420, 420, 1),
        (419, 100, 2),
        (100, 100, 2),
        (99, 28, 4),
        (28, 28, 4),
        (27, 26, 5),
    ] {
        let (total, edges) = cut(&loops(5), limit);
        let mut headers: Vec<_> =
            edges.split_whitespace().filter_map(|edge| edge.split('→').nth(1)).collect();
        headers.dedup();
        let expected: Vec<_> = (0..off).map(|at| format!("h{at}")).collect();
        assert_eq!(
            (total, headers),
            (paths, expected.iter().map(String::as_str).collect()),
            "{limit}"
        );
    }
    assert_eq!(
        cut(&loops(3), 26),
        (15, "w0_0→h0 w0_1→h0 w0_2→h0 w0_3→h0 w1_0→h1 w1_1→h1 w1_2→h1".into())
    );
}

/// Eight branches with two ways each, one behind the other.
fn diamonds() -> String {
    let lines =
        (0..8).map(|at| format!("a{at}: b{at}*3 c{at}*1\nb{at}: a{0}*3\nc{at}: a{0}*1\n", at + 1));
    lines.collect::<String>() + "a8:"
}

#[test]
fn what_remains_between_cuts_has_few_paths() {
    assert_eq!(cut(&diamonds(), 256), (256, String::new()));
    // Before both ways of the second branch: two lead there, and from each of its ways 64.
    assert_eq!(cut(&diamonds(), 255), (4 + 2 * 64, "a1→b1 a1→c1".into()));
    assert_eq!(cut(&diamonds(), 131), (2 + 128, "b0→a1 c0→a1".into()));
    assert_eq!(cut(&diamonds(), 71), (4 + 64, "b1→a2 c1→a2".into()));
    assert_eq!(cut(&diamonds(), 32), (16 + 16, "b3→a4 c3→a4".into()));
    // Three regions: of two, three and three branches.
    assert_eq!(cut(&diamonds(), 20), (4 + 8 + 8, "b1→a2 c1→a2 b4→a5 c4→a5".into()));
    let (total, edges) = cut(&diamonds(), 2);
    assert_eq!(
        (total, edges.split_whitespace().count()),
        (4 * 4, 6),
        "fewer are not found, and so many do"
    );
}

/// Six branches, each past a block or through it: the block runs half as often, and where both meet
/// as often as the branch.
fn steps() -> String {
    let lines = (0..6).map(|at| format!("a{at}: b{at}*2 a{0}*2\nb{at}: a{0}*2\n", at + 1));
    lines.collect::<String>() + "a6:"
}

#[test]
fn the_way_less_often_taken_is_cut_if_that_is_enough() {
    assert_eq!(cut(&steps(), 64), (64, String::new()));
    // Cut before b1: 16 paths from there, and from the entry twice those past it and the one to it.
    assert_eq!(cut(&steps(), 63), (2 * (16 + 1) + 16, "a1→b1".into()));
    // With half the limit, 17, the block would have exactly that many; so it stays whole, and
    // cutting before it is enough.
    for limit in [34, 35, 36] {
        assert_eq!(cut(&steps(), limit), (2 + 32, "a0→a1 b0→a1".into()), "{limit}");
    }
    // Here it is not: the block itself is cut off as well.
    assert_eq!(cut(&steps(), 17), (17, "a2→a3 b2→a3 a3→b3".into()));
}

#[test]
fn an_edge_without_code_is_not_cut_for_the_limit() {
    let named = graph("A?: B*9 ~P\nB: X*9\nP: Q R\nQ: S\nR: S\nS: T U\nT: X\nU: X\nX: Y Z\nY:\nZ:");
    for limit in 1..12 {
        let cuts = Cuts::necessary(&named.cfg).within(&named.cfg, &named.frequency, limit);
        for edge in named.cfg.edges().filter(|&edge| named.cfg.edge(edge).kind == EdgeKind::Unwind)
        {
            assert_eq!(cuts.reason(edge), None, "{limit}");
        }
        assert!(planned(&named, limit).numbering.total() < 10 || limit >= 10);
    }
}

#[test]
fn a_back_edge_is_one_whatever_stands_beside_it() {
    for text in ["A: G\nG: H\nH: L\nL: H X ~G\nX:", "A: G\nG: H\nH: L\nL: ~G X H\nX:"] {
        let named = graph(text);
        let cuts = Cuts::necessary(&named.cfg);
        let reason = |to: &str| {
            let leads = |&edge: &paths::cfg::Edge| {
                let data = named.cfg.edge(edge);
                named.names[data.from.index()] == "L" && named.names[data.to.index()] == to
            };
            cuts.reason(named.cfg.edges().find(leads).expect("an edge"))
        };
        // The way to G holds no code, so all ways out of L are cut.
        assert_eq!(
            ["G", "H", "X"].map(reason),
            [Some(Reason::BackEdge), Some(Reason::BackEdge), Some(Reason::Opaque)]
        );
    }
}
