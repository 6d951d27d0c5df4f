//! Who reads what another thread wrote, and which lines go from thread to thread.
//!
//! A line goes to a thread that accesses it without a valid copy, while another thread has written
//! it. As Dubois and others (1993) define it, that is *true* sharing if the thread then accesses a
//! byte that another one wrote since it accessed it last, before the line is taken away again, and
//! *false* sharing otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::memory::line_map::LineMap;
use crate::memory::owners::OwnerId;
use crate::order::item::{CodePlace, MemoryAccess};
use crate::order::thread_id::ThreadId;

/// The most places that are kept of a cache line.
const PLACES: usize = 16;

/// Data that went from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataFlow {
    /// The thread that wrote, and where.
    pub writer: (ThreadId, CodePlace),
    /// The thread that read, and where.
    pub reader: (ThreadId, CodePlace),
    /// What was read.
    pub owner: OwnerId,
}

/// A line that several threads use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedLine {
    /// How often it went to another thread that used what others wrote.
    pub true_sharing: u64,
    /// How often it went to another thread that did not.
    pub false_sharing: u64,
    /// Who owned what was accessed last.
    pub owner: OwnerId,
    /// Some threads and places that wrote it, or read it.
    pub places: BTreeSet<(ThreadId, CodePlace, bool)>,
}

#[derive(Clone, Debug, Default)]
struct Line {
    shared: SharedLine,
    writers: Vec<Writer>,
    users: Vec<User>,
}

/// Who wrote bytes last.
#[derive(Clone, Debug)]
struct Writer {
    mask: u128,
    thread: ThreadId,
    place: CodePlace,
    /// Which threads have read which of them.
    read: Vec<(ThreadId, u128)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct User {
    thread: ThreadId,
    /// Whether it has a valid copy.
    holds: bool,
    /// What others wrote since it accessed these bytes.
    news: u128,
    /// Whether the line came to it, and it has not yet used any of these.
    is_open: bool,
}

/// What threads share.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    lines: LineMap<u64, Line>,
    /// How many bytes went which way.
    pub flows: BTreeMap<DataFlow, u64>,
}

impl Sharing {
    /// An access to some bytes of a line.
    pub fn touch(
        &mut self,
        thread: ThreadId,
        access: &MemoryAccess,
        line: u64,
        mask: u128,
        owner: OwnerId,
    ) {
        let line = self.lines.entry(line).or_default();
        line.shared.owner = owner;
        let used = (thread, access.place, access.writes());
        if line.shared.places.len() < PLACES {
            line.shared.places.insert(used);
        }
        if access.reads() {
            for writer in &mut line.writers {
                if writer.thread == thread || writer.mask & mask == 0 {
                    continue;
                }
                let known = match writer.read.iter().position(|of| of.0 == thread) {
                    Some(at) => &mut writer.read[at].1,
                    None => {
                        writer.read.push((thread, 0));
                        let last = writer.read.len() - 1;
                        &mut writer.read[last].1
                    }
                };
                let new = writer.mask & mask & !*known;
                *known |= new;
                if new != 0 {
                    let (from, to) = ((writer.thread, writer.place), (thread, access.place));
                    let way = DataFlow { writer: from, reader: to, owner };
                    *self.flows.entry(way).or_default() += u64::from(new.count_ones());
                }
            }
        }
        line.go(thread, mask, access.writes());
        if access.writes() {
            line.writers.iter_mut().for_each(|writer| writer.mask &= !mask);
            line.writers.retain(|writer| writer.mask != 0);
            line.writers.push(Writer { mask, thread, place: access.place, read: Vec::new() });
        }
    }

    /// Bytes of a line belong to somebody new.
    pub fn forget(&mut self, first: (u64, u128), between: Range<u64>, last: (u64, u128)) {
        let forget = |line: &mut Line, mask: u128| {
            line.writers.iter_mut().for_each(|writer| writer.mask &= !mask);
            line.writers.retain(|writer| writer.mask != 0);
            line.users.iter_mut().for_each(|user| user.news &= !mask);
        };
        for (line, mask) in [first, last] {
            self.lines.get_mut(&line).into_iter().for_each(|line| forget(line, mask));
        }
        if between.end.saturating_sub(between.start) > self.lines.len() as u64 {
            let inner = self.lines.iter_mut().filter(|(line, _)| between.contains(line));
            inner.for_each(|(_, line)| forget(line, u128::MAX));
        } else {
            for line in between {
                self.lines.get_mut(&line).into_iter().for_each(|line| forget(line, u128::MAX));
            }
        }
    }

    /// The lines that went from thread to thread, by their numbers.
    pub fn lines(&self) -> BTreeMap<u64, &SharedLine> {
        let goes = |line: &Line| line.shared.true_sharing + line.shared.false_sharing > 0;
        self.lines.iter().filter(|of| goes(of.1)).map(|of| (*of.0, &of.1.shared)).collect()
    }
}

impl Line {
    /// The line goes to a thread unless that has it.
    fn go(&mut self, thread: ThreadId, mask: u128, writes: bool) {
        let at = self.users.iter().position(|user| user.thread == thread).unwrap_or_else(|| {
            // What others have written so far is new to it.
            let news = self.writers.iter().fold(0, |news, writer| news | writer.mask);
            self.users.push(User { thread, news, ..User::default() });
            self.users.len() - 1
        });
        let was_written = self.writers.iter().any(|writer| writer.thread != thread);
        let user = &mut self.users[at];
        if !user.holds && was_written {
            self.shared.false_sharing += 1;
            user.is_open = true;
        }
        user.holds = true;
        if user.is_open && user.news & mask != 0 {
            user.is_open = false;
            self.shared.false_sharing -= 1;
            self.shared.true_sharing += 1;
        }
        user.news &= !mask;
        if writes {
            for other in self.users.iter_mut().filter(|user| user.thread != thread) {
                (other.holds, other.is_open) = (false, false);
                other.news |= mask;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::AccessKind;

    use super::*;
    use crate::steps::function_id::FunctionId;

    fn touch(sharing: &mut Sharing, thread: u32, kind: AccessKind, at: u64, size: u64) {
        let place = CodePlace { function: FunctionId(0), at: thread };
        let access =
            MemoryAccess { address: at, size, kind, place, is_atomic: false, before: 0, after: 0 };
        let mask = ((1 << size) - 1) << (at % 64);
        sharing.touch(ThreadId(thread), &access, at / 64, mask, OwnerId(0));
    }

    fn increments(sharing: &mut Sharing, rounds: u64, apart: u64) {
        for _ in 0..rounds {
            for thread in 0..2 {
                for kind in [AccessKind::Load, AccessKind::Store] {
                    touch(sharing, thread, kind, u64::from(thread) * apart, 4);
                }
            }
        }
    }

    #[test]
    fn neighbours_in_a_line_share_it_falsely() {
        let mut sharing = Sharing::default();
        increments(&mut sharing, 50, 4);
        let lines = sharing.lines();
        // Each turn but for the first takes the line away.
        assert_eq!((lines[&0].false_sharing, lines[&0].true_sharing), (99, 0));
        assert!(sharing.flows.is_empty());
    }

    #[test]
    fn what_is_padded_is_not_shared() {
        let mut sharing = Sharing::default();
        increments(&mut sharing, 50, 64);
        assert!(sharing.lines().is_empty() && sharing.flows.is_empty());
    }

    #[test]
    fn one_counter_is_shared_truly() {
        let mut sharing = Sharing::default();
        increments(&mut sharing, 50, 0);
        let line = sharing.lines()[&0].clone();
        assert_eq!((line.false_sharing, line.true_sharing), (0, 99));
        // 4 bytes each time, 49 of them back.
        let bytes: Vec<_> = sharing.flows.values().copied().collect();
        assert_eq!(bytes, [4 * 50, 4 * 49]);
    }

    #[test]
    fn what_a_producer_writes_is_read_once_by_each_consumer() {
        let mut sharing = Sharing::default();
        for at in 0..100 {
            touch(&mut sharing, 0, AccessKind::Store, 8 * at, 8);
        }
        for _ in 0..3 {
            for thread in 1..3 {
                for at in 0..50 {
                    touch(&mut sharing, thread, AccessKind::Load, 8 * at, 8);
                }
            }
        }
        let flows = sharing.flows.iter();
        let flows: Vec<_> =
            flows.map(|(of, bytes)| (of.writer.0.0, of.reader.0.0, *bytes)).collect();
        assert_eq!(flows, [(0, 1, 400), (0, 2, 400)]);
        let lines = sharing.lines();
        assert_eq!(lines.len(), 7);
        assert!(lines.values().all(|of| (of.true_sharing, of.false_sharing) == (2, 0)));
    }

    #[test]
    fn memory_of_somebody_new_has_no_news() {
        let mut sharing = Sharing::default();
        touch(&mut sharing, 0, AccessKind::Store, 0, 8);
        sharing.forget((0, u128::MAX), 1..1, (0, 0));
        touch(&mut sharing, 1, AccessKind::Load, 0, 8);
        assert!(sharing.flows.is_empty() && sharing.lines().is_empty());
    }
}
