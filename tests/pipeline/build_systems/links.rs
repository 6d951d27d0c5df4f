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
    const ENDS: [&str; 6] = ["exit", "_exit", "_Exit", "quick_exit", "abort", "exit_group"];
    let project = Project::new();
    project.put("lib.c", "int f(int x) { return x ? 1 : 2; }\n");
    for linker in ["lld", "bfd", "gold", "mold"] {
        let line = format!("pathcc -shared -fPIC -fuse-ld={linker} lib.c -o lib.so; nm -u lib.so");
        let named = project.shell(&line);
        assert!(named.contains("pthread_create"), "{linker}: the runtime is there: {named}");
        let names = named.split_whitespace().filter_map(|name| name.split('@').next());
        let ends: Vec<_> = names.filter(|name| ENDS.contains(name)).collect();
        assert!(ends.is_empty(), "{linker}: {ends:?}");
    }
}

/// A program without a C library, and so without a thread pointer.
const ALONE: &str = r#"
static long call(long n, long a, long b, long c) {
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
int work(int);
void start(void) {
    int s = 0;
    for (int i = 0; i < 30; i++) s += work(i);
    char text[3] = {'0' + s / 10, '0' + s % 10, '\n'};
    call(1, 1, (long)text, 3);
    call(231, 0, 0, 0);
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n and $-16, %rsp\n call start\n hlt\n");
"#;

/// Loaders and flat images keep only what their linker script names.
#[test]
fn a_script_that_discards_everything_else_is_followed() {
    let project = Project::new();
    project.put("alone.c", ALONE);
    project.put("work.c", "__attribute__((noinline)) int work(int i) { return i % 3 ? 1 : 2; }\n");
    let script = |discarded: &str| {
        format!(
            "ENTRY(_start)\nSECTIONS {{\n  . = 0x400000 + SIZEOF_HEADERS;\n  \
             .text : {{ *(.text*) }}\n  . = ALIGN(4096);\n  .rodata : {{ *(.rodata*) }}\n  \
             .data : {{ *(.data*) }}\n  .bss : {{ *(.bss*) *(COMMON) }}\n  \
             /DISCARD/ : {{ {discarded} }}\n}}\n"
        )
    };
    let discarded = "*(.pathcc*) *(.tdata*) *(.tbss*) *(.init_array*) *(.note*) *(.comment) \
                     *(.eh_frame*)";
    project.put("all.ld", &script("*(*)"));
    project.put("some.ld", &script(discarded));
    let told = "pathld: warning: NAME.ld: this linker script discards sections that counting needs; the program is linked, \
                but its paths are not counted\n";
    for (linker, name) in [("bfd", "all"), ("gold", "all"), ("lld", "some")] {
        let all = [
            "-O2 -fno-pic",
            "-O2 -fPIC",
            "-O0 -fpath-stage=early",
            "-O2 -fpath-mode=blocks",
            "-O2 -fpath-threads=single",
        ];
        for flags in if linker == "bfd" { &all } else { &all[..3] } {
            let link = format!(
                "pathcc -nostdlib -static -fuse-ld={linker} -Wl,-T,{name}.ld,--build-id=none"
            );
            let printed = project.shell(&format!(
                "pathcc {flags} -ffreestanding -c alone.c work.c; rm -f libwork.a; ar rcs libwork.a work.o; \
                 {link} alone.o work.o -o one 2>&1; ./one; {link} alone.o -L. -lwork -o two 2>&1; ./two"
            ));
            let once = format!("{}40\n", told.replace("NAME", name));
            assert_eq!(printed, once.repeat(2), "{linker} {name} {flags}");
        }
    }
}
