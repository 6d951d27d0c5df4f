//! Writes the steps of a thread: a line for each path, and below it the accesses of the path.
//!
//! A line begins with the number of the stream. The name of the function is indented by the depth
//! of the activation, and a `?` is before it if the trace lacks the beginning of the activation. A
//! path is written as everywhere, except that a path that ends before a call names the callee.

use std::collections::HashMap;
use std::io::{Result, Write};

use counts::model::PathId;
use owo_colors::OwoColorize;
use pathformat::manifest::AccessKind;
use pathformat::trace::Operation;
use profile::escape::terminal;
use trace::file::Stream;
use trace::file::event::{Event, function_called};
use trace::ids::FunctionId;
use trace::memory::owned::Object;
use trace::memory::owner_names::OwnerNames;
use trace::steps::program::Program;
use trace::steps::step::{Accessed, Step};
use trace::steps::time::Times;
use trace::steps::traced_path::TracedPath;

use crate::show::notation::base_name;
use crate::show::traced_paths::texts;

/// The largest depth that is indented. Deeper activations have their depth before their names.
const DEEPEST: usize = 30;

/// The largest number of texts that are kept.
const KEPT: usize = 1 << 16;

/// The largest number of paths of a function whose texts are made together, so that no two of them
/// are equal.
const TOGETHER: u64 = 64;

/// Returns the kind of an access to memory, in words.
pub fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Update => "update",
        AccessKind::BulkLoad => "bulk load",
        AccessKind::BulkStore => "bulk store",
        AccessKind::Fence => "fence",
        AccessKind::Base => "base",
        AccessKind::Stride => "stride",
    }
}

/// A writer of steps.
pub struct StepWriter<'a> {
    program: &'a Program,
    times: Times,
    with_accesses: bool,
    owner_names: &'a OwnerNames<'a>,
    /// Names of functions.
    names: HashMap<FunctionId, String>,
    /// Texts of paths, by function and path.
    texts: HashMap<(FunctionId, PathId), String>,
}

impl<'a> StepWriter<'a> {
    /// Creates a writer for the steps of a program with this clock.
    pub fn new(
        program: &'a Program,
        times: Times,
        with_accesses: bool,
        owner_names: &'a OwnerNames<'a>,
    ) -> Self {
        let (names, texts) = (HashMap::new(), HashMap::new());
        Self { program, times, with_accesses, owner_names, names, texts }
    }

    /// Writes the stream of the next lines.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn stream(&self, stream: &Stream, out: &mut dyn Write) -> Result<()> {
        let handler = match stream.interrupts {
            Some(other) => format!(", a signal handler that interrupts stream {other}"),
            None => String::new(),
        };
        let text = format!("stream {}: thread {}{handler}", stream.number, stream.thread);
        writeln!(out, "{}", text.bold())
    }

    /// Writes a step of a stream, and the objects of its accesses, if they are given.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn step(
        &mut self,
        stream: &Stream,
        step: &Step,
        objects: Option<&[Option<Object<'_>>]>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let indent = "  ".repeat(step.depth.min(DEEPEST));
        let deep = if step.depth > DEEPEST { format!("[{}] ", step.depth) } else { String::new() };
        let doubt = if step.is_whole { "" } else { "?" };
        let name = self.name(step.path.function);
        let text = self.text(&step.path);
        writeln!(out, "{} {indent}{deep}{doubt}{}: {text}", stream.number.dimmed(), name.bold())?;
        if self.with_accesses {
            let blank = " ".repeat(stream.number.to_string().len());
            for (at, accessed) in step.accesses.iter().enumerate() {
                let object = objects.map(|objects| objects.get(at).copied().flatten());
                let text = self.access(&step.path, accessed, object);
                writeln!(out, "{blank} {indent}    {}", text.dimmed())?;
            }
        }
        Ok(())
    }

    /// Writes an event of a stream, and its objects, as far as they are given.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn event(
        &self,
        stream: &Stream,
        event: &Event,
        objects: &[Option<Object<'_>>],
        out: &mut dyn Write,
    ) -> Result<()> {
        let object = |at: usize| self.object(objects.get(at).copied().flatten());
        let Some(text) = event_text(event, &self.times, [object(0), object(1)]) else {
            return Ok(());
        };
        writeln!(out, "{} {}", stream.number.dimmed(), text.cyan())
    }

    /// Writes that records are missing.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn remark(&self, stream: &Stream, text: &str, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{} {}", stream.number.dimmed(), format!("({text})").yellow())
    }

    /// Returns an access: its kind, its number of bytes, its address, its object, and its place in
    /// the source.
    fn access(
        &self,
        path: &TracedPath,
        accessed: &Accessed,
        object: Option<Option<Object<'_>>>,
    ) -> String {
        let Some(access) = self.program.access(path, accessed.at) else { return String::new() };
        let address = accessed.address.map_or_else(|| "?".into(), |at| format!("{at:#x}"));
        let place = self.program.location(path, access).map(|location| {
            terminal(&format!(" {}:{}", base_name(&location.file), location.line)).into_owned()
        });
        let place = place.unwrap_or_default();
        let object = match object {
            Some(None) if accessed.address.is_some() && accessed.size > 0 => " ?".into(),
            object => self.object(object.flatten()),
        };
        format!("{} {} {address}{object}{place}", kind(access.kind), accessed.size)
    }

    /// Returns the object at an address: a variable, or in brackets an object without a name of its
    /// own.
    fn object(&self, object: Option<Object<'_>>) -> String {
        let Some(Object { owner, offset }) = object else { return String::new() };
        format!(" {}", terminal(&self.owner_names.place(owner, offset)))
    }

    fn name(&mut self, function: FunctionId) -> String {
        let program = self.program;
        let name = || {
            let function = &program.functions[function.index()].function;
            terminal(&function.short_name()).into_owned()
        };
        self.names.entry(function).or_insert_with(name).clone()
    }

    fn text(&mut self, path: &TracedPath) -> String {
        let key = (path.function, path.path.id);
        if let Some(text) = self.texts.get(&key) {
            return text.clone();
        }
        if self.texts.len() > KEPT {
            self.texts.clear();
        }
        let possible = self.program.functions[path.function.index()].function.shape.num_paths;
        let mut all = Vec::new();
        if possible <= TOGETHER {
            all.extend(
                (0..possible).map(PathId).filter_map(|id| self.program.path_of(path.function, id)),
            );
        }
        let alone = [path];
        let together: Vec<&TracedPath> = all.iter().map(AsRef::as_ref).collect();
        let paths = if all.is_empty() { &alone[..] } else { &together[..] };
        for (path, text) in paths.iter().zip(texts(self.program, paths)) {
            let text = terminal(&text.plain()).into_owned();
            self.texts.insert((path.function, path.path.id), text);
        }
        self.texts.get(&key).cloned().unwrap_or_default()
    }
}

/// Returns the text of an event, with the objects at its addresses; `None` if it is not about a
/// thread.
fn event_text(event: &Event, times: &Times, [first, second]: [String; 2]) -> Option<String> {
    match event {
        Event::Synchronised(record) => {
            let operation = record.operation();
            let name = operation.map_or("synchronise", Operation::name).replace('_', " ");
            let number = |value: u64| match operation.map(Operation::names_numbers) {
                Some(true) => value.to_string(),
                _ => format!("{value:#x}"),
            };
            let function = function_called(record);
            let name = function.map_or(name, Into::into);
            let object =
                Some(record.object.get()).filter(|&object| object > 0 && function.is_none());
            let object = object.map(|object| format!(" {}{first}", number(object)));
            let object = object.unwrap_or_default();
            // What is said of the object is no other object.
            let has_other = !matches!(
                operation,
                Some(Operation::Lock | Operation::LockShared | Operation::Once)
            );
            let other = Some(record.other.get()).filter(|&other| other > 0 && has_other);
            let other = other.map(|other| format!(" with {other:#x}{second}")).unwrap_or_default();
            let failed = Some(record.result.get()).filter(|&result| result > 0);
            let failed = failed.map(|error| format!(", error {error}")).unwrap_or_default();
            let begin = times.at(record.begin.get()).saturating_sub(times.start());
            let taken = times.between(record.begin.get(), record.end.get());
            let (begin, taken) = (duration(begin), duration(taken));
            Some(format!("{name}{object}{other}{failed}: at {begin}, took {taken}"))
        }
        Event::Allocated(record) => {
            let (address, size) = (record.address.get(), record.size.get());
            Some(match (address, record.former.get()) {
                (0, 0) if size == 0 => "free 0x0".into(),
                (0, 0) => format!("allocate {size}: failed"),
                (0, former) => format!("free {former:#x}{first}"),
                (address, 0) => format!("allocate {size}: {address:#x}"),
                (address, former) => format!("resize {former:#x}{first} to {size}: {address:#x}"),
            })
        }
        Event::Repeated(_) | Event::Other(_) => None,
    }
}

/// Returns a duration in nanoseconds, for people.
fn duration(nanoseconds: u64) -> String {
    let in_units = |of: f64, unit: &str| format!("{:.3} {unit}", nanoseconds as f64 / of);
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => in_units(1e3, "µs"),
        1_000_000..1_000_000_000 => in_units(1e6, "ms"),
        _ => in_units(1e9, "s"),
    }
}
