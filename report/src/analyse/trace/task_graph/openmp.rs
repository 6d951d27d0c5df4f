//! Parallel regions and tasks of OpenMP.

use std::collections::{HashMap, HashSet};

use crate::analyse::trace::task_graph::releases::{Frontier, Link, Links, Released};

/// The regions and tasks that are not finished.
#[derive(Debug)]
pub(super) struct OpenMp<T> {
    regions: HashMap<u64, Region<T>>,
    tasks: HashMap<u64, Task<T>>,
    /// The threads that have ended their part of a region and begun no other. While they wait for
    /// its end, they run tasks.
    waiting: HashSet<u32>,
    /// The tasks that they finished.
    late: Frontier<T>,
}

#[derive(Debug)]
struct Region<T> {
    begun: Option<Released<T>>,
    ended: Frontier<T>,
}

#[derive(Debug)]
struct Task<T> {
    parent: Option<u64>,
    /// Who made it or left it, until somebody goes on with it.
    left: Option<Released<T>>,
    /// Its tasks that are finished and not waited for.
    children: Frontier<T>,
    /// The tasks that these made, in turn.
    descendants: Frontier<T>,
    /// Tasks that it must wait for and that are finished.
    ready: Frontier<T>,
    /// Tasks that must wait for it.
    dependent: Vec<u64>,
}

impl<T> Default for OpenMp<T> {
    fn default() -> Self {
        Self {
            regions: HashMap::new(),
            tasks: HashMap::new(),
            waiting: HashSet::new(),
            late: Frontier::default(),
        }
    }
}

impl<T> Default for Region<T> {
    fn default() -> Self {
        Self { begun: None, ended: Frontier::default() }
    }
}

impl<T> Default for Task<T> {
    fn default() -> Self {
        Self {
            parent: None,
            left: None,
            children: Frontier::default(),
            descendants: Frontier::default(),
            ready: Frontier::default(),
            dependent: Vec::new(),
        }
    }
}

impl<T: Clone> OpenMp<T> {
    /// A region begins.
    pub(super) fn begin(&mut self, region: u64, released: Released<T>) {
        self.regions.insert(region, Region { begun: Some(released), ended: Frontier::default() });
    }

    /// A thread begins its part.
    pub(super) fn begin_part(&mut self, region: u64, thread: u32, links: &mut Links<T>) {
        self.waiting.remove(&thread);
        let begun = self.regions.get(&region).and_then(|region| region.begun.clone());
        links.extend(begun.map(|released| (Link::Parallel, released)));
    }

    /// A thread ends its part.
    pub(super) fn end_part(&mut self, region: u64, released: Released<T>) {
        self.waiting.insert(released.thread);
        self.regions.entry(region).or_default().ended.add(released);
    }

    /// A region has ended, with all tasks.
    pub(super) fn end(&mut self, region: u64, links: &mut Links<T>) {
        if let Some(region) = self.regions.remove(&region) {
            region.ended.links(Link::Parallel, links);
        }
        self.late.links(Link::Task, links);
        if self.regions.is_empty() {
            self.late.clear();
        }
    }

    /// A task is made by another one.
    pub(super) fn make(&mut self, task: u64, parent: u64, released: Released<T>) {
        let task = self.tasks.entry(task).or_default();
        (task.parent, task.left) = (Some(parent), Some(released));
    }

    /// A task must wait for another one.
    pub(super) fn depend(&mut self, task: u64, on: u64) {
        self.tasks.entry(on).or_default().dependent.push(task);
    }

    /// A thread leaves a task that is not finished.
    pub(super) fn leave(&mut self, task: u64, released: Released<T>) {
        self.tasks.entry(task).or_default().left = Some(released);
    }

    /// A task is finished.
    pub(super) fn finish(&mut self, task: u64, released: Released<T>) {
        if self.waiting.contains(&released.thread) {
            self.late.add(released.clone());
        }
        let Some(finished) = self.tasks.remove(&task) else { return };
        for dependent in finished.dependent {
            self.tasks.entry(dependent).or_default().ready.add(released.clone());
        }
        if let Some(parent) = finished.parent {
            let parent = self.tasks.entry(parent).or_default();
            parent.children.add(released);
            parent.descendants.append(finished.children);
            parent.descendants.append(finished.descendants);
        }
    }

    /// A thread goes on with a task.
    pub(super) fn go_on(&mut self, task: u64, links: &mut Links<T>) {
        let Some(task) = self.tasks.get_mut(&task) else { return };
        links.extend(task.left.take().map(|released| (Link::Task, released)));
        task.ready.links(Link::Dependence, links);
        task.ready.clear();
    }

    /// A task has waited for those it made.
    pub(super) fn wait(&mut self, task: u64, links: &mut Links<T>) {
        let Some(task) = self.tasks.get_mut(&task) else { return };
        task.children.links(Link::Task, links);
        // They may have made tasks that nobody waited for.
        task.children.clear();
    }

    /// A task has waited for those it made, and for those that they made.
    pub(super) fn wait_for_group(&mut self, task: u64, links: &mut Links<T>) {
        let Some(task) = self.tasks.get_mut(&task) else { return };
        task.children.links(Link::Task, links);
        task.descendants.links(Link::Task, links);
        task.children.clear();
        task.descendants.clear();
    }
}
