//! The symbols and sections by which the object joins a program. All global symbols are hidden.

use core::arch::{asm, global_asm};
use core::ffi::CStr;

use crate::notes::FileHead;
use crate::sys::thread;

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

// The image's file head, if the linker defines it. Its address comes from the global offset table: of a word in other data GNU ld
// forgets the relocation if it packs relative ones.
global_asm!(".weak __ehdr_start", ".hidden __ehdr_start");

// Where the profile goes, if the build says so: a text in an object of the program (`pass/src/profile.rs`).
global_asm!(".weak __pathcc.profile", ".hidden __pathcc.profile");

// What nobody defines: gold gives such a symbol the distance by which the image was moved.
global_asm!(".weak __pathcc.nowhere", ".hidden __pathcc.nowhere");

/// The pattern of the profile's name that the build asked for, or nothing.
pub(crate) fn chosen_pattern() -> &'static [u8] {
    let (text, nowhere): (*const u8, *const u8);
    // SAFETY: reads words of the image's own that are constant once the image is relocated.
    unsafe {
        asm!(
            "mov {}, qword ptr [rip + __pathcc.profile@GOTPCREL]",
            "mov {}, qword ptr [rip + __pathcc.nowhere@GOTPCREL]",
            out(reg) text, out(reg) nowhere, options(nostack, preserves_flags, pure, readonly),
        );
    }
    if text == nowhere {
        return &[];
    }
    // SAFETY: the pass closes the text with a NUL.
    unsafe { self::text(text) }.to_bytes()
}

/// The text that starts there.
///
/// # Safety
/// It must end with a NUL, and stay as it is.
unsafe fn text<'a>(start: *const u8) -> &'a CStr {
    // SAFETY: the caller vouches for it. Volatile, or the compiler would call the C library's `strlen`.
    unsafe {
        let length = (0..).take_while(|&at| start.add(at).read_volatile() != 0).count();
        CStr::from_bytes_with_nul_unchecked(core::slice::from_raw_parts(start, length + 1))
    }
}

/// The head of this image's file in memory, or null.
pub(crate) fn file_head() -> *const FileHead {
    let head: *const FileHead;
    // SAFETY: reads a word of the image's own that is constant once the image is relocated.
    unsafe {
        asm!("mov {}, qword ptr [rip + __ehdr_start@GOTPCREL]", out(reg) head, options(nostack, preserves_flags, pure, readonly));
    }
    // Some linkers give the image's start even where no head is there.
    if thread::is_readable(head as usize) { head } else { core::ptr::null() }
}

#[cfg(not(any(feature = "log", feature = "preload")))]
mod counters {
    use core::arch::{asm, global_asm};
    use core::ffi::CStr;
    use core::mem::transmute;
    use core::sync::atomic::AtomicUsize;

    use pathformat::names::{HUB_SIGNATURE, HUB_SIGNATURE_NAME};

    use crate::counting::HUB;
    use crate::hub::Hub;
    use crate::image::Image;
    use crate::sys::thread;
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
        "export __pathcc_leave, {leave}",
        ".purgem export",
        ".hidden __pathcc_image",
        ".hidden __pathcc_delta_offset",
        ".hidden __pathcc_place",
        create = sym threads::create,
        leave = sym leave,
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
        "other __interceptor__exit",
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
        sanitizer_exit: usize,
    }

    unsafe extern "C" {
        #[link_name = "__pathcc_image"]
        static IMAGE: Image;
        #[link_name = "__pathcc_others"]
        static OTHERS: Others;
        #[link_name = "__pathcc_delta_offset"]
        fn delta_offset() -> usize;
        #[link_name = "__pathcc_place"]
        static PLACE: AtomicUsize;
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

    /// How far this image's own `delta` is from the thread pointer, if it has one.
    pub(crate) fn own_delta() -> Option<usize> {
        // SAFETY: the linker's function only reads a word of the image's own.
        Some(unsafe { delta_offset() }).filter(|&distance| distance != 0)
    }

    /// Where code of this image that may be part of a library finds `delta`.
    pub(crate) fn place() -> &'static AtomicUsize {
        // SAFETY: a variable of the image's own, which nothing else changes.
        unsafe { &PLACE }
    }

    /// In place of `_exit`: the process ends at once.
    extern "C" fn leave(status: usize) {
        hub().leave();
        if others().sanitizer_exit != 0 {
            // SAFETY: the sanitizer's `_exit`.
            unsafe { transmute::<usize, extern "C" fn(usize)>(others().sanitizer_exit)(status) };
        }
        crate::sys::exit(status);
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

    /// The `pthread_create` that `linker-shim/src/threads.rs` writes, with a signature behind its entry, starts at a multiple of this, so that so many bytes can be read wherever it is.
    const ALIGNMENT: usize = 64;

    /// The hub of the process: the executable's, or else this image's own.
    pub(crate) fn hub() -> &'static Hub {
        match found() {
            Found::Hub(hub, _) => hub,
            _ => &HUB,
        }
    }

    /// Whether that is this image's.
    pub(crate) fn has_own_hub() -> bool {
        !matches!(found(), Found::Hub(..))
    }

    /// The address of code of the executable, if this is a library and the executable has a hub.
    pub(crate) fn program_code() -> Option<usize> {
        (!has_own_hub()).then(|| others().create_thread)
    }

    /// Whether the executable has a hub that this runtime does not understand.
    pub(crate) fn is_other_runtime() -> bool {
        matches!(found(), Found::OtherVersion)
    }

    /// How far the words that the executable lends are from the thread pointer.
    pub(crate) fn lent_words() -> Option<usize> {
        match found() {
            Found::Hub(_, words) => Some(words),
            Found::None | Found::OtherVersion => None,
        }
    }

    /// The hub of another image.
    enum Found {
        /// There is none, or this image is the executable.
        None,
        /// One of another version, which must be left alone.
        OtherVersion,
        /// The executable's, and how far the words that it lends are from the thread pointer.
        Hub(&'static Hub, usize),
    }

    fn found() -> Found {
        let function = others().create_thread;
        let is_other = image().is_library() && function != 0 && function.is_multiple_of(ALIGNMENT);
        // Code that may only be executed does not tell.
        if !is_other || !thread::is_readable(function + 16) {
            return Found::None;
        }
        // SAFETY: it can be read, and these bytes are on one page.
        let (signature, [distance, words]) = unsafe {
            let place = (function + 16) as *const u8;
            (place.cast::<[u8; 16]>().read(), place.add(16).cast::<[i32; 2]>().read())
        };
        if signature == HUB_SIGNATURE {
            // SAFETY: the signature vouches for the distance, and executables are never unloaded.
            let hub = unsafe { &*(((function + 32) as isize + distance as isize) as *const Hub) };
            return Found::Hub(hub, words as usize);
        }
        let ours = signature[..HUB_SIGNATURE_NAME] == HUB_SIGNATURE[..HUB_SIGNATURE_NAME];
        if ours { Found::OtherVersion } else { Found::None }
    }

    /// Calls `take` with each variable that the C library has, if it can be asked.
    pub(crate) fn for_each_variable(mut take: impl FnMut(&[u8])) {
        if others().find_symbol == 0 {
            return;
        }
        // SAFETY: `dlsym` of the C library, whose variable is a list of texts that ends with a null.
        unsafe {
            let find = transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(others().find_symbol);
            let variable = find(0, c"environ".as_ptr() as usize) as *const *const *const u8;
            let mut next = if variable.is_null() { core::ptr::null() } else { *variable };
            while !next.is_null() && !(*next).is_null() {
                take(super::text(*next).to_bytes());
                next = next.add(1);
            }
        }
    }

    /// Whether a thread that is not registered in the hub may have counted where others do: there every thread is registered that the
    /// program creates, or all threads count `together`. A sanitizer's own threads would look so.
    pub(crate) fn sees_threads(together: bool) -> bool {
        (!has_own_hub() || !image().is_library() || together) && others().thread_sanitizer == 0
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

#[cfg(not(any(feature = "log", feature = "preload")))]
pub(crate) use counters::{
    for_each_variable, has_own_hub, hub, image, is_other_runtime, lent_words, next_create, own_delta, place,
    program_code, register_fork_handlers, sees_threads, thread_start,
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
