//! What is done on which edge.

use paths::plan;
use paths::techniques::Techniques;

use crate::graph;

/// Nothing is counted before it is known which path is taken.
const PLAIN: Techniques = Techniques { speculation: false, ..Techniques::FOR_ESTIMATES };

/// The edges on which a counter is stepped, and those on which something else is done.
fn stepped(text: &str, techniques: Techniques) -> [String; 2] {
    let named = graph(text);
    let plan = plan(&named.cfg, &named.frequency, u64::MAX, techniques);
    let name =
        |block: paths::cfg::Block| named.names.get(block.index()).map_or("EXIT", String::as_str);
    [true, false].map(|counts| {
        let edges = plan.dag.edges().filter(|&edge| plan.placement.counts(edge) == counts);
        let done = edges
            .filter(|&edge| counts || plan.placement.op(edge).is_some())
            .map(|edge| plan.dag.edge(edge));
        done.map(|edge| format!("{}→{}", name(edge.from), name(edge.to)))
            .collect::<Vec<_>>()
            .join(" ")
    })
}

#[test]
fn counting_is_distinct_from_setting_the_register() {
    // See `filetests`: one is set before the loop and again for each iteration, and what leaves the
    // header counts.
    assert_eq!(
        stepped("A: H\nH: B*100 X\nB: H*100\nX:", PLAIN),
        ["H→B H→X", "A→H A→H"].map(String::from)
    );
    // Ahead of the loop's end, and taken back where it is left.
    assert_eq!(
        stepped("A: B\nB: B*100 C\nC:", Techniques::FOR_ESTIMATES),
        ["A→B B→C A→B", ""].map(String::from)
    );
    assert_eq!(stepped("A: B\nB:", Techniques::ALL), ["A→B", ""].map(String::from));
}

#[test]
fn without_constants_the_register_is_set_at_the_entry() {
    let set = |techniques| {
        let [_, set] = stepped("A: B\nB: C D\nC: D\nD?: E F\nE:\nF:", techniques);
        set.contains("A→B")
    };
    let variable = Techniques { constants: false, ..Techniques::ALL };
    let unordered = Techniques { constants: false, ..Techniques::FOR_ESTIMATES };
    assert_eq!([Techniques::ALL, variable, unordered].map(set), [false, true, true]);
}

/// Two ways to `D`, so that the register is not known there, and from there so many ways to `G`. Of
/// these the last adds to the register on its way into `G`, all others before.
fn join(ways: usize) -> String {
    let targets: String =
        (1..ways).map(|way| format!(" E{way}*{}", if way + 1 < ways { 1 } else { 9 })).collect();
    let lines: String = (1..ways).map(|way| format!("E{way}: G*9\n")).collect();
    format!("A: B C\nB: D\nC: D\nD:{targets} F*9\n{lines}F: G*1\nG:")
}

/// Whether paths are counted behind `G`, where all ways meet.
fn counts_behind(text: &str) -> bool {
    let [counts, _] = stepped(text, PLAIN);
    counts == "G→EXIT"
}

#[test]
fn counting_moves_above_a_join_only_if_that_takes_the_place_of_something() {
    assert!(!counts_behind("A: B C\nB: D\nC: D\nD: E*5 F*9\nE: G*1\nF: G*9\nG:"));
    // Where both ways add before, there is nothing to take the place of.
    assert!(counts_behind("A: B C\nB: D\nC: D\nD: E*1 F*5\nE: G*9\nF: G*9\nG:"));
}

#[test]
fn counting_moves_above_a_join_with_at_most_four_copies() {
    assert_eq!(
        [2, 3, 5, 6, 7].map(|ways| counts_behind(&join(ways))),
        [false, false, false, true, true]
    );
}
