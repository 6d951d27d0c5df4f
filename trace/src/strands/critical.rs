//! Locks of OpenMP: they exclude, and order only those who meet.
//!
//! Which of two critical sections comes first is up to the schedule. So a lock does not order what
//! is around its sections. But if a section accesses what an earlier one accessed, and one of them
//! writes it, then it may act on what it reads there, and what follows is behind the earlier
//! section. This is the order of Smaragdakis and others (Sound predictive race detection in
//! polynomial time, 2012), by its first rule.

use std::collections::HashMap;
use std::rc::Rc;

use crate::fast_map::FastMap;
use crate::ids::ThreadId;
use crate::strands::clock::Token;

/// The critical sections of a program.
#[derive(Debug, Default)]
pub(super) struct Critical {
    /// The sections in which each thread is, from the outside in.
    open: Vec<Vec<Section>>,
    /// What the ended sections of each lock accessed, by cell of memory.
    ended: HashMap<u64, FastMap<u64, Vec<Ended>>>,
}

/// A section that has begun.
#[derive(Debug)]
struct Section {
    lock: u64,
    /// The cells that it accessed, and which of their bytes it read and wrote.
    cells: FastMap<u64, Bytes>,
}

/// The bytes of a cell that a section accessed: a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bytes {
    read: u8,
    written: u8,
}

/// What happens before the ends of the sections that accessed the same bytes of a cell.
#[derive(Debug)]
struct Ended {
    bytes: Bytes,
    before: Token,
}

impl Critical {
    /// Returns true if a thread is in no section.
    pub(super) fn is_outside(&self, thread: ThreadId) -> bool {
        self.open.get(thread.index()).is_none_or(Vec::is_empty)
    }

    /// Begins a section of a lock.
    pub(super) fn begin(&mut self, thread: ThreadId, lock: u64) {
        let at = thread.index();
        if self.open.len() <= at {
            self.open.resize_with(at + 1, Vec::new);
        }
        self.open[at].push(Section { lock, cells: FastMap::default() });
    }

    /// Adds an access to bytes of a cell. Returns what happens before it, as far as sections order
    /// it.
    pub(super) fn access(
        &mut self,
        thread: ThreadId,
        cell: u64,
        mask: u8,
        writes: bool,
    ) -> Vec<Token> {
        let mut before = Vec::new();
        for section in self.open.get_mut(thread.index()).into_iter().flatten() {
            let known = section.cells.entry(cell).or_default();
            if mask & !known.written == 0 || (!writes && mask & !known.read == 0) {
                continue;
            }
            let bytes = if writes { &mut known.written } else { &mut known.read };
            *bytes |= mask;
            let ended = self.ended.get(&section.lock).and_then(|of| of.get(&cell));
            for ended in ended.into_iter().flatten() {
                let conflicts = if writes { ended.bytes.read } else { 0 } | ended.bytes.written;
                if conflicts & mask != 0 {
                    before.push(ended.before.clone());
                }
            }
        }
        before
    }

    /// Ends the innermost section of a lock. `token` is what happens before its end.
    pub(super) fn end(&mut self, thread: ThreadId, lock: u64, token: &Token) {
        let Some(open) = self.open.get_mut(thread.index()) else { return };
        let Some(at) = open.iter().rposition(|section| section.lock == lock) else { return };
        let section = open.remove(at);
        let ended = self.ended.entry(lock).or_default();
        for (cell, bytes) in section.cells {
            let known = ended.entry(cell).or_default();
            match known.iter_mut().find(|ended| ended.bytes == bytes) {
                Some(ended) => Rc::make_mut(&mut ended.before).join(token),
                None => known.push(Ended { bytes, before: token.clone() }),
            }
        }
    }
}
