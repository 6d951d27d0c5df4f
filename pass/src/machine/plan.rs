//! Plans how the paths of a function are counted in machine code.
//!
//! `paths` plans as for LLVM's intermediate code. If the number of a path would live over a call
//! all the same, the path ends before that call, and the plan is made again. If no register is free
//! for the number, paths end before the nodes where that is so. If this does not help, a lower
//! limit makes shorter paths, until no number needs a register.

use std::collections::BTreeSet;

use pathformat::settings::{Level, Mode, Threads};
use paths::cfg::{Block, Cfg};

use super::base::{self, Bases};
use super::borrow::{self, Loans};
use super::graph::Graph;
use super::regions::{Region, Regions};
use super::registers::PathRegister;
use super::sums::{self, Sums};
use super::{calls, loops, registers};
use crate::options::{Addressing, Options};

/// The limits of paths that are tried, after the one that is asked for. With the last one each
/// edge has paths of its own.
const LIMITS: [u64; 4] = [256, 32, 4, 1];

/// How often paths are cut where no register is free for their numbers, before the limit is
/// lowered.
const ROUNDS: u32 = 24;

/// The most paths of a function: our instructions add no larger numbers.
const MOST: u64 = 1 << 24;

/// What is counted in a function, and where.
pub(crate) struct MachinePlan<'ctx> {
    /// The function.
    pub(crate) graph: Graph<'ctx>,
    /// Its graph, with paths that end at calls.
    pub(crate) cfg: Cfg,
    /// The numbers of its paths.
    pub(crate) paths: paths::Plan,
    /// Where paths end because no register is free.
    pub(crate) short_of_registers: ShortOfRegisters,
    /// What happens at each point.
    pub(crate) regions: Regions,
    /// The path register in each region, where there is one.
    pub(crate) path_registers: Vec<Option<PathRegister>>,
    /// The registers of the counters' address.
    pub(crate) bases: Bases,
    /// Where registers of the program are borrowed for it.
    pub(crate) loans: Loans,
    /// The counters that loops keep in registers.
    pub(crate) sums: Sums,
}

/// Where paths end because no register is free for their numbers.
#[derive(Debug)]
pub(crate) struct ShortOfRegisters {
    /// The nodes before which they end, in ascending order.
    before: Vec<Block>,
    /// True if the limit was lowered.
    everywhere: bool,
}

impl ShortOfRegisters {
    /// True if paths end before a node for this reason.
    pub(crate) fn at(&self, block: Block) -> bool {
        self.everywhere || self.before.binary_search(&block).is_ok()
    }
}

/// Plans a function, or gives the reason why it is not counted.
pub(crate) fn plan<'ctx>(
    graph: Graph<'ctx>,
    options: &Options,
) -> Result<MachinePlan<'ctx>, String> {
    let techniques = options.techniques.in_plan(graph.weights);
    let techniques = paths::techniques::Techniques {
        loop_entries: techniques.loop_entries && options.level != Level::Zero,
        // Otherwise numbers would live over calls.
        constants: true,
        ..techniques
    };
    let mut ends = calls::ends(&graph, techniques.loop_entries);
    let highest = options.limit.min(MOST);
    let lower = LIMITS.into_iter().filter(|&limit| limit < highest);
    let mut limits = std::iter::once(highest).chain(lower);
    let mut limit = limits.next().expect("the first is the one that is asked for");
    let mut before: Vec<Block> = Vec::new();
    let mut rounds = 0;
    loop {
        let cfg = graph.cfg(&ends);
        let frequency = &graph.frequency;
        let paths = paths::plan_cut_before(&cfg, frequency, limit, techniques, &before);
        let regions = Regions::of(&graph, &cfg, &paths);
        let over_call = |&block: &Block| {
            graph.node(block).calls && regions.is_live[regions.tail(block).index()]
        };
        let over_calls: Vec<_> = cfg.blocks().filter(over_call).collect();
        if !over_calls.is_empty() {
            if over_calls.iter().all(|block| ends[block.index()]) {
                return Err("a path's number would have to live over a call".into());
            }
            over_calls.iter().for_each(|block| ends[block.index()] = true);
            continue;
        }
        let path_registers = match registers::path_registers(&regions) {
            Ok(path_registers) => path_registers,
            Err(conflicts) => {
                let known = before.len();
                let nodes = conflicts.into_iter().map(|of| regions.node_of(&graph, of)).collect();
                before.extend(first_of(&cfg, nodes));
                before.sort_unstable();
                before.dedup();
                rounds += 1;
                if before.len() == known || rounds > ROUNDS {
                    limit = limits.next().ok_or("no register is free for a path's number")?;
                    rounds = 0;
                    before.clear();
                }
                continue;
            }
        };
        let may_sum = options.promotes() && options.threads != Threads::Atomic;
        let sums = if may_sum && options.mode == Mode::Paths && !graph.code.returns_twice {
            sums::choose(&graph, &cfg, &regions, &path_registers)
        } else {
            Sums::default()
        };
        // The number's register leads to its counters by itself. Where an address is known, only
        // short loops gain by having it in a register.
        let mut short = (options.counts_in_place() && options.threads != Threads::Atomic)
            .then(|| loops::ShortLoops::of(&graph, &cfg, &regions));
        let taken = |region: Region| {
            PathRegister::set(path_registers[region.index()]) | sums.registers(region)
        };
        let needs = |short: Option<&loops::ShortLoops>, region: Region| {
            let may_gain = short.map_or(!options.counts_in_place(), |of| of.has(region));
            may_gain && sums.leave_count(&regions, region)
        };
        let bases = loop {
            let bases = base::place(&regions, taken, |region| needs(short.as_ref(), region));
            let reads = |region: Region| !bases.reads[region.index()].is_empty();
            if !short.as_mut().is_some_and(|short| short.leave_out(reads)) {
                break bases;
            }
        };
        let needs = |region: Region| needs(short.as_ref(), region);
        let loans = match options.addressing {
            _ if options.counts_in_place() || options.addressing == Addressing::Word => {
                borrow::for_loops(&graph, &cfg, &regions, &path_registers, needs, &bases, &sums)
            }
            // Reading the address takes a second register.
            _ => Loans::none(&regions),
        };
        let bases = if loans.begin.is_empty() {
            bases
        } else {
            let is_lent = |region: Region| loans.at[region.index()].is_some();
            base::place(&regions, taken, |region| needs(region) && !is_lent(region))
        };
        let short_of_registers = ShortOfRegisters { before, everywhere: limit < highest };
        return Ok(MachinePlan {
            graph,
            cfg,
            paths,
            short_of_registers,
            regions,
            path_registers,
            bases,
            loans,
            sums,
        });
    }
}

/// Those of `nodes` to which no other one of them leads by the only way: behind the end of a path
/// the number is known, until ways join.
fn first_of(cfg: &Cfg, nodes: BTreeSet<Block>) -> Vec<Block> {
    let is_first = |&node: &Block| {
        let mut at = node;
        while let [only] = *cfg.predecessors(at) {
            at = cfg.edge(only).from;
            if at == node || nodes.contains(&at) {
                return at == node;
            }
        }
        true
    };
    nodes.iter().copied().filter(is_first).collect()
}
