//! Writes a task graph as the events of a Chrome trace, which Perfetto and others show: a slice for
//! each task, and an arrow for each edge between threads. A slice has the name of what ends its
//! task, and its kind as category. Its arguments are the work of the task, and the path that
//! executed most of its instructions. Times are in microseconds.
//!
//! An end of an arrow belongs to the slice that is open at that time in its thread. One task may
//! end in the nanosecond in which the next begins, so the order of events decides: a slice is a
//! pair of events, begin and end, with the ends of its arrows between them. Viewers keep the order
//! of events at the same time, but slices that are one event with a duration go first.

use std::collections::{BTreeSet, HashMap};
use std::io::{Result, Write};

use counts::model::PathId;
use counts::path_text::PathText;
use serde_json::{Value, json};
use trace::file::Stream;
use trace::ids::{FunctionId, TaskId, ThreadId};
use trace::order::releases::Link;
use trace::steps::program::Program;
use trace::tasks::hot::HottestPaths;

use crate::show::traced_paths::{PathsOfFunction, by_function};
use crate::task_graph::{EndNames, TaskGraphReport};

/// Writes the graph of a process.
///
/// # Errors
/// The errors of `out`.
pub fn write(
    report: &TaskGraphReport<'_>,
    threads: &[Vec<&Stream>],
    out: &mut dyn Write,
) -> Result<()> {
    let (graph, process) = (&report.analysis.tasks.graph, report.trace.run.pid);
    let begin = graph.tasks().map(|(_, task)| task.begin).min().unwrap_or_default();
    let micros = |time: u64| time.saturating_sub(begin) as f64 / 1000.0;
    let number = |thread: ThreadId| {
        let streams = threads.get(thread.index());
        streams.and_then(|streams| streams.first()).map_or(thread.0, |stream| stream.number.0)
    };
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut first = true;
    let mut put = |event: Value, out: &mut dyn Write| {
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        write!(out, "{comma}\n{event}")
    };
    for (thread, streams) in (0..).map(ThreadId).zip(threads) {
        let Some(stream) = streams.first() else { continue };
        let name = format!("stream {} (thread {})", stream.number, stream.thread);
        put(
            json!({
                "ph": "M", "name": "thread_name", "pid": process, "tid": number(thread),
                "args": { "name": name },
            }),
            out,
        )?;
    }
    // Arrows are numbered in the order of their targets.
    let arrows = |to: TaskId| graph.edges_to(to).filter(|(link, _)| *link != Link::Program);
    let mut leaving: Vec<(TaskId, u32, Link)> = Vec::new();
    for (to, _) in graph.tasks() {
        for (link, from) in arrows(to) {
            leaving.push((from, leaving.len() as u32, link));
        }
    }
    leaving.sort_unstable_by_key(|(from, arrow, _)| (*from, *arrow));
    let mut leaving = leaving.into_iter().peekable();
    let mut arrow = 0u32;
    let end_names = EndNames::of(report);
    let hottest = &report.analysis.hottest;
    let paths = named_paths(report.program, hottest);
    for (id, task) in graph.tasks() {
        let tid = number(task.thread);
        let (begin, end) = (micros(task.begin), micros(task.end));
        let path = hottest.get(id.index()).copied().flatten().and_then(|path| paths.get(&path));
        put(
            json!({
                "ph": "B", "name": end_names.name(graph, id), "cat": graph.kind(id).name(),
                "pid": process, "tid": tid, "ts": begin,
                "args": {
                    "task": id,
                    "paths": task.actions.paths,
                    "instructions": task.actions.instructions,
                    "accesses": task.actions.accesses,
                    "hottest_path": path,
                },
            }),
            out,
        )?;
        for (link, _) in arrows(id) {
            put(
                json!({
                    "ph": "f", "bp": "e", "name": link.name(), "cat": "dependence", "id": arrow,
                    "pid": process, "tid": tid, "ts": begin,
                }),
                out,
            )?;
            arrow += 1;
        }
        while let Some((_, arrow, link)) = leaving.next_if(|(from, ..)| *from == id) {
            put(
                json!({
                    "ph": "s", "name": link.name(), "cat": "dependence", "id": arrow,
                    "pid": process, "tid": tid, "ts": end,
                }),
                out,
            )?;
        }
        put(json!({ "ph": "E", "pid": process, "tid": tid, "ts": end }), out)?;
    }
    out.write_all(b"]}\n")
}

/// Returns the names of these paths: the function, and the path in words.
fn named_paths(program: &Program, paths: &HottestPaths) -> HashMap<(FunctionId, PathId), String> {
    let paths: BTreeSet<_> = paths.iter().copied().flatten().collect();
    let mut names = HashMap::new();
    for PathsOfFunction { function, ids, texts } in by_function(program, &paths) {
        let name = program.functions[function.index()].function.short_name();
        let text = |text: PathText<'_>| format!("{name}: {}", text.plain());
        names.extend(ids.into_iter().map(|id| (function, id)).zip(texts.into_iter().map(text)));
    }
    names
}
