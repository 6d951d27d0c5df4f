//! The sets of actions that happen before a point of a strand.
//!
//! A thread is divided into *segments*: a segment ends where the thread releases or goes on with
//! another strand. A vector clock has one number for each thread, since whoever knows a segment of
//! it knows all earlier ones. With strands that is not so: a thread may run iterations that know
//! nothing of each other. So a [`StrandClock`] has a set of segments for each thread, as ranges.
//! Behind a barrier each set is a single range again.

use std::ops::RangeInclusive;
use std::rc::Rc;

use crate::ids::{Moment, ThreadId};
use crate::strands::ways::{MEASURES, Reached};

/// What a release hands on: the actions that happen before it.
pub(crate) type Token = Rc<StrandClock>;

/// A set of segments of all threads, and the heaviest ways along them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StrandClock {
    threads: Vec<Segments>,
    pub(super) ways: [Reached; MEASURES],
}

/// A set of segments of a thread: ranges in order, with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Segments(Vec<(u64, u64)>);

impl Segments {
    fn contains(&self, segment: u64) -> bool {
        // Nearly all sets are one range.
        match self.0.as_slice() {
            [] => false,
            [(from, to)] => (*from..=*to).contains(&segment),
            ranges => {
                let at = ranges.partition_point(|(_, to)| *to < segment);
                ranges.get(at).is_some_and(|(from, _)| *from <= segment)
            }
        }
    }

    fn add(&mut self, from: u64, to: u64) {
        // The ranges that touch the new one are one with it.
        let first = self.0.partition_point(|(_, end)| end.saturating_add(1) < from);
        let behind = self.0.partition_point(|(start, _)| *start <= to.saturating_add(1));
        let (mut from, mut to) = (from, to);
        if let Some(touched) = self.0.get(first..behind).filter(|touched| !touched.is_empty()) {
            from = from.min(touched[0].0);
            to = to.max(touched[touched.len() - 1].1);
        }
        if behind == first + 1 {
            self.0[first] = (from, to);
        } else {
            self.0.splice(first..behind.max(first), [(from, to)]);
        }
    }
}

impl StrandClock {
    /// Returns true if a moment is in the set.
    pub(crate) fn knows(&self, moment: Moment) -> bool {
        self.threads.get(moment.thread.index()).is_some_and(|of| of.contains(moment.part))
    }

    /// Adds segments of a thread.
    pub(crate) fn add(&mut self, thread: ThreadId, segments: RangeInclusive<u64>) {
        let at = thread.index();
        if self.threads.len() <= at {
            self.threads.resize(at + 1, Segments::default());
        }
        self.threads[at].add(*segments.start(), *segments.end());
    }

    /// Adds all segments of another set.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.threads.len() < other.threads.len() {
            self.threads.resize(other.threads.len(), Segments::default());
        }
        for (known, other) in self.threads.iter_mut().zip(&other.threads) {
            for &(from, to) in &other.0 {
                known.add(from, to);
            }
        }
        self.lengthen(&other.ways);
    }

    /// Adds the ways of another set.
    pub(super) fn lengthen(&mut self, ways: &[Reached; MEASURES]) {
        for (known, other) in self.ways.iter_mut().zip(ways) {
            *known = known.max(*other);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const THREAD: ThreadId = ThreadId(1);

    fn known(clock: &StrandClock) -> BTreeSet<u64> {
        (0..40).filter(|&part| clock.knows(Moment { thread: THREAD, part })).collect()
    }

    proptest! {
        #[test]
        fn a_clock_is_a_set(
            one in prop::collection::vec((0u64..30, 0u64..6), 0..12),
            other in prop::collection::vec((0u64..30, 0u64..6), 0..12),
        ) {
            let mut all = BTreeSet::new();
            let mut clock = |ranges: &[(u64, u64)]| {
                let mut clock = StrandClock::default();
                for &(from, more) in ranges {
                    clock.add(THREAD, from..=from + more);
                    all.extend(from..=from + more);
                }
                clock
            };
            let (mut first, second) = (clock(&one), clock(&other));
            first.join(&second);
            prop_assert_eq!(known(&first), all);
            let ranges = first.threads.get(1).map_or(&[][..], |of| &of.0);
            prop_assert!(ranges.windows(2).all(|two| two[0].1 + 1 < two[1].0));
        }
    }
}
