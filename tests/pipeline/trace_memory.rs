//! What a trace tells of memory beside its accesses: who allocated it, and in which order atomic
//! accesses ran.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use counts::image_places::ImagePlaces;
use pathtests::shell::shell;
use serde_json::{Value, json};
use trace::file::event::Event;
use trace::file::{Trace, images};
use trace::steps::program::Program;
use trace::steps::step::{Accessed, Steps, StreamEntry};

/// It tells each allocation as it makes it, in the words of [`allocations`].
const ALLOCATES: &str = r#"
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
template <class T> T *made(T *address, size_t size, void *former = nullptr) {
  printf("%zx %zu %zx\n", address == MAP_FAILED ? 0 : (size_t)address, size, (size_t)former);
  return address;
}
// Before the memory is free: its address may not be used behind that.
#define FREE(how, address) (printf("0 0 %zx\n", (size_t)(address)), how)
struct alignas(128) Wide { char bytes[256]; };
__attribute__((noinline)) void *in_tail_position(size_t size) { return malloc(size); }
__attribute__((noinline)) void free_in_tail_position(void *address) { free(address); }
__attribute__((alloc_size(2, 1), noinline)) void *own(size_t of, size_t number) {
  static char pool[4096];
  return pool + of * number % 7;
}
__attribute__((noinline)) char *may_throw(size_t size) {
  char *address = new char[size];
  address[0] = 1;
  return address;
}
void throws(size_t size) {
  try {
    char *address = made(may_throw(size), size);
    FREE(delete[] address, address);
  } catch (const std::bad_alloc &) {
  }
}
int main(int count, char **) {
  // The C library allocates nothing to print.
  static char buffer[65536];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  size_t n = count * 100;
  void *first = made(in_tail_position(n), n);
  void *second = realloc(first, 3 * n);
  made(second, 3 * n, first);
  // What fails leaves the memory where it is.
  volatile size_t huge = PTRDIFF_MAX;
  made(realloc(second, huge), huge);
  made(mremap(second, 4096, 8192, 64), 8192);
  void *third = made(calloc(n, 12), n * 12);
  void *fourth = nullptr;
  if (posix_memalign(&fourth, 256, n + 1) != 0) return 1;
  made(fourth, n + 1);
  void *failed = fourth;
  bool refused = posix_memalign(&failed, 3, n) != 0;
  made((void *)nullptr, n);
  void *fifth = made(aligned_alloc(64, 6400), 6400);
  char *text = made(strdup("text"), 5);
  void *pages = made(mmap(nullptr, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
  void *none = made(mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 0);
  Wide *wide = made(new Wide, sizeof(Wide));
  int *single = made(new (std::nothrow) int(3), sizeof(int));
  throws(n);
  throws((size_t)-1 / 4 * count);
  void *pooled = made(own(3, n), 3 * n);
  fprintf(stderr, "%d %s %d %d %p\n", refused, text, none == MAP_FAILED, *single, pooled);
  FREE(free_in_tail_position(second), second);
  FREE(free(third), third);
  FREE(free(fourth), fourth);
  FREE(free(fifth), fifth);
  FREE(free(text), text);
  FREE(munmap(pages, 8192), pages);
  FREE(delete wide, wide);
  FREE(delete single, single);
  return 0;
}
"#;

/// Threads take turns by a lock of their own, which has nothing but atomic accesses.
const TAKES_TURNS: &str = r#"
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>
std::atomic<int> taken;
int counter;
__attribute__((noinline)) void once() {
  while (taken.exchange(1, std::memory_order_acquire)) std::this_thread::yield();
  counter++;
  taken.store(0, std::memory_order_release);
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([] { for (int turn = 0; turn < 5000; turn++) once(); });
  for (auto &thread : threads) thread.join();
  printf("%d\n", counter);
}
"#;

/// Threads hand blocks to each other while `malloc` gives the same memory again and again. A
/// comment says what a line allocates or accesses.
const HANDS_ON: &str = r#"
#include <pthread.h>
#include <stdlib.h>
struct item { struct item *next; volatile long value[3]; };
pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
item *reds, *blues;
volatile long table[4];
__attribute__((noinline)) void *get(size_t size) {
  return malloc(size); // makes got
}
void push(item **list, item *of) {
  pthread_mutex_lock(&gate);
  of->next = *list;
  *list = of;
  pthread_mutex_unlock(&gate);
}
item *pop(item **list) {
  pthread_mutex_lock(&gate);
  item *of = *list;
  *list = of->next;
  pthread_mutex_unlock(&gate);
  return of;
}
void *worker(void *unused) {
  table[3] = 0; // is table
  for (int i = 0; i < 300; i++) {
    item *one = (item *)malloc(sizeof *one); // makes red
    one->value[0] = i; // is red
    item *two = new item; // makes blue
    two->value[1] = i; // is blue
    push(&reds, one);
    push(&blues, two);
    table[3] = i; // is table
    one = pop(&reds);
    one->value[2] = i; // is red
    free(one);
    two = pop(&blues);
    two->value[2] = i; // is blue
    delete two;
    volatile long *own = (volatile long *)get(32);
    own[3] = i; // is got
    own = (volatile long *)realloc((void *)own, 48); // makes more
    own[5] = i; // is more
    free((void *)own);
  }
  return unused;
}
int main() {
  pthread_t threads[3];
  for (pthread_t &thread : threads) pthread_create(&thread, 0, worker, 0);
  for (pthread_t &thread : threads) pthread_join(thread, 0);
}
"#;

/// The word behind a mark in each line of a source, by the number of the line.
fn marked(source: &str, mark: &str) -> HashMap<u64, String> {
    let word = |(number, line): (u64, &str)| Some((number, line.split_once(mark)?.1.to_owned()));
    (1..).zip(source.lines()).filter_map(word).collect()
}

/// Builds and runs a program at a level; what it printed, and its trace.
fn run(folder: &Path, source: &str, level: &str) -> (String, PathBuf) {
    fs::write(folder.join("prog.cpp"), source).expect("writable");
    let build = format!("pathc++ -g {level} -pthread -fpath-mode=trace prog.cpp -o prog");
    shell(folder, &build);
    let printed = shell(folder, "rm -f *.pathtrace; ./prog 2>/dev/null");
    let trace = shell(folder, "ls *.pathtrace");
    (printed, folder.join(trace.trim()))
}

/// What each stream of a trace tells.
fn streams(path: &Path) -> Vec<Vec<StreamEntry>> {
    let trace = Trace::open(path).expect("a trace");
    let images::ProcessRecords { images: loaded, problems, .. } = images::of(&trace);
    assert!(problems.is_empty(), "{problems:?}");
    let program = Program::of(loaded, &ImagePlaces::default());
    assert!(program.problems.is_empty(), "{:?}", program.problems);
    trace.streams.iter().map(|stream| Steps::new(&trace, &program, stream, &()).collect()).collect()
}

/// The allocations as the program prints them: the address, the size, what is free.
fn allocations(told: &[StreamEntry]) -> Vec<String> {
    let allocation = |told: &StreamEntry| match told {
        StreamEntry::Event(Event::Allocated(made)) => {
            Some(format!("{:x} {} {:x}", made.address.get(), made.size.get(), made.former.get()))
        }
        _ => None,
    };
    told.iter().filter_map(allocation).collect()
}

#[test]
fn each_allocation_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    for level in ["-O0", "-O2", "-O2 -flto"] {
        let (printed, trace) = run(folder.path(), ALLOCATES, level);
        let printed: Vec<_> = printed.lines().map(str::to_owned).collect();
        let recorded = allocations(&streams(&trace)[0]);
        let (recorded, others): (Vec<_>, Vec<_>) =
            recorded.into_iter().partition(|line| printed.contains(line));
        // The function with the attribute calls nothing, those in tail position call `malloc`: each
        // is recorded once.
        assert_eq!(recorded, printed, "at {level}");
        // The C++ library allocates and frees the exception.
        assert_eq!(others.len(), 2, "at {level}: {others:?}");
    }
}

/// Code that is not traced allocates for code that is.
const OF_OTHERS: [(&str, &str); 2] = [
    (
        "other.cpp",
        r#"#include <stdlib.h>
extern "C" {
void *get(size_t size) { return malloc(size); }
void *zeros(size_t number, size_t size) { return calloc(number, size); }
void *resize(void *address, size_t size) { return realloc(address, size); }
void *aligned(size_t size) { return aligned_alloc(64, size); }
void *stored(size_t size) { void *to; return posix_memalign(&to, 64, size) ? nullptr : to; }
char *fresh(size_t size) { return new char[size]; }
void old(char *address) { delete[] address; }
void put(void *address) { free(address); }
}
"#,
    ),
    (
        "main.cpp",
        r#"#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string>
extern "C" {
void *get(size_t), *zeros(size_t, size_t), *resize(void *, size_t), *aligned(size_t);
void *stored(size_t), old(char *), put(void *);
char *fresh(size_t);
}
template <class T> T *made(T *address, size_t size, const void *former = nullptr) {
  printf("%zx %zu %zx\n", (size_t)address, size, (size_t)former);
  return address;
}
#define FREE(how, address) (printf("0 0 %zx\n", (size_t)(address)), how)
int main() {
  static char buffer[65536];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  void *first = made(get(100), 100);
  void *longer = resize(first, 5000);
  made(longer, 5000, first);
  volatile size_t huge = PTRDIFF_MAX;
  if (get(huge) || resize(longer, huge) || zeros(huge, 9)) return 1;
  void *second = made(zeros(10, 12), 120);
  void *third = made(aligned(640), 640), *fourth = made(stored(70), 70);
  char *fifth = made(fresh(50), 50);
  FREE(put(longer), longer);
  FREE(free(second), second);
  FREE(put(third), third);
  FREE(put(fourth), fourth);
  FREE(old(fifth), fifth);
  put(nullptr);
  const void *former = nullptr;
  {
    std::string text;
    for (size_t size = 100; size < 1000; size *= 3) {
      text.append(size, 'x');
      made(text.data(), text.capacity() + 1);
      if (former) printf("0 0 %zx\n", (size_t)former);
      former = text.data();
    }
    printf("0 0 %zx\n", (size_t)former);
  }
}
"#,
    ),
];

#[test]
fn what_other_code_allocates_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, text) in OF_OTHERS {
        fs::write(folder.join(name), text).expect("writable");
    }
    shell(folder, "clang-22 -O2 -c other.cpp");
    for how in ["-O0", "-O2", "-O2 -flto", "-O2 -fpath-stage=early", "-O2 -fuse-ld=bfd"] {
        let build = format!("pathc++ -g {how} -fpath-mode=trace main.cpp other.o -o prog");
        let printed = shell(folder, &format!("{build}; rm -f *.pathtrace; ./prog"));
        let trace = folder.join(shell(folder, "ls *.pathtrace").trim());
        let recorded = allocations(&streams(&trace)[0]);
        assert_eq!(recorded, printed.lines().collect::<Vec<_>>(), "{how}");
    }
}

/// The thread-local variables of a library that is opened are allocated when a thread first
/// accesses them: in the middle of a path.
const IN_A_PATH: [(&str, &str); 2] = [
    (
        "library.c",
        r#"static _Thread_local long own[20000];
void work(long **from, long *to) {
  long *array = from[0];
  array[3] = 1;
  from[1][4] = 2;
  own[array[3]] += 1;
  to[5] = own[1];
}
"#,
    ),
    (
        "main.c",
        r#"#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static long one[9], two[9], three[9];
static void (*work)(long **, long *);
static void *run(void *unused) {
  long *from[2] = {one, two};
  work(from, three);
  return unused;
}
int main(void) {
  pthread_t thread;
  work = (void (*)(long **, long *))dlsym(dlopen("./library.so", RTLD_NOW), "work");
  pthread_create(&thread, 0, run, 0);
  pthread_join(thread, 0);
  printf("store 8 %p\nstore 8 %p\nstore 8 %p\n", (void *)&one[3], (void *)&two[4],
         (void *)&three[5]);
}
"#,
    ),
];

#[test]
fn a_path_may_allocate_what_it_accesses() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, text) in IN_A_PATH {
        fs::write(folder.join(name), text).expect("writable");
    }
    let build = "pathcc -g -O1 -fpath-mode=trace -pthread";
    shell(
        folder,
        &format!("{build} -fPIC -shared library.c -o library.so; {build} main.c -o prog"),
    );
    let printed = shell(folder, "./prog");
    let told = shell(folder, "pathprof trace cat --function work prog 2>/dev/null");
    let store = |line: &'_ str| {
        let (access, place) = line.trim().rsplit_once(' ')?;
        let is_wanted = ["library.c:4", "library.c:5", "library.c:7"].contains(&place);
        (is_wanted && access.starts_with("store")).then(|| access.to_owned())
    };
    let stores: Vec<_> = told.lines().filter_map(store).collect();
    assert_eq!(stores, printed.lines().collect::<Vec<_>>(), "{told}");
}

/// An allocator that marks what it gives out, and a program that looks for the mark.
const ALLOCATOR: [(&str, &str); 2] = [
    (
        "allocator.c",
        r#"#include <stddef.h>
static unsigned char pool[4 << 20];
static size_t used;
void *malloc(size_t size) {
  unsigned char *given = pool + used;
  used += (size + 31) & ~15ul;
  given[0] = 0x5a;
  return given;
}
void free(void *address) { (void)address; }
void *calloc(size_t number, size_t size) {
  unsigned char *given = malloc(number * size);
  given[0] = 0;
  return given;
}
void *realloc(void *address, size_t size) {
  unsigned char *given = malloc(size), *from = address;
  for (size_t i = 0; from && i < size && from + i < pool + sizeof pool; i++) given[i] = from[i];
  return given;
}
"#,
    ),
    (
        "main.c",
        r#"#include <stdio.h>
#include <stdlib.h>
int main(void) {
  unsigned char *volatile given = malloc(10);
  printf("%x\n", given[0]);
  free(given);
}
"#,
    ),
];

#[test]
fn a_program_keeps_the_allocator_that_it_is_linked_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (name, text) in ALLOCATOR {
        fs::write(folder.join(name), text).expect("writable");
    }
    shell(
        folder,
        "clang-22 -O1 -fno-builtin -fPIC -c allocator.c; mkdir own; \
         ar rcs own/libown.a allocator.o; clang-22 -shared allocator.o -o own/libshared.so",
    );
    for linker in ["bfd", "lld", "mold"] {
        let build = |library: &str| {
            let build = format!("pathcc -O1 -fpath-mode=trace -fuse-ld={linker} main.c {library}");
            shell(folder, &format!("{build} -o prog"));
        };
        let shared = "-Wl,--as-needed -Lown -lshared -Wl,-rpath,$PWD/own";
        for library in ["-Lown -lown", shared, "allocator.o"] {
            build(library);
            assert_eq!(shell(folder, "./prog"), "5a\n", "{linker} {library}");
        }
        build("");
        let before = shell(folder, "LD_PRELOAD=$PWD/own/libshared.so ./prog");
        assert_eq!(before, "5a\n", "{linker}");
        assert_ne!(shell(folder, "./prog"), "5a\n", "{linker}");
    }
}

/// An atomic access: the ticket before it, and that after it.
fn atomics(told: &[StreamEntry]) -> Vec<Accessed> {
    let of = |told: &StreamEntry| match told {
        StreamEntry::Step(step) => step.accesses.clone(),
        _ => Vec::new(),
    };
    let all = told.iter().flat_map(of);
    all.filter(|access| access.before > 0 || access.after > 0).collect()
}

#[test]
fn tickets_order_what_threads_do() {
    let folder = tempfile::tempdir().expect("a folder");
    for level in ["-O0", "-O2"] {
        let (printed, trace) = run(folder.path(), TAKES_TURNS, level);
        assert_eq!(printed, "20000\n");
        let mut tickets = BTreeSet::new();
        let mut turns = Vec::new();
        for told in streams(&trace) {
            let mut began = None;
            for access in atomics(&told) {
                for ticket in [access.before, access.after].into_iter().filter(|&ticket| ticket > 0)
                {
                    assert!(tickets.insert(ticket), "ticket {ticket} was taken twice");
                }
                match (access.before, access.after) {
                    // The last attempt before the lock is given back is the one that took it.
                    (0, after) => began = Some(after),
                    (before, 0) => {
                        turns.push((began.take().expect("it was taken before"), before));
                    }
                    other => panic!("no access takes {other:?}"),
                }
            }
        }
        turns.sort_unstable();
        assert_eq!(turns.len(), 20_000);
        assert!(turns.iter().all(|(began, ended)| began < ended));
        assert!(turns.windows(2).all(|pair| pair[0].1 < pair[1].0), "turns overlap at {level}");
    }
}

#[test]
fn fences_are_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "#include <atomic>\nint main() {\n\
                  std::atomic_thread_fence(std::memory_order_acquire);\n\
                  std::atomic_thread_fence(std::memory_order_release);\n\
                  std::atomic_thread_fence(std::memory_order_seq_cst);\n\
                  std::atomic_signal_fence(std::memory_order_seq_cst); }\n";
    let (_, trace) = run(folder.path(), source, "-O0");
    let taken: Vec<_> = atomics(&streams(&trace)[0])
        .iter()
        .map(|access| (access.size, access.address, access.before, access.after))
        .collect();
    let expected = [(0, None, 0, 1), (0, None, 2, 0), (0, None, 3, 4)];
    assert_eq!(taken, expected);
}

#[test]
fn each_owner_that_is_named_is_the_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (makes, is) = (marked(HANDS_ON, "// makes "), marked(HANDS_ON, "// is "));
    for level in ["-O0", "-O2"] {
        let (_, trace) = run(folder.path(), HANDS_ON, level);
        let command = format!("pathprof trace cat --owners --format json {}", trace.display());
        let told = shell(folder.path(), &command);
        let (mut named, mut all) = (0, 0);
        for line in told.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            if line["operation"] == "lock" {
                assert_eq!(line["owners"], json!([["gate", 0], null]), "at {level}");
            }
            let accesses = line["accesses"].as_array().into_iter().flatten();
            let owners = line["owners"].as_array().into_iter().flatten();
            for (access, owner) in accesses.zip(owners) {
                let stores = access[0] == "store";
                let expected = access[3].as_u64().filter(|_| stores).and_then(|at| is.get(&at));
                let Some(expected) = expected else { continue };
                // At -O0 pointers are variables, too.
                let Some(name) = owner[0].as_str() else {
                    all += 1;
                    continue;
                };
                if name.starts_with("stack") {
                    continue;
                }
                let made = name.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
                let is_one = made.map(|line: u64| makes.get(&line));
                let told = is_one.map_or(Some(name), |made| made.map(String::as_str));
                assert_eq!(told, Some(expected.as_str()), "at {level}: {access} in {owner}");
                (named, all) = (named + 1, all + 1);
            }
        }
        assert!(all >= 3 * 300 * 7, "{all} at {level}");
        assert!(named * 2 > all, "{named} of {all} at {level}");
        let races = format!("pathprof trace races --format json {}", trace.display());
        let races: Value = serde_json::from_str(&shell(folder.path(), &races)).expect("JSON");
        let rows = races["tables"][0]["rows"].as_array().expect("rows");
        assert!(!rows.is_empty(), "nothing orders the first accesses of threads");
        for row in rows {
            assert_eq!((&row["object"], &row["offset"]), (&json!("table"), &json!(24)));
        }
    }
}

/// Four threads count in one line at the same time, and write into another one once.
const SHARED_LINES: &str = r#"
#include <pthread.h>
static _Alignas(64) struct { volatile long n; } hot[4];
static _Alignas(64) volatile long cold[4 * 2 + 4];
static pthread_barrier_t together;
static void *work(void *number) {
  long id = (long)number;
  pthread_barrier_wait(&together);
  for (int i = 0; i < 3; i++) cold[id * 3 + i] = id;
  for (int i = 0; i < 50000; i++) hot[id].n += i;
  return 0;
}
int main(void) {
  pthread_t threads[4];
  pthread_barrier_init(&together, 0, 4);
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
}
"#;

#[test]
fn lines_are_ranked_by_how_often_they_may_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("prog.c"), SHARED_LINES).expect("writable");
    let told = shell(
        folder,
        "pathcc -g -O2 -pthread -fpath-mode=trace prog.c -o prog
         ./prog
         pathprof trace memory ./prog.*.pathtrace --format json",
    );
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let tables = told["tables"].as_array().expect("a list");
    let shared = tables.iter().find(|table| table["name"] == "shared lines").expect("a table");
    let moves = |name: &str| {
        let rows = shared["rows"].as_array().expect("a list").iter().enumerate();
        let of =
            |row: &serde_json::Value| row["object"].as_str().unwrap_or_default().contains(name);
        let own = rows.filter(|(_, row)| of(row));
        own.map(|(at, row)| (at, row["moves"].as_u64().unwrap_or_default())).next()
    };
    let (first, hot) = moves("hot").expect("a row");
    assert!(first == 0 && hot >= 50_000, "{shared}");
    assert!(moves("cold").is_none_or(|(_, cold)| cold <= 20), "{shared}");
}
