//! What the linker makes of what others compiled.

use std::collections::BTreeMap;

use pathtests::tree::bin;
use serde_json::Value;

use crate::project::{Project, SOURCE};

#[test]
fn a_link_by_pathld_in_which_nothing_counts_says_so() {
    let project = Project::new();
    project.put("sample.c", SOURCE);
    let [pathcc, pathld] = ["pathcc", "ld.pathld"].map(|name| bin(name).display().to_string());
    let link = |command: &str| project.shell(&format!("{command} -o sample 2>&1; ./sample"));
    let told = "pathld: warning: none of the inputs counts its paths: compile them with pathcc (CC=pathcc CXX=pathc++), or \
                with the options that `pathcc --cflags` prints\n";
    project.shell(&format!("clang-22 -c sample.c -o plain.o; {pathcc} -c sample.c -o counted.o"));
    assert_eq!(link(&format!("clang-22 --ld-path={pathld} plain.o")), told);
    assert_eq!(link(&format!("clang-22 --ld-path={pathld} counted.o")), "");
    // Who links with pathcc may have reasons.
    assert_eq!(link(&format!("{pathcc} plain.o")), "");
    assert_eq!(link(&format!("PATHCC_DISABLE=1 clang-22 --ld-path={pathld} plain.o")), "");
}

#[test]
fn bitcode_is_counted_by_the_linker_alone() {
    let project = Project::new();
    let main = "int work(int);\nint main(void) {\n    int sum = 0;\n    for (int i = 0; i < 100; i++) sum += work(i);\n    \
                return sum == 3;\n}\n";
    project.put("main.c", main);
    let opaque = "__asm__ volatile(\"\" : \"+r\"(x));";
    project.put(
        "work.c",
        &format!(
            "__attribute__((noinline)) int work(int x) {{ {opaque} return x % 3 ? x : x * 2; }}\n"
        ),
    );
    let entries = || {
        let report = project.shell("pathprof export --format json *.pathprof; rm -f *.pathprof");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let functions = report["functions"].as_array().expect("a list").iter();
        let entries = functions
            .map(|of| (of["name"].as_str().expect("a name").to_owned(), of["entries"].as_u64()));
        entries.collect::<BTreeMap<_, _>>()
    };
    let expected: BTreeMap<_, _> =
        [("main".to_owned(), Some(1)), ("work".to_owned(), Some(100))].into();
    for (level, lto) in [("-O0", "-flto"), ("-O2", "-flto"), ("-O2", "-flto=thin")] {
        let clang = format!("clang-22 {level} -g {lto}");
        let link = format!("{clang} -fuse-ld=pathld -o");
        for (what, build) in [
            ("objects", format!("{link} sample main.c work.c")),
            (
                "an archive",
                format!("{clang} -c work.c; ar rcs work.a work.o; {link} sample main.c work.a"),
            ),
            (
                "a library",
                format!(
                    "{link} libwork.so -fPIC -shared work.c; {link} sample main.c ./libwork.so"
                ),
            ),
            (
                "bitcode with counters",
                format!("pathcc {level} -g {lto} -c main.c work.c; {link} sample main.o work.o"),
            ),
            (
                "bitcode that pathcc links",
                format!("{clang} -c main.c work.c; pathcc {level} {lto} -o sample main.o work.o"),
            ),
            (
                "an object with counters",
                format!("pathcc {level} -g -c main.c; {link} sample main.o work.c"),
            ),
            (
                "bitcode beside machine code",
                format!("{clang} -ffat-lto-objects -c main.c work.c; {link} sample main.o work.o"),
            ),
            (
                "such objects, with the option",
                format!(
                    "{clang} -ffat-lto-objects -c main.c work.c; {link} sample -ffat-lto-objects main.o work.o"
                ),
            ),
        ] {
            project.shell(&format!(
                "{build} 2>log; test ! -s log || {{ cat log; exit 1; }}; ./sample"
            ));
            assert_eq!(entries(), expected, "{level} {lto}: {what}");
        }
    }
    for lto in ["-flto=thin", "-flto"] {
        let told = project.shell(&format!(
            "clang-22 -O2 -g {lto} -c work.c; pathcc -O2 -g {lto} -c main.c; \
             pathcc {lto} -o sample main.o work.o 2>&1; ./sample"
        ));
        if lto == "-flto" {
            assert!(told.contains("full link-time optimisation joins"), "{told}");
        } else {
            assert_eq!((&*told, entries()), ("", expected.clone()));
        }
    }
    let told = |options: &str, text: &str| {
        let link = format!("clang-22 {options} -fuse-ld=pathld main.c work.c -o sample");
        project.shell(&format!("{link} 2>log || :; grep -q -- '{text}' log"));
    };
    // Without link-time optimisation the machine code is linked.
    let link = "clang-22 -fuse-ld=pathld main.o work.o -o sample 2>log || :; grep -q 'none of the inputs counts' log";
    project.shell(&format!("clang-22 -flto -ffat-lto-objects -c main.c work.c; {link}"));
    // Thin link-time optimisation runs no plugin at -O0.
    told("-O0 -flto=thin", "^pathld: warning: none of the inputs counts");
    told("-flto -Wl,--no-such-option", "no-such-option");
}

/// PostgreSQL's libpq stops its build if `nm` shows that it names such a function.
#[test]
fn a_library_names_no_function_that_ends_the_process() {
    let project = Project::new();
    project.put("lib.c", "int f(int x) { return x ? 1 : 2; }\n");
    for linker in ["lld", "bfd", "gold", "mold"] {
        let line = format!("pathcc -shared -fPIC -fuse-ld={linker} lib.c -o lib.so; nm -u lib.so");
        let named = project.shell(&line);
        assert!(named.contains("pthread_create"), "{linker}: the runtime is there: {named}");
        assert!(!named.contains("exit"), "{linker}: {named}");
    }
}
