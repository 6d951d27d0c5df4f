//! Writes a task graph as the events of a Chrome trace, which Perfetto and others show: a slice for
//! each task, and an arrow for each edge between threads. Times are in microseconds.

use std::io::{Result, Write};

use serde_json::{Value, json};

use crate::analyse::trace::task_graph::graph::Graph;
use crate::analyse::trace::task_graph::releases::Link;
use crate::read::trace::Stream;

/// Writes the graph of a process.
///
/// # Errors
/// Those of `out`.
pub fn write(
    graph: &Graph,
    process: u32,
    threads: &[Vec<&Stream>],
    out: &mut dyn Write,
) -> Result<()> {
    let begin = graph.tasks().map(|(_, task)| task.begin).min().unwrap_or_default();
    let micros = |time: u64| time.saturating_sub(begin) as f64 / 1000.0;
    let number = |thread: u32| {
        let streams = threads.get(thread as usize);
        streams.and_then(|streams| streams.first()).map_or(thread, |stream| stream.number)
    };
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut first = true;
    let mut put = |event: Value, out: &mut dyn Write| {
        let comma = if std::mem::take(&mut first) { "" } else { "," };
        write!(out, "{comma}\n{event}")
    };
    for (thread, streams) in (0..).zip(threads) {
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
    let mut flow = 0u64;
    for (to, task) in graph.tasks() {
        let tid = number(task.thread);
        put(
            json!({
                "ph": "X", "name": graph.kind(to).name(), "cat": "task", "pid": process,
                "tid": tid, "ts": micros(task.begin), "dur": task.duration() as f64 / 1000.0,
                "args": {
                    "task": to,
                    "paths": task.actions.paths,
                    "instructions": task.actions.instructions,
                    "accesses": task.actions.accesses,
                },
            }),
            out,
        )?;
        for (link, from) in graph.edges_to(to).filter(|(link, _)| *link != Link::Program) {
            let source = graph.task(from);
            let ends = [("s", source.thread, source.end), ("f", task.thread, task.begin)];
            for (phase, thread, time) in ends {
                let mut event = json!({
                    "ph": phase, "name": link.name(), "cat": "dependence", "id": flow,
                    "pid": process, "tid": number(thread), "ts": micros(time),
                });
                if phase == "f" {
                    event["bp"] = json!("e");
                }
                put(event, out)?;
            }
            flow += 1;
        }
    }
    out.write_all(b"]}\n")
}
