//! What a page of a difference is made of.

use compare::comparison::Comparison;
use compare::scale::Per;
use counts::select::Filter;

/// A comparison, and what was asked for.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceReport<'a> {
    /// What came out.
    pub comparison: &'a Comparison<'a>,
    /// What counts are divided by.
    pub per: &'a Per,
    /// Which functions were chosen.
    pub filter: &'a Filter,
}
