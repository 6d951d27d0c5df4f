//! The worked examples of the literature.

use crate::cfg::Block;
use crate::cuts::Cuts;
use crate::dag::Dag;
use crate::increments::Increments;
use crate::numbering::Numbering;
use crate::spanning_tree::SpanningTree;
use crate::techniques::Techniques;
use crate::{Plan, plan, text};

fn named(graph: &str) -> (text::NamedGraph, Plan) {
    let named = text::parse(graph).expect("a graph");
    let plan = plan(&named.cfg, &named.frequency, u64::MAX, Techniques::FOR_ESTIMATES);
    (named, plan)
}

/// The increments of all chords, one a line: what the examples tabulate, before code is moved.
fn chords(named: &text::NamedGraph, plan: &Plan) -> String {
    let weights = plan.dag.weights(&named.cfg, &named.frequency);
    let tree = SpanningTree::heaviest(&named.cfg, &plan.dag, |edge| weights[edge.index()]);
    let increments = Increments::of_chords(&plan.dag, &plan.numbering, &tree);
    let name = |block: Block| named.names.get(block.index()).map_or("EXIT", String::as_str);
    let mut lines = String::new();
    for edge in plan.dag.edges().filter(|&edge| !tree.contains(edge) && increments.of(edge) != 0) {
        let data = plan.dag.edge(edge);
        lines += &format!("{}→{}: {}\n", name(data.from), name(data.to), increments.of(edge));
    }
    lines
}

#[track_caller]
fn check(what: String, expected: &str) {
    let expected: Vec<_> =
        expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(what.lines().collect::<Vec<_>>(), expected);
}

/// "Implementing Efficient Path Profiling": A leads to a loop header B, which goes to D or to C and
/// back.
#[test]
fn a_loop_with_four_paths() {
    let (named, plan) = named(
        "A: B
         B: D C
         C: B
         D:",
    );
    check(
        named.values(&plan),
        "B→C: 1
         A→B (back edge): 2",
    );
    check(
        named.paths(&plan),
        "0: A B D
         1: A B C (back edge)
         2: (back edge, from C) B D
         3: (back edge, from C) B C (back edge)",
    );
}

/// The six-path graph of the 1996 paper's Figure 1, with the chords that the seed document chose.
#[test]
fn the_graph_of_the_paper() {
    let (named, plan) = named(
        "A: B*9 C*9
         B: D*9 C
         C: D
         D: E*9 F
         E: F*9
         F:",
    );
    check(
        chords(&named, &plan),
        "B→C: -2
         C→D: 4
         D→F: 1",
    );
    check(
        named.paths(&plan),
        "0: A B D E F
         1: A B D F
         2: A B C D E F
         3: A B C D F
         4: A C D E F
         5: A C D F",
    );
    // The register is known until C and D, where two ways meet, so it is first set on the edges
    // into them. The paper steps it on C→D. That edge alone is neither one that sets nor one that
    // counts, so the tree takes it, and no step is left.
    check(
        named.code(&plan),
        "A→C: r = 0
         B→D: r = -4
         B→C: r = -2
         D→E: count[r + 4]++
         D→F: count[r + 5]++",
    );
}

/// Two loops on one header: the start of a path shows through which back edge it began, and each
/// back edge needs its own increment before the count and its own value after it.
#[test]
fn two_loops_on_one_header() {
    let (named, plan) = named(
        "bb: bb8*9
         bb8: bb12*9 bb18*9
         bb18: bb4
         bb4: bb8*9 bb28
         bb12: bb8*9
         bb28:",
    );
    check(
        named.paths(&plan),
        "0: bb bb8 bb12 (back edge)
         1: bb bb8 bb18 bb4 (back edge)
         2: bb bb8 bb18 bb4 bb28
         3: (back edge, from bb4) bb8 bb12 (back edge)
         4: (back edge, from bb4) bb8 bb18 bb4 (back edge)
         5: (back edge, from bb4) bb8 bb18 bb4 bb28
         6: (back edge, from bb12) bb8 bb12 (back edge)
         7: (back edge, from bb12) bb8 bb18 bb4 (back edge)
         8: (back edge, from bb12) bb8 bb18 bb4 bb28",
    );
    check(
        named.values(&plan),
        "bb8→bb18: 1
         bb4→bb28: 1
         bb→bb8 (back edge): 3
         bb→bb8 (back edge): 6",
    );
}

/// "Paper Reading: Efficient Path Profiling": ENTRY→A and B→EXIT are chords. Its third chord is
/// EXIT→ENTRY; that edge holds no code, so here it is in the tree and C→EXIT is the third, which
/// the increment of ENTRY→A makes up for.
#[test]
fn the_spanning_tree_example() {
    let (named, plan) = named(
        "ENTRY: A C*9
         A: C*9 B*9
         B: X
         C: X*9
         X:",
    );
    check(
        named.values(&plan),
        "ENTRY→C: 2
         A→B: 1",
    );
    check(
        chords(&named, &plan),
        "ENTRY→A: -2
         B→X: 3
         C→X: 2",
    );
    check(
        named.paths(&plan),
        "0: ENTRY A C X
         1: ENTRY A B X
         2: ENTRY C X",
    );
}

#[test]
fn one_block_is_one_path_and_one_instruction() {
    let (named, plan) = named("A:");
    check(named.paths(&plan), "0: A");
    check(named.code(&plan), "A→EXIT: count[0]++");
}

#[test]
fn counting_stays_below_a_block_that_control_may_leave() {
    let (named, plan) = named(
        "A: B C
         B: D
         C: D
         D?:",
    );
    check(
        named.code(&plan),
        "B→D: r = 0
         C→D: r = 1
         D→EXIT: count[r]++",
    );
}

#[test]
fn counting_moves_above_the_return_behind_a_tail_call() {
    let (named, plan) = named(
        "A: B C
         B: D
         C: E F
         E: G
         F: G
         G: D
         D^:",
    );
    check(
        named.code(&plan),
        "A→B: count[0]++
         C→E: count[1]++
         C→F: count[2]++",
    );
}

#[test]
fn all_ways_to_such_a_return_count_the_register() {
    let (named, plan) = named("A: A2 B\nA2: C\nB: C\nC: D*9 E\nE: D\nD^:");
    check(
        named.code(&plan),
        "A2→C: r = 0
         B→C: r = 2
         C→D: count[r]++
         C→E: count[r + 1]++",
    );
}

#[test]
fn a_path_ends_where_it_enters_a_loop() {
    let named = text::parse(
        "A: P Q
         Q: P
         P: L D
         L: L*9 D
         D: ",
    )
    .expect("a graph");
    let techniques = Techniques { loop_entries: true, ..Techniques::FOR_ESTIMATES };
    let plan = plan(&named.cfg, &named.frequency, u64::MAX, techniques);
    check(
        named.paths(&plan),
        "0: A P (loop entry)
         1: A P D
         2: A Q P (loop entry)
         3: A Q P D
         4: (back edge, from P L) L (back edge)
         5: (back edge, from P L) L D",
    );
    // The loop needs no register. It is counted where its iterations begin.
    check(
        named.code(&plan),
        "A→P: r = 0
         Q→P: r = 2
         P→EXIT (loop entry): count[r]++
         P→D: count[r + 1]++
         L→D: count[4]--, count[5]++
         A→L (back edge): count[4]++ speculative",
    );
}

#[test]
fn an_invoke_goes_on_along_its_unwind_edge() {
    let (named, plan) = named(
        "A?: B*9 ~P
         B?: C*9 ~P
         C: 
         P: resume",
    );
    check(
        named.paths(&plan),
        "0: A B C
         1: A B P
         2: A P",
    );
    // The unwind edges hold no code, so A and B leave behind what separates their exceptions.
    check(
        named.code(&plan),
        "B→C: count[0]++
         P→EXIT: count[r + 2]++
         end of A: r = 0
         end of B: r = -1",
    );
}

#[test]
fn an_opaque_edge_ends_the_path_in_its_source() {
    let (named, plan) = named(
        "A: B D
         B: !C !D
         C: 
         D: ",
    );
    check(
        named.paths(&plan),
        "0: A B (opaque)
         1: A (opaque)
         2: (opaque, from A B) D
         3: (opaque, from B) C",
    );
}

#[test]
fn more_paths_than_64_bits_are_refused_and_cut() {
    let mut graph = String::new();
    for at in 0..70 {
        graph += &format!("a{at}: b{at} c{at}\n b{at}: a{next}\n c{at}: a{next}\n", next = at + 1);
    }
    graph += "a70:";
    let named = text::parse(&graph).expect("a graph");
    let uncut = Dag::new(&named.cfg, &Cuts::necessary(&named.cfg));
    assert_eq!(Numbering::of(&uncut).map_err(|error| error.block), Err(Block(3 * 6)));
    for limit in [1, 50, 4096, 1 << 40, u64::MAX] {
        let plan = plan(&named.cfg, &named.frequency, limit, Techniques::ALL);
        assert!(
            plan.numbering.total() <= limit.max(300),
            "limit {limit}: {}",
            plan.numbering.total()
        );
    }
}
