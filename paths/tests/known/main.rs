//! Graphs whose plans are known: by hand, or because they can be counted.

mod code;
mod cuts;
mod in_flight;
mod points;
mod speculation;
mod uncut;
mod words;

use paths::techniques::Techniques;
use paths::text::{self, NamedGraph};
use paths::{Plan, plan};

/// A graph in the notation of [`text`].
fn graph(graph: &str) -> NamedGraph {
    text::parse(graph).expect("a graph")
}

/// Its plan with this limit and every technique.
fn planned(graph: &NamedGraph, limit: u64) -> Plan {
    plan(&graph.cfg, &graph.frequency, limit, Techniques::ALL)
}

/// This many blocks between two, of these lines: `head` with `{}` for what it leads to, then one
/// line for each block.
fn fan(head: &str, ways: usize, line: impl Fn(usize) -> String) -> String {
    let targets: Vec<_> = (0..ways).map(|way| format!("W{way}")).collect();
    let lines: String = (0..ways).map(|way| format!("W{way}{}\n", line(way))).collect();
    format!("{}\n{lines}", head.replace("{}", &targets.join(" ")))
}
