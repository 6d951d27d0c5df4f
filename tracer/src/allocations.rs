//! The functions that allocate and free memory.
//!
//! Traced code records its own calls. Memory that other code allocates or frees is known by the
//! functions here, which an executable defines in the place of the C library's, unless it is linked
//! with another allocator. So the blocks of a `std::string`, whose code is in the C++ library, are
//! known too.
//!
//! A call of traced code comes here as well, and is recorded once: what frees is recorded by the
//! traced code before the call, and found here; what allocates is recorded here, and found by the
//! traced code behind the call (`pass/src/write/trace/allocations.rs`).
//!
//! Threads that have recorded nothing yet, or have ended, do not begin to do so here: the C library
//! allocates before it can do anything else. What it allocates while a thread synchronises or forks
//! is not recorded either: it is its own, and the event stays the last one until it is complete.

use core::ffi::CStr;
use core::mem::size_of;
use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pathformat::names;
use pathformat::trace::{Allocation, RecordKind};
use process::notes::{self, FileHead};
use process::sys::thread;

use crate::block::Block;
use crate::event;
use crate::next::{self, c_name};
use crate::region;
use crate::replaced::{Replaced, replacing_frame};

// The C library's own functions, in the order of the list, as far as it lends them.
macro_rules! own {
    ($($form:ident: $($name:literal)+;)+) => {
        process::table_of_others!(
            prefix "__libc_",
            "__pathcc_trace_allocators",
            "",
            $($($name),+),+
        );
    };
}

pathformat::allocation_functions!(own);
process::table_of_others!("__pathcc_trace_glibc", "", "gnu_get_libc_version");

unsafe extern "C" {
    /// Their addresses, 0 for those that it does not lend.
    #[link_name = "__pathcc_trace_allocators"]
    static OWN: [usize; names::ALLOCATION_FUNCTIONS.len()];
    /// The address of a function that only glibc has, else 0.
    #[link_name = "__pathcc_trace_glibc"]
    static GLIBC: usize;
}

/// The meaning of the arguments and of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Takes the size.
    Sized,
    /// Takes the factors of the size.
    Product,
    /// Takes the former address and the size.
    Resized,
    /// Takes the address of what is freed.
    Freed,
    /// Takes the place for the address, the alignment and the size. Returns 0 or an error number.
    Stored,
    /// Takes the alignment and the size.
    Aligned,
}

/// A function of the C library.
struct Function {
    name: &'static CStr,
    form: Form,
    found: AtomicUsize,
}

macro_rules! functions {
    ($($form:ident: $($name:literal)+;)+) => {
        [$($(Function {
            name: c_name!($name),
            form: Form::$form,
            found: AtomicUsize::new(0),
        },)+)+]
    };
}

/// The functions, each with its index in the list as its number.
static FUNCTIONS: [Function; names::ALLOCATION_FUNCTIONS.len()] =
    pathformat::allocation_functions!(functions);

replacing_frame!("__pathcc_trace_allocate", Call, begin, end);

/// A call of a function, in the frame above.
#[repr(C)]
struct Call {
    of: Replaced,
    /// The ticket before a call that may free memory; 0 if there is none.
    before: u64,
}

/// The first address of glibc's dynamic linker, and the one behind its last.
static LOADER: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Looks up the functions of the C library, and the dynamic linker. It must not be called in a
/// handler.
pub(crate) fn prepare() {
    // SAFETY: it is constant once the image is relocated.
    if unsafe { GLIBC } != 0 {
        find_loader();
    }
    for (number, function) in FUNCTIONS.iter().enumerate() {
        following(number, function);
    }
}

/// Notes where the dynamic linker is, as it tells debuggers.
fn find_loader() {
    // The offset of `r_ldbase` in `struct r_debug` of <link.h>.
    const BASE: usize = 32;
    let debugged = next::find(c"_r_debug");
    if debugged == 0 {
        return;
    }
    // SAFETY: glibc's structure has the address of the linker's image, which stays mapped.
    let place = unsafe {
        let base = ptr::with_exposed_provenance::<*const FileHead>(debugged + BASE).read();
        notes::place_of(base)
    };
    LOADER[0].store(place.start, Ordering::Relaxed);
    LOADER[1].store(place.end, Ordering::Relaxed);
}

/// The thread that looks up a function.
static SEARCHER: AtomicU32 = AtomicU32::new(0);

/// Returns the function that ours replaces, or 0. A search frees what an earlier one said of its
/// failure, and may allocate: it comes back here, and gets 0.
fn following(number: usize, function: &Function) -> usize {
    let known = function.found.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    let own = thread::current();
    let searcher = SEARCHER.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    if searcher == Err(own) {
        return 0;
    }
    let found = next::next(&function.found, function.name);
    if searcher.is_ok() {
        SEARCHER.store(0, Ordering::Relaxed);
    }
    // SAFETY: it is constant once the image is relocated.
    if found == 0 { unsafe { OWN[number] } } else { found }
}

/// Replaces a function that there is not. It has no memory.
extern "C" fn none() -> usize {
    0
}

/// Does the same as [`Form::Stored`] does.
extern "C" fn none_stored() -> usize {
    const ENOMEM: usize = 12;
    ENOMEM
}

/// Returns true if a call is recorded.
fn is_recorded(call: &Call) -> bool {
    // SAFETY: null, or the thread's own memory.
    let state = unsafe { (*Block::own()).state.as_ref() };
    let is_open = || state.is_some_and(|state| state.is_quiet == 0);
    region::is_recorded() && is_open() && !is_of_loader(call.of.caller(size_of::<Call>()))
}

/// Returns true if the dynamic linker calls. It allocates thread-local variables when they are
/// first used: in the middle of a path, which has the place of its record in a register.
fn is_of_loader(caller: usize) -> bool {
    let [first, behind] = LOADER.each_ref().map(|bound| bound.load(Ordering::Relaxed));
    (first..behind).contains(&caller)
}

/// Runs before the C library's function. Returns its address.
extern "C" fn begin(call: &mut Call) -> usize {
    let number = call.of.number % FUNCTIONS.len();
    let function = &FUNCTIONS[number];
    let former = call.of.arguments[0] as u64;
    call.before = 0;
    let frees = former != 0
        && match function.form {
            Form::Resized => is_recorded(call),
            Form::Freed => is_recorded(call) && !is_told(0, former),
            _ => false,
        };
    if frees {
        call.before = event::ticket();
        if function.form == Form::Freed {
            let ticket = call.before.into();
            let (before, after) = (ticket, ticket);
            let freed =
                Allocation { former: former.into(), before, after, ..Allocation::default() };
            event::write(RecordKind::Allocated, &freed);
        }
    }
    match following(number, function) {
        0 if function.form == Form::Stored => none_stored as *const () as usize,
        0 => none as *const () as usize,
        address => address,
    }
}

/// Runs behind the C library's function.
extern "C" fn end(call: &mut Call) {
    let [first, second, third, _] = call.of.arguments;
    let result = call.of.result;
    let form = FUNCTIONS[call.of.number % FUNCTIONS.len()].form;
    let (address, size) = match form {
        Form::Freed => return,
        Form::Sized => (result, first),
        Form::Product => (result, first.wrapping_mul(second)),
        Form::Resized | Form::Aligned => (result, second),
        Form::Stored if result as i32 == 0 => {
            // SAFETY: the C library has just written there.
            (unsafe { (first as *const usize).read() }, third)
        }
        Form::Stored => (0, third),
    };
    // What asks for some size and gets nothing leaves the memory where it was.
    let frees = form == Form::Resized && (address != 0 || size == 0);
    let former = if frees { first } else { 0 };
    let [address, size, former] = [address, size, former].map(|number| number as u64);
    // The function may have called another one of these.
    if address | former == 0 || !is_recorded(call) || is_told(address, former) {
        return;
    }
    let after = event::ticket();
    let before = if call.before == 0 { after } else { call.before };
    let [address, size, former] = [address, size, former].map(Into::into);
    let (before, after) = (before.into(), after.into());
    event::write(RecordKind::Allocated, &Allocation { address, size, former, before, after });
}

/// Returns true if the last record of the stream says that one address is allocated and the other
/// one is free.
fn is_told(address: u64, former: u64) -> bool {
    let last = event::last::<Allocation>(RecordKind::Allocated);
    last.is_some_and(|last| last.address.get() == address && last.former.get() == former)
}
