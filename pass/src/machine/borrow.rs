//! Borrows a register of the program for the address of the counters, where a loop leaves none.
//!
//! A loop may use few registers, while others keep what is needed behind it. One of those that the
//! loop never touches goes to a vector register where the loop is entered, has the address of the
//! thread's counters meanwhile, and comes back on each way out. This is done for loops without
//! calls, the smallest first, where it costs less than reading the address in the loop.

use std::collections::{BTreeMap, BTreeSet};

use paths::cfg::{Block, Cfg, ENTRY};

use super::base::Bases;
use super::code::{Loan, Register, Registers};
use super::graph::Graph;
use super::loops;
use super::regions::{Region, Regions};
use super::registers::PathRegister;
use super::sums::Sums;

/// What a count costs, in readings, for which no register is free.
const UNSERVED: u64 = 3;

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

/// Borrows registers for the loops in which `bases` reads the address too often. Loops with `sums`
/// are left out: two loans may not be of the same register. `needs` says of a point whether it
/// needs the address.
pub(crate) fn for_loops(
    graph: &Graph<'_>,
    cfg: &Cfg,
    regions: &Regions,
    path_registers: &[Option<PathRegister>],
    needs: impl Fn(Region) -> bool,
    bases: &Bases,
    sums: &Sums,
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
    for of in loops::find(graph, cfg, regions) {
        let mut regions_of = of.inside.iter().chain(&of.begin).chain(&of.end);
        if regions_of.any(|&region| sums.registers(region) != Registers::default())
            || of.nodes.iter().any(|node| taken.contains(node))
        {
            continue;
        }
        let sum = |prices: &mut dyn Iterator<Item = u64>| prices.fold(0, u64::saturating_add);
        let without = sum(&mut of.inside.iter().map(price));
        let begins = of.entries(regions).saturating_mul(2);
        let ends = sum(&mut of.end.iter().map(times));
        let is_free = of
            .begin
            .iter()
            .chain(&of.end)
            .all(|region| !loans.begin.contains_key(region) && !loans.end.contains_key(region));
        if without <= begins.saturating_add(ends) || !is_free || !of.has_points_around(regions) {
            continue;
        }
        let Some(register) = of.idle(regions, of.touched(graph, path_registers)) else { continue };
        let Some(vector) = of.free_vector(graph) else { continue };
        let loan = Loan { register, vector };
        loans.begin.extend(of.begin.iter().map(|&region| (region, loan)));
        loans.end.extend(of.end.iter().map(|&region| (region, loan)));
        for region in of.inside.into_iter().chain(of.end).filter(|&region| needs(region)) {
            loans.at[region.index()] = Some(register);
        }
        taken.extend(of.nodes);
    }
    loans
}
