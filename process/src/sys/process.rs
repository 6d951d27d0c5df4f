//! This process: its identity, its clocks, and its end.

use core::mem::MaybeUninit;
use core::slice;

use linux_raw_sys::general::{
    __NR_clock_gettime, __NR_exit_group, __NR_getegid, __NR_geteuid, __NR_getgid, __NR_getpid,
    __NR_getppid, __NR_getrandom, __NR_getuid, __NR_nanosleep, __NR_prctl, __NR_uname,
    __kernel_timespec, CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_REALTIME,
    CLOCK_THREAD_CPUTIME_ID, GRND_NONBLOCK,
};
use linux_raw_sys::system::new_utsname;

use super::call::{call, checked};
use super::place;

/// The operation that reads the auxiliary vector.
const PR_GET_AUXV: u32 = 0x4155_5856;

/// Returns the number of threads of the process, from the number of links of their directory.
pub fn thread_count() -> Option<u64> {
    let status = place::look(c"/proc/self/task".into(), 0)?;
    // A directory without entries has two links.
    status.st_nlink.checked_sub(2).filter(|&count| count > 0)
}

/// Waits for a number of nanoseconds, less than a second.
pub fn sleep(nanoseconds: u64) {
    let time = __kernel_timespec { tv_sec: 0, tv_nsec: nanoseconds as i64 };
    // SAFETY: the kernel reads `time`.
    unsafe { call(__NR_nanosleep, [&raw const time as usize, 0, 0, 0, 0, 0]) };
}

/// Ends the process.
pub fn exit(status: usize) {
    // SAFETY: no pointers.
    unsafe { call(__NR_exit_group, [status, 0, 0, 0, 0, 0]) };
}

/// Returns the number of the process.
pub fn process() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(__NR_getpid, [0; 6]) as u32 }
}

/// Returns the number of its parent.
pub fn parent() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(__NR_getppid, [0; 6]) as u32 }
}

/// Returns the effective user.
pub fn user() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(__NR_geteuid, [0; 6]) as u32 }
}

/// Reads the auxiliary vector from the kernel. Returns false if the kernel does not give it.
pub fn read_auxiliary_vector(bytes: &mut [u8]) -> bool {
    // SAFETY: the buffer is writable for its whole length.
    let length = unsafe {
        call(__NR_prctl, [PR_GET_AUXV as usize, bytes.as_mut_ptr() as usize, bytes.len(), 0, 0, 0])
    };
    checked(length).is_ok()
}

/// Returns random bytes; `None` if the kernel has none yet.
pub fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    // SAFETY: the buffer is writable for its whole length.
    let read = unsafe {
        call(
            __NR_getrandom,
            [bytes.as_mut_ptr() as usize, bytes.len(), GRND_NONBLOCK as usize, 0, 0, 0],
        )
    };
    (read == bytes.len()).then_some(bytes)
}

/// Returns true if the effective user or group is not the real one.
pub fn has_changed_identity() -> bool {
    let id = |number| {
        // SAFETY: these calls take no arguments.
        unsafe { call(number, [0; 6]) }
    };
    id(__NR_getuid) != id(__NR_geteuid) || id(__NR_getgid) != id(__NR_getegid)
}

/// Returns the nanoseconds since 1970.
pub fn now() -> u64 {
    clock(CLOCK_REALTIME)
}

/// Returns the nanoseconds of the clock that never goes back.
pub fn monotonic() -> u64 {
    clock(CLOCK_MONOTONIC)
}

/// Returns the time since the system was booted, in the kernel's clock ticks.
pub fn ticks_since_boot() -> u64 {
    clock(CLOCK_BOOTTIME) / 10_000_000
}

/// Returns the time of a clock, in nanoseconds.
fn clock(number: u32) -> u64 {
    let mut time = __kernel_timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is what the kernel writes.
    unsafe { call(__NR_clock_gettime, [number as usize, &raw mut time as usize, 0, 0, 0, 0]) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// The direction in which a measurement may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The measurement is at most the true value.
    Lower,
    /// The measurement is at least the true value.
    Upper,
}

/// Returns the nanoseconds that the threads of this process other than the calling one have run.
pub fn cpu_time_of_others(bound: Bound) -> u64 {
    // Time passes between the two calls, and only this thread's clock may gain by that.
    let (process, thread) = match bound {
        Bound::Lower => {
            let process = clock(CLOCK_PROCESS_CPUTIME_ID);
            (process, clock(CLOCK_THREAD_CPUTIME_ID))
        }
        Bound::Upper => {
            let thread = clock(CLOCK_THREAD_CPUTIME_ID);
            (clock(CLOCK_PROCESS_CPUTIME_ID), thread)
        }
    };
    process.saturating_sub(thread)
}

/// The names of a system.
pub struct Names(new_utsname);

impl Names {
    /// Reads the names of this system.
    pub fn new() -> Self {
        let mut names = MaybeUninit::<new_utsname>::zeroed();
        // SAFETY: the kernel fills `names`, and zeros are a value.
        unsafe {
            call(__NR_uname, [names.as_mut_ptr() as usize, 0, 0, 0, 0, 0]);
            Self(names.assume_init())
        }
    }

    /// Returns the name of the machine.
    pub fn host(&self) -> &[u8] {
        let name = &self.0.nodename;
        // SAFETY: characters are bytes.
        let name = unsafe { slice::from_raw_parts(name.as_ptr().cast::<u8>(), name.len()) };
        name.split(|&byte| byte == 0).next().unwrap_or_default()
    }
}
