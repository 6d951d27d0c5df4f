//! Determines the object that an address belongs to.
//!
//! Blocks of the heap are known from their allocation to their free. The calls that allocate and
//! free stand between two paths, and belong to the first one. The stack of a thread ends at its
//! `pthread_t`, as glibc lays it out. The stack of the first thread is in a range in which the
//! kernel of x86-64 places nothing else.
//!
//! The result states that it is sure or a guess. A guess depends on the order in which streams are
//! processed, which is one of many possible orders.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use pathformat::manifest::Location;
use pathformat::trace::{Operation, Synchronisation};
use profile::globals::{self, Globals};
use profile::names;

use crate::ids::{FunctionId, Moment, ThreadId};
use crate::memory::clocks::Clocks;
use crate::memory::frees::Frees;
use crate::memory::lifetimes::{Block, Lifetimes, Verdict};
use crate::memory::sites::site;
use crate::memory::vector_clock::VectorClock;
use crate::order::item::{CodePlace, EndedPath, MemoryAccess};
use crate::order::releases::Links;
use crate::steps::program::Program;
use crate::strands::own_memory::{DESCRIPTOR, STACK};
use counts::model::PathId;

/// The range in which the kernel places the stack of the first thread. Mappings are below.
const FIRST_STACK: Range<u64> = 0x7fff_ffff_f000 - (16 << 30) - STACK..0x7fff_ffff_f000;

/// An owner of memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// The owner is unknown.
    Unknown,
    /// The heap blocks that a function allocates.
    Heap {
        /// The function, if it is known.
        function: Option<FunctionId>,
        /// The function whose text is there, if it was inlined.
        inlined: Option<String>,
        /// The file; empty if the line is not known.
        file: String,
        /// The line.
        line: u32,
    },
    /// A variable.
    Global(String),
    /// Data of an image that no symbol names, such as constants.
    Image(String),
    /// The stack of a thread, and its thread-local variables.
    Stack(ThreadId),
}

/// The number of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u32);

/// The result of a search for the owner of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerLookup {
    /// The owner, or the best guess.
    pub owner: OwnerId,
    /// The first byte of the variable, of the block, or of another object.
    pub start: u64,
    /// True if the owner is certain. Otherwise another owner is possible.
    pub is_sure: bool,
}

/// The result for an unknown owner.
const NOBODY: OwnerLookup = OwnerLookup { owner: OwnerId(0), start: 0, is_sure: false };

/// A variable or a segment.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    end: u64,
    owner: OwnerId,
    /// True if no other image was loaded there.
    is_sure: bool,
}

/// The number of results that are kept: enough for a loop over several blocks.
const LATEST: usize = 8;

/// A result that is valid until something changes.
#[derive(Clone, Debug)]
struct Latest {
    range: Range<u64>,
    /// The stream of the search.
    stream: usize,
    /// The moment of the search.
    moment: Moment,
    found: OwnerLookup,
}

/// A path that ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    function: FunctionId,
    path: PathId,
    /// True if it ended at a call in the user's code.
    calls_for_user: bool,
}

/// The owners of all addresses at a moment of the walk.
#[derive(Debug)]
pub struct Owners<'a> {
    program: &'a Program,
    pub(super) clocks: Clocks,
    all: Vec<Owner>,
    ids: HashMap<Owner, OwnerId>,
    /// The owner of blocks whose allocating path is not known.
    nameless: OwnerId,
    /// The number and the bytes of allocated blocks, by owner.
    allocated: HashMap<OwnerId, (u64, u64)>,
    blocks: Lifetimes,
    /// Variables, then segments, by their first bytes.
    fixed: [BTreeMap<u64, Fixed>; 2],
    /// The threads of each stack and the moments of their beginnings, by the end of the stack.
    stacks: BTreeMap<u64, Vec<(OwnerId, Moment)>>,
    /// The current stream.
    stream: usize,
    is_handler: bool,
    count: u64,
    /// The last allocation that may have been freed where records are missing.
    doubted: u64,
    /// True if records may be missing anywhere.
    partial: bool,
    /// The last moment of each thread at which records are missing.
    missing: HashMap<ThreadId, Moment>,
    /// The last path that ended at a call in the user's code, or else the last path, by stream.
    ended: Vec<Option<Ended>>,
    /// The owner of the memory that a path allocates at its end, by function and path.
    callers: HashMap<(FunctionId, PathId), OwnerId>,
    /// The last results, and the index of the one that the next takes the place of.
    latest: Vec<Latest>,
    next: usize,
    frees: Arc<Frees>,
    /// The last part of a thread with a free of an undetermined block, by thread and address.
    doubtful: HashMap<(ThreadId, u64), u64>,
}

/// Returns true if a thread may have freed this block: it freed an undetermined block at the same
/// address.
fn is_doubted(doubtful: &HashMap<(ThreadId, u64), u64>, block: &Block, thread: ThreadId) -> bool {
    let last = doubtful.get(&(thread, block.start));
    last.is_some_and(|&part| !block.is_behind(Moment { thread, part }))
}

impl<'a> Owners<'a> {
    /// Returns the owners of a program that has not yet allocated anything. `frees` are all frees
    /// of its run. Without frees, results that are marked as sure may be wrong. If a trace is
    /// `partial`, any of its threads may have freed memory at any time without a record.
    pub fn of(program: &'a Program, frees: impl Into<Arc<Frees>>, partial: bool) -> Self {
        let mut owners = Self {
            program,
            clocks: Clocks::default(),
            all: Vec::new(),
            ids: HashMap::new(),
            nameless: OwnerId(0),
            allocated: HashMap::new(),
            blocks: Lifetimes::default(),
            fixed: [BTreeMap::new(), BTreeMap::new()],
            stacks: BTreeMap::new(),
            stream: 0,
            is_handler: false,
            count: 0,
            doubted: 0,
            partial,
            missing: HashMap::new(),
            ended: Vec::new(),
            callers: HashMap::new(),
            latest: Vec::with_capacity(LATEST),
            next: 0,
            frees: frees.into(),
            doubtful: HashMap::new(),
        };
        owners.id(Owner::Unknown);
        let nameless = Owner::Heap { function: None, inlined: None, file: String::new(), line: 0 };
        owners.nameless = owners.id(nameless);
        owners.add_images();
        owners
    }

    fn add_images(&mut self) {
        let known = self.program.images.iter().filter_map(|image| {
            let place = image.place.as_ref()?;
            Some((image.loaded.bias, place, globals::of(place)))
        });
        let known: Vec<_> = known.collect();
        let span = |(bias, _, globals): &(u64, &PathBuf, Globals)| {
            let ends = |(at, size): &(u64, u64)| {
                let start = at.wrapping_add(*bias);
                (start, start.saturating_add(*size))
            };
            let first = globals.segments.iter().map(|of| ends(of).0).min().unwrap_or_default();
            let end = globals.segments.iter().map(|of| ends(of).1).max().unwrap_or_default();
            first..end
        };
        let spans: Vec<Range<u64>> = known.iter().map(span).collect();
        for (at, (bias, place, globals)) in known.into_iter().enumerate() {
            // Several images may have been loaded at the same addresses, one after the other.
            let shares = |(other, of): (usize, &Range<u64>)| {
                other != at && of.start < spans[at].end && spans[at].start < of.end
            };
            let is_sure = !spans.iter().enumerate().any(shares);
            let mut named = 0;
            for (address, size, name) in globals.variables {
                let start = address.wrapping_add(bias);
                // A symbol may name a part of the variable of another one.
                if start < named {
                    continue;
                }
                let owner = self.id(Owner::Global(names::demangle(&name)));
                let end = start.saturating_add(size);
                named = end;
                self.fixed[0].insert(start, Fixed { end, owner, is_sure });
            }
            let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let owner = self.id(Owner::Image(name));
            for (address, size) in globals.segments {
                let start = address.wrapping_add(bias);
                let end = start.saturating_add(size);
                self.fixed[1].insert(start, Fixed { end, owner, is_sure });
            }
        }
    }

    fn id(&mut self, owner: Owner) -> OwnerId {
        if let Some(id) = self.ids.get(&owner) {
            return *id;
        }
        let id = OwnerId(self.all.len() as u32);
        self.all.push(owner.clone());
        self.ids.insert(owner, id);
        id
    }

    /// Returns the owner with a number.
    pub fn owner(&self, id: OwnerId) -> &Owner {
        self.all.get(id.0 as usize).unwrap_or(&Owner::Unknown)
    }

    /// Returns true if the access at a place is at no line of the source, although its function was
    /// compiled with debug information. The optimiser reads memory in advance, which the source may
    /// read on some ways only.
    pub(super) fn is_made_by_compiler(&self, place: CodePlace) -> bool {
        place.at == CodePlace::NONE.at
            && self.program.functions.get(place.function.index()).is_some_and(|of| of.has_lines)
    }

    /// Returns the number of an owner, which another walk may have found.
    pub(super) fn number(&mut self, owner: &Owner) -> OwnerId {
        self.id(owner.clone())
    }

    /// Returns the number and the bytes of the blocks that an owner allocated.
    pub fn allocated_by(&self, id: OwnerId) -> (u64, u64) {
        self.allocated.get(&id).copied().unwrap_or_default()
    }

    /// Switches to a stream.
    pub fn turn(&mut self, stream: usize, is_handler: bool) {
        (self.stream, self.is_handler) = (stream, is_handler);
    }

    /// Drops the kept results, which may be outdated.
    pub(super) fn forget(&mut self) {
        self.latest.clear();
        self.next = 0;
    }

    /// Returns the owner of an address that a thread accesses now.
    pub fn find(&mut self, thread: ThreadId, address: u64) -> OwnerLookup {
        let moment = self.clocks.moment(thread);
        let now = (self.stream, moment);
        let is_it = |of: &&Latest| of.range.contains(&address) && (of.stream, of.moment) == now;
        if let Some(latest) = self.latest.iter().find(is_it) {
            return latest.found;
        }
        self.search(thread, address)
    }

    /// Searches without the kept results, for a thread other than the current one.
    pub(super) fn search(&mut self, thread: ThreadId, address: u64) -> OwnerLookup {
        let moment = self.clocks.moment(thread);
        self.search_at(moment, address)
    }

    /// Returns the owner of an address that a thread accesses in an operation that has just
    /// released.
    pub(super) fn find_released(&mut self, thread: ThreadId, address: u64) -> OwnerLookup {
        let now = self.clocks.moment(thread);
        self.search_at(Moment { part: now.part.saturating_sub(1), ..now }, address)
    }

    /// Searches for an access at a moment of its thread, which may be a little earlier.
    fn search_at(&mut self, moment: Moment, address: u64) -> OwnerLookup {
        let mut doubt = false;
        let thread = moment.thread;
        if let Some((range, verdict)) = self.blocks.find(address, self.clocks.of(thread)) {
            match verdict {
                // The place of a handler in its thread is unknown.
                Verdict::In(block)
                    if !self.is_handler
                        && !self.partial
                        && block.number > self.doubted
                        && block.owner != self.nameless.0
                        && self.frees.spare(block.start, &block.known, moment)
                        && !is_doubted(&self.doubtful, block, thread) =>
                {
                    let (owner, start) = (OwnerId(block.owner), block.start);
                    return self.keep(range, moment, OwnerLookup { owner, start, is_sure: true });
                }
                Verdict::Free => {}
                _ => doubt = true,
            }
            if let Some((range, block)) = self.blocks.latest(address) {
                let owner = OwnerId(block.owner);
                let found = OwnerLookup { owner, start: block.start, is_sure: false };
                return self.keep(range, moment, found);
            }
        }
        for (at, fixed) in self.fixed.iter().enumerate() {
            let Some((start, fixed)) = fixed.range(..=address).next_back() else { continue };
            let (range, is_sure) = (*start..fixed.end, fixed.is_sure && !doubt);
            if !range.contains(&address) {
                continue;
            }
            let found = OwnerLookup { owner: fixed.owner, start: *start, is_sure };
            // Segments contain variables, and blocks may have been at the addresses of an image.
            let is_one = at == 0 && self.blocks.is_free(&range);
            return if is_one { self.keep(range, moment, found) } else { found };
        }
        let found = self.stack(thread, address);
        OwnerLookup { is_sure: found.is_sure && !doubt && !self.partial, ..found }
    }

    fn keep(&mut self, range: Range<u64>, moment: Moment, found: OwnerLookup) -> OwnerLookup {
        let latest = Latest { range, stream: self.stream, moment, found };
        match self.latest.get_mut(self.next) {
            Some(kept) => *kept = latest,
            None => self.latest.push(latest),
        }
        self.next = (self.next + 1) % LATEST;
        found
    }

    /// Returns the `pthread_t` of the threads whose stack contains an address, if no block of the
    /// heap has ever been there.
    pub(super) fn stack_of(&self, address: u64) -> Option<u64> {
        let above = address.saturating_sub(DESCRIPTOR);
        let (end, _) = self.stacks.range(above..).next()?;
        let is_in = address >= end.saturating_sub(STACK);
        let next = address.saturating_add(1);
        (is_in && self.blocks.is_free(&(address..next))).then_some(*end)
    }

    /// Returns the stack that contains an address.
    fn stack(&mut self, thread: ThreadId, address: u64) -> OwnerLookup {
        let above = address.saturating_sub(DESCRIPTOR);
        let clock = self.clocks.of(thread);
        if let Some((end, of)) = self.stacks.range(above..).next()
            && address >= end.saturating_sub(STACK)
            && let Some((last, moment)) = of.last()
        {
            // Several threads may use a stack one after the other.
            if let Some((own, _)) = of.iter().find(|(_, moment)| moment.thread == thread) {
                return OwnerLookup { owner: *own, start: *end, is_sure: true };
            }
            let is_sure = of.len() == 1 && moment.is_known(clock);
            return OwnerLookup { owner: *last, start: *end, is_sure };
        }
        if !FIRST_STACK.contains(&address) {
            return NOBODY;
        }
        OwnerLookup {
            owner: self.id(Owner::Stack(ThreadId(0))),
            start: FIRST_STACK.end,
            is_sure: true,
        }
    }

    /// Begins a task of a thread, after the tasks that it waited for.
    pub(super) fn began(&mut self, thread: ThreadId, links: &Links<Arc<VectorClock>>) {
        if !links.is_empty() {
            self.clocks.began(thread, links);
            self.forget();
        }
    }

    /// Completes an atomic access.
    pub(super) fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        self.clocks.atomic_after(thread, access);
        self.forget();
    }

    /// Completes an operation that waits.
    pub(super) fn acquired(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        if of == Operation::Begin {
            self.begin(thread, event.other.get());
        }
    }

    /// Begins a thread.
    fn begin(&mut self, thread: ThreadId, descriptor: u64) {
        let owner = self.id(Owner::Stack(thread));
        let moment = self.clocks.moment(thread);
        self.stacks.entry(descriptor).or_default().push((owner, moment));
        self.forget();
    }

    /// Removes the block at an address, which a thread frees.
    pub fn free(&mut self, thread: ThreadId, address: u64) {
        let death = self.clocks.moment(thread);
        self.forget();
        let found = self.search(thread, address);
        if !found.is_sure || found.start != address {
            self.doubtful.insert((thread, address), death.part);
        }
        self.forget();
        if let Some(block) = self.blocks.freed(address, self.clocks.of(thread)) {
            let is_sure = block.is_sure && !self.is_handler;
            self.blocks.change((block.start, block.end, block.number), |block| {
                (block.death, block.is_sure) = (Some(death), is_sure);
            });
        }
    }

    /// Adds a block that a thread allocates, by the call at which the last path of the stream
    /// ended. What the C++ library allocates for the user's code is allocated by the user's call.
    pub fn allocate(&mut self, thread: ThreadId, start: u64, size: u64) {
        self.forget();
        let birth = self.clocks.moment(thread);
        self.count += 1;
        let owner = self.called();
        self.count(owner, size);
        let owner = owner.0;
        let known = self.clocks.keep(thread);
        let is_sure = !self.is_handler && self.missing.values().all(|of| of.is_known(&known));
        let (number, end, death) = (self.count, start.saturating_add(size), None);
        self.blocks.insert(&Block { number, start, end, owner, birth, known, death, is_sure });
    }

    /// Returns the owner of the block that the last path of the stream allocated.
    fn called(&mut self) -> OwnerId {
        let Some(Ended { function, path, .. }) = self.ended.get(self.stream).copied().flatten()
        else {
            return self.nameless;
        };
        let path = (function, path);
        if let Some(owner) = self.callers.get(&path) {
            return *owner;
        }
        let at = site(self.program, path);
        let inlined = at.and_then(Location::inlined_function).map(str::to_owned);
        let (file, line) = at.map(|at| (at.file.clone(), at.line)).unwrap_or_default();
        let owner = self.id(Owner::Heap { function: Some(path.0), inlined, file, line });
        self.callers.insert(path, owner);
        owner
    }

    fn count(&mut self, owner: OwnerId, size: u64) {
        let allocated = self.allocated.entry(owner).or_default();
        *allocated = (allocated.0 + 1, allocated.1.saturating_add(size));
    }

    /// Notes that recording was off in the current stream: earlier blocks may have been freed.
    pub fn off(&mut self) {
        self.end(None);
        self.doubted = self.count;
        self.forget();
    }

    /// Notes that records of a thread are missing. They may free blocks of other threads until
    /// those wait for the thread.
    pub fn missing(&mut self, thread: ThreadId) {
        let moment = self.clocks.moment(thread);
        self.missing.insert(thread, moment);
        self.off();
    }

    /// Notes the end of a path of the current stream.
    pub fn end_path(&mut self, done: &EndedPath) {
        let EndedPath { function, path, calls_for_user, .. } = *done;
        let last = self.ended.get(self.stream).copied().flatten();
        if done.is_next_place(last.is_some_and(|last| last.calls_for_user)) {
            self.end(Some(Ended { function, path, calls_for_user }));
        }
    }

    fn end(&mut self, path: Option<Ended>) {
        if self.ended.len() <= self.stream {
            self.ended.resize(self.stream + 1, None);
        }
        self.ended[self.stream] = path;
    }
}
