//! Handlers of signals, each of which runs on a stream of its own.
//!
//! Traced code keeps the place of its next record in a register, so the thread's words are out of
//! date when a handler interrupts it. A handler that began there would overwrite the record. An
//! executable therefore defines the functions that install handlers (`linker-shim/src/traces.rs`).
//! They make the kernel call our handler, which calls the program's with other words.
//!
//! A handler may be left by `siglongjmp` or by an exception. The code that follows then goes on in
//! the handler's stream. Its level is free again when a later handler begins above its frame.

use core::arch::global_asm;
use core::ffi::CStr;
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

use pathformat::names;
use process::sys::thread;

use crate::block::Block;
use crate::next::{self, c_name};
use crate::rescue;

/// The number of signals of the kernel, which count from 1.
const SIGNALS: usize = 65;

/// The signal of missing pages.
const SIGBUS: i32 = 7;

/// The value for the kernel's own reaction.
const DEFAULT: usize = 0;

/// The values that are no handlers: `SIG_DFL` and `SIG_IGN`, and `SIG_ERR` and `SIG_HOLD`.
const NO_HANDLERS: [usize; 4] = [DEFAULT, 1, usize::MAX, 2];

macro_rules! c_names {
    ($($name:literal)+) => {
        [$(c_name!($name),)+]
    };
}

/// The functions that install handlers, by their numbers.
const FUNCTIONS: [&CStr; names::SIGNAL_FUNCTIONS.len()] = pathformat::signal_functions!(c_names);

process::table_of_others!(
    "__pathcc_trace_signals",
    "",
    "__interceptor_sigaction",
    "__interceptor_signal",
);

/// The addresses of functions, 0 for those that the program does not have.
#[repr(C)]
struct Others {
    sanitizer_sigaction: usize,
    sanitizer_signal: usize,
}

unsafe extern "C" {
    #[link_name = "__pathcc_trace_signals"]
    static OTHERS: Others;
}

/// The program's handler of each signal.
static HANDLERS: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(0) }; SIGNALS];

/// The functions of the C library, once they are known.
static FOUND: [AtomicUsize; FUNCTIONS.len()] = [const { AtomicUsize::new(0) }; FUNCTIONS.len()];

// The handler that the kernel calls. Unwinders and debuggers know its frame, since an exception may
// leave a handler.
global_asm!(
    ".pushsection .text.__pathcc_trace_handler, \"ax\", @progbits",
    ".p2align 4",
    ".type __pathcc_trace_handler, @function",
    "__pathcc_trace_handler:",
    ".cfi_startproc",
    "endbr64",
    "pushq %rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset %rbp, -16",
    "movq %rsp, %rbp",
    ".cfi_def_cfa_register %rbp",
    "pushq %rbx",
    ".cfi_offset %rbx, -24",
    "pushq %rdi",
    "pushq %rsi",
    "pushq %rdx",
    "movq %rbp, %rsi",
    "call {begin}",
    "movq %rdx, %rbx",
    "popq %rdx",
    "popq %rsi",
    "popq %rdi",
    "subq $8, %rsp",
    "call *%rax",
    "movq %rbx, %rdi",
    "call {end}",
    "addq $8, %rsp",
    "popq %rbx",
    "popq %rbp",
    ".cfi_def_cfa %rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size __pathcc_trace_handler, . - __pathcc_trace_handler",
    ".popsection",
    ".globl __pathcc_trace_signal",
    ".hidden __pathcc_trace_signal",
    ".set __pathcc_trace_signal, {install}",
    begin = sym begin,
    end = sym end,
    install = sym install,
    options(att_syntax)
);

/// Returns the address of our handler.
fn ours() -> usize {
    address_of!("__pathcc_trace_handler")
}

/// The program's handler, and the level that ends it.
#[repr(C)]
struct Begun {
    handler: usize,
    level: usize,
}

/// Begins the handler of a signal, whose frame is at this address.
extern "C" fn begin(signal: i32, frame: usize) -> Begun {
    let mask = thread::block_signals();
    let handler =
        HANDLERS.get(signal as usize).map_or(0, |handler| handler.load(Ordering::Acquire));
    // SAFETY: the thread's own memory, and nothing interrupts this.
    let level = unsafe { (*Block::own()).begin_handler(frame) };
    thread::restore_signals(mask);
    Begun { handler, level }
}

/// Ends a handler.
extern "C" fn end(level: usize) {
    let mask = thread::block_signals();
    // SAFETY: as above.
    unsafe {
        let block = &mut *Block::own();
        block.end_handler(level);
        block.obey_soon();
    }
    thread::restore_signals(mask);
}

/// Looks up the functions of the C library. It must not be called in a handler.
pub(crate) fn prepare() {
    for number in 0..FUNCTIONS.len() {
        following(number);
    }
}

/// Returns the function of the C library, or that of a sanitizer before it; 0 if there is none.
fn following(number: usize) -> usize {
    // SAFETY: it is constant once the image is relocated.
    let others = unsafe { &OTHERS };
    match number {
        0 if others.sanitizer_sigaction != 0 => return others.sanitizer_sigaction,
        1 if others.sanitizer_signal != 0 => return others.sanitizer_signal,
        _ => {}
    }
    let (Some(found), Some(name)) = (FOUND.get(number), FUNCTIONS.get(number)) else { return 0 };
    next::next(found, name)
}

/// Installs a handler in place of the C library's function of this number. `action` and `former`
/// are the pointers of `sigaction`. For the other functions `action` is the handler itself.
unsafe extern "C" fn install(signal: i32, action: usize, former: usize, number: u32) -> usize {
    let real = following(number as usize);
    let Some(known) = usize::try_from(signal).ok().and_then(|signal| HANDLERS.get(signal)) else {
        // SAFETY: as below. The function reports the error.
        return unsafe { call(real, number, signal, action, former) };
    };
    // No other signal may come between the changes of the table and of the kernel.
    let mask = thread::block_signals();
    let before = known.load(Ordering::Relaxed);
    let mut copy = [0usize; ACTION_WORDS];
    let given = match (number, action) {
        (0, 0) => 0,
        // SAFETY: the program passes the structure of `sigaction`, which begins with the handler.
        (0, action) => unsafe {
            copy = (action as *const [usize; ACTION_WORDS]).read();
            copy[0]
        },
        (_, handler) => handler,
    };
    let is_handler = !NO_HANDLERS.contains(&given) && given != ours();
    let mut passed = action;
    if is_handler {
        known.store(given, Ordering::Release);
        copy[0] = ours();
        passed = if number == 0 { &raw const copy as usize } else { ours() };
    }
    // SAFETY: it is the C library's function, with arguments of its type.
    let result = unsafe { call(real, number, signal, passed, former) };
    let failed = if number == 0 { result as i32 != 0 } else { result == usize::MAX };
    if !failed && signal == SIGBUS && given == DEFAULT && (number != 0 || action != 0) {
        rescue::begin_again();
    }
    if failed && is_handler {
        known.store(before, Ordering::Release);
    }
    let seen = match result {
        _ if number == 0 => result,
        _ if result == ours() => before,
        _ if rescue::is_handler(result) => DEFAULT,
        _ => result,
    };
    if number == 0 && !failed && former != 0 {
        // SAFETY: the C library has just written there.
        unsafe {
            let former = former as *mut usize;
            if former.read() == ours() {
                former.write(before);
            } else if rescue::is_handler(former.read()) {
                former.cast::<[usize; ACTION_WORDS]>().write([0; ACTION_WORDS]);
            }
        }
    }
    thread::restore_signals(mask);
    seen
}

/// The number of words of `struct sigaction`: the handler, a mask of 1,024 signals, flags and the
/// restorer.
const ACTION_WORDS: usize = 1 + 16 + 1 + 1;

/// Calls the C library's function.
unsafe fn call(real: usize, number: u32, signal: i32, action: usize, former: usize) -> usize {
    if real == 0 {
        return usize::MAX;
    }
    // SAFETY: the caller vouches for it.
    unsafe {
        if number == 0 {
            let real = transmute::<usize, unsafe extern "C" fn(i32, usize, usize) -> i32>(real);
            real(signal, action, former) as usize
        } else {
            transmute::<usize, unsafe extern "C" fn(i32, usize) -> usize>(real)(signal, action)
        }
    }
}
