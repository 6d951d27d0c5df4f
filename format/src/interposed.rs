//! The functions of the C library that a traced executable defines in their place: one list for the
//! linker, which defines them, and for the runtime of traces, which serves them. The number of a
//! function is its place in its list.
//!
//! A list is a macro that hands its content to another macro.

/// The functions by which threads and processes wait for each other: the operation, the arguments
/// and the result, in the words of the runtime of traces, and the names.
#[macro_export]
macro_rules! synchronisation_functions {
    ($take:ident) => {
        $take! {
            Create Takes::Start(2), Error: "pthread_create";
            Create Takes::Start(1), Code: "thrd_create";
            End Takes::Nothing, Nothing: "pthread_exit" "thrd_exit";
            Join Takes::Thread, Error: "pthread_join" "pthread_tryjoin_np" "pthread_timedjoin_np"
                "pthread_clockjoin_np";
            Join Takes::Thread, Code: "thrd_join";
            Detach Takes::Thread, Error: "pthread_detach";
            Detach Takes::Thread, Code: "thrd_detach";
            Lock Takes::Object, Error: "pthread_mutex_lock" "pthread_mutex_trylock"
                "pthread_mutex_timedlock" "pthread_mutex_clocklock";
            Unlock Takes::Object, Error: "pthread_mutex_unlock";
            Lock Takes::Object, Code: "mtx_lock" "mtx_trylock" "mtx_timedlock";
            Unlock Takes::Object, Code: "mtx_unlock";
            Lock Takes::Object, Error: "pthread_spin_lock" "pthread_spin_trylock";
            Unlock Takes::Object, Error: "pthread_spin_unlock";
            LockShared Takes::Object, Error: "pthread_rwlock_rdlock" "pthread_rwlock_tryrdlock"
                "pthread_rwlock_timedrdlock" "pthread_rwlock_clockrdlock";
            Lock Takes::Object, Error: "pthread_rwlock_wrlock" "pthread_rwlock_trywrlock"
                "pthread_rwlock_timedwrlock" "pthread_rwlock_clockwrlock";
            Unlock Takes::Object, Error: "pthread_rwlock_unlock";
            WaitCondition Takes::ObjectAndOther, Error: "pthread_cond_wait" "pthread_cond_timedwait"
                "pthread_cond_clockwait";
            WaitCondition Takes::ObjectAndOther, Code: "cnd_wait" "cnd_timedwait";
            Signal Takes::Object, Error: "pthread_cond_signal";
            Signal Takes::Object, Code: "cnd_signal";
            Broadcast Takes::Object, Error: "pthread_cond_broadcast";
            Broadcast Takes::Object, Code: "cnd_broadcast";
            Barrier Takes::Object, Error: "pthread_barrier_wait";
            Take Takes::Object, Errno: "sem_wait" "sem_trywait" "sem_timedwait" "sem_clockwait";
            Post Takes::Object, Errno: "sem_post";
            Once Takes::Object, Error: "pthread_once";
            Once Takes::Object, Nothing: "call_once";
            Fork Takes::Nothing, Process: "fork";
            WaitProcess Takes::Nothing, Process: "wait" "waitpid" "wait3" "wait4";
            WaitProcess Takes::Information, Errno: "waitid";
        }
    };
}

/// The functions that allocate and free memory: what their arguments mean, and the names.
#[macro_export]
macro_rules! allocation_functions {
    ($take:ident) => {
        $take! {
            Sized: "malloc";
            Product: "calloc";
            Resized: "realloc";
            Freed: "free";
            Stored: "posix_memalign";
            Aligned: "aligned_alloc" "memalign";
        }
    };
}

/// The functions that install handlers of signals.
#[macro_export]
macro_rules! signal_functions {
    ($take:ident) => {
        $take! { "sigaction" "signal" "bsd_signal" "ssignal" "sysv_signal" "__sysv_signal" }
    };
}
