//! Values by numbers that come in runs, such as cells and lines of memory.
//!
//! The values of 64 numbers are a page, so that a walk over neighbours searches for few pages.

use std::iter::repeat_with;
use std::ops::RangeInclusive;

use crate::fast_map::FastMap;

/// The number of values in a page.
pub(crate) const PAGE: u64 = 64;

/// The number of pages that are found without a search. A program walks over several arrays at
/// once.
const RECENT: usize = 16;

/// The number of no page.
const NONE: u64 = u64::MAX;

/// A value for each number, which is the default until it is changed.
#[derive(Clone, Debug)]
pub(crate) struct Paged<T> {
    /// The index of each page.
    index: FastMap<u64, u32>,
    pages: Vec<Box<[T]>>,
    /// Recent pages and their indices, by their numbers modulo [`RECENT`].
    recent: [(u64, u32); RECENT],
}

impl<T> Default for Paged<T> {
    fn default() -> Self {
        Self { index: FastMap::default(), pages: Vec::new(), recent: [(NONE, 0); RECENT] }
    }
}

impl<T: Default> Paged<T> {
    /// Returns the value of a number.
    #[inline]
    pub(crate) fn of(&mut self, number: u64) -> &mut T {
        let page = number / PAGE;
        let at = match self.recent[page as usize % RECENT] {
            (last, at) if last == page => at,
            _ => self.search(page),
        };
        &mut self.pages[at as usize][(number % PAGE) as usize]
    }

    /// Returns the index of a page, which is a recent one from now on.
    #[cold]
    fn search(&mut self, page: u64) -> u32 {
        let next = self.pages.len() as u32;
        let at = *self.index.entry(page).or_insert(next);
        if at == next {
            self.pages.push(repeat_with(T::default).take(PAGE as usize).collect());
        }
        self.recent[page as usize % RECENT] = (page, at);
        at
    }

    /// Returns the values of all numbers in pages with changed ones.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.index.iter().flat_map(|(page, at)| {
            let first = page * PAGE;
            (0..).zip(&self.pages[*at as usize]).map(move |(at, value)| (first + at, value))
        })
    }

    /// Changes the values of the numbers in a range, as far as their pages have changed ones.
    pub(crate) fn change(&mut self, range: RangeInclusive<u64>, mut change: impl FnMut(&mut T)) {
        let (first, last) = (*range.start(), *range.end());
        let pages = first / PAGE..=last / PAGE;
        let known: Vec<(u64, u32)> = if last / PAGE - first / PAGE < self.index.len() as u64 {
            pages.filter_map(|page| Some((page, *self.index.get(&page)?))).collect()
        } else {
            let known = self.index.iter().filter(|(page, _)| pages.contains(page));
            known.map(|(page, at)| (*page, *at)).collect()
        };
        for (page, at) in known {
            let start = page * PAGE;
            let from = first.saturating_sub(start) as usize;
            let end = last.saturating_add(1).saturating_sub(start).min(PAGE) as usize;
            let values = self.pages[at as usize].get_mut(from..end).unwrap_or_default();
            values.iter_mut().for_each(&mut change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_by_their_numbers() {
        let numbers = [0, 1, PAGE - 1, PAGE, 3 * PAGE + 5, u64::MAX / 8];
        let mut paged = Paged::<u64>::default();
        numbers.iter().for_each(|&number| *paged.of(number) = number + 1);
        assert!(numbers.iter().all(|&number| *paged.of(number) == number + 1));
        assert_eq!(*paged.of(7), 0);
        let mut changed: Vec<_> = paged.iter().filter(|of| *of.1 > 0).map(|of| of.0).collect();
        changed.sort_unstable();
        assert_eq!(changed, numbers);
    }

    #[test]
    fn ranges_are_changed() {
        let far = u64::MAX / 8;
        let numbers = [0, 1, PAGE - 1, PAGE, 3 * PAGE + 5, far];
        for (range, left) in [
            (1..=PAGE, vec![0, 3 * PAGE + 5, far]),
            (0..=0, vec![1, PAGE - 1, PAGE, 3 * PAGE + 5, far]),
            (2..=far - 1, vec![0, 1, far]),
            (0..=far, Vec::new()),
            (4 * PAGE..=5 * PAGE, numbers.to_vec()),
        ] {
            let mut paged = Paged::<bool>::default();
            numbers.iter().for_each(|&number| *paged.of(number) = true);
            paged.change(range, |value| *value = false);
            let kept = numbers.into_iter().filter(|&number| *paged.of(number));
            assert_eq!(kept.collect::<Vec<_>>(), left);
        }
    }
}
