//! Parallel regions and tasks of OpenMP.

use std::collections::{HashMap, HashSet};

use crate::ids::ThreadId;
use crate::order::dependences::{Access, Dependences};
use crate::order::releases::{Frontier, Link, Links, Released};

/// The regions and tasks that are not finished.
#[derive(Debug)]
pub(super) struct OpenMp<T> {
    regions: HashMap<u64, Region<T>>,
    tasks: HashMap<u64, Task<T>>,
    /// The threads that have ended their part of a region and begun no other. They run tasks until
    /// the region ends.
    waiting: HashSet<ThreadId>,
    /// The tasks that these threads finished.
    late: Frontier<T>,
    /// The barrier that each thread waits in, while it runs tasks.
    barriers: HashMap<ThreadId, u64>,
    /// The tasks that were finished in a barrier.
    in_barriers: HashMap<u64, Frontier<T>>,
    dependences: Dependences<T>,
    /// The dependences of tasks that only waited, by the thread that continues.
    waited: HashMap<ThreadId, Frontier<T>>,
}

#[derive(Debug)]
struct Region<T> {
    begun: Option<Released<T>>,
    ended: Frontier<T>,
    /// The iterations of ordered loops that have released others.
    iterations: HashMap<u64, Released<T>>,
}

#[derive(Debug)]
struct Task<T> {
    parent: Option<u64>,
    /// The creation or the last suspension of the task, until a thread resumes it.
    left: Option<Released<T>>,
    /// The number of its child tasks that are still kept.
    made: usize,
    /// True if it is finished. It is kept for as long as its child tasks.
    is_finished: bool,
    /// Its finished child tasks that it has not waited for.
    children: Frontier<T>,
    /// The finished descendants of its child tasks.
    descendants: Frontier<T>,
    /// The finished tasks that it depends on.
    ready: Frontier<T>,
    /// The tasks that depend on it.
    dependent: Vec<u64>,
    /// The variables that one task at a time may use.
    exclusive: Vec<u64>,
    /// The last child task that used such a variable, by variable.
    had: HashMap<u64, Released<T>>,
}

impl<T> Default for OpenMp<T> {
    fn default() -> Self {
        Self {
            regions: HashMap::new(),
            tasks: HashMap::new(),
            waiting: HashSet::new(),
            late: Frontier::default(),
            barriers: HashMap::new(),
            in_barriers: HashMap::new(),
            dependences: Dependences::default(),
            waited: HashMap::new(),
        }
    }
}

impl<T> Default for Region<T> {
    fn default() -> Self {
        Self { begun: None, ended: Frontier::default(), iterations: HashMap::new() }
    }
}

impl<T> Default for Task<T> {
    fn default() -> Self {
        Self {
            parent: None,
            left: None,
            made: 0,
            is_finished: false,
            children: Frontier::default(),
            descendants: Frontier::default(),
            ready: Frontier::default(),
            dependent: Vec::new(),
            exclusive: Vec::new(),
            had: HashMap::new(),
        }
    }
}

impl<T: Clone> OpenMp<T> {
    /// Begins a region.
    pub(super) fn begin(&mut self, region: u64, released: Released<T>) {
        self.regions.insert(region, Region { begun: Some(released), ..Region::default() });
    }

    /// Begins a thread's part of a region.
    pub(super) fn begin_part(&mut self, region: u64, thread: ThreadId, links: &mut Links<T>) {
        self.waiting.remove(&thread);
        let begun = self.regions.get(&region).and_then(|region| region.begun.clone());
        links.extend(begun.map(|released| (Link::Parallel, released)));
    }

    /// Ends a thread's part of a region.
    pub(super) fn end_part(&mut self, region: u64, released: Released<T>) {
        self.waiting.insert(released.thread);
        self.regions.entry(region).or_default().ended.add(released);
    }

    /// Ends a region, with all its tasks.
    pub(super) fn end(&mut self, region: u64, links: &mut Links<T>) {
        if let Some(region) = self.regions.remove(&region) {
            region.ended.links(Link::Parallel, links);
        }
        self.late.links(Link::Task, links);
        if self.regions.is_empty() {
            self.late.clear();
            self.dependences.clear();
        }
    }

    /// Releases the threads that wait for an iteration of an ordered loop.
    pub(super) fn end_iteration(&mut self, region: u64, iteration: u64, released: Released<T>) {
        self.regions.entry(region).or_default().iterations.insert(iteration, released);
    }

    /// Completes the wait of an iteration for another one.
    pub(super) fn begin_iteration(&self, region: u64, iteration: u64, links: &mut Links<T>) {
        let ended = self.regions.get(&region).and_then(|region| region.iterations.get(&iteration));
        links.extend(ended.map(|released| (Link::Dependence, released.clone())));
    }

    /// Begins to combine what the threads that have ended their parts of a region reduced.
    pub(super) fn reduce(&self, region: u64, links: &mut Links<T>) {
        if let Some(region) = self.regions.get(&region) {
            region.ended.links(Link::Parallel, links);
        }
    }

    /// Adds the arrival of a thread at a barrier.
    pub(super) fn begin_barrier(&mut self, barrier: u64, thread: ThreadId) {
        self.barriers.insert(thread, barrier);
    }

    /// Lets a thread leave a barrier, after all tasks are finished.
    pub(super) fn end_barrier(&mut self, thread: ThreadId, barrier: u64, links: &mut Links<T>) {
        self.barriers.remove(&thread);
        if let Some(tasks) = self.in_barriers.get(&barrier) {
            tasks.links(Link::Task, links);
            if !self.barriers.values().any(|&other| other == barrier) {
                self.in_barriers.remove(&barrier);
            }
        }
    }

    /// Adds a task that another one made.
    pub(super) fn make(&mut self, task: u64, parent: u64, released: Released<T>) {
        self.tasks.entry(parent).or_default().made += 1;
        let task = self.tasks.entry(task).or_default();
        (task.parent, task.left) = (Some(parent), Some(released));
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
                self.tasks.entry(task).or_default().ready.add(released);
            } else if let Some(other) = self.tasks.get_mut(&before) {
                other.dependent.push(task);
            }
        }
    }

    /// Suspends a task that is not finished.
    pub(super) fn leave(&mut self, task: u64, released: Released<T>) {
        self.tasks.entry(task).or_default().left = Some(released);
    }

    /// Finishes a task.
    pub(super) fn finish(&mut self, task: u64, released: Released<T>) {
        if self.waiting.contains(&released.thread) {
            self.late.add(released.clone());
        }
        if let Some(barrier) = self.barriers.get(&released.thread) {
            self.in_barriers.entry(*barrier).or_default().add(released.clone());
        }
        let Some(known) = self.tasks.get_mut(&task) else { return };
        known.is_finished = true;
        let parent = known.parent;
        let (children, descendants) =
            (std::mem::take(&mut known.children), std::mem::take(&mut known.descendants));
        let exclusive = std::mem::take(&mut known.exclusive);
        let ready = std::mem::take(&mut known.ready);
        if !ready.is_empty() {
            self.waited.insert(released.thread, ready);
        }
        for dependent in std::mem::take(&mut known.dependent) {
            self.tasks.entry(dependent).or_default().ready.add(released.clone());
        }
        self.dependences.finish(task, &released);
        if let Some(parent) = parent {
            let maker = self.tasks.entry(parent).or_default();
            maker.had.extend(exclusive.into_iter().map(|variable| (variable, released.clone())));
            let ancestor = self.unfinished(parent);
            let known = self.tasks.entry(ancestor).or_default();
            let own = if ancestor == parent { &mut known.children } else { &mut known.descendants };
            own.add(released);
            known.descendants.append(children);
            known.descendants.append(descendants);
        }
        self.forget(task);
    }

    /// Returns the task itself, or its nearest ancestor that is not finished.
    fn unfinished(&self, mut task: u64) -> u64 {
        while let Some(known) = self.tasks.get(&task).filter(|known| known.is_finished)
            && let Some(parent) = known.parent
        {
            task = parent;
        }
        task
    }

    /// Forgets a finished task without child tasks, and then each ancestor to which the same
    /// applies.
    fn forget(&mut self, mut task: u64) {
        while let Some(known) = self.tasks.get(&task)
            && known.is_finished
            && known.made == 0
        {
            let parent = known.parent;
            self.tasks.remove(&task);
            let Some(parent) = parent else { return };
            if let Some(known) = self.tasks.get_mut(&parent) {
                known.made = known.made.saturating_sub(1);
            }
            task = parent;
        }
    }

    /// Resumes a task on a thread; `task` is 0 if the thread continues its own work.
    pub(super) fn go_on(&mut self, task: u64, thread: ThreadId, links: &mut Links<T>) {
        if let Some(ready) = self.waited.remove(&thread) {
            ready.links(Link::Dependence, links);
        }
        let Some(known) = self.tasks.get_mut(&task) else { return };
        links.extend(known.left.take().map(|released| (Link::Task, released)));
        known.ready.links(Link::Dependence, links);
        known.ready.clear();
        let (exclusive, parent) = (known.exclusive.clone(), known.parent);
        let maker = parent.and_then(|parent| self.tasks.get(&parent));
        let had = exclusive.iter().filter_map(|variable| maker?.had.get(variable));
        links.extend(had.map(|released| (Link::Lock, released.clone())));
    }

    /// Completes the wait of a task for its child tasks.
    pub(super) fn wait(&mut self, task: u64, links: &mut Links<T>) {
        let Some(task) = self.tasks.get_mut(&task) else { return };
        task.children.links(Link::Task, links);
        // The children may have made tasks that were not waited for.
        task.children.clear();
    }

    /// Completes the wait of a task for its child tasks and their descendants.
    pub(super) fn wait_for_group(&mut self, task: u64, links: &mut Links<T>) {
        let Some(task) = self.tasks.get_mut(&task) else { return };
        task.children.links(Link::Task, links);
        task.descendants.links(Link::Task, links);
        task.children.clear();
        task.descendants.clear();
    }
}
