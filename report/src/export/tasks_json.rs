//! Writes the task graph of a trace as JSON, in the schema `pathprof-tasks/1`.
//!
//! Tasks and edges are written one by one, since there may be millions of them.

use std::io::{Result, Write};

use serde_json::{Value, json};
use trace::file::Stream;
use trace::ids::TaskId;
use trace::steps::program::Program;
use trace::task_analysis::TaskAnalysis;
use trace::tasks::builder::Tasks;
use trace::tasks::imbalance::Meeting;
use trace::tasks::span::Span;

use crate::schema;
use crate::task_graph::{self, BarrierUse, EndNames, LockUse, TaskGraphReport};

/// Writes a graph. The streams are those of its threads, with each thread's own first.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    report: &TaskGraphReport<'_>,
    threads: &[Vec<&Stream>],
    out: &mut dyn Write,
) -> Result<()> {
    let TaskGraphReport { analysis, program, .. } = report;
    let TaskAnalysis { tasks, parallelism, .. } = analysis;
    let Tasks { by_time, by_instructions, .. } = tasks;
    let threads: Vec<Value> = threads
        .iter()
        .filter_map(|streams| {
            let numbers: Vec<_> = streams.iter().map(|stream| stream.number).collect();
            Some(json!({ "thread": streams.first()?.thread, "streams": numbers }))
        })
        .collect();
    let span = |span: &Span| json!({ "work": span.work, "span": span.span, "way": span.way });
    let names = EndNames::of(report);
    write!(out, "{{\"schema\":{}", json!(schema::TASK_GRAPH))?;
    let parts = [
        ("threads", json!(threads)),
        ("missing", json!(tasks.missing)),
        ("time", span(by_time)),
        ("instructions", span(by_instructions)),
        (
            "parallelism",
            json!({
                "begin": parallelism.begin,
                "end": parallelism.end,
                "levels": parallelism.levels,
                "parts": parallelism.parts,
            }),
        ),
        ("locks", locks(analysis)),
        ("barriers", barriers(analysis, program)),
        ("names", json!(names.names())),
    ];
    for (key, value) in parts {
        write!(out, ",\n\"{key}\":{value}")?;
    }
    out.write_all(b",\n\"tasks\":[")?;
    let graph = &tasks.graph;
    for (id, task) in graph.tasks() {
        let actions = task.actions;
        let value = json!([
            task.thread,
            task.index,
            graph.kind(id).name(),
            task.begin,
            task.end,
            actions.paths,
            actions.blocks,
            actions.instructions,
            actions.accesses,
            actions.bytes,
            names.number(graph, id),
        ]);
        write!(out, "{}\n{value}", if id == TaskId(0) { "" } else { "," })?;
    }
    out.write_all(b"],\n\"edges\":[")?;
    let mut first = true;
    for (to, _) in graph.tasks() {
        for (link, from) in graph.edges_to(to) {
            let value = json!([from, to, link.name()]);
            write!(out, "{}\n{value}", if first { "" } else { "," })?;
            first = false;
        }
    }
    out.write_all(b"]}\n")
}

fn locks(analysis: &TaskAnalysis) -> Value {
    let lock = |of: LockUse<'_>| {
        json!({
            "object": of.address,
            "name": of.name,
            "taken": of.taken,
            "failed": of.failed,
            "waited": of.waited,
            "wait": of.wait,
            "held": of.held,
        })
    };
    task_graph::locks(analysis).into_iter().map(lock).collect()
}

fn barriers(analysis: &TaskAnalysis, program: &Program) -> Value {
    let barrier = |of: BarrierUse<'_>| {
        let (object, region) = match of.meeting {
            Meeting::Barrier(address) => (Some(address), None),
            Meeting::Region(place) => (None, program.end_of_path(place)),
        };
        let region = region.map(|at| json!({ "file": at.file, "line": at.line }));
        json!({
            "object": object,
            "name": of.name,
            "region": region,
            "episodes": of.episodes,
            "lost": of.lost,
            "last": of.last,
        })
    };
    task_graph::barriers(analysis).into_iter().map(barrier).collect()
}
