//! Code that runs before the C library has set up the thread-local variables: resolvers of ifuncs,
//! and in a static program all functions that the C library calls before, such as a `memcpy` of the
//! program's own. A program without a C library runs only such code.
//!
//! A static program is entered here (`process/src/entry.rs`). It gets a thread pointer to a block
//! of zeros until the C library sets its own. Any other program has a thread pointer, and its words
//! are still 0 when resolvers run; the resolvers call this code first.

use core::arch::global_asm;
use core::slice;

use pathformat::raw::OWN_BASE;
use process::entry;
use process::sys::thread;

use pathformat::descriptor::Module;

process::entry!(
    "__pathcc_entry",
    "__pathcc_initial_stack",
    "pathcc entry\\1\\0\\0\\0",
    "__pathcc.early"
);

/// Returns the list of the variables with which a static program was started; null in any other
/// program.
pub(crate) fn initial_environment() -> *const *const u8 {
    // SAFETY: only the entry writes it, and the kernel gave it the stack.
    unsafe { entry::variables(initial_stack()) }
}

// The function to which the linker's `__pathcc.early` jumps.
global_asm!(
    ".globl __pathcc_prepare_thread",
    ".hidden __pathcc_prepare_thread",
    ".set __pathcc_prepare_thread, {prepare}",
    prepare = sym prepare,
);

/// Sets the words of the calling thread, which lead to the region. Maps a block for them if there
/// is no thread pointer. The words begin at this distance from the thread pointer, if it is not 0.
extern "C" fn prepare(region: *const u8, modules: *const Module, count: u32, distance: usize) {
    let pointer = match thread::base() {
        // SAFETY: only the entry writes it, and the kernel gave it the stack.
        Some(0) => unsafe { entry::make_block(initial_stack(), distance.wrapping_neg()) },
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
