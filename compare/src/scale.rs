//! Makes counts of two reports comparable.
//!
//! A count of A is divided by one number, a count of B by another: 1, the number of runs, or the
//! entries of a function. Differences are integers. Their unit is the inverse of the least common
//! multiple of both divisors, so nothing is rounded, and parts add up to their whole.

use counts::model::{Count, Report};
use counts::select::{self, Filter};

/// The divisor of counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// None: the counts are those of all runs.
    #[default]
    Whole,
    /// The number of runs.
    Run,
    /// The entries of the functions that match this glob.
    Entry(String),
}

/// The divisors of two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The divisor of counts of A; at least 1.
    pub a: Count,
    /// The divisor of counts of B; at least 1.
    pub b: Count,
}

impl Default for Scale {
    fn default() -> Self {
        Self { a: 1, b: 1 }
    }
}

impl Scale {
    /// Returns the scale for two reports, or `A` or `B` as the error if the divisor of that report
    /// is 0.
    pub fn of(a: &Report, b: &Report, per: &Per) -> Result<Self, char> {
        let divisor = |report: &Report| match per {
            Per::Whole => 1,
            Per::Run => runs(report),
            Per::Entry(glob) => select::functions(report, &Filter::of_function(glob))
                .functions
                .iter()
                .fold(0, |sum: Count, function| sum.saturating_add(function.entries)),
        };
        match (divisor(a), divisor(b)) {
            (0, _) => Err('A'),
            (_, 0) => Err('B'),
            (a, b) => Ok(Self { a, b }),
        }
    }

    /// Returns the number of units in a difference of 1.
    pub fn unit(self) -> i128 {
        signed(self.a).saturating_mul(self.factors().0)
    }

    /// Returns the factors that convert counts of A, and of B, to units.
    fn factors(self) -> (i128, i128) {
        let common = greatest_common_divisor(self.a, self.b);
        (signed(self.b / common), signed(self.a / common))
    }

    /// Returns the units by which B exceeds A.
    pub fn difference(self, a: i128, b: i128) -> i128 {
        let factors = self.factors();
        b.saturating_mul(factors.1).saturating_sub(a.saturating_mul(factors.0))
    }
}

/// Returns the number of runs of a report. A process runs several images at once, so it is the
/// number of runs of the image that has most.
pub fn runs(report: &Report) -> Count {
    let of_image = |image| {
        let runs = report.runs.iter().filter(|run| run.image == image);
        runs.map(|run| run.count as Count).sum::<Count>()
    };
    (0..report.images.len()).map(of_image).max().unwrap_or_default()
}

fn greatest_common_divisor(one: Count, other: Count) -> Count {
    let (mut large, mut small) = (one, other);
    while small > 0 {
        (large, small) = (small, large % small);
    }
    large.max(1)
}

/// Returns a count as a signed number.
pub fn signed(count: Count) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact() {
        let plain = Scale::default();
        assert_eq!((plain.difference(7, 4), plain.unit()), (-3, 1));
        // 7 in 4 runs and 10 in 6 runs: 10/6 - 7/4 = -1/12.
        let runs = Scale { a: 4, b: 6 };
        assert_eq!((runs.difference(7, 10), runs.unit()), (-1, 12));
        let same = Scale { a: 5, b: 5 };
        assert_eq!((same.difference(3, 5), same.unit()), (2, 5));
    }

    #[test]
    fn there_must_be_something_to_divide_by() {
        let report = counts::sample::report();
        let of = |per| Scale::of(&report, &report, &per);
        assert_eq!(of(Per::Run), Ok(Scale { a: 1, b: 1 }));
        assert_eq!(of(Per::Entry("collatz".into())), Ok(Scale { a: 3, b: 3 }));
        assert_eq!(of(Per::Entry("nobody".into())), Err('A'));
        assert_eq!(Scale::of(&report, &Report::default(), &Per::Run), Err('B'));
    }
}
