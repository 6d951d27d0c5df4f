//! A set-associative cache with LRU replacement.
//!
//! Accesses are counted as by cachegrind: an access that straddles two lines is one access, and one
//! miss if either line is missing. Writes allocate. Misses in the first level access the last
//! level. A bulk operation is one access for each line.

/// The layout of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The size in bytes.
    pub size: u64,
    /// The number of lines in a set.
    pub ways: u64,
    /// The number of bytes in a line: a power of two.
    pub line: u64,
}

impl Layout {
    /// Checks that a layout is valid.
    ///
    /// # Errors
    /// The layout is not a cache; the text states the reason.
    pub fn check(self) -> Result<Self, String> {
        let Self { size, ways, line } = self;
        if !line.is_power_of_two() || !(8..=1 << 20).contains(&line) {
            return Err(format!("a line of {line} bytes: give a power of two from 8 to 1048576"));
        }
        let sets = ways.checked_mul(line).filter(|&set| set > 0).map_or(0, |set| size / set);
        if sets == 0 || sets * ways * line != size || !sets.is_power_of_two() {
            return Err(format!(
                "{size} bytes in lines of {line} and sets of {ways}: the number of sets must be a \
                 power of two"
            ));
        }
        if size > 1 << 32 {
            return Err(format!("{size} bytes: give at most 4G"));
        }
        Ok(self)
    }

    /// Returns the number of sets.
    fn sets(&self) -> u64 {
        (self.size / self.ways.max(1) / self.line.max(1)).max(1)
    }
}

/// A cache.
#[derive(Clone, Debug)]
pub struct Cache {
    layout: Layout,
    /// The binary logarithm of the number of bytes in a line.
    power: u32,
    /// The index of the last set. The number of sets is a power of two, so that it is a mask.
    last_set: u64,
    /// The lines of all sets, the most recently used one of each first. Lines are counted from 1; 0
    /// is an empty place.
    lines: Vec<u64>,
}

impl Cache {
    /// Returns an empty cache.
    pub fn new(layout: Layout) -> Self {
        let lines = layout.sets() * layout.ways;
        let lines = vec![0; usize::try_from(lines).unwrap_or_default()];
        Self { layout, power: layout.line.trailing_zeros(), last_set: layout.sets() - 1, lines }
    }

    /// Returns the number of bytes in a line.
    pub fn line(&self) -> u64 {
        self.layout.line
    }

    /// Performs an access of at least one byte and at most a line. Returns true if it misses.
    #[inline]
    pub fn misses(&mut self, address: u64, size: u64) -> bool {
        let first = address >> self.power;
        let last = address.saturating_add(size - 1) >> self.power;
        let is_missing = self.misses_line(first);
        (first != last && self.misses_line(last)) || is_missing
    }

    /// Performs an access to one line. Returns true if it misses.
    #[inline]
    fn misses_line(&mut self, line: u64) -> bool {
        let ways = self.layout.ways as usize;
        let start = (line & self.last_set) as usize * ways;
        let set = &mut self.lines[start..start + ways];
        if set[0] == line + 1 {
            return false;
        }
        let found = set.iter().position(|&of| of == line + 1);
        set[..=found.unwrap_or(ways - 1)].rotate_right(1);
        set[0] = line + 1;
        found.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::distances::{Distances, Histogram};

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *state >> 33
    }

    #[test]
    fn distances_are_those_of_a_list_of_lines() {
        let (mut distances, mut list, mut state) = (Distances::default(), Vec::new(), 7);
        for step in 0..20_000u64 {
            let line = random(&mut state) % (1 + step / 10);
            let expected = list.iter().rev().position(|&of| of == line);
            list.retain(|&of| of != line);
            list.push(line);
            assert_eq!(distances.touch(line), expected.map(|at| at as u64), "{step}");
        }
    }

    #[test]
    fn one_set_misses_what_distances_say() {
        let (mut distances, mut histogram, mut state) =
            (Distances::default(), Histogram::default(), 3);
        let layout = |power: u64| Layout { size: 64 << power, ways: 1 << power, line: 64 };
        let mut caches: Vec<_> = (0..8).map(|power| (Cache::new(layout(power)), 0)).collect();
        for _ in 0..20_000 {
            let address = 64 * (random(&mut state) % 30) * (random(&mut state) % 30);
            histogram.add(distances.touch(address / 64));
            for (cache, misses) in &mut caches {
                *misses += u64::from(cache.misses(address, 1));
            }
        }
        for (power, (_, misses)) in caches.iter().enumerate() {
            assert_eq!(histogram.misses(power), *misses, "2^{power}");
        }
        assert_eq!(histogram.all(), 20_000);
    }

    #[test]
    fn a_walk_has_known_distances_and_misses() {
        let (mut distances, mut histogram) = (Distances::default(), Histogram::default());
        // 100 lines by words, three times.
        for _ in 0..3 {
            (0..800).for_each(|at| histogram.add(distances.touch(at * 8 / 64)));
        }
        assert_eq!((histogram.first, histogram.parts[0]), (100, 3 * 700));
        // A distance of 99 is in the part of 64 to 127.
        assert_eq!((histogram.parts[7], histogram.len()), (200, 8));
        assert_eq!((histogram.misses(7), histogram.misses(6)), (100, 300));
    }

    #[test]
    fn what_straddles_lines_is_one_access_to_both() {
        let mut cache = Cache::new(Layout { size: 256, ways: 2, line: 64 });
        assert!(cache.misses(60, 8));
        assert!(!cache.misses(0, 8) && !cache.misses(64, 8));
        // Lines 0, 2 and 4 are of one set, which has room for two.
        assert!(cache.misses(128, 1) && cache.misses(256, 1) && cache.misses(0, 1));
        assert!(!cache.misses(256, 1) && cache.misses(128, 1));
    }

    #[test]
    fn what_is_no_cache_is_refused() {
        let check = |size, ways, line| Layout { size, ways, line }.check().is_ok();
        assert!(check(32 << 10, 8, 64) && check(48 << 10, 12, 64) && check(8, 1, 8));
        for (size, ways, line) in
            [(0, 1, 64), (1000, 8, 64), (32 << 10, 0, 64), (48 << 10, 8, 64), (64, 1, 48)]
        {
            assert!(!check(size, ways, line), "{size} {ways} {line}");
        }
        assert!(!check(u64::MAX, u64::MAX, 64) && !check(1 << 33, 1, 64) && !check(4, 1, 4));
    }
}
