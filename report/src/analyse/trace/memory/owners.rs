//! Which object an address belongs to.
//!
//! Blocks of the heap are known from where they are allocated to where they are freed. What a path
//! allocates or frees, the trace tells before what the path accesses: so a block stays known until
//! the end of the path that frees it. The stack of a thread ends at its `pthread_t`, as glibc lays it
//! out; that of the first thread is where the kernel of x86-64 has nothing else.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use pathformat::manifest::Call;
use pathformat::trace::Allocation;

use crate::analyse::trace::program::Program;
use crate::analyse::trace::task_graph::item::Done;
use crate::read::{globals, names};

/// So large is the stack of a thread unless the program asks for another one.
const STACK: u64 = 8 << 20;

/// glibc's own data of a thread are at its `pthread_t`, and have no more bytes.
const DESCRIPTOR: u64 = 0x1000;

/// The kernel puts the stack of the first thread above this, and mappings below.
const FIRST_STACK: Range<u64> = 0x7fff_ffff_f000 - (16 << 30) - STACK..0x7fff_ffff_f000;

/// The functions that allocate, as far as their names tell.
const ALLOCATORS: &[&str] = &[
    "malloc",
    "valloc",
    "pvalloc",
    "calloc",
    "aligned_alloc",
    "memalign",
    "strdup",
    "__strdup",
    "strndup",
    "wcsdup",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "mmap",
    "mmap64",
    "mremap",
];

/// Those of C++ begin with these.
const NEW: [&str; 2] = ["_Znwm", "_Znam"];

/// What memory is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// Nobody who is known.
    Unknown,
    /// Blocks that a function allocates.
    Heap {
        /// The function, as far as it is known.
        function: Option<u32>,
        /// The file; empty if the line is not known.
        file: String,
        /// The line.
        line: u32,
    },
    /// A variable.
    Global(String),
    /// Data of an image that no symbol names: constants, say.
    Image(String),
    /// The stack of a thread, and its own variables.
    Stack(u32),
}

/// Number of an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId(pub u32);

/// A file, and a line in it.
type Site = (String, u32);

/// A block of the heap.
#[derive(Clone, Copy, Debug)]
struct Block {
    end: u64,
    owner: OwnerId,
    /// Which allocation it is of.
    number: u64,
}

/// Who owns which addresses now.
#[derive(Debug)]
pub struct Owners<'a> {
    program: &'a Program,
    all: Vec<Owner>,
    ids: HashMap<Owner, OwnerId>,
    /// By owner, how many blocks were allocated, and their bytes.
    allocated: HashMap<OwnerId, (u64, u64)>,
    blocks: BTreeMap<u64, Block>,
    /// Variables, then segments: by their first bytes.
    fixed: [BTreeMap<u64, (u64, OwnerId)>; 2],
    stacks: BTreeMap<u64, OwnerId>,
    /// By thread, what its next path allocates: start, size and number.
    fresh: HashMap<u32, Vec<(u64, u64, u64)>>,
    /// By thread, what its next path frees.
    gone: HashMap<u32, Vec<(u64, u64)>>,
    count: u64,
    /// By thread, the call of an allocator before which its last path ended.
    called: HashMap<u32, OwnerId>,
    /// The same by function and path.
    ends: HashMap<(u32, u64), Option<OwnerId>>,
    /// Where the last block was found.
    latest: Option<(Range<u64>, OwnerId)>,
}

impl<'a> Owners<'a> {
    /// Those of a program that has not yet allocated anything.
    pub fn of(program: &'a Program) -> Self {
        let mut owners = Self {
            program,
            all: Vec::new(),
            ids: HashMap::new(),
            allocated: HashMap::new(),
            blocks: BTreeMap::new(),
            fixed: [BTreeMap::new(), BTreeMap::new()],
            stacks: BTreeMap::new(),
            fresh: HashMap::new(),
            gone: HashMap::new(),
            count: 0,
            called: HashMap::new(),
            ends: HashMap::new(),
            latest: None,
        };
        owners.id(Owner::Unknown);
        for image in &program.images {
            let Some(place) = &image.place else { continue };
            let bias = image.loaded.bias;
            let globals = globals::of(place);
            for (address, size, name) in globals.variables {
                let start = address.wrapping_add(bias);
                let owner = owners.id(Owner::Global(names::demangle(&name)));
                owners.fixed[0].insert(start, (start.saturating_add(size), owner));
            }
            let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let owner = owners.id(Owner::Image(name));
            for (address, size) in globals.segments {
                let start = address.wrapping_add(bias);
                owners.fixed[1].insert(start, (start.saturating_add(size), owner));
            }
        }
        owners
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

    /// What a number stands for.
    pub fn owner(&self, id: OwnerId) -> &Owner {
        self.all.get(id.0 as usize).unwrap_or(&Owner::Unknown)
    }

    /// How many blocks an owner has allocated, and their bytes.
    pub fn allocated_by(&self, id: OwnerId) -> (u64, u64) {
        self.allocated.get(&id).copied().unwrap_or_default()
    }

    /// Who owns an address now.
    pub fn find(&mut self, address: u64) -> OwnerId {
        if let Some((range, owner)) = self.latest.as_ref().filter(|of| of.0.contains(&address)) {
            debug_assert!(range.start < range.end);
            return *owner;
        }
        if let Some((start, block)) = self.blocks.range(..=address).next_back()
            && address < block.end
        {
            self.latest = Some((*start..block.end, block.owner));
            return block.owner;
        }
        for fixed in &self.fixed {
            if let Some((start, (end, owner))) = fixed.range(..=address).next_back()
                && address < *end
            {
                self.latest = Some((*start..*end, *owner));
                return *owner;
            }
        }
        let above = address.saturating_sub(DESCRIPTOR);
        if let Some((end, owner)) = self.stacks.range(above..).next()
            && address >= end.saturating_sub(STACK)
        {
            return *owner;
        }
        if FIRST_STACK.contains(&address) { self.id(Owner::Stack(0)) } else { OwnerId(0) }
    }

    /// A thread begins.
    pub fn begin(&mut self, thread: u32, descriptor: u64) {
        let owner = self.id(Owner::Stack(thread));
        self.stacks.insert(descriptor, owner);
    }

    /// Memory was allocated or freed by the path of the thread that comes next.
    pub fn allocate(&mut self, thread: u32, allocation: &Allocation) {
        let (address, size) = (allocation.address.get(), allocation.size.get());
        if let Some(block) = self.blocks.get(&allocation.former.get()) {
            self.gone.entry(thread).or_default().push((allocation.former.get(), block.number));
        }
        if address == 0 {
            return;
        }
        self.count += 1;
        if let Some(owner) = self.called.get(&thread).copied() {
            self.insert(address, size, owner, self.count);
            self.count(owner, size);
            return;
        }
        let owner = self.id(Owner::Heap { function: None, file: String::new(), line: 0 });
        self.insert(address, size, owner, self.count);
        self.fresh.entry(thread).or_default().push((address, size, self.count));
    }

    fn count(&mut self, owner: OwnerId, size: u64) {
        let allocated = self.allocated.entry(owner).or_default();
        *allocated = (allocated.0 + 1, allocated.1.saturating_add(size));
    }

    fn insert(&mut self, start: u64, size: u64, owner: OwnerId, number: u64) {
        let end = start.saturating_add(size);
        self.latest = None;
        let over: Vec<u64> = self
            .blocks
            .range(..end)
            .rev()
            .take_while(|of| of.1.end > start)
            .map(|of| *of.0)
            .collect();
        for at in over {
            let Some(old) = self.blocks.remove(&at) else { continue };
            if at < start {
                self.blocks.insert(at, Block { end: start, ..old });
            }
            if old.end > end {
                self.blocks.insert(end, old);
            }
        }
        if size > 0 {
            self.blocks.insert(start, Block { end, owner, number });
        }
    }

    /// A path is known that allocated what its thread allocated last.
    pub fn begin_path(&mut self, thread: u32, done: &Done) {
        let Some(fresh) = self.fresh.remove(&thread) else { return };
        let sites = self.sites(done).0;
        let many = fresh.len();
        for (at, (start, size, number)) in fresh.into_iter().enumerate() {
            let site = sites.get(at).filter(|_| sites.len() == many).cloned();
            let (file, line) = site.unwrap_or_default();
            let owner = self.id(Owner::Heap { function: Some(done.function), file, line });
            self.count(owner, size);
            if let Some(block) = self.blocks.get_mut(&start).filter(|of| of.number == number) {
                block.owner = owner;
                self.latest = None;
            }
        }
    }

    /// That path has ended.
    pub fn end_path(&mut self, thread: u32, done: &Done) {
        let path = (done.function, done.path);
        let end = match self.ends.get(&path) {
            Some(end) => *end,
            None => {
                let site = self.sites(done).1;
                let function = Some(done.function);
                let end = site.map(|(file, line)| self.id(Owner::Heap { function, file, line }));
                self.ends.insert(path, end);
                end
            }
        };
        match end {
            Some(owner) => self.called.insert(thread, owner),
            None => self.called.remove(&thread),
        };
        for (start, number) in self.gone.remove(&thread).into_iter().flatten() {
            if self.blocks.get(&start).is_some_and(|of| of.number == number) {
                self.blocks.remove(&start);
                self.latest = None;
            }
        }
    }

    /// Where a path allocates, in order, and where the thread allocates behind it, if it ended
    /// before the call.
    fn sites(&self, done: &Done) -> (Vec<Site>, Option<Site>) {
        let program = self.program;
        let of = program.functions.get(done.function as usize);
        let path = program.path_of(done.function as usize, done.path);
        let Some((of, path)) = of.zip(path) else { return (Vec::new(), None) };
        let shape = &of.function.shape;
        let blocks = path.path.blocks.iter().filter_map(|at| shape.blocks.get(*at as usize));
        let mut calls: Vec<_> = blocks.flat_map(|block| &block.calls).collect();
        let behind = if path.joints.is_call { calls.pop() } else { None };
        let site = |call: &Call| {
            let callee = call.callee.as_str();
            let allocates =
                ALLOCATORS.contains(&callee) || NEW.iter().any(|new| callee.starts_with(new));
            let at = call.location.and_then(|at| shape.locations.get(at as usize));
            allocates.then(|| at.map(|at| (at.file.clone(), at.line)).unwrap_or_default())
        };
        (calls.into_iter().filter_map(site).collect(), behind.and_then(site))
    }
}
