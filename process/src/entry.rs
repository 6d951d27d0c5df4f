//! The entry of a program that no dynamic linker prepares, before its own.
//!
//! The kernel starts such a program without a thread pointer, and code of ours may run before the C
//! library sets one. So `ld.pathld` puts an entry before the program's
//! (`linker-shim/src/entry.rs`), which gives the thread a block of zeros for its thread-local
//! variables. Nothing is relocated yet in a static-pie. The code here therefore uses only addresses
//! that it computes from its own.

use linux_raw_sys::auxvec::{AT_NULL, AT_PHDR, AT_PHNUM};

use crate::sys::mapping::{self, At};
use crate::sys::thread;

/// Defines an entry, and what `ld.pathld` finds and fills in behind the `signature` of 16 bytes:
/// the distance of the program's own entry from this one, and a flag for a program in which nothing
/// else calls constructors. The entry calls `prepare` and, if the flag says so, `__pathcc_start`.
///
/// Also defines `initial_stack`, which returns the stack pointer at the entry; null if the program
/// is entered elsewhere. It is at the symbol `stack`.
///
/// The stack is aligned as the kernel leaves it. All registers but the stack pointer and the return
/// value are as the kernel leaves them.
#[macro_export]
macro_rules! entry {
    ($entry:literal, $stack:literal, $signature:literal, $prepare:literal) => {
        ::core::arch::global_asm!(
            concat!(".pushsection .text.", $entry, ", \"ax\", @progbits"),
            ".p2align 4",
            concat!(".globl ", $entry),
            concat!(".hidden ", $entry),
            concat!(".type ", $entry, ", @function"),
            concat!($entry, ":"),
            ".cfi_startproc",
            ".cfi_undefined %rip",
            "endbr64",
            "movq %rsp, 3f(%rip)",
            "pushq %rdx",
            "pushq %rdx",
            concat!("call ", $prepare),
            "cmpl $0, 2f+20(%rip)",
            "je 1f",
            "call __pathcc_start",
            "1:",
            "popq %rdx",
            "popq %rdx",
            concat!("leaq ", $entry, "(%rip), %rax"),
            "addq 2f+24(%rip), %rax",
            "xorl %ecx, %ecx",
            "xorl %esi, %esi",
            "xorl %edi, %edi",
            "xorl %r8d, %r8d",
            "xorl %r9d, %r9d",
            "xorl %r10d, %r10d",
            "xorl %r11d, %r11d",
            "jmp *%rax",
            ".cfi_endproc",
            concat!(".size ", $entry, ", . - ", $entry),
            ".popsection",
            concat!(".pushsection .rodata.", $entry, ", \"a\", @progbits"),
            ".p2align 3",
            "2:",
            concat!(".ascii \"", $signature, "\""),
            concat!(".long ", $entry, " - ."),
            ".long 0",
            ".quad 0",
            ".popsection",
            concat!(".pushsection .bss.", $stack, ", \"aw\", @nobits"),
            ".p2align 3",
            concat!(".globl ", $stack),
            concat!(".hidden ", $stack),
            "3:",
            concat!($stack, ":"),
            ".zero 8",
            ".popsection",
            concat!(".hidden ", $prepare),
            options(att_syntax)
        );

        /// Returns the stack pointer at the entry; null if the program is entered elsewhere.
        fn initial_stack() -> *const usize {
            let stack: *const usize;
            // SAFETY: reads a word of the image's own, which only the entry writes. Its address is
            // computed, since no table may be relocated yet.
            unsafe {
                ::core::arch::asm!(
                    concat!("mov {}, qword ptr [rip + ", $stack, "]"),
                    out(reg) stack,
                    options(nostack, preserves_flags, readonly),
                );
            }
            stack
        }
    };
}

/// The size of a block behind its thread pointer. It holds zeros, except for the pointer itself,
/// where the ABI wants it.
const BEHIND: usize = 4096;

/// The kind of the program header that describes thread-local variables, and the offsets of the
/// words with their size and alignment.
const PT_TLS: u32 = 7;
const SIZE_IN_HEADER: usize = 40;
const ALIGNMENT_IN_HEADER: usize = 48;

/// The length of a program header.
const HEADER: usize = 56;

/// Returns the list of the variables with which the program was started; null without a stack.
///
/// # Safety
/// The stack is null, or that which the kernel gave the program.
pub unsafe fn variables(stack: *const usize) -> *const *const u8 {
    if stack.is_null() {
        return core::ptr::null();
    }
    // SAFETY: the kernel has put the number of arguments there, then the arguments, a null, and the
    // variables.
    unsafe { stack.add(*stack + 2).cast() }
}

/// Maps a block of zeros for the thread-local variables of the program, at least `least` bytes, and
/// makes it that of the calling thread, which has none. Returns the thread pointer.
///
/// # Safety
/// As for [`variables`].
pub unsafe fn make_block(stack: *const usize, least: usize) -> Option<usize> {
    // SAFETY: the caller vouches for it.
    let size = unsafe { thread_local_size(stack) };
    let before = size.max(least).checked_next_multiple_of(BEHIND)?;
    let start = mapping::map_private(At::Anywhere, before.checked_add(BEHIND)?)?;
    let pointer = (start.as_ptr() as usize).wrapping_add(before);
    // SAFETY: within the mapping.
    unsafe { (pointer as *mut usize).write(pointer) };
    thread::set_base(pointer).then_some(pointer)
}

/// Returns the number of bytes before the thread pointer that hold the program's variables.
///
/// # Safety
/// As for [`variables`].
unsafe fn thread_local_size(stack: *const usize) -> usize {
    // SAFETY: a null ends the variables, and the auxiliary vector is behind it. It leads to the
    // program headers, which are in memory.
    unsafe {
        let mut next = variables(stack);
        if next.is_null() {
            return 0;
        }
        while !(*next).is_null() {
            next = next.add(1);
        }
        let mut entry = next.add(1).cast::<[usize; 2]>();
        let (mut headers, mut count) = (0, 0);
        while (*entry)[0] != AT_NULL as usize {
            match (*entry)[0] as u32 {
                AT_PHDR => headers = (*entry)[1],
                AT_PHNUM => count = (*entry)[1],
                _ => {}
            }
            entry = entry.add(1);
        }
        if headers == 0 {
            return 0;
        }
        let mut size = 0;
        for header in (headers..).step_by(HEADER).take(count) {
            if (header as *const u32).read() == PT_TLS {
                let word = |offset: usize| ((header + offset) as *const usize).read();
                let alignment = word(ALIGNMENT_IN_HEADER).max(1);
                size = word(SIZE_IN_HEADER).next_multiple_of(alignment);
            }
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_holds_all_thread_local_variables() {
        let mut headers = [0u8; 2 * HEADER];
        headers[HEADER] = PT_TLS as u8;
        headers[HEADER + SIZE_IN_HEADER] = 100;
        headers[HEADER + ALIGNMENT_IN_HEADER] = 64;
        let text = c"A=1".as_ptr() as usize;
        let headers = headers.as_ptr() as usize;
        let [phdr, phnum] = [AT_PHDR, AT_PHNUM].map(|kind| kind as usize);
        let stack = [1, text, 0, text, text, 0, phnum, 2, phdr, headers, 0, 0];
        // SAFETY: laid out as the kernel does it.
        unsafe {
            assert_eq!(variables(stack.as_ptr()).cast(), &raw const stack[3]);
            assert_eq!(thread_local_size(stack.as_ptr()), 128);
        }
    }

    #[test]
    fn a_program_may_have_no_thread_local_variables() {
        let stack = [0, 0, 0, 0, 0];
        // SAFETY: as above.
        unsafe {
            assert_eq!(thread_local_size(stack.as_ptr()), 0);
            assert_eq!(thread_local_size(core::ptr::null()), 0);
            assert!(variables(core::ptr::null()).is_null());
        }
    }
}
