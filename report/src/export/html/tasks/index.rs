//! The index of a page of tasks: sums and tables, which are of all tasks, on the page or not.

use std::collections::HashMap;

use profile::names;
use serde_json::{Value, json};
use trace::file::Stream;
use trace::order::item::{Actions, CodePlace};
use trace::order::releases::Link;
use trace::order::source::threads;
use trace::steps::program::Program;
use trace::tasks::contention::{Lock, Wait};
use trace::tasks::graph::TaskKind;
use trace::tasks::hot::Heat;
use trace::tasks::imbalance::{Barrier, Episode};
use trace::tasks::span::Span;

use super::asked::Asked;
use crate::export::html::payload::{Exact, shown};

/// The name of the schema.
const SCHEMA: &str = "pathprof-html-tasks/1";

/// How many rows of paths are in the page.
const MOST_PATHS: usize = 200;

/// The index of a page with so many tasks.
pub(super) fn index(asked: &Asked<'_>, tasks: usize) -> Value {
    let graph = &asked.tasks.graph;
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
    let parallelism = asked.parallelism;
    json!({
        "schema": SCHEMA,
        "trace": shown(&asked.trace.path.to_string_lossy()),
        "pid": asked.trace.run.pid,
        "threads": threads(asked.trace).iter().filter_map(thread).collect::<Vec<_>>(),
        "kinds": TaskKind::ALL.into_iter().zip(kinds).map(kind).collect::<Vec<_>>(),
        "links": Link::ALL.map(Link::name),
        "tasks": graph.len(),
        "edges": graph.edge_count(),
        "shown": tasks,
        "missing": asked.tasks.missing,
        "left_out": graph.left_out,
        "done": {
            "paths": exact(all.paths),
            "blocks": exact(all.blocks),
            "instructions": exact(all.instructions),
            "accesses": exact(all.accesses),
            "bytes": exact(all.bytes),
        },
        "time": span(asked.by_time),
        "instructions": span(asked.by_instructions),
        "parallelism": {
            "length": exact(parallelism.end - parallelism.begin),
            "levels": exacts(&parallelism.levels),
            "parts": exacts(&parallelism.parts),
        },
        "functions": functions(asked),
        "paths": paths(asked),
        "locks": locks(asked),
        "waits": waits(asked),
        "barriers": barriers(asked),
        "episodes": episodes(asked),
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

/// The name of a function.
fn name(program: &Program, function: u32) -> String {
    let Some(of) = program.functions.get(function as usize) else { return "?".into() };
    let name = names::short(&of.function.shape).unwrap_or_else(|| of.function.demangled.clone());
    shown(&name).into_owned()
}

/// Where a path ended: its function and the line.
fn end(program: &Program, place: CodePlace) -> Value {
    if place == CodePlace::NONE {
        return Value::Null;
    }
    let line = program.end_of_path(place).map(|at| {
        let file = at.file.rsplit('/').next().unwrap_or_default();
        format!("{}:{}", shown(file), at.line)
    });
    json!({ "function": name(program, place.function), "line": line })
}

/// A row of what ran on the critical path.
fn heat(of: &Heat, function: String) -> Value {
    json!({
        "function": function,
        "count": exact(of.count),
        "instructions": exact(of.instructions),
        "time": exact(of.time as u64),
    })
}

/// Heats, the greatest first.
fn sorted<K: Ord + Copy>(heats: &HashMap<K, Heat>) -> Vec<(K, Heat)> {
    let mut sorted: Vec<_> = heats.iter().map(|(of, heat)| (*of, *heat)).collect();
    sorted.sort_by(|a, b| b.1.instructions.cmp(&a.1.instructions).then(a.0.cmp(&b.0)));
    sorted
}

fn functions(asked: &Asked<'_>) -> Vec<Value> {
    let mut of: HashMap<u32, Heat> = HashMap::new();
    for ((function, _), heat) in asked.heats {
        let sum = of.entry(*function).or_default();
        sum.count += heat.count;
        sum.instructions += heat.instructions;
        sum.time += heat.time;
    }
    sorted(&of).iter().map(|(of, sum)| heat(sum, name(asked.program, *of))).collect()
}

fn paths(asked: &Asked<'_>) -> Vec<Value> {
    let row = |((function, path), of): &((u32, u64), Heat)| {
        let mut row = heat(of, name(asked.program, *function));
        row["path"] = exact(*path);
        row
    };
    sorted(asked.heats).iter().take(MOST_PATHS).map(row).collect()
}

/// The address of a lock or a barrier, behind its name if that is known.
fn object(asked: &Asked<'_>, address: u64) -> String {
    match asked.lock_names.name(address) {
        Some(name) => format!("{} {address:#x}", shown(name)),
        None => format!("{address:#x}"),
    }
}

fn locks(asked: &Asked<'_>) -> Vec<Value> {
    let time = |ticks: u64| exact(asked.tasks.times.nanoseconds(ticks));
    let locks = asked.tasks.contention.locks();
    let row = |(address, lock): &(u64, &Lock)| {
        let place = lock.places.iter().max_by_key(|(place, of)| (of.1, **place));
        json!({
            "object": object(asked, *address),
            "taken": exact(lock.taken),
            "failed": exact(lock.failed),
            "waited": exact(lock.waited),
            "wait": time(lock.wait),
            "held": time(lock.held),
            "place": place.map(|(place, _)| end(asked.program, *place)),
        })
    };
    locks.iter().map(row).collect()
}

fn waits(asked: &Asked<'_>) -> Vec<Value> {
    let row = |wait: &Wait| {
        json!({
            "object": object(asked, wait.object),
            "wait": exact(asked.tasks.times.nanoseconds(wait.wait)),
            "thread": wait.thread,
            "place": end(asked.program, wait.place),
            "holder": wait.holder,
            "holder_place": end(asked.program, wait.holder_place),
        })
    };
    asked.tasks.contention.longest().iter().map(row).collect()
}

fn barriers(asked: &Asked<'_>) -> Vec<Value> {
    let row = |(address, of): &(u64, &Barrier)| {
        let mut last: Vec<_> = of.last.iter().map(|(thread, times)| (*thread, *times)).collect();
        last.sort_unstable();
        json!({
            "object": object(asked, *address),
            "episodes": exact(of.episodes),
            "lost": exact(asked.tasks.times.nanoseconds(of.lost)),
            "last": last,
        })
    };
    asked.tasks.imbalance.barriers().iter().map(row).collect()
}

fn episodes(asked: &Asked<'_>) -> Vec<Value> {
    let time = |ticks: u64| exact(asked.tasks.times.nanoseconds(ticks));
    let row = |of: &Episode| {
        json!({
            "object": object(asked, of.object),
            "number": of.number,
            "members": of.members,
            "lost": time(of.lost),
            "spread": time(of.last.saturating_sub(of.first)),
            "last": of.last_thread,
            "place": end(asked.program, of.place),
        })
    };
    asked.tasks.imbalance.worst().iter().map(row).collect()
}
