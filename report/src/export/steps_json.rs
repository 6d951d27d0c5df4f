//! Writes the steps of a trace as JSON, an object on each line.
//!
//! Names are exact. Addresses are numbers, which have 48 bits. Unknown values are `null`. The id of
//! a path is a decimal string, as in `pathprof/1`.

use std::io::Write;

use pathformat::manifest::AccessKind;
use pathformat::trace::Operation;
use profile::escape;
use serde::Serialize;
use trace::file::Stream;
use trace::file::event::{Event, function_called};
use trace::ids::StreamId;
use trace::memory::owned::Object;
use trace::memory::owner_names::OwnerNames;
use trace::steps::chunks::Gap;
use trace::steps::program::Program;
use trace::steps::step::{Accessed, Step};
use trace::steps::time::Times;

/// A path that ended.
#[derive(Serialize)]
struct StepEntry<'a> {
    stream: StreamId,
    thread: u32,
    interrupts: Option<StreamId>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    owners: Option<Vec<Option<OwnerEntry>>>,
}

/// The name of an object, and the offset of an address in it, if offsets have a meaning.
type OwnerEntry = (String, Option<u64>);

/// The kind of access, the number of bytes, the address, the line.
type AccessEntry = (&'static str, u64, Option<u64>, Option<u32>);

/// A place of missing records.
#[derive(Serialize)]
struct GapEntry<'a> {
    stream: StreamId,
    thread: u32,
    interrupts: Option<StreamId>,
    event: &'static str,
    text: &'a str,
}

/// An operation that synchronises.
#[derive(Serialize)]
struct SynchronisationEntry {
    stream: StreamId,
    thread: u32,
    interrupts: Option<StreamId>,
    event: &'static str,
    operation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'static str>,
    object: u64,
    other: u64,
    result: u32,
    before: Option<u64>,
    after: Option<u64>,
    begin: u64,
    end: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    owners: Option<Vec<Option<OwnerEntry>>>,
}

/// Memory that was allocated or freed.
#[derive(Serialize)]
struct AllocationEntry {
    stream: StreamId,
    thread: u32,
    interrupts: Option<StreamId>,
    event: &'static str,
    address: Option<u64>,
    size: u64,
    former: Option<u64>,
    before: Option<u64>,
    after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owners: Option<Vec<Option<OwnerEntry>>>,
}

/// The objects that are touched, if they were requested, and their names.
#[derive(Clone, Copy, Debug)]
pub struct AccessedObjects<'a> {
    /// The objects that an access or an event touches, by index.
    pub objects: Option<&'a [Option<Object<'a>>]>,
    /// The names of owners.
    pub names: &'a OwnerNames<'a>,
}

impl AccessedObjects<'_> {
    fn entries(&self, number: usize) -> Option<Vec<Option<OwnerEntry>>> {
        let objects = self.objects?;
        let entry = |at: usize| {
            let Object { owner, offset } = objects.get(at).copied().flatten()?;
            Some((self.names.name(owner), owner.has_offsets().then_some(offset)))
        };
        Some((0..number).map(entry).collect())
    }
}

/// Writes a step of a stream, with its accesses or without.
///
/// # Errors
/// The errors of `out`.
pub fn step(
    program: &Program,
    stream: &Stream,
    step: &Step,
    with_accesses: bool,
    touched: AccessedObjects<'_>,
    out: &mut dyn Write,
) -> serde_json::Result<()> {
    let of = &program.functions[step.path.function.index()].function;
    let path = &step.path.path;
    let access = |accessed: &Accessed| {
        let access = program.access(&step.path, accessed.at)?;
        let line = program.location(&step.path, access).map(|at| at.line).filter(|&line| line > 0);
        Some((kind(access.kind), accessed.size, accessed.address, line))
    };
    let accesses: Option<Vec<_>> =
        with_accesses.then(|| step.accesses.iter().filter_map(access).collect());
    let owners = accesses.as_ref().and_then(|accesses| touched.entries(accesses.len()));
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
        accesses,
        owners,
    };
    line(&entry, out)
}

/// Writes an event of a stream, with its times in nanoseconds. An event that is not about a thread
/// is left out.
///
/// # Errors
/// The errors of `out`.
pub fn event(
    stream: &Stream,
    event: &Event,
    times: &Times,
    touched: AccessedObjects<'_>,
    out: &mut dyn Write,
) -> serde_json::Result<()> {
    let (number, thread, interrupts) = (stream.number, stream.thread, stream.interrupts);
    let known = |value: u64| (value > 0).then_some(value);
    match event {
        Event::Synchronised(record) => line(
            &SynchronisationEntry {
                stream: number,
                thread,
                interrupts,
                event: "synchronised",
                operation: record.operation().map(Operation::name),
                function: function_called(record),
                object: record.object.get(),
                other: record.other.get(),
                result: record.result.get(),
                before: known(record.before.get()),
                after: known(record.after.get()),
                begin: times.at(record.begin.get()),
                end: times.at(record.end.get()),
                owners: touched.entries(2),
            },
            out,
        ),
        Event::Allocated(record) => line(
            &AllocationEntry {
                stream: number,
                thread,
                interrupts,
                event: "allocated",
                address: known(record.address.get()),
                size: record.size.get(),
                former: known(record.former.get()),
                before: known(record.before.get()).filter(|_| record.frees()),
                after: known(record.after.get()).filter(|_| record.allocates()),
                owners: touched.entries(1),
            },
            out,
        ),
        Event::Repeated(_) | Event::Other(_) => Ok(()),
    }
}

/// Writes that records are missing.
///
/// # Errors
/// The errors of `out`.
pub fn gap(stream: &Stream, gap: &Gap, out: &mut dyn Write) -> serde_json::Result<()> {
    let event = match gap {
        Gap::Lost => "lost",
        Gap::Off => "off",
        Gap::Missing(..) => "missing",
        Gap::Damaged(..) => "damaged",
        Gap::Unknown(_) => "unknown",
    };
    let text = gap.to_string();
    let (number, thread, interrupts) = (stream.number, stream.thread, stream.interrupts);
    line(&GapEntry { stream: number, thread, interrupts, event, text: &text }, out)
}

fn line(entry: &impl Serialize, out: &mut dyn Write) -> serde_json::Result<()> {
    serde_json::to_writer(escape::Json(&mut *out), entry)?;
    out.write_all(b"\n").map_err(serde_json::Error::io)
}

/// Returns the kind of an access to memory, as a key.
fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Update => "update",
        AccessKind::BulkLoad => "bulk_load",
        AccessKind::BulkStore => "bulk_store",
        AccessKind::Fence => "fence",
        AccessKind::Base => "base",
        AccessKind::Stride => "stride",
    }
}
