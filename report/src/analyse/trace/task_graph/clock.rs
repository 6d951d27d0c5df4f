//! Turns ticks into nanoseconds.
//!
//! Ticks run at one speed. So the earliest and the latest pair of ticks and time that a trace has
//! give a line, and all others lie on it but for the errors of reading two clocks.

use crate::read::trace::Trace;

/// A line through two pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    ticks: u64,
    nanoseconds: u64,
}

/// What is known of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    first: Option<(u64, u64)>,
    last: Option<(u64, u64)>,
}

impl Pairs {
    /// Those in the heads of a trace's chunks.
    pub fn of(trace: &Trace) -> Self {
        let mut pairs = Self::default();
        let streams = trace.streams.iter().chain([&trace.process]);
        for chunk in streams.flat_map(|stream| &stream.chunks) {
            pairs.add(chunk.ticks, chunk.time);
        }
        pairs
    }

    /// Adds one.
    pub fn add(&mut self, ticks: u64, time: u64) {
        if ticks == 0 || time == 0 {
            return;
        }
        let pair = (ticks, time);
        self.first = Some(self.first.map_or(pair, |first| first.min(pair)));
        self.last = Some(self.last.map_or(pair, |last| last.max(pair)));
    }

    /// The line. Without two pairs a tick is a nanosecond.
    pub fn rate(&self) -> Rate {
        let same = Rate { ticks: 1, nanoseconds: 1 };
        let (Some(first), Some(last)) = (self.first, self.last) else { return same };
        let rate = Rate { ticks: last.0 - first.0, nanoseconds: last.1.saturating_sub(first.1) };
        if rate.ticks == 0 || rate.nanoseconds == 0 { same } else { rate }
    }
}

impl Rate {
    /// So many ticks in nanoseconds.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        let scaled = u128::from(ticks) * u128::from(self.nanoseconds);
        u64::try_from((scaled + u128::from(self.ticks) / 2) / u128::from(self.ticks))
            .unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_pairs_give_the_speed() {
        let mut pairs = Pairs::default();
        assert_eq!(pairs.rate().nanoseconds(7), 7);
        pairs.add(3000, 1_000_100);
        assert_eq!(pairs.rate().nanoseconds(7), 7);
        pairs.add(0, 17);
        pairs.add(1000, 1_000_000);
        pairs.add(2000, 1_000_051);
        let rate = pairs.rate();
        assert_eq!((rate.nanoseconds(20), rate.nanoseconds(1), rate.nanoseconds(30)), (1, 0, 2));
        assert_eq!(rate.nanoseconds(u64::MAX), u64::MAX / 20 + 1);
    }
}
