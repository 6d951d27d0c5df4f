//! Every system call of the runtime, made directly: no libc, so it links into anything, and `errno` stays as
//! the program left it.
//!
//! Results are [`Option`]: the runtime has nothing better to do with an error number than to give up quietly.

pub(crate) mod mapping;
pub(crate) mod thread;

use core::arch::asm;
use core::ffi::CStr;
use core::num::NonZeroUsize;

const READ: usize = 0;
const WRITE: usize = 1;
const CLOSE: usize = 3;
const STAT: usize = 4;
const FSTAT: usize = 5;
const LSTAT: usize = 6;
const LSEEK: usize = 8;
const PREAD64: usize = 17;
const PWRITE64: usize = 18;
const GETPID: usize = 39;
const UNAME: usize = 63;
const FCNTL: usize = 72;
const FTRUNCATE: usize = 77;
const GETCWD: usize = 79;
const RENAME: usize = 82;
const MKDIR: usize = 83;
const UNLINK: usize = 87;
const READLINK: usize = 89;
const FCHMOD: usize = 91;
const GETRLIMIT: usize = 97;
const GETUID: usize = 102;
const GETGID: usize = 104;
const GETEUID: usize = 107;
const GETEGID: usize = 108;
const GETPPID: usize = 110;
const FSTATFS: usize = 138;
const CLOCK_GETTIME: usize = 228;
const OPENAT: usize = 257;
const FALLOCATE: usize = 285;

const AT_FDCWD: usize = -100isize as usize;
const O_WRONLY: usize = 0o1;
const O_RDWR: usize = 0o2;
const O_CREAT: usize = 0o100;
const O_EXCL: usize = 0o200;
const O_NOCTTY: usize = 0o400;
const O_APPEND: usize = 0o2000;
const O_NOFOLLOW: usize = 0o400_000;
const O_CLOEXEC: usize = 0o2_000_000;
const F_DUPFD_CLOEXEC: usize = 1030;
const EACCES: usize = 13;
const EPERM: usize = 1;
const EINTR: usize = 4;
const EEXIST: usize = 17;

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

/// An open file, closed when dropped. Its descriptor is above 2.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct File(NonZeroUsize);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours.
        unsafe { call(CLOSE, [self.0.get(), 0, 0, 0, 0, 0]) };
    }
}

/// Moves a descriptor out of 0, 1 and 2: in a program that closed its standard streams, another thread's `printf`
/// must not land in our file.
fn above_standard(descriptor: usize) -> Option<NonZeroUsize> {
    if descriptor > 2 {
        return NonZeroUsize::new(descriptor);
    }
    // SAFETY: the descriptor is ours, and only used here.
    let moved = unsafe { call(FCNTL, [descriptor, F_DUPFD_CLOEXEC, 3, 0, 0, 0]) };
    // SAFETY: as above.
    unsafe { call(CLOSE, [descriptor, 0, 0, 0, 0, 0]) };
    checked(moved).ok().and_then(NonZeroUsize::new)
}

/// Why a file could not be opened, as far as the runtime tells errors apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenError {
    /// Permission denied.
    Denied,
    /// The file exists already and was to be created.
    Exists,
    /// Anything else.
    Other,
}

impl File {
    fn open_with(path: &CStr, flags: usize, mode: usize) -> Result<Self, OpenError> {
        // SAFETY: the path ends with a NUL.
        let opened =
            unsafe { call(OPENAT, [AT_FDCWD, path.as_ptr() as usize, flags | O_CLOEXEC | O_NOCTTY, mode, 0, 0]) };
        match checked(opened) {
            Ok(descriptor) => above_standard(descriptor).map(File).ok_or(OpenError::Other),
            Err(EACCES | EPERM) => Err(OpenError::Denied),
            Err(EEXIST) => Err(OpenError::Exists),
            Err(_) => Err(OpenError::Other),
        }
    }

    /// Opens a file for reading.
    pub(crate) fn open(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path, 0, 0)
    }

    /// Creates a file that did not exist, for reading and writing, open at least to its owner whatever the umask.
    pub(crate) fn create(path: &CStr) -> Result<Self, OpenError> {
        let file = Self::open_with(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)?;
        file.let_owner_read();
        Ok(file)
    }

    /// Opens a file for reading and writing.
    pub(crate) fn open_to_change(path: &CStr) -> Result<Self, OpenError> {
        Self::open_with(path, O_RDWR | O_NOFOLLOW, 0)
    }

    /// Opens a file so that each write goes to its end; creates it if need be.
    pub(crate) fn append(path: &CStr) -> Result<Self, OpenError> {
        let file = Self::open_with(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666)?;
        file.let_owner_read();
        Ok(file)
    }

    fn status(&self) -> Option<Status> {
        let mut status = Status::new();
        // SAFETY: `status` is a buffer of the size of a `struct stat`.
        let result = unsafe { call(FSTAT, [self.0.get(), &raw mut status as usize, 0, 0, 0, 0]) };
        (result == 0).then_some(status)
    }

    /// What tells this file from every other one, while it exists.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.status().map(|status| Identity([status.0[0], status.0[1]]))
    }

    /// The file system that it is on.
    pub(crate) fn file_system(&self) -> Option<FileSystem> {
        let mut words = [0u64; 15];
        // SAFETY: the buffer has the size of a `struct statfs`.
        let result = unsafe { call(FSTATFS, [self.0.get(), words.as_mut_ptr() as usize, 0, 0, 0, 0]) };
        (result == 0).then(|| FileSystem { kind: words[0], free: words[4].saturating_mul(words[1]) })
    }

    /// Makes the file as long as this without giving it room on the disk; whether that worked.
    pub(crate) fn set_length(&self, length: u64) -> bool {
        // SAFETY: no pointers.
        unsafe { call(FTRUNCATE, [self.0.get(), length as usize, 0, 0, 0, 0]) == 0 }
    }

    /// Gives a part of the file room on the disk, and makes the file long enough; whether that worked.
    pub(crate) fn allocate(&self, start: u64, length: u64) -> bool {
        // SAFETY: no pointers.
        unsafe { call(FALLOCATE, [self.0.get(), 0, start as usize, length as usize, 0, 0]) == 0 }
    }

    /// Writes at a place; whether everything was written.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> bool {
        let arguments = [self.0.get(), bytes.as_ptr() as usize, bytes.len(), offset as usize, 0, 0];
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
        let place = unsafe { call(LSEEK, [self.0.get(), from as usize, whence, 0, 0, 0]) };
        checked(place).ok().map(|place| place as u64)
    }

    /// The descriptor, for a mapping.
    fn descriptor(&self) -> usize {
        self.0.get()
    }

    fn let_owner_read(&self) {
        if let Some(status) = self.status()
            && status.mode() & 0o600 != 0o600
        {
            // SAFETY: no pointers.
            unsafe { call(FCHMOD, [self.0.get(), (status.mode() & 0o777 | 0o600) as usize, 0, 0, 0, 0]) };
        }
    }

    /// Reads what comes next; 0 at the end and after an error.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        loop {
            // SAFETY: the buffer is writable for its whole length.
            let read = unsafe { call(READ, [self.0.get(), buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0]) };
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
        let read = unsafe { call(PREAD64, [self.0.get(), words.as_mut_ptr() as usize, length, offset as usize, 0, 0]) };
        checked(read).unwrap_or(0).min(length) / size_of::<u64>()
    }

    /// Writes everything, or tells that it could not.
    pub(crate) fn write_all(&self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while !rest.is_empty() {
            // SAFETY: the bytes are readable for their whole length.
            let written = unsafe { call(WRITE, [self.0.get(), rest.as_ptr() as usize, rest.len(), 0, 0, 0]) };
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

/// A `struct stat` of x86-64, of which mode, device and number are looked at.
#[repr(C)]
struct Status([u64; 18]);

impl Status {
    fn new() -> Self {
        Self([0; 18])
    }

    /// `st_mode`, at byte 24.
    fn mode(&self) -> u32 {
        self.0[3] as u32
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing, or nothing that we may see.
    Nothing,
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A device, a pipe, a socket or a symbolic link.
    Special,
}

fn kind_by(number: usize, path: &CStr) -> Kind {
    let mut status = Status::new();
    // SAFETY: the path ends with a NUL and `status` has the size of a `struct stat`.
    if unsafe { call(number, [path.as_ptr() as usize, &raw mut status as usize, 0, 0, 0, 0]) } != 0 {
        return Kind::Nothing;
    }
    match status.mode() & S_IFMT {
        S_IFREG => Kind::Regular,
        S_IFDIR => Kind::Directory,
        _ => Kind::Special,
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
    kind_by(STAT, path)
}

/// What stands at the path itself.
pub(crate) fn kind_of_entry(path: &CStr) -> Kind {
    kind_by(LSTAT, path)
}

/// Renames a file; whether that worked.
pub(crate) fn rename(from: &CStr, to: &CStr) -> bool {
    // SAFETY: both paths end with a NUL.
    unsafe { call(RENAME, [from.as_ptr() as usize, to.as_ptr() as usize, 0, 0, 0, 0]) == 0 }
}

/// Removes a file, if it is there.
pub(crate) fn unlink(path: &CStr) {
    // SAFETY: the path ends with a NUL.
    unsafe { call(UNLINK, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) };
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

/// The soft limit of a resource.
fn limit(resource: usize) -> u64 {
    let mut limit = [0u64; 2];
    // SAFETY: `limit` has the size of a `struct rlimit`.
    unsafe { call(GETRLIMIT, [resource, limit.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    limit[0]
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
