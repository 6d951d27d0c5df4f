//! The calls that a function executed, and their callees.
//!
//! A call runs as often as its block. If the callees of a call through a pointer are recorded, each
//! of them has its own count, which is exact even where the count of the block is in doubt.

use pathformat::manifest::INDIRECT;

use crate::model::{CallSite, Count, Function};

/// A call in code that was executed.
#[derive(Clone, Copy)]
pub struct ExecutedCall<'a> {
    /// The function that makes it.
    pub function: &'a Function,
    /// The index of its block.
    pub block: usize,
    /// Its index among the calls of the block.
    pub call: usize,
    /// The number of times it was made, at least 1.
    pub count: Count,
    /// The callees of a call through a pointer, if they are recorded.
    pub site: Option<&'a CallSite>,
}

/// A callee of an executed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callee<'a> {
    /// Its symbol; [`INDIRECT`] for unknown targets of a pointer.
    pub symbol: &'a str,
    /// The number of times it was called, at least 1.
    pub calls: Count,
    /// True if it was called through a pointer.
    pub is_through_pointer: bool,
    /// True if the number of calls may be wrong (see [`Function::interrupted`]).
    pub in_doubt: bool,
}

/// Returns the executed calls of a function, in the order of its blocks.
pub fn executed_calls(function: &Function) -> impl Iterator<Item = ExecutedCall<'_>> {
    // There is a site for each call through a pointer, in the same order.
    let mut sites = function.sites.iter();
    let calls = function.shape.blocks.iter().zip(&function.block_counts).enumerate().flat_map(
        |(block, (of, &count))| (0..of.calls.len()).map(move |call| (block, call, count)),
    );
    let made = calls.map(move |(block, call, count)| {
        let is_indirect = function.shape.blocks[block].calls[call].is_indirect();
        let site = if is_indirect { sites.next() } else { None };
        let count = site.map_or(count, |site| {
            site.targets.iter().fold(site.others, |sum, (_, count)| sum.saturating_add(*count))
        });
        ExecutedCall { function, block, call, count, site }
    });
    made.filter(|made| made.count > 0)
}

impl<'a> ExecutedCall<'a> {
    /// Returns the symbol that it calls; [`INDIRECT`] if it calls through a pointer.
    pub fn symbol(&self) -> &'a str {
        &self.function.shape.blocks[self.block].calls[self.call].callee
    }

    /// Returns true if the count may be wrong.
    pub fn is_in_doubt(&self) -> bool {
        self.site.is_none() && self.function.is_in_doubt(self.block)
    }

    /// Returns its callees: the recorded ones in their order, then the unknown ones.
    pub fn callees(&self) -> impl Iterator<Item = Callee<'a>> + use<'a> {
        let plain = Callee {
            symbol: self.symbol(),
            calls: self.count,
            is_through_pointer: self.symbol() == INDIRECT,
            in_doubt: self.is_in_doubt(),
        };
        let recorded =
            |symbol, calls| Callee { symbol, calls, is_through_pointer: true, in_doubt: false };
        let (plain, targets, others) = match self.site {
            Some(site) => (None, site.targets.as_slice(), Some(recorded(INDIRECT, site.others))),
            None => (Some(plain), &[][..], None),
        };
        let targets = targets.iter().map(move |(symbol, calls)| recorded(symbol.as_str(), *calls));
        plain.into_iter().chain(targets).chain(others).filter(|callee| callee.calls > 0)
    }
}
