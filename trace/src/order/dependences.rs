//! Which tasks of OpenMP must wait for which, by the variables that their `depend` clauses name.
//!
//! A task waits for tasks that the same task made before it (OpenMP 5.2, section 15.9.5): one that
//! reads a variable for the last ones that write it, one that writes it for those and for all that
//! read it since. Tasks of a *set* (`inoutset`, `mutexinoutset`) that stand one after the other do
//! not wait for each other.

use std::collections::{HashMap, HashSet};

use crate::order::releases::Released;

/// What a `depend` clause says of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// `in`.
    In,
    /// `out` and `inout`.
    Out,
    /// `inoutset`.
    InOutSet,
    /// `mutexinoutset`.
    MutexInOutSet,
}

/// Stands for all memory in place of a variable.
const ALL_MEMORY: u64 = 0;

/// With so many ends, and twice as many as were needed, those that are not needed are dropped.
const FEW_ENDS: usize = 1 << 10;

/// The variables of all tasks that made others.
#[derive(Debug)]
pub(super) struct Dependences<T> {
    /// By the task that makes others.
    makers: HashMap<u64, HashMap<u64, Variable>>,
    /// The ends of tasks that are finished.
    ends: HashMap<u64, Released<T>>,
    /// How many ends there may be.
    most_ends: usize,
}

impl<T> Default for Dependences<T> {
    fn default() -> Self {
        Self { makers: HashMap::new(), ends: HashMap::new(), most_ends: FEW_ENDS }
    }
}

/// Who reads and writes a variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    /// The task that writes it, or those of a set.
    writers: Vec<u64>,
    /// Whether these are a set, and of which kind.
    set: Option<Access>,
    /// What each task of the set waits for.
    before_set: Vec<u64>,
    /// Who reads it since.
    readers: Vec<u64>,
}

impl Variable {
    /// All tasks that a writer waits for.
    fn all(&self) -> Vec<u64> {
        self.writers.iter().chain(&self.readers).copied().collect()
    }

    /// A task comes; gives the tasks that it waits for.
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
    /// A task that `maker` made accesses a variable; gives the tasks that it waits for.
    pub(super) fn add(&mut self, maker: u64, task: u64, access: Access, variable: u64) -> Vec<u64> {
        let variables = self.makers.entry(maker).or_default();
        let mut before = if variable == ALL_MEMORY {
            let all = variables.values().flat_map(Variable::all).collect();
            // Whatever comes later waits for this one, and by it for the others.
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

    /// The end of a task that others wait for, if it is finished.
    pub(super) fn end_of(&self, task: u64) -> Option<Released<T>> {
        self.ends.get(&task).cloned()
    }

    /// A task is finished, and makes no more.
    pub(super) fn finish(&mut self, task: u64, released: &Released<T>) {
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

    /// Nothing waits any more.
    pub(super) fn clear(&mut self) {
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
