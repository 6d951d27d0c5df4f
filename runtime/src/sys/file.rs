//! Open files.

use core::ffi::CStr;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, Ordering};

use super::call::{call, checked};
use super::place::{Identity, Place, Status};

const READ: usize = 0;
const WRITE: usize = 1;
/// Closes a descriptor.
pub(super) const CLOSE: usize = 3;
const FSTAT: usize = 5;
const LSEEK: usize = 8;
const PREAD64: usize = 17;
const PWRITE64: usize = 18;
const FCNTL: usize = 72;
const FLOCK: usize = 73;
const FTRUNCATE: usize = 77;
const FCHMOD: usize = 91;
const FSTATFS: usize = 138;
const OPENAT: usize = 257;
const FALLOCATE: usize = 285;
const O_RDWR: usize = 0o2;
const O_CREAT: usize = 0o100;
const O_EXCL: usize = 0o200;
const O_NOCTTY: usize = 0o400;
const O_APPEND: usize = 0o2000;
const O_NONBLOCK: usize = 0o4000;
const O_DIRECTORY: usize = 0o200_000;
const O_NOFOLLOW: usize = 0o400_000;
const O_CLOEXEC: usize = 0o2_000_000;
const O_PATH: usize = 0o10_000_000;
const F_DUPFD_CLOEXEC: usize = 1030;
const EACCES: usize = 13;
const EPERM: usize = 1;
const ENOENT: usize = 2;
const EINTR: usize = 4;
const EAGAIN: usize = 11;
const EEXIST: usize = 17;
const EMFILE: usize = 24;
const LOCK_EX_NB: usize = 2 | 4;
const S_IFMT: u32 = 0o170_000;
const S_IFREG: u32 = 0o100_000;

/// An open file, closed when dropped unless it is borrowed. Its descriptor is above 2. As a number:
/// twice the descriptor and two, or three if it is borrowed, so that zeros are none.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct File(NonZeroUsize);

/// What stands for descriptor 0.
const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

impl Drop for File {
    fn drop(&mut self) {
        if self.0.get() & 1 == 0 {
            // SAFETY: the descriptor is ours.
            unsafe { call(CLOSE, [self.descriptor(), 0, 0, 0, 0, 0]) };
        }
    }
}

/// Moves a descriptor out of 0, 1 and 2: in a program that closed its standard streams, another
/// thread's `printf` must not land in our file.
fn above_standard(descriptor: usize) -> Option<usize> {
    if descriptor > 2 || standard_are_free() {
        return Some(descriptor);
    }
    let moved = duplicate(descriptor, 3);
    // SAFETY: the descriptor is ours, and only used here.
    unsafe { call(CLOSE, [descriptor, 0, 0, 0, 0, 0]) };
    moved
}

/// Another descriptor of a file, not below `first`.
fn duplicate(descriptor: usize, first: usize) -> Option<usize> {
    // SAFETY: no pointers.
    checked(unsafe { call(FCNTL, [descriptor, F_DUPFD_CLOEXEC, first, 0, 0, 0]) }).ok()
}

/// The standard descriptors are closed in the table of the thread that uses files, and are used for
/// them.
static STANDARD_ARE_FREE: AtomicBool = AtomicBool::new(false);

/// Whether they are.
pub(super) fn standard_are_free() -> bool {
    STANDARD_ARE_FREE.load(Ordering::Relaxed)
}

/// Says whether they are.
pub(super) fn free_standard(free: bool) {
    STANDARD_ARE_FREE.store(free, Ordering::Relaxed);
}

/// Why a file could not be opened, as far as the runtime tells errors apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// Permission denied.
    Denied,
    /// The file exists already and was to be created.
    Exists,
    /// There is no such file, or no directory for it.
    Missing,
    /// The process may open no more files.
    Limit,
    /// Anything else.
    Other,
}

impl OpenError {
    fn new(error: usize) -> Self {
        match error {
            EACCES | EPERM => Self::Denied,
            EEXIST => Self::Exists,
            ENOENT => Self::Missing,
            EMFILE => Self::Limit,
            _ => Self::Other,
        }
    }
}

/// Whether a file's lock was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locked {
    /// It is ours until the file is closed.
    Yes,
    /// Somebody has it.
    Busy,
    /// The file system has none.
    Never,
}

impl File {
    /// A name in this directory, which stays open.
    pub(crate) fn inside<'a>(&self, name: &'a CStr) -> Place<'a> {
        Place::inside(self.descriptor(), name)
    }

    /// Another descriptor of it, not below `first`, for somebody to close.
    pub(super) fn duplicate(&self, first: usize) -> Option<usize> {
        duplicate(self.descriptor(), first)
    }

    fn open_with(place: Place<'_>, flags: usize, mode: usize) -> Result<Self, OpenError> {
        // A pipe that somebody put there must not make the program wait.
        let flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
        // SAFETY: the path ends with a NUL.
        let opened = unsafe { call(OPENAT, [place.directory, place.name, flags, mode, 0, 0]) };
        match checked(opened) {
            Ok(descriptor) => above_standard(descriptor).map(File::own).ok_or(OpenError::Limit),
            Err(error) => Err(OpenError::new(error)),
        }
    }

    /// A descriptor that is ours.
    pub(super) fn own(descriptor: usize) -> Self {
        Self(TWO.saturating_add(descriptor * 2))
    }

    /// A descriptor that stays open.
    pub(super) fn borrow(descriptor: usize) -> Self {
        Self(TWO.saturating_add(descriptor * 2 + 1))
    }

    /// Opens a directory, to name what is in it.
    pub(crate) fn open_folder(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path.into(), O_PATH | O_DIRECTORY, 0)
    }

    /// Opens a file for reading.
    pub(crate) fn open(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path.into(), 0, 0)
    }

    /// Creates a file that did not exist, for its owner alone to read and write.
    pub(crate) fn create(place: Place<'_>) -> Result<Self, OpenError> {
        let file = Self::open_with(place, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)?;
        file.let_owner_read();
        Ok(file)
    }

    /// Opens a file for reading and writing.
    pub(crate) fn open_to_change(place: Place<'_>) -> Result<Self, OpenError> {
        Self::open_with(place, O_RDWR | O_NOFOLLOW, 0)
    }

    /// Opens a file so that each write goes to its end, and creates it if there is none; whether it
    /// was created.
    pub(crate) fn append(place: Place<'_>) -> Result<(Self, bool), OpenError> {
        let flags = O_RDWR | O_APPEND | O_NOFOLLOW;
        let existing = || Self::open_with(place, flags, 0).map(|file| (file, false));
        match existing() {
            Err(OpenError::Missing) => {}
            opened => return opened,
        }
        match Self::open_with(place, flags | O_CREAT | O_EXCL, 0o666) {
            Ok(file) => {
                file.let_owner_read();
                Ok((file, true))
            }
            // Another process was faster.
            Err(OpenError::Exists) => existing(),
            Err(error) => Err(error),
        }
    }

    /// Takes the file's lock, if nobody has it: for as long as the file is open.
    pub(crate) fn lock(&self) -> Locked {
        // SAFETY: no pointers.
        match checked(unsafe { call(FLOCK, [self.descriptor(), LOCK_EX_NB, 0, 0, 0, 0]) }) {
            Ok(_) => Locked::Yes,
            Err(EAGAIN | EINTR) => Locked::Busy,
            Err(_) => Locked::Never,
        }
    }

    /// Identity and length, if it is a regular file.
    pub(crate) fn regular(&self) -> Option<(Identity, u64)> {
        let status = self.status().filter(|status| status.mode() & S_IFMT == S_IFREG)?;
        Some((status.identity(), status.size()))
    }

    /// Cuts the file to a length.
    pub(crate) fn cut(&self, length: u64) {
        // SAFETY: no pointers.
        unsafe { call(FTRUNCATE, [self.descriptor(), length as usize, 0, 0, 0, 0]) };
    }

    fn status(&self) -> Option<Status> {
        let mut status = Status::new();
        // SAFETY: `status` is a buffer of the size of a `struct stat`.
        let result =
            unsafe { call(FSTAT, [self.descriptor(), &raw mut status as usize, 0, 0, 0, 0]) };
        (result == 0).then_some(status)
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> Option<u64> {
        self.status().map(|status| status.size())
    }

    /// What tells this file from every other one, while it exists.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.status().map(|status| status.identity())
    }

    /// The file system that it is on.
    pub(crate) fn file_system(&self) -> Option<FileSystem> {
        let mut words = [0u64; 15];
        // SAFETY: the buffer has the size of a `struct statfs`.
        let result =
            unsafe { call(FSTATFS, [self.descriptor(), words.as_mut_ptr() as usize, 0, 0, 0, 0]) };
        (result == 0)
            .then(|| FileSystem { kind: words[0], free: words[4].saturating_mul(words[1]) })
    }

    /// Makes the file at least as long as this without giving it room on the disk; whether that
    /// worked. It never becomes shorter, since what is behind its end kills whoever touches it in a
    /// mapping.
    pub(crate) fn grow(&self, length: u64) -> bool {
        let known = self.status().map_or(0, |status| status.size());
        // SAFETY: no pointers.
        known >= length
            || unsafe { call(FTRUNCATE, [self.descriptor(), length as usize, 0, 0, 0, 0]) == 0 }
    }

    /// Gives a part of the file room on the disk, and makes the file long enough; whether that
    /// worked.
    pub(crate) fn allocate(&self, start: u64, length: u64) -> bool {
        // SAFETY: no pointers.
        unsafe {
            call(FALLOCATE, [self.descriptor(), 0, start as usize, length as usize, 0, 0]) == 0
        }
    }

    /// Writes at a place; whether everything was written.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> bool {
        let arguments =
            [self.descriptor(), bytes.as_ptr() as usize, bytes.len(), offset as usize, 0, 0];
        // SAFETY: the bytes are readable for their whole length.
        unsafe { call(PWRITE64, arguments) == bytes.len() }
    }

    /// The first place at or behind `from` that holds data; `None` behind the last.
    pub(crate) fn next_data(&self, from: u64) -> Option<u64> {
        self.seek(from, 3)
    }

    /// The first place at or behind `from` that is in a hole, or the end of the file.
    pub(crate) fn next_hole(&self, from: u64) -> Option<u64> {
        self.seek(from, 4)
    }

    fn seek(&self, from: u64, whence: usize) -> Option<u64> {
        // SAFETY: no pointers.
        let place = unsafe { call(LSEEK, [self.descriptor(), from as usize, whence, 0, 0, 0]) };
        checked(place).ok().map(|place| place as u64)
    }

    /// The descriptor.
    pub(super) fn descriptor(&self) -> usize {
        self.0.get() / 2 - 1
    }

    fn let_owner_read(&self) {
        if let Some(status) = self.status()
            && status.mode() & 0o600 != 0o600
        {
            // SAFETY: no pointers.
            unsafe {
                call(
                    FCHMOD,
                    [self.descriptor(), (status.mode() & 0o777 | 0o600) as usize, 0, 0, 0, 0],
                )
            };
        }
    }

    /// Reads what comes next; 0 at the end and after an error.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        loop {
            // SAFETY: the buffer is writable for its whole length.
            let read = unsafe {
                call(READ, [self.descriptor(), buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0])
            };
            match checked(read) {
                Err(EINTR) => {}
                result => return result.unwrap_or(0).min(buffer.len()),
            }
        }
    }

    /// Reads words from a place; tells how many are complete.
    pub(crate) fn read_words_at(&self, words: &mut [u64], offset: u64) -> usize {
        let length = size_of_val(words);
        // SAFETY: the buffer is writable for its whole length, and any bits are a word.
        let read = unsafe {
            call(
                PREAD64,
                [self.descriptor(), words.as_mut_ptr() as usize, length, offset as usize, 0, 0],
            )
        };
        checked(read).unwrap_or(0).min(length) / size_of::<u64>()
    }

    /// Writes everything, or tells that it could not.
    pub(crate) fn write_all(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            // SAFETY: the bytes are readable for their whole length.
            let written = unsafe {
                call(WRITE, [self.descriptor(), rest.as_ptr() as usize, rest.len(), 0, 0, 0])
            };
            match checked(written) {
                Ok(0) => return false,
                Ok(length) => rest = rest.get(length..).unwrap_or_default(),
                Err(EINTR) => {}
                Err(_) => return false,
            }
        }
        true
    }
}

/// What is known of a file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSystem {
    /// Its magic number.
    pub(crate) kind: u64,
    /// Free bytes, for users without privileges.
    pub(crate) free: u64,
}
