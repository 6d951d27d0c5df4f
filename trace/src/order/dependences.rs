//! The order of OpenMP tasks by the variables in their `depend` clauses.
//!
//! A task waits for earlier sibling tasks (OpenMP 5.2, section 15.9.5). A task that reads a
//! variable waits for the last ones that write it. A task that writes it waits for those and for
//! all that read it since. Consecutive tasks of a *set* (`inoutset`, `mutexinoutset`) do not wait
//! for each other.

use std::collections::{HashMap, HashSet};

use crate::order::releases::Released;

/// The kind of access that a `depend` clause declares for a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// `in`.
    In,
    /// `out` and `inout`.
    Out,
    /// `inoutset`.
    InOutSet,
    /// `mutexinoutset`.
    MutexInOutSet,
}

/// The address that stands for all memory.
const ALL_MEMORY: u64 = 0;

/// The number of ends up to which none are dropped. Above it, unneeded ends are dropped whenever
/// the number has doubled.
const FEW_ENDS: usize = 1 << 10;

/// The variables of all tasks that made others.
#[derive(Debug)]
pub(crate) struct Dependences<T> {
    /// The variables, by the task that makes others.
    makers: HashMap<u64, HashMap<u64, Variable>>,
    /// The ends of finished tasks.
    ends: HashMap<u64, Released<T>>,
    /// The number of ends above which unneeded ones are dropped.
    most_ends: usize,
}

impl<T> Default for Dependences<T> {
    fn default() -> Self {
        Self { makers: HashMap::new(), ends: HashMap::new(), most_ends: FEW_ENDS }
    }
}

/// The tasks that read and write a variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    /// The task that writes it, or the tasks of a set.
    writers: Vec<u64>,
    /// The kind of the set, if the writers are one.
    set: Option<Access>,
    /// The tasks that each task of the set waits for.
    before_set: Vec<u64>,
    /// The tasks that read it since.
    readers: Vec<u64>,
}

impl Variable {
    /// Returns all tasks that a writer waits for.
    fn all(&self) -> Vec<u64> {
        self.writers.iter().chain(&self.readers).copied().collect()
    }

    /// Adds a task. Returns the tasks that it waits for.
    fn add(&mut self, task: u64, access: Access) -> Vec<u64> {
        match access {
            Access::In => {
                self.readers.push(task);
                self.writers.clone()
            }
            Access::Out => {
                let all = self.all();
                *self = Self { writers: vec![task], ..Self::default() };
                all
            }
            Access::InOutSet | Access::MutexInOutSet => {
                if self.set != Some(access) || !self.readers.is_empty() {
                    let before_set = self.all();
                    *self = Self { set: Some(access), before_set, ..Self::default() };
                }
                self.writers.push(task);
                self.before_set.clone()
            }
        }
    }
}

impl<T: Clone> Dependences<T> {
    /// Adds an access to a variable by a task that `maker` made. Returns the tasks that it waits
    /// for.
    pub(crate) fn add(&mut self, maker: u64, task: u64, access: Access, variable: u64) -> Vec<u64> {
        let variables = self.makers.entry(maker).or_default();
        let mut before = if variable == ALL_MEMORY {
            let all = variables.values().flat_map(Variable::all).collect();
            // All later tasks wait for this one, and so for the others.
            *variables = HashMap::new();
            all
        } else {
            Vec::new()
        };
        let of_all = variables.get(&ALL_MEMORY).cloned().unwrap_or_default();
        let known = variables.entry(variable).or_insert(of_all);
        before.extend(known.add(task, access));
        before.retain(|&other| other != task);
        before.sort_unstable();
        before.dedup();
        before
    }

    /// Returns the end of a task that others wait for, if it is finished.
    pub(crate) fn end_of(&self, task: u64) -> Option<Released<T>> {
        self.ends.get(&task).cloned()
    }

    /// Finishes a task, which makes no others any more.
    pub(crate) fn finish(&mut self, task: u64, released: &Released<T>) {
        self.makers.remove(&task);
        if self.makers.is_empty() {
            return;
        }
        self.ends.insert(task, released.clone());
        if self.ends.len() > self.most_ends {
            let variables = self.makers.values().flat_map(HashMap::values);
            let needed: HashSet<u64> = variables
                .flat_map(|of| of.writers.iter().chain(&of.before_set).chain(&of.readers).copied())
                .collect();
            self.ends.retain(|task, _| needed.contains(task));
            self.most_ends = (2 * self.ends.len()).max(FEW_ENDS);
        }
    }

    /// Forgets everything, when no task waits any more.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::Access::*;
    use super::*;

    #[test]
    fn tasks_wait_as_the_standard_says() {
        let mut dependences = Dependences::<()>::default();
        let mut add = |task, access, variable| dependences.add(1, task, access, variable);
        assert_eq!(add(10, Out, 7), [0; 0]);
        assert_eq!(add(11, In, 7), [10]);
        assert_eq!(add(12, In, 7), [10]);
        assert_eq!(add(13, Out, 7), [10, 11, 12]);
        assert_eq!(add(14, InOutSet, 7), [13]);
        assert_eq!(add(15, InOutSet, 7), [13]);
        assert_eq!(add(16, MutexInOutSet, 7), [14, 15]);
        assert_eq!(add(17, MutexInOutSet, 7), [14, 15]);
        assert_eq!(add(18, In, 7), [16, 17]);
        assert_eq!(add(19, MutexInOutSet, 7), [16, 17, 18]);
        assert_eq!(add(20, In, 8), [0; 0]);
        assert_eq!(add(21, Out, ALL_MEMORY), [19, 20]);
        assert_eq!(add(22, In, 9), [21]);
        assert_eq!(add(23, Out, 7), [21]);
        assert_eq!(add(24, Out, ALL_MEMORY), [21, 22, 23]);
        assert_eq!(add(25, Out, 7), [24]);
        assert_eq!(add(25, In, 7), [0; 0]);
        assert_eq!(dependences.add(2, 30, Out, 7), [0; 0]);
    }
}
