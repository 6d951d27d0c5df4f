//! The past accesses to each cell of memory, as far as a later access may race with them.
//!
//! A *cell* is eight bytes that are examined together. Each has room for two accesses: most memory
//! is accessed by one thread at a time, whose last write and last read take the places of earlier
//! ones.

use std::ops::RangeInclusive;

use crate::ids::{Moment, StackId, ThreadId};
use crate::memory::race_side::RaceSide;
use crate::order::item::CodePlace;
use crate::paged::Paged;
use crate::steps::call_tree::CallTree;

/// The number of bytes in a cell.
pub(super) const CELL: u64 = 8;

/// What matters of the strand of an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StrandFacts {
    /// True if the memory belongs to the strand.
    pub(super) is_own: bool,
    /// True if it is an explicit task.
    pub(super) is_task: bool,
    /// True if it is an iteration of a shared loop that has neither released nor acquired.
    pub(super) is_plain: bool,
    /// True if it combines what was reduced, which one thread at a time does.
    pub(super) is_reducing: bool,
}

/// The bit of an access with which nothing raced, and since which no other moment accessed the
/// cell.
const ALONE: u8 = 1 << 6;

/// A past access to a cell. All of its bytes are in the mask; none are if there is no access.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastAccess {
    /// The part of the thread that it belongs to.
    pub(super) part: u64,
    /// The sequence number of the access.
    pub(super) sequence: u64,
    pub(super) thread: ThreadId,
    /// The stack of calls.
    pub(super) stack: StackId,
    /// The place in the innermost function, as in a [`CodePlace`](crate::order::item::CodePlace).
    at: u32,
    /// What is true of it: bits.
    facts: u8,
    /// The bytes that it accesses.
    pub(super) mask: u8,
}

const _: () = assert!(size_of::<PastAccess>() == 32, "a program accesses many cells");

impl PastAccess {
    const NONE: Self = Self {
        part: 0,
        sequence: 0,
        thread: ThreadId(0),
        stack: StackId::NONE,
        at: u32::MAX,
        facts: 0,
        mask: 0,
    };

    /// Returns an access at a moment of a thread to the bytes of a mask.
    pub(super) fn new(
        moment: Moment,
        strand: StrandFacts,
        sequence: u64,
        mask: u8,
        stack: StackId,
        side: RaceSide,
    ) -> Self {
        let Moment { thread, part } = moment;
        let facts = u8::from(side.writes)
            | u8::from(side.is_atomic) << 1
            | u8::from(strand.is_own) << 2
            | u8::from(strand.is_task) << 3
            | u8::from(strand.is_plain) << 4
            | u8::from(strand.is_reducing) << 5;
        Self { part, sequence, thread, stack, at: side.place.at, facts, mask }
    }

    /// Returns the moment at which it happened.
    pub(super) fn moment(&self) -> Moment {
        Moment { thread: self.thread, part: self.part }
    }

    /// Returns its side of a race.
    pub(super) fn side(&self, calls: &CallTree) -> RaceSide {
        let place = CodePlace { function: calls.function(self.stack), at: self.at };
        RaceSide { place, writes: self.writes(), is_atomic: self.is_atomic() }
    }

    /// Returns true if it writes.
    pub(super) fn writes(&self) -> bool {
        self.is(0)
    }

    /// Returns true if it is atomic.
    pub(super) fn is_atomic(&self) -> bool {
        self.is(1)
    }

    /// Returns what matters of its strand.
    pub(super) fn strand(&self) -> StrandFacts {
        let [is_own, is_task, is_plain, is_reducing] = [2, 3, 4, 5].map(|bit| self.is(bit));
        StrandFacts { is_own, is_task, is_plain, is_reducing }
    }

    /// Returns true if what races with a `weak` access races with this one, too.
    pub(super) fn covers(&self, weak: &Self) -> bool {
        weak.mask & !self.mask == 0 && self.is_stronger(weak)
    }

    /// Removes the bytes of an earlier access with which nothing races that does not race with this
    /// one. Returns true if some are left.
    pub(super) fn leaves(&self, then: &mut Self) -> bool {
        if self.is_stronger(then) {
            then.mask &= !self.mask;
        }
        then.mask != 0
    }

    /// Returns true if what races with bytes of a `weak` access races with this one, if that is to
    /// the same bytes.
    fn is_stronger(&self, weak: &Self) -> bool {
        (self.writes() || !weak.writes()) && (weak.is_atomic() || !self.is_atomic())
    }

    /// Returns true if this is an access of the same place and moment, and of the same kind.
    fn is_alike(&self, other: &Self) -> bool {
        self.mask != 0
            && self.moment() == other.moment()
            && self.at == other.at
            && self.stack == other.stack
            && self.facts & !ALONE == other.facts
    }

    fn is(&self, bit: u8) -> bool {
        self.facts >> bit & 1 == 1
    }
}

/// The past accesses to a cell.
#[derive(Debug)]
pub(super) struct PastAccesses {
    known: [PastAccess; 2],
    #[allow(clippy::box_collection, reason = "most cells have no others, and are shorter so")]
    others: Option<Box<Vec<PastAccess>>>,
}

impl Default for PastAccesses {
    fn default() -> Self {
        Self { known: [PastAccess::NONE; 2], others: None }
    }
}

/// The past accesses to all cells.
#[derive(Debug, Default)]
pub(super) struct Shadow(Paged<PastAccesses>);

impl Shadow {
    /// Returns the past accesses to a cell.
    #[inline]
    pub(super) fn of(&mut self, cell: u64) -> &mut PastAccesses {
        self.0.of(cell)
    }

    /// Drops the past accesses to a range of cells.
    pub(super) fn forget(&mut self, cells: RangeInclusive<u64>) {
        self.0.change(cells, |cell| *cell = PastAccesses::default());
    }
}

impl PastAccesses {
    /// Returns true if there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.known.iter().all(|known| known.mask == 0) && self.others.is_none()
    }

    /// Drops those that are not to be kept, or some of their bytes, and adds one if it is needed:
    /// `is_needed` then returns whether nothing raced with it. If `joins` is true, it may become
    /// one with an access of the same place and moment to other bytes.
    pub(super) fn update(
        &mut self,
        now: &PastAccess,
        joins: bool,
        mut is_kept: impl FnMut(&mut PastAccess) -> bool,
        is_needed: impl FnOnce() -> Option<bool>,
    ) {
        let mut stays = |then: &mut PastAccess| {
            if then.moment() != now.moment() {
                then.facts &= !ALONE;
            }
            is_kept(then)
        };
        for known in &mut self.known {
            if known.mask != 0 && !stays(known) {
                known.mask = 0;
            }
        }
        if let Some(others) = &mut self.others {
            others.retain_mut(stays);
            for free in self.known.iter_mut().filter(|known| known.mask == 0) {
                *free = others.pop().unwrap_or(PastAccess::NONE);
            }
            if others.is_empty() {
                self.others = None;
            }
        }
        let Some(is_alone) = is_needed() else { return };
        let others = self.others.iter_mut().flat_map(|others| others.iter_mut());
        let mut all = self.known.iter_mut().chain(others);
        if joins && let Some(known) = all.find(|known| known.is_alike(now)) {
            known.mask |= now.mask;
            known.sequence = now.sequence;
            known.facts &= if is_alone { !0 } else { !ALONE };
            return;
        }
        let free = self.known.iter_mut().find(|known| known.mask == 0);
        let facts = now.facts | if is_alone { ALONE } else { 0 };
        let now = PastAccess { facts, ..*now };
        match free {
            Some(free) => *free = now,
            // Most have one.
            None => self.others.get_or_insert_with(|| Box::new(Vec::with_capacity(1))).push(now),
        }
    }

    /// Puts an access in the place of one that is alike and of the same moment, and of those that
    /// it covers, if nothing raced with that one, and no other moment has accessed the cell since.
    /// So nothing races with this one. It is not needed beside one to more bytes. Returns false,
    /// and does nothing, if there is no such one.
    #[inline]
    pub(super) fn repeat(&mut self, now: &PastAccess) -> bool {
        let known = &mut self.known;
        let is_of_moment = |known: &PastAccess| known.mask != 0 && known.moment() == now.moment();
        let is_alike = |known: &PastAccess| {
            now.mask & !known.mask == 0 && known.facts == now.facts | ALONE && is_of_moment(known)
        };
        let Some(at) = known.iter().position(is_alike) else { return false };
        // An access to more bytes stays.
        if known[at].mask != now.mask {
            return true;
        }
        let other = &mut known[1 - at];
        if is_of_moment(other) && now.covers(other) {
            other.mask = 0;
        }
        known[at] = PastAccess { facts: now.facts | ALONE, ..*now };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u32, mask: u8) -> PastAccess {
        let side = RaceSide { place: CodePlace::NONE, writes: true, is_atomic: false };
        let moment = Moment { thread: ThreadId(thread), part: 1 };
        PastAccess::new(moment, StrandFacts::default(), 0, mask, StackId::NONE, side)
    }

    /// Returns the threads of the past accesses to a cell.
    fn threads(shadow: &mut Shadow, cell: u64) -> Vec<u32> {
        let mut found = Vec::new();
        let look = |then: &mut PastAccess| {
            found.push(then.thread.0);
            true
        };
        shadow.of(cell).update(&access(99, 1), false, look, || None);
        found.sort_unstable();
        found
    }

    #[test]
    fn accesses_are_kept_until_they_are_dropped() {
        let mut shadow = Shadow::default();
        assert!(shadow.of(7).is_empty());
        for thread in 0..4 {
            shadow.of(7).update(&access(thread, 1), false, |_| true, || Some(true));
        }
        assert_eq!(threads(&mut shadow, 7), [0, 1, 2, 3]);
        shadow.of(7).update(&access(4, 2), false, |then| then.thread.0 % 2 == 1, || Some(true));
        assert_eq!(threads(&mut shadow, 7), [1, 3, 4]);
        shadow.of(7).update(&access(5, 2), false, |_| false, || Some(true));
        assert_eq!(threads(&mut shadow, 7), [5]);
        assert!(!shadow.of(7).is_empty() && shadow.of(6).is_empty());
    }

    #[test]
    fn what_is_alike_takes_the_place_of_what_nothing_raced_with() {
        let mut shadow = Shadow::default();
        let add = |shadow: &mut Shadow, of: PastAccess, is_alone| {
            shadow.of(7).update(&of, false, |_| true, || Some(is_alone));
        };
        assert!(!shadow.of(7).repeat(&access(1, 1)), "there is none");
        add(&mut shadow, access(1, 1), true);
        assert!(shadow.of(7).repeat(&access(1, 1)) && shadow.of(7).repeat(&access(1, 1)));
        assert!(!shadow.of(7).repeat(&access(1, 3)) && !shadow.of(7).repeat(&access(2, 1)));
        add(&mut shadow, access(1, 2), true);
        assert!(shadow.of(7).repeat(&access(1, 1)), "the moment is the same");
        assert_eq!(threads(&mut shadow, 7), [1, 1]);
        assert!(!shadow.of(7).repeat(&access(1, 1)), "another one looked");
        let mut shadow = Shadow::default();
        add(&mut shadow, access(1, 3), true);
        add(&mut shadow, access(1, 1), true);
        assert!(shadow.of(7).repeat(&access(1, 3)));
        assert_eq!(threads(&mut shadow, 7), [1], "it covers the other one");
        let mut shadow = Shadow::default();
        add(&mut shadow, access(1, 1), false);
        assert!(!shadow.of(7).repeat(&access(1, 1)), "something raced");
    }

    #[test]
    fn accesses_of_one_place_to_other_bytes_become_one() {
        let add = |shadow: &mut Shadow, of: PastAccess, is_alone| {
            shadow.of(7).update(&of, true, |_| true, || Some(is_alone));
        };
        let masks = |shadow: &mut Shadow| {
            let mut found = Vec::new();
            let look = |then: &mut PastAccess| {
                found.push((then.thread.0, then.mask));
                true
            };
            shadow.of(7).update(&access(99, 1), false, look, || None);
            found
        };
        let mut shadow = Shadow::default();
        add(&mut shadow, access(1, 0x0f), true);
        add(&mut shadow, access(1, 0xf0), true);
        assert!(shadow.of(7).repeat(&access(1, 0x0f)) && shadow.of(7).repeat(&access(1, 0x3c)));
        assert!(!shadow.of(7).repeat(&access(2, 0x0f)), "another thread");
        add(&mut shadow, access(2, 0x0f), true);
        add(&mut shadow, PastAccess { at: 1, ..access(2, 0xf0) }, true);
        let mut found = masks(&mut shadow);
        found.sort_unstable();
        assert_eq!(found, [(1, 0xff), (2, 0x0f), (2, 0xf0)]);
        let mut shadow = Shadow::default();
        add(&mut shadow, access(1, 0x0f), true);
        add(&mut shadow, access(1, 0xf0), false);
        assert!(!shadow.of(7).repeat(&access(1, 0x0f)), "something raced with a part of it");
        assert_eq!(masks(&mut shadow), [(1, 0xff)]);
    }

    #[test]
    fn a_third_access_is_not_alone_once_another_moment_came() {
        let mut shadow = Shadow::default();
        for thread in 1..=3 {
            shadow.of(7).update(&access(thread, 1), true, |_| true, || Some(true));
        }
        // The first two go, so that the third one takes a place of theirs.
        shadow.of(7).update(&access(4, 1), true, |then| then.thread.0 == 3, || Some(true));
        assert_eq!(threads(&mut shadow, 7), [3, 4]);
        assert!(!shadow.of(7).repeat(&access(3, 1)), "the fourth one came since");
    }

    #[test]
    fn ranges_are_forgotten() {
        let mut shadow = Shadow::default();
        (0..10)
            .for_each(|cell| shadow.of(cell).update(&access(1, 1), false, |_| true, || Some(true)));
        shadow.forget(2..=5);
        let free: Vec<_> = (0..10).filter(|&cell| shadow.of(cell).is_empty()).collect();
        assert_eq!(free, [2, 3, 4, 5]);
    }
}
