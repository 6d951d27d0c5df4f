//! The functions by which threads and processes wait for each other.
//!
//! An executable defines these functions of the C library (`linker-shim/src/traces.rs`). Each
//! passes its arguments and its number to one function here, which calls the C library's and writes
//! an event: before the call if other threads may go on by it, else behind it. That of
//! `pthread_once` is behind the paths that it runs, which others wait for.
//!
//! A wait may end with the thread: unwinders have to pass the frame between the program and the C
//! library (`replaced`).

use core::ffi::CStr;
use core::mem::transmute;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pathformat::names;
use pathformat::trace::{Operation, lock, once};

use crate::block::Block;
use crate::clock;
use crate::next::{self, c_name};
use crate::operation::{self, Begun};
use crate::replaced::{Replaced, replacing_frame};
use crate::threads::{self, Creation};
use crate::written::Written;

process::table_of_others!("__pathcc_trace_errno", "", "__errno_location");

// The functions of a sanitizer, which stand before those of the C library, by their names. To look
// for one that is not there would allocate, and so enter a sanitizer that has not begun.
macro_rules! interceptors {
    ($($operation:ident $takes:expr, $returns:ident: $($name:literal)+;)+) => {
        process::table_of_others!(
            prefix "__interceptor_",
            "__pathcc_trace_interceptors",
            "",
            $($($name),+),+
        );
    };
}

pathformat::synchronisation_functions!(interceptors);

unsafe extern "C" {
    /// The addresses of a sanitizer's functions, 0 for those that the program does not have.
    #[link_name = "__pathcc_trace_interceptors"]
    static INTERCEPTORS: [usize; names::SYNCHRONISATION_FUNCTIONS.len()];
    /// The address of the function that returns the address of `errno`, 0 if the program has none.
    #[link_name = "__pathcc_trace_errno"]
    static FIND_ERRNO: usize;
}

/// The kind of result of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returns {
    /// 0, or an error number.
    Error,
    /// -1 on failure, with the reason in `errno`.
    Errno,
    /// A code of C11: 0 for success.
    Code,
    /// Nothing.
    Nothing,
    /// The number of a process, or as [`Returns::Errno`].
    Process,
}

/// The meaning of the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// The object.
    Object,
    /// The object and the other one.
    ObjectAndOther,
    /// The `pthread_t`.
    Thread,
    /// The place for the `pthread_t`, and from this argument on the start function of the thread
    /// and its argument.
    Start(usize),
    /// No argument that is recorded.
    Nothing,
    /// The third is the place for the number of the process.
    Information,
}

/// A function of the C library.
struct Function {
    name: &'static CStr,
    operation: Operation,
    takes: Takes,
    returns: Returns,
    /// True if it gives up if it would wait for too long.
    gives_up: bool,
    found: AtomicUsize,
}

/// Returns true if a name has a part.
const fn has_part(name: &str, part: &str) -> bool {
    let (name, part) = (name.as_bytes(), part.as_bytes());
    let mut at = 0;
    while at + part.len() <= name.len() {
        let mut same = 0;
        while same < part.len() && name[at + same] == part[same] {
            same += 1;
        }
        if same == part.len() {
            return true;
        }
        at += 1;
    }
    false
}

macro_rules! functions {
    ($($operation:ident $takes:expr, $returns:ident: $($name:literal)+;)+) => {
        [$($(Function {
            name: c_name!($name),
            operation: Operation::$operation,
            takes: $takes,
            returns: Returns::$returns,
            gives_up: has_part($name, "try")
                || has_part($name, "timed")
                || has_part($name, "clock"),
            found: AtomicUsize::new(0),
        },)+)+]
    };
}

/// The functions, each with its index in the list as its number.
static FUNCTIONS: [Function; names::SYNCHRONISATION_FUNCTIONS.len()] =
    pathformat::synchronisation_functions!(functions);

/// The result of a barrier in one of its threads: `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL_THREAD: i32 = -1;

/// The result for a lock that is taken although its owner died (`EOWNERDEAD`).
const OWNER_DIED: i32 = 130;

/// The results of a wait for a condition that took too long, after which the mutex is taken again
/// (`ETIMEDOUT`, `thrd_timedout`).
const TIMED_OUT: [i32; 2] = [110, 4];

/// The value of a `pthread_once_t` or `once_flag` whose function has been called, in glibc
/// (`nptl/pthread_once.c`) and in musl (`src/thread/pthread_once.c`).
const ONCE_DONE: u32 = 2;

/// The same for ThreadSanitizer's function (`kGuardDone` in `tsan_interceptors_posix.cpp`).
const SANITIZED_ONCE_DONE: u32 = 1;

/// The offset of the number of a process in `siginfo_t`.
const PROCESS_OFFSET: usize = 16;

replacing_frame!("__pathcc_trace_synchronise", Call, begin, end);

/// A call of a function, in the frame above.
#[repr(C)]
struct Call {
    of: Replaced,
    /// The ticket before the call.
    before: u64,
    /// The time at which it began.
    begin: u64,
    /// The number of the thread that is created.
    thread: u64,
    /// The program's start function for the thread, and its argument.
    start: [usize; 2],
    /// The event, if it was written before the call.
    written: Written,
    /// What [`once`] says of the object.
    once: u64,
}

/// Looks up the functions of the C library. It must not be called in a handler.
pub(crate) fn prepare() {
    (0..FUNCTIONS.len()).for_each(|number| {
        following(number);
    });
}

/// Returns the function of this number that ours replaces: a sanitizer's, or the C library's.
fn following(number: usize) -> usize {
    // SAFETY: it is constant once the image is relocated.
    match unsafe { INTERCEPTORS[number] } {
        0 => next::next(&FUNCTIONS[number].found, FUNCTIONS[number].name),
        sanitizer => sanitizer,
    }
}

/// Replaces a function that the C library does not have.
extern "C" fn missing() -> i32 {
    const ENOSYS: i32 = 38;
    ENOSYS
}

/// Runs before the C library's function. Returns its address.
extern "C" fn begin(call: &mut Call) -> usize {
    let number = call.of.number % FUNCTIONS.len();
    let function = &FUNCTIONS[number];
    if function.operation == Operation::End {
        threads::end();
    }
    if let Takes::Start(at) = function.takes {
        let creation = threads::prepare(call.of.arguments[at], call.of.arguments[at + 1]);
        call.thread = creation.number;
        call.start = [creation.start, creation.argument];
        call.of.arguments[at] = creation.start;
        call.of.arguments[at + 1] = creation.argument;
    }
    call.begin = clock::ticks();
    call.before = operation::release(function.operation);
    // Behind the ticket: what was done before it is done now.
    let is_done = function.operation == Operation::Once && is_done(number, call.of.arguments[0]);
    call.once = if is_done { once::DONE } else { 0 };
    call.written = if is_written_first(function.operation) {
        let (object, other) = objects(function, call, 0);
        let (operation, before, begin) = (function.operation, call.before, call.begin);
        Begun { operation, object, other, before, begin }.write_open()
    } else {
        Written::NONE
    };
    set_quiet(call.written != Written::NONE || function.operation == Operation::Fork);
    match following(number) {
        0 => missing as *const () as usize,
        address => address,
    }
}

/// Runs behind the C library's function.
extern "C" fn end(call: &mut Call) {
    set_quiet(false);
    let function = &FUNCTIONS[call.of.number % FUNCTIONS.len()];
    let result = result(function.returns, call.of.result);
    let mut operation = function.operation;
    let (mut object, mut other) = objects(function, call, result);
    if operation == Operation::Once {
        other = call.once;
    }
    if let Takes::Start(_) = function.takes {
        let [start, argument] = call.start;
        if result != 0 {
            threads::forget(&Creation { number: call.thread, start, argument });
        } else {
            // SAFETY: the C library has just written there.
            other = unsafe { (call.of.arguments[0] as *const u64).read() };
        }
    }
    if operation == Operation::Fork && result == 0 && call.of.result == 0 {
        operation = Operation::ForkChild;
        object = process::sys::parent().into();
        call.before = 0;
    }
    let has_ended = match operation {
        Operation::WaitCondition => result == 0 || TIMED_OUT.contains(&result),
        Operation::Lock | Operation::LockShared => result == 0 || result == OWNER_DIED,
        // No process has ended yet.
        Operation::WaitProcess => result == 0 && object != 0,
        _ => result == 0,
    };
    let is_object = result == 0 || function.returns != Returns::Process;
    let begun = Begun {
        operation,
        object: if is_object { object } else { 0 },
        other,
        before: call.before,
        begin: call.begin,
    };
    let after = if has_ended { operation::acquire(operation) } else { 0 };
    if begun.complete(call.written, result as u32, after) {
        return;
    }
    if call.written == Written::NONE {
        begun.write(result as u32, after);
    } else if after != 0 {
        Begun { before: 0, ..begun }.write(result as u32, after);
    }
}

/// Returns true if the initialisation with this `pthread_once_t` or `once_flag`, by the function of
/// this number, has been done.
fn is_done(number: usize, control: usize) -> bool {
    // The C libraries fail themselves without a place.
    let Some(control) = NonNull::new(control as *mut u32) else { return false };
    // SAFETY: it is constant once the image is relocated.
    let is_sanitized = unsafe { INTERCEPTORS[number] } != 0;
    // SAFETY: it is the program's word, which the function is about to read.
    let state = unsafe { AtomicU32::from_ptr(control.as_ptr()) }.load(Ordering::Acquire);
    state == if is_sanitized { SANITIZED_ONCE_DONE } else { ONCE_DONE }
}

/// Selects whether what the C library allocates is left out.
fn set_quiet(is_quiet: bool) {
    // SAFETY: the thread's own memory.
    unsafe { (*Block::own()).set_quiet(is_quiet) }
}

/// Returns true if the event of an operation is written before the call: other threads may go on
/// by it, and it runs no code of the program.
fn is_written_first(operation: Operation) -> bool {
    use Operation::{Barrier, Broadcast, Create, Post, Signal, Unlock, WaitCondition};
    matches!(operation, Create | Unlock | WaitCondition | Signal | Broadcast | Barrier | Post)
}

/// Returns the objects of an operation with this result, as far as its arguments tell them.
fn objects(function: &Function, call: &Call, result: i32) -> (u64, u64) {
    let [first, second, third, _] = call.of.arguments;
    match function.takes {
        Takes::Object => {
            let locks = matches!(function.operation, Operation::Lock | Operation::LockShared);
            (first as u64, if locks && function.gives_up { lock::TRIED } else { 0 })
        }
        Takes::ObjectAndOther => (first as u64, second as u64),
        Takes::Thread => (0, first as u64),
        Takes::Start(_) => (call.thread, 0),
        Takes::Nothing => (call.of.result as u32 as u64, 0),
        Takes::Information if result == 0 && third != 0 => {
            // SAFETY: the C library has just written there.
            (unsafe { ((third + PROCESS_OFFSET) as *const u32).read() }.into(), 0)
        }
        Takes::Information => (0, 0),
    }
}

/// Returns 0, or the error number.
fn result(returns: Returns, result: usize) -> i32 {
    let result = result as i32;
    match returns {
        Returns::Error if result == SERIAL_THREAD => 0,
        Returns::Error | Returns::Code => result,
        Returns::Nothing => 0,
        Returns::Errno | Returns::Process if result == -1 => errno(),
        Returns::Errno | Returns::Process => 0,
    }
}

/// Returns the error number of the C library.
fn errno() -> i32 {
    // SAFETY: it is constant once the image is relocated.
    let find = unsafe { FIND_ERRNO };
    if find == 0 {
        return -1;
    }
    // SAFETY: the C library's function returns the address of a number of the thread's.
    unsafe { *transmute::<usize, extern "C" fn() -> *const i32>(find)() }
}
