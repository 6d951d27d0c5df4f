//! Paths in flight: where they end, what numbers they have, and which frames stayed.

use paths::Plan;
use paths::cfg::Cfg;
use paths::dag::{DagEdge, DagEdgeKind};
use paths::in_flight::{InFlight, Role};
use paths::techniques::Techniques;
use paths::text::NamedGraph;

use crate::graph;

/// A graph where paths in flight are counted, and its plan with this limit.
fn planned(text: &str, limit: u64) -> (NamedGraph, Plan) {
    let named = graph(text);
    let named = NamedGraph { cfg: named.cfg.with_in_flight(), ..named };
    let plan = paths::plan(&named.cfg, &named.frequency, limit, Techniques::FOR_ESTIMATES);
    (named, plan)
}

/// The separation of paths in flight from others, as a report makes it of the graph that it reads.
fn in_flight(plan: &Plan, cfg: &Cfg) -> Option<InFlight> {
    let edges = plan.dag.edges().map(|edge| (plan.dag.edge(edge), plan.numbering.value(edge)));
    let edges: Vec<_> = edges.map(|(data, value)| (data.from.0, data.to.0, value)).collect();
    let role = |edge: DagEdge| match plan.dag.edge(edge).kind {
        DagEdgeKind::InFlight => Role::End,
        DagEdgeKind::Start(..) => Role::Start,
        _ => Role::Other,
    };
    InFlight::new(cfg.num_blocks(), &edges, &plan.dag.edges().map(role).collect::<Vec<_>>())
        .expect("a sound graph")
}

/// The counts of the paths that have one, by number, after those of arrivals at calls are settled.
fn settled(text: &str, counts: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let (named, plan) = planned(text, 100);
    let mut counts = counts.to_vec();
    in_flight(&plan, &named.cfg).expect("some are in flight").settle(&mut counts);
    counts.into_iter().filter(|&(_, count)| count != 0).collect()
}

/// A loop that control may stay before, in and behind.
const LOOP: &str = "A?: H\nH?: H X\nX?: Y Z\nY:\nZ:";

#[test]
fn every_call_that_may_not_come_back_ends_a_path_before_those_that_go_on() {
    let (named, plan) = planned(LOOP, 100);
    assert_eq!(
        named.paths(&plan).lines().collect::<Vec<_>>(),
        [
            "0: A (in flight)",
            "1: A H (in flight)",
            "2: A H (back edge)",
            "3: A H X (in flight)",
            "4: A H X Y",
            "5: A H X Z",
            "6: (back edge, from H) H (in flight)",
            "7: (back edge, from H) H (back edge)",
            "8: (back edge, from H) H X (in flight)",
            "9: (back edge, from H) H X Y",
            "10: (back edge, from H) H X Z",
        ]
    );
    assert_eq!((plan.numbering.total(), plan.in_flight), (11, 5));
    for edge in plan.dag.edges().filter(|&edge| plan.dag.edge(edge).kind == DagEdgeKind::InFlight) {
        assert_eq!(plan.numbering.value(edge), 0);
        assert_eq!(plan.dag.successors(plan.dag.edge(edge).from)[0], edge);
    }
}

#[test]
fn whatever_is_hotter_the_path_in_flight_comes_first() {
    let named = graph("A?: B*9 C*1\nB?: D*9\nC: D*1\nD?:");
    let cfg = named.cfg.with_in_flight();
    for techniques in [Techniques::ALL, Techniques::FOR_ESTIMATES] {
        let plan = paths::plan(&cfg, &named.frequency, 100, techniques);
        let ends =
            plan.dag.edges().filter(|&edge| plan.dag.edge(edge).kind == DagEdgeKind::InFlight);
        assert_eq!(ends.map(|edge| plan.numbering.value(edge)).collect::<Vec<_>>(), [0, 0, 0]);
    }
}

#[test]
fn where_control_cannot_stay_or_none_is_asked_for_no_path_is_in_flight() {
    let (steady, plan) = planned("A: B\nB:", 100);
    assert_eq!((plan.numbering.total(), plan.in_flight), (1, 0));
    assert!(steady.cfg.blocks().all(|block| !steady.cfg.has_in_flight(block)));
    assert!(in_flight(&plan, &steady.cfg).is_none());

    let (named, plan) = planned("A?: B\nB:", 100);
    assert_eq!((plan.numbering.total(), plan.in_flight), (2, 1));
    let cfg = named.cfg.without_in_flight();
    let plan = paths::plan(&cfg, &named.frequency, 100, Techniques::FOR_ESTIMATES);
    assert_eq!((plan.numbering.total(), plan.in_flight), (1, 0));
}

/// In each iteration and before the loop, what did not go on stayed.
#[test]
fn frames_stay_where_they_came_to_and_did_not_go_on() {
    // Three came in; one stays in A. Of two in H one stays, one goes around; it comes to X in its
    // second iteration and leaves.
    assert_eq!(
        settled(LOOP, &[(0, 3), (1, 2), (2, 1), (6, 1), (8, 1), (9, 1)]),
        [(0, 1), (1, 1), (2, 1), (9, 1)]
    );
    // What began behind the cut says nothing of the entry, though its numbers are behind those from
    // there.
    assert_eq!(
        settled(LOOP, &[(0, 4), (6, 11), (7, 9), (8, 2), (10, 2)]),
        [(0, 4), (7, 9), (10, 2)]
    );
    assert_eq!(settled(LOOP, &[(6, 5), (7, 5)]), [(7, 5)]);
    // Nor does it where a parent came to the calls.
    let taken = |count: u64| count.wrapping_neg();
    assert_eq!(
        settled(LOOP, &[(0, 4), (7, 9), (10, 2)]),
        [(0, 4), (6, taken(9)), (7, 9), (8, taken(2)), (10, 2)],
        "two of the second iterations came to X, and none of them to H"
    );
}

#[test]
fn what_stays_further_on_stays_nowhere_else() {
    assert_eq!(settled(LOOP, &[(0, 1), (1, 1), (3, 1)]), [(3, 1)]);
    assert_eq!(settled(LOOP, &[(0, 1), (1, 1), (3, 1), (5, 1)]), [(5, 1)]);
    assert_eq!(settled(LOOP, &[]), []);
}

/// This many blocks that control may stay in, one behind the other, between that many pairs of ways
/// before them and behind them.
fn calls(before: usize, count: usize, behind: usize) -> String {
    let pairs = |name: &str, count: usize, next: &str| {
        let one = |at| {
            format!(
                "{name}{at}: {name}x{at} {name}y{at}\n{name}x{at}: {name}{0}\n{name}y{at}: {name}{0}\n",
                at + 1
            )
        };
        (0..count).map(one).collect::<String>() + &format!("{name}{count}: {next}\n")
    };
    let calls: String = (0..count).map(|at| format!("c{at}?: c{}\n", at + 1)).collect();
    format!("{}{calls}c{count}: a0\n{}", pairs("b", before, "c0"), pairs("a", behind, ""))
}

#[test]
fn in_flight_a_function_has_up_to_16_times_as_many_paths_as_the_limit() {
    // 32 ways to the calls: so many end, and as many are in flight in each call. Cut before the
    // last pair, 16 lead there and 2 on.
    for (count, total, in_flight, cuts) in
        [(15, 16 * 32, 15 * 32, 0), (16, 16 + 2 + 2 * 16, 2 * 16, 2)]
    {
        let (named, plan) = planned(&calls(5, count, 0), 32);
        assert_eq!((plan.numbering.total(), plan.in_flight), (total, in_flight), "{count}");
        assert_eq!(named.cuts(&plan).lines().count(), cuts, "{count}");
    }
    // Where no cut helps, none is made.
    let (named, plan) = planned(&calls(0, 99, 0), 2);
    assert_eq!((plan.numbering.total(), named.cuts(&plan)), (100, String::new()));
    // Those that end are limited by themselves.
    for (pairs, limit, is_cut) in [(3, 8, false), (3, 7, true), (4, 16, false), (4, 15, true)] {
        let (named, plan) = planned(&calls(0, 2, pairs), limit);
        assert_eq!(!named.cuts(&plan).is_empty(), is_cut, "{pairs} {limit}");
        assert!(plan.numbering.total() - plan.in_flight <= limit);
    }
}

#[test]
fn with_those_in_flight_no_function_has_more_paths_than_2_to_the_62() {
    for (pairs, is_cut) in [(61, false), (62, true)] {
        let (named, plan) = planned(&calls(0, 1, pairs), u64::MAX);
        assert_eq!(!named.cuts(&plan).is_empty(), is_cut, "{pairs}");
        assert!(plan.numbering.total() <= 1 << 62);
    }
}
