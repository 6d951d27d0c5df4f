//! The functions of the program that a runtime may call: a table of their addresses. An address of
//! 0 means that the program has no such function.

use core::mem::transmute;

/// Lays out the table `table`, which begins after `before`, in the order of the names. All of them
/// may begin with a `prefix` that is written once.
#[macro_export]
macro_rules! table_of_others {
    ($table:literal, $before:literal, $($name:literal),+ $(,)?) => {
        $crate::table_of_others!(prefix "", $table, $before, $($name),+);
    };
    (prefix $prefix:literal, $table:literal, $before:literal, $($name:literal),+ $(,)?) => {
        ::core::arch::global_asm!(
            $before,
            concat!(".pushsection .data.rel.ro.", $table, ", \"aw\", @progbits"),
            ".p2align 3",
            concat!(".globl ", $table),
            concat!(".hidden ", $table),
            concat!($table, ":"),
            $(concat!(".weak ", $prefix, $name), concat!(".quad ", $prefix, $name),)+
            ".popsection",
        );
    };
}

/// A function that is called around a fork.
pub type Handler = extern "C" fn();

/// The functions that register fork handlers with the C library.
pub struct ForkRegistration {
    /// The function of glibc, which is in its ABI.
    pub glibc: usize,
    /// The function of POSIX, which is called if there is no other.
    pub posix: usize,
    /// glibc's handle of the library; the handlers are removed when it is unloaded. 0 keeps them
    /// for ever.
    pub library: usize,
}

impl ForkRegistration {
    /// Registers functions that the C library calls before every fork, and after it in the parent
    /// and in the child.
    pub fn register(&self, before: Handler, after: Handler, child: Handler) {
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
