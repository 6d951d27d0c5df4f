//! The choice of the tasks on the page: all, or the longest ones and the critical path.

use std::cmp::Reverse;

use trace::ids::TaskId;
use trace::tasks::graph::Graph;

/// Returns at most `most` tasks, by number, and all that are on the way.
pub(super) fn of(graph: &Graph, way: &[TaskId], most: usize) -> Vec<TaskId> {
    if graph.len() <= most {
        return graph.tasks().map(|(id, _)| id).collect();
    }
    let mut is_chosen = vec![false; graph.len()];
    way.iter().for_each(|&id| is_chosen[id.index()] = true);
    let on_way = is_chosen.iter().filter(|chosen| **chosen).count();
    let others = graph.tasks().filter(|(id, _)| !is_chosen[id.index()]);
    let mut others: Vec<_> = others.map(|(id, task)| (Reverse(task.duration()), id)).collect();
    let room = most.saturating_sub(on_way).min(others.len());
    if room > 0 && room < others.len() {
        others.select_nth_unstable(room - 1);
    }
    others.iter().take(room).for_each(|(_, id)| is_chosen[id.index()] = true);
    graph.tasks().map(|(id, _)| id).filter(|id| is_chosen[id.index()]).collect()
}

#[cfg(test)]
mod tests {
    use trace::tasks::graph::Task;

    use super::*;

    #[test]
    fn the_longest_tasks_and_the_whole_way_are_chosen() {
        let mut graph = Graph::default();
        for length in [5, 1, 9, 2, 7, 1] {
            let task = Task { begin: 100, end: 100 + length, ..Task::default() };
            graph.add(task, []).expect("a number");
        }
        let of = |way: &[u32], most| {
            let way: Vec<_> = way.iter().copied().map(TaskId).collect();
            of(&graph, &way, most).into_iter().map(|id| id.0).collect::<Vec<_>>()
        };
        assert_eq!(of(&[1, 5], 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of(&[1, 5], 4), [1, 2, 4, 5]);
        assert_eq!(of(&[1, 5], 3), [1, 2, 5]);
        assert_eq!(of(&[1, 3, 5], 2), [1, 3, 5]);
        assert_eq!(of(&[], 1), [2]);
    }
}
