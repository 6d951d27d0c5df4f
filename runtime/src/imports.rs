//! What the runtime takes from others: from the object that pathld adds, and from the program.

use core::arch::global_asm;
use core::ffi::CStr;
use core::mem::transmute;
use core::sync::atomic::AtomicUsize;

use process::others::ForkRegistration;
use process::proc::Library;

use crate::early;
use crate::image::Image;

/// Which function creates a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `pthread_create(thread, attributes, start, argument)`.
    Posix,
    /// `thrd_create(thread, start, argument)`.
    C,
}

// What the module made by the linker defines.
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

/// Addresses, 0 for what the program does not have.
#[repr(C)]
pub(crate) struct Others {
    /// `pthread_create`, which is the executable's if that has a registry.
    pub(crate) create_thread: usize,
    find_symbol: usize,
    sanitizer_create_thread: usize,
    register_fork_handlers: usize,
    posix_register_fork_handlers: usize,
    library: usize,
    /// A function of ThreadSanitizer's.
    pub(crate) thread_sanitizer: usize,
    at_exit: usize,
    /// `_exit`, if it is ours and the C library's `exit` ends in it: in a static program.
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

/// The descriptor of this image.
pub(crate) fn image() -> &'static Image {
    // SAFETY: the linker defines it, and it is constant once the image is relocated.
    unsafe { &IMAGE }
}

/// Functions of others.
pub(crate) fn others() -> &'static Others {
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

/// The C library of the program.
pub(crate) struct CLibrary;

impl Library for CLibrary {
    fn environment(&self) -> *const *const u8 {
        let initial = early::initial_environment();
        if !initial.is_null() || others().find_symbol == 0 {
            return initial;
        }
        // SAFETY: `dlsym` of the C library, whose variable is a list of texts that ends with a
        // null.
        unsafe {
            let find = transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(
                others().find_symbol,
            );
            let variable = find(0, c"environ".as_ptr() as usize) as *const *const *const u8;
            if variable.is_null() { core::ptr::null() } else { *variable }
        }
    }
}

/// The function that creates a thread in the C library, or that of a sanitizer before it; 0 if
/// there is none.
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
        let find =
            transmute::<usize, unsafe extern "C" fn(usize, usize) -> usize>(others.find_symbol);
        find(NEXT, name.as_ptr() as usize)
    }
}

/// Tells the C library what to call around every fork, until this image is unloaded.
pub(crate) fn fork_registration() -> ForkRegistration {
    let others = others();
    // A library that does not say who it is could not take its handlers with it.
    let may_leave = others.library != 0 || !image().is_library();
    let glibc = if may_leave { others.register_fork_handlers } else { 0 };
    ForkRegistration { glibc, posix: others.posix_register_fork_handlers, library: others.library }
}

/// Lets the C library call `end` after all that it calls later at the end of the program; whether
/// that will be so. A sanitizer may end the process before.
pub(crate) fn call_at_end(end: extern "C" fn()) -> bool {
    let others = others();
    if others.at_exit == 0 || others.sanitizer_create_thread != 0 {
        return false;
    }
    type Register = unsafe extern "C" fn(extern "C" fn(), usize, usize) -> i32;
    // SAFETY: the C library's function has this type. What is registered is code of a program,
    // which is never unloaded.
    unsafe { transmute::<usize, Register>(others.at_exit)(end, 0, 0) == 0 }
}
