//! The payloads of the events of a trace: operations that synchronise, and allocated memory.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The payload of [`Synchronised`](super::RecordKind::Synchronised): an operation by which threads
/// or processes wait for each other.
///
/// An operation that releases is written before it begins, and completed when it has ended. If the
/// process is killed meanwhile, its release is there. A wait in which its thread did something else
/// has two events: one without a ticket of the acquire, and one without a ticket of the release.
///
/// A *ticket* is a unique number in the process, from 1. The ticket `before` is taken just before
/// the operation releases others, `after` when the operation itself has acquired. So an operation
/// that waited for another one has the larger ticket of the two.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct Synchronisation {
    /// The number of the [`Operation`].
    pub operation: U32,
    /// The result of the operation: 0 for success, otherwise an error number.
    pub result: U32,
    /// The object of the operation: the address of a mutex, the number of a thread.
    pub object: U64,
    /// A second object.
    pub other: U64,
    /// The ticket of its release, 0 if there is none.
    pub before: U64,
    /// The ticket of its acquire, 0 if there is none.
    pub after: U64,
    /// The time at which it began, in ticks.
    pub begin: U64,
    /// The time at which it ended, in ticks.
    pub end: U64,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal $order:ident,)*) => {
        /// An operation that synchronises.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum Operation {
            $($(#[$doc])* $name = $number,)*
        }

        impl Operation {
            /// All operations.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns its name, for people and in exports of `pathprof`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Returns true if its object is a number, not an address.
            pub fn names_numbers(self) -> bool {
                matches!(
                    self,
                    Self::Create
                        | Self::Begin
                        | Self::End
                        | Self::Fork
                        | Self::ForkChild
                        | Self::WaitProcess
                        | Self::ParallelBegin
                        | Self::ParallelEnd
                        | Self::MemberBegin
                        | Self::MemberEnd
                        | Self::TaskCreate
                        | Self::TaskSwitch
                        | Self::TaskEnd
                        | Self::TaskIn
                        | Self::TaskOut
                        | Self::TaskInOutSet
                        | Self::TaskMutexInOutSet
                        | Self::OrderedSource
                        | Self::OrderedSink
                        | Self::TaskWait
                        | Self::TaskGroup
                        | Self::Message
                        | Self::WorkBegin
                        | Self::WorkEnd
                        | Self::WorkPart
                        | Self::TaskUndeferred
                )
            }

            /// Returns the order that it establishes between threads.
            pub fn order(self) -> Order {
                match self {
                    $(Self::$name => Order::$order,)*
                }
            }
        }
    };
}

operations! {
    /// A thread starts another one: the `object` is the unique number of the new thread in the
    /// process, from 1; `other` is its `pthread_t`.
    Create = 1 "create" Releases,
    /// A thread begins: `object` and `other` as above. The first thread of a process has no event.
    Begin = 2 "begin" Acquires,
    /// A thread ends: `object` and `other` as above. The trace may continue behind it. A cancelled
    /// thread has no such event.
    End = 3 "end" Releases,
    /// A thread waits for the end of the one with the `pthread_t` `other`.
    Join = 4 "join" Acquires,
    /// The thread with the `pthread_t` `other` is detached: it will not be joined.
    Detach = 5 "detach" None,
    /// A mutex, a spin lock, a critical section, or a read-write lock for writing is taken. `other`
    /// says more of it: bits of [`lock`].
    Lock = 6 "lock" Acquires,
    /// A read-write lock is taken for reading.
    LockShared = 7 "lock_shared" Acquires,
    /// A lock of any kind is released. `other` as above.
    Unlock = 8 "unlock" Releases,
    /// A thread waits on the condition variable `object`. Meanwhile the mutex `other` is released.
    WaitCondition = 9 "wait_condition" Both,
    /// A thread that waits on a condition variable may continue.
    Signal = 10 "signal" Releases,
    /// All threads that wait on a condition variable may continue.
    Broadcast = 11 "broadcast" Releases,
    /// A thread waits until all threads have arrived. `other` is the number of threads, 0 if
    /// unknown.
    Barrier = 12 "barrier" Both,
    /// A semaphore is incremented.
    Post = 13 "post" Releases,
    /// A semaphore is decremented.
    Take = 14 "take" Acquires,
    /// A function is called once: threads that arrive later wait for it. `other` says whether it
    /// had been called before ([`once`]).
    Once = 15 "once" Both,
    /// The process forks: the `object` is the number of the child process; in the child, that of
    /// the parent.
    Fork = 16 "fork" Releases,
    /// A child process begins, whose parent is the process `object`.
    ForkChild = 17 "fork_child" Acquires,
    /// The process waits for the end of the child process `object`.
    WaitProcess = 18 "wait_process" Acquires,
    /// A parallel region of OpenMP begins: its number is the `object`; `other` is the requested
    /// number of threads.
    ParallelBegin = 19 "parallel_begin" Releases,
    /// The thread that began a parallel region continues alone.
    ParallelEnd = 20 "parallel_end" Acquires,
    /// A thread begins its part of the parallel region `object`; `other` is its number in the team.
    MemberBegin = 21 "member_begin" Acquires,
    /// A thread ends its part of a parallel region.
    MemberEnd = 22 "member_end" Releases,
    /// A task is created: its number is the `object`; `other` is the task that creates it.
    TaskCreate = 23 "task_create" Releases,
    /// A thread leaves the task `other`, which is not finished, for the task `object`.
    TaskSwitch = 24 "task_switch" Both,
    /// A thread has finished the task `other` and continues with the task `object`.
    TaskEnd = 25 "task_end" Both,
    /// The task `object` reads the variable `other`: it waits for the tasks created before it, by
    /// the same task, that write the variable.
    TaskIn = 26 "task_in" None,
    /// A task waits for the tasks that it created: the `object` is its number.
    TaskWait = 27 "task_wait" Acquires,
    /// A task waits for the tasks of a group, and those created by them: the `object` is its
    /// number. `other` is 1 at the end if the beginning of the group has an event of its own.
    TaskGroup = 28 "task_group" Acquires,
    /// A function of MPI was called: the `object` is its [number](crate::messages). The `other` is
    /// 1 if its beginning has an event of its own. The senders of messages are unknown.
    Message = 29 "message" Acquires,
    /// A memory fence.
    Fence = 31 "fence" Both,
    /// The task `object` writes the variable `other`, or all memory if that is 0: it waits for the
    /// tasks created before it that read or write the variable.
    TaskOut = 32 "task_out" None,
    /// As [`TaskOut`](Self::TaskOut), but consecutive tasks with this dependence do not wait for
    /// each other.
    TaskInOutSet = 33 "task_inoutset" None,
    /// As [`TaskInOutSet`](Self::TaskInOutSet), but only one of those tasks runs at a time.
    TaskMutexInOutSet = 34 "task_mutexinoutset" None,
    /// An iteration of an ordered loop releases others: the `object` is a number that identifies
    /// the iteration, `other` the parallel region.
    OrderedSource = 35 "ordered_source" Releases,
    /// An iteration waits for the iteration `object`.
    OrderedSink = 36 "ordered_sink" Acquires,
    /// A thread that has arrived at the barrier `object`, or at the end of the parallel region
    /// `other`, combines what threads that arrived before have reduced.
    ReduceBegin = 37 "reduce_begin" Acquires,
    /// It has combined them, and hands on the result: `object` and `other` as above.
    ReduceEnd = 38 "reduce_end" Releases,
    /// A thread begins its share of a work-sharing construct: the `object` is the number of the
    /// [kind](Work) of the construct, `other` the number of its iterations or sections, 0 if
    /// unknown.
    WorkBegin = 39 "work_begin" None,
    /// A thread has finished its share: the `object` as above.
    WorkEnd = 40 "work_end" None,
    /// A thread takes the next part of a loop: `object` is its first iteration, `other` the number
    /// of iterations.
    WorkPart = 41 "work_part" None,
    /// The task that creates the task `object` waits until it is finished.
    TaskUndeferred = 42 "task_undeferred" None,
    /// A part of a parallel region or a task begins. Its part of the thread's stack is below the
    /// address `object`; `other` is the `pthread_t`, at which the thread-local variables are.
    ThreadMemory = 43 "thread_memory" None,
}

/// What the second object of an operation on a lock says of it: bits.
pub mod lock {
    /// It is a lock of OpenMP: its sections exclude each other, in any order.
    pub const EXCLUDES: u64 = 1;
    /// The thread would have given up rather than wait for ever.
    pub const TRIED: u64 = 2;
}

/// What the second object of [`Operation::Once`] says of it.
pub mod once {
    /// It had been done when the thread arrived. Otherwise the thread did it, or another one that
    /// arrived before it was done.
    pub const DONE: u64 = 1;
}

/// The kind of a work-sharing construct: what of it may be executed by different threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Work {
    /// A loop with a static schedule: each iteration, or each chunk whose size the program gives.
    /// Threads get the same iterations of all such loops of a region that have as many.
    Static = 1,
    /// Another loop, or sections: each iteration or section.
    Iterations = 2,
    /// A loop whose parts are handed out one by one: each part.
    Parts = 3,
    /// A `single` construct: all of it.
    Single = 4,
}

impl Work {
    /// Returns the kind with a number; `None` if it is unknown.
    pub fn of(number: u64) -> Option<Self> {
        [Self::Static, Self::Iterations, Self::Parts, Self::Single]
            .into_iter()
            .find(|&work| work as u64 == number)
    }
}

/// The order that an operation establishes between threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It establishes no order.
    None,
    /// It is a release: what its thread did before happens-before later acquires of the same
    /// object.
    Releases,
    /// It is an acquire: what others did before earlier releases of the object happens-before it.
    Acquires,
    /// It is a release, and then an acquire.
    Both,
}

impl Order {
    /// Returns true if it is a release.
    pub fn releases(self) -> bool {
        matches!(self, Self::Releases | Self::Both)
    }

    /// Returns true if it is an acquire.
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquires | Self::Both)
    }
}

impl Synchronisation {
    /// Returns the operation; `None` if its number is unknown.
    pub fn operation(&self) -> Option<Operation> {
        let number = self.operation.get();
        Operation::ALL.iter().copied().find(|&operation| operation as u32 == number)
    }
}

/// The payload of [`Allocated`](super::RecordKind::Allocated): memory is allocated, or freed, or
/// both.
///
/// Both have a [ticket](Synchronisation), so that the blocks which have been at an address are in
/// the order in which the allocator gave them out, whichever threads had them.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct Allocation {
    /// The address of the allocated memory; 0 if there is none, since memory was freed or the
    /// allocation failed.
    pub address: U64,
    /// Its length in bytes.
    pub size: U64,
    /// The address of the freed memory; 0 if there is none.
    pub former: U64,
    /// The ticket before the free.
    pub before: U64,
    /// The ticket after the allocation.
    pub after: U64,
}

impl Allocation {
    /// Returns true if memory is allocated.
    pub fn allocates(&self) -> bool {
        self.address.get() != 0
    }

    /// Returns true if memory is freed, or gets another size where it is.
    pub fn frees(&self) -> bool {
        self.former.get() != 0
    }

    /// Returns true if memory gets another size where it is.
    pub fn resizes(&self) -> bool {
        self.allocates() && self.address == self.former
    }
}

/// The payload of [`Clock`](super::RecordKind::Clock): the readings of two clocks at the same time.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct Clock {
    /// Ticks of the processor's counter where that runs at a constant rate, otherwise nanoseconds.
    pub ticks: U64,
    /// Nanoseconds of the monotonic clock.
    pub time: U64,
}

/// The payload of [`Repeated`](super::RecordKind::Repeated): a path that records only its number
/// ended several times in a row. The event exists from the beginning of the first repetition on,
/// and its count grows with each.
#[repr(C)]
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    FromBytes,
    Immutable,
    IntoBytes,
    KnownLayout,
    Unaligned,
)]
pub struct Repetition {
    /// The number of the path in the process.
    pub number: U32,
    /// The number of times it ended.
    pub count: U64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_told_apart() {
        for &operation in Operation::ALL {
            let event = Synchronisation {
                operation: (operation as u32).into(),
                ..Synchronisation::default()
            };
            assert_eq!(event.operation(), Some(operation));
        }
        assert_eq!(Synchronisation::default().operation(), None);
        assert_eq!(size_of::<Synchronisation>(), 56);
        assert!(Operation::Barrier.order().acquires() && Operation::Barrier.order().releases());
        assert!(!Operation::Detach.order().acquires() && !Operation::Detach.order().releases());
    }
}
