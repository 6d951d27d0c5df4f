//! Descriptors that stay open for as long as the process runs, near the end of the range, where they are not in the
//! program's way: it may lower its limits, change its root or its user, and the files can still be used.
//!
//! A program may close what it does not know, and open something else under the number. So a descriptor is only used after a
//! look at what it stands for.

use super::{F_DUPFD_CLOEXEC, FCNTL, File, Identity, call, checked, limit};

/// Numbers beyond this make the kernel keep long tables for the process.
const HIGHEST: u64 = 1024;

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
        let end = limit(7).min(HIGHEST);
        let first = (end - end / 4) as usize;
        // SAFETY: the descriptor is open.
        let moved = checked(unsafe { call(FCNTL, [file.descriptor(), F_DUPFD_CLOEXEC, first, 0, 0, 0]) });
        match (moved, file.identity()) {
            (Ok(descriptor), Some(identity)) if descriptor > 2 => Self { descriptor: descriptor as u64, identity },
            (Ok(descriptor), _) => {
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
