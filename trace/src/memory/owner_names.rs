//! Names of owners.

use counts::path_text::base_name;

use crate::file::{Stream, Trace};
use crate::ids::{StreamId, ThreadId};
use crate::memory::owners::Owner;
use crate::order::source::threads;
use crate::steps::program::Program;

/// Names owners of memory of a trace.
#[derive(Debug)]
pub struct OwnerNames<'a> {
    program: &'a Program,
    /// The number of the first stream of each thread.
    streams: Vec<StreamId>,
}

impl<'a> OwnerNames<'a> {
    /// Returns the names for a trace of a program.
    pub fn of(trace: &Trace, program: &'a Program) -> Self {
        let number =
            |of: &Vec<&Stream>| of.first().map_or(StreamId::default(), |stream| stream.number);
        Self { program, streams: threads(trace).iter().map(number).collect() }
    }

    /// Returns the name of an owner, followed by the offset of a byte of its memory. The name may
    /// have control characters.
    pub fn place(&self, owner: &Owner, offset: u64) -> String {
        let name = self.name(owner);
        let offset = match offset {
            0 => String::new(),
            _ if !owner.has_offsets() => String::new(),
            offset => format!("+{offset}"),
        };
        match owner {
            Owner::Global(_) => format!("{name}{offset}"),
            _ => format!("({name}){offset}"),
        }
    }

    /// Returns the name of an owner. It may have control characters.
    pub fn name(&self, owner: &Owner) -> String {
        match owner {
            Owner::Unknown => "unknown".into(),
            Owner::Global(name) => name.clone(),
            Owner::Image(name) => format!("other data of {name}"),
            Owner::Stack(ThreadId(0)) => "stack".into(),
            Owner::Stack(thread) => {
                let stream = self.streams.get(thread.index()).copied().unwrap_or_default();
                format!("stack of stream {stream}")
            }
            Owner::Heap { inlined: Some(inlined), file, line, .. } => {
                format!("heap: {inlined}{}", place(file, *line))
            }
            Owner::Heap { function, file, line, .. } => {
                let function = function.and_then(|at| self.program.functions.get(at.index()));
                let name = match function.map(|of| &of.function) {
                    None => "?".into(),
                    // Nothing else tells functions of one name apart.
                    Some(of) if file.is_empty() => of.demangled.clone(),
                    Some(of) => of.short_name(),
                };
                format!("heap: {name}{}", place(file, *line))
            }
        }
    }
}

/// Returns a blank and the place of an allocation; nothing if it is unknown.
fn place(file: &str, line: u32) -> String {
    if file.is_empty() { String::new() } else { format!(" {}:{line}", base_name(file)) }
}

impl Owner {
    /// Returns true if the offset of an address in the memory of this owner is meaningful.
    pub fn has_offsets(&self) -> bool {
        matches!(self, Self::Global(_) | Self::Heap { .. })
    }
}
