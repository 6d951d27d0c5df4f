//! The symbols by which this object joins a program, which are all hidden, and the entry points at
//! the load of an image, at forks of the process, and at the end of the image.

use core::arch::{asm, global_asm};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use pathformat::descriptor::{Descriptor, trace_block};
use pathformat::variables;
use process::environment;
use process::global::Global;
use process::lifetime::{build_id, displacement, read};
use process::origin::Asker;
use process::others::ForkRegistration;
use process::proc::{self, NoLibrary};
use process::sys;
use process::sys::stack::Stack;
use process::sys::thread::{self, Lock};
use process::text::Text;

use crate::allocations;
use crate::block::{Block, ThreadBlock};
use crate::image::Image;
use crate::region;
use crate::shared::{Room, Shared, unread};
use crate::signals;
use crate::synchronisation;

#[cfg(target_feature = "avx")]
compile_error!("the entry keeps the registers that code without AVX changes, and no others");

process::run_at_start_and_end!(start, stop);

process::table_of_others!(
    "__pathcc_trace_others",
    ".hidden __dso_handle",
    "__register_atfork",
    "pthread_atfork",
    "__dso_handle",
);

/// The addresses of functions, 0 for those that the program does not have.
#[repr(C)]
struct Others {
    register_fork_handlers: usize,
    posix_register_fork_handlers: usize,
    library: usize,
}

// The symbols to which the linker's module refers and which it defines, and the table that images
// of the process find. Traced code expects that all registers but rax, r11 and the flags stay as
// they are. The code below the entry changes only the vector registers, and the parts of them, that
// are kept here.
global_asm!(
    ".hidden __pathcc_image",
    ".pushsection .data.rel.ro.__pathcc_trace_runtime, \"aw\", @progbits",
    ".p2align 3",
    ".globl __pathcc_trace_runtime",
    ".hidden __pathcc_trace_runtime",
    "__pathcc_trace_runtime:",
    ".quad {signature}",
    ".quad __pathcc_trace_give_room - __pathcc_trace_runtime",
    ".quad {join}",
    ".quad {leave}",
    ".quad {obey}",
    ".popsection",
    ".globl __pathcc_trace_switch",
    ".hidden __pathcc_trace_switch",
    ".set __pathcc_trace_switch, {switch}",
    ".globl __pathcc_trace_end_thread",
    ".hidden __pathcc_trace_end_thread",
    ".set __pathcc_trace_end_thread, {end_thread}",
    ".pushsection .text.__pathcc_trace_give_room, \"ax\", @progbits",
    ".p2align 4",
    ".globl __pathcc_trace_give_room",
    ".hidden __pathcc_trace_give_room",
    "__pathcc_trace_give_room:",
    ".cfi_startproc",
    "endbr64",
    "pushq %rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset %rbp, -16",
    "movq %rsp, %rbp",
    ".cfi_def_cfa_register %rbp",
    "pushq %rcx",
    "pushq %rdx",
    "pushq %rsi",
    "pushq %rdi",
    "pushq %r8",
    "pushq %r9",
    "pushq %r10",
    "andq $-16, %rsp",
    "subq $256, %rsp",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "movaps %xmm\\number, 16*\\number(%rsp)",
    ".endr",
    "call {give_room}",
    ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    "movaps 16*\\number(%rsp), %xmm\\number",
    ".endr",
    "leaq -56(%rbp), %rsp",
    "popq %r10",
    "popq %r9",
    "popq %r8",
    "popq %rdi",
    "popq %rsi",
    "popq %rdx",
    "popq %rcx",
    "popq %rbp",
    ".cfi_def_cfa %rsp, 8",
    "ret",
    ".cfi_endproc",
    ".popsection",
    signature = const u64::from_le_bytes(trace_block::SIGNATURE),
    join = sym join,
    leave = sym leave,
    obey = sym obey,
    give_room = sym give_room,
    switch = sym switch,
    end_thread = sym end_thread,
    options(att_syntax)
);

const _: () = assert!(core::mem::offset_of!(Runtime, room) == trace_block::ROOM_OFFSET as usize);

/// The table that images of the process find.
#[repr(C)]
struct Runtime {
    signature: [u8; 8],
    /// The distance from here to the function that makes room.
    room: usize,
    join: extern "C" fn(*mut Image),
    leave: extern "C" fn(*mut Image),
    obey: extern "C" fn(u32),
}

unsafe extern "C" {
    #[link_name = "__pathcc_image"]
    static DESCRIPTOR: Descriptor;
    #[link_name = "__pathcc_trace_runtime"]
    static RUNTIME: Runtime;
    #[link_name = "__pathcc_trace_others"]
    static OTHERS: Others;
}

/// The state under the lock.
static SHARED: Global<Shared> = Global::new(Shared::new());
static ROOM: Global<Room> = Global::new(Room::new());
static LOCK: Lock = Lock::new();

/// The stack for work under the lock, since traced code may have little of its stack left.
static STACK: Stack = Stack::new();

/// True if this image has been described and its tracer, if it is in use, has begun.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// This image.
static IMAGE: Global<Image> = Global::new(Image::NONE);

/// The tracer of the process, if this image has joined it.
static JOINED: AtomicPtr<Runtime> = AtomicPtr::new(ptr::null_mut());

/// The signal mask of the thread that forks.
static MASK: AtomicU64 = AtomicU64::new(0);

/// Calls `act` with the state that the threads share, under the lock.
fn with_shared<T>(act: impl FnOnce(&mut Shared, &mut Room) -> T) -> T {
    let mask = thread::block_signals();
    LOCK.acquire();
    let result = STACK.run(|| {
        // SAFETY: the lock is held.
        let (shared, room) = unsafe { (SHARED.get(), ROOM.get()) };
        begin(shared, room);
        act(shared, room)
    });
    LOCK.release();
    thread::restore_signals(mask);
    result
}

/// Describes this image. It is called once.
fn describe() {
    // SAFETY: called only once, before any code uses the values that change.
    let (environment, image) = unsafe { (environment::change(), IMAGE.get()) };
    // SAFETY: it is constant once the image is relocated.
    let descriptor = unsafe { &DESCRIPTOR };
    // An address of code, since the pages of zeroed data belong to no file.
    let address = start as *const () as usize;
    let library = descriptor.flags & pathformat::descriptor::LIBRARY != 0;
    let asked = if library { Asker::Alone } else { Asker::Counted(address) };
    read(environment, address, build_id(), asked, &NoLibrary);
    environment.origin.read_descent();
    image.describe(descriptor, displacement(), build_id(), environment.image.as_bytes());
}

/// Begins the tracer, with its own image first. A library that the program needs may come before
/// the program's own constructor.
fn begin(shared: &mut Shared, room: &mut Room) {
    if BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    describe();
    // SAFETY: it changes only when the image is described.
    let waits = unsafe { IMAGE.get() }.waits();
    let [run, method] = proc::values([variables::TRACE, variables::TRACE_COMPRESS]);
    region::begin_run(variables::switch(run.as_ref().map(Text::as_bytes)), waits);
    shared.compress(variables::compresses(method.as_ref().map(Text::as_bytes)) == Some(true));
    shared.begin();
    // SAFETY: the image is part of this one, and is removed when this one is closed.
    unsafe { shared.add(&raw mut *IMAGE.get(), room) };
}

/// Returns the tracer to which the block belongs that this image uses.
fn runtime() -> *const Runtime {
    ThreadBlock::own().runtime().map_or(&raw const RUNTIME, ptr::with_exposed_provenance)
}

/// The constructor.
extern "C" fn start() {
    let runtime = runtime();
    if ptr::eq(runtime, &raw const RUNTIME) {
        with_shared(|shared, _| shared.start(ThreadBlock::own()));
        signals::prepare();
        synchronisation::prepare();
        allocations::prepare();
        fork_registration().register(before_fork, after_fork, in_child);
        return;
    }
    BEGUN.store(true, Ordering::Relaxed);
    describe();
    // SAFETY: this is the table of a tracer, whose version is checked first, and this image's own
    // description, which no other code uses yet.
    unsafe {
        if (*runtime).signature == trace_block::SIGNATURE {
            JOINED.store(runtime.cast_mut(), Ordering::Relaxed);
            ((*runtime).join)(&raw mut *IMAGE.get());
        } else {
            IMAGE.get().hide();
        }
    }
}

/// The destructor.
extern "C" fn stop() {
    let joined = JOINED.load(Ordering::Relaxed);
    // SAFETY: this is the tracer of another image, which is loaded as long as this one uses its
    // block.
    if let Some(runtime) = unsafe { joined.as_ref() } {
        // SAFETY: this image's own description, which only that tracer uses.
        (runtime.leave)(unsafe { &raw mut *IMAGE.get() });
        return;
    }
    with_shared(|shared, _| {
        let block = ThreadBlock::own();
        shared.end(block);
        // A library may be loaded and unloaded often. As long as there are other threads they may
        // still be in its code, since the program may be ending.
        // SAFETY: it changed only when the image was loaded.
        if unsafe { IMAGE.get() }.is_library() && sys::thread_count() == Some(1) {
            shared.close(block);
        }
    });
}

/// Adds another image that uses the block of this one.
extern "C" fn join(image: *mut Image) {
    with_shared(|shared, room| {
        // SAFETY: the image's description stays until it leaves, and the block is the thread's own.
        unsafe {
            shared.add(image, room);
            if (*image).waits() && region::end_run() {
                (*Block::own()).obey();
            }
        }
    });
}

/// Removes another image that is closed.
extern "C" fn leave(image: *mut Image) {
    with_shared(|shared, _| shared.remove(image));
}

/// Begins a part that is traced, or ends one if `begins` is 0. The program calls it.
extern "C" fn switch(begins: u32) {
    let runtime = runtime();
    // SAFETY: this is the table of a tracer, whose version is checked first.
    unsafe {
        if (*runtime).signature == trace_block::SIGNATURE {
            ((*runtime).obey)(begins);
        }
    }
}

/// Does the same for a call in any image of the process.
extern "C" fn obey(begins: u32) {
    with_shared(|_, _| {
        region::switch(begins != 0);
        // SAFETY: the thread's own memory.
        unsafe { (*Block::own()).obey() };
    });
}

/// Lets other threads have the memory of the calling thread, if it records in this image's tracer.
extern "C" fn end_thread() {
    if ptr::eq(runtime(), &raw const RUNTIME) {
        with_shared(|shared, _| shared.end_thread(ThreadBlock::own()));
    }
}

/// Gives the calling thread room. Returns the place of its next record.
extern "C" fn give_room() -> usize {
    if !is_relocated() {
        return unread().next;
    }
    // SAFETY: the thread's own memory.
    if let Some(place) = unsafe { (*Block::own()).stay() } {
        return place;
    }
    with_shared(|shared, room| {
        // SAFETY: only the holder of the lock changes the environment.
        let environment = unsafe { environment::change() };
        shared.give_room(ThreadBlock::own(), environment, room)
    })
}

/// Returns true if the image is relocated. A static-pie without a C library never is.
fn is_relocated() -> bool {
    let address: usize;
    // SAFETY: computes an address. The word may be relocated at any time.
    unsafe {
        asm!(
            "leaq {function}(%rip), {address}",
            function = sym join,
            address = out(reg) address,
            options(att_syntax, nomem, nostack, preserves_flags),
        );
        (&raw const RUNTIME.join).cast::<usize>().read_volatile() == address
    }
}

/// Returns the functions that register handlers of forks, until this image is unloaded.
fn fork_registration() -> ForkRegistration {
    // SAFETY: it is constant once the image is relocated.
    let others = unsafe { &OTHERS };
    // SAFETY: it changed only when the image was loaded.
    let library = unsafe { IMAGE.get() }.is_library();
    // Handlers of a library without a handle would stay when it is unloaded.
    let may_leave = others.library != 0 || !library;
    let glibc = if may_leave { others.register_fork_handlers } else { 0 };
    ForkRegistration { glibc, posix: others.posix_register_fork_handlers, library: others.library }
}

extern "C" fn before_fork() {
    let mask = thread::block_signals();
    LOCK.acquire();
    MASK.store(mask, Ordering::Relaxed);
}

extern "C" fn after_fork() {
    let mask = MASK.load(Ordering::Relaxed);
    LOCK.release();
    thread::restore_signals(mask);
}

extern "C" fn in_child() {
    // SAFETY: no other thread is left, and this one has the lock.
    let (shared, environment) = unsafe { (SHARED.get(), environment::change()) };
    STACK.run(|| shared.start_again(ThreadBlock::own(), environment));
    after_fork();
}
