//! The past accesses to each cell of memory, as far as a later access may race with them.
//!
//! A *cell* is eight bytes that are examined together. Cells are in pages, and each page has room
//! for two accesses to each cell: most memory is accessed by one thread at a time, whose last write
//! and last read take the places of earlier ones.

use std::ops::RangeInclusive;

use crate::fast_map::FastMap;
use crate::ids::ThreadId;
use crate::memory::race_side::RaceSide;
use crate::order::item::CodePlace;

/// The number of bytes in a cell.
pub(super) const CELL: u64 = 8;

/// The number of cells in a page.
const PAGE: u64 = 128;

/// A past access to a cell. All of its bytes are in the mask; none are if there is no access.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastAccess {
    /// The part of the thread that it belongs to.
    pub(super) part: u64,
    /// The sequence number of the access.
    pub(super) sequence: u64,
    pub(super) thread: ThreadId,
    place: CodePlace,
    writes: bool,
    is_atomic: bool,
    /// The bytes that it accesses.
    pub(super) mask: u8,
}

const _: () = assert!(size_of::<PastAccess>() == 32, "a program accesses many cells");

impl PastAccess {
    const NONE: Self = Self {
        part: 0,
        sequence: 0,
        thread: ThreadId(0),
        place: CodePlace::NONE,
        writes: false,
        is_atomic: false,
        mask: 0,
    };

    /// Returns an access of a part of a thread to the bytes of a mask.
    pub(super) fn new(
        (thread, part): (ThreadId, u64),
        sequence: u64,
        mask: u8,
        side: RaceSide,
    ) -> Self {
        let RaceSide { place, writes, is_atomic } = side;
        Self { part, sequence, thread, place, writes, is_atomic, mask }
    }

    /// Returns its side of a race.
    pub(super) fn side(&self) -> RaceSide {
        RaceSide { place: self.place, writes: self.writes, is_atomic: self.is_atomic }
    }
}

/// The past accesses to a cell.
#[derive(Clone, Debug)]
struct Cell {
    known: [PastAccess; 2],
    #[allow(clippy::box_collection, reason = "most cells have no others, and are shorter so")]
    others: Option<Box<Vec<PastAccess>>>,
}

const FREE: Cell = Cell { known: [PastAccess::NONE; 2], others: None };

/// The past accesses to all cells.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// The index of each page.
    index: FastMap<u64, u32>,
    pages: Vec<Box<[Cell; PAGE as usize]>>,
    /// The last page and its index.
    last: Option<(u64, u32)>,
}

impl Shadow {
    /// Returns true if a cell has no past accesses.
    pub(super) fn is_free(&mut self, cell: u64) -> bool {
        let of = self.cell(cell);
        of.known.iter().all(|known| known.mask == 0) && of.others.is_none()
    }

    /// Drops the past accesses to a cell that are not to be kept, and adds one.
    pub(super) fn update(
        &mut self,
        cell: u64,
        now: PastAccess,
        mut is_kept: impl FnMut(&PastAccess) -> bool,
    ) {
        let cell = self.cell(cell);
        let mut free = None;
        for known in &mut cell.known {
            if known.mask != 0 && !is_kept(known) {
                known.mask = 0;
            }
            if known.mask == 0 {
                free = Some(known);
            }
        }
        if let Some(others) = &mut cell.others {
            others.retain(is_kept);
            if others.is_empty() {
                cell.others = None;
            }
        }
        match free {
            Some(free) => *free = now,
            None => cell.others.get_or_insert_default().push(now),
        }
    }

    /// Drops the past accesses to a range of cells.
    pub(super) fn forget(&mut self, cells: RangeInclusive<u64>) {
        let (first, last) = (*cells.start(), *cells.end());
        if last / PAGE - first / PAGE <= self.pages.len() as u64 {
            for page in first / PAGE..=last / PAGE {
                if let Some(&at) = self.index.get(&page) {
                    self.forget_in(page, at, &cells);
                }
            }
        } else {
            let known: Vec<_> = self.index.iter().map(|(page, at)| (*page, *at)).collect();
            known.into_iter().for_each(|(page, at)| self.forget_in(page, at, &cells));
        }
    }

    /// Drops those that are in a page.
    fn forget_in(&mut self, page: u64, at: u32, cells: &RangeInclusive<u64>) {
        let first = page * PAGE;
        let of = &mut self.pages[at as usize];
        let from = cells.start().saturating_sub(first).min(PAGE) as usize;
        let end = cells.end().saturating_add(1).saturating_sub(first).min(PAGE) as usize;
        if let Some(forgotten) = of.get_mut(from..end) {
            forgotten.fill(FREE);
        }
    }

    fn cell(&mut self, cell: u64) -> &mut Cell {
        let page = cell / PAGE;
        let at = match self.last {
            Some((last, at)) if last == page => at,
            _ => {
                let next = self.pages.len() as u32;
                let at = *self.index.entry(page).or_insert(next);
                if at == next {
                    self.pages.push(Box::new([FREE; PAGE as usize]));
                }
                self.last = Some((page, at));
                at
            }
        };
        &mut self.pages[at as usize][(cell % PAGE) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u32, mask: u8) -> PastAccess {
        let side = RaceSide { place: CodePlace::NONE, writes: true, is_atomic: false };
        PastAccess::new((ThreadId(thread), 1), 0, mask, side)
    }

    /// Returns the threads of the past accesses to a cell.
    fn threads(shadow: &mut Shadow, cell: u64) -> Vec<u32> {
        let mut found = Vec::new();
        shadow.update(cell, access(99, 1), |then| {
            found.push(then.thread.0);
            true
        });
        shadow.update(cell, access(98, 1), |then| then.thread.0 < 98);
        found.retain(|thread| *thread < 98);
        found.sort_unstable();
        found
    }

    #[test]
    fn accesses_are_kept_until_they_are_dropped() {
        let mut shadow = Shadow::default();
        assert!(shadow.is_free(7));
        for thread in 0..4 {
            shadow.update(7, access(thread, 1), |_| true);
        }
        assert_eq!(threads(&mut shadow, 7), [0, 1, 2, 3]);
        shadow.update(7, access(4, 2), |then| then.thread.0 % 2 == 1);
        assert_eq!(threads(&mut shadow, 7), [1, 3, 4]);
        shadow.update(7, access(5, 2), |_| false);
        assert_eq!(threads(&mut shadow, 7), [5]);
        assert!(!shadow.is_free(7) && shadow.is_free(6));
    }

    #[test]
    fn ranges_are_forgotten() {
        let far = u64::MAX / CELL;
        let cells = [0, 1, PAGE - 1, PAGE, 3 * PAGE + 5, far];
        for (range, left) in [
            (1..=PAGE, vec![0, 3 * PAGE + 5, far]),
            (0..=0, vec![1, PAGE - 1, PAGE, 3 * PAGE + 5, far]),
            (2..=far - 1, vec![0, 1, far]),
            (0..=far, Vec::new()),
            (4 * PAGE..=5 * PAGE, cells.to_vec()),
        ] {
            let mut shadow = Shadow::default();
            cells.iter().for_each(|&cell| shadow.update(cell, access(1, 1), |_| true));
            shadow.forget(range);
            let kept: Vec<_> = cells.into_iter().filter(|&cell| !shadow.is_free(cell)).collect();
            assert_eq!(kept, left);
        }
    }
}
