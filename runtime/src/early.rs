//! Code that runs before the C library has made the thread-local variables: resolvers of ifuncs,
//! and in a static program all that the C library calls before, such as a `memcpy` of the program's
//! own. A program without a C library has nothing else.
//!
//! A static program is entered here (the linker puts this entry before the program's own:
//! `linker-shim/src/entry.rs`), and gets a thread pointer to a block that has our words and nothing
//! else, until the C library sets its own. In any other program there is a thread pointer, and the
//! words are still 0 when resolvers run; those call this first.
//!
//! Nothing is relocated yet in a static-pie. So only addresses are used that code computes from its
//! own.

use core::arch::global_asm;
use core::slice;

use pathformat::raw::OWN_BASE;
use process::sys::mapping::{self, At};
use process::sys::thread;

use pathformat::descriptor::Module;

// The entry, and what the linker finds and fills in: how far the program's own entry is from this
// one, and whether nobody else will call constructors. The stack is aligned as the kernel leaves
// it, and all registers but it and the return value are as the kernel leaves them.
global_asm!(
    ".pushsection .text.__pathcc_entry, \"ax\", @progbits",
    ".p2align 4",
    ".globl __pathcc_entry",
    ".hidden __pathcc_entry",
    ".type __pathcc_entry, @function",
    "__pathcc_entry:",
    ".cfi_startproc",
    ".cfi_undefined %rip",
    "endbr64",
    "movq %rsp, 3f(%rip)",
    "pushq %rdx",
    "pushq %rdx",
    "call __pathcc.early",
    "cmpl $0, 2f+20(%rip)",
    "je 1f",
    "call __pathcc_start",
    "1:",
    "popq %rdx",
    "popq %rdx",
    "leaq __pathcc_entry(%rip), %rax",
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
    ".size __pathcc_entry, . - __pathcc_entry",
    ".popsection",
    ".pushsection .rodata.__pathcc_entry, \"a\", @progbits",
    ".p2align 3",
    "2:",
    ".ascii \"pathcc entry\\1\\0\\0\\0\"",
    ".long __pathcc_entry - .",
    ".long 0",
    ".quad 0",
    ".popsection",
    ".pushsection .bss.__pathcc_initial_stack, \"aw\", @nobits",
    ".p2align 3",
    ".globl __pathcc_initial_stack",
    ".hidden __pathcc_initial_stack",
    "3:",
    "__pathcc_initial_stack:",
    ".zero 8",
    ".popsection",
    ".hidden __pathcc.early",
    options(att_syntax)
);

unsafe extern "C" {
    /// The stack pointer at the entry; null if the program is entered elsewhere.
    #[link_name = "__pathcc_initial_stack"]
    static INITIAL_STACK: *const usize;
}

/// The list of the variables with which a static program was started; null in any other program.
pub(crate) fn initial_environment() -> *const *const u8 {
    // SAFETY: only the entry writes it. The kernel has put the number of arguments there, then
    // these, a null, and the variables.
    unsafe {
        if INITIAL_STACK.is_null() {
            return core::ptr::null();
        }
        INITIAL_STACK.add(*INITIAL_STACK + 2).cast()
    }
}

// What the linker's `__pathcc.early` goes on with.
global_asm!(
    ".globl __pathcc_prepare_thread",
    ".hidden __pathcc_prepare_thread",
    ".set __pathcc_prepare_thread, {prepare}",
    prepare = sym prepare,
);

/// How far a block reaches behind its thread pointer. Nothing is there but zeros, and the pointer
/// itself, where the ABI wants it.
const BEHIND: usize = 4096;

/// Makes the words of the calling thread, which lead to the region, and a block for them if there
/// is no thread pointer. They begin at this distance from it, if it is not 0.
extern "C" fn prepare(region: *const u8, modules: *const Module, count: u32, distance: usize) {
    let pointer = match thread::base() {
        Some(0) => make_block(distance),
        other => other,
    };
    let Some(pointer) = pointer.filter(|_| distance != 0) else { return };
    // SAFETY: the linker lays out that many entries there.
    let modules = unsafe { slice::from_raw_parts(modules, count as usize) };
    let own = |module: &&Module| module.threads & u64::from(OWN_BASE) != 0;
    let bases = modules
        .iter()
        .filter(own)
        .map(|module| (region as usize).wrapping_add(module.offset as usize));
    let words = core::iter::once(0).chain(bases);
    for (word, address) in words.zip((pointer.wrapping_add(distance)..).step_by(size_of::<usize>()))
    {
        // SAFETY: the words are in the block of each thread, at a distance that the linker knows.
        unsafe { (address as *mut usize).write_volatile(word) };
    }
}

/// A block whose words begin at this distance from its thread pointer, which the calling thread has
/// from now on.
fn make_block(distance: usize) -> Option<usize> {
    let before = distance.wrapping_neg().checked_next_multiple_of(BEHIND)?;
    let start = mapping::map_private(At::Anywhere, before.checked_add(BEHIND)?)?;
    let pointer = (start.as_ptr() as usize).wrapping_add(before);
    // SAFETY: within the mapping.
    unsafe { (pointer as *mut usize).write(pointer) };
    thread::set_base(pointer).then_some(pointer)
}
