//! Writes a task graph for Graphviz.

use std::io::{Result, Write};

use trace::order::releases::Link;
use trace::tasks::builder::Tasks;

use crate::task_graph::{EndNames, TaskGraphReport};

/// Writes a graph. Each task has the name of what ends it. Those on the critical path are bold.
///
/// # Errors
/// The errors of `out`.
pub fn write(report: &TaskGraphReport<'_>, out: &mut dyn Write) -> Result<()> {
    let Tasks { graph, by_time, .. } = &report.analysis.tasks;
    let mut way = by_time.way.clone();
    way.sort_unstable();
    let names = EndNames::of(report);
    writeln!(out, "digraph tasks {{\n  node [shape=box, fontname=\"sans-serif\"];")?;
    for (id, task) in graph.tasks() {
        let bold = if way.binary_search(&id).is_ok() { ", style=bold, color=red" } else { "" };
        writeln!(
            out,
            "  t{id} [label=\"{}.{} {}\\n{} instructions\\n{} ns\"{bold}];",
            task.thread,
            task.index,
            names.name(graph, id).replace(['\\', '"'], "_"),
            task.actions.instructions,
            task.duration()
        )?;
    }
    for (to, _) in graph.tasks() {
        for (link, from) in graph.edges_to(to) {
            let style = match link {
                Link::Program => String::new(),
                _ => format!(" [label=\"{}\", style=dashed]", link.name()),
            };
            writeln!(out, "  t{from} -> t{to}{style};")?;
        }
    }
    writeln!(out, "}}")
}
