//! Sums counters up in registers while a loop without calls runs.
//!
//! A counter at a place that is known is stepped in a register, and added to memory on each way
//! out. A process that is killed in the loop loses what it counted there, so the manifest names the
//! loop. The register is one that the loop leaves free, or one that it borrows.

use std::collections::{BTreeMap, BTreeSet};

use paths::cfg::{Block, Cfg};
use paths::placement::Op;

use super::code::{Loan, Register, Registers};
use super::graph::Graph;
use super::loops::{self, Loop};
use super::regions::{Region, Regions};
use super::registers::PathRegister;
use crate::options::Promotion;

/// A counter that is summed up in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// The number of the counter among those of the function.
    pub(crate) counter: u64,
    /// The register.
    pub(crate) register: Register,
    /// How it was borrowed, if it was.
    pub(crate) loan: Option<Loan>,
}

/// The counters that are summed up.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// By the regions of loops.
    inside: BTreeMap<Region, Sum>,
    /// By the edges that enter loops.
    pub(crate) begin: BTreeMap<Region, Sum>,
    /// By the edges that leave loops.
    pub(crate) end: BTreeMap<Region, Sum>,
    /// The headers of the loops.
    pub(crate) headers: Vec<Block>,
}

impl Sums {
    /// The register in which a counter is summed up in a region.
    pub(crate) fn register(&self, region: Region, counter: u64) -> Option<Register> {
        let sum = self.inside.get(&region)?;
        (sum.counter == counter).then_some(sum.register)
    }

    /// What is done or kept of a sum in a region.
    fn of(&self, region: Region) -> Option<&Sum> {
        [&self.inside, &self.begin, &self.end].iter().find_map(|of| of.get(&region))
    }

    /// The registers that are taken for sums in a region.
    pub(crate) fn registers(&self, region: Region) -> Registers {
        self.of(region).map(|sum| sum.register).into_iter().collect()
    }

    /// True if a vector register holds what was borrowed when the code of a region begins.
    pub(crate) fn occupy_vector(&self, region: Region) -> bool {
        let sum = self.inside.get(&region).or_else(|| self.end.get(&region));
        sum.is_some_and(|sum| sum.loan.is_some())
    }

    /// True if a step of a region counts in memory, at a place that is known.
    pub(crate) fn leave_count(&self, regions: &Regions, region: Region) -> bool {
        self.end.contains_key(&region)
            || regions.steps[region.index()].iter().any(|step| match step.op {
                Op::CountAt(id) => self.register(region, id).is_none(),
                _ => false,
            })
    }
}

/// Chooses the counters.
pub(crate) fn choose(
    graph: &Graph<'_>,
    cfg: &Cfg,
    regions: &Regions,
    path_registers: &[Option<PathRegister>],
) -> Sums {
    let mut sums = Sums::default();
    let mut taken: BTreeSet<Block> = BTreeSet::new();
    for of in loops::find(graph, cfg, regions) {
        let waits = of.nodes.iter().any(|&node| {
            graph.instructions(graph.node(node)).any(|at| at.waits() || at.may_stay())
        });
        let is_free = of.begin.iter().chain(&of.end).all(|&region| sums.of(region).is_none());
        let is_inner = of.nodes.iter().all(|node| !taken.contains(node));
        taken.extend(&of.nodes);
        if waits || !is_inner || !is_free || !of.has_points_around(regions) {
            continue;
        }
        let Some(counter) = hottest(&of, regions) else { continue };
        let Some((register, loan)) = register(graph, regions, path_registers, &of) else {
            continue;
        };
        let sum = Sum { counter, register, loan };
        sums.headers.push(of.header);
        sums.begin.extend(of.begin.iter().map(|&region| (region, sum)));
        sums.end.extend(of.end.iter().map(|&region| (region, sum)));
        sums.inside.extend(of.inside.iter().map(|&region| (region, sum)));
    }
    sums
}

/// The counter that a loop steps most, if it does so often.
fn hottest(of: &Loop, regions: &Regions) -> Option<u64> {
    let mut times = BTreeMap::<u64, u64>::new();
    for region in &of.inside {
        for step in &regions.steps[region.index()] {
            if let Op::CountAt(id) = step.op {
                let sum = times.entry(id).or_default();
                *sum = sum.saturating_add(regions.frequency[region.index()]);
            }
        }
    }
    let (counter, times) = times.into_iter().max_by_key(|&(_, times)| times)?;
    (times > of.entries(regions).saturating_mul(Promotion::TURNS)).then_some(counter)
}

/// A register that is free all through a loop and around it, or one that can be borrowed.
fn register(
    graph: &Graph<'_>,
    regions: &Regions,
    path_registers: &[Option<PathRegister>],
    of: &Loop,
) -> Option<(Register, Option<Loan>)> {
    let all = of.inside.iter().chain(&of.begin).chain(&of.end);
    let mut busy = Registers::default();
    for region in all {
        busy |= regions.busy[region.index()] | PathRegister::set(path_registers[region.index()]);
    }
    if let Some(register) = busy.others().next_back() {
        return Some((register, None));
    }
    let register = of.idle(regions, of.touched(graph, path_registers))?;
    let vector = of.free_vector(graph)?;
    Some((register, Some(Loan { register, vector })))
}
