//! The handler of SIGBUS, which the kernel sends for a page of a mapped file that it cannot
//! provide, and the alternative stacks of handlers.

use core::arch::asm;

use linux_raw_sys::general::{
    __NR_rt_sigaction, __NR_rt_sigreturn, __NR_sigaltstack, __NR_tgkill, SA_ONSTACK, SA_RESTORER,
    SA_SIGINFO, SIGBUS, SS_DISABLE, SS_ONSTACK,
};

use super::call::call;
use super::process::process;
use super::thread;

/// A `struct sigaction` of the kernel.
#[repr(C)]
struct Action {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// The front of a `siginfo_t` of this signal.
#[repr(C)]
pub struct Information {
    numbers: [u32; 2],
    /// Above 0 if the kernel itself sent it.
    pub code: i32,
    unused: u32,
    /// The address at which memory could not be provided.
    pub address: usize,
}

/// A handler of signals.
pub type Handler = extern "C" fn(u32, &Information);

/// Returns the address to which a handler returns. The code is not a function of Rust: that would
/// be a global symbol of every object with system calls, and a program may have two of them.
fn end_of_handler() -> usize {
    let address: usize;
    // SAFETY: takes the address of code that is not executed here.
    unsafe {
        asm!(
            ".pushsection .text.__pathcc_end_of_handler, \"ax\", @progbits",
            "2:",
            "mov rax, {}",
            "syscall",
            ".popsection",
            "lea {}, [rip + 2b]",
            const __NR_rt_sigreturn,
            out(reg) address,
            options(nomem, nostack, preserves_flags, pure),
        );
    }
    address
}

/// Returns the address of the handler, 0 by default.
fn handler() -> usize {
    let mut action = Action { handler: 1, flags: 0, restorer: 0, mask: 0 };
    // SAFETY: the kernel fills the structure; a set of signals has eight bytes.
    unsafe { call(__NR_rt_sigaction, [SIGBUS as usize, 0, &raw mut action as usize, 8, 0, 0]) };
    action.handler
}

fn set(action: &Action) {
    // SAFETY: the kernel reads the structure. A handler stays where it is until it is removed.
    unsafe { call(__NR_rt_sigaction, [SIGBUS as usize, &raw const *action as usize, 0, 8, 0, 0]) };
}

/// Installs the handler, unless the program has one.
pub fn handle_with(handler: Handler) {
    if self::handler() == 0 {
        let flags = u64::from(SA_SIGINFO | SA_RESTORER | SA_ONSTACK);
        set(&Action { handler: handler as usize, flags, restorer: end_of_handler(), mask: 0 });
    }
}

/// Returns true if this handler is installed.
pub fn is_handled_with(handler: Handler) -> bool {
    self::handler() == handler as usize
}

/// Removes the handler, if it is still installed.
pub fn forget(handler: Handler) {
    if is_handled_with(handler) {
        reset();
    }
}

/// Reacts to the signal, in a handler. `replace` is given the address at which memory could not be
/// provided, and returns true if memory is there now. Otherwise the program ends as it would
/// without the handler.
pub fn react(information: &Information, replace: impl FnOnce(usize) -> bool) {
    let is_sent = information.code <= 0;
    if !is_sent && replace(information.address) {
        return;
    }
    // The instruction that raised the signal raises it again.
    reset();
    if is_sent {
        send_again();
    }
}

/// Restores the default: the signal ends the program.
pub fn reset() {
    set(&Action { handler: 0, flags: 0, restorer: 0, mask: 0 });
}

/// Sends the signal to the calling thread.
fn send_again() {
    // SAFETY: no pointers.
    unsafe {
        call(
            __NR_tgkill,
            [process() as usize, thread::current() as usize, SIGBUS as usize, 0, 0, 0],
        )
    };
}

/// An alternative stack for handlers: a `stack_t` of the kernel.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Alternative {
    start: usize,
    flags: u32,
    unused: u32,
    length: usize,
}

impl Alternative {
    /// No stack.
    pub(super) const NONE: Self = Self { start: 0, flags: SS_DISABLE, unused: 0, length: 0 };

    /// Returns a stack in this memory.
    pub(super) fn new(start: usize, length: usize) -> Self {
        Self { start, flags: 0, unused: 0, length }
    }

    fn of_thread() -> Self {
        let mut known = Self::NONE;
        // SAFETY: the kernel fills the structure.
        unsafe { call(__NR_sigaltstack, [0, &raw mut known as usize, 0, 0, 0, 0]) };
        known
    }

    /// Returns the stack of this thread, if the thread runs on it.
    pub(super) fn of_caller() -> Option<Self> {
        let known = Self::of_thread();
        (known.flags & SS_ONSTACK != 0).then_some(Self { flags: 0, ..known })
    }

    /// Returns true if this thread has an alternative stack.
    pub(super) fn is_there() -> bool {
        Self::of_thread().flags & SS_DISABLE == 0
    }

    /// Makes it the stack of this thread, which must not run on another one.
    pub(super) fn set(&self) {
        // SAFETY: the kernel reads the structure. The memory comes from the program.
        unsafe { call(__NR_sigaltstack, [&raw const *self as usize, 0, 0, 0, 0, 0]) };
    }
}
