//! Plans how the paths of a function are counted in machine code.
//!
//! `paths` plans as for LLVM's intermediate code. If the number of a path would live over a call
//! all the same, the path ends before that call, and the plan is made again. If no register is free
//! for the number, a lower limit makes shorter paths, until no number needs a register.

use pathformat::settings::Level;
use paths::cfg::{Block, Cfg};

use super::base::{self, Bases};
use super::code::Register;
use super::graph::Graph;
use super::steps::{Region, Regions};
use super::{calls, registers};
use crate::options::Options;

/// The limits of paths that are tried, after the one that is asked for. With the last one each
/// edge has paths of its own.
const LIMITS: [u64; 4] = [256, 32, 4, 1];

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
    /// What happens at each point.
    pub(crate) regions: Regions,
    /// The register of the number, where there is one.
    pub(crate) number: Vec<Option<Register>>,
    /// The registers of the counters' address.
    pub(crate) bases: Bases,
}

/// Plans a function, or gives the reason why it is not counted.
pub(crate) fn plan<'ctx>(
    graph: Graph<'ctx>,
    options: &Options,
) -> Result<MachinePlan<'ctx>, String> {
    let techniques = options.techniques.in_plan(graph.weights);
    let techniques = paths::techniques::Techniques {
        loop_entries: techniques.loop_entries && options.level != Level::Zero,
        ..techniques
    };
    let mut ends = calls::ends(&graph, techniques.loop_entries);
    let lower = LIMITS.into_iter().filter(|&limit| limit < options.limit);
    let mut limits = std::iter::once(options.limit.min(MOST)).chain(lower);
    let mut limit = limits.next().expect("the first is the one that is asked for");
    loop {
        let cfg = graph.cfg(&ends);
        let paths = paths::plan(&cfg, &graph.frequency, limit, techniques);
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
        let Some(number) = registers::of_number(&regions) else {
            limit = limits.next().ok_or("no register is free for a path's number")?;
            continue;
        };
        let needs = |region: Region| match options.counts_in_place() {
            true => regions.selects(region),
            false => regions.counts(region),
        };
        let bases = base::place(&regions, &number, needs);
        return Ok(MachinePlan { graph, cfg, paths, regions, number, bases });
    }
}
