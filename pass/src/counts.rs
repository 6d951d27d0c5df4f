//! Counts blocks, edges or calls: one instruction wherever something has a counter.

use pathformat::ModuleId;
use pathformat::settings::{Mode, Stage};
use paths::cfg::{Block, ENTRY, Edge};

use crate::base::Base;
use crate::counters::Counters;
use crate::options::{Options, Placement};
use crate::pen::{Pen, first_after_slots};
use crate::planned::Planned;
use crate::promote::Promoted;
use crate::sites::{Site, Sites};
use crate::{llvm, presence, tables};

/// Writes the code of one planned function.
pub(crate) fn instrument(planned: &Planned<'_, Sites>, counters: &Counters<'_>, id: ModuleId, options: &Options) {
    let context = counters.context();
    let (graph, sites) = (&planned.graph, &planned.plan);
    let calls = tables::indirect_calls(graph);
    let first = first_after_slots(graph.blocks[0]);
    let builder = context.create_builder();
    builder.position_before(&first);
    let mut on_edges: Vec<Vec<u64>> = vec![Vec::new(); graph.cfg.num_edges()];
    let mut at_top = vec![false; graph.cfg.num_blocks()];
    let mut at_end = vec![false; graph.cfg.num_blocks()];
    for (counter, site) in sites.all() {
        match site {
            Site::Top(block) => at_top[block.index()] = true,
            Site::End(block) => at_end[block.index()] = true,
            Site::Edge(edge) => on_edges[edge.index()].push(counter),
        }
    }
    let counts_behind = |block: Block| {
        let counts = |&edge: &Edge| !on_edges[edge.index()].is_empty() || at_top[graph.cfg.edge(edge).to.index()];
        at_end[block.index()] || graph.cfg.successors(block).iter().any(counts)
    };
    let needs = sites.all().next().is_some() || !planned.tables.is_empty();
    let base = Base::new(planned, counters, &builder, options.techniques.reading_again, needs, counts_behind);
    let fewest = options.mode == Mode::Blocks && options.placement == Placement::SpanningTree && !graph.returns_twice;
    let promoted = if fewest && options.promotion && options.stage != Stage::Early {
        Promoted::choose(graph, sites, &builder, context.i64_type())
    } else {
        Promoted::none()
    };
    let pen = Pen::new(planned, counters, builder, base);
    presence::declare(context, &pen.builder, id, planned.index);
    for (counter, site) in sites.all() {
        match site {
            Site::Top(ENTRY) => pen.stand_before(ENTRY, first),
            Site::Top(block) => pen.stand_before(block, pen.top(block)),
            Site::End(block) => pen.stand_before(block, graph.end_point(block)),
            Site::Edge(_) => continue,
        }
        promoted.step(&pen, counter);
    }
    for (edge, counters) in graph.cfg.edges().zip(&on_edges).filter(|(_, counters)| !counters.is_empty()) {
        pen.stand_on(edge);
        counters.iter().for_each(|&counter| promoted.step(&pen, counter));
    }
    promoted.finish(&pen);
    tables::watch(&pen, &calls, &planned.tables);
    graph.join();
    llvm::forget_purity(planned.function);
}
