//! The input of a page of a difference.

use compare::comparison::Comparison;
use compare::scale::Per;
use counts::select::Filter;

/// A comparison, and its options.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceReport<'a> {
    /// The result.
    pub comparison: &'a Comparison<'a>,
    /// The divisor of counts.
    pub per: &'a Per,
    /// The filter that chose functions.
    pub filter: &'a Filter,
}
