//! Small programs whose graphs can be counted by hand.

use pathformat::trace::Operation::{self, *};
use pathformat::trace::{Work, once};

use crate::ids::{TaskId, ThreadId};
use crate::order::releases::Link;
use crate::order::walk::walk;
use crate::tasks::graph::TaskKind;
use crate::tasks::hot::Heating;
use crate::tasks::parallelism::Parallelism;
use crate::tasks::span::Span;
use crate::tasks::tests::scene::{Scene, edges};

/// Returns work and span by time and by instructions, which are the same here.
fn spans(tasks: &crate::tasks::builder::Tasks) -> (u64, u64) {
    let by_time = tasks.by_time.clone();
    assert_eq!(by_time, tasks.by_instructions);
    (by_time.work, by_time.span)
}

fn fork_join(n: usize) -> Scene {
    let mut scene = Scene::new(n + 1);
    scene.work(0, 10);
    for thread in 1..=n {
        scene.create(0, thread);
        scene.work(thread, 5 * thread as u64);
        scene.end(thread);
    }
    for thread in 1..=n {
        scene.join(0, thread);
    }
    scene.work(0, 1);
    scene.end(0);
    scene
}

#[test]
fn threads_fork_and_join() {
    for n in [1, 2, 7] {
        let tasks = fork_join(n).tasks();
        let work = 5 * (n * (n + 1) / 2) as u64 + 11;
        assert_eq!(tasks.graph.len(), 3 * n + 1);
        let expected =
            [(Link::Program, 2 * n), (Link::Create, n), (Link::Join, n)].into_iter().collect();
        assert_eq!(edges(&tasks.graph), expected);
        assert_eq!(spans(&tasks), (work, 5 * n as u64 + 11));
        let graph = &tasks.graph;
        let count = |kind| graph.tasks().filter(|(id, _)| graph.kind(*id) == kind).count();
        let counts = TaskKind::ALL.map(count);
        assert_eq!(counts, [n + 1, n, n, 0, 0], "basic, create, join");
        let parallelism = Parallelism::of(&tasks.graph, 4);
        assert_eq!(parallelism.end, 5 * n as u64 + 11);
        // Each number of threads runs for five nanoseconds, one for eleven more.
        let levels: Vec<u64> = (0..=n).map(|level| [0, 16, 5][level.min(2)]).collect();
        assert_eq!(parallelism.levels, levels);
        assert_eq!(parallelism.parts.iter().sum::<u64>(), work);
    }
}

#[test]
fn the_way_has_the_paths_of_the_longest_thread() {
    let scene = fork_join(3);
    let streams = scene.clone().inputs();
    let tasks = scene.tasks();
    let Span { way, .. } = tasks.by_instructions;
    let mut heating = Heating::of(&streams, &tasks.graph, &way);
    walk(streams, &mut heating);
    let (heats, hottest) = heating.finish();
    let functions: Vec<_> = hottest.iter().map(|path| path.map(|path| path.0.0)).collect();
    // The first thread does nothing between the threads that it creates and waits for.
    let [start, one, none, two, three] = [Some(0), Some(1), None, Some(2), Some(3)];
    assert_eq!(functions, [start, one, none, two, none, three, none, none, none, start]);
    let mut found: Vec<_> =
        heats.iter().map(|(of, heat)| (of.0.0, heat.count, heat.instructions, heat.time)).collect();
    found.sort_by_key(|found| found.0);
    assert_eq!(found, [(0, 2, 11, 11.0), (3, 1, 15, 15.0)]);
}

#[test]
fn a_number_of_a_thread_may_come_again() {
    let mut scene = Scene::new(4);
    scene.create(0, 1);
    scene.create(0, 3);
    scene.work(1, 5);
    scene.end(1);
    // Another thread gets its stack before the waiting thread continues.
    scene.enter(0, Join, 0, 1001);
    scene.event(3, Create, 2, 1001);
    scene.event(2, Begin, 2, 1001);
    scene.leave(0, 0, 5);
    scene.work(2, 3);
    scene.event(2, End, 2, 1001);
    scene.enter(0, Join, 0, 1001);
    scene.leave(0, 0, 5);
    scene.work(0, 1);
    let tasks = scene.tasks();
    assert_eq!(edges(&tasks.graph)[&Link::Join], 2);
    assert_eq!(spans(&tasks), (9, 6));
}

#[test]
fn barriers_divide_phases() {
    let work = [[3u64, 9, 1], [4, 4, 4], [8, 2, 7], [1, 2, 30]];
    for expected in [0, 3] {
        let mut scene = Scene::new(3);
        scene.create(0, 1);
        scene.create(0, 2);
        for phase in work {
            (0..3).for_each(|thread| scene.work(thread, phase[thread]));
            (0..3).for_each(|thread| scene.enter(thread, Barrier, 0xb, expected));
            let last = *scene.now.iter().max().expect("three");
            for thread in [1, 0, 2] {
                scene.leave(thread, u32::from(thread == 2), last);
                if thread == 1 {
                    // It is at the barrier again before the others have left it.
                    scene.work(1, 0);
                }
            }
        }
        (0..3).for_each(|thread| scene.work(thread, 1));
        let tasks = scene.tasks();
        let sum: u64 = work.iter().flatten().sum();
        let longest: u64 = work.iter().map(|phase| phase.iter().max().expect("three")).sum();
        // `create` has two tasks of the first thread before its first phase.
        assert_eq!(tasks.graph.len(), 2 + 3 * 4 + 3);
        assert_eq!(edges(&tasks.graph)[&Link::Barrier], 4 * 3 * 2);
        assert_eq!(tasks.by_instructions.span, longest + 1);
        assert_eq!(tasks.by_instructions.work, sum + 3);
        let barriers = tasks.imbalance.barriers();
        assert_eq!((barriers.len(), barriers[0].1.episodes), (1, 4));
        assert_eq!(barriers[0].1.lost, 3 * longest - sum);
        let worst = tasks.imbalance.worst();
        let lost: Vec<_> =
            worst.iter().map(|of| (of.lost, of.number, of.last_thread.0, of.members)).collect();
        assert_eq!(lost, [(57, 3, 2, 3), (14, 0, 1, 3), (7, 2, 0, 3), (0, 1, 2, 3)]);
    }
}

/// The first thread produces items and the second takes them. It wakes spuriously `spurious` times.
fn pipeline(n: u64, spurious: u64) -> Scene {
    let (mutex, condition) = (0x10, 0x20);
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    for _ in 0..n {
        scene.event(1, Lock, mutex, 0);
        scene.enter(1, WaitCondition, condition, mutex);
        for _ in 0..spurious {
            scene.leave(1, 0, 0);
            scene.enter(1, WaitCondition, condition, mutex);
        }
        scene.work(0, 10);
        scene.event(0, Lock, mutex, 0);
        scene.event(0, Signal, condition, 0);
        scene.event(0, Unlock, mutex, 0);
        scene.leave(1, 0, scene.now[0]);
        scene.event(1, Unlock, mutex, 0);
        scene.work(1, 3);
    }
    scene.end(1);
    scene.join(0, 1);
    scene.work(0, 1);
    scene
}

#[test]
fn a_pipeline_has_an_edge_for_each_thing() {
    for (n, spurious) in [(1, 0), (5, 0), (5, 2)] {
        let tasks = pipeline(n, spurious).tasks();
        let found = edges(&tasks.graph);
        assert_eq!(found[&Link::Condition] as u64, n, "not for spurious wake-ups");
        // The mutex: from the consumer's wait to the producer, and from the producer to that wait.
        assert_eq!(found[&Link::Lock] as u64, 2 * n);
        let (work, longest) = spans(&tasks);
        assert_eq!(work, 13 * n + 1);
        // Only the last consumption follows the last production.
        assert_eq!(longest, 10 * n + 3 + 1);
    }
}

#[test]
fn one_signal_wakes_one_and_a_broadcast_all() {
    for (operation, woken) in [(Signal, 1), (Broadcast, 2)] {
        let mut scene = Scene::new(3);
        scene.create(0, 1);
        scene.create(0, 2);
        // No thread is waiting yet.
        scene.event(0, operation, 0x20, 0);
        for thread in [1, 2] {
            scene.event(thread, Lock, 0x10, 0);
            scene.enter(thread, WaitCondition, 0x20, 0x10);
        }
        scene.event(0, operation, 0x20, 0);
        for thread in [1, 2] {
            scene.leave(thread, 0, 0);
            scene.event(thread, Unlock, 0x10, 0);
        }
        assert_eq!(edges(&scene.tasks().graph)[&Link::Condition], woken);
    }
    // A wait that timed out was not signalled.
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(1, Lock, 0x10, 0);
    scene.enter(1, WaitCondition, 0x20, 0x10);
    scene.event(0, Signal, 0x20, 0);
    scene.leave(1, 110, 50);
    scene.work(1, 1);
    assert_eq!(edges(&scene.tasks().graph).get(&Link::Condition), None);
}

#[test]
fn readers_wait_for_writers_only() {
    let lock = 0x30;
    let mut scene = Scene::new(4);
    (1..4).for_each(|thread| scene.create(0, thread));
    let mut hold = |thread: usize, of: Operation| {
        scene.event(thread, of, lock, 0);
        scene.work(thread, 2);
        scene.event(thread, Unlock, lock, 0);
    };
    hold(0, Lock);
    (1..4).for_each(|thread| hold(thread, LockShared));
    hold(2, LockShared);
    // A writer waits for the last unlock of each reader.
    hold(0, Lock);
    hold(1, Lock);
    hold(1, LockShared);
    hold(0, Lock);
    assert_eq!(edges(&scene.tasks().graph)[&Link::Lock], 4 + 3 + 1 + 1);
}

#[test]
fn waits_for_locks_tell_who_had_them() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, Lock, 0x10, 0);
    scene.work(1, 2);
    scene.enter(1, Lock, 0x10, 0);
    scene.work(0, 30);
    scene.event(0, Unlock, 0x10, 0);
    scene.leave(1, 0, 30);
    scene.event(1, Unlock, 0x10, 0);
    scene.work(0, 5);
    // The lock is free by now.
    scene.event(0, Lock, 0x10, 0);
    scene.enter(1, Lock, 0x10, 0);
    scene.leave(1, 16, 0);
    let tasks = scene.tasks();
    let (object, lock) = tasks.contention.locks()[0];
    assert_eq!((object, lock.taken, lock.failed), (0x10, 3, 1));
    assert_eq!((lock.waited, lock.wait, lock.held), (1, 28, 30));
    let longest = tasks.contention.longest();
    assert_eq!(longest.len(), 1);
    assert_eq!((longest[0].thread.0, longest[0].holder.0, longest[0].wait), (1, 0, 28));
}

#[test]
fn semaphores_and_what_is_done_once() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, Post, 0x40, 0);
    scene.event(0, Post, 0x40, 0);
    (0..3).for_each(|_| scene.event(1, Take, 0x40, 0));
    scene.event(0, Take, 0x40, 0);
    scene.event(0, Once, 0x50, 0);
    scene.enter(1, Once, 0x50, once::DONE);
    scene.leave(1, 0, 0);
    scene.work(0, 1);
    scene.work(1, 1);
    let edges = edges(&scene.tasks().graph);
    assert_eq!((edges[&Link::Semaphore], edges[&Link::Once]), (3, 1));
}

#[test]
fn what_is_done_once_may_be_done_by_whoever_came_meanwhile() {
    let mut scene = Scene::new(3);
    scene.create(0, 1);
    scene.create(0, 2);
    // The second thread is faster, and the first one waits for it.
    scene.enter(0, Once, 0x50, 0);
    scene.enter(1, Once, 0x50, 0);
    scene.work(1, 10);
    scene.leave(1, 0, 0);
    scene.leave(0, 0, 10);
    // Whoever comes later waits for both, and has done nothing that others wait for.
    scene.event(2, Once, 0x50, once::DONE);
    scene.event(1, Once, 0x50, once::DONE);
    (0..3).for_each(|thread| scene.work(thread, 1));
    let graph = scene.tasks().graph;
    let ends = |link: &(Link, TaskId), to: TaskId| {
        (link.0 == Link::Once).then(|| (graph.task(link.1).thread.0, graph.task(to).thread.0))
    };
    let mut found: Vec<_> = graph
        .tasks()
        .flat_map(|(to, _)| graph.edges_to(to).filter_map(move |edge| ends(&edge, to)))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(0, 1), (0, 1), (0, 2), (1, 0), (1, 2)]);
}

#[test]
fn what_is_done_once_is_forgotten_where_another_object_takes_its_place() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    for _ in 0..100 {
        scene.event(0, Once, 0x50, 0);
    }
    // The object is new again, so that nobody else may have done it.
    scene.event(1, Once, 0x50, 0);
    scene.work(0, 1);
    scene.work(1, 1);
    assert_eq!(edges(&scene.tasks().graph).get(&Link::Once), None);
}

#[test]
fn what_failed_orders_nothing() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, Lock, 0x10, 0);
    scene.event(0, Unlock, 0x10, 0);
    scene.enter(1, Lock, 0x10, 0);
    scene.leave(1, 16, 0);
    scene.work(1, 1);
    assert_eq!(edges(&scene.tasks().graph).get(&Link::Lock), None);
}

/// Fibonacci numbers with tasks: of each two child tasks, the other thread runs the first one, if
/// there are two threads.
struct Fibonacci {
    scene: Scene,
    threads: usize,
    tasks: u64,
    /// The current task of each thread.
    current: [u64; 2],
}

impl Fibonacci {
    /// Returns the longest path to the end of the task.
    fn run(&mut self, thread: usize, task: u64, made: u64, n: u64) -> u64 {
        let before = std::mem::replace(&mut self.current[thread], task);
        self.scene.event(thread, TaskSwitch, task, before);
        let mut longest = made + n;
        self.scene.work(thread, n);
        if n >= 2 {
            let (first, second) = (self.tasks + 1, self.tasks + 2);
            self.tasks += 2;
            self.scene.event(thread, TaskCreate, first, task);
            self.scene.event(thread, TaskCreate, second, task);
            let other = if self.threads > 1 { 1 - thread } else { thread };
            let first = self.run(other, first, longest, n - 1);
            let second = self.run(thread, second, longest, n - 2);
            self.scene.event(thread, TaskWait, task, 0);
            longest = first.max(second);
        }
        self.scene.event(thread, TaskEnd, before, task);
        self.current[thread] = before;
        longest
    }
}

#[test]
fn tasks_of_openmp_wait_for_tasks() {
    for n in 2..9 {
        let mut scene = Scene::new(2);
        scene.create(0, 1);
        scene.event(0, ParallelBegin, 77, 2);
        (0..2).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
        let mut fibonacci = Fibonacci { scene, threads: 2, tasks: 3, current: [1, 2] };
        fibonacci.scene.event(0, TaskCreate, 3, 1);
        let longest = fibonacci.run(0, 3, 0, n);
        let calls = fibonacci.tasks - 2;
        let inner = (calls - 1) / 2;
        let mut scene = fibonacci.scene;
        (0..2).for_each(|thread| scene.event(thread, MemberEnd, 77, 0));
        scene.event(0, ParallelEnd, 77, 0);
        scene.work(0, 1);
        let tasks = scene.tasks();
        let found = edges(&tasks.graph);
        // One edge to the first task of each two, and one from its end.
        assert_eq!(found[&Link::Task] as u64, 2 * inner, "{n}");
        assert_eq!(found[&Link::Parallel], 2);
        // Each task begins and ends, an inner one creates two and waits.
        let of_tasks = 1 + 2 * calls + 3 * inner;
        // A thread is created, which is idle. The region and the first thread's part begin, both
        // parts end, and the first thread continues.
        assert_eq!(tasks.graph.len() as u64, of_tasks + 1 + 1 + 3 + 1, "{n}");
        assert_eq!(tasks.by_instructions.span, longest + 1);
    }
}

#[test]
fn tasks_of_openmp_depend_on_tasks_and_groups_have_all() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, TaskCreate, 10, 1);
    scene.event(0, TaskCreate, 11, 1);
    scene.event(0, TaskOut, 10, 0x70);
    scene.event(0, TaskIn, 11, 0x70);
    scene.event(1, TaskSwitch, 10, 2);
    scene.event(1, TaskCreate, 12, 10);
    scene.event(1, TaskEnd, 2, 10);
    scene.event(0, TaskSwitch, 11, 1);
    scene.event(0, TaskEnd, 1, 11);
    scene.event(0, TaskWait, 1, 0);
    scene.event(1, TaskSwitch, 12, 2);
    scene.event(1, TaskEnd, 2, 12);
    scene.event(0, TaskGroup, 1, 0);
    scene.work(0, 1);
    let found = edges(&scene.tasks().graph);
    // Task 10 begins, and its end is waited for; task 12 is the grandchild that only the group
    // waits for.
    assert_eq!((found[&Link::Dependence], found[&Link::Task]), (1, 3));
}

/// Two threads. The second one has just finished task 10, which the first one created.
fn finished(mut describe: impl FnMut(&mut Scene)) -> Scene {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, TaskCreate, 10, 1);
    describe(&mut scene);
    scene.event(1, TaskSwitch, 10, 2);
    scene.work(1, 5);
    scene.event(1, TaskEnd, 2, 10);
    scene
}

#[test]
fn tasks_of_openmp_depend_on_finished_tasks() {
    let mut scene = finished(|scene| scene.event(0, TaskOut, 10, 0x70));
    scene.event(0, TaskCreate, 11, 1);
    scene.event(0, TaskIn, 11, 0x70);
    scene.event(0, TaskSwitch, 11, 1);
    scene.work(0, 1);
    let tasks = scene.tasks();
    assert_eq!(edges(&tasks.graph)[&Link::Dependence], 1);
    assert_eq!(tasks.by_instructions.span, 6);
    // A construct that only waits for a task is a task that never begins.
    let mut scene = finished(|scene| scene.event(0, TaskOut, 10, 0x70));
    scene.event(0, TaskCreate, 11, 1);
    scene.event(0, TaskIn, 11, 0x70);
    scene.event(0, TaskEnd, 0, 11);
    scene.work(0, 1);
    let tasks = scene.tasks();
    assert_eq!(edges(&tasks.graph)[&Link::Dependence], 1);
    assert_eq!(tasks.by_instructions.span, 6);
}

#[test]
fn one_task_of_a_set_runs_at_a_time() {
    for (access, locks) in [(TaskInOutSet, 0), (TaskMutexInOutSet, 1)] {
        let mut scene = finished(|scene| scene.event(0, access, 10, 0x70));
        scene.event(0, TaskCreate, 11, 1);
        scene.event(0, access, 11, 0x70);
        scene.event(0, TaskSwitch, 11, 1);
        scene.work(0, 1);
        let found = edges(&scene.tasks().graph);
        assert!(!found.contains_key(&Link::Dependence));
        assert_eq!(found.get(&Link::Lock).copied().unwrap_or_default(), locks);
    }
}

#[test]
fn a_barrier_of_openmp_ends_with_the_tasks_that_run_in_it() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, TaskCreate, 10, 1);
    (0..2).for_each(|thread| scene.enter(thread, Barrier, 0x90, 2));
    scene.event(1, TaskSwitch, 10, 2);
    scene.work(1, 5);
    scene.event(1, TaskEnd, 2, 10);
    let end = scene.now[1];
    (0..2).for_each(|thread| scene.leave(thread, 0, end));
    scene.work(0, 1);
    let tasks = scene.tasks();
    // Task 10 begins, and its end is waited for.
    assert_eq!(edges(&tasks.graph)[&Link::Task], 2);
    assert_eq!(tasks.by_instructions.span, 6);
}

#[test]
fn waiting_at_the_end_of_a_region_is_no_work() {
    let mut scene = Scene::new(3);
    (1..3).for_each(|thread| scene.create(0, thread));
    // The place where the regions begin.
    scene.work(0, 0);
    for turn in 1..=4 {
        scene.event(0, ParallelBegin, turn, 3);
        let start = scene.now[0];
        for (thread, work) in [(0, 10), (1, 50), (2, 20)] {
            scene.now[thread] = start;
            scene.event(thread, MemberBegin, turn, thread as u64);
            scene.work(thread, work);
            scene.event(thread, MemberEnd, turn, thread as u64);
        }
        scene.enter(0, ParallelEnd, turn, 0);
        scene.leave(0, 0, scene.now[1]);
        // The others wait for the next region meanwhile.
        scene.work(0, 100);
    }
    let tasks = scene.tasks();
    let by_time = tasks.by_time.clone();
    assert_eq!((by_time.work, by_time.span), (4 * 180, 4 * 150));
    assert_eq!(by_time, tasks.by_instructions);
    let levels = Parallelism::of(&tasks.graph, 1).levels;
    assert_eq!(levels, [0, 4 * 130, 4 * 10, 4 * 10]);
    let region = tasks.imbalance.barriers();
    assert_eq!((region.len(), region[0].1.episodes, region[0].1.lost), (1, 4, 4 * (40 + 30)));
    assert_eq!(region[0].1.last[&ThreadId(1)], 4);
}

#[test]
fn waiting_for_tasks_and_at_barriers_is_no_work() {
    for (wait, object) in [(Barrier, 0x90), (TaskWait, 1), (TaskGroup, 1)] {
        let mut scene = Scene::new(2);
        scene.create(0, 1);
        scene.event(0, ParallelBegin, 77, 2);
        (0..2).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
        scene.work(0, 5);
        // A group waits for what is created in it.
        if wait == TaskGroup {
            scene.enter(0, wait, object, 2);
        }
        (10..12).for_each(|task| scene.event(0, TaskCreate, task, 1));
        if wait != TaskGroup {
            scene.enter(0, wait, object, 2);
        }
        // It finds a task after a while, and then none for a while.
        scene.now[0] += 40;
        scene.event(0, TaskSwitch, 10, 1);
        scene.work(0, 30);
        scene.event(0, TaskEnd, 1, 10);
        scene.event(1, TaskSwitch, 11, 2);
        scene.work(1, 100);
        scene.event(1, TaskEnd, 2, 11);
        if wait == Barrier {
            scene.event(1, Barrier, object, 2);
        }
        scene.leave(0, 0, 100);
        scene.work(0, 1);
        let tasks = scene.tasks();
        let by_time = tasks.by_time.clone();
        assert_eq!((by_time.work, by_time.span), (5 + 30 + 100 + 1, 106), "{wait:?}");
    }
}

#[test]
fn a_thread_of_a_pool_waits_for_its_first_region() {
    let mut scene = Scene::new(3);
    (1..3).for_each(|thread| scene.create(0, thread));
    // The second thread is one of the program's own.
    scene.work(0, 20);
    scene.event(0, ParallelBegin, 77, 2);
    scene.now[1] += 1000;
    (0..2).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
    (0..2).for_each(|thread| scene.work(thread, 5));
    (0..2).for_each(|thread| scene.event(thread, MemberEnd, 77, thread as u64));
    scene.now[2] += 300;
    scene.event(2, Lock, 0x70, 0);
    scene.event(2, Unlock, 0x70, 0);
    scene.work(2, 1);
    let tasks = scene.tasks();
    assert_eq!(tasks.by_instructions.work, 20 + 2 * 5 + 1);
    assert_eq!((tasks.by_time.work, tasks.by_time.span), (20 + 2 * 5 + 301, 301));
}

#[test]
fn waiting_for_a_lock_is_no_work_however_it_waits() {
    for threads in [1, 2, 4, 8] {
        let mut scene = Scene::new(threads);
        (1..threads).for_each(|thread| scene.create(0, thread));
        (0..threads).for_each(|thread| scene.work(thread, 3));
        // All of them spin. Each has the lock for a while, one behind the other.
        (0..threads).for_each(|thread| scene.enter(thread, Lock, 0x70, 0));
        for thread in 0..threads {
            scene.leave(thread, 0, 3 + 10 * thread as u64);
            scene.work(thread, 10);
            scene.event(thread, Unlock, 0x70, 0);
        }
        let tasks = scene.tasks();
        let n = threads as u64;
        let spans = [&tasks.by_time, &tasks.by_instructions];
        assert_eq!(spans.map(|of| (of.work, of.span)), [(13 * n, 3 + 10 * n); 2], "{threads}");
        let levels = Parallelism::of(&tasks.graph, 1).levels;
        assert_eq!(
            (levels[1], levels.iter().sum()),
            (if n == 1 { 13 } else { 10 * n }, 3 + 10 * n)
        );
        // Thread k waits for k turns.
        let locks = tasks.contention.locks();
        assert_eq!((locks.len(), locks[0].1.wait), (1, 10 * n * (n - 1) / 2), "{threads}");
    }
}

#[test]
fn a_thread_that_runs_no_traced_code_does_no_work() {
    let mut scene = Scene::new(3);
    (1..3).for_each(|thread| scene.create(0, thread));
    // Both belong to a library. One of them calls traced code, in the end.
    for thread in 1..3 {
        for _ in 0..10 {
            scene.now[thread] += 1000;
            scene.event(thread, Lock, 0x70, 0);
            scene.event(thread, Unlock, 0x70, 0);
        }
    }
    scene.work(0, 20);
    scene.work(1, 5);
    let tasks = scene.tasks();
    assert_eq!((tasks.by_instructions.work, tasks.by_instructions.span), (25, 20));
    assert_eq!((tasks.by_time.work, tasks.by_time.span), (20 + 10_000 + 5, 10_005));
    let levels = Parallelism::of(&tasks.graph, 1).levels;
    assert_eq!(levels, [0, 10_005 - 20, 20]);
}

#[test]
fn waiting_for_a_message_is_no_work() {
    let mut scene = Scene::new(1);
    for turn in 1..=5 {
        scene.work(0, 7);
        scene.enter(0, Message, 3, 0);
        scene.leave(0, 0, scene.now[0] + 1000 * turn);
    }
    scene.work(0, 1);
    // It asks for messages all the time, with a lock.
    scene.enter(0, Message, 3, 0);
    for _ in 0..5 {
        scene.now[0] += 100;
        scene.event(0, Lock, 0x70, 0);
        scene.event(0, Unlock, 0x70, 0);
    }
    scene.leave(0, 0, scene.now[0] + 100);
    scene.work(0, 1);
    let tasks = scene.tasks();
    let spans = [&tasks.by_time, &tasks.by_instructions];
    assert_eq!(spans.map(|of| (of.work, of.span)), [(5 * 7 + 2, 5 * 7 + 2); 2]);
    assert_eq!(Parallelism::of(&tasks.graph, 1).levels, [15_600, 37]);
    let locks = tasks.contention.locks();
    assert_eq!((locks[0].1.taken, locks[0].1.held), (5, 0));
}

#[test]
fn calls_inside_a_call_of_mpi_leave_it_waiting() {
    let mut scene = Scene::new(1);
    scene.work(0, 7);
    scene.enter(0, Message, 3, 0);
    scene.now[0] += 1000;
    // A function that the library calls sends something, at once.
    scene.work(0, 2);
    scene.event(0, Message, 4, 0);
    for _ in 0..5 {
        scene.now[0] += 100;
        scene.event(0, Lock, 0x70, 0);
        scene.event(0, Unlock, 0x70, 0);
    }
    scene.work(0, 2);
    scene.leave(0, 0, scene.now[0] + 100);
    scene.work(0, 1);
    let tasks = scene.tasks();
    assert_eq!(tasks.by_instructions.work, 7 + 2 + 2 + 1);
    // When the first function began is unknown, and so is when the last one did.
    assert_eq!(tasks.by_time.work, 7 + 1002 + 1);
}

#[test]
fn the_span_is_the_same_whichever_thread_runs_a_task() {
    for threads in [1, 2, 4] {
        let mut scene = Scene::new(threads);
        (1..threads).for_each(|thread| scene.create(0, thread));
        scene.work(0, 5);
        scene.event(0, ParallelBegin, 77, threads as u64);
        (0..threads).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
        (0..64).for_each(|task| scene.event(0, TaskCreate, 100 + task, 1));
        for task in 0..64 {
            let thread = task as usize % threads;
            let own = 1 + thread as u64;
            scene.event(thread, TaskSwitch, 100 + task, own);
            scene.work(thread, 10);
            scene.event(thread, TaskEnd, own, 100 + task);
        }
        (0..threads).for_each(|thread| scene.event(thread, MemberEnd, 77, 0));
        scene.event(0, ParallelEnd, 77, 0);
        scene.work(0, 1);
        let tasks = scene.tasks();
        let spans = [&tasks.by_time, &tasks.by_instructions];
        assert_eq!(spans.map(|of| (of.work, of.span)), [(5 + 640 + 1, 5 + 10 + 1); 2], "{threads}");
    }
}

#[test]
fn the_span_has_one_iteration_of_a_loop() {
    for threads in [1, 2, 4] {
        let mut scene = Scene::new(threads);
        (1..threads).for_each(|thread| scene.create(0, thread));
        scene.event(0, ParallelBegin, 77, threads as u64);
        (0..threads).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
        for thread in 0..threads {
            scene.work(thread, 3);
            scene.event(thread, WorkBegin, Work::Static as u64, 80);
            scene.work(thread, 800 / threads as u64);
            scene.event(thread, WorkEnd, Work::Static as u64, 0);
            scene.event(thread, MemberEnd, 77, 0);
        }
        scene.event(0, ParallelEnd, 77, 0);
        let tasks = scene.tasks();
        assert_eq!(tasks.by_instructions.work, 800 + 3 * threads as u64);
        assert_eq!(tasks.by_instructions.span, 10, "each iteration has 10, what is before is not");
    }
}

#[test]
fn a_tree_of_reductions_is_ordered() {
    // At the end of a region, and at a barrier in it.
    for (object, region) in [(0, 7), (0x90, 0)] {
        let mut scene = Scene::new(3);
        (1..3).for_each(|thread| scene.create(0, thread));
        scene.event(0, ParallelBegin, 7, 3);
        (0..3).for_each(|thread| scene.event(thread, MemberBegin, 7, thread as u64));
        let arrive = |scene: &mut Scene, thread| match object {
            0 => scene.event(thread, MemberEnd, 7, 0),
            _ => scene.enter(thread, Barrier, object, 3),
        };
        // The third one hands on to the second one, and that to the first one.
        for (thread, work) in [(2, 10), (1, 2), (0, 3)] {
            scene.work(thread, work);
            arrive(&mut scene, thread);
            if thread < 2 {
                scene.event(thread, ReduceBegin, object, region);
                scene.work(thread, 1);
                scene.event(thread, ReduceEnd, object, region);
            }
        }
        if object == 0 {
            scene.event(0, ParallelEnd, 7, 0);
        } else {
            (0..3).for_each(|thread| scene.leave(thread, 0, 0));
        }
        scene.work(0, 5);
        let tasks = scene.tasks();
        assert_eq!(tasks.by_instructions.span, 10 + 1 + 1 + 5, "{object}");
    }
}

#[test]
fn iterations_wait_for_iterations() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.work(1, 5);
    scene.event(1, OrderedSource, 3, 77);
    scene.event(0, OrderedSink, 4, 77);
    scene.event(0, OrderedSink, 3, 77);
    scene.work(0, 1);
    let tasks = scene.tasks();
    assert_eq!(edges(&tasks.graph)[&Link::Dependence], 1);
    assert_eq!(tasks.by_instructions.span, 6);
}

#[test]
fn a_region_of_openmp_ends_with_the_tasks_that_run_at_its_end() {
    let mut scene = Scene::new(2);
    scene.create(0, 1);
    scene.event(0, ParallelBegin, 77, 2);
    (0..2).for_each(|thread| scene.event(thread, MemberBegin, 77, thread as u64));
    scene.event(0, TaskCreate, 10, 1);
    (0..2).for_each(|thread| scene.event(thread, MemberEnd, 77, 0));
    scene.event(1, TaskSwitch, 10, 2);
    scene.work(1, 5);
    scene.event(1, TaskEnd, 2, 10);
    scene.event(0, ParallelEnd, 77, 0);
    scene.work(0, 1);
    let tasks = scene.tasks();
    let found = edges(&tasks.graph);
    // The task is created, and the region waits for it, as for the part of the other thread.
    assert_eq!((found[&Link::Parallel], found[&Link::Task]), (2, 2));
    assert_eq!(tasks.by_instructions.span, 6);
}
