//! Reads a block log: records of sixteen bytes, as the runtime writes them in a `-pathcc-mode=log`
//! build.
//!
//! ```text
//!  0       8      12      16
//!  | frame | kind | value |      kind 0: a function is entered; value is its index in its module's manifest,
//!                                        and the next sixteen bytes are the module's id
//!                                kind 1: block number `value` is executed
//!                                kind 2: the path ends here, before the function is left or before a
//!                                        terminator whose edges cannot hold code
//! ```

use std::io::{ErrorKind, Read};

use anyhow::{Result, bail};
use pathformat::ModuleId;

use crate::FunctionId;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// This function was entered.
    Enter(FunctionId),
    /// This block began.
    Block(u32),
    /// The path ended.
    End,
}

/// An event in one activation of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which activation. A number may be used again once its activation is over.
    pub frame: u64,
    /// What happened in it.
    pub event: Event,
}

/// The entries of a log, in order.
#[derive(Debug)]
pub struct Entries<R> {
    input: R,
}

impl<R: Read> Entries<R> {
    /// Reads from `input`, which should be buffered.
    pub fn new(input: R) -> Self {
        Self { input }
    }

    /// Sixteen bytes, or `None` at the end of the log.
    fn record(&mut self) -> Result<Option<[u8; 16]>> {
        let mut record = [0; 16];
        match self.input.read_exact(&mut record) {
            Ok(()) => Ok(Some(record)),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn entry(&mut self) -> Result<Option<Entry>> {
        let Some(record) = self.record()? else { return Ok(None) };
        let word =
            |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"));
        let frame = u64::from(word(4)) << 32 | u64::from(word(0));
        let event = match (word(8), word(12)) {
            (0, index) => match self.record()? {
                Some(module) => Event::Enter((ModuleId(module), index)),
                None => return Ok(None),
            },
            (1, block) => Event::Block(block),
            (2, _) => Event::End,
            (kind, _) => bail!("the log has a record of kind {kind}"),
        };
        Ok(Some(Entry { frame, event }))
    }
}

impl<R: Read> Iterator for Entries<R> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        self.entry().transpose()
    }
}
