//! The functions of the program that the runtime may call: a table of their addresses, in which 0
//! means that the program has no such function.

use core::mem::transmute;

/// Lays out the table `__pathcc_others`, which begins after `before`, in the order of the names.
macro_rules! table {
    ($before:literal, $($name:literal),+ $(,)?) => {
        core::arch::global_asm!(
            $before,
            ".pushsection .data.rel.ro.__pathcc_others, \"aw\", @progbits",
            ".p2align 3",
            ".globl __pathcc_others",
            ".hidden __pathcc_others",
            "__pathcc_others:",
            $(concat!(".weak ", $name), concat!(".quad ", $name),)+
            ".popsection",
        );
    };
}
pub(crate) use table;

/// What is called around a fork.
type Handler = extern "C" fn();

/// Functions that tell the C library what to call around every fork.
pub(crate) struct ForkRegistration {
    /// glibc's, which is in its ABI.
    pub(crate) glibc: usize,
    /// That of POSIX, which is called if there is no other.
    pub(crate) posix: usize,
    /// Until which library is unloaded, in glibc's words; 0 for ever.
    pub(crate) library: usize,
}

impl ForkRegistration {
    /// Lets the C library call these functions before every fork, and after it in the parent and in
    /// the child.
    pub(crate) fn register(&self, before: Handler, after: Handler, child: Handler) {
        if self.glibc != 0 {
            type Register = unsafe extern "C" fn(Handler, Handler, Handler, usize) -> i32;
            // SAFETY: the function has this type.
            unsafe { transmute::<usize, Register>(self.glibc)(before, after, child, self.library) };
        } else if self.posix != 0 {
            type Register = unsafe extern "C" fn(Handler, Handler, Handler) -> i32;
            // SAFETY: as above.
            unsafe { transmute::<usize, Register>(self.posix)(before, after, child) };
        }
    }
}
