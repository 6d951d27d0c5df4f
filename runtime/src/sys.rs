//! Every system call of the runtime, made directly: no libc, so it links into anything, and `errno` stays as
//! the program left it.
//!
//! Results are [`Option`]: the runtime has nothing better to do with an error number than to give up quietly.

pub(crate) mod apart;
pub(crate) mod kept;
pub(crate) mod mapping;
pub(crate) mod signal;
pub(crate) mod thread;

use core::arch::asm;
use core::ffi::CStr;
use core::marker::PhantomData;
use core::num::NonZeroUsize;

const READ: usize = 0;
const WRITE: usize = 1;
const CLOSE: usize = 3;
const STAT: usize = 4;
const FSTAT: usize = 5;
const LSEEK: usize = 8;
const PREAD64: usize = 17;
const PWRITE64: usize = 18;
const NANOSLEEP: usize = 35;
const GETPID: usize = 39;
const UNAME: usize = 63;
const FCNTL: usize = 72;
const FLOCK: usize = 73;
const FTRUNCATE: usize = 77;
const GETCWD: usize = 79;
const MKDIR: usize = 83;
const READLINK: usize = 89;
const FCHMOD: usize = 91;
const GETRLIMIT: usize = 97;
const GETUID: usize = 102;
const GETGID: usize = 104;
const GETEUID: usize = 107;
const GETEGID: usize = 108;
const GETPPID: usize = 110;
const SETRLIMIT: usize = 160;
const FSTATFS: usize = 138;
const CLOCK_GETTIME: usize = 228;
const EXIT_GROUP: usize = 231;
const OPENAT: usize = 257;
const NEWFSTATAT: usize = 262;
const UNLINKAT: usize = 263;
const FACCESSAT: usize = 269;
const FALLOCATE: usize = 285;
const GETRANDOM: usize = 318;

const AT_FDCWD: usize = -100isize as usize;
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
const GRND_NONBLOCK: usize = 1;
const F_DUPFD_CLOEXEC: usize = 1030;
const EACCES: usize = 13;
const EPERM: usize = 1;
const ENOENT: usize = 2;
const EINTR: usize = 4;
const EAGAIN: usize = 11;
const EEXIST: usize = 17;
const EMFILE: usize = 24;

const AT_SYMLINK_NOFOLLOW: usize = 0x100;
const LOCK_EX_NB: usize = 2 | 4;
const W_OK_X_OK: usize = 2 | 1;

const S_IFMT: u32 = 0o170_000;
const S_IFDIR: u32 = 0o040_000;
const S_IFREG: u32 = 0o100_000;

/// Makes a system call; unused arguments are 0. Errors are numbers above −4096, as the kernel gives them.
///
/// # Safety
/// The arguments must be what the call expects; pointers must be valid for it.
unsafe fn call(number: usize, arguments: [usize; 6]) -> usize {
    let mut result = number;
    // SAFETY: the caller vouches for the arguments; the kernel changes rax, rcx, r11 and the memory it is given.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// The value of a call's result, or the error number.
fn checked(result: usize) -> Result<usize, usize> {
    if result > -4096isize as usize { Err(result.wrapping_neg()) } else { Ok(result) }
}

/// An open file, closed when dropped unless it is borrowed. Its descriptor is above 2. As a number: twice the descriptor and
/// two, or three if it is borrowed, so that zeros are none.
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

/// A name in a directory, or a path.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Descriptor of the directory.
    directory: usize,
    /// Address of the name.
    name: usize,
    owner: PhantomData<&'a CStr>,
}

impl<'a> From<&'a CStr> for Place<'a> {
    fn from(path: &'a CStr) -> Self {
        Self { directory: AT_FDCWD, name: path.as_ptr() as usize, owner: PhantomData }
    }
}

impl<'a> Place<'a> {
    /// A name in a directory that stays open.
    pub(crate) fn inside(folder: &File, name: &'a CStr) -> Self {
        Self { directory: folder.descriptor(), ..Self::from(name) }
    }

    /// Whether the directory is open.
    pub(crate) fn is_inside(&self) -> bool {
        self.directory != AT_FDCWD
    }
}

/// Moves a descriptor out of 0, 1 and 2: in a program that closed its standard streams, another thread's `printf`
/// must not land in our file.
fn above_standard(descriptor: usize) -> Option<usize> {
    if descriptor > 2 || apart::is_apart() {
        return Some(descriptor);
    }
    // SAFETY: the descriptor is ours, and only used here.
    let moved = unsafe { call(FCNTL, [descriptor, F_DUPFD_CLOEXEC, 3, 0, 0, 0]) };
    // SAFETY: as above.
    unsafe { call(CLOSE, [descriptor, 0, 0, 0, 0, 0]) };
    checked(moved).ok()
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
    fn own(descriptor: usize) -> Self {
        Self(TWO.saturating_add(descriptor * 2))
    }

    /// A descriptor that stays open.
    fn borrow(descriptor: usize) -> Self {
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
        let result = unsafe { call(FSTAT, [self.descriptor(), &raw mut status as usize, 0, 0, 0, 0]) };
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
        let result = unsafe { call(FSTATFS, [self.descriptor(), words.as_mut_ptr() as usize, 0, 0, 0, 0]) };
        (result == 0).then(|| FileSystem { kind: words[0], free: words[4].saturating_mul(words[1]) })
    }

    /// Makes the file at least as long as this without giving it room on the disk; whether that worked. It never becomes
    /// shorter, since what is behind its end kills whoever touches it in a mapping.
    pub(crate) fn grow(&self, length: u64) -> bool {
        let known = self.status().map_or(0, |status| status.size());
        // SAFETY: no pointers.
        known >= length || unsafe { call(FTRUNCATE, [self.descriptor(), length as usize, 0, 0, 0, 0]) == 0 }
    }

    /// Gives a part of the file room on the disk, and makes the file long enough; whether that worked.
    pub(crate) fn allocate(&self, start: u64, length: u64) -> bool {
        // SAFETY: no pointers.
        unsafe { call(FALLOCATE, [self.descriptor(), 0, start as usize, length as usize, 0, 0]) == 0 }
    }

    /// Writes at a place; whether everything was written.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> bool {
        let arguments = [self.descriptor(), bytes.as_ptr() as usize, bytes.len(), offset as usize, 0, 0];
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
    fn descriptor(&self) -> usize {
        self.0.get() / 2 - 1
    }

    fn let_owner_read(&self) {
        if let Some(status) = self.status()
            && status.mode() & 0o600 != 0o600
        {
            // SAFETY: no pointers.
            unsafe { call(FCHMOD, [self.descriptor(), (status.mode() & 0o777 | 0o600) as usize, 0, 0, 0, 0]) };
        }
    }

    /// Reads what comes next; 0 at the end and after an error.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        loop {
            // SAFETY: the buffer is writable for its whole length.
            let read = unsafe { call(READ, [self.descriptor(), buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0]) };
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
        let read =
            unsafe { call(PREAD64, [self.descriptor(), words.as_mut_ptr() as usize, length, offset as usize, 0, 0]) };
        checked(read).unwrap_or(0).min(length) / size_of::<u64>()
    }

    /// Writes everything, or tells that it could not.
    pub(crate) fn write_all(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            // SAFETY: the bytes are readable for their whole length.
            let written = unsafe { call(WRITE, [self.descriptor(), rest.as_ptr() as usize, rest.len(), 0, 0, 0]) };
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

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Identity([u64; 2]);

impl Identity {
    /// That of no file.
    pub(crate) const NONE: Self = Self([0; 2]);
}

/// What is known of a file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileSystem {
    /// Its magic number.
    pub(crate) kind: u64,
    /// Free bytes, for users without privileges.
    pub(crate) free: u64,
}

/// A `struct stat` of x86-64, of which mode, size, device and number are looked at.
#[repr(C)]
struct Status([u64; 18]);

impl Status {
    fn new() -> Self {
        Self([0; 18])
    }

    /// `st_dev` and `st_ino`, at the start.
    fn identity(&self) -> Identity {
        Identity([self.0[0], self.0[1]])
    }

    /// `st_mode`, at byte 24.
    fn mode(&self) -> u32 {
        self.0[3] as u32
    }

    /// `st_uid`, at byte 28.
    fn owner(&self) -> u32 {
        (self.0[3] >> 32) as u32
    }

    /// `st_size`, at byte 48.
    fn size(&self) -> u64 {
        self.0[6]
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing, or nothing that we may see.
    Nothing,
    /// A directory.
    Directory {
        /// Whose it is.
        owner: u32,
        /// Whether everybody may put files there.
        open: bool,
    },
    /// Anything else.
    Other,
}

fn look(place: Place<'_>, flags: usize) -> Option<Status> {
    let mut status = Status::new();
    let arguments = [place.directory, place.name, &raw mut status as usize, flags, 0, 0];
    // SAFETY: the name ends with a NUL and `status` has the size of a `struct stat`.
    (unsafe { call(NEWFSTATAT, arguments) } == 0).then_some(status)
}

fn kind_with(place: Place<'_>, flags: usize) -> Kind {
    let Some(status) = look(place, flags) else { return Kind::Nothing };
    match status.mode() & S_IFMT {
        S_IFDIR => Kind::Directory { owner: status.owner(), open: status.mode() & 0o002 != 0 },
        _ => Kind::Other,
    }
}

/// How many threads the process has, by the links of their directory.
pub(crate) fn thread_count() -> Option<u64> {
    let mut status = Status::new();
    // SAFETY: the path ends with a NUL and `status` has the size of a `struct stat`.
    let result = unsafe { call(STAT, [c"/proc/self/task".as_ptr() as usize, &raw mut status as usize, 0, 0, 0, 0]) };
    // A directory without entries has two links.
    if result == 0 { status.0[2].checked_sub(2).filter(|&count| count > 0) } else { None }
}

/// What a path names, symbolic links followed.
pub(crate) fn kind(path: &CStr) -> Kind {
    kind_with(path.into(), 0)
}

/// What tells what a path names from everything else.
pub(crate) fn identity(path: &CStr) -> Identity {
    identity_with(path.into(), 0)
}

/// The same of what stands at the place itself.
pub(crate) fn identity_of(place: Place<'_>) -> Identity {
    identity_with(place, AT_SYMLINK_NOFOLLOW)
}

fn identity_with(place: Place<'_>, flags: usize) -> Identity {
    look(place, flags).map_or(Identity::NONE, |status| status.identity())
}

/// What stands at the path itself.
pub(crate) fn kind_of_entry(place: Place<'_>) -> Kind {
    kind_with(place, AT_SYMLINK_NOFOLLOW)
}

/// Whether the process may make files in a directory.
pub(crate) fn may_write_in(directory: &CStr) -> bool {
    // SAFETY: the path ends with a NUL.
    unsafe { call(FACCESSAT, [AT_FDCWD, directory.as_ptr() as usize, W_OK_X_OK, 0, 0, 0]) == 0 }
}

/// Waits so many nanoseconds, less than a second.
pub(crate) fn sleep(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: `time` has the size of a `struct timespec`.
    unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Removes a file, if it is there.
pub(crate) fn unlink(place: Place<'_>) {
    // SAFETY: the name ends with a NUL.
    unsafe { call(UNLINKAT, [place.directory, place.name, 0, 0, 0, 0]) };
}

/// Makes a directory, if it is not there.
pub(crate) fn make_directory(path: &CStr) {
    // SAFETY: the path ends with a NUL.
    unsafe { call(MKDIR, [path.as_ptr() as usize, 0o777, 0, 0, 0, 0]) };
}

/// Writes the current directory to the front of `buffer`; its length without the NUL.
pub(crate) fn current_directory(buffer: &mut [u8]) -> Option<usize> {
    // SAFETY: the buffer is writable for its whole length.
    let length = unsafe { call(GETCWD, [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0]) };
    // The kernel says "(unreachable)/…" for a directory outside of the root.
    checked(length).ok().filter(|_| buffer.first() == Some(&b'/')).map(|length| length.saturating_sub(1))
}

/// Writes the target of a symbolic link to the front of `buffer`; its length, unless it filled the buffer.
pub(crate) fn read_link(path: &CStr, buffer: &mut [u8]) -> Option<usize> {
    let (start, capacity) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the path ends with a NUL and the buffer is writable for its whole length.
    let length = unsafe { call(READLINK, [path.as_ptr() as usize, start, capacity, 0, 0, 0]) };
    checked(length).ok().filter(|&length| length < capacity)
}

/// Ends the process.
pub(crate) fn exit(status: usize) {
    // SAFETY: no pointers.
    unsafe { call(EXIT_GROUP, [status, 0, 0, 0, 0, 0]) };
}

/// The process.
pub(crate) fn process() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(GETPID, [0; 6]) as u32 }
}

/// Its parent.
pub(crate) fn parent() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(GETPPID, [0; 6]) as u32 }
}

/// The effective user.
pub(crate) fn user() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(GETEUID, [0; 6]) as u32 }
}

/// Random bytes; `None` from a kernel that has none yet.
pub(crate) fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    // SAFETY: the buffer is writable for its whole length.
    let read = unsafe { call(GETRANDOM, [bytes.as_mut_ptr() as usize, bytes.len(), GRND_NONBLOCK, 0, 0, 0]) };
    (read == bytes.len()).then_some(bytes)
}

/// Whether the effective user or group is not the real one.
pub(crate) fn has_changed_identity() -> bool {
    let id = |number| {
        // SAFETY: these calls take no arguments.
        unsafe { call(number, [0; 6]) }
    };
    id(GETUID) != id(GETEUID) || id(GETGID) != id(GETEGID)
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> u64 {
    clock(0)
}

/// How long the system has run, in the kernel's clock ticks.
pub(crate) fn ticks_since_boot() -> u64 {
    clock(7) / 10_000_000
}

/// What a clock says, in nanoseconds.
fn clock(number: usize) -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: `time` has the size of a `struct timespec`.
    unsafe { call(CLOCK_GETTIME, [number, time.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// Which way a measurement may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is at most the truth.
    Lower,
    /// It is at least the truth.
    Upper,
}

/// Nanoseconds that other threads of this process than the calling one have run.
pub(crate) fn cpu_time_of_others(bound: Bound) -> u64 {
    const PROCESS: usize = 2;
    const THREAD: usize = 3;
    // Time passes between the two calls, and only this thread's clock may gain by that.
    let (process, thread) = match bound {
        Bound::Lower => {
            let process = clock(PROCESS);
            (process, clock(THREAD))
        }
        Bound::Upper => {
            let thread = clock(THREAD);
            (clock(PROCESS), thread)
        }
    };
    process.saturating_sub(thread)
}

/// The longest file that the process may write. Writing beyond it raises a signal that ends the program, so
/// nobody may try.
pub(crate) fn file_size_limit() -> u64 {
    limit(1)
}

/// How much address space the process may have.
pub(crate) fn address_space_limit() -> u64 {
    limit(9)
}

/// The limits of a resource: a `struct rlimit`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Limits {
    /// What holds.
    pub(crate) soft: u64,
    /// How far it may be raised.
    pub(crate) hard: u64,
}

impl Limits {
    /// Those of this process; zeros if the kernel does not tell.
    pub(crate) fn of(resource: usize) -> Self {
        let mut limits = Self { soft: 0, hard: 0 };
        // SAFETY: `limits` is what the kernel writes.
        unsafe { call(GETRLIMIT, [resource, &raw mut limits as usize, 0, 0, 0, 0]) };
        limits
    }

    /// Makes them hold; whether that was allowed.
    pub(crate) fn set(self, resource: usize) -> bool {
        // SAFETY: the kernel reads `self`.
        checked(unsafe { call(SETRLIMIT, [resource, &raw const self as usize, 0, 0, 0, 0]) }).is_ok()
    }
}

/// The soft limit of a resource.
fn limit(resource: usize) -> u64 {
    Limits::of(resource).soft
}

/// A `struct utsname`.
pub(crate) struct Names([u8; 6 * 65]);

impl Names {
    /// The names of this system.
    pub(crate) fn new() -> Self {
        let mut names = Self([0; 6 * 65]);
        // SAFETY: the buffer has the size of a `struct utsname`.
        unsafe { call(UNAME, [names.0.as_mut_ptr() as usize, 0, 0, 0, 0, 0]) };
        names
    }

    /// The name of the machine.
    pub(crate) fn host(&self) -> &[u8] {
        let name = &self.0[65..2 * 65];
        name.split(|&byte| byte == 0).next().unwrap_or_default()
    }
}
