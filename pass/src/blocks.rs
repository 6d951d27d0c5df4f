//! Counts blocks: one instruction at the top of each that has a counter.
//!
//! A block that only returns, behind a call in tail position, is counted on the edges into it instead: code behind the call
//! would make it an ordinary one.

use pathformat::ModuleId;
use paths::blocks::Counted;
use paths::cfg::{Block, ENTRY};

use crate::base::Base;
use crate::counters::{Counters, Step};
use crate::options::{Options, Placement};
use crate::pen::{Pen, first_after_slots};
use crate::read_cfg::Graph;
use crate::{Planned, llvm, presence};

/// Decides which blocks have a counter. Where a call may return twice, control comes to blocks from nowhere: all are counted.
pub(crate) fn plan(graph: &Graph<'_>, options: &Options) -> Counted {
    match options.placement {
        Placement::SpanningTree if !graph.returns_twice => Counted::fewest(&graph.cfg, &graph.frequency),
        _ => Counted::every(&graph.cfg),
    }
}

/// Writes the code of one planned function.
pub(crate) fn instrument(planned: &Planned<'_, Counted>, counters: &Counters<'_>, id: ModuleId, options: &Options) {
    let context = counters.context();
    let (graph, counted) = (&planned.graph, &planned.plan);
    let first = first_after_slots(graph.blocks[0]);
    let builder = context.create_builder();
    builder.position_before(&first);
    let counts_behind =
        |block: Block| graph.cfg.successors(block).iter().any(|&edge| counted.is_counted(graph.cfg.edge(edge).to));
    let needs = counted.blocks().next().is_some();
    let base = Base::new(planned, counters, &builder, options.techniques.reading_again, needs, counts_behind);
    let pen = Pen::new(planned, counters, builder, base);
    presence::declare(context, &pen.builder, id, planned.index);
    for (counter, block) in (0..).zip(counted.blocks()) {
        if block == ENTRY {
            pen.stand_before(block, first);
            pen.step(None, counter, Step::Up);
        } else if graph.cfg.counts_above(block) {
            for &edge in graph.cfg.predecessors(block) {
                pen.stand_on(edge);
                pen.step(None, counter, Step::Up);
            }
        } else {
            pen.stand_before(block, pen.top(block));
            pen.step(None, counter, Step::Up);
        }
    }
    llvm::forget_purity(planned.function);
}
