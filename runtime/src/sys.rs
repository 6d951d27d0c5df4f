//! Every system call of the runtime, made directly: no libc, so it links into anything, and `errno` stays as
//! the program left it.
//!
//! Results are [`Option`]: the runtime has nothing better to do with an error number than to give up quietly.

use core::arch::asm;
use core::ffi::CStr;
use core::num::NonZeroUsize;

const READ: usize = 0;
const WRITE: usize = 1;
const CLOSE: usize = 3;
const STAT: usize = 4;
const FSTAT: usize = 5;
const LSTAT: usize = 6;
const MMAP: usize = 9;
const RT_SIGPROCMASK: usize = 14;
const PREAD64: usize = 17;
const MADVISE: usize = 28;
const GETPID: usize = 39;
const UNAME: usize = 63;
const FCNTL: usize = 72;
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
const CLOCK_GETTIME: usize = 228;
const OPENAT: usize = 257;

const AT_FDCWD: usize = -100isize as usize;
const O_WRONLY: usize = 0o1;
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

    /// Creates a file that did not exist, readable at least by its owner whatever the umask.
    pub(crate) fn create(path: &CStr) -> Result<Self, OpenError> {
        let file = Self::open_with(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666)?;
        file.let_owner_read();
        Ok(file)
    }

    /// Opens a file so that each write goes to its end; creates it if need be.
    pub(crate) fn append(path: &CStr) -> Result<Self, OpenError> {
        let file = Self::open_with(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o666)?;
        file.let_owner_read();
        Ok(file)
    }

    fn let_owner_read(&self) {
        let mut status = Status::new();
        // SAFETY: `status` is a buffer of the size of a `struct stat`.
        let known = unsafe { call(FSTAT, [self.0.get(), &raw mut status as usize, 0, 0, 0, 0]) } == 0;
        if known && status.mode() & 0o600 != 0o600 {
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

/// A `struct stat` of x86-64, of which only the mode is looked at.
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
    let mut time = [0u64; 2];
    // SAFETY: clock 0 is CLOCK_REALTIME, and `time` has the size of a `struct timespec`.
    unsafe { call(CLOCK_GETTIME, [0, time.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// The longest file that the process may write. Writing beyond it raises a signal that ends the program, so
/// nobody may try.
pub(crate) fn file_size_limit() -> u64 {
    let mut limit = [0u64; 2];
    // SAFETY: resource 1 is RLIMIT_FSIZE, and `limit` has the size of a `struct rlimit`.
    unsafe { call(GETRLIMIT, [1, limit.as_mut_ptr() as usize, 0, 0, 0, 0]) };
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

/// Maps zeroed private memory that a forked child sees zeroed again.
pub(crate) fn map_wiped_on_fork(length: usize) -> Option<core::ptr::NonNull<u8>> {
    const PROT_READ_WRITE: usize = 3;
    const MAP_PRIVATE_ANONYMOUS: usize = 0x22;
    const MADV_WIPEONFORK: usize = 18;
    // SAFETY: a fresh mapping at an address of the kernel's choice disturbs nothing.
    let mapped = unsafe { call(MMAP, [0, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, usize::MAX, 0]) };
    let start = checked(mapped).ok()?;
    // SAFETY: the mapping is ours.
    unsafe { call(MADVISE, [start, length, MADV_WIPEONFORK, 0, 0, 0]) };
    core::ptr::NonNull::new(start as *mut u8)
}

/// Lets all signals wait; gives the mask as it was.
pub(crate) fn block_signals() -> u64 {
    let (all, mut before) = (u64::MAX, 0u64);
    // SAFETY: operation 0 is SIG_BLOCK; a set of signals has eight bytes.
    unsafe { call(RT_SIGPROCMASK, [0, &raw const all as usize, &raw mut before as usize, 8, 0, 0]) };
    before
}

/// Sets the signal mask to what [`block_signals`] gave.
pub(crate) fn restore_signals(mask: u64) {
    // SAFETY: operation 2 is SIG_SETMASK; a set of signals has eight bytes.
    unsafe { call(RT_SIGPROCMASK, [2, &raw const mask as usize, 0, 8, 0, 0]) };
}
