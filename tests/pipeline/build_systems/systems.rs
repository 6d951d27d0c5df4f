//! What build systems ask of the compiler, of its objects and of the linker.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use pathtests::tree::bin;
use serde_json::Value;

use crate::project::{Project, SOURCE};

/// The lines of a file without what must differ: the compiler's name, and where and when the build
/// was made.
fn answers(folder: &Path, file: &str, compiler: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(file)).expect("configure writes it");
    let text = text.replace(compiler, "COMPILER").replace(&folder.display().to_string(), "FOLDER");
    text.lines().map(str::to_owned).collect()
}

const CONFIGURE: &str = "\
AC_INIT([sample], [1])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_MACRO_DIRS([m4])
AM_INIT_AUTOMAKE([foreign])
LT_INIT
AC_PROG_CC
AC_C_BIGENDIAN
AC_C_INLINE
AC_SYS_LARGEFILE
AC_CHECK_SIZEOF([long])
AC_CHECK_FUNCS([mmap strlcpy memmem])
AC_CHECK_HEADERS([stdint.h no/such.h])
AC_SEARCH_LIBS([sqrt], [m])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
";

const MAKEFILE: &str = "\
ACLOCAL_AMFLAGS = -I m4
lib_LTLIBRARIES = libsample.la
libsample_la_SOURCES = sample.c
libsample_la_LDFLAGS = -export-symbols-regex '^sample_'
bin_PROGRAMS = use
use_SOURCES = use.c
use_LDADD = libsample.la
";

#[test]
fn configure_and_libtool_find_the_same_with_every_linker() {
    let project = Project::new();
    let source = project.path("source");
    fs::create_dir(&source).expect("a folder");
    let put = |name: &str, text: &str| project.put(&format!("source/{name}"), text);
    put("configure.ac", CONFIGURE);
    put("Makefile.am", MAKEFILE);
    put(
        "sample.c",
        "int hidden(int x) { return x > 3; }\nint sample_f(int x) { return hidden(x) ? x : 4; }\n",
    );
    put(
        "use.c",
        "int sample_f(int);\nint main(int count, char **words) { return !words + sample_f(count) - 4; }\n",
    );
    shell(&source, "mkdir m4; autoreconf --install --warnings=none 2>/dev/null");
    let pathcc = bin("pathcc").display().to_string();
    for linker in ["bfd", "lld", "gold", "mold"] {
        let [plain, counted] = ["clang-22", &pathcc].map(|compiler| {
            let build = project.path(&format!("{linker}-{}", compiler.len()));
            fs::create_dir(&build).expect("a folder");
            let flags = format!("CC={compiler} LDFLAGS=-fuse-ld={linker}");
            shell(
                &build,
                &format!("../source/configure {flags} >/dev/null || {{ cat config.log; exit 1; }}"),
            );
            shell(&build, "make");
            shell(&build, "PATHCC_PROFILE=run.%e.pathprof ./use");
            let log = answers(&build, "config.log", compiler);
            let variables = log.iter().skip_while(|line| !line.starts_with("## Cache variables."));
            let variables = variables.take_while(|line| !line.starts_with("## confdefs.h."));
            let variables: Vec<_> = variables.cloned().collect();
            assert!(variables.len() > 50, "the answers are in the log");
            let exported =
                shell(&build, "nm -D --defined-only .libs/libsample.so | sed 's/^[0-9a-f]* //'");
            let counts = shell(&build, "ls -A . .libs | grep -c pathprof$ || :");
            let script = answers(&build, "libtool", compiler);
            ((variables, script, answers(&build, "config.h", compiler), exported), counts)
        });
        assert_eq!(counted.0, plain.0, "{linker}");
        assert_eq!(
            (plain.1.trim(), counted.1.trim()),
            ("0", "2"),
            "{linker}: the program's and the library's"
        );
    }
}

/// How a program `sample` is built by clang with our options, or by launchers, in the folder
/// `build`.
const BUILDS: [(&str, &str); 5] = [
    (
        "launchers",
        "cmake -S . -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_C_COMPILER_LAUNCHER=pathcc \
         -DCMAKE_C_LINKER_LAUNCHER=pathcc; cmake --build build",
    ),
    (
        "make",
        "make -C build -f /dev/null VPATH=.. CC=clang-22 CFLAGS=\"$(pathcc --cflags)\" LDFLAGS=\"$(pathcc --ldflags)\" sample",
    ),
    (
        "cmake",
        "cmake -S . -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_C_FLAGS=\"$(pathcc --cflags)\" \
         -DCMAKE_EXE_LINKER_FLAGS=\"$(pathcc --ldflags)\"; cmake --build build",
    ),
    (
        "meson",
        "meson setup --native-file $(dirname $(command -v pathcc))/../share/pathcc/meson.ini build; meson compile -C build",
    ),
    (
        "meson",
        "CC=clang-22 meson setup build -Dwerror=true -Dc_args=\"$(pathcc --cflags)\" \
         -Dc_link_args=\"$(pathcc --ldflags)\"; meson compile -C build",
    ),
];

#[test]
fn clang_counts_with_the_options_that_are_printed() {
    for (system, build) in BUILDS {
        let project = Project::new();
        fs::create_dir(project.path("build")).expect("a folder");
        project.put("sample.c", SOURCE);
        project.put(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\nproject(sample C)\nadd_executable(sample sample.c)\n",
        );
        project.put("meson.build", "project('sample', 'c')\nexecutable('sample', 'sample.c')\n");
        project.shell(build);
        project.shell("PATHCC_PROFILE=run.pathprof build/sample");
        let report = project.shell("pathprof report --functions run.pathprof");
        assert!(report.contains("main"), "{system}: {report}");
    }
}

#[test]
fn cmake_counts_the_targets_that_it_is_told() {
    let project = Project::new();
    project.put(
        "main.c",
        "int part(int);\nint main(int count, char **words) { return !words + part(count) - 1; }\n",
    );
    project.put("part.c", "int part(int x) { return x > 0; }\n");
    project.put("other.cc", "int main() { return 0; }\n");
    let lists = |counted: &str| {
        format!(
            "cmake_minimum_required(VERSION 3.20)\nproject(sample C CXX)\nadd_library(part STATIC part.c)\n\
             add_executable(sample main.c)\ntarget_link_libraries(sample part)\nadd_executable(other other.cc)\n\
             find_package(Pathcc REQUIRED)\npathcc_instrument({counted})\n"
        )
    };
    let clang = "-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22";
    let build = |flags: &str| {
        let cmake = format!("cmake -S . -B build {flags} && cmake --build build");
        project.shell(&format!("rm -rf build; {cmake}"));
        project.shell("build/sample; build/other; ls -A build | grep pathprof | sort")
    };
    let functions = || {
        let json = project.shell("pathprof export --format json build/sample");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let functions = json["functions"].as_array().expect("a list").iter();
        let mode = json["mode"].as_str().expect("a word").to_owned();
        (
            functions.map(|of| of["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>(),
            mode,
        )
    };
    project.put("CMakeLists.txt", &lists("sample"));
    assert_eq!(build(clang), "sample.pathprof\n");
    assert_eq!(functions(), (vec!["main".into()], "paths".into()));
    // Through a library that is linked into a program which is not counted itself.
    project.put("CMakeLists.txt", &lists("part OPTIONS -fpath-mode=blocks"));
    assert_eq!(build(clang), "sample.pathprof\n");
    assert_eq!(functions(), (vec!["part".into()], "blocks".into()));
    // Where everything is counted it changes nothing.
    let toolchain =
        "--toolchain $(dirname $(command -v pathcc))/../lib/cmake/Pathcc/toolchain.cmake";
    assert_eq!(build(toolchain), "other.pathprof\nsample.pathprof\n");
    // And the archiver knows the compiler's bitcode.
    assert_eq!(
        build(&format!("{toolchain} -DCMAKE_C_FLAGS=-flto")),
        "other.pathprof\nsample.pathprof\n"
    );
    project.put("CMakeLists.txt", &lists("sample OPTIONS -fpath-mode=none"));
    let told = project.shell(&format!("rm -rf build; cmake -S . -B build {clang} 2>&1 || :"));
    assert!(told.contains("-fpath-mode=none: unknown value 'none'"), "{told}");
    project.put("CMakeLists.txt", &lists("sample"));
    let told = project.shell("rm -rf build; CC=gcc CXX=g++ cmake -S . -B build 2>&1 || :");
    assert!(told.contains("pathcc counts"), "{told}");
}
