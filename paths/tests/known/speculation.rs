//! Where paths are counted ahead of the end of an iteration, and where they are not.

use crate::{fan, graph, planned};

/// Whether anything is counted ahead.
fn is_speculative(text: &str) -> bool {
    let named = graph(text);
    let plan = planned(&named, u64::MAX);
    plan.dag.edges().any(|edge| plan.placement.speculative(edge).is_some())
}

#[test]
fn loops_may_be_long() {
    for blocks in [1, 2, 33, 300] {
        let lines: String = (1..blocks).map(|at| format!("B{}: B{at}*100\n", at - 1)).collect();
        let ring = format!("A: B0\n{lines}B{}: B0*100 X\nX:", blocks - 1);
        assert!(is_speculative(&ring), "{blocks}");
    }
}

#[test]
fn a_loop_is_expected_to_go_on_if_it_does_so_four_times_of_five() {
    for (goes_on, leaves, expected) in
        [(4, 1, true), (3, 1, false), (40, 10, true), (39, 10, false), (1, 0, true)]
    {
        assert_eq!(
            is_speculative(&format!("A: B\nB: B*{goes_on} X*{leaves}\nX:")),
            expected,
            "{goes_on}:{leaves}"
        );
    }
    // All ways out count together.
    assert!(is_speculative("A: B\nB: B*8 X Y\nX:\nY:"));
    assert!(!is_speculative("A: B\nB: B*7 X Y\nX:\nY:"));
}

#[test]
fn up_to_eight_ways_are_counted_each_by_itself() {
    for (ways, expected) in [(2, true), (8, true), (9, false)] {
        let switch = fan("H: {}", ways, |_| ": L*10".into());
        assert_eq!(is_speculative(&format!("A: H\n{switch}L: H*1000 X\nX:")), expected, "{ways}");
    }
}

#[test]
fn nothing_is_counted_ahead_of_a_block_that_control_may_stay_in() {
    let with = |[header, way, latch]: [&str; 3]| {
        format!("A: H\nH{header}: B*50 C*50\nB{way}: L*50\nC: L*50\nL{latch}: H*99 X\nX:")
    };
    assert!(is_speculative(&with(["", "", ""])));
    for before in [["?", "", ""], ["", "?", ""]] {
        assert!(is_speculative(&with(before)), "{before:?}");
    }
    assert!(!is_speculative(&with(["", "", "?"])));
    // What stays before the loop or behind it does no harm.
    assert!(is_speculative("A?: B\nB: B*9 X\nX?:"));
}

#[test]
fn counting_ahead_begins_in_front_of_the_loop_only_if_nobody_stays_there() {
    let code = |stays: &str| {
        let named = graph(&format!("A: P Q\nQ: P\nP{stays}: H\nH: H*100 X\nX:"));
        named.code(&planned(&named, u64::MAX)).lines().map(String::from).collect::<Vec<_>>()
    };
    let early = code("");
    assert!(
        early.iter().any(|line| line.starts_with("A→P: ") && line.ends_with("speculative")),
        "{early:?}"
    );
    let late = code("?");
    assert!(
        !late.iter().any(|line| line.contains("→P: ") && line.ends_with("speculative")),
        "{late:?}"
    );
    assert!(
        late.iter().any(|line| line.starts_with("P→H: ") && line.ends_with("speculative")),
        "{late:?}"
    );
}

#[test]
fn counting_ahead_needs_edges_that_hold_code() {
    assert!(is_speculative("A: H\nH: L*100 P\nL: H*100 X\nP: X\nX:"));
    assert!(!is_speculative("A: H\nH: L*100 ~P\nL: H*100 X\nP: X\nX:"));
}

/// One way into a block needs no copies: the instruction would only move.
#[test]
fn where_no_ways_meet_nothing_is_counted_ahead() {
    assert!(!is_speculative("A: H\nH: B*50 C*50\nB: H*49 X\nC: H*49 Y\nX:\nY:"));
}
