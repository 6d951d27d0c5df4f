//! Finds the function and the path with a number in a process.

use std::ops::Range;

use crate::ids::FunctionId;

/// The numbers of a process, by modules.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The modules by the start of their numbers, without overlaps.
    modules: Vec<Placed>,
}

/// A module whose paths have numbers.
#[derive(Clone, Debug)]
struct Placed {
    /// The numbers of its paths.
    numbers: Range<u64>,
    /// Its functions by their first counters: the first counter, the number of paths, and the
    /// index.
    functions: Vec<(u64, u64, FunctionId)>,
}

impl Layout {
    /// Assigns these numbers to a module. Its functions are given by their first counter, their
    /// number of paths, and their index. Returns true if the numbers of all functions are distinct
    /// and no other module has any of them.
    pub(super) fn add(
        &mut self,
        numbers: Range<u64>,
        mut functions: Vec<(u64, u64, FunctionId)>,
    ) -> bool {
        functions.sort_unstable();
        let length = numbers.end.saturating_sub(numbers.start);
        let mut next = 0;
        for &(first, paths, _) in &functions {
            let end = first.checked_add(paths).filter(|&end| end <= length);
            match end {
                Some(end) if first >= next => next = end,
                _ => return false,
            }
        }
        let at = self.modules.partition_point(|module| module.numbers.start < numbers.start);
        let is_free = at
            .checked_sub(1)
            .is_none_or(|before| self.modules[before].numbers.end <= numbers.start)
            && self.modules.get(at).is_none_or(|after| numbers.end <= after.numbers.start);
        if is_free && length > 0 {
            self.modules.insert(at, Placed { numbers, functions });
        }
        is_free
    }

    /// Returns the function of a number, and the path within it.
    pub(super) fn find(&self, number: u32) -> Option<(FunctionId, u64)> {
        let number = u64::from(number);
        let at = self.modules.partition_point(|module| module.numbers.start <= number);
        let module = &self.modules[at.checked_sub(1)?];
        let counter = number - module.numbers.start;
        if counter >= module.numbers.end - module.numbers.start {
            return None;
        }
        let at = module.functions.partition_point(|(first, ..)| *first <= counter);
        let (first, paths, function) = module.functions[at.checked_sub(1)?];
        (counter - first < paths).then_some((function, counter - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(first: u64, paths: u64, function: u32) -> (u64, u64, FunctionId) {
        (first, paths, FunctionId(function))
    }

    #[test]
    fn a_number_leads_to_its_path() {
        let mut layout = Layout::default();
        assert!(layout.add(100..110, vec![path(6, 4, 8), path(1, 3, 7)]));
        assert!(layout.add(110..112, vec![path(1, 1, 9)]));
        assert!(layout.add(90..100, Vec::new()));
        let found = [99, 100, 101, 103, 104, 106, 109, 110, 111, 112].map(|at| layout.find(at));
        let expected = [
            None,
            None,
            Some((FunctionId(7), 0)),
            Some((FunctionId(7), 2)),
            None,
            Some((FunctionId(8), 0)),
            Some((FunctionId(8), 3)),
            None,
            Some((FunctionId(9), 0)),
            None,
        ];
        assert_eq!(found, expected);
        assert_eq!(layout.find(0), None);
    }

    #[test]
    fn numbers_are_given_once() {
        let mut layout = Layout::default();
        assert!(layout.add(100..110, Vec::new()));
        for taken in [109..120, 90..101, 100..110, 50..200, 104..106] {
            assert!(!layout.add(taken.clone(), Vec::new()), "{taken:?}");
        }
        for functions in
            [vec![path(1, 10, 0)], vec![path(1, 2, 0), path(2, 1, 1)], vec![path(u64::MAX, 2, 0)]]
        {
            assert!(!layout.add(200..210, functions.clone()), "{functions:?}");
        }
        assert!(layout.add(110..111, vec![path(0, 1, 0)]));
    }
}
