//! Writes a task graph for Graphviz.

use std::io::{Result, Write};

use trace::ids::TaskId;
use trace::order::releases::Link;
use trace::tasks::graph::Graph;

/// Writes a graph. The tasks on the way are drawn bold.
///
/// # Errors
/// The errors of `out`.
pub fn write(graph: &Graph, way: &[TaskId], out: &mut dyn Write) -> Result<()> {
    let mut way = way.to_vec();
    way.sort_unstable();
    writeln!(out, "digraph tasks {{\n  node [shape=box, fontname=\"sans-serif\"];")?;
    for (id, task) in graph.tasks() {
        let bold = if way.binary_search(&id).is_ok() { ", style=bold, color=red" } else { "" };
        writeln!(
            out,
            "  t{id} [label=\"{}.{} {}\\n{} instructions\\n{} ns\"{bold}];",
            task.thread,
            task.index,
            graph.kind(id).name(),
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
