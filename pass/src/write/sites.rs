//! Writes the counters of blocks, edges or calls: one instruction at each of their sites.

use pathformat::ModuleId;
use pathformat::settings::{Mode, Stage};
use paths::cfg::{Block, ENTRY, Edge};

use crate::llvm;
use crate::options::{Options, Placement};
use crate::plan::sites::{Site, Sites};

use super::array::CounterArray;
use super::base_address::BaseAddress;
use super::counter::Step;
use super::function::Function;
use super::insertion::Insertion;
use super::position::first_after_slots;
use super::promotion::Promoted;
use super::{callees, markers};

/// Writes the code of a function whose blocks or edges are counted.
pub(super) fn instrument<'ctx>(
    function: &Function<'_, 'ctx>,
    sites: &Sites,
    array: &CounterArray<'ctx>,
    id: ModuleId,
    options: &Options,
) {
    let context = array.context();
    let (graph, tables) = (function.graph, &function.layout.tables);
    let calls = callees::indirect_calls(graph);
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
        let counts = |&edge: &Edge| {
            !on_edges[edge.index()].is_empty() || at_top[graph.cfg.edge(edge).to.index()]
        };
        at_end[block.index()] || graph.cfg.successors(block).iter().any(counts)
    };
    let needs = sites.all().next().is_some() || !tables.is_empty();
    let may_read_again = options.techniques.reading_again;
    let base = BaseAddress::new(function, array, &builder, may_read_again, needs, counts_behind);
    let fewest = options.mode == Mode::Blocks
        && options.placement == Placement::SpanningTree
        && !graph.returns_twice;
    let promoted = if fewest && options.promotes() && options.stage != Stage::Early {
        let at_tops = sites.by_counter().filter_map(|(counter, sites)| match *sites {
            [Site::Top(block)] => Some((counter, block)),
            _ => None,
        });
        Promoted::choose(graph, at_tops, &builder, context.i64_type())
    } else {
        Promoted::none()
    };
    let code = Insertion::new(function, array, builder, base);
    markers::declare(context, code.builder(), id, function.layout.index);
    for (counter, site) in sites.all() {
        match site {
            Site::Top(ENTRY) => code.position_before(ENTRY, first),
            Site::Top(block) => code.position_before(block, code.top(block)),
            Site::End(block) => code.position_before(block, graph.end_point(block)),
            Site::Edge(_) => continue,
        }
        promoted.step(&code, counter, Step::Up);
    }
    for (edge, counters) in graph.cfg.edges().zip(&on_edges) {
        if counters.is_empty() && !promoted.is_exit(edge) {
            continue;
        }
        code.position_on(edge);
        promoted.add(&code, edge);
        counters.iter().for_each(|&counter| promoted.step(&code, counter, Step::Up));
    }
    callees::count(&code, &calls, tables);
    graph.join();
    llvm::promote(&promoted.slots().collect::<Vec<_>>());
    llvm::forget_purity(function.function);
}
