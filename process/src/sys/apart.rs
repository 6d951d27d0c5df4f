//! Opening files in a process that may open none.
//!
//! A program may lower its limit of descriptors to those that it has. A thread with a table of
//! descriptors of its own can close some of them there and open other files. What such a thread
//! maps is mapped in the process. The program does not notice the thread: its creator waits until
//! it has ended, and no signal reaches it.

use core::arch::asm;
use core::ptr::NonNull;

use linux_raw_sys::general::{
    __NR_clone, __NR_close, __NR_exit, CLONE_FS, CLONE_SIGHAND, CLONE_THREAD, CLONE_VFORK, CLONE_VM,
};

use super::call::{call, checked};
use super::file;
use super::mapping::{self, At};
use super::thread;

/// The stack of the thread, mapped for it.
const STACK: usize = 1 << 18;

/// The flags of what the thread shares: all but the table of descriptors.
const SHARED: u32 = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_VFORK | CLONE_THREAD;

/// Returns true if this is such a thread. The registry's lock keeps all others out.
pub fn is_apart() -> bool {
    file::standard_are_free()
}

/// Calls `act` where descriptors 0, 1 and 2 are free. Returns false if that is not possible.
/// Signals must be blocked.
pub fn run<F: FnMut()>(act: &mut F) -> bool {
    if is_apart() {
        return false;
    }
    let Some(stack) = mapping::map_private(At::Anywhere, STACK) else { return false };
    file::free_standard(true);
    // SAFETY: the stack is ours, the closure outlives the thread, and no other code uses it
    // meanwhile.
    let made = checked(unsafe { clone(stack, begin::<F>, (&raw mut *act).cast()) });
    // The thread has given back the memory, but the kernel still counts it among the threads until
    // it is done with it.
    while made.is_ok_and(|number| thread::is_alive(number as u32)) {
        thread::let_others_run();
    }
    file::free_standard(false);
    // SAFETY: the thread has ended.
    unsafe { mapping::unmap(stack, STACK) };
    made.is_ok()
}

extern "C" fn begin<F: FnMut()>(act: *mut u8) {
    for descriptor in 0..3 {
        // SAFETY: the table is this thread's own.
        unsafe { call(__NR_close, [descriptor, 0, 0, 0, 0, 0]) };
    }
    // SAFETY: the pointer is from `run`, which waits.
    let act = unsafe { &mut *act.cast::<F>() };
    act();
}

/// Runs a function in a new thread to its end.
///
/// # Safety
/// The stack must have [`STACK`] bytes, and `argument` must be valid for the function.
unsafe fn clone(stack: NonNull<u8>, function: extern "C" fn(*mut u8), argument: *mut u8) -> usize {
    let result;
    // SAFETY: the new thread has a stack of its own, on which it calls the function and ends
    // without returning.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r12",
            "call r13",
            "xor edi, edi",
            "mov eax, {exit}",
            "syscall",
            "ud2",
            "2:",
            inlateout("rax") __NR_clone as usize => result,
            exit = const __NR_exit,
            in("rdi") SHARED as usize,
            in("rsi") stack.as_ptr().add(STACK),
            in("rdx") 0,
            in("r10") 0,
            in("r8") 0,
            in("r12") argument,
            in("r13") function,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::{File, thread};

    #[test]
    fn a_file_can_be_opened_where_none_can() {
        // The thread's table is its own: the standard descriptors of this process stay as they are.
        let before = std::fs::read_link("/proc/self/fd/1").expect("open");
        let mut opened = (0, false);
        let mask = thread::block_signals();
        let done = run(&mut || {
            let descriptor = |file: &File| file.descriptor();
            opened = (
                File::open(c"/proc/self/stat").as_ref().map_or(99, descriptor),
                file::standard_are_free(),
            );
        });
        thread::restore_signals(mask);
        assert!(done && opened == (0, true) && !file::standard_are_free());
        assert_eq!(std::fs::read_link("/proc/self/fd/1").expect("still open"), before);
    }
}
