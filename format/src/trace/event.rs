//! What the events of a trace tell: operations that synchronise, and memory that is allocated.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The payload of [`Synchronised`](super::Kind::Synchronised): an operation by which threads or
/// processes wait for each other.
///
/// A *ticket* is a number that the process gives away once, from 1. The ticket `before` is taken
/// when the operation is about to let others go on, `after` when it went on itself. So an operation
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
    /// Which [`Operation`].
    pub operation: U32,
    /// What the operation returned: 0 if it did what its name says, otherwise an error number.
    pub result: U32,
    /// What it is done to: the address of a mutex, the number of a thread.
    pub object: U64,
    /// What else it is done with.
    pub other: U64,
    /// The ticket of what it lets go on, 0 if there is none.
    pub before: U64,
    /// The ticket of what it waits for, 0 if there is none.
    pub after: U64,
    /// When it began, in ticks.
    pub begin: U64,
    /// When it ended, in ticks.
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
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// What people read, and what `pathprof` writes for programs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// Whether its object is a number that the process gives, rather than an address.
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
                )
            }

            /// How it orders what is done by others.
            pub fn order(self) -> Order {
                match self {
                    $(Self::$name => Order::$order,)*
                }
            }
        }
    };
}

operations! {
    /// A thread starts another one: the `object` is a number that the process gives each thread
    /// once, from 1; `other` is its `pthread_t`.
    Create = 1 "create" Releases,
    /// A thread begins: `object` and `other` as above. The first thread of a process has no event.
    Begin = 2 "begin" Acquires,
    /// A thread ends: `object` and `other` as above. The trace may go on behind it. A thread that
    /// is cancelled has none.
    End = 3 "end" Releases,
    /// A thread waits for the end of the one with the `pthread_t` `other`.
    Join = 4 "join" Acquires,
    /// Nobody will wait for the thread with the `pthread_t` `other`.
    Detach = 5 "detach" None,
    /// A mutex, a spin lock, a critical section, or a read-write lock for writing is taken.
    Lock = 6 "lock" Acquires,
    /// A read-write lock is taken for reading.
    LockShared = 7 "lock_shared" Acquires,
    /// A lock of any kind is given back.
    Unlock = 8 "unlock" Releases,
    /// A thread waits on the condition variable `object`. Meanwhile the mutex `other` is free.
    WaitCondition = 9 "wait_condition" Both,
    /// A thread that waits on a condition variable may go on.
    Signal = 10 "signal" Releases,
    /// All threads that wait on a condition variable may go on.
    Broadcast = 11 "broadcast" Releases,
    /// A thread waits until all have come. `other` is how many are to come, 0 if that is not known.
    Barrier = 12 "barrier" Both,
    /// A semaphore is raised.
    Post = 13 "post" Releases,
    /// A semaphore is lowered.
    Take = 14 "take" Acquires,
    /// Something is done once: whoever comes later waits.
    Once = 15 "once" Both,
    /// The process forks: the `object` is the number of the child process, in the child that of the
    /// parent.
    Fork = 16 "fork" Releases,
    /// A child begins, whose parent is the process `object`.
    ForkChild = 17 "fork_child" Acquires,
    /// The process waits for the end of the child process `object`.
    WaitProcess = 18 "wait_process" Acquires,
    /// A parallel region of OpenMP begins: its number is the `object`; `other` is how many threads
    /// were asked for.
    ParallelBegin = 19 "parallel_begin" Releases,
    /// The thread that began a parallel region goes on alone.
    ParallelEnd = 20 "parallel_end" Acquires,
    /// A thread begins its part of the parallel region `object`; `other` is its number in the team.
    MemberBegin = 21 "member_begin" Acquires,
    /// It ends its part.
    MemberEnd = 22 "member_end" Releases,
    /// A task is made: its number is the `object`; `other` is the task that makes it.
    TaskCreate = 23 "task_create" Releases,
    /// A thread leaves the task `other`, which is not finished, for the task `object`.
    TaskSwitch = 24 "task_switch" Both,
    /// A thread has finished the task `other` and goes on with the task `object`.
    TaskEnd = 25 "task_end" Both,
    /// The task `object` reads the variable `other`: it waits for the tasks made before it, by the
    /// same task, that write the variable.
    TaskIn = 26 "task_in" None,
    /// A task waits for the tasks it made: the `object` is its number.
    TaskWait = 27 "task_wait" Acquires,
    /// A task waits for the tasks of a group, and those made by them: the `object` is its number.
    TaskGroup = 28 "task_group" Acquires,
    /// A function of MPI was called: the `object` is its [number](crate::messages). Whom messages
    /// come from is not known.
    Message = 29 "message" Acquires,
    /// A fence of memory.
    Fence = 31 "fence" Both,
    /// The task `object` writes the variable `other`, or all memory if that is 0: it waits for the
    /// tasks made before it that read or write the variable.
    TaskOut = 32 "task_out" None,
    /// As [`TaskOut`](Self::TaskOut), but tasks that do this one after the other do not wait for
    /// each other.
    TaskInOutSet = 33 "task_inoutset" None,
    /// As [`TaskInOutSet`](Self::TaskInOutSet), but only one of those tasks runs at a time.
    TaskMutexInOutSet = 34 "task_mutexinoutset" None,
    /// An iteration of an ordered loop lets others go on: the `object` is a number that stands for
    /// the iteration, `other` the parallel region.
    OrderedSource = 35 "ordered_source" Releases,
    /// An iteration waits for the iteration `object`.
    OrderedSink = 36 "ordered_sink" Acquires,
}

/// How an operation orders what threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It orders nothing.
    None,
    /// What its thread did before is known to those who acquire the same object later.
    Releases,
    /// What was done before others released the object is known to its thread.
    Acquires,
    /// It releases, and then acquires.
    Both,
}

impl Order {
    /// Whether it releases.
    pub fn releases(self) -> bool {
        matches!(self, Self::Releases | Self::Both)
    }

    /// Whether it acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquires | Self::Both)
    }
}

impl Synchronisation {
    /// The operation; `None` if it is not known.
    pub fn operation(&self) -> Option<Operation> {
        let number = self.operation.get();
        Operation::ALL.iter().copied().find(|&operation| operation as u32 == number)
    }
}

/// The payload of [`Allocated`](super::Kind::Allocated): memory has a new owner, or none any more.
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
    /// Where the memory starts now; 0 if there is none: it was freed, or there was none to be had.
    pub address: U64,
    /// How many bytes it has.
    pub size: U64,
    /// What is free now: where it started; 0 if there is none.
    pub former: U64,
}

/// The payload of [`Clock`](super::Kind::Clock): what two clocks said at the same time.
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
    /// Ticks: of the processor's counter where that always runs at one speed, otherwise
    /// nanoseconds.
    pub ticks: U64,
    /// Nanoseconds of the monotonic clock.
    pub time: U64,
}

/// The payload of [`Repeated`](super::Kind::Repeated): a path that records nothing but its number
/// ended several times, one after the other. The event is there when the first of them begins, and
/// its count grows with them.
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
    /// How often it ended.
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
