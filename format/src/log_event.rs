//! What machine code reports to the block log: the pass writes the events, and `block-log` takes
//! them.

/// An event, in the lowest bits of a word. The number of a block stands above them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEvent {
    /// A function is entered.
    Enter,
    /// A block is executed.
    Block,
    /// A path ends, and control goes on.
    End,
    /// A path ends, and the function is left.
    Leave,
}

impl LogEvent {
    /// The number of bits of an event.
    pub const BITS: u32 = 2;

    /// The event in a word.
    pub const fn of(word: u64) -> Self {
        match word & 3 {
            0 => Self::Enter,
            1 => Self::Block,
            2 => Self::End,
            _ => Self::Leave,
        }
    }

    /// A word with the event and the number of a block.
    pub const fn with(self, block: u32) -> u64 {
        (block as u64) << Self::BITS | self as u64
    }
}
