//! Finds the loops of a function that no call interrupts, and what they leave alone.

use std::collections::{BTreeMap, BTreeSet};

use paths::cfg::{Block, Cfg};
use paths::cuts::{Cuts, Reason};

use super::code::{Register, Registers, Vector, Vectors};
use super::graph::Graph;
use super::regions::{Region, Regions};
use super::registers::PathRegister;

/// A loop without calls, which is entered at its header alone.
pub(crate) struct Loop {
    /// The node by which it is entered.
    pub(crate) header: Block,
    /// Its nodes.
    pub(crate) nodes: BTreeSet<Block>,
    /// All its regions: those of its nodes, and the edges between them.
    pub(crate) inside: Vec<Region>,
    /// The edges that enter it.
    pub(crate) begin: Vec<Region>,
    /// The edges that leave it.
    pub(crate) end: Vec<Region>,
}

/// The loops of a function, the smallest first.
pub(crate) fn find(graph: &Graph<'_>, cfg: &Cfg, regions: &Regions) -> Vec<Loop> {
    let of = |(header, nodes): (Block, BTreeSet<Block>)| {
        let is_in = |node: Block| nodes.contains(&node);
        let into = nodes.iter().flat_map(|&node| cfg.predecessors(node));
        let into = into.filter(|&&edge| !is_in(cfg.edge(edge).from));
        let out = nodes.iter().flat_map(|&node| cfg.successors(node));
        let out = out.filter(|&&edge| !is_in(cfg.edge(edge).to));
        Loop {
            header,
            inside: inner_regions(cfg, regions, &nodes),
            begin: into.map(|&edge| regions.on(edge)).collect(),
            end: out.map(|&edge| regions.on(edge)).collect(),
            nodes,
        }
    };
    node_sets(graph, cfg).into_iter().map(of).collect()
}

impl Loop {
    /// True if code can stand on all ways into it and out of it.
    pub(crate) fn has_points_around(&self, regions: &Regions) -> bool {
        self.begin.iter().chain(&self.end).all(|region| regions.is_point[region.index()])
    }

    /// How often the loop is entered.
    pub(crate) fn entries(&self, regions: &Regions) -> u64 {
        let times = self.begin.iter().map(|region| regions.frequency[region.index()]);
        times.fold(0, u64::saturating_add)
    }

    /// The registers that code in the loop touches, the number of paths included.
    pub(crate) fn touched(
        &self,
        graph: &Graph<'_>,
        path_registers: &[Option<PathRegister>],
    ) -> Registers {
        let mut touched = Registers::default();
        for &node in &self.nodes {
            graph.instructions(graph.node(node)).for_each(|of| touched |= of.touched());
        }
        let ours = self.inside.iter().filter_map(|region| path_registers[region.index()]);
        touched | ours.map(|of| of.register).collect()
    }

    /// A register that is live all through the loop, and that nothing touches there: it is not
    /// `touched`.
    pub(crate) fn idle(&self, regions: &Regions, touched: Registers) -> Option<Register> {
        // What is live nowhere in the loop may hold something of ours.
        let live = self.nodes.iter().map(|&node| regions.busy[regions.top(node).index()]);
        let live = live.reduce(|all, of| all & of)?;
        touched.others().find(|&register| live.has(register))
    }

    /// A vector register that is free all through the blocks of the loop.
    pub(crate) fn free_vector(&self, graph: &Graph<'_>) -> Option<Vector> {
        let blocks = self.nodes.iter().filter_map(|&node| graph.node(node).block);
        let blocks: BTreeSet<_> = blocks.collect();
        let free = blocks.into_iter().map(|block| graph.code.free_vectors(block));
        free.reduce(|all, of| all & of).and_then(Vectors::last)
    }
}

/// The most instructions of a loop in which the time of a count shows. Processors forward what they
/// store to the next load, within a cycle where the address is that of the same register (measured
/// on Zen 4), within four or five where it is relative to the instruction pointer.
const SHORT: usize = 32;

/// The short loops of a function, in which the address of the counters shall be in a register.
pub(crate) struct ShortLoops {
    /// The regions of each loop, the smallest first.
    inside: Vec<Vec<Region>>,
    /// The smallest loop around each region, if the address shall be in a register there.
    innermost: Vec<Option<usize>>,
}

impl ShortLoops {
    /// Those of a function.
    pub(crate) fn of(graph: &Graph<'_>, cfg: &Cfg, regions: &Regions) -> Self {
        let mut loops = Self { inside: Vec::new(), innermost: vec![None; regions.busy.len()] };
        for of in find(graph, cfg, regions) {
            let length = |&node: &Block| {
                graph.instructions(graph.node(node)).filter(|of| !of.is_meta()).count()
            };
            if of.nodes.iter().map(length).sum::<usize>() <= SHORT {
                for region in &of.inside {
                    loops.innermost[region.index()].get_or_insert(loops.inside.len());
                }
                loops.inside.push(of.inside);
            }
        }
        loops
    }

    /// True if the address shall be in a register for a count of this region.
    pub(crate) fn has(&self, region: Region) -> bool {
        self.innermost[region.index()].is_some()
    }

    /// Leaves out the loops which would read the address in each turn, for nothing is gained by
    /// that. True if there was one.
    pub(crate) fn leave_out(&mut self, reads: impl Fn(Region) -> bool) -> bool {
        let fails = |of: &usize| self.inside[*of].iter().any(|&region| reads(region));
        let failed: BTreeSet<_> = (0..self.inside.len()).filter(fails).collect();
        let mut has_changed = false;
        for of in &mut self.innermost {
            has_changed |= of.take_if(|of| failed.contains(of)).is_some();
        }
        has_changed
    }
}

/// The header and the nodes of each loop without calls, the smallest loops first.
fn node_sets(graph: &Graph<'_>, cfg: &Cfg) -> Vec<(Block, BTreeSet<Block>)> {
    let cuts = Cuts::necessary(cfg);
    let mut by_header = BTreeMap::<Block, BTreeSet<Block>>::new();
    for edge in cfg.edges().filter(|&edge| cuts.reason(edge) == Some(Reason::BackEdge)) {
        let data = cfg.edge(edge);
        let nodes = by_header.entry(data.to).or_insert_with(|| BTreeSet::from([data.to]));
        let mut pending = vec![data.from];
        while let Some(node) = pending.pop() {
            if nodes.insert(node) {
                pending.extend(cfg.predecessors(node).iter().map(|&edge| cfg.edge(edge).from));
            }
        }
    }
    let enters_at_header = |header: Block, nodes: &BTreeSet<Block>| {
        nodes.iter().filter(|&&node| node != header).all(|&node| {
            let into = cfg.predecessors(node);
            !into.is_empty() && into.iter().all(|&edge| nodes.contains(&cfg.edge(edge).from))
        })
    };
    let mut found: Vec<_> = by_header
        .into_iter()
        .filter(|(header, nodes)| {
            let calls = nodes.iter().any(|&node| graph.node(node).calls);
            !calls && enters_at_header(*header, nodes)
        })
        .collect();
    found.sort_by_key(|(_, nodes)| nodes.len());
    found
}

/// All regions of a loop: those of its nodes, and the edges between them.
fn inner_regions(cfg: &Cfg, regions: &Regions, nodes: &BTreeSet<Block>) -> Vec<Region> {
    let of_nodes = nodes.iter().flat_map(|&node| {
        [regions.top(node), regions.body(node), regions.end(node), regions.tail(node)]
    });
    let between = nodes
        .iter()
        .flat_map(|&node| cfg.successors(node))
        .filter(|&&edge| nodes.contains(&cfg.edge(edge).to));
    of_nodes.chain(between.map(|&edge| regions.on(edge))).collect()
}
