//! Determines the releases that an operation waited for.
//!
//! Operations are passed in the order of their tickets. Releases are kept, and an acquire returns
//! the releases that it waited for. A release is kept only as long as an operation may still wait
//! for it.

use std::collections::{HashMap, VecDeque};

use pathformat::trace::{Operation, Synchronisation};

use crate::ids::ThreadId;
use crate::order::barriers::Barrier;
use crate::order::conditions::Condition;
use crate::order::dependences::Access;
use crate::order::locks::Lock;
use crate::order::openmp::OpenMp;
use crate::order::releases::{Frontier, Link, Links, Released};
use crate::order::threads::{Once, Threads};

/// The maximum number of releases of a semaphore that are kept.
const POSTS: usize = 1 << 20;

/// All objects that threads of a process wait for.
#[derive(Debug)]
pub struct Objects<T> {
    threads: Threads<T>,
    locks: HashMap<u64, Lock<T>>,
    conditions: HashMap<u64, Condition<T>>,
    barriers: HashMap<u64, Barrier<T>>,
    semaphores: HashMap<u64, Semaphore<T>>,
    once: Once<T>,
    openmp: OpenMp<T>,
    fences: Frontier<T>,
}

#[derive(Debug)]
struct Semaphore<T> {
    /// The posts that no thread has taken.
    posts: VecDeque<Released<T>>,
    last: Option<Released<T>>,
}

impl<T> Default for Semaphore<T> {
    fn default() -> Self {
        Self { posts: VecDeque::new(), last: None }
    }
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self {
            threads: Threads::default(),
            locks: HashMap::new(),
            conditions: HashMap::new(),
            barriers: HashMap::new(),
            semaphores: HashMap::new(),
            once: Once::default(),
            openmp: OpenMp::default(),
            fences: Frontier::default(),
        }
    }
}

impl<T: Clone> Objects<T> {
    /// Adds a release of an operation.
    pub fn release(&mut self, of: Operation, event: &Synchronisation, released: Released<T>) {
        let (object, other, ticket) = (event.object.get(), event.other.get(), event.before.get());
        let succeeded = event.result.get() == 0;
        match of {
            Operation::WaitCondition => {
                self.locks.entry(other).or_default().unlock(released.clone());
                self.conditions.entry(object).or_default().wait(released.thread, ticket);
            }
            Operation::Once => self.once.come(object, other, ticket, released),
            // The result of a barrier may distinguish the last thread, and is no failure.
            Operation::Barrier => {
                self.openmp.begin_barrier(object, released.thread);
                self.barriers.entry(object).or_default().come(other, released);
            }
            _ if !succeeded => {}
            Operation::Create => self.threads.make(object, released),
            Operation::End => self.threads.end(released),
            Operation::Unlock => self.locks.entry(object).or_default().unlock(released),
            Operation::Signal | Operation::Broadcast => {
                let is_for_all = of == Operation::Broadcast;
                self.conditions.entry(object).or_default().signal(ticket, is_for_all, released);
            }
            Operation::Post => {
                let semaphore = self.semaphores.entry(object).or_default();
                semaphore.last = Some(released.clone());
                if semaphore.posts.len() < POSTS {
                    semaphore.posts.push_back(released);
                }
            }
            Operation::ParallelBegin => self.openmp.begin(object, released),
            Operation::MemberEnd => self.openmp.end_part(object, released),
            Operation::TaskCreate => self.openmp.make(object, other, released),
            Operation::TaskSwitch => self.openmp.leave(other, released),
            Operation::TaskEnd => self.openmp.finish(other, released),
            Operation::OrderedSource => self.openmp.end_iteration(other, object, released),
            Operation::ReduceEnd if object == 0 => self.openmp.end_part(other, released),
            Operation::ReduceEnd => {
                if let Some(barrier) = self.barriers.get_mut(&object) {
                    barrier.add(released);
                }
            }
            Operation::Fence => self.fences.add(released),
            // The other process has its own trace.
            Operation::Fork => {}
            _ => {}
        }
    }

    /// Completes an operation of a thread that acquires. Returns the releases that it waited for.
    pub fn acquire(
        &mut self,
        of: Operation,
        event: &Synchronisation,
        thread: ThreadId,
    ) -> Links<T> {
        let (object, other) = (event.object.get(), event.other.get());
        let succeeded = event.result.get() == 0;
        let mut links = Vec::new();
        match of {
            Operation::WaitCondition => {
                if let Some(condition) = self.conditions.get_mut(&object) {
                    condition.go_on(thread, succeeded, &mut links);
                }
                self.locks.entry(other).or_default().lock(&mut links);
            }
            Operation::Once if succeeded => {
                self.once.wait(object, thread, event.after.get(), &mut links);
            }
            Operation::Barrier => {
                if let Some(barrier) = self.barriers.get_mut(&object) {
                    barrier.go_on(thread, &mut links);
                }
                self.openmp.end_barrier(thread, object, &mut links);
            }
            _ if !succeeded => {}
            Operation::Begin => self.threads.begin(thread, object, other, &mut links),
            Operation::Join => self.threads.join(other, &mut links),
            Operation::Lock => self.locks.entry(object).or_default().lock(&mut links),
            Operation::LockShared => {
                self.locks.entry(object).or_default().share(thread, &mut links);
            }
            Operation::Take => {
                let semaphore = self.semaphores.entry(object).or_default();
                let post = semaphore.posts.pop_front().or_else(|| semaphore.last.clone());
                links.extend(post.map(|released| (Link::Semaphore, released)));
            }
            Operation::ParallelEnd => self.openmp.end(object, &mut links),
            Operation::MemberBegin => self.openmp.begin_part(object, thread, &mut links),
            Operation::TaskSwitch | Operation::TaskEnd => {
                self.openmp.go_on(object, thread, &mut links);
            }
            Operation::OrderedSink => self.openmp.begin_iteration(other, object, &mut links),
            Operation::ReduceBegin if object == 0 => self.openmp.reduce(other, &mut links),
            Operation::ReduceBegin => {
                if let Some(barrier) = self.barriers.get(&object) {
                    barrier.reduce(thread, &mut links);
                }
            }
            Operation::TaskWait => self.openmp.wait(object, &mut links),
            Operation::TaskGroup => self.openmp.wait_for_group(object, &mut links),
            Operation::Fence => self.fences.links(Link::Fence, &mut links),
            _ => {}
        }
        links
    }

    /// Notes an operation that orders nothing itself, but determines the order of later ones.
    pub fn note(&mut self, of: Operation, event: &Synchronisation) {
        let (object, other) = (event.object.get(), event.other.get());
        match of {
            Operation::Detach => self.threads.detach(other),
            Operation::TaskIn => self.openmp.depend(object, Access::In, other),
            Operation::TaskOut => self.openmp.depend(object, Access::Out, other),
            Operation::TaskInOutSet => self.openmp.depend(object, Access::InOutSet, other),
            Operation::TaskMutexInOutSet => {
                self.openmp.depend(object, Access::MutexInOutSet, other);
            }
            _ => {}
        }
    }

    /// Finishes a thread: if it has not ended by itself, it ends here.
    pub fn finish(&mut self, released: Released<T>) {
        self.threads.end(released);
    }
}
