//! Writes the steps of a trace as JSON, an object on each line.
//!
//! Names are exact. Addresses are numbers, which have 48 bits; what is not known is `null`. The id
//! of a path is a decimal string, as in `pathprof/1`.

use std::io::Write;

use pathformat::manifest::AccessKind;
use serde::Serialize;

use crate::analyse::trace::chunks::Gap;
use crate::analyse::trace::program::Program;
use crate::analyse::trace::steps::{Accessed, Step};
use crate::analyse::trace::task_graph::clock::Rate;
use crate::escape;
use crate::read::trace::Stream;
use crate::read::trace::event::Event;

/// A path that ended.
#[derive(Serialize)]
struct StepEntry<'a> {
    stream: u32,
    thread: u32,
    interrupts: Option<u32>,
    frame: u64,
    depth: usize,
    whole: bool,
    function: &'a str,
    unit: &'a str,
    path: String,
    start: &'static str,
    end: &'static str,
    blocks: &'a [u32],
    #[serde(skip_serializing_if = "Option::is_none")]
    accesses: Option<Vec<AccessEntry>>,
}

/// What is done, how many bytes, the address, the line.
type AccessEntry = (&'static str, u64, Option<u64>, Option<u32>);

/// Something else that happened.
#[derive(Serialize)]
struct EventEntry<'a> {
    stream: u32,
    thread: u32,
    interrupts: Option<u32>,
    event: &'static str,
    text: &'a str,
}

/// Writes a step of a stream, with its accesses or without.
///
/// # Errors
/// Those of `out`.
pub fn step(
    program: &Program,
    stream: &Stream,
    step: &Step,
    with_accesses: bool,
    out: &mut dyn Write,
) -> serde_json::Result<()> {
    let of = &program.functions[step.path.function].function;
    let path = &step.path.path;
    let access = |accessed: &Accessed| {
        let access = program.access(&step.path, accessed.at)?;
        let line = program.location(&step.path, access).map(|at| at.line).filter(|&line| line > 0);
        Some((kind(access.kind), accessed.size, accessed.address, line))
    };
    let entry = StepEntry {
        stream: stream.number,
        thread: stream.thread,
        interrupts: stream.interrupts,
        frame: step.activation,
        depth: step.depth,
        whole: step.is_whole,
        function: &of.shape.name,
        unit: &program.modules[of.module].source,
        path: path.id.to_string(),
        start: path.start.key(),
        end: path.end.key(),
        blocks: &path.blocks,
        accesses: with_accesses.then(|| step.accesses.iter().filter_map(access).collect()),
    };
    line(&entry, out)
}

/// Writes that a stream synchronised, or that memory was allocated or freed.
///
/// # Errors
/// Those of `out`.
pub fn event(
    stream: &Stream,
    event: &Event,
    rate: &Rate,
    out: &mut dyn Write,
) -> serde_json::Result<()> {
    let mut entry = serde_json::json!({
        "stream": stream.number,
        "thread": stream.thread,
        "interrupts": stream.interrupts,
    });
    let told = match event {
        Event::Synchronised(event) => serde_json::json!({
            "event": "synchronised",
            "operation": event.operation().map(|operation| operation.name()),
            "object": event.object.get(),
            "other": event.other.get(),
            "result": event.result.get(),
            "before": Some(event.before.get()).filter(|&ticket| ticket > 0),
            "after": Some(event.after.get()).filter(|&ticket| ticket > 0),
            "begin": rate.nanoseconds(event.begin.get()),
            "end": rate.nanoseconds(event.end.get()),
        }),
        Event::Allocated(event) => serde_json::json!({
            "event": "allocated",
            "address": event.address.get(),
            "size": event.size.get(),
            "former": event.former.get(),
        }),
        Event::Clock(_) | Event::Other(_) => return Ok(()),
    };
    if let (Some(entry), serde_json::Value::Object(told)) = (entry.as_object_mut(), told) {
        entry.extend(told);
    }
    line(&entry, out)
}

/// Writes that records are missing.
///
/// # Errors
/// Those of `out`.
pub fn gap(stream: &Stream, gap: &Gap, out: &mut dyn Write) -> serde_json::Result<()> {
    let event = match gap {
        Gap::Lost => "lost",
        Gap::Missing(..) => "missing",
        Gap::Damaged(..) => "damaged",
    };
    let text = gap.to_string();
    let (number, thread, interrupts) = (stream.number, stream.thread, stream.interrupts);
    line(&EventEntry { stream: number, thread, interrupts, event, text: &text }, out)
}

fn line(entry: &impl Serialize, out: &mut dyn Write) -> serde_json::Result<()> {
    serde_json::to_writer(escape::Json(&mut *out), entry)?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

/// What is done to memory, as a key.
fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Update => "update",
        AccessKind::BulkLoad => "bulk_load",
        AccessKind::BulkStore => "bulk_store",
        AccessKind::Fence => "fence",
    }
}
