//! Tells the steps of a thread: a line for each path, and below it what it accessed.
//!
//! A line begins with the number of the stream. The name of the function is indented by how deep
//! the activation is, and a `?` stands before it if the trace does not have the activation from its
//! beginning. A path is told as everywhere, except that one that ends before a call says whom it
//! calls.

use std::collections::HashMap;
use std::io::{Result, Write};

use owo_colors::OwoColorize;
use pathformat::manifest::{self, AccessKind};
use pathformat::trace::{Allocation, Synchronisation};

use crate::analyse::path_text::{self, Wording};
use crate::analyse::trace::program::Program;
use crate::analyse::trace::steps::{Accessed, Step};
use crate::analyse::trace::task_graph::clock::Rate;
use crate::analyse::trace::traced_path::TracedPath;
use crate::escape::terminal;
use crate::read::names;
use crate::read::trace::Stream;
use crate::read::trace::event::Event;
use crate::show::durations::duration;
use crate::show::notation::base_name;

/// Deeper activations are indented no more; the depth stands before their names.
const DEEPEST: usize = 30;

/// So many texts are kept at most.
const KEPT: usize = 1 << 16;

/// The paths of a function that has no more are told together, so that no two of them read the
/// same.
const TOGETHER: u64 = 64;

/// What is done to memory, in words.
pub fn kind(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Update => "update",
        AccessKind::BulkLoad => "bulk load",
        AccessKind::BulkStore => "bulk store",
        AccessKind::Fence => "fence",
    }
}

/// An operation: what is done to what, how long it took, and how it failed.
fn synchronised(event: &Synchronisation, rate: &Rate) -> String {
    let Some(operation) = event.operation() else {
        return format!("operation {}", event.operation.get());
    };
    let mut text = format!("{} {:#x}", operation.name(), event.object.get());
    if event.other.get() != 0 {
        text += &format!(" {:#x}", event.other.get());
    }
    let ticks = event.end.get().saturating_sub(event.begin.get());
    if operation.order().acquires() && ticks > 0 {
        text += &format!(" waited {}", duration(rate.nanoseconds(ticks)));
    }
    if event.result.get() != 0 {
        text += &format!(" result {}", event.result.get());
    }
    text
}

/// Memory that has a new owner, or none any more.
fn allocated(event: &Allocation) -> String {
    let (address, former) = (event.address.get(), event.former.get());
    match (address, former) {
        (0, former) => format!("free {former:#x}"),
        (address, 0) => format!("allocate {} {address:#x}", event.size.get()),
        (address, former) => format!("reallocate {} {address:#x} {former:#x}", event.size.get()),
    }
}

/// Tells steps.
pub struct StepTeller<'a> {
    program: &'a Program,
    with_accesses: bool,
    /// Names of functions.
    names: HashMap<usize, String>,
    /// Texts of paths, by function and path.
    texts: HashMap<(usize, u64), String>,
}

impl<'a> StepTeller<'a> {
    /// A teller for the steps of a program.
    pub fn new(program: &'a Program, with_accesses: bool) -> Self {
        Self { program, with_accesses, names: HashMap::new(), texts: HashMap::new() }
    }

    /// Writes which stream the next lines are of.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn stream(&self, stream: &Stream, out: &mut dyn Write) -> Result<()> {
        let handler = match stream.interrupts {
            Some(other) => format!(", a signal handler that interrupts stream {other}"),
            None => String::new(),
        };
        let text = format!("stream {}: thread {}{handler}", stream.number, stream.thread);
        writeln!(out, "{}", text.bold())
    }

    /// Writes a step of a stream.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn step(&mut self, stream: &Stream, step: &Step, out: &mut dyn Write) -> Result<()> {
        let indent = "  ".repeat(step.depth.min(DEEPEST));
        let deep = if step.depth > DEEPEST { format!("[{}] ", step.depth) } else { String::new() };
        let doubt = if step.is_whole { "" } else { "?" };
        let name = self.name(step.path.function);
        let text = self.text(&step.path);
        writeln!(out, "{} {indent}{deep}{doubt}{}: {text}", stream.number.dimmed(), name.bold())?;
        if self.with_accesses {
            let blank = " ".repeat(stream.number.to_string().len());
            for accessed in &step.accesses {
                let text = self.access(&step.path, accessed);
                writeln!(out, "{blank} {indent}    {}", text.dimmed())?;
            }
        }
        Ok(())
    }

    /// Writes that something else happened.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn remark(&self, stream: &Stream, text: &str, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "{} {}", stream.number.dimmed(), format!("({text})").yellow())
    }

    /// Writes that a stream synchronised, or that memory was allocated or freed.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn event(
        &self,
        stream: &Stream,
        event: &Event,
        rate: &Rate,
        out: &mut dyn Write,
    ) -> Result<()> {
        let text = match event {
            Event::Synchronised(event) => synchronised(event, rate),
            Event::Allocated(event) => allocated(event),
            Event::Clock(_) | Event::Other(_) => return Ok(()),
        };
        writeln!(out, "{} {}", stream.number.dimmed(), text.cyan())
    }

    /// An access: what is done, how many bytes, the address and the place in the source.
    fn access(&self, path: &TracedPath, accessed: &Accessed) -> String {
        let Some(access) = self.program.access(path, accessed.at) else { return String::new() };
        let address = accessed.address.map_or_else(|| "?".into(), |at| format!("{at:#x}"));
        let place = self.program.location(path, access).map(|location| {
            terminal(&format!(" {}:{}", base_name(&location.file), location.line)).into_owned()
        });
        let place = place.unwrap_or_default();
        format!("{} {} {address}{place}", kind(access.kind), accessed.size)
    }

    fn name(&mut self, function: usize) -> String {
        let program = self.program;
        let name = || {
            let function = &program.functions[function].function;
            let name = names::short(&function.shape).unwrap_or_else(|| function.demangled.clone());
            terminal(&name).into_owned()
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
        let possible = self.program.functions[path.function].function.shape.num_paths;
        let mut all = Vec::new();
        if possible <= TOGETHER {
            all.extend((0..possible).filter_map(|id| self.program.path_of(path.function, id)));
        }
        let alone = [path];
        let together: Vec<&TracedPath> = all.iter().map(AsRef::as_ref).collect();
        let told = if all.is_empty() { &alone[..] } else { &together[..] };
        for (path, text) in told.iter().zip(texts(self.program, told)) {
            self.texts.insert((path.function, path.path.id), text);
        }
        self.texts.get(&key).cloned().unwrap_or_default()
    }
}

/// The texts of paths of one function, each on one line.
fn texts(program: &Program, paths: &[&TracedPath]) -> Vec<String> {
    let Some(first) = paths.first() else { return Vec::new() };
    let function = &program.functions[first.function].function;
    let wording = Wording::of(&program.modules[function.module]);
    let of_model: Vec<_> = paths.iter().map(|path| &path.path).collect();
    let mut texts = path_text::texts(function, wording, &of_model);
    let plain = texts.iter_mut().zip(paths).map(|(text, path)| {
        if let Some(call) = path.call(&function.shape) {
            text.end = format!("call {}", callee(&call.callee));
        }
        terminal(&text.plain()).into_owned()
    });
    plain.collect()
}

/// The name of a function that is called.
fn callee(symbol: &str) -> String {
    let shape = manifest::Function { name: symbol.into(), ..manifest::Function::default() };
    names::short(&shape).unwrap_or_else(|| symbol.into())
}
