//! Scores how well an element of a program distinguishes failing runs from passing ones.
//!
//! An element (a path, a block, a branch, a line) was executed by *ef* of the *F* failing runs, and
//! by *ep* of the *P* passing ones. These formulas compute a score from the four numbers:
//!
//! | formula | score |
//! | --- | --- |
//! | Ochiai | *ef* / √(*F* · (*ef* + *ep*)) |
//! | Tarantula | (*ef*/*F*) / (*ef*/*F* + *ep*/*P*) |
//! | DStar | *ef*² / (*ep* + *F* − *ef*) |
//!
//! Their sources:
//!
//! * Ochiai: Abreu, Zoeteweij and van Gemund, *An Evaluation of Similarity Coefficients for
//!   Software Fault Localization*, PRDC 2006. The coefficient is that of Ochiai, 1957.
//! * Tarantula: Jones and Harrold, *Empirical Evaluation of the Tarantula Automatic
//!   Fault-Localization Technique*, ASE 2005.
//! * DStar: Wong, Debroy, Gao and Li, *The DStar Method for Effective Software Fault Localization*,
//!   IEEE Transactions on Reliability 63, 2014. Its exponent is 2, which they recommend.
//!
//! An element that no failing run executed has the score 0. Where DStar divides by 0, every failing
//! run and no passing one executed the element: no element has a higher score.
//!
//! Scores are compared as fractions, so elements that are equal by the formula are equal here.

use std::cmp::Ordering;

/// The number of runs that executed an element, or of all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Runs {
    /// The number of failing runs.
    pub failing: u32,
    /// The number of passing runs.
    pub passing: u32,
}

/// A formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formula {
    /// Ochiai's coefficient.
    #[default]
    Ochiai,
    /// Tarantula's suspiciousness.
    Tarantula,
    /// DStar with the exponent 2.
    DStar,
}

/// All formulas.
pub const FORMULAS: [Formula; 3] = [Formula::Ochiai, Formula::Tarantula, Formula::DStar];

/// The value of a formula, or its square where the formula takes a root.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    numerator: u128,
    denominator: u128,
    is_square: bool,
}

impl Formula {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ochiai => "Ochiai",
            Self::Tarantula => "Tarantula",
            Self::DStar => "DStar",
        }
    }

    /// Returns the score of an element that `by` of `all` runs executed.
    pub fn score(self, by: Runs, all: Runs) -> Score {
        let [ef, ep, f, p] = [by.failing, by.passing, all.failing, all.passing].map(u128::from);
        let (numerator, denominator) = match self {
            Self::Ochiai => (ef * ef, f * (ef + ep)),
            // Without passing runs, all elements that a failing run executed are equal.
            Self::Tarantula if p == 0 => (ef, ef),
            Self::Tarantula => (ef * p, ef * p + ep * f),
            Self::DStar => (ef * ef, ep + f.saturating_sub(ef)),
        };
        Score { numerator, denominator, is_square: self == Self::Ochiai }
    }
}

impl Score {
    /// Returns the value, which is infinite where a formula divides by 0.
    pub fn value(self) -> f64 {
        let value = match (self.numerator, self.denominator) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            (numerator, denominator) => numerator as f64 / denominator as f64,
        };
        if self.is_square { value.sqrt() } else { value }
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.numerator, other.numerator) {
            (0, 0) => Ordering::Equal,
            (0, _) => Ordering::Less,
            (_, 0) => Ordering::Greater,
            // Numerators are below 2^64 and denominators below 2^65. Products exceed 128 bits only
            // beyond 2^31 runs.
            (one, another) => match (self.denominator, other.denominator) {
                (0, 0) => Ordering::Equal,
                _ => (one * other.denominator).cmp(&(another * self.denominator)),
            },
        }
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Score {}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Runs = Runs { failing: 4, passing: 9 };

    fn value(formula: Formula, failing: u32, passing: u32) -> f64 {
        formula.score(Runs { failing, passing }, ALL).value()
    }

    /// Computed by hand from the formulas in the papers.
    #[test]
    fn scores_are_those_of_the_papers() {
        for (formula, ef, ep, expected) in [
            (Formula::Ochiai, 4, 0, 1.0),
            // 2 / √(4 · (2 + 2)) = 2 / 4
            (Formula::Ochiai, 2, 2, 0.5),
            // 3 / √(4 · 12) = 3 / 6.928
            (Formula::Ochiai, 3, 9, 0.433_012_701_9),
            (Formula::Ochiai, 0, 5, 0.0),
            (Formula::Ochiai, 0, 0, 0.0),
            (Formula::Tarantula, 4, 0, 1.0),
            // (2/4) / (2/4 + 3/9) = 0.5 / 0.8333
            (Formula::Tarantula, 2, 3, 0.6),
            (Formula::Tarantula, 4, 9, 0.5),
            (Formula::Tarantula, 0, 9, 0.0),
            // 9 / (1 + 4 - 3)
            (Formula::DStar, 3, 1, 4.5),
            (Formula::DStar, 4, 8, 2.0),
            (Formula::DStar, 0, 0, 0.0),
            (Formula::DStar, 4, 0, f64::INFINITY),
        ] {
            let found = value(formula, ef, ep);
            let is_close = found == expected || (found - expected).abs() < 1e-9;
            assert!(is_close, "{formula:?} {ef} {ep}: {found}, not {expected}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_values() {
        let seen: Vec<_> = (0..=4)
            .flat_map(|failing| (0..=9).map(move |passing| Runs { failing, passing }))
            .collect();
        for formula in FORMULAS {
            for one in &seen {
                for other in &seen {
                    let scores = [one, other].map(|runs| formula.score(*runs, ALL));
                    let [value, another] = scores.map(Score::value);
                    let is_equal = value == another || (value - another).abs() < 1e-12;
                    let expected = if is_equal {
                        Ordering::Equal
                    } else {
                        value.partial_cmp(&another).expect("numbers")
                    };
                    assert_eq!(
                        scores[0].cmp(&scores[1]),
                        expected,
                        "{formula:?} {one:?} {other:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_passing_runs_all_that_failed_is_equal() {
        let all = Runs { failing: 2, passing: 0 };
        let score = |failing| Formula::Tarantula.score(Runs { failing, passing: 0 }, all);
        assert_eq!(score(1), score(2));
        assert!(score(0) < score(1));
    }
}
