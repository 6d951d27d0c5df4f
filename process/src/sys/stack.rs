//! A stack of the runtime's own, for work that needs more than a caller may have left. The process
//! may end in a handler on a small alternative stack, or in a coroutine.

use core::arch::asm;
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use super::signal::Alternative;

/// The length of the stack. The work takes some three thousand bytes. The rest is for a handler of
/// SIGBUS on top of it, and for the functions of the C library that are called.
const LENGTH: usize = 1 << 16;

/// Memory with the ABI's alignment of a stack.
#[repr(C, align(16))]
struct Memory([u8; LENGTH]);

/// A stack, for one thread at a time. All-zero bytes are an unused stack.
#[repr(C)]
pub struct Stack {
    memory: UnsafeCell<Memory>,
    in_use: AtomicBool,
}

// SAFETY: only the thread that has set `in_use` uses the memory.
unsafe impl Sync for Stack {}

impl Stack {
    /// Returns an unused stack.
    pub const fn new() -> Self {
        Self { memory: UnsafeCell::new(Memory([0; LENGTH])), in_use: AtomicBool::new(false) }
    }

    /// Calls `act` on this stack, or on the caller's if this one is in use. All signals but SIGBUS
    /// must be blocked.
    pub fn run<T>(&self, act: impl FnOnce() -> T) -> T {
        if self.in_use.swap(true, Ordering::Acquire) {
            return act();
        }
        let (mut act, mut result) = (Some(act), None);
        let alternative = Alternative::of_caller();
        self.call(&mut || {
            // The kernel would begin at the top of the caller's stack again, over its frames.
            alternative.inspect(|_| Alternative::NONE.set());
            result = act.take().map(|act| act());
            alternative.inspect(Alternative::set);
        });
        self.in_use.store(false, Ordering::Release);
        match result {
            Some(result) => result,
            // `act` was called.
            None => loop {
                core::hint::spin_loop();
            },
        }
    }

    /// Makes it the stack for handlers in this thread, if they have no other. It is theirs from
    /// then on.
    pub fn lend_to_handlers(&self) {
        if !Alternative::is_there() && !self.in_use.swap(true, Ordering::Acquire) {
            Alternative::new(self.memory.get() as usize, LENGTH).set();
        }
    }

    fn call<F: FnMut()>(&self, act: &mut F) {
        extern "C" fn begin<F: FnMut()>(act: *mut F) {
            // SAFETY: the pointer is from below, where the call is waited for.
            unsafe { (*act)() }
        }
        let start = self.memory.get() as usize;
        let registered = ask_valgrind(REGISTER, [start, start + LENGTH]);
        // SAFETY: the memory is the caller's alone, and the function returns. Its frame is known to
        // unwinders and debuggers.
        unsafe {
            asm!(
                ".pushsection .text.__pathcc_on_stack, \"ax\", @progbits",
                "2:",
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "mov rsp, rsi",
                "call rdx",
                "mov rsp, rbp",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                ".popsection",
                "call 2b",
                in("rdi") &raw mut *act,
                in("rsi") start + LENGTH,
                in("rdx") begin::<F> as extern "C" fn(*mut F),
                clobber_abi("C"),
            );
        }
        ask_valgrind(DEREGISTER, [registered, 0]);
    }
}

/// The requests for stacks of valgrind: `VALGRIND_STACK_REGISTER` and `VALGRIND_STACK_DEREGISTER`
/// of `valgrind/valgrind.h`.
const REGISTER: usize = 0x1501;
const DEREGISTER: usize = 0x1502;

/// Makes a request to valgrind, which warns of stacks that are not registered. Outside of valgrind
/// these instructions do nothing.
fn ask_valgrind(request: usize, [first, second]: [usize; 2]) -> usize {
    let words = [request, first, second, 0, 0, 0];
    let mut answer = 0usize;
    // SAFETY: the four rotations add up to 128 bits, so the register is as before.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") answer,
            in("rax") words.as_ptr(),
            in("rdi") 0,
            options(nostack),
        );
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn address_of_frame() -> usize {
        let word = 0u8;
        core::hint::black_box(&raw const word) as usize
    }

    #[test]
    fn work_is_done_on_it_once_at_a_time() {
        static STACK: Stack = Stack::new();
        let start = STACK.memory.get() as usize;
        let is_on_it = || (start..start + LENGTH).contains(&address_of_frame());
        assert!(!is_on_it());
        let mut inner = None;
        assert!(STACK.run(|| {
            inner = Some(STACK.run(is_on_it));
            is_on_it()
        }));
        assert_eq!(inner, Some(true), "what is called there stays there");
        assert!(STACK.run(is_on_it), "it is free again");
        let other = std::thread::spawn(move || STACK.run(|| STACK.in_use.load(Ordering::Relaxed)));
        assert!(other.join().expect("it does not panic"));
    }
}
