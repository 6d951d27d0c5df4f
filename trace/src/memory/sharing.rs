//! Data that threads share, and cache lines that move between threads.
//!
//! A line moves to a thread that accesses it without a valid copy, if another thread has written
//! it. By the definition of Dubois and others (1993), this is *true* sharing if the thread then
//! accesses, before the line is taken away again, a byte that another thread wrote since its own
//! last access to it. Otherwise it is *false* sharing.
//!
//! A trace does not record how the accesses of two threads interleave between two operations that
//! order them. So these moves are those of one order, in which a thread does as much at once as it
//! can. How often a line may have moved is estimated from what is known: an access is *contended*
//! if nothing orders it with accesses of another thread to the same line, and one of them writes.
//! If threads take turns, a contended write takes the line from whoever accessed it since, and a
//! contended read fetches it if another thread has written since: few writes cannot move a line
//! often. A read and the write behind it that updates the same bytes are one access.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ids::ThreadId;
use crate::memory::owners::OwnerId;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{CodePlace, MemoryAccess};
use crate::paged::Paged;

/// The maximum number of places that are kept for a cache line.
const PLACES: usize = 64;

/// A flow of data from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataFlow {
    /// The thread that wrote, and its place.
    pub writer: (ThreadId, CodePlace),
    /// The thread that read, and its place.
    pub reader: (ThreadId, CodePlace),
    /// The owner of the memory.
    pub owner: OwnerId,
}

/// A line that several threads use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedLine {
    /// The number of moves to a thread that used the data of others.
    pub true_sharing: u64,
    /// The number of moves to a thread that did not.
    pub false_sharing: u64,
    /// The contended accesses by each thread.
    pub contended: Vec<Contended>,
    /// The owner of the memory that was accessed last.
    pub owner: OwnerId,
    /// Some threads and places that accessed it, and true if they wrote.
    pub places: Vec<(ThreadId, CodePlace, bool)>,
}

/// The contended accesses of a thread to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contended {
    /// The thread.
    pub thread: ThreadId,
    /// The number of accesses.
    pub accesses: u64,
    /// The number of those that write.
    pub writes: u64,
}

impl SharedLine {
    /// Returns true if more threads and places may have accessed it than are kept.
    pub fn may_have_more_places(&self) -> bool {
        self.places.len() >= PLACES
    }

    /// Returns how often the line moves between threads, if those take turns as far as they can.
    pub fn possible_moves(&self) -> u64 {
        let sum = |what: fn(&Contended) -> u64| {
            self.contended.iter().map(what).fold(0, u64::saturating_add)
        };
        let (all, writes) = (sum(|of| of.accesses), sum(|of| of.writes));
        let most = self.contended.iter().map(|of| of.accesses).max().unwrap_or_default();
        let to = |of: &Contended| {
            let reads = of.accesses - of.writes;
            reads.min(writes - of.writes) + of.writes.min(all - of.accesses)
        };
        let moves = self.contended.iter().map(to).fold(0, u64::saturating_add);
        // What the others do between two accesses of one thread.
        moves.min((all - most).saturating_mul(2))
    }
}

#[derive(Clone, Debug, Default)]
struct Line {
    shared: SharedLine,
    /// The index of the last access whose place is kept.
    turn: usize,
    writers: Vec<Writer>,
    users: Vec<User>,
}

/// The last writer of some bytes.
#[derive(Clone, Debug)]
struct Writer {
    mask: u128,
    thread: ThreadId,
    place: CodePlace,
    /// The bytes that each thread has read.
    read: Vec<(ThreadId, u128)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct User {
    thread: ThreadId,
    /// True if it has a valid copy.
    holds: bool,
    /// The bytes that others wrote since its last access to them.
    news: u128,
    /// True if the line moved to it, and it has not yet accessed any of these bytes.
    is_open: bool,
    /// The part of the thread that its last access belongs to.
    part: u64,
    /// The number of its accesses in this part, and of those that write.
    count: u64,
    writes: u64,
    /// The bytes that they access.
    used: u128,
    /// The bytes that the last one of them read, if it did not write.
    read: u128,
    /// True if they are contended.
    is_contended: bool,
}

/// The data that threads share.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    lines: Paged<Line>,
    /// The number of bytes of each flow.
    pub flows: BTreeMap<DataFlow, u64>,
}

impl Sharing {
    /// Adds an access to some bytes of a line, by a part of a thread with this clock.
    pub(super) fn touch(
        &mut self,
        thread: ThreadId,
        clock: &VectorClock,
        access: &MemoryAccess,
        line: u64,
        mask: u128,
        owner: OwnerId,
    ) {
        let line = self.lines.of(line);
        line.shared.owner = owner;
        line.used((thread, access.place, access.writes()));
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
        let at = line.go(thread, mask, access.writes());
        line.contend(at, clock, mask, access.writes());
        if access.writes() {
            line.write(thread, access.place, mask);
        }
    }

    /// Drops the history of bytes that have a new owner.
    pub fn forget(&mut self, first: (u64, u128), between: Range<u64>, last: (u64, u128)) {
        let forget = |line: &mut Line, mask: u128| {
            line.writers.iter_mut().for_each(|writer| writer.mask &= !mask);
            line.writers.retain(|writer| writer.mask != 0);
            for user in &mut line.users {
                user.news &= !mask;
                user.used &= !mask;
                if user.used == 0 {
                    (user.count, user.writes, user.is_contended) = (0, 0, false);
                }
            }
        };
        for (line, mask) in [first, last] {
            self.lines.change(line..=line, |line| forget(line, mask));
        }
        if !between.is_empty() {
            let inner = between.start..=between.end - 1;
            self.lines.change(inner, |line| forget(line, u128::MAX));
        }
    }

    /// Returns the lines that moved between threads, by their numbers.
    pub fn lines(&self) -> BTreeMap<u64, &SharedLine> {
        let goes = |line: &Line| {
            line.shared.true_sharing + line.shared.false_sharing + line.shared.possible_moves() > 0
        };
        self.lines.iter().filter(|of| goes(of.1)).map(|of| (of.0, &of.1.shared)).collect()
    }
}

impl Line {
    /// Notes a thread and a place that accesses the line, and true if it writes.
    fn used(&mut self, used: (ThreadId, CodePlace, bool)) {
        let places = &mut self.shared.places;
        // In a loop, places take turns.
        let next = if self.turn + 1 < places.len() { self.turn + 1 } else { 0 };
        if places.get(next) == Some(&used) {
            self.turn = next;
        } else if let Some(at) = places.iter().position(|known| *known == used) {
            self.turn = at;
        } else if places.len() < PLACES {
            self.turn = places.len();
            places.push(used);
        }
    }

    /// Makes a place of a thread the last writer of some bytes.
    fn write(&mut self, thread: ThreadId, place: CodePlace, mask: u128) {
        let mut is_known = false;
        self.writers.retain_mut(|writer| {
            if (writer.thread, writer.place) == (thread, place) {
                is_known = true;
                writer.mask |= mask;
                writer.read.iter_mut().for_each(|read| read.1 &= !mask);
            } else {
                writer.mask &= !mask;
            }
            writer.mask != 0
        });
        if !is_known {
            self.writers.push(Writer { mask, thread, place, read: Vec::new() });
        }
    }

    /// Moves the line to a thread, unless it has a valid copy. Returns the index of the thread.
    fn go(&mut self, thread: ThreadId, mask: u128, writes: bool) -> usize {
        let at = self.users.iter().position(|user| user.thread == thread).unwrap_or_else(|| {
            // All bytes that others have written so far are new to the thread.
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
        at
    }

    /// Counts an access of the thread with this index, if it is contended, and those of other
    /// threads that it contends with.
    fn contend(&mut self, at: usize, clock: &VectorClock, mask: u128, writes: bool) {
        let contended = &mut self.shared.contended;
        let user = &mut self.users[at];
        let (thread, part) = (user.thread, clock.of(user.thread));
        if user.part != part {
            (user.part, user.count, user.writes, user.used) = (part, 0, 0, 0);
            user.is_contended = false;
        }
        let updates = writes && user.count > 0 && user.read == mask;
        user.read = if writes { 0 } else { mask };
        let own = Contended { thread, accesses: u64::from(!updates), writes: u64::from(writes) };
        user.count += own.accesses;
        user.used |= mask;
        user.writes += own.writes;
        if user.is_contended {
            add(contended, own);
        }
        for other in 0..self.users.len() {
            let known = self.users[other];
            let is_ordered = known.part <= clock.of(known.thread);
            if other == at || known.count == 0 || is_ordered || !(writes || known.writes > 0) {
                continue;
            }
            for index in [other, at] {
                let user = &mut self.users[index];
                if !std::mem::replace(&mut user.is_contended, true) {
                    let (thread, accesses, writes) = (user.thread, user.count, user.writes);
                    add(contended, Contended { thread, accesses, writes });
                }
            }
        }
    }
}

/// Adds contended accesses of a thread.
fn add(contended: &mut Vec<Contended>, more: Contended) {
    match contended.iter_mut().find(|of| of.thread == more.thread) {
        Some(of) => {
            of.accesses += more.accesses;
            of.writes += more.writes;
        }
        None => contended.push(more),
    }
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::AccessKind;

    use super::*;
    use crate::ids::{FunctionId, StackId};

    fn touch(sharing: &mut Sharing, thread: u32, kind: AccessKind, at: u64, size: u64) {
        let place = CodePlace { function: FunctionId(0), at: thread };
        let access = MemoryAccess {
            address: at,
            size,
            kind,
            place,
            is_atomic: false,
            stack: StackId::NONE,
            before: 0,
            after: 0,
        };
        let mask = ((1 << size) - 1) << (at % 64);
        // Nothing orders the threads.
        let mut clock = VectorClock::default();
        clock.step(ThreadId(thread));
        sharing.touch(ThreadId(thread), &clock, &access, at / 64, mask, OwnerId(0));
    }

    #[test]
    fn a_line_moves_as_often_as_threads_can_take_turns() {
        let counts = [200u64, 3, 100];
        let mut sharing = Sharing::default();
        for (thread, count) in (0..).zip(counts) {
            for _ in 0..count {
                touch(&mut sharing, thread, AccessKind::Store, 8 * u64::from(thread), 8);
                // Nobody else accesses this line, and nobody writes that one.
                touch(&mut sharing, thread, AccessKind::Store, 64 + 64 * u64::from(thread), 8);
                touch(&mut sharing, thread, AccessKind::Load, 1024, 8);
            }
        }
        let lines = sharing.lines();
        assert_eq!((lines.len(), lines[&0].possible_moves()), (1, 2 * 103));
        let contended = counts.iter().zip(0..).map(|(&count, thread)| Contended {
            thread: ThreadId(thread),
            accesses: count,
            writes: count,
        });
        assert_eq!(lines[&0].contended, contended.collect::<Vec<_>>());
        // An update is one access.
        let mut sharing = Sharing::default();
        for thread in 0..2 {
            for _ in 0..50 {
                for kind in [AccessKind::Load, AccessKind::Store] {
                    touch(&mut sharing, thread, kind, 4 * u64::from(thread), 4);
                }
            }
        }
        assert_eq!(sharing.lines()[&0].possible_moves(), 100);
    }

    #[test]
    fn few_writes_move_a_line_seldom_however_often_it_is_read() {
        let mut sharing = Sharing::default();
        for _ in 0..10 {
            touch(&mut sharing, 0, AccessKind::Store, 0, 8);
        }
        for thread in 1..5 {
            for _ in 0..1000 {
                touch(&mut sharing, thread, AccessKind::Load, 8, 8);
            }
        }
        // Each write is taken back once, and fetched once by each of the readers.
        assert_eq!(sharing.lines()[&0].possible_moves(), 10 + 4 * 10);
    }

    #[test]
    fn what_is_ordered_is_not_contended() {
        let mut sharing = Sharing::default();
        let place = CodePlace { function: FunctionId(0), at: 0 };
        let mut clock = VectorClock::default();
        for turn in 0..10 {
            let thread = ThreadId(turn % 2);
            // Each one knows all that the other one has done.
            clock.step(thread);
            let kind = AccessKind::Store;
            let access = MemoryAccess {
                address: 0,
                size: 8,
                kind,
                place,
                is_atomic: false,
                stack: StackId::NONE,
                before: 0,
                after: 0,
            };
            sharing.touch(thread, &clock, &access, 0, 0xff, OwnerId(0));
        }
        let line = sharing.lines()[&0].clone();
        assert_eq!((line.possible_moves(), line.false_sharing + line.true_sharing), (0, 9));
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
        // Each access but the first moves the line.
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
