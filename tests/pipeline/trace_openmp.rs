//! What a trace tells of OpenMP: regions, tasks, waits and locks, each once, in an order that the
//! program itself saw.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

const PROGRAM: &str = r#"
#include <omp.h>
#include <stdio.h>
#include <string.h>
enum { THREADS = 4, TURNS = 300 };
int order[THREADS * TURNS], turns, sum;
omp_lock_t lock;
int main(int count, char **words) {
  const char *word = words[1];
  if (!strcmp(word, "turns")) {
    omp_init_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
      for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        order[turns++] = omp_get_thread_num();
      }
#pragma omp barrier
      omp_set_lock(&lock);
      sum++;
      omp_unset_lock(&lock);
    }
    for (int i = 0; i < THREADS * TURNS; i++) printf("%d\n", order[i]);
    return sum != THREADS;
  }
  if (!strcmp(word, "tasks")) {
    int first = 0, second = 0, gathered = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task depend(out: first) detach(event) shared(first)
      first = 1;
#pragma omp task depend(in: first) shared(first, second)
      second = first + 1;
      omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp taskgroup
      for (int i = 0; i < 10; i++) {
#pragma omp task shared(gathered)
#pragma omp atomic
        gathered++;
      }
    }
    printf("%d %d\n", second, gathered);
  }
  if (!strcmp(word, "regions")) {
    for (int i = 0; i < 50; i++) {
#pragma omp parallel num_threads(i % THREADS + 1)
#pragma omp atomic
      sum++;
    }
    printf("%d %d\n", sum, omp_control_tool(omp_control_tool_start, 0, 0));
  }
  return 0;
}
"#;

/// A folder with the program, traced and plain.
fn scene() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("prog.c"), PROGRAM).expect("writable");
    shell(
        folder.path(),
        "pathcc -g -O1 -fopenmp -fpath-mode=trace prog.c -o prog
         clang-22 -g -O1 -fopenmp prog.c -o plain",
    );
    folder
}

/// An operation that a trace tells.
#[derive(Clone, Debug)]
struct Told {
    stream: u64,
    object: u64,
    other: u64,
    before: Option<u64>,
    after: Option<u64>,
}

const LIBRARIES: &str = "export LD_LIBRARY_PATH=/usr/lib/llvm-22/lib";

/// Runs the program with a setting of its environment: what it printed, and by name what its trace
/// tells.
fn run(folder: &Path, set: &str, word: &str) -> (String, BTreeMap<String, Vec<Told>>) {
    let printed = shell(folder, &format!("{LIBRARIES}; {set} ./prog {word}"));
    let text = shell(folder, "pathprof trace cat --format json *.pathtrace && rm *.pathtrace");
    let mut told: BTreeMap<String, Vec<Told>> = BTreeMap::new();
    let mut tickets = Vec::new();
    for line in text.lines() {
        let entry: Value = serde_json::from_str(line).expect("JSON");
        if entry["event"] != "synchronised" {
            continue;
        }
        let number = |key: &str| entry[key].as_u64().expect("a number");
        let (before, after) = (entry["before"].as_u64(), entry["after"].as_u64());
        tickets.extend(before.into_iter().chain(after));
        assert!(number("begin") <= number("end"), "nothing ends before it begins");
        assert!(before.is_none() || after.is_none() || before < after);
        let operation = entry["operation"].as_str().expect("it is known").to_owned();
        let (stream, object, other) = (number("stream"), number("object"), number("other"));
        told.entry(operation).or_default().push(Told { stream, object, other, before, after });
    }
    let different: BTreeSet<u64> = tickets.iter().copied().collect();
    assert_eq!(tickets.len(), different.len(), "no ticket is taken twice");
    (printed, told)
}

/// Everybody begins behind the beginning of a region, and ends before its end.
fn check_regions(told: &BTreeMap<String, Vec<Told>>, sizes: &[usize]) {
    let (begins, ends) = (&told["parallel_begin"], &told["parallel_end"]);
    assert_eq!((begins.len(), ends.len()), (sizes.len(), sizes.len()));
    for ((begin, end), &size) in begins.iter().zip(ends).zip(sizes) {
        assert_eq!((begin.object, begin.other), (end.object, size as u64));
        let of = |name: &str| {
            let chosen = told[name].iter().filter(|told| told.object == begin.object);
            chosen.cloned().collect::<Vec<_>>()
        };
        let numbers = |members: &[Told]| {
            members.iter().map(|member| (member.other, member.stream)).collect::<BTreeSet<_>>()
        };
        let (member_begins, member_ends) = (of("member_begin"), of("member_end"));
        assert_eq!((member_begins.len(), member_ends.len()), (size, size));
        assert_eq!(numbers(&member_begins), numbers(&member_ends));
        assert_eq!(
            numbers(&member_begins).iter().map(|&(number, _)| number).collect::<Vec<_>>(),
            (0..size as u64).collect::<Vec<_>>()
        );
        assert!(member_begins.iter().all(|member| begin.before < member.after));
        assert!(member_ends.iter().all(|member| member.before < end.after));
    }
}

#[test]
fn every_member_of_every_region_is_told() {
    let folder = scene();
    let (printed, told) = run(folder.path(), "", "regions");
    let sizes: Vec<usize> = (0..50).map(|region| region % 4 + 1).collect();
    // No tool seems to be there.
    assert_eq!(printed.trim(), format!("{} -2", sizes.iter().sum::<usize>()));
    assert_eq!(printed, shell(folder.path(), &format!("{LIBRARIES}; ./plain regions")));
    check_regions(&told, &sizes);
}

#[test]
fn critical_sections_are_told_in_the_order_that_the_program_saw() {
    let folder = scene();
    // A thread that goes to sleep in a barrier takes a lock of the library's meanwhile. The barrier
    // is then told in two events.
    for set in ["KMP_BLOCKTIME=infinite", "KMP_BLOCKTIME=0"] {
        check_turns(&run(folder.path(), set, "turns"));
    }
}

fn check_turns((printed, told): &(String, BTreeMap<String, Vec<Told>>)) {
    let order: Vec<u64> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(order.len(), 1200);
    check_regions(told, &[4]);
    let number: BTreeMap<u64, u64> =
        told["member_begin"].iter().map(|begin| (begin.stream, begin.other)).collect();
    // The library has locks of its own, of POSIX.
    let mut names: BTreeMap<u64, usize> = BTreeMap::new();
    told["lock"].iter().for_each(|lock| *names.entry(lock.object).or_default() += 1);
    let critical = names.iter().find(|&(_, &count)| count == 1200).expect("the section");
    assert!(names.values().any(|&count| count == 4), "the lock is told, too");
    let of = |operation: &str| {
        let chosen = told[operation].iter().filter(|told| told.object == *critical.0);
        chosen.cloned().collect::<Vec<_>>()
    };
    let mut locks = of("lock");
    locks.sort_by_key(|lock| lock.after);
    assert_eq!(locks.iter().map(|lock| number[&lock.stream]).collect::<Vec<_>>(), order);
    let mut unlocks = of("unlock");
    assert!(unlocks.iter().all(|unlock| unlock.before.is_some()));
    unlocks.sort_by_key(|unlock| unlock.before);
    assert_eq!(unlocks.len(), locks.len());
    for (turn, (lock, unlock)) in locks.iter().zip(&unlocks).enumerate() {
        assert_eq!(lock.stream, unlock.stream);
        assert!(lock.after < unlock.before && (turn == 0 || unlocks[turn - 1].before < lock.after));
    }
    let barriers = &told["barrier"];
    let tickets = |of: fn(&Told) -> Option<u64>| barriers.iter().filter_map(of).collect::<Vec<_>>();
    let (arrived, left) = (tickets(|barrier| barrier.before), tickets(|barrier| barrier.after));
    assert_eq!((arrived.len(), left.len()), (4, 4));
    assert!(arrived.iter().max() < left.iter().min());
    assert!(barriers.iter().all(|barrier| barrier.other == 4));
}

#[test]
fn tasks_are_told_from_their_making_to_their_end() {
    let folder = scene();
    let (printed, told) = run(folder.path(), "", "tasks");
    assert_eq!(printed.trim(), "2 10");
    check_regions(&told, &[4]);
    let made = &told["task_create"];
    assert_eq!(made.len(), 12);
    let maker = made[0].other;
    assert!(made.iter().all(|task| task.other == maker), "one thread makes all of them");
    for task in made {
        let begun = told["task_switch"].iter().find(|begun| begun.object == task.object);
        let begun = begun.expect("it begins");
        let ended: Vec<&Told> =
            told["task_end"].iter().filter(|ended| ended.other == task.object).collect();
        assert_eq!(ended.len(), 1);
        assert!(task.before < begun.after && begun.after < ended[0].before);
    }
    let (written, read) = (&told["task_out"], &told["task_in"]);
    assert_eq!((written.len(), read.len()), (1, 1));
    assert_eq!((written[0].object, read[0].object), (made[0].object, made[1].object));
    assert_eq!(written[0].other, read[0].other, "it is the same variable");
    let ended = |task: u64| told["task_end"].iter().find(|ended| ended.other == task);
    let begun = told["task_switch"].iter().find(|begun| begun.object == made[1].object);
    let (first, second) = (ended(made[0].object).expect("ended"), begun.expect("begun"));
    assert!(first.before < second.after);
    // A wait in which other tasks ran has an event for its beginning and one for its end.
    let [wait, group] = ["task_wait", "task_group"]
        .map(|wait| told[wait].iter().filter(|told| told.after.is_some()).collect::<Vec<_>>());
    assert_eq!((wait.len(), group.len()), (1, 1));
    assert_eq!((wait[0].object, group[0].object), (maker, maker));
    for (place, task) in made.iter().enumerate() {
        let waits = if place < 2 { wait[0] } else { group[0] };
        assert!(ended(task.object).expect("ended").before < waits.after);
    }
}

#[test]
fn another_tool_goes_first() {
    let folder = scene();
    shell(
        folder.path(),
        r#"printf '%s\n' '#include <omp-tools.h>' '#include <stdio.h>' \
             'static int begin(ompt_function_lookup_t f, int d, ompt_data_t *t) { puts("tool"); return 1; }' \
             'static void end(ompt_data_t *t) {}' \
             'ompt_start_tool_result_t *ompt_start_tool(unsigned v, const char *s) {' \
             'static ompt_start_tool_result_t r = {begin, end, {0}}; return &r; }' > tool.c
           clang-22 -shared -fPIC tool.c -o tool.so"#,
    );
    for variable in ["OMP_TOOL_LIBRARIES", "LD_PRELOAD"] {
        let printed = |program: &str| {
            let set = format!("{LIBRARIES}; {variable}=$PWD/tool.so ./{program} regions");
            shell(folder.path(), &set)
        };
        assert!(printed("plain").starts_with("tool\n"));
        assert_eq!(printed("prog"), printed("plain"), "{variable}");
    }
}

/// The first thread alone works between two regions, in which threads wait for each other.
const WAITS: &str = r#"
#include <omp.h>
volatile double sums[4 * 8];
void work(int thread, long turns) {
  for (long i = 0; i < turns; i++) sums[thread * 8] += i;
}
int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(4)
    {
      work(omp_get_thread_num(), omp_get_thread_num() == 1 ? 300000 : 1000);
#pragma omp barrier
      work(omp_get_thread_num(), omp_get_thread_num() == 2 ? 300000 : 1000);
    }
    work(0, 300000);
  }
  return 0;
}
"#;

#[test]
fn a_thread_that_waits_has_no_task() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("waits.c"), WAITS).expect("writable");
    let text = shell(
        folder.path(),
        &format!(
            "pathcc -g -O1 -fopenmp -fpath-mode=trace waits.c -o waits
             {LIBRARIES}; KMP_BLOCKTIME=infinite ./waits
             pathprof trace graph --format json *.pathtrace"
        ),
    );
    let graph: Value = serde_json::from_str(&text).expect("JSON");
    let threads = graph["threads"].as_array().expect("threads").len() as u64;
    assert_eq!(threads, 4);
    // The first thread also makes the others.
    for thread in 1..threads {
        let tasks = graph["tasks"].as_array().expect("tasks").iter();
        let own: Vec<u64> = tasks
            .filter(|task| task[0] == thread)
            .map(|task| task[5].as_u64().expect("a number of paths"))
            .collect();
        // Two parts of each region.
        let paths = own.iter().filter(|&&paths| paths > 0).count();
        assert_eq!(paths, 6, "{own:?} of thread {thread}");
        // A thread begins, and so does its first part of a region.
        assert!(own.len() - paths <= 4, "{own:?} of thread {thread}");
    }
    let barriers = graph["barriers"].as_array().expect("barriers");
    let regions: Vec<&Value> = barriers.iter().filter(|of| of["object"].is_null()).collect();
    assert_eq!((regions.len(), &regions[0]["episodes"]), (1, &Value::from(3)));
    assert_eq!(regions[0]["region"]["line"], 9, "{}", regions[0]);
    let lost = |of: &Value| of["lost"].as_u64().expect("a time") > 0;
    assert!(barriers.len() >= 2 && barriers.iter().all(lost), "{barriers:?}");
}

/// Each way to wait, also for locks that spin.
const IDLE: &str = r#"
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
static pthread_spinlock_t spin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static omp_lock_t lock;
static volatile long sum;
static void work(void) {
  for (int i = 0; i < 1000; i++) sum += i;
  usleep(2000);
}
static void *other(void *unused) {
  pthread_mutex_lock(&mutex);
  work();
  pthread_mutex_unlock(&mutex);
  pthread_spin_lock(&spin);
  work();
  pthread_spin_unlock(&spin);
  return unused;
}
int main(void) {
  pthread_spin_init(&spin, 0);
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 1) work();
#pragma omp barrier
#pragma omp critical
    work();
    omp_set_lock(&lock);
    work();
    omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
    {
#pragma omp task
      work();
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp task
        work();
      }
    }
    if (omp_get_thread_num() == 2) work();
  }
  work();
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, other, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return 0;
}
"#;

#[test]
fn no_task_goes_on_while_its_thread_waits() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("idle.c"), IDLE).expect("writable");
    shell(folder, "pathcc -g -O1 -fopenmp -pthread -fpath-mode=trace idle.c -o idle");
    for time in ["infinite", "0"] {
        shell(folder, &format!("{LIBRARIES}; KMP_BLOCKTIME={time} ./idle"));
        let graph = shell(folder, "pathprof trace graph --format json *.pathtrace");
        let graph: Value = serde_json::from_str(&graph).expect("JSON");
        let events = shell(folder, "pathprof trace cat --format json *.pathtrace; rm *.pathtrace");
        let number = |of: &Value| of.as_u64().expect("a number");
        let threads = graph["threads"].as_array().expect("threads");
        let mut waits: BTreeMap<String, usize> = BTreeMap::new();
        for line in events.lines() {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let (begin, end) = (&event["begin"], &event["end"]);
            let orders = ["before", "after"].iter().any(|ticket| event[ticket].is_u64());
            if event["event"] != "synchronised" || !orders || begin == end {
                continue;
            }
            let thread = threads.iter().position(|of| of["thread"] == event["thread"]);
            let thread = thread.expect("a thread of the graph") as u64;
            let tasks = graph["tasks"].as_array().expect("tasks").iter();
            let mut own = tasks.filter(|task| task[0] == thread);
            let over =
                own.find(|task| number(&task[3]) < number(end) && number(begin) < number(&task[4]));
            assert_eq!(over, None, "{event}");
            let operation = event["operation"].as_str().expect("it is known");
            *waits.entry(operation.to_owned()).or_default() += 1;
        }
        for of in ["barrier", "lock", "task_wait", "task_group", "join", "parallel_end"] {
            assert!(waits.contains_key(of), "{of} of {waits:?}");
        }
    }
}

#[test]
fn races_say_if_the_order_of_threads_is_not_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("waits.c"), WAITS).expect("writable");
    let locked = "#include <pthread.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
                  static long sum;\nstatic void *run(void *unused) {\n\
                  for (int i = 0; i < 1000; i++) {\n\
                  pthread_mutex_lock(&lock);\n sum++;\n pthread_mutex_unlock(&lock);\n }\n\
                  return unused;\n}\nint main(void) {\n pthread_t other;\n\
                  pthread_create(&other, 0, run, 0);\n run(0);\n pthread_join(other, 0);\n\
                  return 0;\n}\n";
    fs::write(folder.join("locked.c"), locked).expect("writable");
    let told = |source: &str, flags: &str, set: &str| {
        let lines = format!(
            "rm -f ./*.pathtrace\n\
             pathcc -g -O1 {flags} -fpath-mode=trace {source}.c -o {source}\n\
             {LIBRARIES}; {set} ./{source}\n\
             pathprof trace races ./{source}.*.pathtrace"
        );
        shell(folder, &lines)
    };
    let [threads, openmp] = ["how these threads wait for each other", "is recorded of OpenMP"];
    for (source, flags, set, expected) in [
        ("locked", "-pthread", "", [false, false]),
        ("locked", "-pthread -static", "", [true, false]),
        ("waits", "-fopenmp", "OMP_NUM_THREADS=4", [false, false]),
        ("waits", "-fopenmp", "OMP_TOOL=disabled", [false, true]),
    ] {
        let text = told(source, flags, set);
        let says = [threads, openmp].map(|words| text.contains(words));
        // Only what is not recorded is told falsely.
        let has_races = !text.contains("No two accesses race");
        let is_told = says[0] || says[1];
        assert!(is_told || !has_races, "{source} {flags} {set}: {text}");
        assert_eq!(says, expected, "{source} {flags} {set}: {text}");
    }
}

#[test]
fn the_span_of_tasks_is_the_programs_whatever_runs_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let source = "volatile long out[64 * 8];\n\
                  static void work(int at) {\n\
                  for (int i = 0; i < 20000; i++) out[at * 8] += i;\n}\n\
                  int main(void) {\n#pragma omp parallel\n#pragma omp single\n\
                  for (int at = 0; at < 64; at++)\n#pragma omp task firstprivate(at)\n\
                  work(at);\n  return 0;\n}\n";
    fs::write(folder.join("tasks.c"), source).expect("writable");
    shell(folder, "pathcc -g -O1 -fopenmp -fpath-mode=trace tasks.c -o tasks");
    for threads in [1, 2, 4] {
        let lines = format!(
            "{LIBRARIES}; rm -f ./*.pathtrace; OMP_NUM_THREADS={threads} ./tasks\n\
             pathprof trace graph ./tasks.*.pathtrace --format json"
        );
        let told: serde_json::Value = serde_json::from_str(&shell(folder, &lines)).expect("JSON");
        let of = |what: &str| told["instructions"][what].as_f64().expect("a number");
        let ratio = of("work") / of("span");
        assert!((62.0..=64.5).contains(&ratio), "{threads}: {ratio}");
    }
}
