//! Calls of OpenMP's library that tell what the library does not report.

/// A call of OpenMP's library that says what the library itself does not report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryCall {
    /// The program asks which thread it is, or for memory of the thread.
    ThreadNumber,
    /// A task begins that its creator waits for.
    UndeferredTask,
    /// A task is handed to the library, or the rest of an untied one that is running.
    SubmittedTask,
    /// One thread of a team goes on with what the others do not do.
    OneOfTeam,
    /// A thread combines what it reduced with what others did, one at a time.
    Reduction,
    /// It has done so.
    ReductionEnd,
    /// A region begins whose number of threads the program gives.
    GivenTeam,
    /// A region begins.
    Region,
    /// A loop begins whose iterations wait for each other. A team of one thread reports no waits.
    OrderedLoop,
}

impl LibraryCall {
    /// Returns the call of a function.
    pub(crate) fn of(callee: &str) -> Option<Self> {
        match callee {
            "omp_get_thread_num"
            | "omp_get_thread_num_"
            | "pthread_self"
            | "__kmpc_task_reduction_get_th_data"
            | "__kmpc_threadprivate_cached" => Some(Self::ThreadNumber),
            "__kmpc_omp_task" => Some(Self::SubmittedTask),
            "__kmpc_master" | "__kmpc_masked" => Some(Self::OneOfTeam),
            "__kmpc_reduce" | "__kmpc_reduce_nowait" => Some(Self::Reduction),
            "__kmpc_end_reduce" | "__kmpc_end_reduce_nowait" => Some(Self::ReductionEnd),
            "__kmpc_push_num_threads" | "__kmpc_serialized_parallel" => Some(Self::GivenTeam),
            "__kmpc_fork_call" | "__kmpc_fork_teams" => Some(Self::Region),
            "__kmpc_doacross_init" => Some(Self::OrderedLoop),
            "__kmpc_omp_task_begin_if0" => Some(Self::UndeferredTask),
            _ => None,
        }
    }
}
