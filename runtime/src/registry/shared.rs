//! The state that the lock of a registry protects: the threads of a process, the images that count
//! in it, and how the process was started.

use core::mem::offset_of;
use core::ptr::{self, NonNull};

use pathformat::names::LENT_COUNT;
use process::origin::Origin;
use process::sys::mapping::{self, At};
use process::sys::thread;
use process::sys::{self, Bound};

use crate::slots::{CHUNKS, Slot};

/// The use of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum SlotState {
    /// Unused. It is zero, as in a fresh mapping.
    Free = 0,
    /// Reserved for a thread that has not begun.
    Starting = 1,
    /// Used by a thread that counts, or that has ended unnoticed.
    Running = 2,
}

/// The executable has begun to end, and will [let all images write](Member::new) when everything
/// else has ended. The loader unloads no image any more.
pub(crate) const ENDING: u32 = 1;

/// The images write now. Later counts are of the program's only thread, which a handler of SIGBUS
/// may interrupt.
pub(crate) const ENDED: u32 = 2;

/// The thread that has a slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Thread {
    state: SlotState,
    /// The number of the thread in the kernel.
    number: u32,
    /// The thread pointer.
    pointer: usize,
    /// The function that it runs, while it is starting.
    pub(crate) start: usize,
    /// The argument of that function.
    pub(crate) argument: usize,
}

/// The interface of the images of a process to each other. Their runtimes may differ, so each
/// changes its own counters by its own code.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Member {
    pub(super) next: *mut Member,
    prepare: Option<extern "C" fn(*mut Member, Slot)>,
    attach: Option<extern "C" fn(*mut Member, Slot, usize)>,
    pub(super) rescue: Option<extern "C" fn(*mut Member, usize) -> bool>,
    pub(super) leave: Option<extern "C" fn(*mut Member, *mut Shared)>,
    label: Option<extern "C" fn(*mut Member, *mut Shared, u32, *const u8, usize)>,
}

impl Member {
    /// An image without functions. It is all zeros.
    pub(crate) const NONE: Self = Self {
        next: ptr::null_mut(),
        prepare: None,
        attach: None,
        rescue: None,
        leave: None,
        label: None,
    };

    /// Returns an image with its functions: they map memory for slots, make the thread with a
    /// thread pointer count in one, replace pages, write the counts before the process leaves, and
    /// change the label of what follows.
    pub(crate) fn new(
        prepare: extern "C" fn(*mut Member, Slot),
        attach: extern "C" fn(*mut Member, Slot, usize),
        rescue: extern "C" fn(*mut Member, usize) -> bool,
        leave: extern "C" fn(*mut Member, *mut Shared),
        label: extern "C" fn(*mut Member, *mut Shared, u32, *const u8, usize),
    ) -> Self {
        Self {
            next: ptr::null_mut(),
            prepare: Some(prepare),
            attach: Some(attach),
            rescue: Some(rescue),
            leave: Some(leave),
            label: Some(label),
        }
    }

    /// # Safety
    /// The image must be loaded, and the caller must have the registry's lock, as for all that is
    /// called through it.
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

/// The state under the lock.
#[repr(C)]
pub(crate) struct Shared {
    /// The process to which the threads belong.
    pub(crate) process: u32,
    /// One more than the highest slot that was ever used.
    pub(crate) used: u32,
    /// The number of free slots below that.
    free: u32,
    /// The stage of the process's end: [`ENDING`], [`ENDED`], or 0.
    pub(crate) ending: u32,
    /// The images that count, in a list.
    pub(super) images: *mut Member,
    threads: [*mut Thread; CHUNKS],
    /// The words that are lent to libraries, one bit each.
    lent: [u64; LENT_COUNT / 64],
    /// The start of the process.
    pub(crate) origin: Origin,
}

// The layout for other runtimes. A change to any of it, or to the parts of these structures, needs
// another version in the signature of `format/src/descriptor.rs`.
const _: () = {
    assert!(
        size_of::<Member>() == 48
            && offset_of!(Member, prepare) == 8
            && offset_of!(Member, leave) == 32
            && offset_of!(Member, label) == 40
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
    assert!(size_of::<Origin>() == 82_800);
};

impl Shared {
    /// Returns the state without threads and images.
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
        // SAFETY: a chunk has room for all threads with its slots, and the owner of the shared part
        // is alone.
        Some(unsafe { &mut *start.add(index) })
    }

    /// Returns the slots that were ever used.
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

    /// Reserves a slot for a thread that will start.
    pub(crate) fn take(&mut self) -> Option<Slot> {
        if self.free == 0 {
            self.collect();
        }
        let free = if self.free > 0 {
            self.slots().find(|&slot| self.is(slot, SlotState::Free))
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
        self.thread(slot)?.state = SlotState::Starting;
        Some(slot)
    }

    fn is(&mut self, slot: Slot, state: SlotState) -> bool {
        self.thread(slot).is_some_and(|thread| thread.state == state)
    }

    /// Returns a slot that was never used.
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
        // To ask for every thread each time would make starting many of them slow. The kernel knows
        // their number.
        let known = u64::from(self.used.saturating_sub(1) - self.free);
        if sys::thread_count().is_some_and(|alive| alive >= known) {
            return;
        }
        for slot in self.slots() {
            if let Some(thread) = self.thread(slot)
                && thread.state == SlotState::Running
                && !thread::is_alive(thread.number)
            {
                thread.state = SlotState::Free;
                self.free += 1;
            }
        }
    }

    /// Frees the slot of a thread that could not be started.
    pub(crate) fn give_back(&mut self, slot: Slot) {
        if let Some(thread) = self.thread(slot) {
            thread.state = SlotState::Free;
            self.free += 1;
        }
    }

    /// Returns the function and the argument of a thread that starts with this slot.
    pub(crate) fn task(&mut self, slot: Slot) -> Option<&mut Thread> {
        self.thread(slot)
    }

    /// Makes the calling thread count in this slot, in all images.
    pub(crate) fn begin(&mut self, slot: Slot) {
        let (number, pointer) = (thread::current(), thread::pointer());
        if let Some(thread) = self.thread(slot) {
            *thread = Thread { state: SlotState::Running, number, pointer, ..*thread };
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
            // SAFETY: images are in the list while they are loaded, and the owner of the shared
            // part is alone.
            next = unsafe { (*image).next };
            act(image);
        }
    }

    /// Returns the slot of the calling thread, or the region's if the thread is not registered.
    pub(crate) fn own_slot(&mut self) -> Slot {
        let own = thread::current();
        let is_own =
            |thread: &mut Thread| thread.state == SlotState::Running && thread.number == own;
        let found = self.slots().find(|&slot| self.thread(slot).is_some_and(is_own));
        found.unwrap_or(Slot::REGION)
    }

    /// Makes all images write their counts.
    pub(super) fn leave(&mut self) {
        let shared = &raw mut *self;
        self.each_image(|image| {
            // SAFETY: images in the list are loaded, and the owner of the shared part is alone.
            unsafe { (*image).leave }.inspect(|leave| leave(image, shared));
        });
    }

    /// Ends a segment in all images. `change` is the index of one of
    /// [`LABEL_FUNCTIONS`](pathformat::names::LABEL_FUNCTIONS), and `text` its argument.
    pub(crate) fn change_label(&mut self, change: u32, text: &[u8]) {
        let shared = &raw mut *self;
        self.each_image(|image| {
            // SAFETY: images in the list are loaded, and the owner of the shared part is alone.
            unsafe { (*image).label }
                .inspect(|label| label(image, shared, change, text.as_ptr(), text.len()));
        });
        if change == 0 {
            self.origin.label.clear();
            self.origin.label.push_all(text);
        }
    }

    /// Lends a thread-local word of the executable's to a library. Returns its distance from the
    /// thread pointer. The word is 0 in every thread.
    pub(crate) fn lend(&mut self, first: usize) -> Option<usize> {
        let (index, bits) =
            self.lent.iter_mut().enumerate().find(|(_, bits)| **bits != u64::MAX)?;
        let bit = bits.trailing_ones() as usize;
        *bits |= 1 << bit;
        Some(first.wrapping_add((index * 64 + bit) * size_of::<usize>()))
    }

    /// Takes back a lent word, which is 0 in every thread again.
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
                && state != SlotState::Free
            {
                // SAFETY: the caller's image is loaded.
                unsafe { Member::prepare(image, slot) };
                // A thread that has ended may have left its stack to others.
                if state == SlotState::Running && thread::is_alive(number) {
                    // SAFETY: as above.
                    unsafe { Member::attach(image, slot, pointer) };
                }
            }
        }
        // SAFETY: as above, and the owner of the shared part is alone.
        unsafe { (*image).next = self.images };
        self.images = image;
    }

    /// Unmaps the memory of the threads, before the image with this registry is unloaded.
    pub(crate) fn unmap(&mut self) {
        self.used = 0;
        self.free = 0;
        for (chunk, start) in self.threads.iter_mut().enumerate() {
            if let Some(start) = NonNull::new(core::mem::replace(start, ptr::null_mut())) {
                // SAFETY: it was mapped in `extend`, and there is no reference into it.
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
            // SAFETY: images in the list are loaded, and the owner of the shared part is alone.
            let next = unsafe { &mut (*other).next };
            if *next == gone {
                *next = after;
            }
        });
    }

    /// Keeps only the calling thread, in a forked child. Returns its slot, or the region's if the
    /// thread is not registered.
    pub(crate) fn survive_fork(&mut self) -> Slot {
        let (number, pointer) = (thread::current(), thread::pointer());
        let first = self.process != sys::process();
        self.process = sys::process();
        let mut own = Slot::REGION;
        for slot in self.slots() {
            let Some(thread) = self.thread(slot) else { continue };
            if thread.state == SlotState::Running && thread.pointer == pointer {
                thread.number = number;
                own = slot;
            } else if first && thread.state != SlotState::Free {
                thread.state = SlotState::Free;
                self.free += 1;
            }
        }
        own
    }

    /// Returns true if registered threads besides the calling one are running, not waiting.
    pub(crate) fn has_running(&mut self) -> bool {
        let own = thread::current();
        let threads = self.slots().filter_map(|slot| self.thread(slot).copied());
        threads
            .filter(|thread| thread.state == SlotState::Running && thread.number != own)
            .any(|thread| !thread::is_waiting(thread.number))
    }

    /// Returns true if more threads have run than are registered, as far as can be known.
    /// `others_before` is the first result of [`sys::cpu_time_of_others`].
    pub(crate) fn has_strangers(&mut self, others_before: u64) -> bool {
        if self.used <= Slot::FIRST.0 + 1 {
            return sys::cpu_time_of_others(Bound::Lower) > others_before;
        }
        let mut known = 0;
        for slot in self.slots() {
            if let Some(&mut Thread { state, number, .. }) = self.thread(slot) {
                known += u64::from(
                    state == SlotState::Starting
                        || state == SlotState::Running && thread::is_alive(number),
                );
            }
        }
        sys::thread_count().is_some_and(|alive| alive > known)
    }
}
