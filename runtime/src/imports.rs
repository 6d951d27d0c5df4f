//! The symbols that the runtime uses of the object that pathld adds, and of the program.

use core::arch::global_asm;
use core::ffi::CStr;
use core::mem::transmute;
use core::sync::atomic::AtomicUsize;

use process::others::ForkRegistration;
use process::proc::Library;

use crate::early;
use crate::image::Image;

/// The function that creates a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreadFunction {
    /// `pthread_create(thread, attributes, start, argument)`.
    Posix,
    /// `thrd_create(thread, start, argument)`.
    C,
}

// The symbols of the linker's module.
global_asm!(".hidden __pathcc_image", ".hidden __pathcc_delta_offset", ".hidden __pathcc_place",);

process::table_of_others!(
    "__pathcc_others",
    ".hidden __dso_handle, __pathcc_static_exit",
    "pthread_create",
    "dlsym",
    "__interceptor_pthread_create",
    "__register_atfork",
    "pthread_atfork",
    "__dso_handle",
    "__tsan_init",
    "__cxa_atexit",
    "__pathcc_static_exit",
);

/// The addresses of functions, 0 for those that the program does not have.
#[repr(C)]
pub(crate) struct Others {
    /// `pthread_create`, which is the executable's if the executable has a registry.
    pub(crate) create_thread: usize,
    find_symbol: usize,
    sanitizer_create_thread: usize,
    register_fork_handlers: usize,
    posix_register_fork_handlers: usize,
    library: usize,
    /// A function of ThreadSanitizer.
    pub(crate) thread_sanitizer: usize,
    at_exit: usize,
    /// `_exit` in a static program, if it is ours and the C library's `exit` ends in it.
    pub(crate) static_exit: usize,
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

/// Returns the descriptor of this image.
pub(crate) fn image() -> &'static Image {
    // SAFETY: the linker defines it, and it is constant once the image is relocated.
    unsafe { &IMAGE }
}

/// Returns the functions of the program.
pub(crate) fn others() -> &'static Others {
    // SAFETY: it is constant once the image is relocated.
    unsafe { &OTHERS }
}

/// Returns the distance of this image's own `delta` from the thread pointer, if it has one.
pub(crate) fn own_delta() -> Option<usize> {
    // SAFETY: the linker's function only reads a word of the image's own.
    Some(unsafe { delta_offset() }).filter(|&distance| distance != 0)
}

/// Returns the word in which code that may be part of a library finds `delta`.
pub(crate) fn place() -> &'static AtomicUsize {
    // SAFETY: a variable of the image's own, which nothing else changes.
    unsafe { &PLACE }
}

/// The C library of the program.
pub(crate) struct CLibrary;

impl Library for CLibrary {
    fn environment(&self) -> *const *const u8 {
        let initial = early::initial_environment();
        if !initial.is_null() || others().find_symbol == 0 {
            return initial;
        }
        // SAFETY: the function is `dlsym` of the C library. Its variable is a list of texts that
        // ends with a null.
        unsafe {
            let find = transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(
                others().find_symbol,
            );
            let variable = find(0, c"environ".as_ptr() as usize) as *const *const *const u8;
            if variable.is_null() { core::ptr::null() } else { *variable }
        }
    }
}

/// Returns the function that creates a thread in the C library, or that of a sanitizer before it; 0
/// if there is none.
pub(crate) fn next_create(kind: ThreadFunction) -> usize {
    let others = others();
    if kind == ThreadFunction::Posix && others.sanitizer_create_thread != 0 {
        return others.sanitizer_create_thread;
    }
    if others.find_symbol == 0 {
        return 0;
    }
    const NEXT: usize = usize::MAX;
    let name: &CStr = match kind {
        ThreadFunction::Posix => c"pthread_create",
        ThreadFunction::C => c"thrd_create",
    };
    // SAFETY: the function is `dlsym` of the C library, and the text ends with a NUL.
    unsafe {
        let find =
            transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(others.find_symbol);
        find(NEXT, name.as_ptr() as usize)
    }
}

/// Returns the functions that register handlers of forks, until this image is unloaded.
pub(crate) fn fork_registration() -> ForkRegistration {
    let others = others();
    // Handlers of a library without a handle would stay when it is unloaded.
    let may_leave = others.library != 0 || !image().is_library();
    let glibc = if may_leave { others.register_fork_handlers } else { 0 };
    ForkRegistration { glibc, posix: others.posix_register_fork_handlers, library: others.library }
}

/// Registers `end` with the C library, after all other functions that it calls at the end of the
/// program. Returns false if that is not possible. A sanitizer may end the process before.
pub(crate) fn call_at_end(end: extern "C" fn()) -> bool {
    let others = others();
    if others.at_exit == 0 || others.sanitizer_create_thread != 0 {
        return false;
    }
    type Register = unsafe extern "C" fn(extern "C" fn(), usize, usize) -> i32;
    // SAFETY: the C library's function has this type. The registered function is code of a program,
    // which is never unloaded.
    unsafe { transmute::<usize, Register>(others.at_exit)(end, 0, 0) == 0 }
}
