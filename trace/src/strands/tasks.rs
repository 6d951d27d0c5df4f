//! Explicit tasks: what happens before they begin, and what their ends happen before.

use std::collections::HashMap;

use crate::order::dependences::{Access, Dependences};
use crate::order::releases::Released;
use crate::strands::clock::{StrandClock, Token};

/// The tasks that are not finished, and those that they wait for.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: HashMap<u64, Task>,
    groups: HashMap<u64, StrandClock>,
    last_group: u64,
    dependences: Dependences<Token>,
}

/// An explicit task, or the implicit one of a part of a region.
#[derive(Debug, Default)]
struct Task {
    parent: Option<u64>,
    created: Token,
    /// The number of its child tasks that are still kept.
    made: usize,
    is_finished: bool,
    /// What happens before the rest of it, if any thread may go on with that.
    suspended: Option<Token>,
    /// True if the task that creates it waits for it.
    is_undeferred: bool,
    group: Option<u64>,
    /// The ends of its child tasks that it has not waited for.
    children: StrandClock,
    /// The ends of tasks that it depends on.
    ready: StrandClock,
    /// The tasks that depend on it.
    dependent: Vec<u64>,
    /// The variables that one of its siblings at a time may use.
    exclusive: Vec<u64>,
}

/// What happens before a task goes on.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) clock: Token,
    /// The locks that it takes if it begins.
    pub(super) locks: Vec<u64>,
}

/// How a task ends.
#[derive(Debug)]
pub(super) struct Ended {
    /// True if the task that created it waits for it.
    pub(super) is_undeferred: bool,
    /// The ends of tasks that it depended on.
    pub(super) ready: StrandClock,
}

/// Returns the lock that stands for a variable that one child of a task at a time may use.
fn of_siblings(parent: u64, variable: u64) -> u64 {
    // No lock has such an address.
    variable.wrapping_add(parent << 48) | 1 << 63
}

impl Tasks {
    /// Creates a task of another one. `by` is the explicit task that its creator executes, `group`
    /// the innermost group that the creator has begun.
    pub(super) fn create(
        &mut self,
        task: u64,
        parent: u64,
        by: Option<u64>,
        group: Option<u64>,
        created: Token,
    ) {
        // A task of a task in a group is in the group.
        let group = group.or_else(|| self.tasks.get(&by?)?.group);
        self.tasks.entry(parent).or_default().made += 1;
        let parent = Some(parent);
        self.tasks.insert(task, Task { parent, created, group, ..Task::default() });
    }

    /// Notes that the task that creates another one waits for it.
    pub(super) fn await_task(&mut self, task: u64) {
        if let Some(task) = self.tasks.get_mut(&task) {
            task.is_undeferred = true;
        }
    }

    /// Adds an access of a task to a variable. The task waits for earlier tasks that conflict with
    /// it.
    pub(super) fn depend(&mut self, task: u64, access: Access, variable: u64) {
        let Some(known) = self.tasks.get_mut(&task) else { return };
        if access == Access::MutexInOutSet {
            known.exclusive.push(variable);
        }
        let maker = known.parent.unwrap_or_default();
        for before in self.dependences.add(maker, task, access, variable) {
            if let Some(released) = self.dependences.end_of(before) {
                self.tasks.entry(task).or_default().ready.join(&released.token);
            } else if let Some(other) = self.tasks.get_mut(&before) {
                other.dependent.push(task);
            }
        }
    }

    /// Suspends a task, which any thread may go on with.
    pub(super) fn suspend(&mut self, task: u64, clock: Token) {
        self.tasks.entry(task).or_default().suspended = Some(clock);
    }

    /// As [`suspend`](Self::suspend), unless the rest of the task may have begun.
    pub(super) fn leave(&mut self, task: u64, clock: Token) {
        self.tasks.entry(task).or_default().suspended.get_or_insert(clock);
    }

    /// Begins a task, or goes on with it.
    pub(super) fn begin(&mut self, task: u64) -> Begun {
        let task = self.tasks.entry(task).or_default();
        if let Some(clock) = task.suspended.take() {
            return Begun { clock, locks: Vec::new() };
        }
        let mut clock = (*task.created).clone();
        clock.join(&task.ready);
        Begun { clock: clock.into(), locks: task.locks() }
    }

    /// Finishes a task. Returns the locks that it gives back.
    pub(super) fn finish(&mut self, task: u64, released: &Released<Token>) -> Vec<u64> {
        let end = &released.token;
        self.dependences.finish(task, released);
        let Some(known) = self.tasks.get_mut(&task) else { return Vec::new() };
        known.is_finished = true;
        let (parent, group, locks) = (known.parent, known.group, known.locks());
        for dependent in std::mem::take(&mut known.dependent) {
            self.tasks.entry(dependent).or_default().ready.join(end);
        }
        if let Some(group) = group.and_then(|group| self.groups.get_mut(&group)) {
            group.join(end);
        }
        if let Some(parent) = parent {
            self.tasks.entry(parent).or_default().children.join(end);
        }
        locks
    }

    /// Forgets a task that is finished, as soon as its child tasks are, too.
    pub(super) fn forget(&mut self, task: u64) -> Option<Ended> {
        let known = self.tasks.get_mut(&task)?;
        let ready = std::mem::take(&mut known.ready);
        let ended = Ended { is_undeferred: known.is_undeferred, ready };
        let mut task = task;
        while let Some(known) = self.tasks.get(&task)
            && known.is_finished
            && known.made == 0
        {
            let parent = known.parent;
            self.tasks.remove(&task);
            let Some(parent) = parent else { break };
            if let Some(known) = self.tasks.get_mut(&parent) {
                known.made = known.made.saturating_sub(1);
            }
            task = parent;
        }
        Some(ended)
    }

    /// Returns the ends of the child tasks of a task, which waits for them.
    pub(super) fn wait(&mut self, task: u64) -> StrandClock {
        self.tasks.get_mut(&task).map(|task| std::mem::take(&mut task.children)).unwrap_or_default()
    }

    /// Begins a group. Returns its number.
    pub(super) fn begin_group(&mut self) -> u64 {
        self.last_group += 1;
        self.groups.insert(self.last_group, StrandClock::default());
        self.last_group
    }

    /// Returns the ends of the tasks in a group, which is over.
    pub(super) fn end_group(&mut self, group: u64) -> StrandClock {
        self.groups.remove(&group).unwrap_or_default()
    }

    /// Forgets the dependences, when no task waits any more.
    pub(super) fn clear(&mut self) {
        self.dependences.clear();
    }
}

impl Task {
    fn locks(&self) -> Vec<u64> {
        let parent = self.parent.unwrap_or_default();
        self.exclusive.iter().map(|&variable| of_siblings(parent, variable)).collect()
    }
}
