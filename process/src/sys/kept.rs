//! Descriptors that stay open for as long as the process runs. The process may lower its limits,
//! change its root or its user, and the files can still be used.
//!
//! These descriptors are not in the program's way. If the limit may be raised for a moment, they
//! have numbers beyond it, which the program cannot use. Otherwise they have numbers near the end
//! of the range, if it is as long as usual. In a shorter range nothing is kept.
//!
//! A program may close descriptors that it did not open, and open another file under the number. A
//! descriptor is therefore used only after a check of its identity.

use linux_raw_sys::general::{RLIMIT_NOFILE, rlimit};

use super::file::File;
use super::limits::{limits, set_limits};
use super::place::Identity;

/// The usual limit of descriptors of a process. Much higher numbers make the kernel keep long
/// tables for the process.
const USUAL: u64 = 1024;

/// The first number that is not a standard descriptor.
const FIRST: u64 = 3;

/// The number of descriptors beyond the limit that are used.
const BEYOND: u64 = 64;

/// A descriptor that is kept, or none. All-zero bytes are none.
#[derive(Debug)]
#[repr(C)]
pub struct Kept {
    descriptor: u64,
    identity: Identity,
}

impl Kept {
    /// No descriptor.
    pub const NONE: Self = Self { descriptor: 0, identity: Identity::NONE };

    /// Returns true if nothing is kept.
    pub fn is_none(&self) -> bool {
        self.descriptor == 0
    }

    /// Returns another handle of the same descriptor.
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

    /// Returns the file, if the descriptor still refers to it.
    pub fn file(&self) -> Option<File> {
        if self.is_none() {
            return None;
        }
        let file = File::borrow(self.descriptor as usize);
        (file.identity() == Some(self.identity)).then_some(file)
    }

    /// Closes the descriptor.
    pub fn close(&mut self) {
        if self.file().is_some() {
            drop(File::own(self.descriptor as usize));
        }
        *self = Self::NONE;
    }
}
