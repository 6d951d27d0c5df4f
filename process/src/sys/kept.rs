//! Descriptors that stay open for as long as the process runs: it may lower its limits, change its
//! root or its user, and the files can still be used.
//!
//! They are not in the program's way. If the limit may be raised for a moment, they have numbers
//! beyond it, of which the program misses none. Otherwise they have numbers near the end of the
//! range, if that is as long as usual. Of a shorter range nothing is taken, and nothing is kept.
//!
//! A program may close what it does not know, and open something else under the number. So a
//! descriptor is only used after a look at what it stands for.

use linux_raw_sys::general::{RLIMIT_NOFILE, rlimit};

use super::file::File;
use super::limits::{limits, set_limits};
use super::place::Identity;

/// How many descriptors a process usually may have. Much higher numbers make the kernel keep long
/// tables for the process.
const USUAL: u64 = 1024;

/// The first number that stands for nothing from the start.
const FIRST: u64 = 3;

/// How many numbers beyond its limit are looked at.
const BEYOND: u64 = 64;

/// A descriptor that is kept, or none: zeros.
#[derive(Debug)]
#[repr(C)]
pub struct Kept {
    descriptor: u64,
    identity: Identity,
}

impl Kept {
    /// None.
    pub const NONE: Self = Self { descriptor: 0, identity: Identity::NONE };

    /// Whether nothing is kept.
    pub fn is_none(&self) -> bool {
        self.descriptor == 0
    }

    /// Another name for the same descriptor.
    pub fn same(&self) -> Self {
        Self { descriptor: self.descriptor, identity: self.identity }
    }

    /// Keeps a file open, if there is a number for it.
    pub fn keep(file: &File) -> Self {
        let limits = limits(RLIMIT_NOFILE);
        let soft = limits.rlim_cur;
        let raised = limits.rlim_max.min(soft.saturating_add(BEYOND));
        let raise = || set_limits(RLIMIT_NOFILE, rlimit { rlim_cur: raised, ..limits });
        let descriptor = if soft <= USUAL && raised > soft && raise() {
            let moved = file.duplicate(soft.max(FIRST) as usize);
            set_limits(RLIMIT_NOFILE, limits);
            moved
        } else {
            None
        };
        let has_plenty = soft >= USUAL;
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
    pub fn file(&self) -> Option<File> {
        if self.is_none() {
            return None;
        }
        let file = File::borrow(self.descriptor as usize);
        (file.identity() == Some(self.identity)).then_some(file)
    }

    /// Closes it.
    pub fn close(&mut self) {
        if self.file().is_some() {
            drop(File::own(self.descriptor as usize));
        }
        *self = Self::NONE;
    }
}
