//! What a trace tells of how threads and processes wait for each other: each operation once, in an
//! order that the program itself saw.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

/// Each of its operations does what it does a number of times that is known.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
enum { THREADS = 4, TURNS = 500 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_once_t control = PTHREAD_ONCE_INIT;
pthread_spinlock_t spin;
pthread_barrier_t barrier;
sem_t semaphore;
int order[THREADS * TURNS], turns, ready;
struct timespec past = {1, 0};
void check(int right) { if (!right) abort(); }
void initialise(void) { turns = 0; }
/* Thread by thread, whose turn it was: what the locks of the trace must say. */
void *takes_turns(void *number) {
  check(pthread_once(&control, initialise) == 0);
  for (int i = 0; i < TURNS; i++) {
    pthread_mutex_lock(&mutex);
    order[turns++] = (int)(long)number;
    pthread_mutex_unlock(&mutex);
  }
  int result = pthread_barrier_wait(&barrier);
  check(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  return number;
}
void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  check(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  sem_wait(&semaphore);
  pthread_exit(unused);
}
void clean(void *cleaned) { *(int *)cleaned = 1; }
void *is_cancelled(void *cleaned) {
  pthread_cleanup_push(clean, cleaned);
  sem_t never;
  sem_init(&never, 0, 0);
  sem_wait(&never);
  pthread_cleanup_pop(0);
  return 0;
}
int c11(void *unused) { return unused != 0; }
void *nothing(void *unused) { return unused; }
int tasks(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}
int main(int count, char **words) {
  const char *word = words[1];
  if (!strcmp(word, "turns")) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
      check(pthread_create(threads + i, 0, takes_turns, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++) {
      void *result;
      check(pthread_join(threads[i], &result) == 0 && (long)result == i);
    }
    for (int i = 0; i < THREADS * TURNS; i++) printf("%d\n", order[i]);
  }
  if (!strcmp(word, "waits")) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    check(pthread_create(&thread, 0, waits, 0) == 0);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_cond_broadcast(&condition);
    check(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    errno = 7;
    check(sem_post(&semaphore) == 0 && errno == 7);
    check(pthread_join(thread, 0) == 0);
    check(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    check(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
  }
  if (!strcmp(word, "locks")) {
    pthread_spin_init(&spin, 0);
    check(!pthread_spin_lock(&spin) && pthread_spin_trylock(&spin) == EBUSY && !pthread_spin_unlock(&spin));
    check(!pthread_rwlock_rdlock(&lock) && !pthread_rwlock_tryrdlock(&lock));
    check(pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    check(!pthread_rwlock_unlock(&lock) && !pthread_rwlock_unlock(&lock));
    check(!pthread_rwlock_wrlock(&lock) && pthread_rwlock_timedrdlock(&lock, &past) == EDEADLK);
    check(!pthread_rwlock_unlock(&lock));
    mtx_t own;
    check(mtx_init(&own, mtx_timed) == thrd_success && mtx_lock(&own) == thrd_success);
    check(mtx_trylock(&own) == thrd_busy && mtx_timedlock(&own, &past) == thrd_timedout);
    check(mtx_unlock(&own) == thrd_success);
    thrd_t thread;
    int result;
    check(thrd_create(&thread, c11, &result) == thrd_success);
    check(thrd_join(thread, &result) == thrd_success && result == 1);
    pthread_t detached;
    check(!pthread_create(&detached, 0, nothing, 0) && !pthread_detach(detached));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    check(pthread_create(&detached, &attributes, nothing, 0) == EAGAIN);
    // The detached thread has ended when it is gone.
    while (tasks() > 1) sched_yield();
  }
  if (!strcmp(word, "cancel")) {
    pthread_t thread;
    int cleaned = 0;
    void *result;
    check(!pthread_create(&thread, 0, is_cancelled, &cleaned));
    check(!pthread_cancel(thread) && !pthread_join(thread, &result));
    check(result == PTHREAD_CANCELED);
    printf("%s\n", cleaned ? "cleaned" : "cancelled before it began");
  }
  if (!strcmp(word, "processes")) {
    pid_t child = fork();
    check(child >= 0);
    if (child == 0) _exit(5);
    int status;
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
    check(wait(&status) == -1 && errno == ECHILD);
    pid_t other = fork();
    if (other == 0) _exit(6);
    siginfo_t info;
    check(waitid(P_PID, other, &info, WEXITED) == 0 && info.si_pid == other);
    printf("%d %d\n", child, other);
  }
  if (!strcmp(word, "kill")) {
    for (int i = 0; i < 1000; i++) { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
    raise(SIGKILL);
  }
  if (!strcmp(word, "many")) {
    for (int i = 0; i < 1000; i++) {
      pthread_t thread;
      check(!pthread_create(&thread, 0, nothing, 0) && !pthread_join(thread, 0));
    }
  }
  return 0;
}
"#;

/// What libraries do that were not compiled with pathcc: libstdc++ waits and starts threads.
const CPP: &str = r"
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
std::mutex mutex;
std::condition_variable condition;
bool ready;
int main() {
  std::thread other([] {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [] { return ready; });
  });
  {
    std::lock_guard<std::mutex> guard(mutex);
    ready = true;
  }
  condition.notify_one();
  other.join();
  std::once_flag flag;
  int thrown = 0;
  for (int i = 0; i < 2; i++)
    try {
      std::call_once(flag, [&] { if (!thrown++) throw std::runtime_error(`again`); });
    } catch (const std::runtime_error &) {
    }
  return thrown - 2;
}
";

/// A folder with the program, traced and plain.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    shell(
        folder.path(),
        "pathcc -g -O1 -pthread -fpath-mode=trace prog.c -o prog
         clang-22 -g -O1 -pthread prog.c -o plain",
    );
    folder
}

/// An operation that a trace tells.
#[derive(Clone, Debug)]
struct Told {
    stream: u64,
    operation: String,
    object: u64,
    other: u64,
    result: u64,
    before: Option<u64>,
    after: Option<u64>,
    times: (u64, u64),
}

/// The operations of the traces in a folder, each trace by itself; the traces are taken away.
fn operations(folder: &Path) -> Vec<Vec<Told>> {
    let names = shell(folder, "ls -tr *.pathtrace");
    let of = |name: &str| {
        let text =
            shell(folder, &format!("pathprof trace cat --format json '{name}' && rm '{name}'"));
        let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let told = entries.filter(|entry| entry["event"] == "synchronised").map(|entry| {
            let number = |key: &str| entry[key].as_u64().expect("a number");
            Told {
                stream: number("stream"),
                operation: entry["operation"].as_str().expect("it is known").to_owned(),
                object: number("object"),
                other: number("other"),
                result: number("result"),
                before: entry["before"].as_u64(),
                after: entry["after"].as_u64(),
                times: (number("begin"), number("end")),
            }
        });
        told.collect::<Vec<_>>()
    };
    names.lines().map(of).collect()
}

/// What one process did.
fn only(folder: &Path) -> Vec<Told> {
    let mut all = operations(folder);
    assert_eq!(all.len(), 1);
    let told = all.remove(0);
    let tickets: Vec<u64> =
        told.iter().flat_map(|told| told.before.into_iter().chain(told.after)).collect();
    let different: BTreeSet<u64> = tickets.iter().copied().collect();
    assert_eq!(tickets.len(), different.len(), "no ticket is taken twice");
    assert!(told.iter().all(|told| told.times.0 <= told.times.1), "nothing ends before it begins");
    told
}

/// How often each operation succeeded, and how often it failed and with what.
fn counts(told: &[Told]) -> BTreeMap<(&str, u64), usize> {
    let mut counts = BTreeMap::new();
    for told in told {
        *counts.entry((told.operation.as_str(), told.result)).or_default() += 1;
    }
    counts
}

fn run(folder: &Path, word: &str) -> String {
    let of = |program: &str| shell(folder, &format!("./{program} {word} 2>&1 || echo $?"));
    of("plain");
    of("prog")
}

#[test]
fn locks_are_told_in_the_order_that_the_program_saw() {
    let folder = scene();
    let printed = run(folder.path(), "turns");
    let order: Vec<u64> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    let told = only(folder.path());
    let expected = BTreeMap::from([
        (("create", 0), 4),
        (("begin", 0), 4),
        (("once", 0), 4),
        (("lock", 0), 2000),
        (("unlock", 0), 2000),
        (("barrier", 0), 4),
        (("end", 0), 4),
        (("join", 0), 4),
    ]);
    assert_eq!(counts(&told), expected);
    let of = |operation: &str| {
        let chosen = told.iter().filter(move |told| told.operation == operation);
        chosen.cloned().collect::<Vec<_>>()
    };
    // Thread i has the number i + 1: they are created in their order.
    let number: BTreeMap<u64, u64> =
        of("begin").iter().map(|begin| (begin.stream, begin.object - 1)).collect();
    let mut locks = of("lock");
    locks.sort_by_key(|lock| lock.after);
    assert_eq!(locks.iter().map(|lock| number[&lock.stream]).collect::<Vec<_>>(), order);
    // Each lock is taken after it was given back, by the thread that had taken it.
    let mut unlocks = of("unlock");
    unlocks.sort_by_key(|unlock| unlock.before);
    for (turn, (lock, unlock)) in locks.iter().zip(&unlocks).enumerate() {
        assert_eq!((lock.stream, lock.object), (unlock.stream, unlock.object));
        assert!(lock.after < unlock.before && (turn == 0 || unlocks[turn - 1].before < lock.after));
    }
    for begin in of("begin") {
        let creates = of("create");
        let create = creates.iter().find(|create| create.object == begin.object).expect("created");
        assert!(create.before < begin.after && create.other == begin.other);
        let (end, join) = (of("end"), of("join"));
        let end = end.iter().find(|end| end.object == begin.object).expect("it ended");
        let join = join.iter().find(|join| join.other == begin.other).expect("it was waited for");
        assert!(end.before < join.after && end.times.0 <= join.times.1);
    }
    let barriers = of("barrier");
    let last = barriers.iter().filter_map(|barrier| barrier.before).max();
    assert!(barriers.iter().all(|barrier| barrier.after > last), "nobody goes on before all came");
}

#[test]
fn every_operation_is_told_once() {
    let folder = scene();
    let check = |word: &str, expected: &[(&str, u64, usize)]| {
        assert_eq!(run(folder.path(), word), "", "{word}");
        let expected: BTreeMap<_, _> = expected
            .iter()
            .map(|&(operation, result, count)| ((operation, result), count))
            .collect();
        let told = only(folder.path());
        assert_eq!(counts(&told), expected, "{word}");
        told
    };
    let told = check(
        "locks",
        &[
            // A spin lock, a read-write lock for writing, a mutex of C11; those that were taken.
            ("lock", 0, 3),
            ("lock", 1, 1),
            ("lock", 4, 1),
            ("lock", 16, 2),
            ("lock", 110, 1),
            ("lock_shared", 0, 2),
            ("lock_shared", 35, 1),
            ("unlock", 0, 5),
            ("create", 0, 2),
            ("create", 11, 1),
            ("begin", 0, 2),
            ("end", 0, 2),
            ("join", 0, 1),
            ("detach", 0, 1),
        ],
    );
    assert!(told.iter().all(|told| told.result == 0 || told.after.is_none()));
    check("many", &[("create", 0, 1000), ("begin", 0, 1000), ("end", 0, 1000), ("join", 0, 1000)]);
    run(folder.path(), "waits");
    let told = only(folder.path());
    let mut counted = counts(&told);
    // How often a thread waits for a condition is up to the scheduler.
    let waited = counted.remove(&("wait_condition", 0)).unwrap_or_default();
    assert!(waited <= 1, "waited {waited} times");
    // The unwinder of `pthread_exit` prepares itself once.
    counted.remove(&("once", 0));
    let expected = BTreeMap::from([
        (("create", 0), 1),
        (("begin", 0), 1),
        (("lock", 0), 2),
        (("lock", 16), 1),
        (("unlock", 0), 2),
        (("wait_condition", 110), 1),
        (("signal", 0), 1),
        (("broadcast", 0), 1),
        (("post", 0), 1),
        (("take", 0), 1),
        (("take", 11), 1),
        (("take", 110), 1),
        (("end", 0), 1),
        (("join", 0), 1),
    ]);
    assert_eq!(counted, expected);
    let timed_out =
        told.iter().find(|told| told.result == 110 && told.operation == "wait_condition");
    let timed_out = timed_out.expect("told");
    assert!(timed_out.after.is_some(), "the mutex was taken again");
    assert_ne!((timed_out.object, timed_out.other), (0, 0));
}

#[test]
fn a_cancelled_thread_runs_its_handlers() {
    let folder = scene();
    let printed = run(folder.path(), "cancel");
    assert!(["cleaned\n", "cancelled before it began\n"].contains(&printed.as_str()), "{printed}");
    let told = only(folder.path());
    assert_eq!(counts(&told)[&("join", 0)], 1);
}

#[test]
fn processes_are_told() {
    let folder = scene();
    let printed = run(folder.path(), "processes");
    let children: Vec<u64> =
        printed.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let traces = operations(folder.path());
    let parent = traces.iter().find(|told| told.iter().any(|told| told.operation == "fork"));
    let told = parent.expect("the parent's").iter().filter(|told| told.operation != "fork_child");
    let told: Vec<_> =
        told.map(|told| (told.operation.as_str(), told.object, told.result)).collect();
    let expected = [
        ("fork", children[0], 0),
        ("wait_process", children[0], 0),
        ("wait_process", 0, 10),
        ("fork", children[1], 0),
        ("wait_process", children[1], 0),
    ];
    assert_eq!(told, expected);
    let born: Vec<_> =
        traces.iter().flatten().filter(|told| told.operation == "fork_child").collect();
    assert_eq!(born.len(), 2);
}

#[test]
fn a_killed_process_tells_what_it_did() {
    let folder = scene();
    shell(folder.path(), "./prog kill 2>/dev/null || true");
    let told = only(folder.path());
    assert_eq!(counts(&told), BTreeMap::from([(("lock", 0), 1000), (("unlock", 0), 1000)]));
}

#[test]
fn libraries_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.cpp"), CPP.replace('`', "\"")).expect("writable");
    for options in ["-O0", "-O2"] {
        shell(
            folder.path(),
            &format!("pathc++ -g {options} -pthread -fpath-mode=trace prog.cpp -o prog && ./prog"),
        );
        let told = only(folder.path());
        let counted = counts(&told);
        let of = |operation| counted.get(&(operation, 0)).copied().unwrap_or_default();
        assert_eq!((of("create"), of("begin"), of("end"), of("join")), (1, 1, 1, 1));
        assert_eq!((of("lock"), of("unlock"), of("signal")), (2, 2, 1), "{counted:?}");
        assert!(of("wait_condition") <= 1);
    }
}

/// The second thread waits for the lock until the first one has slept for a while.
const WAITS_IN_CPP: &str = r#"
#include <atomic>
#include <mutex>
#include <thread>
#include <unistd.h>
std::mutex gate;
std::atomic<bool> begun;
int main() {
  std::unique_lock<std::mutex> held(gate);
  std::thread other([] {
    begun = true;
    std::lock_guard<std::mutex> waits(gate); // here
  });
  while (!begun) usleep(100);
  usleep(50000);
  held.unlock();
  other.join();
}
"#;

#[test]
fn a_lock_of_the_library_is_taken_in_the_users_line() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gate.cpp"), WAITS_IN_CPP).expect("writable");
    for options in ["-O0", "-O2"] {
        shell(
            folder.path(),
            &format!("pathc++ -g {options} -pthread -fpath-mode=trace gate.cpp -o gate"),
        );
        // The other thread may come too late.
        let told = (0..20).find_map(|_| {
            let csv = "./gate && pathprof trace graph --format csv *.pathtrace; rm *.pathtrace";
            let text = shell(folder.path(), csv);
            text.lines().find(|line| line.contains("gate.cpp:12")).map(str::to_owned)
        });
        assert!(told.is_some(), "no wait is in line 12 at {options}");
    }
}

/// The part of a text from the heading of a table to a blank line.
fn table<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    text.lines().skip_while(|line| *line != heading).take_while(|line| !line.is_empty()).collect()
}

/// The program of docs/internals/trial.md.
#[test]
fn an_unknown_program_shows_its_queue_and_its_shared_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("weblog.cpp"), include_str!("../trials/weblog.cpp")).expect("writable");
    shell(folder, "pathc++ -g -O2 -pthread -fpath-mode=trace weblog.cpp -o weblog");
    let is_shown = |_: &u32| {
        shell(folder, "rm -f *.pathtrace; ./weblog 4 20000");
        let graph = shell(folder, "pathprof trace graph weblog");
        let of = |table: &[&str], words: &[&str]| {
            table.iter().any(|line| words.iter().all(|word| line.contains(word)))
        };
        let [tasks, locked] = ["tasks", "locked functions"].map(|name| table(&graph, name));
        // Both were inlined in the thread's function.
        for place in ["Sessions::note weblog.cpp:59", "Source::take weblog.cpp:29"] {
            assert!(of(&tasks, &["lock", "(stack)", place]), "{place}\n{graph}");
        }
        let work =
            locked.iter().filter(|line| line.contains("(stack)  (anonymous namespace)::work"));
        let locks: BTreeSet<_> =
            work.map(|line| line.split_whitespace().find(|word| word.starts_with("0x"))).collect();
        assert_eq!(locks.len(), 2, "{graph}");
        let memory = shell(folder, "pathprof trace memory weblog");
        assert!(memory.contains("heap: (anonymous namespace)::Sessions::note weblog.cpp:60"));
        // One thread may have done all before another one began.
        table(&memory, "shared lines").get(3).is_some_and(|first| first.contains("::tallies"))
    };
    assert!((0..20).any(|round| is_shown(&round)));
}
