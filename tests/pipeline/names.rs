//! Names of functions as LLVM's own tool writes them, whatever C++ they come from.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use pathtests::tree::bin;
use serde_json::Value;

fn run(folder: &Path, program: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Symbol and shown name of every function of the program in `folder`.
fn names(folder: &Path) -> Vec<(String, String)> {
    run(folder, &folder.join("program"), &[]);
    let json = run(folder, &bin("pathprof"), &["export", "--format", "json", "run.pathprof"]);
    let report: Value = serde_json::from_slice(&json).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a name").to_owned();
    let functions = report["functions"].as_array().expect("a list").iter();
    functions.map(|function| (text(&function["name"]), text(&function["demangled"]))).collect()
}

/// What `llvm-cxxfilt-22` makes of these symbols.
fn filtered(symbols: &str) -> String {
    let mut filter = Command::new("llvm-cxxfilt-22");
    let mut child =
        filter.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it is installed");
    let mut input = child.stdin.take().expect("it is piped");
    let symbols = symbols.to_owned();
    let writer = std::thread::spawn(move || input.write_all(symbols.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads everything");
    String::from_utf8(output.stdout).expect("text")
}

const TEMPLATES: &str = r#"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
struct A {
  int v;
  template <class T> A(const char *s, const T &t) : v(s[0] + int(t)) {}
  template <class T> A(T *p, int n) : v(*p + n) {}
  template <class T> operator T() const { return T(v); }
  auto operator<=>(const A &) const = default;
};
template <class T> concept Int = sizeof(T) == 4;
template <Int T> int con(T a) { return a; }
template <class T> requires Int<T> int con2(T a) { return a; }
template <class... T> int var(T &&...t) { return (0 + ... + int(t)); }
template <class T> auto dec(T t) -> decltype(t + 1) { return t; }
template <int N> int arr(int (&a)[N]) { return a[0]; }
template <template <class...> class C, class T> int tt(const C<T> &) { return 1; }
struct P { int a, b; };
template <P p> int value() { return p.a; }
namespace { struct B { template <class T> B(T a, T b) { c = a + b; } int c; }; }
template <int N> struct C { template <int M> C(C<M> const &, char) {} C() {} };
int main() {
  A a("x", 3.0); int q = 5; A b(&q, 2); double d = b; B c(1, 2); C<1> c1; C<2> c2(c1, 'a');
  struct L { int m(int x) { return x; } } l;
  std::map<std::string, std::vector<std::optional<int>>> m; m["a"].push_back(3);
  std::variant<int, std::string> either = std::string("x");
  int array[3] = {3, 1, 2}; std::function<int(int)> f = [&](int x) { return x + q; };
  std::visit([](auto &&x) { (void)sizeof(x); }, either); std::sort(array, array + 3, [](int x, int y) { return x < y; });
  auto shared = std::make_shared<A>("a", 1.5);
  return a.v + int(d) + con(3) + con2(4u) + var(1, 2u, 'c') + dec(1L) + arr(array) + tt(m["a"]) + value<P{1, 2}>() + c.c
    + l.m(3) + f(1) + (a < b) + shared->v == 0;
}
"#;

#[test]
fn names_are_those_of_the_compiler() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.cc"), TEMPLATES).expect("a file");
    run(folder.path(), &bin("pathc++"), &["-std=c++20", "main.cc", "-o", "program"]);
    let names = names(folder.path());
    let symbols: String = names.iter().map(|(symbol, _)| format!("{symbol}\n")).collect();
    let mut compared = 0;
    for ((symbol, shown), expected) in names.iter().zip(filtered(&symbols).lines()) {
        // A closure that nobody outside of the unit can name has a name that the tool does not know
        // either.
        if expected != symbol || !symbol.contains("$_") {
            assert_eq!(shown, expected, "{symbol}");
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared} of {}", names.len());
    let has = |name: &str| assert!(names.iter().any(|(_, shown)| shown == name), "{name}");
    has("A::A<double>(char const*, double const&)");
    has("(anonymous namespace)::B::B<int>(int, int)");
    has("int var<int, unsigned int, char>(int&&, unsigned int&&, char&&)");
}

#[test]
fn functions_of_modules_have_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let unit = "export module my.unit;\nexport struct S { int v; template <class T> int get(T t) { return v + t; } };\n\
                export int add(S s, int b) { return s.get(b); }\n";
    fs::write(folder.path().join("unit.cppm"), unit).expect("a file");
    let main = "import my.unit;\nint main() { return add(S{1}, -1); }\n";
    fs::write(folder.path().join("main.cc"), main).expect("a file");
    let build = |arguments: &[&str]| {
        run(folder.path(), &bin("pathc++"), &[&["-std=c++20"], arguments].concat())
    };
    build(&["--precompile", "unit.cppm", "-o", "my.unit.pcm"]);
    build(&["-c", "my.unit.pcm", "-o", "unit.o"]);
    build(&["-fprebuilt-module-path=.", "main.cc", "unit.o", "-o", "program"]);
    let mut shown: Vec<_> = names(folder.path()).into_iter().map(|(_, name)| name).collect();
    shown.retain(|name| !name.starts_with("initializer for"));
    shown.sort();
    assert_eq!(shown, ["add@my.unit(S@my.unit, int)", "int S@my.unit::get<int>(int)", "main"]);
}

/// Each function is called once and has a branch, so that it is told.
const SCOPES: &str = r#"
#include <map>
#include <string>
#include <vector>
#define TEST(x) ((x) > 2 ? step(x) : 1)
extern "C" __attribute__((noinline)) int step(int x) { return x + 1; }
namespace app {
inline namespace v1 {
struct P {
  int v;
  P(int v) : v(TEST(v)) {}
  ~P() { v = TEST(v); }
  static int make(int x) { return TEST(x); }
  friend bool operator<(const P &a, const P &b) { return TEST(a.v) < b.v; }
  operator bool() const { return TEST(v) == 1; }
  template <class T> operator T *() const { return (T *)(long)TEST(v); }
  template <class T> bool operator<<(T t) const { return TEST(v) < t; }
  template <class T> bool operator<(T t) const { return TEST(v) < t; }
  template <class T> bool operator>(T t) const { return TEST(v) > t; }
  template <class T> bool operator->*(T t) const { return TEST(v) > t; }
  template <class T> T operator()(T t) const { return TEST(v) + t; }
  P *operator->() { v = TEST(v); return this; }
};
}
template <class T> struct Box {
  template <class U> struct In {
    template <class V> int get(V v) { return TEST(int(v)); }
  };
  template <class V> Box(V v) { step(TEST(int(v))); }
};
template <> struct Box<char> { int get(int x) { return TEST(x); } };
extern "C" int ext(int x) { return TEST(x); }
}
namespace {
int hidden(int x) { return TEST(x); }
}
template <int N> int instance(int x) {
  struct Local { int get(int y) { return TEST(y); } } local;
  auto outer = [&](auto z) {
    auto inner = [&](int q) { return TEST(q); };
    return TEST(inner(int(z)));
  };
  return TEST(local.get(x)) + outer(x);
}
auto global = [](int x) { return TEST(x); };
struct { int operator()(int x) { return TEST(x); } } functor;
int main(int c, char **) {
  app::P p(c), q(c);
  app::Box<int> box(c);
  app::Box<int>::In<long> in;
  app::Box<char> special;
  auto lambda = [&](int x) { return TEST(x + c); };
  int (*pointer)(int) = [](int x) { return TEST(x); };
  int *number = p;
  std::vector<int> list;
  std::string text;
  std::map<int, int> map;
  for (int i = 0; i < 100 * c; ++i) { list.push_back(i); text += 'c'; map[i] = i; }
  return ((p < q) + (p < 3) + bool(p) + (p << 3) + (p > 3) + (p->*3) + p(4) + p->v + app::P::make(c)
    + in.get('c') + special.get(c) + app::ext(c) + hidden(c) + instance<3>(c) + lambda(c) + pointer(c)
    + global(c) + functor(c) + (number != nullptr) + list.back() + int(text.size() + map.size())) < 0;
}
"#;

/// What the lines of the program in `folder` call the functions that they are of, with whether it
/// was inlined.
fn names_of_lines(folder: &Path) -> BTreeSet<(String, bool)> {
    fs::remove_file(folder.join("run.pathprof")).ok();
    run(folder, &folder.join("program"), &[]);
    let json = run(folder, &bin("pathprof"), &["export", "--format", "json", "run.pathprof"]);
    let report: Value = serde_json::from_slice(&json).expect("JSON");
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let functions = list(&report["functions"]);
    let blocks = functions.iter().flat_map(|function| list(&function["blocks"]));
    let locations = blocks.flat_map(|block| list(&block["locations"]));
    let name = |at: Value| {
        let function = at["function"].as_str().expect("a name").to_owned();
        (function, at["inlined"].as_bool().expect("a truth"))
    };
    locations.map(name).collect()
}

#[test]
fn lines_have_the_names_that_people_say() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.cc"), SCOPES).expect("a file");
    let build = |flags: &[&str]| {
        let own = ["-std=c++20", "-g", "-w", "main.cc", "-o", "program"];
        run(folder.path(), &bin("pathc++"), &[&own, flags].concat());
        names_of_lines(folder.path())
    };
    let own = [
        "step",
        "main",
        "ext",
        "main::(lambda)",
        "main::(lambda)::__invoke",
        "(lambda)",
        "(anonymous struct)::operator()",
        "(anonymous namespace)::hidden",
        "app::P::P",
        "app::P::~P",
        "app::P::make",
        "app::operator<",
        "app::P::operator<",
        "app::P::operator<<",
        "app::P::operator>",
        "app::P::operator->*",
        "app::P::operator->",
        "app::P::operator()",
        "app::P::operator bool",
        "app::P::operator int *",
        "app::Box::Box",
        "app::Box::get",
        "app::Box::In::get",
        "instance",
        "instance::Local::get",
        "instance::(lambda)",
        "instance::(lambda)::(lambda)",
    ];
    let of_library =
        ["std::vector::push_back", "std::basic_string::operator+=", "std::map::operator[]"];
    let unoptimised = build(&["-O0"]);
    for name in own.iter().chain(&of_library) {
        assert!(unoptimised.contains(&((*name).into(), false)), "{name}: {unoptimised:#?}");
    }
    let optimised = build(&["-O2", "-fpath-stage=late"]);
    for name in ["(anonymous struct)::operator()", "app::P::operator->", "std::vector::push_back"] {
        assert!(optimised.contains(&(name.into(), true)), "{name}: {optimised:#?}");
    }
    let machine = build(&["-O2"]);
    for name in ["app::P::operator()", "app::P::make", "std::vector::push_back"] {
        assert!(machine.contains(&(name.into(), true)), "{name}: {machine:#?}");
    }
    for (name, _) in unoptimised.iter().chain(&optimised).chain(&machine) {
        assert!(!name.contains("__cxx11") && !name.contains("v1"), "{name}");
        let punctuation = name.split("operator").nth(1).is_some_and(|end| end.contains(['<', '>']));
        assert!(punctuation || !name.contains(['<', '>']), "{name}");
    }
}

#[test]
fn filters_know_the_names_of_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.cc"), SCOPES).expect("a file");
    let flags = ["-std=c++20", "-g", "-O0", "-w", "main.cc", "-o", "program"];
    run(folder.path(), &bin("pathc++"), &[&flags[..], &["-fpath-filter=app::P::make"]].concat());
    run(folder.path(), &folder.path().join("program"), &[]);
    let shown = |arguments: &[&str]| {
        let all = [arguments, &["--functions", "run.pathprof"]].concat();
        String::from_utf8_lossy(&run(folder.path(), &bin("pathprof"), &all)).into_owned()
    };
    let all = shown(&["report"]);
    assert!(all.contains("app::v1::P::make(int)"), "{all}");
    assert!(!all.contains("hidden("), "{all}");
    let chosen = shown(&["report", "--function", "app::P::make"]);
    assert!(chosen.contains("app::v1::P::make(int)"), "{chosen}");
}
