//! System calls. They are made directly, without libc, so they link into any program, and `errno`
//! stays as the program left it.

use core::arch::asm;

/// Makes a system call. Unused arguments are 0. Errors are numbers above −4096, as from the kernel.
///
/// # Safety
/// The arguments must be what the call expects; pointers must be valid for it.
pub(super) unsafe fn call(number: u32, arguments: [usize; 6]) -> usize {
    let mut result = number as usize;
    // SAFETY: the caller vouches for the arguments; the kernel changes rax, rcx, r11 and the memory
    // it is given.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Returns the value of a call's result, or the error number.
pub(super) fn checked(result: usize) -> Result<usize, u32> {
    if result > -4096isize as usize { Err(result.wrapping_neg() as u32) } else { Ok(result) }
}
