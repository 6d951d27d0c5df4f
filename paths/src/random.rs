//! Every claim of the crate against brute force on random graphs.

use std::collections::{BTreeMap, HashMap, HashSet};

use proptest::prelude::*;

use crate::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind, Exit};
use crate::cuts::Cuts;
use crate::dag::{DagEdge, DagEdgeKind};
use crate::edges::{Arc, Arcs};
use crate::in_flight::{InFlight, Role};
use crate::increments::Increments;
use crate::moves::Moves;
use crate::placement::{Op, Placement};
use crate::spanning_tree::SpanningTree;
use crate::techniques::Techniques;
use crate::{Plan, blocks, oracle, patterns, plan, text};

/// A random graph: every block but the last few gets one to four successors, some blocks end in an
/// invoke or in an opaque terminator, some are not steady. In half of the graphs paths in flight
/// are counted. Loops, irreducible ones included, and unreachable blocks occur.
fn graphs(most: usize) -> impl Strategy<Value = (Cfg, Vec<u64>)> {
    let block = (
        proptest::collection::vec((any::<prop::sample::Index>(), 0u64..1000), 0..4),
        0..12u8,
        any::<bool>(),
    );
    (proptest::collection::vec(block, 1..most), any::<bool>()).prop_map(|(blocks, in_flight)| {
        let count = blocks.len();
        let mut data = Vec::new();
        let mut edges: Vec<EdgeData> = Vec::new();
        let mut frequency = Vec::new();
        for (at, (targets, shape, steady)) in blocks.into_iter().enumerate() {
            let mut used = Vec::new();
            for (to, weight) in targets {
                let to = if count > 1 { 1 + to.index(count - 1) } else { 0 };
                if to == 0 || used.contains(&to) {
                    continue;
                }
                let kind = match (shape, used.len()) {
                    (0, _) => EdgeKind::Opaque,
                    (1..=3, 1) => EdgeKind::Unwind,
                    _ => EdgeKind::Plain,
                };
                used.push(to);
                edges.push(EdgeData { from: Block(at as u32), to: Block(to as u32), kind });
                frequency.push(weight);
            }
            let exit = match shape {
                _ if !used.is_empty() => None,
                4 => Some(Exit::NoReturn),
                5 => Some(Exit::Unwind),
                _ => Some(Exit::Return),
            };
            data.push(BlockData { exit, may_stay: !steady, counts_above: false });
        }
        let cfg = Cfg::new(data, edges);
        (if in_flight { cfg.with_in_flight() } else { cfg }, frequency)
    })
}

/// Any combination of techniques.
fn techniques() -> impl Strategy<Value = Techniques> {
    any::<[bool; 7]>().prop_map(
        |[loop_entries, order, weights, constants, above, joins, speculation]| Techniques {
            loop_entries,
            order,
            weights,
            constants,
            above,
            joins,
            speculation,
        },
    )
}

/// The sum of the values along a path.
fn id(plan: &Plan, path: &[DagEdge]) -> u64 {
    path.iter().map(|&edge| plan.numbering.value(edge)).sum()
}

/// Compares what was derived from those that have a counter with what `ran`.
fn check_derived(
    derived: &[Option<i128>],
    ran: &[i128],
    must_be_known: impl Fn(usize) -> bool,
) -> Result<(), TestCaseError> {
    for (at, (derived, &ran)) in derived.iter().zip(ran).enumerate() {
        prop_assert!(
            derived.map_or(!must_be_known(at), |count| count == ran),
            "{at}: {derived:?}, not {ran}"
        );
    }
    Ok(())
}

/// The counts of those that have a counter.
fn known(ran: &[i128], is_counted: impl Fn(usize) -> bool) -> Vec<Option<i128>> {
    ran.iter().enumerate().map(|(at, &ran)| is_counted(at).then_some(ran)).collect()
}

/// A walk through `cfg` that these choices lead along; a frame that does not leave the function
/// stays at the end of the last block where it may. The edges that it took and the blocks that it
/// came to, or nothing if it could not have ended so.
fn frame(cfg: &Cfg, choices: &[prop::sample::Index]) -> Option<(Vec<Edge>, Vec<Block>)> {
    let mut next = choices.iter();
    let mut walked =
        oracle::walk(cfg, choices.len(), |ways| next.next().expect("enough choices").index(ways));
    let mut blocks: Vec<_> =
        std::iter::once(Block(0)).chain(walked.iter().map(|&edge| cfg.edge(edge).to)).collect();
    if blocks.last().is_none_or(|&last| cfg.exit(last).is_none()) {
        let last = blocks.iter().rposition(|&block| cfg.may_stay(block))?;
        blocks.truncate(last + 1);
        walked.truncate(last);
    }
    Some((walked, blocks))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ids_are_dense_and_distinct_and_decode(
        (cfg, frequency) in graphs(9),
        limit in 1u64..40,
        techniques in techniques(),
    ) {
        let plan = plan(&cfg, &frequency, limit, techniques);
        let paths = oracle::enumerate(&plan.dag);
        prop_assert_eq!(paths.len() as u64, plan.numbering.total());
        let begins_with_call = |path: &[DagEdge]| !matches!(plan.dag.edge(path[0]).kind, DagEdgeKind::Start(..));
        let calls = paths.iter().filter(|path| begins_with_call(path));
        prop_assert!(calls.clone().all(|path| id(&plan, path) < calls.clone().count() as u64));
        let by_id: HashMap<_, _> = paths.iter().map(|path| (id(&plan, path), path)).collect();
        prop_assert_eq!(by_id.len(), paths.len());
        let decoder = text::decoder(&plan);
        for id in 0..plan.numbering.total() {
            let decoded: Vec<_> = decoder.path(id).expect("an id").into_iter().map(|e| DagEdge(e as u32)).collect();
            prop_assert_eq!(Some(&&decoded), by_id.get(&id));
        }
        prop_assert!(decoder.path(plan.numbering.total()).is_err());
    }

    #[test]
    fn chord_sums_equal_value_sums((cfg, frequency) in graphs(9)) {
        let plan = plan(&cfg, &frequency, u64::MAX, Techniques::ALL);
        let weights = plan.dag.weights(&cfg, &frequency);
        let tree = SpanningTree::heaviest(&cfg, &plan.dag, |edge| weights[edge.index()]);
        let increments = Increments::of_chords(&plan.dag, &plan.numbering, &tree);
        for edge in plan.dag.edges().filter(|&edge| tree.contains(edge)) {
            prop_assert_eq!(increments.of(edge), 0);
        }
        for path in oracle::enumerate(&plan.dag) {
            let sum = path.iter().fold(0i64, |sum, &edge| sum.wrapping_add(increments.of(edge)));
            prop_assert_eq!(sum as u64, id(&plan, &path));
        }
    }

    #[test]
    fn no_other_tree_makes_steps_cheaper(
        (cfg, frequency) in graphs(14),
        limit in prop_oneof![1u64..30, Just(u64::MAX)],
        techniques in techniques(),
        costs in proptest::collection::vec(any::<u8>(), 60),
    ) {
        let techniques = Techniques { weights: true, joins: false, ..techniques };
        let plan = plan(&cfg, &frequency, limit, techniques);
        let (dag, weights) = (&plan.dag, plan.dag.weights(&cfg, &frequency));
        let tree = SpanningTree::heaviest(&cfg, dag, |edge| costs[edge.index() % costs.len()]);
        let increments = Increments::of_chords(dag, &plan.numbering, &tree);
        let moves = Moves::of(&cfg, dag, techniques);
        let other = Placement::of(&cfg, dag, &increments, &moves, &weights, techniques);
        let cost = |edge: DagEdge| moves.step_cost(dag, edge, weights[edge.index()]);
        let is_step = |&edge: &DagEdge| matches!(plan.placement.op(edge), Some(Op::Add(_)));
        let steps: u64 = dag.edges().filter(is_step).map(cost).sum();
        // A chord of another tree may happen to add nothing, which no choice of a tree can foresee.
        let chords: u64 = dag.edges().filter(|&edge| !tree.contains(edge)).map(cost).sum();
        prop_assert!(steps <= chords);
        let is_free = |&edge: &DagEdge| moves.step_cost(dag, edge, 1) == 0;
        let free = dag.edges().filter(is_free);
        prop_assert!(free.map(|edge| other.op(edge)).all(|op| !matches!(op, Some(Op::Add(_)))));
    }

    #[test]
    fn the_placed_code_counts_what_was_walked(
        (cfg, frequency) in graphs(14),
        limit in prop_oneof![1u64..30, Just(u64::MAX)],
        techniques in techniques(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        let plan = plan(&cfg, &frequency, limit, techniques);
        let mut next = choices.iter();
        let walked = oracle::walk(&cfg, choices.len(), |ways| next.next().expect("enough choices").index(ways));
        let (paths, in_flight) = oracle::cut_walk(&cfg, &plan.dag, &walked);
        let expected: Vec<_> = paths.iter().map(|path| id(&plan, path)).collect();
        let (counted, stands) = oracle::execute(&cfg, &plan, &walked);
        let last = walked.last().map_or(Block(0), |&edge| cfg.edge(edge).to);
        prop_assert_eq!(stands.is_some(), cfg.has_in_flight(last));
        prop_assert_eq!(stands, in_flight.map(|path| id(&plan, &path)));
        // A walk that stops in the middle may be in a path that was counted above the rest of it.
        let ended = walked.last().map_or(cfg.exit(Block(0)), |&edge| cfg.exit(cfg.edge(edge).to)).is_some();
        let surplus = counted.len() - counted.len().min(expected.len());
        prop_assert_eq!(&counted[..counted.len() - surplus], &expected[..]);
        prop_assert!(surplus == 0 || (surplus == 1 && !ended));
    }

    #[test]
    fn every_frame_that_stays_is_reported(
        (cfg, frequency) in graphs(14),
        limit in prop_oneof![1u64..30, Just(u64::MAX)],
        techniques in techniques(),
        walks in proptest::collection::vec(proptest::collection::vec(any::<prop::sample::Index>(), 0..40), 0..6),
    ) {
        let cfg = cfg.with_in_flight();
        let plan = plan(&cfg, &frequency, limit, techniques);
        let mut counters: BTreeMap<u64, u64> = BTreeMap::new();
        let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
        for (walked, _) in walks.iter().filter_map(|choices| frame(&cfg, choices)) {
            let (paths, in_flight) = oracle::cut_walk(&cfg, &plan.dag, &walked);
            let left = cfg.exit(walked.last().map_or(Block(0), |&edge| cfg.edge(edge).to)).is_some();
            for path in paths.iter().chain(in_flight.as_ref().filter(|_| !left)) {
                *expected.entry(id(&plan, path)).or_default() += 1;
            }
            // Every call that control came to has counted, wherever the frame went then.
            for end in 0..=walked.len() {
                let (_, arrived) = oracle::execute(&cfg, &plan, &walked[..end]);
                arrived.into_iter().for_each(|id| *counters.entry(id).or_default() += 1);
            }
            let (counted, _) = oracle::execute(&cfg, &plan, &walked);
            let ended = counted.into_iter().take(paths.len());
            ended.for_each(|id| *counters.entry(id).or_default() += 1);
        }
        let edges: Vec<_> = plan.dag.edges().map(|edge| {
            let data = plan.dag.edge(edge);
            (data.from.0, data.to.0, plan.numbering.value(edge))
        }).collect();
        let roles: Vec<_> = plan.dag.edges().map(|edge| match plan.dag.edge(edge).kind {
            DagEdgeKind::InFlight => Role::End,
            DagEdgeKind::Start(..) => Role::Start,
            _ => Role::Other,
        }).collect();
        let mut counts: Vec<_> = counters.into_iter().collect();
        if let Some(in_flight) = InFlight::new(cfg.num_blocks(), &edges, &roles).expect("a sound graph") {
            in_flight.settle(&mut counts);
        }
        let settled: BTreeMap<_, _> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
        prop_assert_eq!(settled, expected);
    }

    #[test]
    fn what_has_no_counter_follows_from_the_rest(
        (cfg, frequency) in graphs(14),
        walks in proptest::collection::vec(proptest::collection::vec(any::<prop::sample::Index>(), 0..40), 0..6),
    ) {
        let arcs = Arcs::of(&cfg);
        let mut blocks_ran = vec![0i128; cfg.num_blocks()];
        let mut arcs_ran = vec![0i128; arcs.list.len()];
        for (walked, blocks) in walks.iter().filter_map(|choices| frame(&cfg, choices)) {
            blocks.iter().for_each(|block| blocks_ran[block.index()] += 1);
            let stays = blocks.last().copied().filter(|&last| cfg.exit(last).is_none());
            for (arc, ran) in arcs.list.iter().zip(&mut arcs_ran) {
                let opaque = |edge: &&Edge| cfg.edge(**edge).kind == EdgeKind::Opaque;
                let times = |is_it: &dyn Fn(Edge) -> bool| walked.iter().filter(opaque).filter(|&&edge| is_it(edge)).count();
                *ran += match *arc {
                    Arc::Edge(edge) => walked.iter().filter(|&&of| of == edge).count() as i128,
                    Arc::Block(block) => blocks.iter().filter(|&&of| of == block).count() as i128,
                    Arc::Depart(block) => times(&|edge| cfg.edge(edge).from == block) as i128,
                    Arc::Arrive(block) => times(&|edge| cfg.edge(edge).to == block) as i128,
                    Arc::Stay(block) => i128::from(stays == Some(block)),
                };
            }
        }
        let edges: Vec<_> = cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0)).collect();
        let network = blocks::network(&edges, &blocks::leaves(&cfg));
        let all = |_| true;
        for counted in [blocks::Counted::fewest(&cfg, &frequency, all), patterns::find(&cfg).0] {
            let is_counted = |block: usize| counted.is_counted(Block(block as u32));
            check_derived(&network.infer(known(&blocks_ran, is_counted)), &blocks_ran, |_| true)?;
        }
        // Only some blocks are of interest.
        let wanted = |block: Block| frequency.get(block.index()).is_some_and(|taken| taken % 2 == 0);
        let counted = blocks::Counted::fewest(&cfg, &frequency, wanted);
        prop_assert!(counted.blocks().all(wanted));
        let is_counted = |block: usize| counted.is_counted(Block(block as u32));
        let derived = network.without(|block| !wanted(Block(block as u32))).infer(known(&blocks_ran, is_counted));
        for block in cfg.blocks().filter(|&block| wanted(block)) {
            prop_assert_eq!(derived[block.index()], Some(blocks_ran[block.index()]));
        }
        // Edges that hold no code may stay unknown; all else is known.
        let counted = arcs.fewest(&cfg, &frequency);
        let is_counted = |at: usize| match arcs.list[at] {
            Arc::Edge(edge) => cfg.edge(edge).kind == EdgeKind::Plain,
            Arc::Block(_) | Arc::Depart(_) => true,
            Arc::Arrive(_) | Arc::Stay(_) => false,
        };
        let derived = arcs.infer(known(&arcs_ran, |at| counted.contains(&at)));
        check_derived(&derived, &arcs_ran, is_counted)?;
        // So does what follows from all blocks alone, as far as it goes.
        let of_blocks = arcs.infer(known(&arcs_ran, |at| matches!(arcs.list[at], Arc::Block(_))));
        check_derived(&of_blocks, &arcs_ran, |_| false)?;
    }

    #[test]
    fn uncut_paths_consist_of_those_that_a_limit_leaves(
        (cfg, frequency) in graphs(30), limit in 1u64..50, loop_entries in any::<bool>()
    ) {
        let techniques = Techniques { loop_entries, ..Techniques::ALL };
        let limited = plan(&cfg, &frequency, limit, techniques);
        let uncut = crate::plan_uncut(&cfg, &frequency, techniques, &limited);
        // So few blocks have no more paths than numbers, so that nothing is cut but what must be.
        let unlimited = plan(&cfg.clone().without_in_flight(), &frequency, u64::MAX, techniques);
        let cut = |plan: &Plan| cfg.edges().filter(|&edge| plan.dag.cut(edge).is_some()).collect::<HashSet<_>>();
        let (limited, unlimited, total) = (cut(&limited), cut(&unlimited), unlimited.numbering.total());
        prop_assert_eq!(uncut.is_some(), unlimited.is_subset(&limited) && unlimited.len() < limited.len());
        if let Some(uncut) = uncut {
            prop_assert_eq!((uncut.numbering.total(), uncut.in_flight), (total, 0));
            prop_assert_eq!(cut(&uncut), unlimited);
        }
    }

    #[test]
    fn a_limit_is_kept_where_it_can_be((cfg, frequency) in graphs(30), limit in 1u64..200) {
        let plan = plan(&cfg, &frequency, limit, Techniques::ALL);
        let cuts = Cuts::necessary(&cfg).within(&cfg, &frequency, limit);
        prop_assert_eq!(cuts.num_paths(&cfg), plan.numbering.total());
        prop_assert!(plan.numbering.total() <= Cuts::necessary(&cfg).num_paths(&cfg));
        // Cutting before every block leaves at most one path for each edge and two for each block.
        let least = (cfg.num_edges() + 2 * cfg.num_blocks()) as u64 * 2;
        let ended = cuts.num_paths(&cfg.clone().without_in_flight());
        prop_assert_eq!(plan.numbering.total() - plan.in_flight, ended);
        prop_assert!(ended <= limit.max(least), "{ended} paths");
        prop_assert!(plan.numbering.total() <= (16 * limit).max(least), "{} with those in flight", plan.numbering.total());
    }
}
