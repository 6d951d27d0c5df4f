//! Counters of a loop that are kept in registers until it is left.
//!
//! Only in loops that nothing but an edge leaves: no call in them may stay away. A process that is killed in such a loop loses what
//! its last activation counted.

use std::collections::HashMap;

use inkwell::builder::Builder;
use inkwell::types::IntType;
use inkwell::values::PointerValue;
use paths::cfg::{Block, EdgeKind};
use paths::loops::{self, Loop};

use crate::counts::{Site, Sites};
use crate::llvm;
use crate::pen::Pen;
use crate::read_cfg::Graph;

/// Loops with more blocks have other things to do than to count.
const MOST_BLOCKS: usize = 24;

/// So many counters of a loop are in registers at most.
const MOST_COUNTERS: usize = 4;

/// A counter must be stepped so many times more often than the loop is left.
const TIMES: u64 = 4;

/// The counters that are in registers, as slots on the stack that become registers in the end.
pub(crate) struct Promoted<'ctx> {
    slots: HashMap<u64, PointerValue<'ctx>>,
    loops: Vec<(Loop, Vec<u64>)>,
}

impl<'ctx> Promoted<'ctx> {
    /// None.
    pub(crate) fn none() -> Self {
        Self { slots: HashMap::new(), loops: Vec::new() }
    }

    /// Chooses counters; `builder` stands at the entry of the function.
    pub(crate) fn choose(graph: &Graph<'ctx>, sites: &Sites, builder: &Builder<'ctx>, word: IntType<'ctx>) -> Self {
        let chosen = |of: Loop| {
            let counters = counters(graph, sites, &of);
            (!counters.is_empty()).then_some((of, counters))
        };
        let loops: Vec<_> = loops::innermost(&graph.cfg, MOST_BLOCKS).into_iter().filter_map(chosen).collect();
        let mut promoted = Self { slots: HashMap::new(), loops };
        for &counter in promoted.loops.iter().flat_map(|(_, counters)| counters) {
            promoted.slots.entry(counter).or_insert_with(|| {
                let slot = builder.build_alloca(word, "path.sum").expect("positioned");
                builder.build_store(slot, word.const_zero()).expect("positioned");
                slot
            });
        }
        promoted
    }

    /// Steps a counter where the pen stands.
    pub(crate) fn step(&self, pen: &Pen<'_, 'ctx>, counter: u64) {
        let Some(&slot) = self.slots.get(&counter) else { return pen.step_up(counter) };
        let word = pen.word();
        let sum = pen.builder.build_load(word, slot, "").expect("positioned").into_int_value();
        let sum = pen.builder.build_int_add(sum, word.const_int(1, false), "").expect("positioned");
        pen.builder.build_store(slot, sum).expect("positioned");
    }

    /// Writes what stands where the loops are left, and makes registers of the slots.
    pub(crate) fn finish(self, pen: &Pen<'_, 'ctx>) {
        for (of, counters) in &self.loops {
            for &exit in &of.exits {
                pen.stand_on(exit);
                for counter in counters {
                    let slot = self.slots[counter];
                    let sum = pen.builder.build_load(pen.word(), slot, "path.sum").expect("positioned");
                    pen.add(*counter, sum.into_int_value());
                    pen.builder.build_store(slot, pen.word().const_zero()).expect("positioned");
                }
            }
        }
        self.slots.into_values().for_each(llvm::promote);
    }
}

/// The counters that are stepped nowhere but in a loop, and often enough, the hottest ones first.
fn counters(graph: &Graph<'_>, sites: &Sites, of: &Loop) -> Vec<u64> {
    let cfg = &graph.cfg;
    // One with several exits, such as a search, often ends soon, whatever is estimated.
    let is_counted_through = of.exits.len() == 1;
    let is_left_by_edges = of.blocks.iter().all(|&block| !cfg.may_stay(block) && cfg.exit(block).is_none())
        && of.exits.iter().all(|&exit| cfg.edge(exit).kind == EdgeKind::Plain);
    if !is_left_by_edges || !is_counted_through {
        return Vec::new();
    }
    let frequency = |edges: &mut dyn Iterator<Item = usize>| {
        edges.fold(0u64, |sum, edge| sum.saturating_add(graph.frequency[edge]))
    };
    let executions = |block: Block| frequency(&mut cfg.predecessors(block).iter().map(|edge| edge.index()));
    let left = frequency(&mut of.exits.iter().map(|edge| edge.index()));
    let mut hot: Vec<(u64, u64)> = sites
        .by_counter()
        .filter_map(|(counter, sites)| {
            let steps = sites.iter().map(|site| match *site {
                Site::Top(block) | Site::End(block) => of.contains(block).then(|| executions(block)),
                Site::Edge(edge) => {
                    let data = cfg.edge(edge);
                    let is_inside = of.contains(data.from) && of.contains(data.to);
                    is_inside.then(|| graph.frequency[edge.index()])
                }
            });
            let steps = steps.sum::<Option<u64>>()?;
            (steps > left.saturating_mul(TIMES)).then_some((steps, counter))
        })
        .collect();
    hot.sort_unstable_by(|one, other| other.cmp(one));
    hot.into_iter().take(MOST_COUNTERS).map(|(_, counter)| counter).collect()
}
