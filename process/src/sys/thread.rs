//! Threads, their state, and signals.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering};

use linux_raw_sys::errno::{EFAULT, ESRCH};
use linux_raw_sys::general::{
    __NR_arch_prctl, __NR_futex, __NR_gettid, __NR_process_vm_writev, __NR_rt_sigprocmask,
    __NR_sched_yield, __NR_tgkill, __kernel_timespec, ARCH_SET_FS, FUTEX_WAIT_PRIVATE,
    FUTEX_WAKE_PRIVATE, SIG_BLOCK, SIG_SETMASK, SIGBUS,
};

use super::call::{call, checked};
use super::file::File;
use super::process::{process, sleep};
use crate::text::Text;

/// The operations that read the thread pointer and set the base of segment `%gs`; bindgen leaves
/// them out.
const ARCH_GET_FS: usize = 0x1003;
const ARCH_SET_GS: usize = 0x1001;

/// Returns the number of this thread.
pub fn current() -> u32 {
    // SAFETY: no arguments.
    unsafe { call(__NR_gettid, [0; 6]) as u32 }
}

/// Returns the thread pointer. Thread-local variables of images that were loaded at the start are
/// at fixed distances from it.
pub fn pointer() -> usize {
    let pointer: usize;
    // SAFETY: the word at the thread pointer is its own address, by the ABI.
    unsafe { asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly)) };
    pointer
}

/// Returns the thread pointer in the kernel, 0 if none was set yet.
pub fn base() -> Option<usize> {
    let mut base = 0usize;
    // SAFETY: the kernel writes a word.
    let result =
        unsafe { call(__NR_arch_prctl, [ARCH_GET_FS, &raw mut base as usize, 0, 0, 0, 0]) };
    checked(result).ok().map(|_| base)
}

/// Sets the thread pointer of a thread that has none. Returns false on failure.
pub fn set_base(pointer: usize) -> bool {
    // SAFETY: no code has used thread-local variables without a thread pointer.
    checked(unsafe { call(__NR_arch_prctl, [ARCH_SET_FS as usize, pointer, 0, 0, 0, 0]) }).is_ok()
}

/// Sets the base of segment `%gs` for the calling thread, by an instruction if the kernel has told
/// the process that it may execute that. Returns false on failure: the kernel sets no address of
/// its own half.
pub fn set_segment(base: usize, by_instruction: bool) -> bool {
    if by_instruction {
        // SAFETY: the kernel has told the process that it may execute this.
        unsafe { asm!("wrgsbase {}", in(reg) base, options(nostack, preserves_flags, nomem)) };
        return true;
    }
    // SAFETY: no pointers.
    checked(unsafe { call(__NR_arch_prctl, [ARCH_SET_GS, base, 0, 0, 0, 0]) }).is_ok()
}

/// Writes a word into this process's memory. Does nothing if the address is not mapped.
pub fn poke(address: usize, value: usize) {
    let (from, to) =
        ([&raw const value as usize, size_of::<usize>()], [address, size_of::<usize>()]);
    let arguments = [process() as usize, from.as_ptr() as usize, 1, to.as_ptr() as usize, 1, 0];
    // SAFETY: the kernel reads the two ranges and checks the address.
    unsafe { call(__NR_process_vm_writev, arguments) };
}

/// Returns true if the eight bytes at an address can be read.
pub fn is_readable(address: usize) -> bool {
    /// A word that is unlikely in memory. If the memory does hold it, the wait still ends at once.
    const OTHER: usize = 0x9b5d_a3e6;
    let now = __kernel_timespec { tv_sec: 0, tv_nsec: 0 };
    let can_be_read = |address: usize| {
        let word = address & !(size_of::<u32>() - 1);
        // SAFETY: the kernel compares the word with another, or finds that it cannot be read.
        // Checkers such as valgrind know that this call reads it, and find nothing wrong with it.
        let result = unsafe {
            call(
                __NR_futex,
                [word, FUTEX_WAIT_PRIVATE as usize, OTHER, &raw const now as usize, 0, 0],
            )
        };
        checked(result) != Err(EFAULT)
    };
    // The bytes may be on two pages, both of which are probed.
    address != 0 && can_be_read(address) && can_be_read(address.wrapping_add(7))
}

/// Returns true if a thread of this process still exists.
pub fn is_alive(thread: u32) -> bool {
    // SAFETY: no pointers, and signal 0 sends nothing.
    let result = unsafe { call(__NR_tgkill, [process() as usize, thread as usize, 0, 0, 0, 0]) };
    checked(result) != Err(ESRCH)
}

/// Returns true if a thread of this process waits in the kernel, or has ended, as far as is known.
/// A thread that waits is inside a call.
pub fn is_waiting(thread: u32) -> bool {
    let mut path = Text::<48>::new();
    path.push_all(b"/proc/self/task/");
    path.push_decimal(thread);
    path.push_all(b"/stat");
    let mut status = [0; 512];
    let length = path
        .as_path()
        .and_then(|path| File::open(path).ok())
        .map_or(0, |file| file.read(&mut status));
    // The field behind the name, which may hold any bytes.
    let name = status[..length].iter().rposition(|&byte| byte == b')');
    name.is_none_or(|end| status.get(end + 2).is_none_or(|state| b"SZX".contains(state)))
}

/// Lets another thread run.
pub fn let_others_run() {
    // SAFETY: no arguments.
    unsafe { call(__NR_sched_yield, [0; 6]) };
}

/// A lock that waits in the kernel (Drepper, "Futexes Are Tricky", mutex 3). All-zero bytes are a
/// free lock.
#[derive(Debug)]
#[repr(transparent)]
pub struct Lock(AtomicU32);

impl Lock {
    /// Creates a free lock.
    pub const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Waits until the lock is free, and takes it.
    pub fn acquire(&self) {
        if self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return;
        }
        while self.0.swap(2, Ordering::Acquire) != 0 {
            // SAFETY: the kernel reads the word.
            unsafe {
                call(
                    __NR_futex,
                    [self.0.as_ptr() as usize, FUTEX_WAIT_PRIVATE as usize, 2, 0, 0, 0],
                )
            };
        }
    }

    /// Takes the lock within a number of nanoseconds. Returns false if that was not possible.
    pub fn acquire_within(&self, nanoseconds: u64) -> bool {
        const STEP: u64 = 1_000_000;
        for _ in 0..nanoseconds / STEP {
            if self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return true;
            }
            sleep(STEP);
        }
        false
    }

    /// Releases the lock.
    pub fn release(&self) {
        if self.0.swap(0, Ordering::Release) == 2 {
            // SAFETY: the kernel only uses the address.
            unsafe {
                call(
                    __NR_futex,
                    [self.0.as_ptr() as usize, FUTEX_WAKE_PRIVATE as usize, 1, 0, 0, 0],
                )
            };
        }
    }
}

/// Blocks all signals but SIGBUS, which cannot wait. Returns the mask as it was.
pub fn block_signals() -> u64 {
    let (all, mut before) = (!(1u64 << (SIGBUS - 1)), 0u64);
    // SAFETY: a set of signals has eight bytes.
    unsafe {
        call(
            __NR_rt_sigprocmask,
            [SIG_BLOCK as usize, &raw const all as usize, &raw mut before as usize, 8, 0, 0],
        )
    };
    before
}

/// Returns true if this thread blocks SIGBUS.
pub fn blocks_bus_errors() -> bool {
    let mut mask = 0u64;
    let arguments = [SIG_BLOCK as usize, 0, &raw mut mask as usize, 8, 0, 0];
    // SAFETY: the kernel fills a set of signals, which has eight bytes.
    unsafe { call(__NR_rt_sigprocmask, arguments) };
    mask & 1 << (SIGBUS - 1) != 0
}

/// Sets the signal mask to the result of [`block_signals`].
pub fn restore_signals(mask: u64) {
    // SAFETY: a set of signals has eight bytes.
    unsafe {
        call(__NR_rt_sigprocmask, [SIG_SETMASK as usize, &raw const mask as usize, 0, 8, 0, 0])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_keeps_others_out() {
        static LOCK: Lock = Lock::new();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        LOCK.acquire();
                        // The sum takes two operations, so only the lock makes it right.
                        COUNT.store(COUNT.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                        LOCK.release();
                    }
                });
            }
        });
        assert_eq!(COUNT.load(Ordering::Relaxed), 40_000);
    }

    #[test]
    fn a_word_is_written_where_there_is_memory() {
        let mut word = 1usize;
        poke(&raw mut word as usize, 7);
        // SAFETY: a live variable.
        assert_eq!(unsafe { (&raw const word).read_volatile() }, 7);
        poke(8, 7);
    }

    #[test]
    fn what_can_be_read_is_known() {
        let word = 1u64;
        assert!(is_readable(&raw const word as usize));
        assert!(!is_readable(0) && !is_readable(8));
        let page = crate::sys::mapping::map_private(crate::sys::mapping::At::Anywhere, 4096)
            .expect("memory");
        let page = page.as_ptr() as usize;
        assert!(is_readable(page) && is_readable(page + 4088));
        let before = block_signals();
        restore_signals(before);
        is_readable(&raw const word as usize);
        let after = block_signals();
        restore_signals(after);
        assert_eq!(before, after, "no signal is blocked or let through by asking");
    }

    #[test]
    fn threads_that_ended_are_known() {
        assert!(is_alive(current()));
        let ended = std::thread::spawn(current).join().expect("it does not panic");
        // The kernel wakes the joining thread a moment before it forgets the other one.
        while is_alive(ended) {
            std::thread::yield_now();
        }
    }
}
