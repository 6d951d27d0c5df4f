//! What lets others go on.

use crate::order::thread_id::ThreadId;

/// Why a task waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Link {
    /// Both are of one thread.
    Program,
    /// A thread was made.
    Create,
    /// A thread ended.
    Join,
    /// A lock was given back.
    Lock,
    /// A condition variable was signalled.
    Condition,
    /// All had come to a barrier.
    Barrier,
    /// A semaphore was raised.
    Semaphore,
    /// Something had been done once.
    Once,
    /// A parallel region of OpenMP, or a thread's part of it, began or ended.
    Parallel,
    /// A task of OpenMP was made, interrupted or finished.
    Task,
    /// A task of OpenMP depends on another one.
    Dependence,
    /// A fence of memory. It orders, but nobody waits.
    Fence,
}

impl Link {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Program,
        Self::Create,
        Self::Join,
        Self::Lock,
        Self::Condition,
        Self::Barrier,
        Self::Semaphore,
        Self::Once,
        Self::Parallel,
        Self::Task,
        Self::Dependence,
        Self::Fence,
    ];

    /// What people and programs read.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Create => "create",
            Self::Join => "join",
            Self::Lock => "lock",
            Self::Condition => "condition",
            Self::Barrier => "barrier",
            Self::Semaphore => "semaphore",
            Self::Once => "once",
            Self::Parallel => "parallel",
            Self::Task => "task",
            Self::Dependence => "dependence",
            Self::Fence => "fence",
        }
    }
}

/// A thread let others go on. The token says when, for whoever asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released<T> {
    /// Which thread.
    pub thread: ThreadId,
    /// The ticket that it took.
    pub ticket: u64,
    /// When.
    pub token: T,
}

/// What is waited for, and why.
pub type Links<T> = Vec<(Link, Released<T>)>;

/// The last release of each thread. Earlier ones of a thread are known by its last one.
#[derive(Clone, Debug)]
pub struct Frontier<T>(Vec<Released<T>>);

impl<T> Default for Frontier<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Frontier<T> {
    /// Adds one.
    pub fn add(&mut self, released: Released<T>) {
        match self.0.iter_mut().find(|known| known.thread == released.thread) {
            Some(known) if known.ticket > released.ticket => {}
            Some(known) => *known = released,
            None => self.0.push(released),
        }
    }

    /// Adds those of another one.
    pub fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|released| self.add(released));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Links to all of them.
    pub fn links(&self, why: Link, links: &mut Links<T>) {
        links.extend(self.0.iter().map(|released| (why, released.clone())));
    }
}
