//! Descriptors that stay open for as long as the process runs: it may lower its limits, change its
//! root or its user, and the files can still be used.
//!
//! They are not in the program's way. If the limit may be raised for a moment, they have numbers
//! beyond it, of which the program misses none. Otherwise they have numbers near the end of the
//! range, if that is as long as usual. Of a shorter range nothing is taken, and nothing is kept.
//!
//! A program may close what it does not know, and open something else under the number. So a
//! descriptor is only used after a look at what it stands for.

use super::file::File;
use super::limits::Limits;
use super::place::Identity;

/// How many descriptors a process usually may have. Much higher numbers make the kernel keep long
/// tables for the process.
const USUAL: u64 = 1024;

/// The first number that stands for nothing from the start.
const FIRST: u64 = 3;

/// How many numbers beyond its limit are looked at.
const BEYOND: u64 = 64;

/// The resource whose limit is that of descriptors (`RLIMIT_NOFILE`).
const DESCRIPTORS: usize = 7;

/// A descriptor that is kept, or none: zeros.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Kept {
    descriptor: u64,
    identity: Identity,
}

impl Kept {
    /// None.
    pub(crate) const NONE: Self = Self { descriptor: 0, identity: Identity::NONE };

    /// Whether nothing is kept.
    pub(crate) fn is_none(&self) -> bool {
        self.descriptor == 0
    }

    /// Another name for the same descriptor.
    pub(crate) fn same(&self) -> Self {
        Self { descriptor: self.descriptor, identity: self.identity }
    }

    /// Keeps a file open, if there is a number for it.
    pub(crate) fn keep(file: &File) -> Self {
        let limits = Limits::of(DESCRIPTORS);
        let raised = Limits { soft: limits.hard.min(limits.soft.saturating_add(BEYOND)), ..limits };
        let descriptor =
            if limits.soft <= USUAL && raised.soft > limits.soft && raised.set(DESCRIPTORS) {
                let moved = file.duplicate(limits.soft.max(FIRST) as usize);
                limits.set(DESCRIPTORS);
                moved
            } else {
                None
            };
        let has_plenty = limits.soft >= USUAL;
        let descriptor = descriptor.or_else(|| {
            if has_plenty { file.duplicate((USUAL - USUAL / 4) as usize) } else { None }
        });
        match (descriptor, file.identity()) {
            (Some(descriptor), Some(identity)) => Self { descriptor: descriptor as u64, identity },
            (Some(descriptor), None) => {
                drop(File::own(descriptor));
                Self::NONE
            }
            _ => Self::NONE,
        }
    }

    /// The file, if the descriptor still stands for it.
    pub(crate) fn file(&self) -> Option<File> {
        if self.is_none() {
            return None;
        }
        let file = File::borrow(self.descriptor as usize);
        (file.identity() == Some(self.identity)).then_some(file)
    }

    /// Closes it.
    pub(crate) fn close(&mut self) {
        if self.file().is_some() {
            drop(File::own(self.descriptor as usize));
        }
        *self = Self::NONE;
    }
}
