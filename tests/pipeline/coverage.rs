//! What a coverage report is of: all that the source has, whatever became of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;
use serde_json::Value;

fn run(folder: &Path, program: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Builds `source` with these options, runs it, and exports its profile.
fn exported(source: &str, options: &[&str], format: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("main.cc"), source).expect("a file");
    build_and_run(folder, options);
    run(folder, &bin("pathprof"), &["export", "--format", format, "run.pathprof"])
}

fn build_and_run(folder: &Path, options: &[&str]) {
    let build = ["-std=c++20", "-g", "-fpath-stage=early", "main.cc", "-o", "program"];
    run(folder, &bin("pathc++"), &[&build, options].concat());
    run(folder, &folder.join("program"), &[]);
}

/// The lines of `main.cc` and how often each ran.
fn lines(tracefile: &str) -> BTreeMap<u32, u64> {
    let file = tracefile
        .split("end_of_record")
        .find(|file| file.contains("/main.cc\n"))
        .expect("the source");
    let line = |line: &str| {
        let (line, count) = line.strip_prefix("DA:")?.split_once(',')?;
        Some((line.parse().ok()?, count.parse().ok()?))
    };
    file.lines().filter_map(line).collect()
}

/// The optimiser sees that `never` and `inlined` are not called, and the linker drops `unused`.
const DEAD: &str = "\
static int zero() { return 0; }
static int never(int x) {
    if (x > 3)
        return x * 2;
    return x + 1;
}
inline int inlined(int x) {
    return x ? 3 : 4;
}
int unused(int x) {
    return x + 5;
}
int main(int count, char **) {
    int sum = count;
    if (zero())
        sum += never(sum) + inlined(sum);
    return sum - 1;
}
";

#[test]
fn functions_that_became_no_code_are_not_covered() {
    let all = lines(&exported(DEAD, &["-O0"], "lcov"));
    assert_eq!((all[&1], all[&3], all[&8], all[&11], all[&17]), (1, 0, 0, 0, 1));
    for options in [
        &["-O1"][..],
        &["-O2", "-fpath-mode=blocks"],
        &["-O3", "-fpath-mode=edges"],
        &["-O0", "-ffunction-sections", "-Wl,--gc-sections"],
        &["-O2", "-flto", "-ffunction-sections", "-Wl,--gc-sections"],
    ] {
        let found = lines(&exported(DEAD, options, "lcov"));
        // The optimiser's code for the end of `main` has a line of its own.
        let found: BTreeMap<_, _> =
            found.into_iter().filter(|(line, _)| all.contains_key(line)).collect();
        assert_eq!(found, all, "{options:?}");
    }
    let report: Value = serde_json::from_str(&exported(DEAD, &["-O2"], "json")).expect("JSON");
    let names = |list: &str| {
        let functions = report[list].as_array().expect("a list").iter();
        let mut names: Vec<_> =
            functions.map(|of| of["demangled"].as_str().expect("a name").to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names("dropped"), ["inlined(int)", "never(int)"]);
    assert_eq!(names("functions"), ["main", "unused(int)", "zero()"]);
}

/// A coroutine that is resumed to its end, and one that is destroyed before.
const COROUTINE: &str = "\
#include <coroutine>
struct Generator {
    struct promise_type {
        int value;
        Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
    ~Generator() { handle.destroy(); }
};
static Generator numbers(int n) {
    for (int i = 0; i < n; i++) {
        int twice = i * 2;
        if (i % 3 == 0)
            twice++;
        co_yield twice;
        twice--;
    }
    n++;
}
int main() {
    int sum = 0;
    for (Generator g = numbers(30); g.handle.resume(), !g.handle.done();)
        sum += g.handle.promise().value;
    Generator h = numbers(10);
    h.handle.resume();
    h.handle.resume();
    return sum + h.handle.promise().value == 0;
}
";

#[test]
fn coroutines_are_counted_where_they_are_one_function_yet() {
    let expected = [(16, 34), (17, 32), (18, 32), (19, 11), (21, 31), (23, 1), (28, 30)];
    for mode in ["paths", "blocks", "edges"] {
        for level in ["-O0", "-O2"] {
            let options = [level, &format!("-fpath-mode={mode}")];
            let tracefile = exported(COROUTINE, &options, "lcov");
            let found = lines(&tracefile);
            assert_eq!(expected.map(|(line, _)| (line, found[&line])), expected, "{options:?}");
            // What becomes of a suspended coroutine is no branch of the source.
            let branches = tracefile.lines().filter(|line| line.starts_with("BRDA:18,"));
            assert_eq!(
                branches.collect::<Vec<_>>(),
                ["BRDA:18,0,0,11", "BRDA:18,0,1,21"],
                "{options:?}"
            );
        }
    }
    let report: Value = serde_json::from_str(&exported(COROUTINE, &["-O2"], "json")).expect("JSON");
    let functions = report["functions"].as_array().expect("a list");
    let numbers =
        functions.iter().find(|of| of["demangled"] == "numbers(int)").expect("it is counted");
    assert_eq!((&numbers["entries"], &numbers["skipped"]), (&2.into(), &Value::Null));
    let outcomes: Vec<_> =
        numbers["edges"].as_array().expect("a list").iter().map(|edge| &edge["outcome"]).collect();
    for outcome in ["suspended", "resumed", "destroyed"] {
        assert!(outcomes.iter().any(|found| *found == outcome), "{outcome}");
    }
}

/// Coroutines that hand over to each other, and whose frames are destroyed.
const HANDED_OVER: &str = "\
#include <coroutine>
struct Task {
    struct promise_type {
        int value = 0;
        std::coroutine_handle<> next = std::noop_coroutine();
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        struct Final {
            bool await_ready() noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
                return h.promise().next;
            }
            void await_resume() noexcept {}
        };
        Final final_suspend() noexcept { return {}; }
        void return_value(int v) { value = v; }
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> h;
    ~Task() { h.destroy(); }
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
        h.promise().next = c;
        return h;
    }
    int await_resume() { return h.promise().value; }
};
Task leaf(int n) {
    if (n % 4 == 0)
        co_return 1;
    co_return 2;
}
Task top() {
    int s = 0;
    for (int i = 0; i < 100; i++)
        s += co_await leaf(i);
    co_return s;
}
int main() {
    Task t = top();
    t.h.resume();
    return t.h.promise().value != 175;
}
";

#[test]
fn paths_of_coroutines_end_where_they_hand_over_or_are_destroyed() {
    for level in ["-O0", "-O2"] {
        let report: Value =
            serde_json::from_str(&exported(HANDED_OVER, &[level], "json")).expect("JSON");
        let ends = |name: &str| {
            let functions = report["functions"].as_array().expect("a list");
            let found = functions.iter().find(|of| of["demangled"] == name).expect("it is counted");
            let mut ends: BTreeMap<String, u64> = BTreeMap::new();
            for path in found["paths"].as_array().expect("a list") {
                let count = path["count"].as_u64().expect("a count");
                *ends.entry(path["end"].as_str().expect("a word").into()).or_default() += count;
            }
            ends.into_iter().collect::<Vec<_>>()
        };
        // Each is suspended at its start and at its end, and returns when it is first suspended
        // and when it is destroyed. The outer one waits a hundred times, and its loop goes around.
        let expected = [("cut".to_owned(), 200), ("return".to_owned(), 200)];
        assert_eq!(ends("leaf(int)"), expected, "{level}");
        let expected = [("back_edge".to_owned(), 100), ("cut".to_owned(), 102)];
        let returned = ("return".to_owned(), 2);
        assert_eq!(ends("top()"), [&expected[..], &[returned]].concat(), "{level}");
    }
    let found = lines(&exported(HANDED_OVER, &["-O0"], "lcov"));
    let expected = [(28, 100), (29, 100), (30, 25), (31, 75), (33, 1), (35, 101), (36, 100)];
    assert_eq!(expected.map(|(line, _)| (line, found[&line])), expected);
}

/// Nothing here is a branch, and all that is called is covered, but for `A::f`.
const HIDDEN: &str = "\
#include <new>
#include <typeinfo>
struct A { virtual ~A() {} virtual int f() { return 1; } int x = 0; };
struct B { virtual ~B() {} int y = 0; };
struct C : A, B { int f() override { return 2; } };
struct D { int v; D(int x) : v(x) {} ~D() {} };
int make() { return 1; }
void delete_array() {
  D *p = new D[3]{D(1), D(2), D(3)};
  delete[] p;
}
void delete_one() { D *p = new D(1); delete p; }
int static_local() { static D d(make()); return d.v; }
B *to_base(C *c) { return c; }
C *to_derived(A *a) { return dynamic_cast<C *>(a); }
int member(A *a, int (A::*m)()) { return (a->*m)(); }
D *nothrow() { return new (std::nothrow) D(3); }
const char *name(A *a) { return typeid(*a).name(); }
struct V : virtual A { int w; V(int n) : w(n) {} ~V() { w = 0; } };
struct W : V { W() : V(1) {} };
int main() {
  C c;
  delete_array();
  delete_one();
  static_local();
  to_base(&c);
  to_derived(&c);
  member(&c, &A::f);
  delete nothrow();
  name(&c);
  W w;
  return 0;
}
";

#[test]
fn what_the_compiler_checks_and_repeats_is_no_branch() {
    for options in [&["-O0"][..], &["-O1"], &["-O0", "-fpath-mode=edges"]] {
        let tracefile = exported(HIDDEN, options, "lcov");
        let branches = tracefile.lines().filter(|line| line.starts_with("BRDA:"));
        assert_eq!(branches.collect::<Vec<_>>(), [""; 0], "{options:?}");
        let found = lines(&tracefile);
        let expected = [(3, 2), (4, 1), (5, 1), (9, 1), (10, 1), (11, 1), (12, 1), (13, 1)];
        assert_eq!(expected.map(|(line, _)| (line, found[&line])), expected, "{options:?}");
        let missing = tracefile.lines().filter_map(|line| line.strip_prefix("FNDA:0,"));
        assert_eq!(missing.collect::<Vec<_>>(), ["_ZN1A1fEv"], "{options:?}");
    }
}

/// Comparisons that the source does not write have no branches. Those of a macro have.
const COMPARED: &str = "\
#include <compare>
struct I { int x; auto operator<=>(const I &) const = default; };
struct A {
  int a, b; I i; int all[3];
  bool operator==(const A &other) const = default;
  auto operator<=>(const A &) const = default;
};
struct B { int a, b; friend bool operator==(const B &, const B &) = default; };
#define EQUAL(T) bool operator==(const T &o) const { return a == o.a && b == o.b; }
struct M {
  int a, b;
  EQUAL(M)
};
int main() {
  A p{1, 2, {3}, {1, 2, 3}}, q = p;
  int equal = (p == q) + (p <=> q == 0);
  equal += B{1, 2} == B{1, 2};
  return (M{1, 2} == M{1, 3}) + equal - 3;
}
";

#[test]
fn a_default_comparison_has_no_branches() {
    for mode in ["paths", "blocks", "edges"] {
        let options = ["-O0", "-std=c++20", &format!("-fpath-mode={mode}")];
        let tracefile = exported(COMPARED, &options, "lcov");
        let branches = tracefile.lines().filter_map(|line| line.strip_prefix("BRDA:"));
        let lines_of = branches.map(|branch| branch.split(',').next().unwrap_or_default());
        assert_eq!(lines_of.collect::<Vec<_>>(), ["12"; 2], "{mode}");
        let found = lines(&tracefile);
        let expected = [(2, 1), (5, 1), (6, 1), (8, 1), (12, 1)];
        assert_eq!(expected.map(|(line, _)| (line, found[&line])), expected, "{mode}");
    }
}

/// The first `throw` never runs, and the brace behind it is only reached by unwinding.
const THROWN: &str = "\
#include <stdexcept>
#include <string>
static int p(const std::string &s) {
    if (s.empty())
        throw std::runtime_error(\"empty\");
    if (s[0] == 'x')
        throw std::runtime_error(\"bad \" + s);
    return s.size();
}
int main() {
    int r = 0;
    for (const char *w : {\"x\", \"y\"})
        try { r += p(w); } catch (const std::exception &) { r += 100; }
    return r != 101;
}
";

#[test]
fn what_frees_an_exception_gives_no_line_a_count() {
    for mode in ["paths", "blocks", "edges"] {
        let options = ["-O0", &format!("-fpath-mode={mode}")];
        let tracefile = exported(THROWN, &options, "lcov");
        let found = lines(&tracefile);
        let expected = [(3, 2), (4, 2), (5, 0), (6, 2), (7, 1), (8, 1), (13, 2)];
        assert_eq!(expected.map(|(line, _)| (line, found[&line])), expected, "{mode}");
        assert!(!found.contains_key(&9), "{mode}: {found:?}");
    }
}

#[test]
fn checks_of_a_sanitizer_are_no_branches() {
    let source = "\
#include <cstdio>
int add(int a, int b) { return a + b; }
int main() {
    int s = 0;
    for (int i = 0; i < 10; i++)
        s = add(s, i);
    return s != 45;
}
";
    let branches = |options: &[&str]| {
        let tracefile = exported(source, &[&["-O0"], options].concat(), "lcov");
        let lines = tracefile.lines().filter(|line| line.starts_with("BRDA:"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = branches(&[]);
    assert_eq!(plain, ["BRDA:5,0,0,10", "BRDA:5,0,1,1"]);
    let sanitized = ["-fsanitize=undefined", "-fsanitize-trap=undefined"];
    assert_eq!(branches(&sanitized), plain);
    assert_eq!(branches(&["-ftrapv"]), plain);
}

/// The initialisation of `words` is code of the source in a function of the compiler.
const INITIALISED: &str = "\
#include <string>
#include <vector>
static std::string word(int n) { return std::string(n, 'x'); }
static std::vector<std::string> words = {word(1), word(2)};
int main() {
    words.push_back(word(3));
    return words.size() != 3;
}
";

#[test]
fn what_the_system_and_the_compiler_made_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("main.cc"), INITIALISED).expect("a file");
    for level in ["-O0", "-O2"] {
        let _ = fs::remove_file(folder.join("run.pathprof"));
        build_and_run(folder, &[level]);
        let pathprof = |arguments: &[&str]| {
            run(folder, &bin("pathprof"), &[arguments, &["run.pathprof"]].concat())
        };
        let tracefile = |more: &[&str]| pathprof(&[&["export", "--format", "lcov"], more].concat());
        let files = |tracefile: &str| tracefile.matches("SF:").count();
        let found = tracefile(&[]);
        assert_eq!(files(&found), 1, "{level}: {found}");
        assert!(
            !found.contains("_GLOBAL__") && !found.contains("__cxx_global"),
            "{level}: {found}"
        );
        let lines = lines(&found);
        assert!(lines[&4] > 0, "{level}: the initialisation ran: {lines:?}");
        assert_eq!((lines[&3], lines[&6]), (3, 1), "{level}");
        let whole = tracefile(&["--system"]);
        assert!(files(&whole) > 3 && whole.contains("_GLOBAL__sub_I_main.cc"), "{level}");
        assert_eq!(tracefile(&["--hide", "main.cc"]), "", "{level}");
        assert_eq!(files(&tracefile(&["--file", "main.cc"])), 1, "{level}");
        for more in [&[][..], &["--functions"]] {
            let shown = pathprof(&[&["coverage"], more].concat());
            assert!(!shown.contains("_GLOBAL__") && !shown.contains("__cxx_global"), "{shown}");
            assert!(shown.contains("main.cc") && !shown.contains("stl_vector"), "{shown}");
        }
        let json: Value =
            serde_json::from_str(&pathprof(&["export", "--format", "json", "--function", "word"]))
                .expect("JSON");
        let names = json["functions"].as_array().expect("a list").iter();
        let names: Vec<_> = names.map(|function| &function["demangled"]).collect();
        assert_eq!(names, ["word[abi:cxx11](int)"], "{level}");
    }
}
