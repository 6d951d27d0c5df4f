//! Paths as they are without a limit.

use paths::techniques::Techniques;
use paths::{plan, plan_uncut};

use crate::{graph, planned};

/// Nine paths: two ways to a loop, and in each iteration it goes around or leaves on one of two
/// ways.
const NINE: &str = "A: B C\nB?: D\nC: D\nD: H\nH: H*100 E F\nE: G\nF: G\nG:";

#[test]
fn what_a_limit_cuts_is_one_path_again() {
    let named = graph(NINE);
    let limited = planned(&named, 8);
    assert!(limited.numbering.total() <= 8);
    let whole = plan_uncut(&named.cfg, &named.frequency, Techniques::ALL, &limited)
        .expect("the limit cuts");
    assert_eq!(whole.numbering.total(), 9);
    let cut =
        |plan: &paths::Plan| named.cfg.edges().filter(|&edge| plan.dag.cut(edge).is_some()).count();
    assert_eq!((cut(&whole), cut(&limited)), (1, 2));
}

#[test]
fn there_is_nothing_to_add_to_what_no_limit_cuts() {
    let named = graph(NINE);
    let unlimited = planned(&named, 9);
    assert_eq!(unlimited.numbering.total(), 9);
    assert!(plan_uncut(&named.cfg, &named.frequency, Techniques::ALL, &unlimited).is_none());
}

#[test]
fn uncut_paths_are_counted_at_their_end_only() {
    let named = graph(NINE);
    let (limited, unlimited) = (planned(&named, 8), planned(&named, 100));
    let is_speculative = |plan: &paths::Plan| {
        plan.dag.edges().any(|edge| plan.placement.speculative(edge).is_some())
    };
    assert!(is_speculative(&unlimited));
    let whole = plan_uncut(&named.cfg, &named.frequency, Techniques::ALL, &limited)
        .expect("the limit cuts");
    assert!(!is_speculative(&whole));
}

#[test]
fn uncut_paths_are_never_in_flight() {
    let named = graph(NINE);
    let cfg = named.cfg.clone().with_in_flight();
    // The path into B is in flight there.
    assert_eq!(plan(&cfg, &named.frequency, 100, Techniques::ALL).numbering.total(), 10);
    let limited = plan(&cfg, &named.frequency, 8, Techniques::ALL);
    let whole =
        plan_uncut(&cfg, &named.frequency, Techniques::ALL, &limited).expect("the limit cuts");
    assert_eq!(whole.numbering.total(), 9);
}

/// This many pairs of ways, one behind the other: 2 to that power paths.
fn diamonds(pairs: usize) -> String {
    let lines: String = (0..pairs)
        .map(|at| format!("a{at}: b{at} c{at}\nb{at}: a{0}\nc{at}: a{0}\n", at + 1))
        .collect();
    format!("{lines}a{pairs}:")
}

#[test]
fn more_paths_than_2_to_the_62_are_not_counted_whole() {
    for (pairs, is_whole) in [(61, true), (62, true), (63, false), (70, false)] {
        let named = graph(&diamonds(pairs));
        let limited = planned(&named, 4096);
        let whole = plan_uncut(&named.cfg, &named.frequency, Techniques::ALL, &limited);
        assert_eq!(
            whole.map(|whole| whole.numbering.total()),
            is_whole.then(|| 1 << pairs),
            "{pairs}"
        );
    }
    // Whatever limit is asked for.
    assert_eq!(planned(&graph(&diamonds(62)), u64::MAX).numbering.total(), 1 << 62);
    assert!(planned(&graph(&diamonds(63)), u64::MAX).numbering.total() <= 1 << 62);
}
