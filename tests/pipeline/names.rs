//! Names of functions as LLVM's own tool writes them, whatever C++ they come from.

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
