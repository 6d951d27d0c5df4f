//! What happens when a page of a mapped file cannot be had.

use core::arch::naked_asm;

use super::call::call;
use super::process::process;
use super::thread::{self, SIGBUS};

const RT_SIGACTION: usize = 13;
const TGKILL: usize = 234;

const SA_SIGINFO: u64 = 4;
const SA_RESTORER: u64 = 0x0400_0000;
const SA_ONSTACK: u64 = 0x0800_0000;

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
pub(crate) struct Information {
    numbers: [u32; 2],
    /// Above 0 if the kernel itself sent it.
    pub(crate) code: i32,
    unused: u32,
    /// Where memory could not be had.
    pub(crate) address: usize,
}

/// A handler of signals.
pub(crate) type Handler = extern "C" fn(u32, &Information);

/// Where a handler returns to.
#[unsafe(naked)]
extern "C" fn end_of_handler() {
    naked_asm!("mov rax, 15", "syscall")
}

/// The address of the handler, 0 by default.
fn handler() -> usize {
    let mut action = Action { handler: 1, flags: 0, restorer: 0, mask: 0 };
    // SAFETY: the kernel fills the structure; a set of signals has eight bytes.
    unsafe { call(RT_SIGACTION, [SIGBUS as usize, 0, &raw mut action as usize, 8, 0, 0]) };
    action.handler
}

fn set(action: &Action) {
    // SAFETY: the kernel reads the structure; the handler, if any, stays where it is until it is
    // taken away.
    unsafe { call(RT_SIGACTION, [SIGBUS as usize, &raw const *action as usize, 0, 8, 0, 0]) };
}

/// Handles the signal, unless the program does.
pub(crate) fn handle_with(handler: Handler) {
    if self::handler() == 0 {
        let flags = SA_SIGINFO | SA_RESTORER | SA_ONSTACK;
        set(&Action {
            handler: handler as usize,
            flags,
            restorer: end_of_handler as *const () as usize,
            mask: 0,
        });
    }
}

/// Takes the handler away, if it is still there.
pub(crate) fn forget(handler: Handler) {
    if self::handler() == handler as usize {
        reset();
    }
}

/// What happens by default: the signal ends the program.
pub(crate) fn reset() {
    set(&Action { handler: 0, flags: 0, restorer: 0, mask: 0 });
}

/// Sends the signal to this very thread.
pub(crate) fn send_again() {
    // SAFETY: no pointers.
    unsafe {
        call(TGKILL, [process() as usize, thread::current() as usize, SIGBUS as usize, 0, 0, 0])
    };
}
