//! The symbols and sections by which the object joins a program. All global symbols are hidden.

use core::arch::global_asm;
use core::panic::PanicInfo;

use crate::build_id::FileHead;

/// Where a panic would end. Nothing here can panic on any input; should it still happen, hanging would show it.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

// Constructor and destructor. Priorities up to 100 are the implementation's: the program's own constructors run
// after ours, its destructors before.
global_asm!(
    ".pushsection .text.__pathcc_start, \"ax\", @progbits",
    "__pathcc_start:",
    "endbr64",
    "jmp {start}",
    "__pathcc_stop:",
    "endbr64",
    "jmp {stop}",
    ".popsection",
    ".pushsection .init_array.00001, \"aw\", @init_array",
    ".p2align 3",
    ".quad __pathcc_start",
    ".popsection",
    ".pushsection .fini_array.00001, \"aw\", @fini_array",
    ".p2align 3",
    ".quad __pathcc_stop",
    ".popsection",
    start = sym crate::lifetime::start,
    stop = sym crate::lifetime::stop,
);

// The image supports indirect-branch tracking and shadow stacks only if every object in it says so.
global_asm!(
    ".pushsection .note.gnu.property, \"a\", @note",
    ".p2align 3",
    ".long 4, 16, 5",
    ".asciz \"GNU\"",
    ".long 0xc0000002, 4, 3, 0",
    ".popsection",
);

// A word with the address of the image's file head, or 0 if the linker does not define it.
global_asm!(
    ".pushsection .data.rel.ro.__pathcc_file_head, \"aw\", @progbits",
    ".p2align 3",
    ".weak __ehdr_start",
    ".hidden __ehdr_start",
    ".hidden __pathcc_file_head_{member}",
    ".globl __pathcc_file_head_{member}",
    "__pathcc_file_head_{member}:",
    ".quad __ehdr_start",
    ".popsection",
    member = const if cfg!(feature = "log") { 1 } else { 0 },
);

unsafe extern "C" {
    #[cfg_attr(feature = "log", link_name = "__pathcc_file_head_1")]
    #[cfg_attr(not(feature = "log"), link_name = "__pathcc_file_head_0")]
    static FILE_HEAD: *const FileHead;
}

/// The head of this image's file in memory, or null.
pub(crate) fn file_head() -> *const FileHead {
    // SAFETY: the word is constant once the image is relocated.
    unsafe { FILE_HEAD }
}

#[cfg(not(feature = "log"))]
mod counters {
    use core::arch::{asm, global_asm};
    use core::ffi::CStr;
    use core::mem::transmute;

    use crate::counting::HUB;
    use crate::hub::Hub;
    use crate::image::Image;
    use crate::threads::{self, Kind};

    // What the module made by the linker refers to, and what it defines.
    global_asm!(
        ".macro export name, target",
        ".globl \\name",
        ".hidden \\name",
        ".set \\name, \\target",
        ".endm",
        "export __pathcc_runtime, __pathcc_start",
        "export __pathcc_create_thread, {create}",
        "export __pathcc_hub, {hub}",
        ".purgem export",
        ".hidden __pathcc_image",
        ".hidden __pathcc_delta_offset",
        create = sym threads::create,
        hub = sym HUB,
    );

    // Where a registered thread begins: the number of its slot is its argument. Then it runs what it was created for,
    // with no frame of ours on its stack, so that it ends, unwinds and looks in a debugger as without us.
    global_asm!(
        ".pushsection .text.__pathcc_thread_start, \"ax\", @progbits",
        ".p2align 4",
        ".type __pathcc_thread_start, @function",
        "__pathcc_thread_start:",
        ".cfi_startproc",
        "endbr64",
        "sub $8, %rsp",
        ".cfi_adjust_cfa_offset 8",
        "call {begin}",
        "add $8, %rsp",
        ".cfi_adjust_cfa_offset -8",
        "mov %rdx, %rdi",
        "jmp *%rax",
        ".cfi_endproc",
        ".size __pathcc_thread_start, . - __pathcc_thread_start",
        ".popsection",
        begin = sym threads::begin,
        options(att_syntax)
    );

    // Functions of others, as far as the program has them.
    global_asm!(
        ".macro other name",
        ".weak \\name",
        ".quad \\name",
        ".endm",
        ".pushsection .data.rel.ro.__pathcc_others, \"aw\", @progbits",
        ".p2align 3",
        ".globl __pathcc_others",
        ".hidden __pathcc_others",
        "__pathcc_others:",
        "other pthread_create",
        "other dlsym",
        "other __interceptor_pthread_create",
        "other __register_atfork",
        "other pthread_atfork",
        ".hidden __dso_handle",
        "other __dso_handle",
        "other __tsan_init",
        ".popsection",
        ".purgem other",
    );

    /// Addresses, 0 for what the program does not have.
    #[repr(C)]
    struct Others {
        create_thread: usize,
        find_symbol: usize,
        sanitizer_create_thread: usize,
        register_fork_handlers: usize,
        posix_register_fork_handlers: usize,
        library: usize,
        thread_sanitizer: usize,
    }

    unsafe extern "C" {
        #[link_name = "__pathcc_image"]
        static IMAGE: Image;
        #[link_name = "__pathcc_others"]
        static OTHERS: Others;
        #[link_name = "__pathcc_delta_offset"]
        fn delta_offset() -> usize;
    }

    /// The descriptor of this image.
    pub(crate) fn image() -> &'static Image {
        // SAFETY: the linker defines it, and it is constant once the image is relocated.
        unsafe { &IMAGE }
    }

    fn others() -> &'static Others {
        // SAFETY: constant once the image is relocated.
        unsafe { &OTHERS }
    }

    /// The address of this image's `delta` in the calling thread.
    pub(crate) fn delta() -> usize {
        // SAFETY: the linker's function only reads a word of the image's own.
        unsafe { delta_offset() }.wrapping_add(crate::sys::thread::pointer())
    }

    /// Where a registered thread begins.
    pub(crate) fn thread_start() -> usize {
        let address: usize;
        // SAFETY: computes an address.
        unsafe {
            asm!("lea {}, [rip + __pathcc_thread_start]", out(reg) address, options(nomem, nostack, preserves_flags));
        }
        address
    }

    /// Behind the entry of the `pthread_create` that `linker-shim/src/threads.rs` writes: says that it is ours, and ends with
    /// the version of what images share.
    const SIGNATURE: [u8; 16] = *b"pathcc threads\x02\0";

    /// Such a function starts at a multiple of this, so that so many bytes can be read wherever it is.
    const ALIGNMENT: usize = 64;

    /// The hub of the process: the executable's, or else this image's own.
    pub(crate) fn hub() -> &'static Hub {
        foreign_hub().unwrap_or(&HUB)
    }

    /// Whether that is this image's.
    pub(crate) fn has_own_hub() -> bool {
        foreign_hub().is_none()
    }

    fn foreign_hub() -> Option<&'static Hub> {
        let function = others().create_thread;
        if function == 0 || !function.is_multiple_of(ALIGNMENT) {
            return None;
        }
        // SAFETY: code can be read, and these bytes are on the page of its start.
        let (signature, distance) = unsafe {
            let place = (function + 16) as *const u8;
            (place.cast::<[u8; 16]>().read(), place.add(16).cast::<i32>().read())
        };
        // SAFETY: the signature vouches for the distance, and executables are never unloaded.
        (signature == SIGNATURE).then(|| unsafe { &*(((function + 32) as isize + distance as isize) as *const Hub) })
    }

    /// Whether every thread that the program creates is registered in the hub. A sanitizer's own threads would look as if
    /// they were not.
    pub(crate) fn sees_threads() -> bool {
        (foreign_hub().is_some() || !image().is_library()) && others().thread_sanitizer == 0
    }

    /// The function that creates a thread in the C library, or that of a sanitizer before it; 0 if there is none.
    pub(crate) fn next_create(kind: Kind) -> usize {
        let others = others();
        if kind == Kind::Posix && others.sanitizer_create_thread != 0 {
            return others.sanitizer_create_thread;
        }
        if others.find_symbol == 0 {
            return 0;
        }
        const NEXT: usize = usize::MAX;
        let name: &CStr = match kind {
            Kind::Posix => c"pthread_create",
            Kind::C => c"thrd_create",
        };
        // SAFETY: `dlsym` of the C library, with a text that ends with a NUL.
        unsafe {
            let find = transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(others.find_symbol);
            find(NEXT, name.as_ptr() as usize)
        }
    }

    /// Lets the C library call these functions around every fork, until this image is unloaded.
    pub(crate) fn register_fork_handlers(before: extern "C" fn(), after: extern "C" fn(), child: extern "C" fn()) {
        let others = others();
        type Handler = extern "C" fn();
        // A library that does not say who it is could not take its handlers with it.
        if others.register_fork_handlers != 0 && (others.library != 0 || !image().is_library()) {
            // SAFETY: glibc's function, which is in its ABI.
            unsafe {
                let register = transmute::<usize, unsafe extern "C" fn(Handler, Handler, Handler, usize) -> i32>(
                    others.register_fork_handlers,
                );
                register(before, after, child, others.library);
            }
        } else if others.posix_register_fork_handlers != 0 {
            // SAFETY: the function of POSIX.
            unsafe {
                let register = transmute::<usize, unsafe extern "C" fn(Handler, Handler, Handler) -> i32>(
                    others.posix_register_fork_handlers,
                );
                register(before, after, child);
            }
        }
    }
}

#[cfg(not(feature = "log"))]
pub(crate) use counters::{
    delta, has_own_hub, hub, image, next_create, register_fork_handlers, sees_threads, thread_start,
};

#[cfg(feature = "log")]
mod log {
    use core::arch::global_asm;

    use crate::log;

    // What code compiled with `-pathcc-mode=log` calls.
    global_asm!(
        ".macro export name, target",
        ".globl \\name",
        ".hidden \\name",
        ".type \\name, @function",
        ".set \\name, \\target",
        ".endm",
        "export __pathcc_log_enter, {enter}",
        "export __pathcc_log_block, {block}",
        "export __pathcc_log_end, {end}",
        ".purgem export",
        enter = sym enter,
        block = sym block,
        end = sym end,
    );

    /// A function is entered; gives its frame's number. `module` points to 16 bytes, the module's id; `function` is
    /// the function's index in the module's manifest.
    unsafe extern "C" fn enter(module: *const log::Record, function: u32) -> u64 {
        // SAFETY: the instrumented code passes a constant of its own.
        log::enter(crate::lifetime::environment(), unsafe { &*module }, function)
    }

    /// A block of a frame is executed.
    extern "C" fn block(frame: u64, block: u32) {
        log::block(crate::lifetime::environment(), frame, block);
    }

    /// A frame ends.
    extern "C" fn end(frame: u64) {
        log::end(crate::lifetime::environment(), frame);
    }
}
