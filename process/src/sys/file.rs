//! Open files.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, Ordering};

use linux_raw_sys::errno::{EACCES, EAGAIN, EEXIST, EINTR, EMFILE, ENOENT, EPERM};
use linux_raw_sys::general::{
    __NR_close, __NR_fallocate, __NR_fchmod, __NR_fcntl, __NR_flock, __NR_fstat, __NR_fstatfs,
    __NR_ftruncate, __NR_lseek, __NR_openat, __NR_pread64, __NR_pwrite64, __NR_read, __NR_statx,
    __NR_write, AT_EMPTY_PATH, F_DUPFD_CLOEXEC, FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE, LOCK_EX,
    LOCK_NB, O_APPEND, O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK,
    O_PATH, O_RDONLY, O_RDWR, S_IFMT, S_IFREG, SEEK_DATA, SEEK_HOLE, STATX_BASIC_STATS,
    STATX_BTIME, stat, statfs, statx,
};
use pathformat::raw::FILE_SYSTEMS;
use pathformat::standing::Birth;

use super::call::{call, checked};
use super::limits::file_size_limit;
use super::place::{FilePlace, Identity};

/// An open file, closed when dropped unless it is borrowed. Its descriptor is above 2. The
/// representation is twice the descriptor plus two, or plus three if it is borrowed, so that zero
/// means no file.
#[derive(Debug)]
#[repr(transparent)]
pub struct File(NonZeroUsize);

/// The representation of descriptor 0.
const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

impl Drop for File {
    fn drop(&mut self) {
        if self.0.get() & 1 == 0 {
            // SAFETY: the descriptor is ours.
            unsafe { call(__NR_close, [self.descriptor(), 0, 0, 0, 0, 0]) };
        }
    }
}

/// Moves a descriptor out of 0, 1 and 2. In a program that closed its standard streams, another
/// thread's `printf` must not write to our file.
fn above_standard(descriptor: usize) -> Option<usize> {
    if descriptor > 2 || standard_are_free() {
        return Some(descriptor);
    }
    let moved = duplicate(descriptor, 3);
    // SAFETY: the descriptor is ours, and only used here.
    unsafe { call(__NR_close, [descriptor, 0, 0, 0, 0, 0]) };
    moved
}

/// Returns another descriptor of a file, not below `first`.
fn duplicate(descriptor: usize, first: usize) -> Option<usize> {
    // SAFETY: no pointers.
    checked(unsafe { call(__NR_fcntl, [descriptor, F_DUPFD_CLOEXEC as usize, first, 0, 0, 0]) })
        .ok()
}

/// True if the standard descriptors are closed in the table of the thread that uses files, so that
/// they can be used for files.
static STANDARD_ARE_FREE: AtomicBool = AtomicBool::new(false);

/// Returns true if the standard descriptors are free.
pub(super) fn standard_are_free() -> bool {
    STANDARD_ARE_FREE.load(Ordering::Relaxed)
}

/// Records whether the standard descriptors are free.
pub(super) fn free_standard(free: bool) {
    STANDARD_ARE_FREE.store(free, Ordering::Relaxed);
}

/// The reason why a file could not be opened, as far as the runtime distinguishes errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Permission denied.
    Denied,
    /// The file was to be created, but exists already.
    Exists,
    /// There is no such file, or no directory for it.
    Missing,
    /// The process may open no more files.
    Limit,
    /// Anything else.
    Other,
}

impl OpenError {
    fn new(error: u32) -> Self {
        match error {
            EACCES | EPERM => Self::Denied,
            EEXIST => Self::Exists,
            ENOENT => Self::Missing,
            EMFILE => Self::Limit,
            _ => Self::Other,
        }
    }
}

/// The result of locking a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locked {
    /// This process has the lock until the file is closed.
    Yes,
    /// Another process has the lock.
    Busy,
    /// The file system has no locks.
    Never,
}

impl File {
    /// Returns the place of a name in this directory, which stays open.
    pub fn inside<'a>(&self, name: &'a CStr) -> FilePlace<'a> {
        FilePlace::inside(self.descriptor(), name)
    }

    /// Returns another descriptor of the file, not below `first`, which the caller closes.
    pub(super) fn duplicate(&self, first: usize) -> Option<usize> {
        duplicate(self.descriptor(), first)
    }

    fn open_with(place: FilePlace<'_>, flags: u32, mode: usize) -> Result<Self, OpenError> {
        // A pipe at this path must not make the program wait.
        let flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
        // SAFETY: the path ends with a NUL.
        let opened =
            unsafe { call(__NR_openat, [place.directory, place.name, flags as usize, mode, 0, 0]) };
        match checked(opened) {
            Ok(descriptor) => above_standard(descriptor).map(File::own).ok_or(OpenError::Limit),
            Err(error) => Err(OpenError::new(error)),
        }
    }

    /// Returns a file that owns its descriptor.
    pub(super) fn own(descriptor: usize) -> Self {
        Self(TWO.saturating_add(descriptor * 2))
    }

    /// Returns a file with a descriptor that stays open.
    pub(super) fn borrow(descriptor: usize) -> Self {
        Self(TWO.saturating_add(descriptor * 2 + 1))
    }

    /// Opens a directory, in order to name its entries.
    pub fn open_folder(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path.into(), O_PATH | O_DIRECTORY, 0)
    }

    /// Opens a file for reading.
    pub fn open(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path.into(), O_RDONLY, 0)
    }

    /// Creates a file that did not exist, for its owner alone to read and write.
    pub fn create(place: FilePlace<'_>) -> Result<Self, OpenError> {
        let file = Self::open_with(place, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)?;
        file.let_owner_read();
        Ok(file)
    }

    /// Opens the entry itself for reading.
    pub fn open_entry(place: FilePlace<'_>) -> Result<Self, OpenError> {
        Self::open_with(place, O_RDONLY | O_NOFOLLOW, 0)
    }

    /// Opens a file for reading and writing.
    pub fn open_to_change(place: FilePlace<'_>) -> Result<Self, OpenError> {
        Self::open_with(place, O_RDWR | O_NOFOLLOW, 0)
    }

    /// Opens a file so that each write goes to its end, and creates it if it is missing. The second
    /// value is true if it was created.
    pub fn append(place: FilePlace<'_>) -> Result<(Self, bool), OpenError> {
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

    /// Takes the file's lock, if it is free, for as long as the file is open.
    pub fn lock(&self) -> Locked {
        // SAFETY: no pointers.
        match checked(unsafe {
            call(__NR_flock, [self.descriptor(), (LOCK_EX | LOCK_NB) as usize, 0, 0, 0, 0])
        }) {
            Ok(_) => Locked::Yes,
            Err(EAGAIN | EINTR) => Locked::Busy,
            Err(_) => Locked::Never,
        }
    }

    /// Returns identity and length of a regular file; `None` for any other.
    pub fn regular(&self) -> Option<(Identity, u64)> {
        let status = self.status().filter(|status| status.st_mode & S_IFMT == S_IFREG)?;
        Some((Identity::of(&status), status.st_size as u64))
    }

    /// Returns what a standing file must be known by; `None` if it is no regular file, or if the
    /// file system does not say when it was made.
    pub fn made(&self) -> Option<Made> {
        let mut status = MaybeUninit::<statx>::zeroed();
        let wanted = STATX_BASIC_STATS | STATX_BTIME;
        let arguments = [
            self.descriptor(),
            c"".as_ptr() as usize,
            AT_EMPTY_PATH as usize,
            wanted as usize,
            status.as_mut_ptr() as usize,
            0,
        ];
        // SAFETY: the kernel fills `status`, and zeros are a value.
        let status = unsafe { (call(__NR_statx, arguments) == 0).then(|| status.assume_init()) }?;
        let is_regular = u32::from(status.stx_mode) & S_IFMT == S_IFREG;
        (is_regular && status.stx_mask & wanted == wanted).then(|| Made {
            birth: Birth {
                inode: status.stx_ino.into(),
                seconds: (status.stx_btime.tv_sec as u64).into(),
                nanoseconds: u64::from(status.stx_btime.tv_nsec).into(),
            },
            owner: status.stx_uid,
            mode: status.stx_mode,
            links: status.stx_nlink,
            length: status.stx_size,
        })
    }

    /// Cuts the file to a length.
    pub fn cut(&self, length: u64) {
        // SAFETY: no pointers.
        unsafe { call(__NR_ftruncate, [self.descriptor(), length as usize, 0, 0, 0, 0]) };
    }

    fn status(&self) -> Option<stat> {
        let mut status = MaybeUninit::<stat>::zeroed();
        let arguments = [self.descriptor(), status.as_mut_ptr() as usize, 0, 0, 0, 0];
        // SAFETY: the kernel fills `status`, and zeros are a value.
        unsafe { (call(__NR_fstat, arguments) == 0).then(|| status.assume_init()) }
    }

    /// Returns the length in bytes.
    pub fn length(&self) -> Option<u64> {
        self.status().map(|status| status.st_size as u64)
    }

    /// Returns the identity of the file, which no other file has while it exists.
    pub fn identity(&self) -> Option<Identity> {
        self.status().map(|status| Identity::of(&status))
    }

    /// Returns the file system of the file.
    pub fn file_system(&self) -> Option<FileSystem> {
        let mut status = MaybeUninit::<statfs>::zeroed();
        let arguments = [self.descriptor(), status.as_mut_ptr() as usize, 0, 0, 0, 0];
        // SAFETY: the kernel fills `status`, and zeros are a value.
        let status = unsafe { (call(__NR_fstatfs, arguments) == 0).then(|| status.assume_init()) }?;
        Some(FileSystem {
            kind: status.f_type as u64,
            free: (status.f_bavail as u64).saturating_mul(status.f_bsize as u64),
        })
    }

    /// Makes the file at least this long, without space on the disk. Returns false on failure. It
    /// never makes the file shorter, since an access to a mapping behind the end of the file kills
    /// the program.
    pub fn grow(&self, length: u64) -> bool {
        let known = self.status().map_or(0, |status| status.st_size as u64);
        // SAFETY: no pointers.
        known >= length
            || unsafe {
                call(__NR_ftruncate, [self.descriptor(), length as usize, 0, 0, 0, 0]) == 0
            }
    }

    /// Allocates space on the disk for a part of the file, and makes the file long enough. Returns
    /// false on failure.
    pub fn allocate(&self, start: u64, length: u64) -> bool {
        // SAFETY: no pointers.
        unsafe {
            call(__NR_fallocate, [self.descriptor(), 0, start as usize, length as usize, 0, 0]) == 0
        }
    }

    /// Frees the space on the disk of a part of the file, which then reads as zeros. The file keeps
    /// its length.
    pub fn empty(&self, start: u64, length: u64) {
        let mode = (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE) as usize;
        let arguments = [self.descriptor(), mode, start as usize, length as usize, 0, 0];
        // SAFETY: no pointers.
        unsafe { call(__NR_fallocate, arguments) };
    }

    /// Writes at an offset. Returns true if everything was written.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> bool {
        let arguments =
            [self.descriptor(), bytes.as_ptr() as usize, bytes.len(), offset as usize, 0, 0];
        // SAFETY: the bytes are readable for their whole length.
        unsafe { call(__NR_pwrite64, arguments) == bytes.len() }
    }

    /// Adds to the word at an offset. Returns false if that is not possible.
    pub fn add_at(&self, count: u64, offset: u64) -> bool {
        if offset.saturating_add(8) > file_size_limit() {
            return false;
        }
        let mut before = [0];
        self.read_words_at(&mut before, offset);
        let [before] = before;
        self.write_at(&before.wrapping_add(count).to_le_bytes(), offset)
    }

    /// Returns the first offset at or behind `from` that holds data; `None` behind the last.
    pub fn next_data(&self, from: u64) -> Option<u64> {
        self.seek(from, SEEK_DATA)
    }

    /// Returns the first offset at or behind `from` that is in a hole, or the end of the file.
    pub fn next_hole(&self, from: u64) -> Option<u64> {
        self.seek(from, SEEK_HOLE)
    }

    fn seek(&self, from: u64, whence: u32) -> Option<u64> {
        // SAFETY: no pointers.
        let place = unsafe {
            call(__NR_lseek, [self.descriptor(), from as usize, whence as usize, 0, 0, 0])
        };
        checked(place).ok().map(|place| place as u64)
    }

    /// Returns the descriptor.
    pub(super) fn descriptor(&self) -> usize {
        self.0.get() / 2 - 1
    }

    fn let_owner_read(&self) {
        if let Some(status) = self.status()
            && status.st_mode & 0o600 != 0o600
        {
            // SAFETY: no pointers.
            unsafe {
                call(
                    __NR_fchmod,
                    [self.descriptor(), (status.st_mode & 0o777 | 0o600) as usize, 0, 0, 0, 0],
                )
            };
        }
    }

    /// Reads the next bytes. Returns 0 at the end and after an error.
    pub fn read(&self, buffer: &mut [u8]) -> usize {
        loop {
            // SAFETY: the buffer is writable for its whole length.
            let read = unsafe {
                call(
                    __NR_read,
                    [self.descriptor(), buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0],
                )
            };
            match checked(read) {
                Err(EINTR) => {}
                result => return result.unwrap_or(0).min(buffer.len()),
            }
        }
    }

    /// Reads words at an offset. Returns the number of complete words.
    pub fn read_words_at(&self, words: &mut [u64], offset: u64) -> usize {
        let length = size_of_val(words);
        // SAFETY: the buffer is writable for its whole length, and any bits are a word.
        let read = unsafe {
            call(
                __NR_pread64,
                [self.descriptor(), words.as_mut_ptr() as usize, length, offset as usize, 0, 0],
            )
        };
        checked(read).unwrap_or(0).min(length) / size_of::<u64>()
    }

    /// Writes everything. Returns false if that is not possible.
    pub fn write_all(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            // SAFETY: the bytes are readable for their whole length.
            let written = unsafe {
                call(__NR_write, [self.descriptor(), rest.as_ptr() as usize, rest.len(), 0, 0, 0])
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

/// What is known of a file itself.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// Its identity, which a copy does not share.
    pub birth: Birth,
    /// The user who owns it.
    pub owner: u32,
    /// Its kind and its permissions.
    pub mode: u16,
    /// The number of its names; 0 if it was removed.
    pub links: u32,
    /// Its length in bytes.
    pub length: u64,
}

/// The properties of a file system.
#[derive(Clone, Copy, Debug)]
pub struct FileSystem {
    /// Its magic number.
    pub kind: u64,
    /// The free bytes for users without privileges.
    pub free: u64,
}

impl FileSystem {
    /// Returns true if mapped pages stay, and if holes can be relied on ([`FILE_SYSTEMS`]).
    pub fn keeps_pages(&self) -> bool {
        FILE_SYSTEMS.contains(&self.kind)
    }
}
