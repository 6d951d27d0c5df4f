//! The index of a page of tasks: sums and tables, which are of all tasks, on the page or not.

use serde_json::{Value, json};
use trace::file::Stream;
use trace::order::item::Actions;
use trace::order::releases::Link;
use trace::order::source::threads;
use trace::tasks::graph::TaskKind;
use trace::tasks::span::Span;

use super::tables;
use crate::export::html::payload::{Exact, shown};
use crate::schema;
use crate::show::trace_graph;
use crate::task_graph::{EndNames, TaskGraphReport};

/// The number of rows of paths in the page.
const MOST_PATHS: usize = 200;

/// Returns the index of a page with `tasks` tasks.
pub(super) fn index(report: &TaskGraphReport<'_>, tasks: usize, names: &EndNames) -> Value {
    let graph = &report.analysis.tasks.graph;
    let mut kinds = [0u64; TaskKind::ALL.len()];
    let mut all = Actions::default();
    for (id, task) in graph.tasks() {
        kinds[graph.kind(id) as usize] += 1;
        all.add(&task.actions);
    }
    let kind = |(kind, count): (TaskKind, u64)| json!({ "name": kind.name(), "count": count });
    let thread = |streams: &Vec<&Stream>| {
        let own = streams.first()?;
        Some(json!({ "stream": own.number, "thread": own.thread }))
    };
    let parallelism = &report.analysis.parallelism;
    json!({
        "schema": schema::TASKS_PAGE,
        "trace": shown(&report.trace.path.to_string_lossy()),
        "pid": report.trace.run.pid,
        "threads": threads(report.trace).iter().filter_map(thread).collect::<Vec<_>>(),
        "kinds": TaskKind::ALL.into_iter().zip(kinds).map(kind).collect::<Vec<_>>(),
        "links": Link::ALL.map(Link::name),
        "names": names.names().iter().map(|name| shown(name)).collect::<Vec<_>>(),
        "tasks": graph.len(),
        "edges": graph.edge_count(),
        "shown": tasks,
        "missing": report.analysis.tasks.missing,
        "left_out": graph.left_out,
        "done": {
            "paths": exact(all.paths),
            "blocks": exact(all.blocks),
            "instructions": exact(all.instructions),
            "accesses": exact(all.accesses),
            "bytes": exact(all.bytes),
        },
        "time": span(&report.analysis.tasks.by_time),
        "instructions": span(&report.analysis.tasks.by_instructions),
        "parallelism": {
            "length": exact(parallelism.end - parallelism.begin),
            "parts": exacts(&parallelism.parts),
        },
        "tables": tables::tables(&trace_graph::tables(report, 0, MOST_PATHS)),
    })
}

fn exact(number: u64) -> Value {
    json!(Exact(number.into()))
}

fn exacts(numbers: &[u64]) -> Vec<Value> {
    numbers.iter().map(|number| exact(*number)).collect()
}

fn span(span: &Span) -> Value {
    json!({ "work": exact(span.work), "span": exact(span.span), "tasks": span.way.len() })
}
