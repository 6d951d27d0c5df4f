//! Splits a difference into parts: the counts of each part on both sides, and its share of the
//! whole difference. The parts add up to the whole.

use std::cmp::Reverse;

use crate::scale::Scale;

/// A number of A and the corresponding number of B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// The number of A.
    pub a: i128,
    /// The number of B.
    pub b: i128,
}

impl Sides {
    /// Returns both numbers with others added.
    pub fn plus(self, other: Self) -> Self {
        Self { a: self.a.saturating_add(other.a), b: self.b.saturating_add(other.b) }
    }

    /// Returns both numbers with others subtracted.
    pub fn minus(self, other: Self) -> Self {
        Self { a: self.a.saturating_sub(other.a), b: self.b.saturating_sub(other.b) }
    }
}

/// A part before it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted<T> {
    /// The thing that is counted.
    pub what: T,
    /// The number of times it ran.
    pub count: Sides,
    /// The instructions that it executed.
    pub executed: Sides,
}

/// A part that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part<T> {
    /// The thing that is counted.
    pub what: T,
    /// The number of times it ran.
    pub count: Sides,
    /// The instructions that it executed.
    pub executed: Sides,
    /// The instructions that B executed more than A, in [units](Scale::unit).
    pub difference: i128,
    /// The number of times it ran more in B than in A, in [units](Scale::unit).
    pub more_often: i128,
}

/// A difference, split into parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<T> {
    /// The parts that differ, the largest differences first.
    pub differing: Vec<Part<T>>,
    /// The number of parts that ran and do not differ.
    pub equal: usize,
}

impl<T> Parts<T> {
    /// Compares parts. Parts of equal difference are in the order in which they are given.
    pub fn of(counted: impl IntoIterator<Item = Counted<T>>, scale: Scale) -> Self {
        let (mut differing, mut equal) = (Vec::new(), 0);
        for Counted { what, count, executed } in counted {
            let difference = scale.difference(executed.a, executed.b);
            let more_often = scale.difference(count.a, count.b);
            if difference != 0 || more_often != 0 {
                differing.push(Part { what, count, executed, difference, more_often });
            } else if count != Sides::default() {
                equal += 1;
            }
        }
        differing.sort_by_key(|part| {
            (Reverse(part.difference.unsigned_abs()), Reverse(part.more_often.unsigned_abs()))
        });
        Self { differing, equal }
    }

    /// Returns the instructions that B executed more than A, in units: the sum of the parts.
    pub fn total(&self) -> i128 {
        self.differing.iter().fold(0, |sum: i128, part| sum.saturating_add(part.difference))
    }

    /// Keeps only the parts that are wanted. The number of equal parts becomes 0.
    pub fn only(mut self, is_wanted: impl Fn(&T) -> bool) -> Self {
        self.differing.retain(|part| is_wanted(&part.what));
        Self { equal: 0, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_explains_most_comes_first() {
        let part = |what, count: (i128, i128), executed: (i128, i128)| Counted {
            what,
            count: Sides { a: count.0, b: count.1 },
            executed: Sides { a: executed.0, b: executed.1 },
        };
        let parts = Parts::of(
            [
                part("equal", (5, 5), (50, 50)),
                part("more", (1, 2), (10, 30)),
                part("never", (0, 0), (0, 0)),
                part("less", (9, 0), (90, 0)),
                part("as long", (3, 4), (10, 10)),
            ],
            Scale::default(),
        );
        let order: Vec<_> =
            parts.differing.iter().map(|part| (part.what, part.difference)).collect();
        assert_eq!(order, [("less", -90), ("more", 20), ("as long", 0)]);
        assert_eq!((parts.total(), parts.equal), (-70, 1));
        assert_eq!(parts.only(|what| *what == "more").total(), 20);
    }
}
