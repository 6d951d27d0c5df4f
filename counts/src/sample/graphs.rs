//! Graphs, walks through them, and functions as the pass describes them.

use std::collections::BTreeMap;

use crate::counted::{CountedImage, CountedModule};
use crate::model::{Count, Function, Image};
use pathformat::manifest::{self, CutReason, DagEdge, DagEdgeKind, Manifest, Outcome};
use pathformat::settings::Mode;
use paths::Plan;
use paths::cfg::{Block, BlockData, Cfg, ENTRY, Edge, EdgeData, EdgeKind, Exit};
use paths::cuts::Reason;
use paths::dag::{self, Dag, DagEdgeKind as Kind};

/// Random numbers that are the same in every run (xorshift, Marsaglia 2003).
pub struct Dice(u64);

impl Dice {
    /// Creates a generator with a different sequence for each seed.
    pub fn new(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns a number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }
}

/// Returns a random graph, and estimated counts of its edges. Control may stay in some of its
/// blocks, and paths in flight end there.
pub fn random(dice: &mut Dice) -> (Cfg, Vec<u64>) {
    let count = 2 + dice.below(9);
    let (mut blocks, mut edges) = (Vec::new(), Vec::new());
    for at in 0..count {
        let mut targets = Vec::new();
        let shape = dice.below(12);
        // The last block is always an exit.
        for _ in 0..if at + 1 < count { dice.below(4) } else { 0 } {
            let to = 1 + dice.below(count - 1);
            if !targets.contains(&to) {
                let kind = match (shape, targets.len()) {
                    (0, _) => EdgeKind::Opaque,
                    (1 | 2, 1) => EdgeKind::Unwind,
                    _ => EdgeKind::Plain,
                };
                edges.push(EdgeData { from: Block(at as u32), to: Block(to as u32), kind });
                targets.push(to);
            }
        }
        let exit = [Exit::Return, Exit::Unwind, Exit::NoReturn][shape % 3];
        let may_stay = dice.below(4) == 0;
        blocks.push(BlockData {
            exit: targets.is_empty().then_some(exit),
            may_stay,
            counts_above: false,
        });
    }
    let frequency = edges.iter().map(|_| dice.below(1000) as u64).collect();
    (Cfg::new(blocks, edges).with_in_flight(), frequency)
}

/// Returns walks of frames that leave the function, or stay in the last block, without walks that
/// loop for too long.
pub fn walks(cfg: &Cfg, dice: &mut Dice) -> Vec<Vec<Edge>> {
    let mut walks = Vec::new();
    for _ in 0..30 {
        let (mut walked, mut block) = (Vec::new(), ENTRY);
        let mut stays = false;
        while walked.len() < 200 && cfg.exit(block).is_none() && !stays {
            let ways = cfg.successors(block);
            let edge = ways[dice.below(ways.len())];
            stays = cfg.may_stay(block) && dice.below(8) == 0;
            if !stays {
                walked.push(edge);
                block = cfg.edge(edge).to;
            }
        }
        if stays || cfg.exit(block).is_some() {
            walks.push(walked);
        }
    }
    walks
}

/// Returns the block in which a walk ends.
pub fn last(cfg: &Cfg, walked: &[Edge]) -> Block {
    walked.last().map_or(ENTRY, |&edge| cfg.edge(edge).to)
}

/// Returns the blocks of a walk.
pub fn blocks_of(cfg: &Cfg, walked: &[Edge]) -> Vec<Block> {
    std::iter::once(ENTRY).chain(walked.iter().map(|&edge| cfg.edge(edge).to)).collect()
}

/// Returns the true counts of all blocks and all edges.
pub fn truth(cfg: &Cfg, walks: &[Vec<Edge>]) -> (Vec<Count>, Vec<Count>) {
    let (mut blocks, mut edges) = (vec![0; cfg.num_blocks()], vec![0; cfg.num_edges()]);
    for walked in walks {
        blocks_of(cfg, walked).iter().for_each(|block| blocks[block.index()] += 1);
        walked.iter().for_each(|edge| edges[edge.index()] += 1);
    }
    (blocks, edges)
}

/// Returns the paths of a walk, as acyclic edges. If the frame stays, the last path is in flight
/// where such paths are counted, and left out where they are not.
pub fn pieces(cfg: &Cfg, dag: &Dag, walked: &[Edge]) -> Vec<Vec<dag::DagEdge>> {
    let (mut paths, mut path) = (Vec::new(), Vec::new());
    for &edge in walked {
        match dag.cut(edge) {
            None => path.extend(dag.flow(edge)),
            Some(cut) => {
                path.push(cut.end);
                paths.push(std::mem::replace(&mut path, vec![cut.start]));
            }
        }
    }
    let last = last(cfg, walked);
    let kind = if cfg.exit(last).is_some() { Kind::Leave } else { Kind::InFlight };
    if let Some(&end) = dag.successors(last).iter().find(|&&edge| dag.edge(edge).kind == kind) {
        path.push(end);
        paths.push(path);
    }
    paths
}

/// Returns the counters of paths after some walks, by number: they count each path that ended, and
/// each arrival at a call that may not return.
pub fn stepped(cfg: &Cfg, plan: &Plan, walks: &[Vec<Edge>]) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    let mut step = |path: &[dag::DagEdge]| *counts.entry(id(plan, path)).or_insert(0) += 1;
    for walked in walks {
        let ended = pieces(cfg, &plan.dag, walked);
        let is_ended =
            |path: &&Vec<dag::DagEdge>| plan.dag.edge(path[path.len() - 1]).kind != Kind::InFlight;
        ended.iter().filter(is_ended).for_each(|path| step(path));
        for arrived in 0..=walked.len() {
            let calls = plan.dag.successors(last(cfg, &walked[..arrived])).iter();
            if let Some(&call) =
                calls.into_iter().find(|&&edge| plan.dag.edge(edge).kind == Kind::InFlight)
            {
                step(&[begun(&plan.dag, &walked[..arrived]), vec![call]].concat());
            }
        }
    }
    counts
}

/// Returns the beginning of the path that a walk is in.
fn begun(dag: &Dag, walked: &[Edge]) -> Vec<dag::DagEdge> {
    let from = walked.iter().rposition(|&edge| dag.cut(edge).is_some());
    let start = from.and_then(|at| dag.cut(walked[at])).map(|cut| cut.start);
    let flows = walked[from.map_or(0, |at| at + 1)..].iter().filter_map(|&edge| dag.flow(edge));
    start.into_iter().chain(flows).collect()
}

/// Returns the number of a path.
pub fn id(plan: &Plan, path: &[dag::DagEdge]) -> u64 {
    path.iter().map(|&edge| plan.numbering.value(edge)).sum()
}

/// Returns the graph as a function of a manifest, without paths and counters.
pub fn described(cfg: &Cfg) -> manifest::Function {
    let exit = |exit| match exit {
        Exit::Return => manifest::Exit::Return,
        Exit::Unwind => manifest::Exit::Unwind,
        Exit::NoReturn => manifest::Exit::NoReturn,
    };
    let blocks = cfg.blocks().map(|block| manifest::Block {
        exit: cfg.exit(block).map(exit),
        may_stay: cfg.may_stay(block),
        opcodes: vec![("add".into(), block.0 + 1)],
        ..manifest::Block::default()
    });
    let edges = cfg.edges().map(|edge| cfg.edge(edge)).map(|edge| manifest::Edge {
        from: edge.from.0,
        to: edge.to.0,
        outcome: match edge.kind {
            EdgeKind::Plain => Outcome::Jump,
            EdgeKind::Unwind => Outcome::Unwind,
            EdgeKind::Opaque => Outcome::Indirect,
        },
        ..manifest::Edge::default()
    });
    manifest::Function {
        name: "f".into(),
        blocks: blocks.collect(),
        edges: edges.collect(),
        ..Default::default()
    }
}

/// Returns the acyclic graph of a plan, and for each edge its cut.
pub fn acyclic(cfg: &Cfg, plan: &Plan) -> (Vec<DagEdge>, Vec<Option<(u32, u32)>>) {
    let why = |reason| match reason {
        Reason::BackEdge => CutReason::BackEdge,
        Reason::Opaque => CutReason::Opaque,
        Reason::Limit => CutReason::Limit,
        Reason::LoopEntry => CutReason::LoopEntry,
    };
    let edges = plan.dag.edges().map(|edge| {
        let data = plan.dag.edge(edge);
        let kind = match data.kind {
            Kind::Flow(edge) => DagEdgeKind::Flow { edge: edge.0 },
            Kind::Leave => DagEdgeKind::Leave { block: data.from.0 },
            Kind::End(_, reason) => DagEdgeKind::End { block: data.from.0, why: why(reason) },
            Kind::Start(_, reason) => DagEdgeKind::Start { block: data.to.0, why: why(reason) },
            Kind::InFlight => DagEdgeKind::InFlight { block: data.from.0 },
        };
        DagEdge { kind, value: plan.numbering.value(edge) }
    });
    let cuts = cfg.edges().map(|edge| plan.dag.cut(edge).map(|cut| (cut.end.0, cut.start.0)));
    (edges.collect(), cuts.collect())
}

/// Returns a function whose paths are counted.
pub fn with_paths(cfg: &Cfg, plan: &Plan) -> manifest::Function {
    let mut function = described(cfg);
    let (dag, cuts) = acyclic(cfg, plan);
    function.edges.iter_mut().zip(cuts).for_each(|(edge, cut)| edge.cut = cut);
    let (num_paths, in_flight_paths) = (plan.numbering.total(), plan.in_flight);
    manifest::Function { num_paths, in_flight_paths, dag, ..function }
}

/// Decodes the counters of a function: `counts` by index, and the keys of its tables.
pub fn decoded(
    mode: Mode,
    function: manifest::Function,
    counts: &BTreeMap<u64, u64>,
    keys: &[(u64, u64)],
) -> Function {
    let counters = function.first_counter + function.counters();
    let manifest = Manifest { mode, functions: vec![function], ..Manifest::default() };
    let mut counted = CountedModule::new(counters, manifest, Vec::new());
    let counts: Vec<_> = counts
        .iter()
        .map(|(&index, &count)| (index, count))
        .filter(|(_, count)| *count > 0)
        .collect();
    counted.add(&counts, keys, |address| format!("f{address}"));
    let (report, problems) = crate::decode::decode(vec![loaded(vec![counted])], &());
    assert!(problems.is_empty(), "{problems:?}");
    report.functions.into_iter().next().expect("the function")
}

/// Returns an image of these modules.
pub fn loaded(modules: Vec<CountedModule>) -> CountedImage {
    CountedImage {
        image: Image { path: "/bin/x".into(), build_id: vec![1], ..Image::default() },
        runs: Vec::new(),
        modules,
    }
}
