//! Borrows a register of the program for the address of the counters, where a loop leaves none.
//!
//! A loop may use few registers, while others keep what is needed behind it. One of those that the
//! loop never touches goes to a vector register where the loop is entered, has the address of the
//! thread's counters meanwhile, and comes back on each way out. This is done for loops without calls,
//! the smallest first.

use std::collections::{BTreeMap, BTreeSet};

use paths::cfg::{Block, Cfg, Edge};
use paths::cuts::{Cuts, Reason};

use super::base::Bases;
use super::code::{Register, Registers, Vector, Vectors};
use super::graph::Graph;
use super::registers::NumberRegister;
use super::steps::{Region, Regions};

/// A register that is borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loan {
    /// The register.
    pub(crate) register: Register,
    /// The vector register that keeps what it held.
    pub(crate) vector: Vector,
}

/// Where registers are borrowed and given back.
#[derive(Debug, Default)]
pub(crate) struct Loans {
    /// By the edges that enter loops.
    pub(crate) begin: BTreeMap<Region, Loan>,
    /// By the edges that leave loops.
    pub(crate) end: BTreeMap<Region, Loan>,
}

/// Borrows registers for the counts in loops that `bases` does not serve, and serves them. `needs`
/// says of a point whether it needs the address.
pub(crate) fn for_loops(
    graph: &Graph<'_>,
    cfg: &Cfg,
    regions: &Regions,
    number: &[Option<NumberRegister>],
    needs: impl Fn(Region) -> bool,
    bases: &mut Bases,
) -> Loans {
    let mut loans = Loans::default();
    let is_open = |region: Region, bases: &Bases| {
        needs(region) && bases.at[region.index()].is_none()
    };
    if !regions.all().any(|region| is_open(region, bases)) {
        return loans;
    }
    let mut taken: BTreeSet<Block> = BTreeSet::new();
    for nodes in loops(graph, cfg) {
        let inside = inner_regions(cfg, regions, &nodes);
        if nodes.iter().any(|node| taken.contains(node))
            || !inside.iter().any(|&region| is_open(region, bases))
        {
            continue;
        }
        let is_in = |node: Block| nodes.contains(&node);
        let of = |edges: &dyn Fn(Edge) -> bool| -> Vec<Region> {
            cfg.edges().filter(|&edge| edges(edge)).map(|edge| regions.on(edge)).collect()
        };
        let begin = of(&|edge| !is_in(cfg.edge(edge).from) && is_in(cfg.edge(edge).to));
        let end = of(&|edge| is_in(cfg.edge(edge).from) && !is_in(cfg.edge(edge).to));
        let around = || begin.iter().chain(&end);
        let can_stand = around().all(|region| {
            let is_free = !loans.begin.contains_key(region) && !loans.end.contains_key(region);
            regions.is_point[region.index()] && is_free
        });
        let Some(register) = untouched(graph, regions, number, bases, &nodes, &inside) else {
            continue;
        };
        let Some(vector) = free_vector(graph, &nodes).filter(|_| can_stand) else { continue };
        let loan = Loan { register, vector };
        loans.begin.extend(begin.iter().map(|&region| (region, loan)));
        loans.end.extend(end.iter().map(|&region| (region, loan)));
        for region in inside {
            if is_open(region, bases) {
                bases.at[region.index()] = Some(register);
            }
        }
        taken.extend(nodes);
    }
    loans
}

/// The nodes of each loop without calls, the smallest loops first.
fn loops(graph: &Graph<'_>, cfg: &Cfg) -> Vec<BTreeSet<Block>> {
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
        .map(|(_, nodes)| nodes)
        .collect();
    found.sort_by_key(BTreeSet::len);
    found
}

/// All regions of a loop: those of its nodes, and the edges between them.
fn inner_regions(cfg: &Cfg, regions: &Regions, nodes: &BTreeSet<Block>) -> Vec<Region> {
    let of_nodes = nodes.iter().flat_map(|&node| {
        [regions.top(node), regions.body(node), regions.end(node), regions.tail(node)]
    });
    let between = nodes.iter().flat_map(|&node| cfg.successors(node)).filter(|&&edge| {
        nodes.contains(&cfg.edge(edge).to)
    });
    of_nodes.chain(between.map(|&edge| regions.on(edge))).collect()
}

/// A register that is live where the loop is entered, and that neither the loop nor our code in it
/// touches.
fn untouched(
    graph: &Graph<'_>,
    regions: &Regions,
    number: &[Option<NumberRegister>],
    bases: &Bases,
    nodes: &BTreeSet<Block>,
    inside: &[Region],
) -> Option<Register> {
    let mut touched = Registers::default();
    for &node in nodes {
        let node = graph.node(node);
        graph.instructions(node).for_each(|of| touched |= of.touched());
    }
    for region in inside {
        let at = region.index();
        let ours = number[at].map(|of| of.register).into_iter().chain(bases.at[at]);
        ours.chain(bases.reads[at].iter().copied()).for_each(|of| touched |= Registers::of(of));
    }
    // What is live nowhere in the loop may hold something of ours.
    let live = nodes.iter().map(|&node| regions.busy[regions.top(node).index()]);
    let live = live.reduce(|all, of| all & of)?;
    touched.others().find(|&register| live.has(register))
}

/// A vector register that is free all through the blocks of some nodes.
fn free_vector(graph: &Graph<'_>, nodes: &BTreeSet<Block>) -> Option<Vector> {
    let blocks: BTreeSet<_> = nodes.iter().filter_map(|&node| graph.node(node).block).collect();
    let free = blocks.into_iter().map(|block| graph.code.free_vectors(block));
    free.reduce(|all, of| all & of).and_then(Vectors::last)
}
