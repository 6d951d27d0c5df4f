//! Code that runs before the C library has set up the thread-local variables: resolvers of ifuncs,
//! and in a static program all functions that the C library calls before, such as a `memcpy` of the
//! program's own. A program without a C library runs only such code.
//!
//! A static program is entered here. The linker puts this entry before the program's own
//! (`linker-shim/src/entry.rs`). The program gets a thread pointer to a block with only the
//! runtime's words, until the C library sets its own. Any other program has a thread pointer, and
//! its words are still 0 when resolvers run; the resolvers call this code first.
//!
//! Nothing is relocated yet in a static-pie. The code therefore uses only addresses that it
//! computes from its own.

use core::arch::global_asm;
use core::slice;

use pathformat::raw::OWN_BASE;
use process::sys::mapping::{self, At};
use process::sys::thread;

use pathformat::descriptor::Module;

// The entry, and the values that the linker finds and fills in: the distance of the program's own
// entry from this one, and a flag for a program in which nothing else calls constructors. The stack
// is aligned as the kernel leaves it. All registers but the stack pointer and the return value are
// as the kernel leaves them.
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

/// Returns the list of the variables with which a static program was started; null in any other
/// program.
pub(crate) fn initial_environment() -> *const *const u8 {
    // SAFETY: only the entry writes it. The kernel has put the number of arguments there, then the
    // arguments, a null, and the variables.
    unsafe {
        if INITIAL_STACK.is_null() {
            return core::ptr::null();
        }
        INITIAL_STACK.add(*INITIAL_STACK + 2).cast()
    }
}

// The function to which the linker's `__pathcc.early` jumps.
global_asm!(
    ".globl __pathcc_prepare_thread",
    ".hidden __pathcc_prepare_thread",
    ".set __pathcc_prepare_thread, {prepare}",
    prepare = sym prepare,
);

/// The size of a block behind its thread pointer. It holds zeros, except for the pointer itself,
/// where the ABI wants it.
const BEHIND: usize = 4096;

/// Sets the words of the calling thread, which lead to the region. Maps a block for them if there
/// is no thread pointer. The words begin at this distance from the thread pointer, if it is not 0.
extern "C" fn prepare(region: *const u8, modules: *const Module, count: u32, distance: usize) {
    let pointer = match thread::base() {
        Some(0) => make_block(distance),
        other => other,
    };
    let Some(pointer) = pointer.filter(|_| distance != 0) else { return };
    // SAFETY: the linker lays out `count` entries there.
    let modules = unsafe { slice::from_raw_parts(modules, count as usize) };
    let own = |module: &&Module| module.threads & u64::from(OWN_BASE) != 0;
    let bases = modules
        .iter()
        .filter(own)
        .map(|module| (region as usize).wrapping_add(module.offset as usize));
    let words = core::iter::once(0).chain(bases);
    for (word, address) in words.zip((pointer.wrapping_add(distance)..).step_by(size_of::<usize>()))
    {
        // SAFETY: the words are in the block of each thread, at the distance that the linker chose.
        unsafe { (address as *mut usize).write_volatile(word) };
    }
}

/// Maps a block whose words begin at this distance from its thread pointer, and makes it the block
/// of the calling thread.
fn make_block(distance: usize) -> Option<usize> {
    let before = distance.wrapping_neg().checked_next_multiple_of(BEHIND)?;
    let start = mapping::map_private(At::Anywhere, before.checked_add(BEHIND)?)?;
    let pointer = (start.as_ptr() as usize).wrapping_add(before);
    // SAFETY: within the mapping.
    unsafe { (pointer as *mut usize).write(pointer) };
    thread::set_base(pointer).then_some(pointer)
}
