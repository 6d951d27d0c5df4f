//! What the lock of a registry protects: the threads of a process, the images that count in it, and
//! how it was started.

use core::mem::offset_of;
use core::ptr::{self, NonNull};

use pathformat::names::LENT_COUNT;
use process::origin::Origin;
use process::sys::mapping::{self, At};
use process::sys::thread;
use process::sys::{self, Bound};

use crate::slots::{CHUNKS, Slot};

/// What a slot is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum State {
    /// Nobody's. Zeros, as in a fresh mapping.
    Free = 0,
    /// Given to a thread that has not begun.
    Starting = 1,
    /// Of a thread that counts, or that has ended and nobody looked since.
    Running = 2,
}

/// The executable has begun to end, and will [let all images write](Member::new) when everything
/// else has ended. The loader unloads none of them any more.
pub(crate) const ENDING: u32 = 1;

/// The images write now. What counts afterwards is the program's only thread, which a handler of
/// SIGBUS may interrupt.
pub(crate) const ENDED: u32 = 2;

/// What is known of the thread that has a slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Thread {
    state: State,
    /// Its number in the kernel.
    number: u32,
    /// Its thread pointer.
    pointer: usize,
    /// What it shall run, while it is starting.
    pub(crate) start: usize,
    /// With which argument.
    pub(crate) argument: usize,
}

/// What the images of a process know of each other. Their runtimes may differ: each does what is to
/// be done with its own counters by its own code.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Member {
    pub(super) next: *mut Member,
    prepare: Option<extern "C" fn(*mut Member, Slot)>,
    attach: Option<extern "C" fn(*mut Member, Slot, usize)>,
    pub(super) rescue: Option<extern "C" fn(*mut Member, usize) -> bool>,
    pub(super) leave: Option<extern "C" fn(*mut Member, *mut Shared)>,
}

impl Member {
    /// An image that nobody can ask. All zeros.
    pub(crate) const NONE: Self =
        Self { next: ptr::null_mut(), prepare: None, attach: None, rescue: None, leave: None };

    /// An image that makes memory for slots, lets the thread with a thread pointer count in one,
    /// replaces pages, and writes what it counted before the process leaves.
    pub(crate) fn new(
        prepare: extern "C" fn(*mut Member, Slot),
        attach: extern "C" fn(*mut Member, Slot, usize),
        rescue: extern "C" fn(*mut Member, usize) -> bool,
        leave: extern "C" fn(*mut Member, *mut Shared),
    ) -> Self {
        let (prepare, attach) = (Some(prepare), Some(attach));
        Self { next: ptr::null_mut(), prepare, attach, rescue: Some(rescue), leave: Some(leave) }
    }

    /// # Safety
    /// The image is loaded, and the caller has the registry's lock, as for all that is called
    /// through it.
    unsafe fn prepare(this: *mut Self, slot: Slot) {
        // SAFETY: the caller vouches for it.
        unsafe { (*this).prepare }.inspect(|prepare| prepare(this, slot));
    }

    /// # Safety
    /// As above.
    unsafe fn attach(this: *mut Self, slot: Slot, pointer: usize) {
        // SAFETY: the caller vouches for it.
        unsafe { (*this).attach }.inspect(|attach| attach(this, slot, pointer));
    }
}

/// What the lock protects.
#[repr(C)]
pub(crate) struct Shared {
    /// The process that the threads are of.
    pub(crate) process: u32,
    /// One more than the highest slot ever given.
    pub(crate) used: u32,
    /// How many slots are free below that.
    free: u32,
    /// Whether the process ends: [`ENDING`], [`ENDED`], or 0.
    pub(crate) ending: u32,
    /// The images that count, in a list.
    pub(super) images: *mut Member,
    threads: [*mut Thread; CHUNKS],
    /// Which of the words that libraries are lent are in use, one bit each.
    lent: [u64; LENT_COUNT / 64],
    /// How the process was started.
    pub(crate) origin: Origin,
}

// What other runtimes read and write. A change to any of it, or to what these structures consist
// of, needs another version in the signature of `format/src/descriptor.rs`.
const _: () = {
    assert!(
        size_of::<Member>() == 40
            && offset_of!(Member, prepare) == 8
            && offset_of!(Member, leave) == 32
    );
    assert!(offset_of!(Member, attach) == 16 && offset_of!(Member, rescue) == 24);
    assert!(
        size_of::<Thread>() == 32
            && offset_of!(Thread, number) == 4
            && offset_of!(Thread, pointer) == 8
    );
    assert!(offset_of!(Thread, start) == 16 && offset_of!(Thread, argument) == 24);
    assert!(
        offset_of!(Shared, used) == 4
            && offset_of!(Shared, free) == 8
            && offset_of!(Shared, ending) == 12
            && offset_of!(Shared, images) == 16
    );
    assert!(
        offset_of!(Shared, threads) == 24
            && offset_of!(Shared, lent) == 24 + 8 * CHUNKS
            && CHUNKS == 21
    );
    assert!(
        LENT_COUNT == 256
            && offset_of!(Shared, origin) == offset_of!(Shared, lent) + LENT_COUNT / 8
    );
    assert!(size_of::<Origin>() == 82_272);
};

impl Shared {
    /// No threads and no images.
    pub(super) const fn new() -> Self {
        let (images, threads, lent) =
            (ptr::null_mut(), [ptr::null_mut(); CHUNKS], [0; LENT_COUNT / 64]);
        Self {
            process: 0,
            used: 0,
            free: 0,
            ending: 0,
            images,
            threads,
            lent,
            origin: Origin::new(),
        }
    }

    fn thread(&mut self, slot: Slot) -> Option<&mut Thread> {
        let (chunk, index) = slot.place();
        let start = *self.threads.get(chunk)?;
        if start.is_null() || slot == Slot::REGION || slot.0 >= self.used {
            return None;
        }
        // SAFETY: a chunk has room for all threads with its slots, and whoever has the shared part
        // is alone.
        Some(unsafe { &mut *start.add(index) })
    }

    /// The slots that were ever given.
    fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        (1..self.used).map(Slot)
    }

    /// Registers the calling thread, if no thread is registered yet.
    pub(crate) fn register_first(&mut self) {
        if self.used == 0 {
            self.process = sys::process();
            self.used = 1;
            if let Some(slot) = self.take() {
                self.begin(slot);
            }
        }
    }

    /// Gives a slot to a thread that will start.
    pub(crate) fn take(&mut self) -> Option<Slot> {
        if self.free == 0 {
            self.collect();
        }
        let free = if self.free > 0 {
            self.slots().find(|&slot| self.is(slot, State::Free))
        } else {
            None
        };
        let slot = match free {
            Some(slot) => {
                self.free -= 1;
                slot
            }
            None => self.extend()?,
        };
        self.thread(slot)?.state = State::Starting;
        Some(slot)
    }

    fn is(&mut self, slot: Slot, state: State) -> bool {
        self.thread(slot).is_some_and(|thread| thread.state == state)
    }

    /// A slot that nobody had before.
    fn extend(&mut self) -> Option<Slot> {
        let slot = Slot(self.used.max(1));
        let (chunk, _) = slot.place();
        let start = self.threads.get_mut(chunk)?;
        if start.is_null() {
            *start =
                mapping::map_private(At::Anywhere, size_of::<Thread>() << chunk)?.cast().as_ptr();
        }
        self.used = slot.0 + 1;
        Some(slot)
    }

    /// Finds the slots of threads that have ended.
    fn collect(&mut self) {
        // Asking for every thread each time would make starting many of them slow; the kernel knows
        // how many there are.
        let known = u64::from(self.used.saturating_sub(1) - self.free);
        if sys::thread_count().is_some_and(|alive| alive >= known) {
            return;
        }
        for slot in self.slots() {
            if let Some(thread) = self.thread(slot)
                && thread.state == State::Running
                && !thread::is_alive(thread.number)
            {
                thread.state = State::Free;
                self.free += 1;
            }
        }
    }

    /// Takes a slot back whose thread could not be started.
    pub(crate) fn give_back(&mut self, slot: Slot) {
        if let Some(thread) = self.thread(slot) {
            thread.state = State::Free;
            self.free += 1;
        }
    }

    /// What a thread that starts with this slot shall run, and with which argument.
    pub(crate) fn task(&mut self, slot: Slot) -> Option<&mut Thread> {
        self.thread(slot)
    }

    /// The calling thread begins to count in this slot, in all images.
    pub(crate) fn begin(&mut self, slot: Slot) {
        let (number, pointer) = (thread::current(), thread::pointer());
        if let Some(thread) = self.thread(slot) {
            *thread = Thread { state: State::Running, number, pointer, ..*thread };
            // SAFETY: images in the list are loaded.
            self.each_image(|image| unsafe { Member::attach(image, slot, pointer) });
        }
    }

    /// Makes sure that every image has memory for a slot.
    pub(crate) fn prepare(&mut self, slot: Slot) {
        // SAFETY: images in the list are loaded.
        self.each_image(|image| unsafe { Member::prepare(image, slot) });
    }

    fn each_image(&mut self, mut act: impl FnMut(*mut Member)) {
        let mut next = self.images;
        while !next.is_null() {
            let image = next;
            // SAFETY: images are in the list while they are loaded, and whoever has the shared part
            // is alone.
            next = unsafe { (*image).next };
            act(image);
        }
    }

    /// The slot of the calling thread, or the region's if nobody registered it.
    pub(crate) fn own_slot(&mut self) -> Slot {
        let own = thread::current();
        let is_own = |thread: &mut Thread| thread.state == State::Running && thread.number == own;
        let found = self.slots().find(|&slot| self.thread(slot).is_some_and(is_own));
        found.unwrap_or(Slot::REGION)
    }

    /// Lets all images write what they counted.
    pub(super) fn leave(&mut self) {
        let shared = &raw mut *self;
        self.each_image(|image| {
            // SAFETY: images in the list are loaded, and whoever has the shared part is alone.
            unsafe { (*image).leave }.inspect(|leave| leave(image, shared));
        });
    }

    /// Lends a thread-local word of the executable's to a library; gives its distance from the
    /// thread pointer. It is 0 in every thread.
    pub(crate) fn lend(&mut self, first: usize) -> Option<usize> {
        let (index, bits) =
            self.lent.iter_mut().enumerate().find(|(_, bits)| **bits != u64::MAX)?;
        let bit = bits.trailing_ones() as usize;
        *bits |= 1 << bit;
        Some(first.wrapping_add((index * 64 + bit) * size_of::<usize>()))
    }

    /// Takes back a word that is 0 in every thread again.
    pub(crate) fn take_back(&mut self, first: usize, distance: usize) {
        let number = distance.wrapping_sub(first) / size_of::<usize>();
        if let Some(bits) = self.lent.get_mut(number / 64) {
            *bits &= !(1 << (number % 64));
        }
    }

    /// Adds an image, in which all threads count from now on.
    pub(crate) fn add(&mut self, image: *mut Member) {
        for slot in self.slots() {
            if let Some(&mut Thread { state, number, pointer, .. }) = self.thread(slot)
                && state != State::Free
            {
                // SAFETY: the caller's image is loaded.
                unsafe { Member::prepare(image, slot) };
                // One that has ended may have left its stack to others.
                if state == State::Running && thread::is_alive(number) {
                    // SAFETY: as above.
                    unsafe { Member::attach(image, slot, pointer) };
                }
            }
        }
        // SAFETY: as above, and whoever has the shared part is alone.
        unsafe { (*image).next = self.images };
        self.images = image;
    }

    /// Gives the memory of the threads back, before the image with this registry is unloaded.
    pub(crate) fn unmap(&mut self) {
        self.used = 0;
        self.free = 0;
        for (chunk, start) in self.threads.iter_mut().enumerate() {
            if let Some(start) = NonNull::new(core::mem::replace(start, ptr::null_mut())) {
                // SAFETY: mapped in `extend`, and nobody has a reference into it.
                unsafe { mapping::unmap(start.cast(), size_of::<Thread>() << chunk) };
            }
        }
    }

    /// Removes an image that is about to be unloaded.
    pub(crate) fn remove(&mut self, gone: *mut Member) {
        // SAFETY: the caller's image is loaded.
        let after = unsafe { (*gone).next };
        if self.images == gone {
            self.images = after;
        }
        self.each_image(|other| {
            // SAFETY: images in the list are loaded, and whoever has the shared part is alone.
            let next = unsafe { &mut (*other).next };
            if *next == gone {
                *next = after;
            }
        });
    }

    /// In a forked child: only the calling thread is left. Its slot, or the region's if nobody
    /// registered it.
    pub(crate) fn survive_fork(&mut self) -> Slot {
        let (number, pointer) = (thread::current(), thread::pointer());
        let first = self.process != sys::process();
        self.process = sys::process();
        let mut own = Slot::REGION;
        for slot in self.slots() {
            let Some(thread) = self.thread(slot) else { continue };
            if thread.state == State::Running && thread.pointer == pointer {
                thread.number = number;
                own = slot;
            } else if first && thread.state != State::Free {
                thread.state = State::Free;
                self.free += 1;
            }
        }
        own
    }

    /// Whether registered threads besides the calling one are running, not waiting.
    pub(crate) fn has_running(&mut self) -> bool {
        let own = thread::current();
        let threads = self.slots().filter_map(|slot| self.thread(slot).copied());
        threads
            .filter(|thread| thread.state == State::Running && thread.number != own)
            .any(|thread| !thread::is_waiting(thread.number))
    }

    /// Whether more threads have run than are registered, as far as can be told: `others_before` is
    /// what [`sys::cpu_time_of_others`] said in the beginning.
    pub(crate) fn has_strangers(&mut self, others_before: u64) -> bool {
        if self.used <= Slot::FIRST.0 + 1 {
            return sys::cpu_time_of_others(Bound::Lower) > others_before;
        }
        let mut known = 0;
        for slot in self.slots() {
            if let Some(&mut Thread { state, number, .. }) = self.thread(slot) {
                known += u64::from(
                    state == State::Starting || state == State::Running && thread::is_alive(number),
                );
            }
        }
        sys::thread_count().is_some_and(|alive| alive > known)
    }
}
