//! The runtime for images that pathcc compiled and another linker linked. `LD_PRELOAD` makes the
//! loader load it.
//!
//! Such an image counts in the arrays of its objects, and its notes give the places of the arrays.
//! This library writes the arrays when the process ends: by `exit`, behind every destructor, or by
//! `_exit`. A forked child starts from zero.
//!
//! It keeps less than the runtime that `ld.pathld` links. Threads have no counters of their own, so
//! their counts are marked. No file keeps the counters, so a process loses them if it is killed or
//! executes another program, and so does a library that is closed before the end.

use core::arch::global_asm;
use core::mem::{replace, size_of, transmute};
use core::ptr;
use core::slice;

use pathformat::note::{self, Array};
use pathformat::profile::{PARTIAL, UNREGISTERED_THREADS};
use pathformat::settings::Threads;
use process::environment::Environment;
use process::global::Global;
use process::notes::{self, Segment};
use process::origin::Asker;
use process::others::ForkRegistration;
use process::proc::NoLibrary;
use process::sys::mapping::{self, At};
use process::sys::stack::Stack;
use process::sys::thread::{self, Lock};
use process::sys::{self, Bound, OpenError, apart};
use process::target;

use crate::counters::{self, PageMap, Source, Window};
use crate::image::{self, Image};
use crate::map::Map;
use crate::pages::PAGE;
use crate::segments::Portion;
use crate::slots::{Slot, Slots};
use crate::write::{self, Counts, Failed};
use pathformat::descriptor::Module;

/// The largest number of images with arrays in a process. Further ones are not written.
const MOST_IMAGES: usize = 256;

/// The time that `_exit` waits for another thread that is writing, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

// The constructor, and the functions that replace those of the C library.
global_asm!(
    ".pushsection .init_array, \"aw\", @init_array",
    ".p2align 3",
    ".quad {start}",
    ".popsection",
    ".globl _exit",
    ".type _exit, @function",
    ".set _exit, {leave}",
    ".globl _Exit",
    ".type _Exit, @function",
    ".set _Exit, {leave}",
    start = sym start,
    leave = sym leave,
);

process::table_of_others!(
    "__pathcc_others",
    "",
    "dl_iterate_phdr",
    "__cxa_atexit",
    "__cxa_at_quick_exit",
    "__register_atfork",
    "pthread_atfork",
);

/// The addresses of functions, 0 for those that the C library does not have.
#[repr(C)]
struct Others {
    for_each_image: usize,
    at_exit: usize,
    at_quick_exit: usize,
    register_fork_handlers: usize,
    posix_register_fork_handlers: usize,
}

unsafe extern "C" {
    #[link_name = "__pathcc_others"]
    static OTHERS: Others;
}

/// A loaded image, as the C library describes it (`dl_phdr_info`).
#[repr(C)]
struct Loaded {
    base: usize,
    name: *const u8,
    segments: *const Segment,
    segment_count: u16,
}

impl Loaded {
    fn segments(&self) -> &'static [Segment] {
        // SAFETY: the memory is the C library's, and is used only while the image is loaded.
        unsafe { slice::from_raw_parts(self.segments, usize::from(self.segment_count)) }
    }

    /// Returns the arrays that no other runtime writes.
    fn arrays(&self) -> impl Iterator<Item = Array> + Clone {
        // SAFETY: a loaded image is mapped as its program headers say.
        let all = unsafe { notes::notes(self.base, self.segments()) };
        let ours = all.filter(|note| note.owner == note::OWNER);
        let linked = ours.clone().any(|note| note.kind == note::Kind::Linked as u32);
        ours.filter(move |note| !linked && note.kind == note::Kind::Array as u32)
            .filter_map(|note| Array::decode(note.content, note.content.as_ptr() as usize))
    }
}

/// An image with arrays. The reference is its only field that cannot be zero. `None` is therefore
/// all zeros, and a list of images takes no room in the file.
struct Counted {
    /// The C library's values for it, which identify it.
    base: usize,
    segments: *const Segment,
    /// The address of a byte of its file.
    code: usize,
    build_id: &'static [u8],
    image: Image,
    /// [`PARTIAL`] if arrays were left out.
    flags: u32,
    /// [`UNREGISTERED_THREADS`] if threads disturb each other's counts.
    flags_with_threads: u32,
    /// The number of the last search that found it.
    seen: u32,
}

/// The whole state. It is all zeros at first.
struct Preloaded {
    /// The environment at the start of the process.
    started: Environment,
    /// A copy of it, with the image that is being written.
    environment: Environment,
    images: [Option<Counted>; MOST_IMAGES],
    slots: Slots,
    room: write::Room,
    map: Map,
    window: Window,
    process: u32,
    /// The time that other threads had run when counting began, in nanoseconds.
    others_before: u64,
    /// The number of searches for images.
    looks: u32,
    written: bool,
}

static STATE: Global<Preloaded> = Global::new(Preloaded {
    started: Environment::new(),
    environment: Environment::new(),
    images: [const { None }; MOST_IMAGES],
    slots: Slots::new(),
    room: write::Room::new(),
    map: Map::new(),
    window: Window::new(),
    process: 0,
    others_before: 0,
    looks: 0,
    written: false,
});

/// The lock of the state.
static LOCK: Lock = Lock::new();

/// The stack for writing, since the thread that ends the process may have little of its own left.
static STACK: Stack = Stack::new();

/// The constructor.
extern "C" fn start() {
    // SAFETY: constructors run one after the other, before the program.
    let (state, others) = unsafe { (STATE.get(), &OTHERS) };
    let mut program = None;
    for_each_image(|loaded| {
        program.get_or_insert((
            code_of(loaded),
            build_id_of(loaded),
            loaded.arrays().next().is_some(),
        ));
    });
    let Some((code, build_id, counts)) = program else { return };
    let asked = if counts { Asker::Counted(code) } else { Asker::Alone };
    state.started.read(code, build_id, asked, &NoLibrary);
    state.started.origin.read_descent();
    if !state.started.enabled() {
        return;
    }
    target::settle(&mut state.started, b"", &NoLibrary);
    state.begin();
    state.look();
    // The loader's own function, which runs all destructors, is registered later, and so runs
    // before.
    for register in
        [others.at_exit, others.at_quick_exit].into_iter().filter(|&register| register != 0)
    {
        type Register = unsafe extern "C" fn(extern "C" fn(), usize, usize) -> i32;
        // SAFETY: these are functions of the C library's ABI, and this library is never unloaded.
        unsafe { transmute::<usize, Register>(register)(finish, 0, 0) };
    }
    let (glibc, posix) = (others.register_fork_handlers, others.posix_register_fork_handlers);
    // This library is never unloaded.
    ForkRegistration { glibc, posix, library: 0 }.register(before_fork, after_fork, in_child);
}

/// Writes all profiles, once.
extern "C" fn finish() {
    let mask = thread::block_signals();
    if LOCK.acquire_within(PATIENCE) {
        // SAFETY: the thread that holds the lock is alone.
        let state = unsafe { STATE.get() };
        // A child of vfork shares the memory of its parent, which goes on.
        if state.process == sys::process() && !replace(&mut state.written, true) {
            STACK.run(|| {
                state.look();
                state.write();
            });
        }
        LOCK.release();
    }
    thread::restore_signals(mask);
}

/// Replaces `_exit` and `_Exit`.
extern "C" fn leave(status: usize) {
    finish();
    sys::exit(status);
}

extern "C" fn before_fork() {
    LOCK.acquire();
    // SAFETY: the thread that holds the lock is alone. In the child the C library must not be
    // called.
    unsafe { STATE.get() }.look();
}

extern "C" fn after_fork() {
    LOCK.release();
}

extern "C" fn in_child() {
    // SAFETY: the lock is held since before the fork.
    unsafe { STATE.get() }.start_again();
    LOCK.release();
}

/// Calls `take` with each image of the process, the program first.
fn for_each_image<F: FnMut(&Loaded)>(mut take: F) {
    type Visit = extern "C" fn(&Loaded, usize, usize) -> i32;
    extern "C" fn visit<F: FnMut(&Loaded)>(loaded: &Loaded, _size: usize, take: usize) -> i32 {
        // SAFETY: the pointer is to the closure below, which waits.
        unsafe { (*(take as *mut F))(loaded) };
        0
    }
    // SAFETY: it is constant once this library is relocated.
    let function = unsafe { OTHERS.for_each_image };
    if function != 0 {
        // SAFETY: the function of the C library.
        unsafe {
            let each = transmute::<usize, unsafe extern "C" fn(Visit, usize) -> i32>(function);
            each(visit::<F>, &raw mut take as usize);
        }
    }
}

/// Returns the address of a byte of an image's file.
fn code_of(loaded: &Loaded) -> usize {
    loaded
        .segments()
        .iter()
        .find_map(notes::loaded)
        .map_or(0, |range| loaded.base.wrapping_add(range.start))
}

fn build_id_of(loaded: &Loaded) -> &'static [u8] {
    // SAFETY: a loaded image is mapped as its program headers say.
    notes::build_id(unsafe { notes::notes(loaded.base, loaded.segments()) })
}

/// Returns the description of an image with arrays.
fn counted(loaded: &Loaded) -> Option<Counted> {
    let first = loaded.arrays().next()?;
    // A linker script may have put arrays far apart, with nothing in between.
    let segments = loaded.segments().iter().filter_map(notes::loaded);
    let mut moved = segments
        .map(|range| range.start.wrapping_add(loaded.base)..range.end.wrapping_add(loaded.base));
    let segment = moved.find(|range| range.contains(&first.address))?;
    let is_near = |array: &Array| {
        let aligned = array.address.is_multiple_of(size_of::<u64>());
        aligned
            && segment.contains(&array.address)
            && array.end().is_some_and(|end| end <= segment.end)
    };
    let near = || loaded.arrays().filter(is_near);
    let start = near().map(|array| array.address).min()? & !(PAGE - 1);
    let end = near().filter_map(|array| array.end()).max()?;
    let disturbed = |array: &Array| array.threads != Threads::Atomic && array.counters > 0;
    let has_keys = near().any(|array| array.keys > 0);
    let modules = near().flat_map(|array| {
        let offset = (array.address - start) as u64;
        let module = |id: [u8; 16], offset, counters, threads: Threads| Module {
            id,
            offset,
            counters,
            threads: threads.code().into(),
        };
        // All threads share the keys. In a profile they come before the counters to which they
        // belong.
        let keys =
            module(array.id.keys().0, offset + array.counters * 8, array.keys, Threads::Atomic);
        [
            Some(keys).filter(|_| array.keys > 0),
            Some(module(array.id.0, offset, array.counters, array.threads)),
        ]
    });
    let modules = || modules.clone().flatten();
    let count = modules().count();
    let list = mapping::map_private(At::Anywhere, count * size_of::<Module>())?.cast::<Module>();
    for (index, module) in modules().enumerate() {
        // SAFETY: there is room for `count` modules.
        unsafe { list.add(index).write(module) };
    }
    // SAFETY: `count` modules were written, and nothing changes them.
    let list = unsafe { slice::from_raw_parts(list.as_ptr(), count) };
    let region = ptr::slice_from_raw_parts(start as *const u64, (end - start) / size_of::<u64>());
    Some(Counted {
        base: loaded.base,
        segments: loaded.segments,
        code: code_of(loaded),
        build_id: build_id_of(loaded),
        image: Image::new(region, list, has_keys),
        flags: if near().count() < loaded.arrays().count() { PARTIAL } else { 0 },
        flags_with_threads: if near().any(|array| disturbed(&array)) {
            UNREGISTERED_THREADS
        } else {
            0
        },
        seen: 0,
    })
}

/// Returns the images that this search found.
fn loaded(images: &[Option<Counted>], look: u32) -> impl Iterator<Item = &Counted> {
    images.iter().flatten().filter(move |counted| counted.seen == look)
}

impl Preloaded {
    /// Begins to count in this process.
    fn begin(&mut self) {
        self.process = sys::process();
        self.others_before = sys::cpu_time_of_others(Bound::Upper);
        self.written = false;
    }

    /// Finds the images that are loaded now.
    fn look(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        let (images, looks) = (&mut self.images, self.looks);
        for_each_image(|loaded| {
            let is_it =
                |known: &Counted| known.base == loaded.base && known.segments == loaded.segments;
            if !images.iter().flatten().any(is_it)
                && let Some(free) = images.iter_mut().find(|known| known.is_none())
            {
                *free = counted(loaded);
            }
            images
                .iter_mut()
                .flatten()
                .filter(|known| is_it(known))
                .for_each(|known| known.seen = looks);
        });
    }

    /// Clears the parent's counts in a forked child.
    fn start_again(&mut self) {
        self.begin();
        self.started.origin.notice_fork();
        let map = PageMap::open();
        for counted in loaded(&self.images, self.looks) {
            self.slots.adopt(&counted.image);
            let Some(region) = self.slots.address(Slot::REGION) else { continue };
            for place in counted.image.places() {
                let mut source = Source::Memory(&map, &mut self.window);
                // SAFETY: the arrays are of an image that is loaded, and no other thread is left.
                unsafe {
                    let clear = |at, count: u64| counters::add(region, at, count.wrapping_neg());
                    counters::visit(region, image::range(&place), &mut source, clear);
                }
            }
        }
    }

    fn write(&mut self) {
        let other_threads = sys::thread_count().is_some_and(|count| count > 1)
            || sys::cpu_time_of_others(Bound::Lower) > self.others_before;
        for counted in loaded(&self.images, self.looks) {
            self.environment.clear();
            self.environment.join(&mut self.started.origin, counted.code, counted.build_id);
            self.slots.adopt(&counted.image);
            let flags = counted.flags | if other_threads { counted.flags_with_threads } else { 0 };
            let (image, used, shared) = (&counted.image, Slot::FIRST.0, true);
            let mut write = || {
                let map = image.has_keys().then(|| self.map.read());
                let (slots, may_stand) = (&mut self.slots, false);
                let portion = Portion::whole(self.environment.origin.label.as_bytes());
                let counts = Counts { image, slots, used, map, shared, flags, may_stand, portion };
                write::profile(&self.environment, counts, &mut self.room)
            };
            if write() == Err(Failed::Open(OpenError::Limit)) {
                apart::run(&mut || {
                    let _ = write();
                });
            }
        }
    }
}
