//! What manifests say of units: how far they were optimised, where their system headers are, and
//! which functions the filter lets through. clang itself says which directories it searches as
//! those of the system.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use pathformat::manifest::{Function, Manifest};
use pathtests::image::{self, Modules};
use pathtests::tree::bin;

fn run(folder: &Path, program: &Path, words: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).envs(variables.iter().copied());
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The manifest of the object that `pathcc` makes of `main.cc` with these words.
fn manifest(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Manifest {
    let words = [words, &["-g", "-c", "main.cc", "-o", "main.o"]].concat();
    run(folder, &bin("pathcc"), &words, variables);
    let mut modules = Modules::new();
    image::read(&folder.join("main.o"), &mut modules).expect("a manifest");
    modules.into_values().next().expect("a unit")
}

fn source() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("main.cc"), "int main() {}\n").expect("writable");
    folder
}

#[test]
fn a_unit_knows_its_level() {
    let folder = source();
    let levels = [
        ("-O0", "O0"),
        ("-Og", "O1"),
        ("-O1", "O1"),
        ("-O2", "O2"),
        ("-O3", "O3"),
        ("-Ofast", "O3"),
        ("-Os", "Os"),
        ("-Oz", "Oz"),
    ];
    for stage in ["-fpath-stage=late", "-fpath-stage=early"] {
        for (flag, level) in levels {
            let manifest = manifest(folder.path(), &[stage, flag], &[]);
            assert_eq!(manifest.level.name(), level, "{stage} {flag}");
        }
    }
    // Behind clang's own profiler.
    for (flag, level) in [("-O0", "O0"), ("-O2", "O2"), ("-Os", "Os")] {
        let words = ["-fpath-stage=early", flag, "-fprofile-generate"];
        assert_eq!(manifest(folder.path(), &words, &[]).level.name(), level, "{flag}");
    }
}

/// Names directories that are the user's.
const USERS: [(&str, &str); 1] = [("CPATH", "user")];

/// The directories that clang searches as those of the system, and not of itself.
fn searched(folder: &Path, words: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let list = |words: &[&str], variables: &[(&str, &str)]| -> Vec<String> {
        let words = [words, &["-v", "-fsyntax-only", "main.cc"]].concat();
        let variables = [variables, &[("PATHCC_DISABLE", "1")]].concat();
        let said = run(folder, &bin("pathcc"), &words, &variables).stderr;
        let said = String::from_utf8(said).expect("text");
        let (_, found) = said.split_once("#include <...> search starts here:\n").expect("a list");
        let (found, _) = found.split_once("End of search list.").expect("its end");
        found.lines().map(|line| line.trim().to_owned()).collect()
    };
    let own = list(&[], &USERS);
    list(words, variables).into_iter().filter(|directory| !own.contains(directory)).collect()
}

/// Options, and the variables of the environment that go with them.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);

#[test]
fn a_unit_knows_where_its_system_headers_are() {
    let folder = source();
    for directory in ["a", "b", "c", "d", "e", "f", "pre/g", "s/usr/include", "s/h", "s/i", "user"]
    {
        fs::create_dir_all(folder.path().join(directory)).expect("writable");
    }
    let variables = [("CPLUS_INCLUDE_PATH", "f:b"), USERS[0]];
    let cases: [Case<'_>; 5] = [
        (&[], &[]),
        (&["-isystem", "a", "-isystemb", "-isystem-after", "c"], &[]),
        (&["-cxx-isystem", "c", "-idirafter", "d", "--include-directory-after=e"], &variables),
        (
            &["-iprefix", "pre/", "-iwithprefix", "g", "-iwithprefixbefore", "g"],
            &[("C_INCLUDE_PATH", "")],
        ),
        (&["--sysroot=s", "-isystem", "=/h", "-iwithsysroot", "/i", "-isystem", "a"], &[]),
    ];
    for (words, variables) in cases {
        let mut searched = searched(folder.path(), words, variables);
        let manifest = manifest(folder.path(), words, variables);
        assert_eq!(
            Path::new(&manifest.directory),
            folder.path().canonicalize().expect("it is there")
        );
        let is_there = |directory: &&String| folder.path().join(directory).is_dir();
        let mut told: Vec<_> =
            manifest.system_directories.iter().filter(is_there).cloned().collect();
        searched.sort();
        told.sort();
        assert_eq!(told, searched, "{words:?} {variables:?}");
    }
}

const NAMES: &str = r#"
namespace a { template <class T, class U> struct Box { T take(U) { return T(); }
  T operator[](U) { return T(); } }; template <class T> T twice(T t) { return t + t; } }
template struct a::Box<int, char>; template int a::twice<int>(int);
int plain(int x) { return x; }
int main() { return 0; }
"#;

#[test]
fn a_filter_means_functions_by_their_source_names() {
    let folder = source();
    fs::write(folder.path().join("main.cc"), NAMES).expect("writable");
    let counted = |filter: &str| {
        let filter = format!("-fpath-filter={filter}");
        let functions = manifest(folder.path(), &[&filter], &[]).functions;
        let counted = functions.into_iter().filter(|function| function.skipped.is_none());
        let name = |of: Function| if of.short_name.is_empty() { of.name } else { of.short_name };
        let mut names: Vec<_> = counted.map(name).collect();
        names.sort();
        names.join(" ")
    };
    let take = "a::Box<int, char>::take";
    let at = "a::Box<int, char>::operator[]";
    let all = format!("{at} {take} a::twice<int> main plain");
    assert_eq!(counted("*"), all);
    assert_eq!(counted("main.cc"), all);
    for filter in ["take", "a::Box::take", "_ZN1a3Box*take*", "*Box<*>::take"] {
        assert_eq!(counted(filter), take, "{filter}");
    }
    assert_eq!(counted("operator[]"), at);
    for filter in ["twice", "a::twice", "int a::twice<int>(int)"] {
        assert_eq!(counted(filter), "a::twice<int>", "{filter}");
    }
    assert_eq!(counted("*,!a::*"), "main plain");
    assert_eq!(counted("plain,main,!main"), "plain");
    assert_eq!(counted("nothing"), "");
}

const BRANCHES: &str = r#"
extern "C" int puts(const char *);
int main(int count, char **) {
  switch (count) { case 1: puts("one"); break; case 2: puts("two"); }
  return count > 3 ? count * 2 : count;
}
"#;

#[test]
fn blocks_have_their_intermediate_language_if_asked_for() {
    let folder = source();
    fs::write(folder.path().join("main.cc"), BRANCHES).expect("writable");
    for level in ["-O0", "-O2"] {
        let plain = manifest(folder.path(), &[level], &[]);
        assert!(plain.functions[0].blocks.iter().all(|block| block.ir.is_empty()));
        let blocks = &manifest(folder.path(), &[level, "-fpath-ir=yes"], &[]).functions[0].blocks;
        assert!(blocks.len() > 3);
        for block in blocks {
            let (label, instructions) = block.ir.split_first().expect("a label");
            let text = instructions.join("\n");
            assert!(label.ends_with(':') && !label.starts_with('%'), "{label}");
            // Before counting, and without what leads into metadata.
            assert!(!text.contains("pathcc") && !text.contains("!dbg"), "{text}");
            for (opcode, count) in &block.opcodes {
                let starts = |line: &&String| {
                    let line = line.split_once(" = ").map_or(line.as_str(), |(_, rest)| rest);
                    let words = line.trim_start_matches("tail ");
                    words.strip_prefix(&**opcode).is_some_and(|rest| !rest.starts_with('.'))
                };
                let found = instructions.iter().filter(starts).count();
                let is_intrinsic = opcode.contains('.');
                assert!(is_intrinsic || found == *count as usize, "{opcode} {count}: {text}");
            }
            for call in &block.calls {
                assert!(text.contains(&format!("@{}(", call.callee)), "{text}");
            }
        }
    }
}
