//! Borrows a register of the program for the address of the counters, where a loop leaves none.
//!
//! A loop may use few registers, while others keep what is needed behind it. One of those that the
//! loop never touches goes to a vector register where the loop is entered, has the address of the
//! thread's counters meanwhile, and comes back on each way out. This is done for loops without
//! calls, the smallest first, where it costs less than reading the address in the loop.

use std::collections::{BTreeMap, BTreeSet};

use paths::cfg::{Block, Cfg, ENTRY};
use paths::cuts::{Cuts, Reason};

use super::base::Bases;
use super::code::{Register, Registers, Vector, Vectors};
use super::graph::Graph;
use super::registers::NumberRegister;
use super::steps::{Region, Regions};

/// What a count costs, in readings, for which no register is free.
const UNSERVED: u64 = 3;

/// A register that is borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loan {
    /// The register.
    pub(crate) register: Register,
    /// The vector register that keeps what it held.
    pub(crate) vector: Vector,
}

/// Where registers are borrowed and given back.
#[derive(Debug)]
pub(crate) struct Loans {
    /// The borrowed register that has the address for the counts of a point.
    pub(crate) at: Vec<Option<Register>>,
    /// By the edges that enter loops.
    pub(crate) begin: BTreeMap<Region, Loan>,
    /// By the edges that leave loops.
    pub(crate) end: BTreeMap<Region, Loan>,
}

impl Loans {
    /// None.
    pub(crate) fn none(regions: &Regions) -> Self {
        let at = vec![None; regions.busy.len()];
        Self { at, begin: BTreeMap::new(), end: BTreeMap::new() }
    }
}

/// Borrows registers for the loops in which `bases` reads the address too often. `needs` says of a
/// point whether it needs the address.
pub(crate) fn for_loops(
    graph: &Graph<'_>,
    cfg: &Cfg,
    regions: &Regions,
    number: &[Option<NumberRegister>],
    needs: impl Fn(Region) -> bool,
    bases: &Bases,
) -> Loans {
    let mut loans = Loans::none(regions);
    let times = |region: &Region| regions.frequency[region.index()];
    let price = |region: &Region| {
        let at = region.index();
        let is_unserved = needs(*region) && bases.at[at].is_none();
        let readings = bases.reads[at].len() as u64 + u64::from(is_unserved) * UNSERVED;
        times(region).saturating_mul(readings)
    };
    if !regions.all().any(|region| price(&region) > times(&regions.top(ENTRY))) {
        return loans;
    }
    let mut taken: BTreeSet<Block> = BTreeSet::new();
    for nodes in loops(graph, cfg) {
        if nodes.iter().any(|node| taken.contains(node)) {
            continue;
        }
        let inside = inner_regions(cfg, regions, &nodes);
        let is_in = |node: Block| nodes.contains(&node);
        let into = nodes.iter().flat_map(|&node| cfg.predecessors(node));
        let into = into.filter(|&&edge| !is_in(cfg.edge(edge).from));
        let out = nodes.iter().flat_map(|&node| cfg.successors(node));
        let out = out.filter(|&&edge| !is_in(cfg.edge(edge).to));
        let begin: Vec<_> = into.map(|&edge| regions.on(edge)).collect();
        let end: Vec<_> = out.map(|&edge| regions.on(edge)).collect();
        let sum = |prices: &mut dyn Iterator<Item = u64>| prices.fold(0, u64::saturating_add);
        let without = sum(&mut inside.iter().map(price));
        let begins = sum(&mut begin.iter().map(times)).saturating_mul(2);
        let ends = sum(&mut end.iter().map(times));
        let can_stand = begin.iter().chain(&end).all(|region| {
            let is_free = !loans.begin.contains_key(region) && !loans.end.contains_key(region);
            regions.is_point[region.index()] && is_free
        });
        if without <= begins.saturating_add(ends) || !can_stand {
            continue;
        }
        let Some(register) = untouched(graph, regions, number, &nodes, &inside) else { continue };
        let Some(vector) = free_vector(graph, &nodes) else { continue };
        let loan = Loan { register, vector };
        loans.begin.extend(begin.iter().map(|&region| (region, loan)));
        loans.end.extend(end.iter().map(|&region| (region, loan)));
        for region in inside.into_iter().chain(end).filter(|&region| needs(region)) {
            loans.at[region.index()] = Some(register);
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
    let between = nodes
        .iter()
        .flat_map(|&node| cfg.successors(node))
        .filter(|&&edge| nodes.contains(&cfg.edge(edge).to));
    of_nodes.chain(between.map(|&edge| regions.on(edge))).collect()
}

/// A register that is live where the loop is entered, and that neither the loop nor our code in it
/// touches.
fn untouched(
    graph: &Graph<'_>,
    regions: &Regions,
    number: &[Option<NumberRegister>],
    nodes: &BTreeSet<Block>,
    inside: &[Region],
) -> Option<Register> {
    let mut touched = Registers::default();
    for &node in nodes {
        let node = graph.node(node);
        graph.instructions(node).for_each(|of| touched |= of.touched());
    }
    let ours = inside.iter().filter_map(|region| number[region.index()]);
    ours.for_each(|of| touched |= Registers::of(of.register));
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
