//! The sets of actions that happen before a point of a strand.
//!
//! A thread is divided into *segments*: a segment ends where the thread releases or goes on with
//! another strand. A vector clock has one number for each thread, since whoever knows a segment of
//! it knows all earlier ones. With strands that is not so: a thread may run iterations that know
//! nothing of each other. So a [`StrandClock`] has a set of segments for each thread, as ranges.
//! Behind a barrier each set is a single range again.
//!
//! A program may have ten thousand threads, and a release copies the set. Copies share the sets of
//! threads that neither of them has changed, a block of them at a time.

use std::ops::RangeInclusive;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::ids::{Moment, ThreadId};
use crate::strands::ways::{MEASURES, Reached};

/// What a release hands on: the actions that happen before it.
pub(crate) type Token = Rc<StrandClock>;

/// The number of threads in a block.
const BLOCK: usize = 16;

/// A set of segments of all threads, and the heaviest ways along them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StrandClock {
    /// The segments of the threads, in blocks. The last threads of a block may be left out.
    blocks: Vec<Rc<Vec<Segments>>>,
    pub(super) ways: [Reached; MEASURES],
}

/// A set of segments of a thread: ranges in order, with gaps between them. Nearly all sets are one
/// range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Segments(SmallVec<[(u64, u64); 1]>);

impl Segments {
    fn contains(&self, segment: u64) -> bool {
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
            self.0.drain(first..behind.max(first));
            self.0.insert(first, (from, to));
        }
    }
}

impl StrandClock {
    /// Returns true if a moment is in the set.
    pub(crate) fn knows(&self, moment: Moment) -> bool {
        self.of(moment.thread).is_some_and(|of| of.contains(moment.part))
    }

    /// Returns the segments of a thread.
    fn of(&self, thread: ThreadId) -> Option<&Segments> {
        let at = thread.index();
        self.blocks.get(at / BLOCK)?.get(at % BLOCK)
    }

    /// Adds segments of a thread.
    pub(crate) fn add(&mut self, thread: ThreadId, segments: RangeInclusive<u64>) {
        let (block, at) = (thread.index() / BLOCK, thread.index() % BLOCK);
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, Rc::default());
        }
        let block = Rc::make_mut(&mut self.blocks[block]);
        if block.len() <= at {
            block.resize(at + 1, Segments::default());
        }
        block[at].add(*segments.start(), *segments.end());
    }

    /// Adds all segments of another set.
    pub(crate) fn join(&mut self, other: &Self) {
        for (known, other) in self.blocks.iter_mut().zip(&other.blocks) {
            if !Rc::ptr_eq(known, other) {
                join(known, other);
            }
        }
        let more = other.blocks.get(self.blocks.len()..).unwrap_or_default();
        self.blocks.extend_from_slice(more);
        self.lengthen(&other.ways);
    }

    /// Adds the ways of another set.
    pub(super) fn lengthen(&mut self, ways: &[Reached; MEASURES]) {
        for (known, other) in self.ways.iter_mut().zip(ways) {
            *known = known.max(*other);
        }
    }
}

/// Adds all segments of a block to another one.
fn join(known: &mut Rc<Vec<Segments>>, other: &Rc<Vec<Segments>>) {
    if known.is_empty() {
        known.clone_from(other);
        return;
    }
    let is_known = |(known, other): (&Segments, &Segments)| known == other || other.0.is_empty();
    if known.len() >= other.len() && known.iter().zip(other.iter()).all(is_known) {
        return;
    }
    let known = Rc::make_mut(known);
    if known.len() < other.len() {
        known.resize(other.len(), Segments::default());
    }
    for (known, other) in known.iter_mut().zip(other.iter()) {
        for &(from, to) in &other.0 {
            known.add(from, to);
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
            let copy = first.clone();
            let before = known(&copy);
            first.join(&second);
            prop_assert_eq!(known(&first), all);
            prop_assert_eq!(known(&copy), before, "copies share what was not changed");
            let ranges = first.of(THREAD).map_or(&[][..], |of| &of.0);
            prop_assert!(ranges.windows(2).all(|two| two[0].1 + 1 < two[1].0));
        }
    }
}
