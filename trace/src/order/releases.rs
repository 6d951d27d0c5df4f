//! The releases that operations wait for.

use crate::ids::ThreadId;

/// The reason why a task waits for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Link {
    /// Both tasks are of one thread.
    Program,
    /// A thread was created.
    Create,
    /// A thread ended.
    Join,
    /// A lock was unlocked.
    Lock,
    /// A condition variable was signalled.
    Condition,
    /// All threads had arrived at a barrier.
    Barrier,
    /// A semaphore was posted.
    Semaphore,
    /// A one-time initialisation was complete.
    Once,
    /// A parallel region of OpenMP, or a thread's part of it, began or ended.
    Parallel,
    /// An OpenMP task was created, suspended or finished.
    Task,
    /// An OpenMP task depends on another one.
    Dependence,
    /// A memory fence, which orders without a wait.
    Fence,
}

impl Link {
    /// All links, by number.
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

    /// Returns the name in outputs.
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

/// A release by a thread, with the token of the visitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released<T> {
    /// The thread that released.
    pub thread: ThreadId,
    /// The ticket of the release.
    pub ticket: u64,
    /// The token of the visitor.
    pub token: T,
}

/// The releases that were waited for, and the reasons.
pub type Links<T> = Vec<(Link, Released<T>)>;

/// The last release of each thread. It implies the earlier ones of the thread.
#[derive(Clone, Debug)]
pub struct Frontier<T>(Vec<Released<T>>);

impl<T> Default for Frontier<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Frontier<T> {
    /// Adds a release.
    pub fn add(&mut self, released: Released<T>) {
        match self.0.iter_mut().find(|known| known.thread == released.thread) {
            Some(known) if known.ticket > released.ticket => {}
            Some(known) => *known = released,
            None => self.0.push(released),
        }
    }

    /// Adds the releases of another frontier.
    pub fn append(&mut self, other: Self) {
        other.0.into_iter().for_each(|released| self.add(released));
    }

    /// Returns true if there are no releases.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all releases.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds links to all releases.
    pub fn links(&self, why: Link, links: &mut Links<T>) {
        links.extend(self.0.iter().map(|released| (why, released.clone())));
    }
}
