//! The frame of a function that stands in the place of one of the C library's.
//!
//! An executable defines such functions (`linker-shim/src/traces.rs`). Each passes its arguments
//! and its number to one function of the tracer, which has this frame. What runs before the call
//! returns the function to call, and what runs behind it sees the result. The frame is written in
//! assembly, so that unwinders and debuggers know it.

use core::ptr;

/// The part of a call that the frame fills.
#[repr(C)]
pub(crate) struct Replaced {
    /// The arguments, as many as are used.
    pub(crate) arguments: [usize; 4],
    /// The number of the function in its list.
    pub(crate) number: usize,
    /// The result, once there is one.
    pub(crate) result: usize,
}

impl Replaced {
    /// Returns the address in the code that called the function, given the size of the whole value.
    pub(crate) fn caller(&self, size: usize) -> usize {
        let frame = (&raw const *self).addr() + size.next_multiple_of(ALIGNMENT);
        // SAFETY: the frame of the function stands above the value: the frame pointer of the caller
        // and its address.
        unsafe { ptr::with_exposed_provenance::<[usize; 2]>(frame).read()[1] }
    }
}

/// The alignment of stacks.
pub(crate) const ALIGNMENT: usize = 16;

/// Defines the function `name`. Its frame has a value of the type `call`, which begins with a
/// [`Replaced`]. `begin` takes it before the call, and returns the address of the function to call.
/// `end` takes it behind the call.
macro_rules! replacing_frame {
    ($name:literal, $call:ty, $begin:path, $end:path) => {
        const _: () = assert!(core::mem::offset_of!($call, of) == 0);

        core::arch::global_asm!(
            concat!(".pushsection .text.", $name, ", \"ax\", @progbits"),
            ".p2align 4",
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "pushq %rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset %rbp, -16",
            "movq %rsp, %rbp",
            ".cfi_def_cfa_register %rbp",
            "subq ${size}, %rsp",
            "movq %rdi, (%rsp)",
            "movq %rsi, 8(%rsp)",
            "movq %rdx, 16(%rsp)",
            "movq %rcx, 24(%rsp)",
            "movq %r8, 32(%rsp)",
            "movq %rsp, %rdi",
            "call {begin}",
            "movq (%rsp), %rdi",
            "movq 8(%rsp), %rsi",
            "movq 16(%rsp), %rdx",
            "movq 24(%rsp), %rcx",
            "call *%rax",
            "movq %rax, 40(%rsp)",
            "movq %rsp, %rdi",
            "call {end}",
            "movq 40(%rsp), %rax",
            "movq %rbp, %rsp",
            "popq %rbp",
            ".cfi_def_cfa %rsp, 8",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            size = const size_of::<$call>().next_multiple_of($crate::replaced::ALIGNMENT),
            begin = sym $begin,
            end = sym $end,
            options(att_syntax)
        );
    };
}

pub(crate) use replacing_frame;
