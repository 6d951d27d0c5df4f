//! Writes a record in a stream: head, modules, end. Nothing is allocated.

use super::head::Head;
use super::run::RunId;
use crate::record::ModuleId;
use crate::wire::{Checksummed, Sink};

/// The first bytes of items behind the head of a record or of a raw file.
pub(crate) mod tag {
    /// The end: no item follows.
    pub(crate) const END: u8 = 0;

    /// A module.
    pub(crate) const MODULE: u8 = 1;

    /// The map of the process of the modules behind it.
    pub(crate) const MAP: u8 = 2;

    /// The common counts of some runs.
    pub(crate) const PART: u8 = 3;
}

/// Writes one record to a sink: head, modules, end.
pub struct ProfileWriter<'a, S: Sink> {
    sink: Checksummed<'a, S>,
}

impl<'a, S: Sink> ProfileWriter<'a, S> {
    /// Writes the head.
    pub fn new(sink: &'a mut S, head: &Head<'_>) -> Self {
        let mut sink = Checksummed::new(sink);
        head.write(&mut sink);
        Self { sink }
    }

    /// Writes the memory map of the process of the modules behind it: lines of `/proc/self/maps`.
    pub fn map(&mut self, lines: &[u8]) {
        self.sink.put(&[tag::MAP]);
        self.sink.put_bytes(lines);
    }

    /// Begins the common counts of some runs; `flags` are those of each of them, and `label` is the
    /// user's name for them.
    pub fn part(&mut self, runs: &[RunId], flags: u32, label: &[u8]) {
        self.sink.put(&[tag::PART]);
        self.sink.put_u32(flags);
        self.sink.put_bytes(label);
        self.sink.put_varint(runs.len() as u64);
        runs.iter().for_each(|run| self.sink.put(&run.0));
    }

    /// Starts a module whose array has `counters` counters. Counters must then come in ascending
    /// order. If all of them are zero, nothing is written: an image may have a thousand modules, of
    /// which a run executes a few.
    pub fn module(&mut self, id: ModuleId, counters: u64) -> ModuleWriter<'_, 'a, S> {
        ModuleWriter { sink: &mut self.sink, id, counters, next: 0 }
    }

    /// Writes the end mark, the length and the checksum.
    pub fn finish(mut self) {
        self.sink.put(&[tag::END]);
        let length = self.sink.written() + ENDING as u64;
        self.sink.put_u64(length);
        self.sink.finish();
    }
}

/// The length of the ending of a record behind its end mark: the record's length, and its checksum.
pub const ENDING: usize = 16;

/// Returns the length of the record that these bytes close, provided that they close one.
pub fn length_before(ending: [u8; ENDING]) -> u64 {
    ending.first_chunk().map_or(0, |length| u64::from_le_bytes(*length))
}

/// Writes the counters of one module.
pub struct ModuleWriter<'w, 's, S: Sink> {
    sink: &'w mut Checksummed<'s, S>,
    id: ModuleId,
    counters: u64,
    /// One more than the last index that was written; 0 if none was.
    next: u64,
}

impl<S: Sink> ModuleWriter<'_, '_, S> {
    /// Writes a counter; zero counts are left out, and `index` must be above the previous one.
    pub fn counter(&mut self, index: u64, count: u64) {
        if count != 0 && index >= self.next {
            if self.next == 0 {
                self.sink.put(&[tag::MODULE]);
                self.sink.put(&self.id.0);
                self.sink.put_varint(self.counters);
            }
            self.sink.put_varint(index - self.next + 1);
            self.sink.put_varint(count);
            self.next = index + 1;
        }
    }

    /// Closes the module.
    pub fn finish(self) {
        if self.next > 0 {
            self.sink.put_varint(0);
        }
    }
}
