//! The counters of this image, from its constructor over forks to its destructor.

use core::sync::atomic::Ordering;
use core::{iter, ptr};

use pathformat::names::NOWHERE;
use pathformat::profile::{
    self, DENIED, OTHER_RUNTIME, PARTIAL, RUNNING, RunId, UNREGISTERED_THREADS,
};
use pathformat::raw::SHARED;
use pathformat::settings::Threads;
use process::environment::{self, Environment};
use process::global::Global;
use process::sys::stack::Stack;
use process::sys::thread;
use process::sys::{self, Bound, File, Names, OpenError, apart};
use process::target;
use process::text::Path;

use crate::counters::{self, PageMap, Source, Window};
use crate::creation;
use crate::image::{self, Image};
use crate::imports;
use crate::map::Map;
use crate::registry::{ENDED, ENDING, Member, STACK, Shared};
use crate::rescue;
use crate::segments::{Change, Portion, Segments};
use crate::shared_registry;
use crate::slots::{Slot, Slots};
use crate::standing::{self, Forks, Wanted};
use crate::write::{self, Counts, Failed};

/// The state of this image's counters. Other images of the process reach the first part through the
/// registry. It is all zeros at first.
#[repr(C)]
struct Counting {
    member: Member,
    slots: Slots,
    /// The descriptor of this image, since the runtime of another image may run this code.
    image: *const Image,
    /// The distance of this image's `delta` from the thread pointer, the same in all threads. The
    /// word is the image's own or lent.
    delta_offset: usize,
    /// True if the word is lent.
    lent: bool,
    /// True if there are modules whose threads count each in its slot, and true if there are
    /// modules that count as if there was one thread.
    exact: bool,
    single: bool,
    /// True if registered threads count in the region, since there was no memory for a slot.
    shared: bool,
    /// The known faults of the counts: [`UNREGISTERED_THREADS`] and [`OTHER_RUNTIME`].
    flags: u32,
    /// The process to which the slots belong.
    process: u32,
    /// The time that unregistered threads had run when counting began, in nanoseconds.
    others_before: u64,
    stopped: bool,
    /// True if the process was already ending when the image was loaded, so that the image may be
    /// unloaded before the end.
    late: bool,
    /// The forks of this process, or of its parent before it was forked.
    forks: Forks,
    /// The slot of a thread that goes on counting when the record is written.
    last_slot: Slot,
    /// True if the counters were withdrawn, so that a count raises a signal.
    withdrawn: bool,
    segments: Segments,
}

/// Scratch space, kept off the stack.
struct Room {
    raw: creation::Room,
    path: Path,
    write: write::Room,
    map: Map,
    window: Window,
}

static COUNTING: Global<Counting> = Global::new(Counting {
    member: Member::NONE,
    slots: Slots::new(),
    image: ptr::null(),
    delta_offset: 0,
    lent: false,
    exact: false,
    single: false,
    shared: false,
    flags: 0,
    process: 0,
    others_before: 0,
    stopped: false,
    late: false,
    forks: Forks::NONE,
    last_slot: Slot::REGION,
    withdrawn: false,
    segments: Segments::new(),
});

/// The stack for handlers of SIGBUS at the very end, when there may be hardly any other stack.
static STACK_OF_HANDLERS: Stack = Stack::new();

static ROOM: Global<Room> = Global::new(Room {
    raw: creation::Room::new(),
    path: Path::new(),
    write: write::Room::new(),
    map: Map::new(),
    window: Window::new(),
});

/// The constructor's part: gives every known thread a slot, and makes the raw file keep the slots.
pub(crate) fn start(environment: &mut Environment) {
    shared_registry::get().with(|shared| {
        // SAFETY: the registry's lock keeps the other images away, and no thread of this image has
        // begun.
        let (counting, room) = unsafe { (COUNTING.get(), ROOM.get()) };
        shared.register_first();
        counting.late = shared.ending != 0;
        counting.find_delta(shared);
        counting.begin(environment, imports::image(), room);
        shared.origin.pattern.copy(&environment.origin.pattern);
        shared.origin.follow(&environment.origin);
        shared.origin.keep_folder(counting.slots.raw.path());
        environment.origin.share_folder(&shared.origin);
        shared.add((&raw mut *counting).cast());
    });
    imports::fork_registration().register(before_fork, after_fork, in_child);
    if shared_registry::has_own_registry() {
        rescue::begin();
    }
}

/// Returns the image that contains a member of the registry's list.
///
/// # Safety
/// The member must be this image's, and no other code may be using it.
unsafe fn of<'a>(member: *mut Member) -> &'a mut Counting {
    // SAFETY: the member is the first part of the structure. The caller vouches for the rest.
    unsafe { &mut *member.cast::<Counting>() }
}

extern "C" fn prepare(member: *mut Member, slot: Slot) {
    // SAFETY: the registry calls this with the member from `start`, while it holds the lock.
    unsafe { of(member) }.prepare(slot);
}

extern "C" fn attach(member: *mut Member, slot: Slot, pointer: usize) {
    // SAFETY: as above.
    unsafe { of(member) }.attach(slot, pointer);
}

extern "C" fn rescue(member: *mut Member, address: usize) -> bool {
    // SAFETY: as above except for the lock. The fields that change here are only read when no
    // thread counts any more.
    let counting = unsafe { of(member) };
    if !counting.withdrawn || !counting.slots.has_kept(address) {
        return counting.slots.rescue(address);
    }
    // SAFETY: the record is written, and this is the only thread.
    let (environment, room) = unsafe { (environment::change(), ROOM.get()) };
    let mask = thread::block_signals();
    STACK.run(|| counting.go_on(environment, imports::image(), room));
    thread::restore_signals(mask);
    true
}

extern "C" fn label(
    member: *mut Member,
    shared: *mut Shared,
    change: u32,
    text: *const u8,
    length: usize,
) {
    // SAFETY: as above. The registry passes a text that lives as long as the call.
    let (counting, shared, room, text) = unsafe {
        (of(member), &mut *shared, ROOM.get(), core::slice::from_raw_parts(text, length))
    };
    if !counting.stopped
        && counting.process == sys::process()
        && let Some(change) = Change::of(change)
    {
        counting.change_label(
            environment::of_image(),
            imports::image(),
            shared,
            room,
            change,
            text,
        );
    }
}

extern "C" fn leave(member: *mut Member, shared: *mut Shared) {
    // SAFETY: as above, and the registry passes what its lock protects.
    let (counting, shared, room) = unsafe { (of(member), &mut *shared, ROOM.get()) };
    if counting.process != sys::process() {
        // A child of a fork without handlers shares the raw file with its parent, which has the
        // counts of both.
        counting.suspect();
    } else if !core::mem::replace(&mut counting.stopped, true) {
        counting.write(environment::of_image(), imports::image(), shared, room);
    }
}

impl Counting {
    /// Finds the word that moves each thread's counts into its slot. Without such a word all
    /// threads count in the region, as if there was no memory for slots.
    fn find_delta(&mut self, registry: &mut Shared) {
        let own = imports::own_delta();
        let lend = || shared_registry::lent_words().and_then(|first| registry.lend(first));
        // The linker, too, defines no word for modules that only write the block log.
        let any = |threads| {
            imports::image().places().any(|place| place.threads == threads && place.counters > 0)
        };
        let wanted = any(Threads::Exact);
        let found = if wanted { own.or_else(lend) } else { None };
        self.lent = own.is_none() && found.is_some();
        self.exact = found.is_some();
        self.shared = wanted && found.is_none();
        self.single = any(Threads::Single) || self.shared;
        if let Some(distance) = found {
            self.delta_offset = distance;
            imports::place().store(distance, Ordering::Relaxed);
        }
    }

    fn begin(&mut self, environment: &mut Environment, image: &Image, room: &mut Room) {
        self.member = Member::new(prepare, attach, rescue, leave, label);
        self.slots.adopt(image);
        self.segments.begin(&environment.origin.label, self.slots.size());
        self.image = image;
        self.note_process();
        let mut file = self.find_raw(environment, image, room);
        if matches!(file, Err(OpenError::Denied))
            && target::retreat(environment, &imports::CLibrary)
        {
            file = self.find_raw(environment, image, room);
        }
        if matches!(file, Err(OpenError::Limit))
            && apart::run(&mut || self.begin(environment, image, room))
        {
            self.note_others();
            return;
        }
        let file = file.ok();
        if self.exact {
            self.slots.prepare(Slot::FIRST, file.as_ref());
            self.shared = self.slots.address(Slot::FIRST).is_none();
        }
        self.move_early_counts(image, file.as_ref(), &mut room.window);
        if let Some(file) = &file {
            self.slots.keep_region(file);
        }
        self.finish_raw(environment);
    }

    fn note_process(&mut self) {
        self.flags = if shared_registry::is_other_runtime() { OTHER_RUNTIME } else { 0 };
        self.process = sys::process();
        self.note_others();
    }

    /// Starts the time of other threads anew. The time that they have run until now does not count,
    /// that of a thread apart included.
    fn note_others(&mut self) {
        self.others_before = sys::cpu_time_of_others(Bound::Upper);
    }

    /// Takes a standing file, or creates one of this process's own.
    fn find_raw(
        &mut self,
        environment: &mut Environment,
        image: &Image,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        let is_one_of_many =
            environment.forked() && (self.forks.are_many() || self.slots.raw.block().is_some());
        let raw = &mut self.slots.raw;
        if image.may_stand()
            && let Some(file) = {
                let label = self.segments.label().as_bytes();
                raw.take(environment, image, label, is_one_of_many, &mut room.raw)
            }
        {
            return Ok(file);
        }
        environment.origin.read_descent();
        self.create_raw(environment, image, room)
    }

    fn create_raw(
        &mut self,
        environment: &Environment,
        image: &Image,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        let names = Names::new();
        let size = self.slots.size() as u64;
        let head = environment.head(&names, 0, 0);
        let map = image.has_keys().then(|| room.map.read());
        let raw = &mut self.slots.raw;
        let file = raw.create(environment, &head, size, map, image.places(), &mut room.raw)?;
        if !self.segments.label().as_bytes().is_empty() {
            raw.set_label(Some(self.segments.label().as_bytes()), 0);
        }
        Ok(file)
    }

    /// Removes a file that keeps nothing. Sets the flags of any other file.
    fn finish_raw(&mut self, environment: &Environment) {
        if !self.slots.is_kept(Slot::REGION) && self.slots.raw.block().is_none() {
            self.slots.raw.remove(environment);
        } else if self.shared || self.flags != 0 {
            self.publish_flags();
        }
    }

    fn publish_flags(&mut self) {
        self.slots.raw.add_flags(self.flags | if self.shared { SHARED } else { 0 });
    }

    /// Moves counts from before the constructor, for example of resolvers of ifuncs, to the first
    /// thread.
    fn move_early_counts(&mut self, image: &Image, file: Option<&File>, window: &mut Window) {
        let Some(region) = self.slots.address(Slot::REGION) else { return };
        let first = self.slots.address(Slot::FIRST);
        let offset = self.slots.raw.offset(0, self.slots.size() as u64);
        let map = PageMap::open();
        let is_standing = self.slots.raw.block().is_some();
        let mut is_empty = true;
        let mut all = Source::Memory(&map, window);
        // SAFETY: the region is part of the image.
        unsafe { counters::visit(region, 0..self.slots.size(), &mut all, |_, _| is_empty = false) };
        if is_empty {
            return;
        }
        for place in image.places() {
            let mut source = Source::Memory(&map, window);
            let move_away = |at, count: u64| match (place.threads, first, file) {
                // SAFETY: both are as long as a slot, and no thread counts yet.
                (Threads::Exact, Some(first), _) => unsafe {
                    counters::add(first, at, count);
                    counters::add(region, at, count.wrapping_neg());
                },
                // SAFETY: as above.
                (_, _, Some(file)) => unsafe {
                    if file.add_at(count, offset + at as u64) && is_standing {
                        counters::add(region, at, count.wrapping_neg());
                    }
                },
                _ => {}
            };
            // SAFETY: the region is part of the image.
            unsafe { counters::visit(region, image::range(&place), &mut source, move_away) };
        }
    }

    /// Makes sure that there is memory for a slot.
    pub(crate) fn prepare(&mut self, slot: Slot) {
        if self.exact {
            self.slots.prepare(slot, None);
            if !self.slots.is_kept(slot) {
                self.slots.raw.add_flags(PARTIAL);
            }
        }
    }

    /// Makes the thread with this thread pointer count in a slot.
    pub(crate) fn attach(&mut self, slot: Slot, pointer: usize) {
        let delta = self.slots.delta(slot);
        // Without a slot of its own a thread has to leave that of the thread which created it.
        let is_set = self.exact && self.set_delta(pointer, delta);
        let together = self.exact && !(is_set && delta != 0) || self.single;
        if together && slot != Slot::FIRST {
            self.suspect();
        }
    }

    /// Sets the thread-local words of this image: `delta`, followed by the addresses of arrays.
    /// Sets the base of the segment, if modules use it. Returns false if that is not possible: then
    /// their counts stay in the region.
    fn set_delta(&self, pointer: usize, delta: usize) -> bool {
        let own = pointer == thread::pointer();
        let mut address = pointer.wrapping_add(self.delta_offset);
        // SAFETY: set when counting began. An image is constant as long as it is loaded, and this
        // structure is part of it.
        let bases = unsafe { self.image.as_ref() }.into_iter().flat_map(Image::bases);
        let bases = bases.map(|base| base.wrapping_add(delta));
        for word in iter::once(delta).chain(bases) {
            if own {
                // SAFETY: the thread's own variable.
                unsafe { (address as *mut usize).write_volatile(word) };
            } else {
                thread::poke(address, word);
            }
            address = address.wrapping_add(size_of::<usize>());
        }
        // Nobody else can set the segment of a thread. One that began before this image counted has
        // none: what it counts here is in the region, where it is noticed.
        !self.uses_segment() || !own || set_segment(delta)
    }

    /// True if modules find their arrays by a segment.
    fn uses_segment(&self) -> bool {
        // SAFETY: as in `set_delta`.
        self.exact && unsafe { self.image.as_ref() }.is_some_and(Image::uses_segment)
    }

    /// Records that counts may be wrong from now on.
    pub(crate) fn suspect(&mut self) {
        if self.flags & UNREGISTERED_THREADS == 0 {
            self.flags |= UNREGISTERED_THREADS;
            self.publish_flags();
        }
    }

    /// Starts from zero in a forked child, with a raw file of its own.
    fn start_again(
        &mut self,
        slot: Slot,
        environment: &mut Environment,
        image: &Image,
        room: &mut Room,
    ) {
        self.note_process();
        self.follow_label();
        self.segments.start_again();
        let file = self.find_raw(environment, image, room);
        let again = &mut || self.start_again(slot, environment, image, room);
        if matches!(file, Err(OpenError::Limit)) && apart::run(again) {
            self.note_others();
            return;
        }
        self.slots.start_again(slot, file.as_ref().ok());
        self.finish_raw(environment);
    }

    fn finish(
        &mut self,
        environment: &Environment,
        image: &Image,
        registry: &mut Shared,
        room: &mut Room,
    ) {
        if self.process == sys::process() {
            self.write(environment, image, registry, room);
        } else {
            // A child of a fork without handlers shares the raw file with its parent, which has the
            // counts of both.
            self.suspect();
        }
        // Not before: pages that are read may be lost, and the handler that replaces them uses the
        // list.
        registry.remove((&raw mut *self).cast());
        if self.process != sys::process() {
            return;
        }
        if image.is_library() {
            self.slots.raw.forget();
        }
        // A library may be loaded and unloaded often. As long as there are other threads they may
        // still be in its code, since the program may be ending.
        if image.is_library() && sys::thread_count() == Some(1) {
            if self.exact {
                self.set_delta(thread::pointer(), 0);
            }
            if let Some(first) = shared_registry::lent_words().filter(|_| self.lent) {
                imports::place().store(NOWHERE as usize, Ordering::Relaxed);
                registry.take_back(first, self.delta_offset);
            }
            self.slots.unmap();
            self.segments.start_again();
            if shared_registry::has_own_registry() {
                registry.unmap();
                registry.origin.forget_folder();
                rescue::end();
            }
        }
    }

    /// Writes the profile, or records in the raw file that the process ended well.
    fn write(
        &mut self,
        environment: &Environment,
        image: &Image,
        registry: &mut Shared,
        room: &mut Room,
    ) {
        if shared_registry::sees_threads(self.shared) && registry.has_strangers(self.others_before)
        {
            self.flags |= UNREGISTERED_THREADS;
        }
        if self.exact && registry.has_running() {
            self.flags |= RUNNING;
        }
        let (shared, flags, used) = (self.shared, self.flags, registry.used);
        if self.slots.raw.block().is_some() && self.slots.raw.is_removed() {
            self.slots.raw.own();
        }
        if let Some(block) = self.slots.raw.block() {
            self.slots.raw.add_flags(flags);
            self.slots.look_for_cuts();
            if self.segments.are_any() {
                self.append_segment(environment, image, registry, room, Change::Dump);
            }
            if !self.slots.has_private() {
                return standing::end(block, environment, &mut room.raw);
            }
        }
        self.follow_label();
        let may_stand = image.may_stand() && standing::is_possible(environment);
        let portion = match self.slots.raw.block() {
            // What stays in memory has no segments.
            Some(_) => Portion::whole(self.segments.first_label()),
            None => self.segments.rest(),
        };
        let mut write = || {
            let map = image.has_keys().then(|| room.map.read());
            let slots = &mut self.slots;
            let counts = Counts { image, slots, used, map, shared, flags, may_stand, portion };
            write::profile(environment, counts, &mut room.write)
        };
        let mut written = write();
        if written == Err(Failed::Open(OpenError::Limit)) {
            apart::run(&mut || written = write());
        }
        if written == Err(Failed::Stale) {
            return self.write(environment, image, registry, room);
        }
        if let Some(block) = self.slots.raw.block() {
            match written {
                Ok(_) => standing::end(block, environment, &mut room.raw),
                Err(_) => self.slots.raw.add_flags(PARTIAL),
            }
            return;
        }
        match written {
            Ok(is_often) => {
                if is_often {
                    let label = environment.origin.label.as_bytes();
                    let wanted = Wanted { environment, image, label, is_one_of_many: false };
                    standing::make_ready(wanted, &mut room.raw, &mut room.path);
                }
                if registry.ending == ENDED {
                    self.last_slot = registry.own_slot();
                    self.slots.withdraw();
                    self.withdrawn = true;
                }
                self.slots.raw.remove(environment);
            }
            Err(error) => {
                let is_denied = error == Failed::Open(OpenError::Denied);
                let denied = if is_denied { DENIED } else { 0 };
                self.slots.raw.add_flags(flags | profile::ENDED | denied);
            }
        }
    }
}

impl Counting {
    /// Ends a segment of the run, and gives what follows another label.
    fn change_label(
        &mut self,
        environment: &Environment,
        image: &Image,
        registry: &mut Shared,
        room: &mut Room,
        change: Change,
        text: &[u8],
    ) {
        self.follow_label();
        if change == Change::Label && self.segments.has_label(text) {
            return;
        }
        self.append_segment(environment, image, registry, room, change);
        if change == Change::Label {
            self.segments.set_label(text);
        }
        let is_changed = change == Change::Label || self.segments.is_mixed();
        let text = is_changed.then(|| self.segments.label_since());
        self.slots.raw.set_label(text, self.segments.number());
    }

    /// Takes over the label of the raw file: another process may have changed it.
    fn follow_label(&mut self) {
        if let Some(found) = self.slots.raw.label() {
            self.segments.follow(&found);
        }
    }

    /// Appends what was counted since the last segment to the profile. In a standing file, what was
    /// counted before the first one is that of earlier runs, too, and stays.
    fn append_segment(
        &mut self,
        environment: &Environment,
        image: &Image,
        registry: &mut Shared,
        room: &mut Room,
        change: Change,
    ) {
        let (shared, flags, used) = (self.shared, self.flags, registry.used);
        let run = self.slots.raw.standing_run();
        let is_first = run.is_some() && !self.segments.are_any();
        // Without an identity of the run, nobody could tell its segments.
        let has_identity = run.unwrap_or(environment.run) != RunId::NONE;
        let portion = if has_identity { self.segments.next(change, run) } else { None };
        let Some(portion) = portion else { return self.segments.mix() };
        let mut write = || {
            let map = image.has_keys().then(|| room.map.read());
            let (slots, may_stand) = (&mut self.slots, false);
            let counts = Counts { image, slots, used, map, shared, flags, may_stand, portion };
            if is_first {
                let is_noted = write::note_all(counts, &mut room.write);
                return is_noted.then_some(false).ok_or(Failed::Open(OpenError::Other));
            }
            write::profile(environment, counts, &mut room.write)
        };
        let mut written = write();
        if written == Err(Failed::Open(OpenError::Limit)) {
            apart::run(&mut || written = write());
        }
        match written {
            Ok(_) => self.segments.append(),
            Err(Failed::Stale) => {
                self.follow_label();
                self.append_segment(environment, image, registry, room, change);
            }
            Err(_) => {
                self.segments.mix();
                if is_first {
                    // What it has is not all that was counted before.
                    self.segments.forget_ledger();
                }
            }
        }
    }

    /// Goes on with a raw file of its own, when code counts after the record was written, such as
    /// the function of a stream that the C library flushes at the end.
    fn go_on(&mut self, environment: &mut Environment, image: &Image, room: &mut Room) {
        self.withdrawn = false;
        self.segments.start_again();
        environment.go_on();
        let file = self.create_raw(environment, image, room).ok();
        self.slots.start_again(self.last_slot, file.as_ref());
        self.finish_raw(environment);
        self.slots.raw.add_flags(self.flags | profile::ENDED);
    }
}

/// Sets the segment of the calling thread, which leads to the slot at this distance. Returns false
/// if that is not possible.
fn set_segment(delta: usize) -> bool {
    thread::set_segment(delta, environment::of_image().sets_segments)
}

/// Calls `act` while this thread counts in the region, as far as a segment leads to its slot. A
/// thread that it creates has the segment of this one.
pub(crate) fn without_segment<T>(act: impl FnOnce() -> T) -> T {
    let own = shared_registry::get().with(|shared| {
        // SAFETY: as in `start`. No field changes.
        let counting = unsafe { COUNTING.get() };
        counting.uses_segment().then(|| counting.slots.delta(shared.own_slot()))
    });
    let is_left = own.is_some_and(|delta| delta != 0 && set_segment(0));
    let result = act();
    if let Some(delta) = own.filter(|_| is_left) {
        set_segment(delta);
    }
    result
}

/// The destructor's part in a program whose [`end`] comes later. Libraries wait for [`end`], too.
pub(crate) fn begin_end() {
    shared_registry::get().with(|shared| shared.ending = ENDING);
}

/// Writes the profiles of all loaded images, once, after the last destructor.
pub(crate) fn end() {
    let is_heard = rescue::is_ready() && sys::thread_count() == Some(1);
    shared_registry::get().end(is_heard);
    if is_heard {
        STACK_OF_HANDLERS.lend_to_handlers();
    }
}

/// The destructor's part in any other image: writes the profile, once. A library that is closed
/// must not wait.
pub(crate) fn stop(environment: &Environment) {
    shared_registry::get().with(|shared| {
        // SAFETY: as in `start`. A thread that still counts does so in the slots alone.
        let (counting, room) = unsafe { (COUNTING.get(), ROOM.get()) };
        if shared.ending != 0 && !counting.late {
            return;
        }
        if !core::mem::replace(&mut counting.stopped, true) {
            counting.finish(environment, imports::image(), shared, room);
        }
    });
}

extern "C" fn before_fork() {
    shared_registry::get().before_fork();
    // SAFETY: the registry's lock is held until the fork is over.
    unsafe { COUNTING.get() }.forks.add();
}

extern "C" fn after_fork() {
    shared_registry::get().after_fork();
}

extern "C" fn in_child() {
    let registry = shared_registry::get();
    registry.in_child();
    registry.with(|shared| {
        let slot = shared.survive_fork();
        shared.origin.notice_fork();
        // SAFETY: no other thread is left, and none borrowed from it before the fork.
        let environment = unsafe { environment::change() };
        environment.fork(&shared.origin);
        // SAFETY: no other thread is left.
        let (counting, room) = unsafe { (COUNTING.get(), ROOM.get()) };
        if !counting.stopped {
            counting.start_again(slot, environment, imports::image(), room);
            counting.forks = Forks::NONE;
            shared.origin.follow(&environment.origin);
            shared.origin.label.copy(counting.segments.label());
        }
    });
    registry.after_fork();
}
