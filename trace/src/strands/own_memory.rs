//! The memory that belongs to a thread's part of a parallel region, or to a task.
//!
//! Strands that a thread executes one after the other use the same private variables. They are not
//! ordered, but the program has as many of these variables as it has threads, so that no two
//! threads meet there.

use std::collections::BTreeSet;
use std::ops::Range;

/// The size of the stack of a thread in bytes, unless the program requests another one.
pub(crate) const STACK: u64 = 8 << 20;

/// The maximum size of glibc's own data of a thread in bytes, which are at its `pthread_t`.
pub(crate) const DESCRIPTOR: u64 = 0x1000;

/// The maximum size of the thread-local variables in bytes, which end at the `pthread_t`.
const VARIABLES: u64 = 0x1_0000;

/// The memory that belongs to a strand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnMemory {
    /// The end of its part of the stack.
    stack: u64,
    /// The address below which other stacks may be.
    floor: u64,
    /// The number of threads that were known when the floor was found.
    known: usize,
    /// The lowest address of the stack that it accessed.
    low: u64,
    /// The thread-local variables, from the first address to behind the last one.
    variables: (u64, u64),
    /// True if the program has asked for the number of the thread: it may choose any memory by it.
    pub(super) is_by_number: bool,
}

impl OwnMemory {
    /// Returns the memory of a strand whose part of the stack ends at an address, on a thread with
    /// this `pthread_t`. `outermost` is what the outermost strand of the thread has.
    pub(super) fn of(stack: u64, thread: u64, outermost: Option<Self>) -> Self {
        let floor = stack.saturating_sub(STACK);
        let from = thread.saturating_sub(VARIABLES);
        // The stack of a thread may end just below its variables.
        let above = outermost.map_or(stack, |of| of.stack);
        let from = if (from..thread).contains(&above) { above } else { from };
        let variables = (from, thread.saturating_add(DESCRIPTOR));
        Self { stack, floor, known: 0, low: stack, variables, is_by_number: false }
    }

    /// Returns true if its part of the stack is not known yet.
    pub(super) fn is_unknown(&self) -> bool {
        self.stack == 0
    }

    /// Returns the part of the stack that it used.
    pub(super) fn used(&self) -> Range<u64> {
        self.low..self.stack
    }

    /// Notes an access to memory that belongs to it.
    pub(super) fn touch(&mut self, address: u64) {
        if self.is_on_stack(address) {
            self.low = self.low.min(address);
        }
    }

    /// Returns true if an address is further down its part of the stack than what it has accessed.
    pub(super) fn is_lower(&self, address: u64) -> bool {
        (self.floor..self.low).contains(&address)
    }

    fn is_on_stack(&self, address: u64) -> bool {
        (self.floor..self.stack).contains(&address)
    }

    /// Raises the floor above the stacks of other threads, given the `pthread_t` of all: each is
    /// above its stack.
    pub(super) fn set_floor(&mut self, threads: &BTreeSet<u64>) {
        if self.known != threads.len() {
            self.known = threads.len();
            let below = threads.range(self.floor..self.stack).next_back();
            self.floor = below.copied().unwrap_or(self.floor);
        }
    }

    /// Returns true if an address belongs to it.
    pub(super) fn contains(&self, address: u64) -> bool {
        self.is_by_number
            || self.is_on_stack(address)
            || (self.variables.0..self.variables.1).contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stack_below_and_the_variables_of_the_thread_belong_to_it() {
        let own = OwnMemory::of(0x7fff_0000, 0x1234_0000, None);
        assert!(own.contains(0x7ffe_fff8) && !own.contains(0x7fff_0000));
        assert!(own.contains(0x1233_fff0) && own.contains(0x1234_0010));
        assert!(!own.contains(0x1235_0000) && !own.contains(0x1000));
        let mut above = own;
        above.set_floor(&BTreeSet::from([0x7ffe_8000, 0x1234_0000]));
        assert!(above.contains(0x7ffe_8008) && !above.contains(0x7ffe_7ff8), "another stack");
        let mut used = own;
        for address in [0x7ffe_0000, 0x7ffe_8000, 0x7fff_8000] {
            used.touch(address);
        }
        assert_eq!(used.used(), 0x7ffe_0000..0x7fff_0000);
        assert!(OwnMemory { is_by_number: true, ..own }.contains(0x1000));
        let inner =
            OwnMemory::of(0x1233_8000, 0x1234_0000, Some(OwnMemory::of(0x1233_f000, 0, None)));
        assert!(
            inner.contains(0x1233_7ff8) && !inner.contains(0x1233_8000),
            "a stack below variables"
        );
        assert!(!inner.contains(0x1233_eff8) && inner.contains(0x1233_f000));
        assert!(!OwnMemory::default().contains(0x100));
    }
}
