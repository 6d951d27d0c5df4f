//! This process: who it is, what time it is, and how it ends.

use super::call::call;
use super::place;

const NANOSLEEP: usize = 35;
const GETPID: usize = 39;
const UNAME: usize = 63;
const GETUID: usize = 102;
const GETGID: usize = 104;
const GETEUID: usize = 107;
const GETEGID: usize = 108;
const GETPPID: usize = 110;
const CLOCK_GETTIME: usize = 228;
const EXIT_GROUP: usize = 231;
const GETRANDOM: usize = 318;
const GRND_NONBLOCK: usize = 1;

/// How many threads the process has, by the links of their directory.
pub(crate) fn thread_count() -> Option<u64> {
    let status = place::look(c"/proc/self/task".into(), 0)?;
    // A directory without entries has two links.
    status.links().checked_sub(2).filter(|&count| count > 0)
}

/// Waits so many nanoseconds, less than a second.
pub(crate) fn sleep(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: `time` has the size of a `struct timespec`.
    unsafe { call(NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
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
    let read = unsafe {
        call(GETRANDOM, [bytes.as_mut_ptr() as usize, bytes.len(), GRND_NONBLOCK, 0, 0, 0])
    };
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
