//! The numbers of OMPT, by their names in the standard (OpenMP 5.2, chapter 19; `omp-tools.h`),
//! without the prefixes `ompt_` and `ompt_callback_`.

/// A callback, by its number in `ompt_callbacks_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Callback {
    ParallelBegin = 3,
    ParallelEnd = 4,
    TaskCreate = 5,
    TaskSchedule = 6,
    ImplicitTask = 7,
    ControlTool = 11,
    SyncRegionWait = 16,
    MutexReleased = 17,
    Dependences = 18,
    Work = 20,
    SyncRegion = 23,
    MutexAcquire = 26,
    MutexAcquired = 27,
    Flush = 29,
    Reduction = 31,
    Dispatch = 32,
}

/// `ompt_scope_begin`: the callback reports a beginning.
pub(crate) const SCOPE_BEGIN: u32 = 1;

/// `ompt_task_initial`: the implicit task is the initial one of the program.
pub(crate) const TASK_INITIAL: u32 = 1;

/// A task that its creator waits for: `ompt_task_undeferred`.
pub(crate) const TASK_UNDEFERRED: u32 = 0x0800_0000;

/// A task whose child tasks are undeferred: `ompt_task_final`.
pub(crate) const TASK_FINAL: u32 = 0x2000_0000;

/// The kinds of locks: `ompt_mutex_t`.
pub(crate) mod mutex {
    pub(crate) const TEST_LOCK: u32 = 2;
    pub(crate) const TEST_NEST_LOCK: u32 = 4;
    pub(crate) const ORDERED: u32 = 7;
}

/// The kinds of work that a team shares: `ompt_work_t`.
pub(crate) mod work {
    pub(crate) const LOOP: u32 = 1;
    pub(crate) const SECTIONS: u32 = 2;
    pub(crate) const SINGLE_EXECUTOR: u32 = 3;
    pub(crate) const WORKSHARE: u32 = 5;
    pub(crate) const DISTRIBUTE: u32 = 6;
    pub(crate) const LOOP_STATIC: u32 = 10;
    pub(crate) const LOOP_DYNAMIC: u32 = 11;
    pub(crate) const LOOP_GUIDED: u32 = 12;
    pub(crate) const LOOP_OTHER: u32 = 13;
}

/// The parts of work that a thread takes: `ompt_dispatch_t`.
pub(crate) mod dispatch {
    pub(crate) const LOOP_CHUNK: u32 = 3;
}

/// The kinds of synchronisation of threads: `ompt_sync_region_t`.
pub(crate) mod sync_region {
    pub(crate) const BARRIER: u32 = 1;
    pub(crate) const BARRIER_IMPLICIT: u32 = 2;
    pub(crate) const BARRIER_EXPLICIT: u32 = 3;
    pub(crate) const BARRIER_IMPLEMENTATION: u32 = 4;
    pub(crate) const TASKWAIT: u32 = 5;
    pub(crate) const TASKGROUP: u32 = 6;
    pub(crate) const BARRIER_IMPLICIT_WORKSHARE: u32 = 8;
    pub(crate) const BARRIER_IMPLICIT_PARALLEL: u32 = 9;
    pub(crate) const BARRIER_TEAMS: u32 = 10;
}

/// The reasons for which a task is left for another one: `ompt_task_status_t`.
pub(crate) mod task_status {
    pub(crate) const COMPLETE: u32 = 1;
    pub(crate) const CANCEL: u32 = 3;
    pub(crate) const EARLY_FULFILL: u32 = 5;
    pub(crate) const LATE_FULFILL: u32 = 6;
    pub(crate) const TASKWAIT_COMPLETE: u32 = 8;
}

/// The kinds of dependence of a task on a variable, or of an iteration on another one:
/// `ompt_dependence_type_t`.
pub(crate) mod dependence_type {
    pub(crate) const IN: u32 = 1;
    pub(crate) const OUT: u32 = 2;
    pub(crate) const INOUT: u32 = 3;
    pub(crate) const MUTEXINOUTSET: u32 = 4;
    pub(crate) const SOURCE: u32 = 5;
    pub(crate) const SINK: u32 = 6;
    pub(crate) const INOUTSET: u32 = 7;
    pub(crate) const OUT_ALL_MEMORY: u32 = 34;
    pub(crate) const INOUT_ALL_MEMORY: u32 = 35;
}
