//! What the runtime library of OpenMP tells of regions, tasks, waits and locks.
//!
//! The library asks a function of the program for a tool (OMPT). An executable defines it
//! (`linker-shim/src/traces.rs`), unless the program has its own. Whoever else wants to be the tool
//! goes first: a library that was loaded before, those that `OMP_TOOL_LIBRARIES` names, and that
//! of ThreadSanitizer.
//!
//! The library says late, and sometimes never, that the threads of a team have ended their parts.
//! So a part ends here where its thread begins to wait for the others.

use core::arch::global_asm;
use core::ffi::CStr;
use core::mem::transmute;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pathformat::trace::{Kind, Operation, Synchronisation};

use crate::block::{Block, State};
use crate::clock;
use crate::event;
use crate::locks;
use crate::next;
use crate::threads;
use crate::waits::Wait;

process::table_of_others!("__pathcc_trace_openmp_others", "", "getenv", "__tsan_init");

/// Addresses, 0 for what the program does not have.
#[repr(C)]
struct Others {
    getenv: usize,
    thread_sanitizer: usize,
}

unsafe extern "C" {
    #[link_name = "__pathcc_trace_openmp_others"]
    static OTHERS: Others;
}

global_asm!(
    ".globl __pathcc_trace_openmp",
    ".hidden __pathcc_trace_openmp",
    ".set __pathcc_trace_openmp, {give_tool}",
    give_tool = sym give_tool,
    options(att_syntax)
);

/// What the library is told of a tool.
#[repr(C)]
struct Tool {
    initialise: extern "C" fn(Lookup, i32, *mut u64) -> i32,
    finalise: extern "C" fn(*mut u64),
    data: u64,
}

type Lookup = extern "C" fn(*const u8) -> usize;

static TOOL: Tool = Tool { initialise, finalise, data: 0 };

/// The tool that comes after ours.
static FOLLOWING: AtomicUsize = AtomicUsize::new(0);

/// The function that tells of the team of the calling thread, 0 if there is none.
static TEAM: AtomicUsize = AtomicUsize::new(0);

/// How many numbers regions and tasks have.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The word that the library keeps for a task: its number, for a member of a team its number there,
/// and whether its part has ended.
const MEMBER_SHIFT: u32 = 40;
const NUMBER_MASK: u64 = (1 << MEMBER_SHIFT) - 1;
const MEMBER_MASK: u64 = (1 << 20) - 1;
const ENDED: u64 = 1 << 63;

/// The library's numbers.
const BEGINS: u32 = 1;
const BARRIERS: core::ops::RangeInclusive<u32> = 1..=8;
const TASK_WAIT: u32 = 5;
const TASK_GROUP: u32 = 6;
const REDUCTION: u32 = 7;
const ENDS_OF_PARTS: [u32; 2] = [9, 10];
const FINISHED: [u32; 4] = [1, 3, 6, 8];
const FULFILLED_EARLY: u32 = 5;
const INITIAL: u32 = 1;
const IN: u32 = 1;
const OUT: u32 = 2;
const IN_OUT: u32 = 3;
const MUTEX_IN_OUT_SET: u32 = 4;
const SOURCE: u32 = 5;
const SINK: u32 = 6;
const IN_OUT_SET: u32 = 7;
const OUT_ALL_MEMORY: u32 = 34;
const IN_OUT_ALL_MEMORY: u32 = 35;

/// What `omp_control_tool` returns if there is no tool.
const NO_TOOL: i32 = -2;

/// What the library calls, with its number of what happened.
fn callbacks() -> [(i32, usize); 13] {
    [
        (3, parallel_begin as *const () as usize),
        (4, parallel_end as *const () as usize),
        (5, task_create as *const () as usize),
        (6, task_schedule as *const () as usize),
        (7, implicit_task as *const () as usize),
        (11, control_tool as *const () as usize),
        (16, sync_region_wait as *const () as usize),
        (17, mutex_released as *const () as usize),
        (18, dependences as *const () as usize),
        (23, sync_region as *const () as usize),
        (26, mutex_acquire as *const () as usize),
        (27, mutex_acquired as *const () as usize),
        (29, flush as *const () as usize),
    ]
}

/// The library asks for a tool.
extern "C" fn give_tool(version: u32, text: *const u8) -> *const Tool {
    let following = next::next(&FOLLOWING, None, c"ompt_start_tool");
    if following != 0 {
        type Give = extern "C" fn(u32, *const u8) -> *const Tool;
        // SAFETY: the function has this type, by the standard.
        let tool = unsafe { transmute::<usize, Give>(following)(version, text) };
        if !tool.is_null() {
            return tool;
        }
    }
    // SAFETY: constant once the image is relocated.
    let others = unsafe { &OTHERS };
    let is_other = others.thread_sanitizer != 0 || names_tools(others.getenv);
    if is_other { ptr::null() } else { &raw const TOOL }
}

/// Whether the environment names other tools.
fn names_tools(getenv: usize) -> bool {
    if getenv == 0 {
        return false;
    }
    // SAFETY: the C library's function, which gives a text or nothing.
    unsafe {
        let get = transmute::<usize, extern "C" fn(*const u8) -> *const u8>(getenv);
        get(c"OMP_TOOL_LIBRARIES".as_ptr().cast()).as_ref().is_some_and(|&first| first != 0)
    }
}

extern "C" fn initialise(lookup: Lookup, _device: i32, _data: *mut u64) -> i32 {
    let find = |name: &CStr| lookup(name.as_ptr().cast());
    TEAM.store(find(c"ompt_get_parallel_info"), Ordering::Relaxed);
    let set = find(c"ompt_set_callback");
    if set == 0 {
        return 0;
    }
    for (number, callback) in callbacks() {
        // SAFETY: the function has this type, by the standard.
        unsafe { transmute::<usize, extern "C" fn(i32, usize) -> i32>(set)(number, callback) };
    }
    1
}

extern "C" fn finalise(_data: *mut u64) {}

/// What is told of an operation.
struct Told {
    operation: Operation,
    object: u64,
    other: u64,
    before: u64,
    begin: u64,
}

impl Told {
    /// An operation that begins now, and takes the ticket for what it releases.
    fn new(operation: Operation, object: u64, other: u64) -> Self {
        let begin = clock::ticks();
        let before = if operation.order().releases() { event::ticket() } else { 0 };
        Self { operation, object, other, before, begin }
    }

    /// It ends now, and takes the ticket for what it acquires.
    fn write(self) {
        let after = if self.operation.order().acquires() { event::ticket() } else { 0 };
        self.write_with(after);
    }

    fn write_with(self, after: u64) {
        let event = Synchronisation {
            operation: (self.operation as u32).into(),
            result: 0.into(),
            object: self.object.into(),
            other: self.other.into(),
            before: self.before.into(),
            after: after.into(),
            begin: self.begin.into(),
            end: clock::ticks().into(),
        };
        event::write(Kind::Synchronised, &event);
    }
}

/// The word that the library keeps for a region or task; 0 if it says nothing of it.
fn word(data: *const u64) -> u64 {
    // SAFETY: the library gives the address of a word of ours, or 0.
    unsafe { data.as_ref() }.copied().unwrap_or(0)
}

fn set_word(data: *mut u64, value: u64) {
    // SAFETY: as above.
    if let Some(place) = unsafe { data.as_mut() } {
        *place = value;
    }
}

fn number(data: *const u64) -> u64 {
    word(data) & NUMBER_MASK
}

fn take_numbers(count: u64) -> u64 {
    LAST.fetch_add(count, Ordering::Relaxed) + 1
}

/// The calling thread's, once it has a stream.
fn state<'a>() -> Option<&'a mut State> {
    // SAFETY: the thread's own memory.
    unsafe { (*Block::own()).state.as_mut() }
}

extern "C" fn parallel_begin(
    _task: *mut u64,
    _frame: usize,
    region: *mut u64,
    asked: u32,
    _flags: i32,
    _code: usize,
) {
    // The second one is for the task of a region that has one thread.
    let given = take_numbers(2);
    set_word(region, given);
    Told::new(Operation::ParallelBegin, given, asked.into()).write();
}

extern "C" fn parallel_end(region: *mut u64, _task: *mut u64, _flags: i32, _code: usize) {
    Told::new(Operation::ParallelEnd, number(region), 0).write();
}

extern "C" fn implicit_task(
    endpoint: u32,
    region: *mut u64,
    task: *mut u64,
    threads: u32,
    member: u32,
    flags: u32,
) {
    if endpoint == BEGINS {
        let of_region = number(region);
        if of_region == 0 && flags & INITIAL != 0 {
            // What the program begins with is no part of a region.
            set_word(task, take_numbers(1) | ENDED);
            return;
        }
        let given = if threads == 1 { of_region + 1 } else { take_numbers(1) };
        set_word(task, given | (u64::from(member) & MEMBER_MASK) << MEMBER_SHIFT);
        Told::new(Operation::MemberBegin, of_region, member.into()).write();
    } else if word(task) & ENDED == 0 {
        // A region of one thread, which waits for nobody.
        end_part(number(task).saturating_sub(1), task);
    }
}

fn end_part(region: u64, task: *mut u64) {
    let known = word(task);
    set_word(task, known | ENDED);
    let member = known >> MEMBER_SHIFT & MEMBER_MASK;
    Told::new(Operation::MemberEnd, region, member).write();
}

extern "C" fn task_create(
    maker: *mut u64,
    _frame: usize,
    task: *mut u64,
    _flags: i32,
    _dependences: i32,
    _code: usize,
) {
    let given = take_numbers(1);
    set_word(task, given);
    Told::new(Operation::TaskCreate, given, number(maker)).write();
}

extern "C" fn task_schedule(former: *mut u64, status: u32, next: *mut u64) {
    if status == FULFILLED_EARLY {
        return;
    }
    let finished = FINISHED.contains(&status);
    let operation = if finished { Operation::TaskEnd } else { Operation::TaskSwitch };
    Told::new(operation, number(next), number(former)).write();
}

/// A dependence of a task, or a place in the vector of an iteration, as the library gives it.
#[repr(C)]
struct Dependence {
    variable: u64,
    kind: u32,
}

extern "C" fn dependences(task: *mut u64, first: *const Dependence, count: i32) {
    let Ok(count) = usize::try_from(count) else { return };
    if first.is_null() || count == 0 {
        return;
    }
    // SAFETY: the library gives so many.
    let given = unsafe { slice::from_raw_parts(first, count) };
    match given[0].kind {
        SOURCE => iteration(Operation::OrderedSource, given),
        SINK => iteration(Operation::OrderedSink, given),
        _ => {
            for &Dependence { variable, kind } in given {
                let (operation, variable) = match kind {
                    IN => (Operation::TaskIn, variable),
                    OUT | IN_OUT => (Operation::TaskOut, variable),
                    MUTEX_IN_OUT_SET => (Operation::TaskMutexInOutSet, variable),
                    IN_OUT_SET => (Operation::TaskInOutSet, variable),
                    OUT_ALL_MEMORY | IN_OUT_ALL_MEMORY => (Operation::TaskOut, 0),
                    _ => continue,
                };
                Told::new(operation, number(task), variable).write();
            }
        }
    }
}

/// An ordered loop with dependences goes on or waits. The numbers of an iteration, one for each of
/// the loops, become one number (FNV-1a, word by word).
fn iteration(operation: Operation, vector: &[Dependence]) {
    let region = number(team().0);
    let words = vector.iter().map(|place| place.variable);
    let iteration = words
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| (hash ^ word).wrapping_mul(0x100_0000_01b3));
    Told::new(operation, iteration, region).write();
}

extern "C" fn flush(_thread: *mut u64, _code: usize) {
    Told::new(Operation::Fence, 0, 0).write();
}

extern "C" fn sync_region(
    kind: u32,
    endpoint: u32,
    region: *mut u64,
    task: *mut u64,
    _code: usize,
) {
    if ENDS_OF_PARTS.contains(&kind) {
        if endpoint == BEGINS && word(task) & ENDED == 0 {
            end_part(number(region), task);
        }
        return;
    }
    let operation = match kind {
        TASK_WAIT => Operation::TaskWait,
        TASK_GROUP => Operation::TaskGroup,
        REDUCTION => return,
        kind if BARRIERS.contains(&kind) => Operation::Barrier,
        _ => return,
    };
    if endpoint == BEGINS {
        begin_wait(operation, kind, region, task);
    } else if kind != TASK_GROUP {
        end_wait(operation, kind, task);
    }
}

/// A group of tasks is waited for. Behind that, but before the region of the group ends, the thread
/// may put together what the tasks have reduced.
extern "C" fn sync_region_wait(
    kind: u32,
    endpoint: u32,
    _region: *mut u64,
    task: *mut u64,
    _code: usize,
) {
    if kind == TASK_GROUP && endpoint != BEGINS {
        end_wait(Operation::TaskGroup, kind, task);
    }
}

fn begin_wait(operation: Operation, kind: u32, region: *mut u64, task: *mut u64) {
    let (object, count) = match operation {
        Operation::Barrier => (region as u64, team().1),
        _ => (number(task), 0),
    };
    let told = Told::new(operation, object, count.into());
    let (before, begin) = (told.before, told.begin);
    let wait = Wait { task: task as usize, kind, count, object, before, begin };
    let has_room = state().is_some_and(|state| state.waits.begin(wait));
    if !has_room && before != 0 {
        // Its beginning has an event of its own.
        told.write_with(0);
    }
}

fn end_wait(operation: Operation, kind: u32, task: *mut u64) {
    let wait = state().and_then(|state| state.waits.end(task as usize, kind));
    let told = match wait {
        Some(Wait { object, count, before, begin, .. }) => {
            Told { operation, object, other: count.into(), before, begin }
        }
        None => {
            let object = if operation == Operation::Barrier { 0 } else { number(task) };
            Told { operation, object, other: 0, before: 0, begin: clock::ticks() }
        }
    };
    told.write();
}

/// The word of the calling thread's region, null if there is none, and how many threads are in its
/// team, 0 if that is not known.
fn team() -> (*const u64, u32) {
    let find = TEAM.load(Ordering::Relaxed);
    let (mut region, mut size) = (ptr::null_mut::<u64>(), 0u32);
    if find != 0 {
        type Team = extern "C" fn(i32, *mut *mut u64, *mut u32) -> i32;
        // SAFETY: the function has this type, by the standard.
        unsafe { transmute::<usize, Team>(find)(0, &raw mut region, &raw mut size) };
    }
    (region, size)
}

extern "C" fn mutex_acquire(_kind: u32, _hint: u32, _how: u32, _name: u64, _code: usize) {
    if let Some(state) = state() {
        state.waits.locking = clock::ticks();
    }
}

extern "C" fn mutex_acquired(_kind: u32, name: u64, _code: usize) {
    let begin = state().map_or_else(clock::ticks, |state| state.waits.locking);
    let begin = if begin == 0 { clock::ticks() } else { begin };
    locks::taken(name, threads::own());
    Told { operation: Operation::Lock, object: name, other: 0, before: 0, begin }.write();
}

extern "C" fn mutex_released(_kind: u32, name: u64, _code: usize) {
    let mut told = Told::new(Operation::Unlock, name, 0);
    if !locks::given_back(name, threads::own()) {
        // Somebody has it already, and would have waited for this in vain.
        told.before = 0;
    }
    told.write();
}

extern "C" fn control_tool(_command: u64, _modifier: u64, _what: usize, _code: usize) -> i32 {
    NO_TOOL
}
