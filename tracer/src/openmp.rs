//! The tool for the runtime library of OpenMP, which reports regions, tasks, waits and locks.
//!
//! The library asks a function of the program for a tool (OMPT). An executable defines it
//! (`linker-shim/src/traces.rs`), unless the program has its own. Other tools take precedence: that
//! of a library that was loaded before, those in `OMP_TOOL_LIBRARIES`, and that of ThreadSanitizer.
//!
//! The library reports late, and sometimes never, that the threads of a team have ended their
//! parts. A part therefore ends here where its thread begins to wait for the others.

use core::arch::global_asm;
use core::ffi::CStr;
use core::mem::transmute;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use pathformat::trace::{Operation, lock};

use crate::block::ThreadState;
use crate::clock;
use crate::locks;
use crate::next;
use crate::ompt::{
    Callback, SCOPE_BEGIN, TASK_FINAL, TASK_INITIAL, TASK_UNDEFERRED, dependence_type, mutex,
    sync_region, task_status,
};
use crate::openmp_work;
use crate::operation::{self, Begun};
use crate::team::{self, team};
use crate::threads;
use crate::waits::Wait;
use crate::written::Written;

process::table_of_others!("__pathcc_trace_openmp_others", "", "getenv", "__tsan_init");

/// The addresses of functions, 0 for those that the program does not have.
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

/// The description of a tool for the library.
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

/// The last number of a region or task.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The parts of the word that the library keeps for a task: its number, the member's number for a
/// member of a team, and a bit that is set if its part has ended.
const MEMBER_SHIFT: u32 = 40;
const NUMBER_MASK: u64 = (1 << MEMBER_SHIFT) - 1;
const MEMBER_MASK: u64 = (1 << 20) - 1;
const ENDED: u64 = 1 << 63;

/// The bit of a task's word that is set if its child tasks are undeferred.
const FINAL: u64 = 1 << 62;

/// The waits of all threads of a team for each other.
const BARRIERS: [u32; 5] = [
    sync_region::BARRIER,
    sync_region::BARRIER_IMPLICIT,
    sync_region::BARRIER_EXPLICIT,
    sync_region::BARRIER_IMPLEMENTATION,
    sync_region::BARRIER_IMPLICIT_WORKSHARE,
];

/// The waits behind which a thread's part of a region has ended.
const ENDS_OF_PARTS: [u32; 2] =
    [sync_region::BARRIER_IMPLICIT_PARALLEL, sync_region::BARRIER_TEAMS];

/// The reasons for which a task is left for good.
const FINISHED: [u32; 4] = [
    task_status::COMPLETE,
    task_status::CANCEL,
    task_status::LATE_FULFILL,
    task_status::TASKWAIT_COMPLETE,
];

/// The result of `omp_control_tool` without a tool.
const NO_TOOL: i32 = -2;

/// Returns the functions that the library calls.
fn callbacks() -> [(Callback, usize); 16] {
    [
        (Callback::ParallelBegin, parallel_begin as *const () as usize),
        (Callback::ParallelEnd, parallel_end as *const () as usize),
        (Callback::TaskCreate, task_create as *const () as usize),
        (Callback::TaskSchedule, task_schedule as *const () as usize),
        (Callback::ImplicitTask, implicit_task as *const () as usize),
        (Callback::ControlTool, control_tool as *const () as usize),
        (Callback::SyncRegionWait, sync_region_wait as *const () as usize),
        (Callback::MutexReleased, mutex_released as *const () as usize),
        (Callback::Dependences, dependences as *const () as usize),
        (Callback::SyncRegion, sync_region as *const () as usize),
        (Callback::MutexAcquire, mutex_acquire as *const () as usize),
        (Callback::MutexAcquired, mutex_acquired as *const () as usize),
        (Callback::Flush, flush as *const () as usize),
        (Callback::Reduction, reduction as *const () as usize),
        (Callback::Work, openmp_work::share as *const () as usize),
        (Callback::Dispatch, openmp_work::take as *const () as usize),
    ]
}

/// Returns the tool to the library.
extern "C" fn give_tool(version: u32, text: *const u8) -> *const Tool {
    let following = next::next(&FOLLOWING, c"ompt_start_tool");
    if following != 0 {
        type Give = extern "C" fn(u32, *const u8) -> *const Tool;
        // SAFETY: the function has this type, by the standard.
        let tool = unsafe { transmute::<usize, Give>(following)(version, text) };
        if !tool.is_null() {
            return tool;
        }
    }
    // SAFETY: it is constant once the image is relocated.
    let others = unsafe { &OTHERS };
    let is_other = others.thread_sanitizer != 0 || names_tools(others.getenv);
    if is_other { ptr::null() } else { &raw const TOOL }
}

/// Returns true if the environment names other tools.
fn names_tools(getenv: usize) -> bool {
    if getenv == 0 {
        return false;
    }
    // SAFETY: the C library's function, which returns a text or null.
    unsafe {
        let get = transmute::<usize, extern "C" fn(*const u8) -> *const u8>(getenv);
        get(c"OMP_TOOL_LIBRARIES".as_ptr().cast()).as_ref().is_some_and(|&first| first != 0)
    }
}

extern "C" fn initialise(lookup: Lookup, _device: i32, _data: *mut u64) -> i32 {
    let find = |name: &CStr| lookup(name.as_ptr().cast());
    team::set_lookup(find(c"ompt_get_parallel_info"));
    let set = find(c"ompt_set_callback");
    if set == 0 {
        return 0;
    }
    for (callback, function) in callbacks() {
        // SAFETY: the function has this type, by the standard.
        unsafe {
            transmute::<usize, extern "C" fn(i32, usize) -> i32>(set)(callback as i32, function)
        };
    }
    1
}

extern "C" fn finalise(_data: *mut u64) {}

/// Returns the word that the library keeps for a region or task; 0 if it gives none.
fn word(data: *const u64) -> u64 {
    // SAFETY: the library gives the address of a word of ours, or null.
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

extern "C" fn parallel_begin(
    task: *mut u64,
    _frame: usize,
    region: *mut u64,
    asked: u32,
    _flags: i32,
    _code: usize,
) {
    // The second number is for the task of a region that has one thread.
    let given = take_numbers(2);
    set_word(region, given);
    Begun::now(Operation::ParallelBegin, given, asked.into()).end();
    if let Some(state) = ThreadState::own() {
        state.regions.begin(task as usize, given);
    }
}

extern "C" fn parallel_end(region: *mut u64, task: *mut u64, _flags: i32, _code: usize) {
    // The library may have given the word of the region to another one by now.
    let known = ThreadState::own().and_then(|state| state.regions.end(task as usize));
    Begun::now(Operation::ParallelEnd, known.unwrap_or_else(|| number(region)), 0).end();
}

extern "C" fn implicit_task(
    endpoint: u32,
    region: *mut u64,
    task: *mut u64,
    threads: u32,
    member: u32,
    flags: u32,
) {
    if endpoint == SCOPE_BEGIN {
        let of_region = number(region);
        if of_region == 0 && flags & TASK_INITIAL != 0 {
            // The initial task of the program is not part of a region.
            set_word(task, take_numbers(1) | ENDED);
            return;
        }
        let given = if threads == 1 { of_region + 1 } else { take_numbers(1) };
        set_word(task, given | (u64::from(member) & MEMBER_MASK) << MEMBER_SHIFT);
        Begun::now(Operation::MemberBegin, of_region, member.into()).end();
        openmp_work::begin_memory();
    } else if word(task) & ENDED == 0 {
        // A region of one thread, which does not wait.
        end_part(number(task).saturating_sub(1), task);
    }
}

fn end_part(region: u64, task: *mut u64) {
    let known = word(task);
    set_word(task, known | ENDED);
    let member = known >> MEMBER_SHIFT & MEMBER_MASK;
    Begun::now(Operation::MemberEnd, region, member).end();
}

extern "C" fn task_create(
    maker: *mut u64,
    _frame: usize,
    task: *mut u64,
    flags: u32,
    _dependences: i32,
    _code: usize,
) {
    let given = take_numbers(1);
    set_word(task, if flags & TASK_FINAL == 0 { given } else { given | FINAL });
    Begun::now(Operation::TaskCreate, given, number(maker)).end();
    // A team of one thread defers no task, whatever the program asks for.
    let is_undeferred = word(maker) & FINAL != 0 || team().1 > 1;
    if flags & TASK_UNDEFERRED != 0 && is_undeferred {
        Begun::now(Operation::TaskUndeferred, given, 0).end();
    }
}

extern "C" fn task_schedule(former: *mut u64, status: u32, next: *mut u64) {
    if status == task_status::EARLY_FULFILL {
        return;
    }
    let finished = FINISHED.contains(&status);
    let operation = if finished { Operation::TaskEnd } else { Operation::TaskSwitch };
    Begun::now(operation, number(next), number(former)).end();
    if !finished {
        openmp_work::begin_memory();
    }
}

/// A dependence of a task, or an element of the vector of an iteration, as the library gives it.
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
    // SAFETY: the library gives `count` entries.
    let given = unsafe { slice::from_raw_parts(first, count) };
    match given[0].kind {
        dependence_type::SOURCE => iteration(Operation::OrderedSource, given),
        dependence_type::SINK => iteration(Operation::OrderedSink, given),
        _ => {
            for &Dependence { variable, kind } in given {
                let (operation, variable) = match kind {
                    dependence_type::IN => (Operation::TaskIn, variable),
                    dependence_type::OUT | dependence_type::INOUT => (Operation::TaskOut, variable),
                    dependence_type::MUTEXINOUTSET => (Operation::TaskMutexInOutSet, variable),
                    dependence_type::INOUTSET => (Operation::TaskInOutSet, variable),
                    dependence_type::OUT_ALL_MEMORY | dependence_type::INOUT_ALL_MEMORY => {
                        (Operation::TaskOut, 0)
                    }
                    _ => continue,
                };
                Begun::now(operation, number(task), variable).end();
            }
        }
    }
}

/// Records that an ordered loop with dependences goes on or waits. The numbers of an iteration, one
/// for each of the loops, are hashed to one number (FNV-1a, word by word).
fn iteration(operation: Operation, vector: &[Dependence]) {
    let region = number(team().0);
    let words = vector.iter().map(|place| place.variable);
    let iteration = words
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| (hash ^ word).wrapping_mul(0x100_0000_01b3));
    Begun::now(operation, iteration, region).end();
}

extern "C" fn flush(_thread: *mut u64, _code: usize) {
    Begun::now(Operation::Fence, 0, 0).end();
}

extern "C" fn sync_region(
    kind: u32,
    endpoint: u32,
    region: *mut u64,
    task: *mut u64,
    _code: usize,
) {
    if ENDS_OF_PARTS.contains(&kind) {
        if endpoint == SCOPE_BEGIN && word(task) & ENDED == 0 {
            end_part(number(region), task);
        }
        return;
    }
    let operation = match kind {
        sync_region::TASKWAIT => Operation::TaskWait,
        sync_region::TASKGROUP => Operation::TaskGroup,
        kind if BARRIERS.contains(&kind) => Operation::Barrier,
        _ => return,
    };
    if endpoint == SCOPE_BEGIN {
        begin_wait(operation, kind, region, task);
    } else if kind != sync_region::TASKGROUP {
        end_wait(operation, kind, task);
    }
}

/// Records the end of a wait for a group of tasks. Behind it, but before the region of the group
/// ends, the thread may combine the reductions of the tasks.
extern "C" fn sync_region_wait(
    kind: u32,
    endpoint: u32,
    _region: *mut u64,
    task: *mut u64,
    _code: usize,
) {
    if kind == sync_region::TASKGROUP && endpoint != SCOPE_BEGIN {
        end_wait(Operation::TaskGroup, kind, task);
    }
}

fn begin_wait(operation: Operation, kind: u32, region: *mut u64, task: *mut u64) {
    let (object, count) = match operation {
        Operation::Barrier => (region as u64, team().1),
        _ => (number(task), 0),
    };
    let written = Begun::now(operation, object, count.into()).write_open();
    if let Some(state) = ThreadState::own() {
        state.waits.begin(Wait { task: task as usize, kind, count, object, written });
    }
}

fn end_wait(operation: Operation, kind: u32, task: *mut u64) {
    let wait = ThreadState::own().and_then(|state| state.waits.end(task as usize, kind));
    let (object, count, written) = match wait {
        Some(Wait { object, count, written, .. }) => (object, count, written),
        None if operation == Operation::Barrier => (0, 0, Written::NONE),
        None => (number(task), 0, Written::NONE),
    };
    let (other, begin) = (count.into(), clock::ticks());
    let begun = Begun { operation, object, other, before: 0, begin };
    let after = operation::acquire(operation);
    if !begun.complete(written, 0, after) {
        let has_begun = u64::from(operation == Operation::TaskGroup);
        Begun { other: other | has_begun, ..begun }.write(0, after);
    }
}

/// Records that a thread combines the reductions of those that have arrived at a barrier before it.
/// What a thread combines elsewhere is ordered by a lock or by atomic accesses.
extern "C" fn reduction(_kind: u32, endpoint: u32, region: *mut u64, task: *mut u64, _code: usize) {
    let (object, other) = if word(task) & ENDED != 0 {
        (0, number(region))
    } else if ThreadState::own().is_some_and(|state| state.waits.is_in(task as usize, &BARRIERS)) {
        (region as u64, 0)
    } else {
        return;
    };
    let begins = endpoint == SCOPE_BEGIN;
    let operation = if begins { Operation::ReduceBegin } else { Operation::ReduceEnd };
    Begun::now(operation, object, other).end();
}

extern "C" fn mutex_acquire(_kind: u32, _hint: u32, _how: u32, _name: u64, _code: usize) {
    if let Some(state) = ThreadState::own() {
        state.waits.locking = clock::ticks();
    }
}

/// Returns the second object of the operations on a lock of this kind.
fn of_lock(kind: u32) -> u64 {
    match kind {
        // The sections of an ordered loop come in the order of its iterations.
        mutex::ORDERED => 0,
        mutex::TEST_LOCK | mutex::TEST_NEST_LOCK => lock::EXCLUDES | lock::TRIED,
        _ => lock::EXCLUDES,
    }
}

extern "C" fn mutex_acquired(kind: u32, name: u64, _code: usize) {
    let begin = ThreadState::own().map_or_else(clock::ticks, |state| state.waits.locking);
    let begin = if begin == 0 { clock::ticks() } else { begin };
    locks::taken(name, threads::own());
    let other = of_lock(kind);
    Begun { operation: Operation::Lock, object: name, other, before: 0, begin }.end();
}

extern "C" fn mutex_released(kind: u32, name: u64, _code: usize) {
    let mut begun = Begun::now(Operation::Unlock, name, of_lock(kind));
    if !locks::given_back(name, threads::own()) {
        // Another thread has it already, and would have waited for this in vain.
        begun.before = 0;
    }
    begun.end();
}

extern "C" fn control_tool(_command: u64, _modifier: u64, _what: usize, _code: usize) -> i32 {
    NO_TOOL
}
