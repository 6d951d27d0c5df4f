//! The entry of a static program that is traced and does not count: it lets code run before the C
//! library has set a thread pointer. The paths of that code are recorded as all others are once the
//! program is relocated, and the thread goes on in the same stream later.

use process::entry;
use process::sys::thread;

process::entry!(
    "__pathcc_trace_entry",
    "__pathcc_trace_initial_stack",
    "pathcc traces\\1\\0\\0",
    "__pathcc_trace_early"
);

core::arch::global_asm!(
    ".globl __pathcc_trace_early",
    ".hidden __pathcc_trace_early",
    ".set __pathcc_trace_early, {prepare}",
    prepare = sym prepare,
);

/// Gives the first thread a block, unless it has a thread pointer.
extern "C" fn prepare() {
    if thread::base() == Some(0) {
        // SAFETY: the entry has written it, and the kernel gave it the stack.
        unsafe { entry::make_block(initial_stack(), 0) };
    }
}
