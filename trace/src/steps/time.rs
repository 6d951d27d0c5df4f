//! Converts the ticks of a trace to nanoseconds of the monotonic clock.
//!
//! The head of each chunk, and events of the process, have the values of both clocks at one time.
//! The earliest and the latest of these pairs determine the length of a tick.

use pathformat::trace::Clock;

use crate::file::Trace;

/// The conversion of ticks to nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    first: Pair,
    last: Pair,
}

/// The values of both clocks at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    time: u64,
    ticks: u64,
}

impl Times {
    /// Returns the conversion for a trace with these `clocks` of its process.
    pub fn of(trace: &Trace, clocks: &[Clock]) -> Self {
        let streams = trace.streams.iter().chain([&trace.process]);
        let chunks = streams.flat_map(|stream| &stream.chunks);
        let heads = chunks.map(|chunk| Pair { time: chunk.time, ticks: chunk.ticks });
        let shown = clocks.iter().map(|at| Pair { time: at.time.get(), ticks: at.ticks.get() });
        let mut pairs: Vec<_> = heads.chain(shown).filter(|pair| pair.ticks > 0).collect();
        pairs.sort_unstable();
        let (first, last) = (pairs.first().copied(), pairs.last().copied());
        Self { first: first.unwrap_or_default(), last: last.unwrap_or_default() }
    }

    /// Returns the latest known time, in ticks. It is the end of a process that ended by itself.
    pub fn last_ticks(&self) -> u64 {
        self.last.ticks
    }

    /// Returns the beginning of the trace, in nanoseconds of the monotonic clock.
    pub fn start(&self) -> u64 {
        self.first.time
    }

    /// Returns the nanoseconds of the monotonic clock at a time in ticks.
    pub fn at(&self, ticks: u64) -> u64 {
        let time = i128::from(self.first.time)
            + self.span(i128::from(ticks) - i128::from(self.first.ticks));
        u64::try_from(time.max(0)).unwrap_or(u64::MAX)
    }

    /// Converts ticks to nanoseconds.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        self.between(0, ticks)
    }

    /// Returns the number of nanoseconds between two times in ticks; 0 if the second is not later.
    pub fn between(&self, begin: u64, end: u64) -> u64 {
        u64::try_from(self.span(i128::from(end) - i128::from(begin)).max(0)).unwrap_or(u64::MAX)
    }

    fn span(&self, ticks: i128) -> i128 {
        let time = i128::from(self.last.time) - i128::from(self.first.time);
        let of = i128::from(self.last.ticks) - i128::from(self.first.ticks);
        // Without two different pairs, a tick counts as a nanosecond.
        let scaled = || Some(ticks.checked_mul(time)? / of);
        if time > 0 && of > 0 { scaled().unwrap_or(ticks) } else { ticks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds() {
        let pair = |time, ticks| Pair { time, ticks };
        let times = Times { first: pair(1000, 500), last: pair(3000, 4500) };
        assert_eq!((times.at(500), times.at(4500), times.at(2500)), (1000, 3000, 2000));
        assert_eq!((times.at(0), times.between(500, 900), times.between(900, 500)), (750, 200, 0));
        let unknown = Times::default();
        assert_eq!((unknown.at(7), unknown.between(7, 9)), (7, 2));
        let extreme = Times { first: pair(0, 1), last: pair(u64::MAX, u64::MAX) };
        assert_eq!(extreme.at(u64::MAX), u64::MAX - 1);
        let odd = Times { first: pair(0, u64::MAX), last: pair(u64::MAX, 1) };
        assert_eq!(odd.at(0), 0);
    }
}
