//! Blocks, edges and paths of random walks.

use std::collections::BTreeMap;

use counts::model::{Count, Counting, End, Start};
use pathformat::manifest::{self, Call, DagEdgeKind};
use pathformat::settings::Mode;
use paths::blocks::Counted;
use paths::cfg::{Block, Cfg, EdgeKind};
use paths::edges::{Arc, Arcs};
use paths::plan;
use paths::techniques::Techniques;

use counts::sample::graphs::{
    Dice, blocks_of, decoded, described, id, pieces, random, stepped, truth, walks, with_paths,
};

const GRAPHS: u64 = 400;

/// Checks that known counts are the true ones.
fn agree(found: &[Option<Count>], ran: &[Count], seed: u64) {
    for (edge, (found, &ran)) in found.iter().zip(ran).enumerate() {
        assert!(
            found.is_none_or(|found| found == ran),
            "graph {seed}, edge {edge}: {found:?}, not {ran}"
        );
    }
    assert_eq!(found.len(), ran.len());
}

#[test]
fn counters_of_blocks_tell_all_blocks_and_what_follows_of_edges() {
    let mut known = 0;
    for seed in 0..GRAPHS {
        let mut dice = Dice::new(seed);
        let (cfg, frequency) = random(&mut dice);
        let walks = walks(&cfg, &mut dice);
        let (blocks, edges) = truth(&cfg, &walks);
        let counted: Vec<_> = Counted::fewest(&cfg, &frequency, |_| true).blocks().collect();
        let function = manifest::Function {
            counted_blocks: counted.iter().map(|block| block.0).collect(),
            ..described(&cfg)
        };
        if counted.is_empty() {
            continue;
        }
        let counts = (0..).zip(counted.iter().map(|block| blocks[block.index()] as u64)).collect();
        let found = decoded(Mode::Blocks, function, &counts, &[]);
        assert_eq!((&found.block_counts, found.entries), (&blocks, blocks[0]), "graph {seed}");
        agree(&found.edge_counts, &edges, seed);
        // The only edge into a block has the count of the block, and so has the only edge out of a
        // block in which no frame stays. The counts of indirect edges follow from their targets.
        for (edge, count) in cfg.edges().zip(&found.edge_counts) {
            let data = cfg.edge(edge);
            let is_only_way_in = cfg.predecessors(data.to).len() == 1;
            let is_only_way_out = cfg.successors(data.from).len() == 1 && !cfg.may_stay(data.from);
            let is_alone = match data.kind {
                EdgeKind::Opaque => is_only_way_in,
                _ => is_only_way_in || is_only_way_out,
            };
            assert!(count.is_some() || !is_alone, "graph {seed}: {edge}");
            known += usize::from(count.is_some() && !is_alone);
        }
        assert!(found.paths.is_empty() && found.counting != Counting::Calls);
    }
    assert!(known > 500, "{known} edges follow from others");
}

#[test]
fn counters_of_edges_tell_all_edges_that_can_be_told_apart() {
    for seed in 0..GRAPHS {
        let mut dice = Dice::new(seed);
        let (cfg, frequency) = random(&mut dice);
        let walks = walks(&cfg, &mut dice);
        let (blocks, edges) = truth(&cfg, &walks);
        let arcs = Arcs::of(&cfg);
        let counted = arcs.fewest(&cfg, &frequency);
        let opaque = |edge: &&paths::cfg::Edge| cfg.edge(**edge).kind == EdgeKind::Opaque;
        let sum = |of: &[paths::cfg::Edge]| {
            of.iter().filter(opaque).map(|edge| edges[edge.index()]).sum::<Count>()
        };
        let ran = |arc| match arc {
            Arc::Edge(edge) => edges[edge.index()],
            Arc::Block(block) => blocks[block.index()],
            Arc::Depart(block) => sum(cfg.successors(block)),
            Arc::Arrive(_) | Arc::Stay(_) => panic!("no code can count it"),
        };
        let counts = (0..).zip(counted.iter().map(|&arc| ran(arcs.list[arc]) as u64)).collect();
        let function = manifest::Function {
            counted_arcs: counted.iter().map(|&arc| arc as u32).collect(),
            ..described(&cfg)
        };
        let found = decoded(Mode::Edges, function, &counts, &[]);
        agree(&found.edge_counts, &edges, seed);
        assert_eq!((&found.block_counts, found.entries), (&blocks, blocks[0]), "graph {seed}");
        let is = |kind| cfg.edges().filter(|&edge| cfg.edge(edge).kind == kind).collect::<Vec<_>>();
        for edge in is(EdgeKind::Plain) {
            assert!(found.edge_counts[edge.index()].is_some(), "graph {seed}: {edge}");
        }
        // If all indirect edges come from one block, the count of each follows from its target.
        let mut sources: Vec<_> =
            is(EdgeKind::Opaque).into_iter().map(|edge| cfg.edge(edge).from).collect();
        sources.dedup();
        if sources.len() == 1 && is(EdgeKind::Unwind).is_empty() {
            assert!(found.edge_counts.iter().all(Option::is_some), "graph {seed}");
        }
    }
}

#[test]
fn where_only_calls_are_counted_blocks_with_calls_are_known() {
    for seed in 0..GRAPHS {
        let mut dice = Dice::new(seed);
        let (cfg, frequency) = random(&mut dice);
        let walks = walks(&cfg, &mut dice);
        let (blocks, _) = truth(&cfg, &walks);
        let calls: Vec<bool> = cfg.blocks().map(|_| dice.below(3) == 0).collect();
        let mut function = described(&cfg);
        for (block, _) in function.blocks.iter_mut().zip(&calls).filter(|(_, calls)| **calls) {
            block.calls = vec![Call { callee: "g".into(), location: None }];
        }
        let wanted = |block: Block| block.0 == 0 || calls[block.index()];
        let counted: Vec<_> = Counted::fewest(&cfg, &frequency, wanted).blocks().collect();
        function.counted_blocks = counted.iter().map(|block| block.0).collect();
        if counted.is_empty() {
            continue;
        }
        let counts = (0..).zip(counted.iter().map(|block| blocks[block.index()] as u64)).collect();
        let found = decoded(Mode::Calls, function, &counts, &[]);
        for block in cfg.blocks().filter(|&block| wanted(block)) {
            assert_eq!(
                found.block_counts[block.index()],
                blocks[block.index()],
                "graph {seed}: {block}"
            );
        }
        assert!(found.edge_counts.iter().all(Option::is_none) && found.counting == Counting::Calls);
        assert_eq!(found.entries, blocks[0]);
    }
}

/// Returns the form of a path: its start, its blocks, and its end.
fn look(
    cfg: &Cfg,
    function: &manifest::Function,
    path: &[paths::dag::DagEdge],
) -> (Start, Vec<u32>, End) {
    let (mut start, mut blocks, mut end) = (Start::Entry, vec![0], None);
    for edge in path {
        use pathformat::manifest::CutReason::{BackEdge, Call, Limit, LoopEntry, Opaque, Register};
        match function.dag[edge.index()].kind {
            DagEdgeKind::Start { block, why } => {
                blocks = vec![block];
                start = match why {
                    BackEdge | LoopEntry => Start::Loop,
                    Opaque | Call => Start::Resume,
                    Limit | Register => Start::Cut,
                };
            }
            DagEdgeKind::Flow { edge } => blocks.push(cfg.edge(paths::cfg::Edge(edge)).to.0),
            DagEdgeKind::End { why: BackEdge, .. } => end = Some(End::BackEdge),
            DagEdgeKind::End { why: LoopEntry, .. } => end = Some(End::LoopEntry),
            DagEdgeKind::End { .. } => end = Some(End::Cut),
            DagEdgeKind::InFlight { .. } => end = Some(End::InFlight),
            DagEdgeKind::Leave { block } => {
                end = Some(match cfg.exit(Block(block)) {
                    Some(paths::cfg::Exit::Return) => End::Return,
                    Some(paths::cfg::Exit::Unwind) => End::Unwind,
                    _ => End::NoReturn,
                });
            }
        }
    }
    (start, blocks, end.expect("a path ends"))
}

#[test]
fn counters_of_paths_tell_paths_blocks_and_edges() {
    let mut unknown = 0;
    for seed in 0..GRAPHS {
        let mut dice = Dice::new(seed);
        let (cfg, frequency) = random(&mut dice);
        let walks = walks(&cfg, &mut dice);
        let limit = [3, 20, u64::MAX][dice.below(3)];
        let plan = plan(&cfg, &frequency, limit, Techniques::ALL);
        let (blocks, edges) = truth(&cfg, &walks);
        let first_counter = dice.below(50) as u64;
        let function = manifest::Function { first_counter, ..with_paths(&cfg, &plan) };
        let counts = stepped(&cfg, &plan, &walks)
            .into_iter()
            .map(|(id, count)| (first_counter + id, count))
            .collect();
        let mut ran = BTreeMap::new();
        for path in walks.iter().flat_map(|walked| pieces(&cfg, &plan.dag, walked)) {
            let last = path.last().map(|edge| edge.0);
            ran.entry(id(&plan, &path)).or_insert((0, last, look(&cfg, &function, &path))).0 += 1;
        }
        // The counters before and behind belong to other functions.
        let found = decoded(Mode::Paths, function, &counts, &[]);
        assert_eq!(found.block_counts, blocks, "graph {seed}");
        assert_eq!((found.entries, found.beyond_table), (walks.len() as Count, 0), "graph {seed}");
        agree(&found.edge_counts, &edges, seed);
        unknown += cfg.edges().filter(|edge| found.edge_counts[edge.index()].is_none()).count();
        for edge in cfg.edges().filter(|&edge| plan.dag.cut(edge).is_none()) {
            assert!(found.edge_counts[edge.index()].is_some(), "graph {seed}: {edge}");
        }
        let listed: BTreeMap<_, _> = found
            .paths
            .into_iter()
            .map(|path| {
                let sizes: u32 = path.blocks.iter().map(|block| block + 1).sum();
                assert_eq!(path.instructions, u64::from(sizes), "graph {seed}");
                (path.id.0, (path.count, path.last, (path.start, path.blocks, path.end)))
            })
            .collect();
        assert_eq!(listed, ran, "graph {seed}");
        assert_eq!(blocks_of(&cfg, &[]), [Block(0)]);
    }
    assert!(unknown < 200, "{unknown} edges are not known");
}
