//! Every claim of the crate against brute force on random graphs.

use std::collections::HashMap;

use proptest::prelude::*;

use crate::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind, Exit};
use crate::conservation::Network;
use crate::cuts::Cuts;
use crate::dag::{DagEdge, Kind};
use crate::edges::{Arc, Arcs};
use crate::entries::Entries;
use crate::increments::Increments;
use crate::spanning_tree::SpanningTree;
use crate::techniques::Techniques;
use crate::{Plan, blocks, oracle, patterns, plan, text};

/// A random graph: every block but the last few gets one to four successors, some blocks end in an invoke or in an
/// opaque terminator, some are not steady. In half of the graphs paths in flight are counted. Loops, irreducible ones
/// included, and unreachable blocks occur.
fn graphs(most: usize) -> impl Strategy<Value = (Cfg, Vec<u64>)> {
    let block = (proptest::collection::vec((any::<prop::sample::Index>(), 0u64..1000), 0..4), 0..12u8, any::<bool>());
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
                let peeled = kind == EdgeKind::Plain && weight % 16 == 0;
                edges.push(EdgeData { from: Block(at as u32), to: Block(to as u32), kind, peeled });
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
    any::<[bool; 7]>().prop_map(|[order, weights, constants, above, joins, ahead, marks]| Techniques {
        order,
        weights,
        constants,
        above,
        joins,
        ahead,
        marks,
    })
}

/// The sum of the values along a path.
fn id(plan: &Plan, path: &[DagEdge]) -> u64 {
    path.iter().map(|&edge| plan.numbering.value(edge)).sum()
}

/// Derives all counts from those that have a counter, and compares them with what `ran`.
fn check_derived(network: &Network, is_counted: &[bool], ran: &[i128], staying: u128) -> Result<(), TestCaseError> {
    let known = is_counted.iter().zip(ran).map(|(&counted, &ran)| counted.then_some(ran)).collect();
    let derived = network.derive(known);
    let all_are_counted = !is_counted.contains(&false);
    if staying == 0 || all_are_counted {
        for (derived, &ran) in derived.counts.iter().zip(ran) {
            prop_assert!(derived.is_none_or(|count| count == ran), "{:?}, not {:?}", derived, ran);
        }
    }
    if !all_are_counted && derived.counts.iter().all(Option::is_some) {
        prop_assert_eq!(derived.staying, staying);
    }
    Ok(())
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
        let begins_with_call = |path: &[DagEdge]| !matches!(plan.dag.edge(path[0]).kind, Kind::Start(..));
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
        let tree = SpanningTree::heaviest(&cfg, &plan.dag, &plan.dag.weights(&cfg, &frequency));
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
        prop_assert_eq!(stands, in_flight.map(|path| id(&plan, &path)));
        // A walk that stops in the middle may be in a path that was counted above the rest of it.
        let ended = walked.last().map_or(cfg.exit(Block(0)), |&edge| cfg.exit(cfg.edge(edge).to)).is_some();
        let surplus = counted.len() - counted.len().min(expected.len());
        prop_assert_eq!(&counted[..counted.len() - surplus], &expected[..]);
        prop_assert!(surplus == 0 || (surplus == 1 && !ended));
    }

    #[test]
    fn every_frame_that_stays_has_entered(
        (cfg, frequency) in graphs(14),
        limit in prop_oneof![1u64..30, Just(u64::MAX)],
        techniques in techniques(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..30),
    ) {
        let plan = plan(&cfg, &frequency, limit, techniques);
        let mut next = choices.iter();
        let walked = oracle::walk(&cfg, choices.len(), |ways| next.next().expect("enough choices").index(ways));
        let marked = |edge: &&DagEdge| plan.entries.mark(**edge);
        let flows = walked.iter().filter_map(|&edge| plan.dag.flow(edge));
        let stepped = usize::from(plan.entries == Entries::Counted) + flows.filter(|edge| marked(&edge)).count();
        prop_assert!(stepped <= 1);
        let (counted, _) = oracle::execute(&cfg, &plan, &walked);
        let decoder = text::decoder(&plan);
        let path = |id: u64| decoder.path(id).expect("an id").into_iter().map(|edge| DagEdge(edge as u32)).collect();
        let first: Option<Vec<DagEdge>> = counted.first().map(|&id| path(id));
        let told = first.as_ref().is_some_and(|path| plan.entries != Entries::Counted && !path.iter().any(|edge| marked(&edge)));
        let stands = walked.last().map_or(Block(0), |&edge| cfg.edge(edge).to);
        if cfg.has_in_flight(stands) {
            return Ok(());
        }
        let entered = stepped + usize::from(told);
        prop_assert!(entered <= 1);
        prop_assert!(entered == 1 || first.is_none() && !cfg.may_stay(stands));
    }

    #[test]
    fn what_has_no_counter_follows_from_the_rest(
        (cfg, frequency) in graphs(14),
        walks in proptest::collection::vec(proptest::collection::vec(any::<prop::sample::Index>(), 0..40), 0..6),
    ) {
        let arcs = Arcs::of(&cfg);
        let mut blocks_ran = vec![0i128; cfg.num_blocks()];
        let mut arcs_ran = vec![0i128; arcs.list.len()];
        let mut staying = 0;
        for choices in walks {
            let mut next = choices.iter();
            let walked = oracle::walk(&cfg, choices.len(), |ways| next.next().expect("enough choices").index(ways));
            let blocks: Vec<_> = std::iter::once(Block(0)).chain(walked.iter().map(|&edge| cfg.edge(edge).to)).collect();
            // A frame that does not leave the function stays where it may, if it came through such a block.
            let leaves = |block: &Block| cfg.exit(*block).is_some();
            let end = match blocks.iter().rposition(|&block| cfg.may_stay(block)) {
                _ if blocks.last().is_some_and(leaves) => blocks.len(),
                Some(last) => {
                    staying += u128::from(!leaves(&blocks[last]));
                    last + 1
                }
                None => continue,
            };
            blocks[..end].iter().for_each(|block| blocks_ran[block.index()] += 1);
            for (arc, ran) in arcs.list.iter().zip(&mut arcs_ran) {
                let taken = &walked[..end - 1];
                let opaque = |edge: &&Edge| cfg.edge(**edge).kind == EdgeKind::Opaque;
                *ran += match *arc {
                    Arc::Edge(edge) => taken.iter().filter(|&&of| of == edge).count() as i128,
                    Arc::Enter => 1,
                    Arc::Leave(block) => i128::from(blocks[end - 1] == block),
                    Arc::Depart(block) => taken.iter().filter(opaque).filter(|&&of| cfg.edge(of).from == block).count() as i128,
                    Arc::Arrive(block) => taken.iter().filter(opaque).filter(|&&of| cfg.edge(of).to == block).count() as i128,
                };
            }
        }
        let edges: Vec<_> = cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| (edge.from.0, edge.to.0)).collect();
        let network = blocks::network(&edges, &blocks::exits(&cfg));
        let every = |_| true;
        for counted in [blocks::Counted::fewest(&cfg, &frequency, every), patterns::find(&cfg).0] {
            let is_counted: Vec<_> = cfg.blocks().map(|block| counted.is_counted(block)).collect();
            check_derived(&network, &is_counted, &blocks_ran, staying)?;
        }
        // Only some blocks are of interest.
        let wanted = |block: Block| frequency.get(block.index()).is_some_and(|taken| taken % 2 == 0);
        let counted = blocks::Counted::fewest(&cfg, &frequency, wanted);
        prop_assert!(counted.blocks().all(wanted));
        let known = cfg.blocks().map(|block| counted.is_counted(block).then_some(blocks_ran[block.index()])).collect();
        let derived = network.without(|block| !wanted(Block(block as u32))).derive(known);
        prop_assert!(staying > 0 || derived.staying == 0);
        if derived.staying == 0 {
            for block in cfg.blocks().filter(|&block| wanted(block)) {
                prop_assert_eq!(derived.counts[block.index()], Some(blocks_ran[block.index()]));
            }
        }
        let counted = arcs.fewest(&cfg, &frequency);
        let is_counted: Vec<_> = (0..arcs.list.len()).map(|number| counted.contains(&number)).collect();
        check_derived(&arcs.network, &is_counted, &arcs_ran, staying)?;
    }

    #[test]
    fn whole_paths_consist_of_those_that_a_limit_leaves((cfg, frequency) in graphs(30), limit in 1u64..50) {
        let limited = plan(&cfg, &frequency, limit, Techniques::ALL);
        let whole = crate::plan_whole(&cfg, &frequency, Techniques::ALL, &limited);
        let Some(whole) = whole else { return Ok(()) };
        prop_assert_eq!(&whole.numbering.total(), &plan(&cfg.clone().without_in_flight(), &frequency, u64::MAX, Techniques::ALL).numbering.total());
        for edge in cfg.edges().filter(|&edge| whole.dag.cut(edge).is_some()) {
            prop_assert!(limited.dag.cut(edge).is_some());
        }
    }

    #[test]
    fn a_limit_is_kept_where_it_can_be((cfg, frequency) in graphs(30), limit in 1u64..200) {
        let plan = plan(&cfg, &frequency, limit, Techniques::ALL);
        let cuts = Cuts::within(&cfg, &frequency, limit);
        prop_assert_eq!(cuts.counted(&cfg), plan.numbering.total());
        prop_assert!(plan.numbering.total() <= Cuts::necessary(&cfg).counted(&cfg));
        // Cutting before every block leaves at most one path for each edge and two for each block.
        let least = (cfg.num_edges() + 2 * cfg.num_blocks()) as u64 * 2;
        prop_assert!(plan.numbering.total() <= limit.max(least), "{} paths", plan.numbering.total());
    }
}
