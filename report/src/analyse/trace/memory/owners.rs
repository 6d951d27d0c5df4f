//! Which object an address belongs to.
//!
//! Blocks of the heap are known from where they are allocated to where they are freed. What a path
//! allocates or frees, the trace tells before what the path accesses: so a block stays known until
//! the end of the path that frees it. The stack of a thread ends at its `pthread_t`, as glibc lays it
//! out; that of the first thread is where the kernel of x86-64 has nothing else.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

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
        let owner = self.id(Owner::Heap { function: None, file: String::new(), line: 0 });
        self.insert(address, size, owner, self.count);
        self.fresh.entry(thread).or_default().push((address, size, self.count));
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
        let sites = self.sites(done);
        let many = fresh.len();
        for (at, (start, size, number)) in fresh.into_iter().enumerate() {
            let site = sites.get(at).filter(|_| sites.len() == many).cloned();
            let (file, line) = site.unwrap_or_default();
            let owner = self.id(Owner::Heap { function: Some(done.function), file, line });
            let allocated = self.allocated.entry(owner).or_default();
            *allocated = (allocated.0 + 1, allocated.1.saturating_add(size));
            if let Some(block) = self.blocks.get_mut(&start).filter(|of| of.number == number) {
                block.owner = owner;
                self.latest = None;
            }
        }
    }

    /// That path has ended.
    pub fn end_path(&mut self, thread: u32) {
        for (start, number) in self.gone.remove(&thread).into_iter().flatten() {
            if self.blocks.get(&start).is_some_and(|of| of.number == number) {
                self.blocks.remove(&start);
                self.latest = None;
            }
        }
    }

    /// Where a path allocates, in order.
    fn sites(&self, done: &Done) -> Vec<(String, u32)> {
        let Some(path) = self.program.path_of(done.function as usize, done.path) else {
            return Vec::new();
        };
        let Some(of) = self.program.functions.get(done.function as usize) else {
            return Vec::new();
        };
        let shape = &of.function.shape;
        let blocks = path.path.blocks.iter().filter_map(|at| shape.blocks.get(*at as usize));
        let allocates = |callee: &str| {
            ALLOCATORS.contains(&callee) || NEW.iter().any(|new| callee.starts_with(new))
        };
        let calls = blocks.flat_map(|block| &block.calls).filter(|call| allocates(&call.callee));
        let place = |at: u32| shape.locations.get(at as usize);
        calls
            .map(|call| {
                let at = call.location.and_then(place);
                at.map(|at| (at.file.clone(), at.line)).unwrap_or_default()
            })
            .collect()
    }
}
