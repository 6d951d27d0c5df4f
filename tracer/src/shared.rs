//! The state that all threads of a process share: its images, its file, and the owners of its
//! chunks.

use core::mem::{self, size_of};
use core::ptr::{self, NonNull};

use pathformat::profile::{ENDED, Head, PARTIAL};
use pathformat::trace::{
    CHUNK_HEAD, ChunkHead, Clock, LONGEST_RECORD, NUMBERS, PROCESS, RecordKind, SHORT,
};
use process::environment::Environment;
use process::global::Global;
use process::sys::mapping::{self, At};
use process::sys::{self, File, Names, OpenError, apart, thread};
use zerocopy::IntoBytes;

use crate::block::{Stream, ThreadBlock, ThreadState, Words};
use crate::chunk::{self, limit, unmap, used};
use crate::clock;
use crate::compressor::Compressor;
use crate::ended::{self, Ended};
use crate::file::{self, CHUNK, TraceFile};
use crate::image::{EVENT, Image};
use crate::mark::Mark;
use crate::owners::{Chunk, Owner, Owners};
use crate::region;
use crate::rescue;

/// The number of a thread of another process, which the kernel gives to no thread.
const NOBODY: u32 = 0;

/// The largest number of chunks that pass, after a failed request for room, before the file is
/// tried again. The number doubles each time.
const MOST_PATIENCE: u32 = 64;

/// The state of the file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    /// Not needed so far. It is zero.
    Unneeded = 0,
    /// The file exists.
    There,
    /// The file cannot be created.
    Never,
}

/// The shared state. It is all zeros at first, except for limits.
pub(crate) struct Shared {
    file: TraceFile,
    presence: Presence,
    /// The process to which the file belongs.
    process: u32,
    /// The number of forks, from parent to child, by which the process came about.
    pub(crate) generation: u32,
    /// The first of the loaded images.
    images: *mut Image,
    next_number: u64,
    streams: u32,
    /// The number of chunks of the file that are taken.
    chunks: u64,
    /// The offset of the next event about the process, and the number of bytes that are left there.
    events: (u64, usize),
    /// The number of chunks of the stream of these events.
    event_chunks: u64,
    owners: Owners,
    ended: Ended,
    /// The number of requests for chunks before the file is tried again, and the number for the
    /// next time.
    patience: (u32, u32),
    /// The mark by which a forked child is recognised.
    mark: Option<Mark>,
    /// The first thread's state, if paths used it before the C library gave the thread its memory.
    early: Option<NonNull<ThreadState>>,
    /// True once the constructor has run.
    has_started: bool,
    compressor: Compressor,
}

/// Scratch space, kept off the stack.
pub(crate) struct Room {
    file: file::Room,
    event: [u8; EVENT],
}

impl Room {
    /// Creates empty space.
    pub(crate) const fn new() -> Self {
        Self { file: file::Room::new(), event: [0; EVENT] }
    }
}

/// Memory that is never read, for all threads that can have no other.
static UNREAD: Global<[u64; LONGEST_RECORD / 8 + 1]> = Global::new([0; LONGEST_RECORD / 8 + 1]);

/// Returns the words of records that are never read. The limit makes the next path ask again.
pub(crate) fn unread() -> Words {
    Words { next: &raw const UNREAD as usize, limit: 0 }
}

/// Moves the records of a chunk to where short ones are, if it has few. The chunk is empty then.
fn shorten(
    known: &TraceFile,
    chunks: &mut u64,
    ended: &mut Ended,
    file: &File,
    chunk: &Chunk,
    used: usize,
) -> bool {
    if !(CHUNK_HEAD + 1..=ended::MOST).contains(&used) {
        return false;
    }
    let offset = ended.place(used).or_else(|| {
        let offset = known.offset(*chunks);
        let head = ChunkHead { stream: SHORT.into(), ..ChunkHead::default() };
        if !known.reserve(file, offset) || !known.write(file, head.as_bytes(), offset) {
            return None;
        }
        *chunks += 1;
        ended.begin(offset);
        ended.place(used)
    });
    let Some(offset) = offset else { return false };
    let is_moved = chunk::shorten(chunk, used, known, file, offset);
    if !is_moved {
        // Readers stop where there is no head.
        ended.forget();
    }
    is_moved
}

/// Leaves an empty chunk to other threads, or unmaps it if enough of them wait.
fn leave(known: &TraceFile, ended: &mut Ended, file: &File, chunk: Chunk) {
    if let Some(chunk) = ended.keep(chunk) {
        known.trim(file, chunk.offset, 0);
        unmap(&chunk);
    }
}

impl Shared {
    /// Returns the state at first.
    pub(crate) const fn new() -> Self {
        Self {
            file: TraceFile::none(),
            presence: Presence::Unneeded,
            process: 0,
            generation: 0,
            images: ptr::null_mut(),
            next_number: 0,
            streams: 0,
            chunks: 0,
            events: (0, 0),
            event_chunks: 0,
            owners: Owners::new(),
            ended: Ended::new(),
            patience: (0, 0),
            mark: None,
            early: None,
            has_started: false,
            compressor: Compressor::new(),
        }
    }

    /// Turns the compression of full chunks on or off.
    pub(crate) fn compress(&mut self, is_wanted: bool) {
        self.compressor.want(is_wanted);
    }

    /// Records the process.
    pub(crate) fn begin(&mut self) {
        self.process = sys::process();
        match self.mark {
            Some(mark) => mark.set(),
            None => self.mark = Mark::new(),
        }
    }

    /// Notes that the constructor runs, in a thread that finds its block so.
    pub(crate) fn start(&mut self, thread_block: ThreadBlock) {
        self.has_started = true;
        self.early = self.early.filter(|_| thread_block.state().is_none());
    }

    /// Gives an image its numbers.
    ///
    /// # Safety
    /// The image must stay where it is until it is [removed](Self::remove).
    pub(crate) unsafe fn add(&mut self, image: *mut Image, room: &mut Room) {
        // SAFETY: it is the caller's, and no other code uses it.
        let added = unsafe { &mut *image };
        let first = self.next_number;
        let behind = first.saturating_add(added.numbers());
        if behind >= NUMBERS {
            // Its records could be taken for those of another image.
            self.presence = Presence::Never;
            return;
        }
        self.next_number = behind;
        added.first = first as u32;
        added.set_numbers();
        (added.next, self.images) = (self.images, image);
        if self.presence == Presence::There
            && let Ok(file) = self.file.open()
        {
            self.write_image(&file, added, room);
        }
    }

    /// Removes an image.
    pub(crate) fn remove(&mut self, image: *mut Image) {
        let mut place = &raw mut self.images;
        // SAFETY: the images of the list are loaded, since each is removed before it is unloaded.
        unsafe {
            while !(*place).is_null() {
                if *place == image {
                    *place = (*image).next;
                    return;
                }
                place = &raw mut (**place).next;
            }
        }
    }

    /// Gives a thread room: sets its words, and returns the place of its next record. The thread
    /// may have another block then.
    pub(crate) fn give_room(
        &mut self,
        thread_block: ThreadBlock,
        environment: &mut Environment,
        room: &mut Room,
    ) -> usize {
        if self.mark.is_some_and(|mark| mark.was_wiped()) {
            self.start_again(thread_block, environment);
        }
        // A child that shares its parent's memory uses the memory of a thread of the parent.
        let is_ours = sys::process() == self.process;
        let thread = if is_ours { thread::current() } else { NOBODY };
        if is_ours && self.owners.is_time_to_search() {
            self.search(thread_block, thread);
        }
        let Some(state) = self.state_of(thread_block, thread) else { return unread().next };
        // SAFETY: the thread's own block.
        let block = unsafe { &mut *thread_block.block() };
        if state.beyond > 0 {
            state.current().0.lost = 1;
            block.words = unread();
            return block.words.next;
        }
        if let Some(place) = region::room(state, &mut block.words) {
            return place;
        }
        let (stream, interrupts) = state.current();
        if stream.number == 0 {
            self.streams += 1;
            stream.number = self.streams;
        }
        let mut head = ChunkHead {
            stream: stream.number.into(),
            interrupts: interrupts.into(),
            number: stream.chunks.into(),
            thread: thread.into(),
            ..ChunkHead::default()
        };
        let former = self.owners.get(stream.owner);
        let mut found = self.begin_chunk(environment, &mut head, former, room);
        if found == Err(OpenError::Limit) {
            apart::run(&mut || found = self.begin_chunk(environment, &mut head, former, room));
        }
        let words = if let Ok((start, offset)) = found {
            let mut next = start.as_ptr() as usize + CHUNK_HEAD;
            let reasons =
                [(&mut stream.lost, RecordKind::Lost), (&mut stream.is_off, RecordKind::Off)];
            for (is_missing, why) in reasons {
                if mem::take(is_missing) != 0 {
                    // SAFETY: a chunk of ours, which is longer.
                    next = unsafe { region::mark(next, why) };
                }
            }
            stream.chunks += 1;
            if former.is_none_or(|former| former.offset != offset) {
                self.replace(stream, thread, start, offset);
            }
            Words { next, limit: limit(start) }
        } else {
            stream.lost = 1;
            let private = former.filter(|chunk| chunk.offset == 0);
            let known = private.and_then(|chunk| NonNull::new(chunk.start as *mut u8));
            let memory = known.or_else(|| {
                let start = mapping::map_private(At::Anywhere, CHUNK)?;
                self.replace(stream, thread, start, 0);
                Some(start)
            });
            match memory {
                Some(start) => {
                    Words { next: start.as_ptr() as usize + CHUNK_HEAD, limit: limit(start) }
                }
                None => unread(),
            }
        };
        block.words = words;
        words.next
    }

    /// Returns the state of a thread; `None` if there is no memory for it.
    fn state_of<'a>(
        &mut self,
        thread_block: ThreadBlock,
        thread: u32,
    ) -> Option<&'a mut ThreadState> {
        if thread_block.state().is_none()
            && thread == self.process
            && let Some(early) = self.early.take()
        {
            // The first thread goes on with what it had.
            thread_block.lead_to(early);
        }
        if thread_block.state().is_none() {
            let start = mapping::map_private(At::Anywhere, CHUNK)?;
            let Some(owner) = self.owners.add(thread, start.as_ptr() as usize, 0) else {
                // SAFETY: it was mapped just now.
                unsafe { mapping::unmap(start, CHUNK) };
                return None;
            };
            let state = start.cast::<ThreadState>();
            // SAFETY: zeros are a state, and the memory is longer.
            unsafe { (*state.as_ptr()).owner = owner };
            thread_block.lead_to(state);
            if !self.has_started && thread == self.process {
                self.early = Some(state);
            }
        }
        thread_block.state()
    }

    /// Takes a chunk of the file, with its head: the one that the stream has, once that is empty
    /// again, or another one.
    fn begin_chunk(
        &mut self,
        environment: &mut Environment,
        head: &mut ChunkHead,
        former: Option<Chunk>,
        room: &mut Room,
    ) -> Result<(NonNull<u8>, u64), OpenError> {
        if self.presence == Presence::Never || !environment.enabled() {
            return Err(OpenError::Other);
        }
        if let Some(less) = self.patience.0.checked_sub(1) {
            self.patience.0 = less;
            return Err(OpenError::Other);
        }
        let opened = match self.presence {
            Presence::There => self.file.open(),
            _ => self.create_file(environment, room),
        };
        let begun = opened.and_then(|file| {
            self.mark_losses(&file);
            if let Some(full) = former.filter(|chunk| chunk.offset != 0) {
                let offset = self.file.offset(self.chunks);
                // A place to which a part was written is not used again.
                self.chunks += 1;
                let compressor = &mut self.compressor;
                if let Some(start) = chunk::empty(&full, compressor, &self.file, &file, offset) {
                    return Ok((start, full.offset));
                }
            }
            let spare = if former.is_none() { self.ended.take() } else { None };
            if let Some(spare) = spare
                && let Some(start) = NonNull::new(spare.start as *mut u8)
            {
                return Ok((start, spare.offset));
            }
            let offset = self.file.offset(self.chunks);
            let Some(start) = self.file.map(&file, offset) else {
                self.file.add_flags(&file, PARTIAL);
                return Err(OpenError::Other);
            };
            self.chunks += 1;
            rescue::watch(start.as_ptr() as usize);
            Ok((start, offset))
        });
        match begun {
            Ok((start, _)) => {
                self.patience = (0, 0);
                let now = clock::now();
                (head.time, head.ticks) = (now.time, now.ticks);
                chunk::begin(start, head);
            }
            Err(OpenError::Limit) if !apart::is_apart() => {}
            Err(_) => {
                let patience = (self.patience.1 * 2).clamp(1, MOST_PATIENCE);
                self.patience = (patience, patience);
            }
        }
        begun
    }

    /// Creates the file, and writes the images into it.
    fn create_file(
        &mut self,
        environment: &mut Environment,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        let names = Names::new();
        let head = Head { pid: self.process, ..environment.head(&names, 0, 0) };
        let file = self.file.create(environment, &head, &mut room.file)?;
        // For forked children, which may have changed their root or their user.
        environment.origin.keep_folder(self.file.path());
        self.presence = Presence::There;
        (self.chunks, self.events, self.event_chunks) = (0, (0, 0), 0);
        let mut next = self.images;
        // SAFETY: the images of the list are loaded, since each is removed before it is unloaded.
        while let Some(image) = unsafe { next.as_mut() } {
            self.write_image(&file, image, room);
            next = image.next;
        }
        self.write_clock(&file);
        rescue::begin();
        Ok(file)
    }

    /// Marks the trace as partial if records were lost with a part of the file.
    fn mark_losses(&mut self, file: &File) {
        if rescue::has_lost() {
            self.file.add_flags(file, PARTIAL);
        }
    }

    fn write_image(&mut self, file: &File, image: &Image, room: &mut Room) {
        let length = image.event(&mut room.event);
        self.write_event(file, room.event.get(..length).unwrap_or_default());
    }

    /// Writes the time of both clocks.
    fn write_clock(&mut self, file: &File) {
        let now = clock::now();
        let mut event = [0; size_of::<u32>() + size_of::<Clock>()];
        let (word, payload) = event.split_at_mut(size_of::<u32>());
        word.copy_from_slice(&RecordKind::Clock.word(payload.len() as u32).to_le_bytes());
        payload.copy_from_slice(now.as_bytes());
        self.write_event(file, &event);
    }

    /// Writes an event of the process.
    fn write_event(&mut self, file: &File, event: &[u8]) {
        let length = event.len();
        // The last event of a chunk must be followed by a word that is 0.
        if length + size_of::<u32>() > self.events.1 {
            let offset = self.file.offset(self.chunks);
            let now = clock::now();
            let head = ChunkHead {
                stream: PROCESS.into(),
                number: self.event_chunks.into(),
                time: now.time,
                ticks: now.ticks,
                thread: thread::current().into(),
                ..ChunkHead::default()
            };
            self.chunks += 1;
            self.event_chunks += 1;
            self.events = (offset + CHUNK_HEAD as u64, CHUNK - CHUNK_HEAD);
            if !self.file.write(file, head.as_bytes(), offset) {
                self.file.add_flags(file, PARTIAL);
            }
        }
        if !self.file.write(file, event, self.events.0) {
            self.file.add_flags(file, PARTIAL);
        }
        self.events = (self.events.0 + length as u64, self.events.1 - length);
    }

    /// Gives a stream other memory.
    fn replace(&mut self, stream: &mut Stream, thread: u32, start: NonNull<u8>, offset: u64) {
        if let Some(former) = self.owners.remove(mem::take(&mut stream.owner)) {
            unmap(&former);
        }
        let owner = self.owners.add(thread, start.as_ptr() as usize, offset);
        stream.owner = owner.unwrap_or(Owner::NONE);
    }

    /// Lets other threads have the memory of the calling thread, which ends, if it has recorded
    /// little. It may still go on, in another chunk.
    pub(crate) fn end_thread(&mut self, thread_block: ThreadBlock) {
        // SAFETY: the thread's own block.
        let block = unsafe { &mut *thread_block.block() };
        let next = block.place();
        let Some(state) = thread_block.state() else { return };
        if self.presence != Presence::There
            || sys::process() != self.process
            || state.is_in_handler()
        {
            return;
        }
        let (stream, _) = state.current();
        let known = self.owners.get(stream.owner).filter(|chunk| chunk.offset != 0);
        let used = known.and_then(|chunk| next.checked_sub(chunk.start));
        let Some((chunk, used)) = known.zip(used) else { return };
        let Ok(file) = self.file.open() else { return };
        if !shorten(&self.file, &mut self.chunks, &mut self.ended, &file, &chunk, used) {
            return;
        }
        self.owners.remove(mem::take(&mut stream.owner));
        stream.kept = Words::default();
        if block.words.next == next {
            block.words = Words::default();
        }
        leave(&self.file, &mut self.ended, &file, chunk);
    }

    /// Unmaps the memory that waits for other threads.
    fn drop_spare(&mut self, file: Option<&File>) {
        while let Some(chunk) = self.ended.take() {
            if let Some(file) = file {
                self.file.trim(file, chunk.offset, 0);
            }
            unmap(&chunk);
        }
    }

    /// Removes the chunks of threads that ended.
    fn search(&mut self, thread_block: ThreadBlock, thread: u32) {
        let own = thread_block.state().map(|state| state.owners()).unwrap_or_default();
        // The number may be that of a thread that ended before.
        let is_lost = |owner, chunk: &Chunk| match chunk.thread {
            NOBODY => false,
            known if known == thread => !own.contains(&owner),
            known => !thread::is_alive(known),
        };
        let file = self.file.open().ok();
        let Self { file: known, chunks, ended, owners, .. } = self;
        owners.search(is_lost, |chunk| {
            if let Some(file) = file.as_ref().filter(|_| chunk.offset != 0) {
                let used = used(&chunk);
                if shorten(known, chunks, ended, file, &chunk, used) {
                    leave(known, ended, file, chunk);
                    return;
                }
                known.trim(file, chunk.offset, used);
            }
            unmap(&chunk);
        });
    }

    /// Resets the state in a forked child. Nothing of the parent's is used any more, and the next
    /// path asks for room.
    ///
    /// A signal handler may have forked, which interrupts code that has its place in a register.
    /// That code goes on there until its path ends, in memory that is never read.
    pub(crate) fn start_again(&mut self, thread_block: ThreadBlock, environment: &mut Environment) {
        self.begin();
        self.generation = self.generation.wrapping_add(1);
        environment.notice_fork();
        self.file.forget();
        if self.presence == Presence::There {
            self.presence = Presence::Unneeded;
        }
        (self.streams, self.patience, self.early) = (0, (0, 0), None);
        let state = thread_block.state();
        if state.is_some() {
            // SAFETY: the thread's own block.
            unsafe { (*thread_block.block()).words = Words::default() };
        }
        let own = state.as_deref().map(ThreadState::owners).unwrap_or_default();
        self.owners.search(|owner, _| !own.contains(&owner), |chunk| unmap(&chunk));
        self.drop_spare(None);
        self.ended.forget();
        let Some(state) = state else { return };
        let thread = thread::current();
        if let Some(memory) = self.owners.remove(state.owner) {
            state.owner = self.owners.add(thread, memory.start, 0).unwrap_or(Owner::NONE);
        }
        for stream in &mut state.streams {
            let mut fresh = Stream::default();
            if let Some(chunk) = self.owners.remove(stream.owner)
                && let Some(start) = NonNull::new(chunk.start as *mut u8)
                && mapping::map_private(At::Over(start), CHUNK).is_some()
            {
                let owner = self.owners.add(thread, chunk.start, 0);
                fresh.owner = owner.unwrap_or(Owner::NONE);
            }
            *stream = fresh;
        }
    }

    /// Ends the trace, with the process or with the library that has this tracer.
    pub(crate) fn end(&mut self, thread_block: ThreadBlock) {
        if self.presence != Presence::There || sys::process() != self.process {
            return;
        }
        let Ok(file) = self.file.open() else { return };
        self.write_clock(&file);
        self.mark_losses(&file);
        self.file.add_flags(&file, ENDED);
        self.drop_spare(Some(&file));
        // Little code runs after this, if any.
        // SAFETY: the thread's own block.
        let next = unsafe { (*thread_block.block()).place() };
        let chunk = thread_block.state().and_then(|state| self.owners.get(state.current().0.owner));
        if let Some(chunk) = chunk.filter(|chunk| chunk.offset != 0)
            && let Some(used) = next.checked_sub(chunk.start).filter(|&used| used <= CHUNK)
            && self.file.has_plenty(&file)
        {
            self.file.trim(&file, chunk.offset, used);
        }
    }

    /// Closes the tracer of a library. No other thread may be left.
    pub(crate) fn close(&mut self, thread_block: ThreadBlock) {
        thread_block.leave();
        self.owners.search(|_, _| true, |chunk| unmap(&chunk));
        self.owners.close();
        self.drop_spare(None);
        self.ended.forget();
        self.compressor.close();
        rescue::end();
        self.file.forget();
        if let Some(mark) = self.mark.take() {
            mark.unmap();
        }
        self.presence = Presence::Never;
    }
}
