//! Measures memory and time of many tasks. Run it with `--ignored --nocapture`.

use std::collections::HashSet;
use std::io::{Write, stderr};
use std::time::Instant;

use counts::model::PathId;
use pathformat::trace::{Operation, Synchronisation};

use crate::ids::{FunctionId, ThreadId};
use crate::order::item::{Actions, EndedPath, Item};
use crate::order::walk::{Input, Streams};
use crate::steps::time::Times;
use crate::tasks::builder::Tasks;
use crate::tasks::parallelism::Parallelism;

/// Returns threads that take one lock after the other in turns.
fn inputs(threads: u64, rounds: u64) -> Streams<impl Iterator<Item = Item>> {
    let of = move |thread: u64| {
        (0..rounds).flat_map(move |round| {
            let turn = 2 * (round * threads + thread) + 1;
            let event = |operation: Operation, ticket: u64| {
                let ticket = ticket.into();
                Item::Event(Synchronisation {
                    operation: (operation as u32).into(),
                    object: (round % 64).into(),
                    before: if operation == Operation::Unlock { ticket } else { 0.into() },
                    after: if operation == Operation::Lock { ticket } else { 0.into() },
                    begin: ((ticket.get() - 1) * 10).into(),
                    end: (ticket.get() * 10).into(),
                    ..Synchronisation::default()
                })
            };
            let actions = Actions { paths: 1, instructions: 3, ..Actions::default() };
            let done = EndedPath {
                function: FunctionId(0),
                path: PathId(0),
                last: 0,
                calls_for_user: false,
                calls: None,
                actions,
                accesses: Vec::new(),
            };
            [event(Operation::Lock, turn), Item::Path(done), event(Operation::Unlock, turn + 1)]
        })
    };
    let input = |thread: u64| Input {
        thread: ThreadId(thread as u32),
        is_handler: false,
        begun: 0,
        items: of(thread),
    };
    (0..threads).map(input).collect()
}

#[test]
fn a_thousand_tasks() {
    let tasks = Tasks::of(inputs(4, 125), Times::default(), HashSet::new());
    assert_eq!(tasks.graph.len(), 1000);
    let span = tasks.by_instructions.clone();
    // Each lock goes from thread to thread, while the first threads take other locks.
    assert_eq!((span.work, span.span), (1500, 3 * (125 + 4 - 1)));
}

#[test]
#[ignore = "it takes a gigabyte"]
fn ten_million_tasks() {
    let begin = Instant::now();
    let tasks = Tasks::of(inputs(8, 625_000), Times::default(), HashSet::new());
    let built = begin.elapsed();
    assert_eq!(tasks.graph.len(), 10_000_000);
    let span = tasks.by_instructions.clone();
    let spanned = begin.elapsed();
    let parallelism = Parallelism::of(&tasks.graph, 60);
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = peak.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    let sizes = format!(
        "graph {} MB ({} edges), built in {built:?}, span {} in {:?}, {} levels in {:?}; {peak}",
        tasks.graph.memory() >> 20,
        tasks.graph.edge_count(),
        span.span,
        spanned - built,
        parallelism.levels.len(),
        begin.elapsed() - spanned,
    );
    writeln!(stderr(), "{sizes}").expect("somebody reads it");
}
