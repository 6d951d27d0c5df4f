//! Build systems find the same with pathcc as with clang: what they ask of the compiler, of its
//! objects and of the linker.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pathtests::shell::shell;
use pathtests::tree::bin;
use serde_json::Value;

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
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("source");
    fs::create_dir(&source).expect("a folder");
    let put = |name: &str, text: &str| fs::write(source.join(name), text).expect("a file");
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
            let build = folder.path().join(format!("{linker}-{}", compiler.len()));
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

const SOURCE: &str = "int main(int count, char **words) { return count > 3 ? 4 : !words; }\n";

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
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
        fs::create_dir(folder.join("build")).expect("a folder");
        put("sample.c", SOURCE);
        put(
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.20)\nproject(sample C)\nadd_executable(sample sample.c)\n",
        );
        put("meson.build", "project('sample', 'c')\nexecutable('sample', 'sample.c')\n");
        shell(folder, build);
        shell(folder, "PATHCC_PROFILE=run.pathprof build/sample");
        let report = shell(folder, "pathprof report --functions run.pathprof");
        assert!(report.contains("main"), "{system}: {report}");
    }
}

#[test]
fn cmake_counts_the_targets_that_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    put(
        "main.c",
        "int part(int);\nint main(int count, char **words) { return !words + part(count) - 1; }\n",
    );
    put("part.c", "int part(int x) { return x > 0; }\n");
    put("other.cc", "int main() { return 0; }\n");
    let project = |counted: &str| {
        format!(
            "cmake_minimum_required(VERSION 3.20)\nproject(sample C CXX)\nadd_library(part STATIC part.c)\n\
             add_executable(sample main.c)\ntarget_link_libraries(sample part)\nadd_executable(other other.cc)\n\
             find_package(Pathcc REQUIRED)\npathcc_instrument({counted})\n"
        )
    };
    let clang = "-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22";
    let build = |flags: &str| {
        let cmake = format!("cmake -S . -B build {flags} && cmake --build build");
        shell(folder, &format!("rm -rf build; {cmake}"));
        shell(folder, "build/sample; build/other; ls -A build | grep pathprof | sort")
    };
    let functions = || {
        let json = shell(folder, "pathprof export --format json build/sample");
        let json: Value = serde_json::from_str(&json).expect("JSON");
        let functions = json["functions"].as_array().expect("a list").iter();
        let mode = json["mode"].as_str().expect("a word").to_owned();
        (
            functions.map(|of| of["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>(),
            mode,
        )
    };
    put("CMakeLists.txt", &project("sample"));
    assert_eq!(build(clang), "sample.pathprof\n");
    assert_eq!(functions(), (vec!["main".into()], "paths".into()));
    // Through a library that is linked into a program which is not counted itself.
    put("CMakeLists.txt", &project("part OPTIONS -fpath-mode=blocks"));
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
    put("CMakeLists.txt", &project("sample OPTIONS -fpath-mode=none"));
    let told = shell(folder, &format!("rm -rf build; cmake -S . -B build {clang} 2>&1 || :"));
    assert!(told.contains("-fpath-mode=none: unknown value 'none'"), "{told}");
    put("CMakeLists.txt", &project("sample"));
    let told = shell(folder, "rm -rf build; CC=gcc CXX=g++ cmake -S . -B build 2>&1 || :");
    assert!(told.contains("pathcc counts"), "{told}");
}

#[test]
fn what_other_compilers_made_counts_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    put("sample.c", SOURCE);
    put("part.c", "int part(int x) { return x > 0; }\n");
    put(
        "main.rs",
        "extern \"C\" { fn part(x: i32) -> i32; }\nfn main() { unsafe { assert_eq!(part(3), 1) } }\n",
    );
    put("use.c", "int part(int);\nint main(void) { return part(3) - 1; }\n");
    let executed = |lines: &str, program: &str| {
        shell(folder, &format!("{lines}; ./{program}"));
        let report = shell(folder, &format!("pathprof report --functions {program}"));
        report
            .lines()
            .filter(|line| line.starts_with("paths "))
            .map(str::to_owned)
            .collect::<String>()
    };
    // LLVM's own languages.
    for (made, suffix) in [("-S -emit-llvm", "ll"), ("-c -emit-llvm", "bc")] {
        let lines = format!(
            "clang-22 -g -O1 {made} sample.c -o sample.{suffix}; pathcc -O1 sample.{suffix} -o {suffix}"
        );
        assert!(executed(&lines, suffix).contains("in 1 of 1 function"), "{suffix}");
    }
    // Rust links what pathcc has compiled, with pathcc as its linker.
    let lines = "pathcc -g -c part.c; ar rcs libpart.a part.o; \
                 rustc -Clinker=pathcc -L. -lstatic=part main.rs -o rust";
    assert!(executed(lines, "rust").contains("in 1 of 1 function"));
    // gcc and g++ find the linker by -B.
    for compiler in ["gcc", "g++"] {
        let lines = format!(
            "mkdir -p linker; ln -sf $(command -v ld.pathld) linker/ld; pathcc -g -c part.c; \
             gcc -c use.c; {compiler} -Blinker use.o part.o -o {compiler}"
        );
        assert!(executed(&lines, compiler).contains("in 1 of 1 function"), "{compiler}");
    }
}

#[test]
fn code_of_a_kernel_is_compiled_as_without_us() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("module.c"), "int f(int x) { return x ? 1 : 2; }\n").expect("a file");
    let flags = "-O2 -std=gnu11 -ffreestanding -fno-pie -mno-red-zone -mcmodel=kernel -fno-stack-protector \
                 -fcf-protection=none -mno-sse -mno-80387 -fno-asynchronous-unwind-tables -c module.c";
    shell(
        folder,
        &format!("clang-22 {flags} -o plain.o; pathcc {flags} -o ours.o; cmp plain.o ours.o"),
    );
    shell(
        folder,
        "pathcc -ffreestanding -c module.c; readelf -S module.o | grep -q pathcc.manifest",
    );
}

#[test]
fn c_code_of_go_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    put("go.mod", "module example.org/sample\n\ngo 1.19\n");
    put(
        "main.go",
        "package main\n\n// int part(int x);\nimport \"C\"\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(C.part(7)) }\n",
    );
    put("part.c", "int part(int x) { int n = 0; while (x--) n += x & 1; return n; }\n");
    shell(folder, "HOME=$PWD CC=pathcc go build -o sample .; test $(./sample) = 3");
    let report = shell(folder, "pathprof report --function part sample");
    let row =
        report.lines().find(|line| line.contains("part.c:1") && line.contains("loop: 1→loop 1"));
    assert_eq!(row.and_then(|row| row.split_whitespace().nth(1)), Some("5"), "{report}");
}

#[test]
fn a_module_of_node_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    put("binding.gyp", "{ 'targets': [{ 'target_name': 'part', 'sources': ['part.c'] }] }\n");
    put(
        "part.c",
        "#include <node_api.h>\n\
         static napi_value f(napi_env env, napi_callback_info info) {\n\
         size_t count = 1;\n\
         napi_value argument, result;\n\
         int32_t x;\n\
         napi_get_cb_info(env, info, &count, &argument, NULL, NULL);\n\
         napi_get_value_int32(env, argument, &x);\n\
         napi_create_int32(env, x > 2 ? 1 : 2, &result);\n\
         return result;\n\
         }\n\
         NAPI_MODULE_INIT() {\n\
         napi_value function;\n\
         napi_create_function(env, NULL, 0, f, NULL, &function);\n\
         return function;\n\
         }\n",
    );
    let find = "root=$(dirname $(dirname $(command -v node)))\n\
                gyp=$(npm root -g 2>/dev/null)/npm/node_modules/node-gyp/bin/node-gyp.js\n";
    let able = "test -e $root/include/node/node_api.h && test -e $gyp && echo yes || :";
    if shell(folder, &format!("{find}{able}")).is_empty() {
        eprintln!("skipped: this machine has no node-gyp or no headers of Node");
        return;
    }
    let build =
        "HOME=$PWD CC='pathcc -fpath-threads=atomic' CXX=pathc++ node $gyp rebuild --nodedir=$root";
    shell(folder, &format!("{find}{build}"));
    shell(
        folder,
        "test \"$(node -p '[1, 2, 3].map(require(\"./build/Release/part.node\"))')\" = '[ 2, 2, 1 ]'",
    );
    let report = shell(folder, "pathprof report build/Release/part.node 2>&1");
    // The module is asked for its version, is made, and its function is called three times.
    assert!(
        report.contains("in 3 of 3 functions, 5 times in all") && !report.contains("warning"),
        "{report}"
    );
}

#[test]
fn an_extension_of_python_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    put(
        "part.c",
        "#include <Python.h>\n\
         static PyObject *f(PyObject *self, PyObject *x) { return PyLong_FromLong(PyLong_AsLong(x) > 2 ? 1 : 2); }\n\
         static PyMethodDef methods[] = {{\"f\", f, METH_O, \"\"}, {0}};\n\
         static PyModuleDef module = {PyModuleDef_HEAD_INIT, \"part\", 0, -1, methods};\n\
         PyMODINIT_FUNC PyInit_part(void) { return PyModule_Create(&module); }\n",
    );
    put(
        "setup.py",
        "from setuptools import Extension, setup\nsetup(name='part', ext_modules=[Extension('part', ['part.c'])])\n",
    );
    let able = "python3 -c 'import setuptools' && test -e $(python3 -c \
                'import sysconfig; print(sysconfig.get_path(\"include\"))')/Python.h && echo yes || :";
    if shell(folder, able).is_empty() {
        eprintln!("skipped: this machine has no setuptools or no headers of Python");
        return;
    }
    let build =
        "CC=pathcc CXX=pathc++ LDSHARED='pathcc -shared' python3 setup.py build_ext --inplace";
    shell(folder, build);
    shell(folder, "python3 -c 'import part; assert [part.f(x) for x in (1, 2, 3)] == [2, 2, 1]'");
    let report = shell(folder, "pathprof report part.*.so");
    // Once it was imported, and three times called.
    assert!(report.contains("in 2 of 2 functions, 4 times in all"), "{report}");
}

#[test]
fn a_link_by_pathld_in_which_nothing_counts_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("sample.c"), SOURCE).expect("a file");
    let [pathcc, pathld] = ["pathcc", "ld.pathld"].map(|name| bin(name).display().to_string());
    let link = |command: &str| shell(folder, &format!("{command} -o sample 2>&1; ./sample"));
    let told = "pathld: warning: none of the inputs counts its paths: compile them with pathcc (CC=pathcc CXX=pathc++), or \
                with the options that `pathcc --cflags` prints\n";
    shell(folder, &format!("clang-22 -c sample.c -o plain.o; {pathcc} -c sample.c -o counted.o"));
    assert_eq!(link(&format!("clang-22 --ld-path={pathld} plain.o")), told);
    assert_eq!(link(&format!("clang-22 --ld-path={pathld} counted.o")), "");
    // Who links with pathcc may have reasons.
    assert_eq!(link(&format!("{pathcc} plain.o")), "");
    assert_eq!(link(&format!("PATHCC_DISABLE=1 clang-22 --ld-path={pathld} plain.o")), "");
}

#[test]
fn a_compiler_cache_behind_pathcc_sees_every_setting() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("sample.c"), SOURCE).expect("a file");
    let [pathcc, pathprof] = ["pathcc", "pathprof"].map(|name| bin(name).display().to_string());
    let compile = |variables: &str, options: &str| {
        let [cached, plain] =
            [("ccache clang-22", "cached"), ("clang-22", "plain")].map(|(compiler, name)| {
                let line = format!("{pathcc} {compiler} -g {options} -c sample.c -o");
                shell(
                    folder,
                    &format!("export CCACHE_DIR=$PWD/cache; {variables} {line} {name}.o"),
                );
                fs::read(folder.join(format!("{name}.o"))).expect("it is compiled")
            });
        assert!(cached == plain, "{variables} {options}");
        cached
    };
    let hits = || {
        let counters = shell(folder, "CCACHE_DIR=$PWD/cache ccache --print-stats");
        let count = |name: &str| {
            counters.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok())
        };
        count("direct_cache_hit").expect("a counter")
            + count("preprocessed_cache_hit").expect("a counter")
    };
    let weights = || {
        shell(
            folder,
            &format!("{pathcc} -g sample.c -o sample; PATHCC_PROFILE=run.pathprof ./sample"),
        );
        shell(folder, &format!("{pathprof} weights -o sample.weights *.pathprof"));
    };
    let paths = compile("", "");
    assert!(compile("", "") == paths);
    assert_eq!(hits(), 1, "the same again is in the cache");
    fs::write(folder.join("pathcc.toml"), "mode = \"blocks\"\n").expect("a file");
    let blocks = compile("", "");
    assert!(
        blocks != paths
            && compile("PATHCC_DISABLE=1", "") != blocks
            && compile("PATHCC_CONFIG=off", "") == paths
    );
    weights();
    compile("", "-fpath-use=sample.weights");
    weights();
    compile("", "-fpath-use=sample.weights");
    assert_eq!(hits(), 2, "only what was compiled with the same settings is in the cache");
}

#[test]
fn caches_and_machines_that_compile_for_others_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // The daemon of distcc is another user, who must be able to reach the tree.
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("ours");
    fs::write(folder.join("sample.c"), SOURCE).expect("a file");
    let executed = |compile: &str| {
        let lines = format!(
            "mkdir -m 755 -p tree log; chmod 777 log
             cp -a $(dirname $(command -v pathcc))/../bin $(dirname $(command -v pathcc))/../lib tree/
             PATH=$PWD/tree/bin:$PATH; export PATH
             {compile}
             pathcc sample.o -o sample; ./sample; pathprof report sample; rm sample.pathprof sample.o"
        );
        let report = shell(folder, &lines);
        assert!(report.contains("in 1 of 1 function, once in all"), "{report}");
    };
    executed(
        "port=$((20000 + $$ % 20000)); user=$(id -un); test $user != root || user=nobody
         distccd --daemon --no-detach --port $port --listen 127.0.0.1 --allow 127.0.0.1 \\
             --enable-tcp-insecure --user $user --log-file $PWD/log/log --verbose 2>/dev/null & daemon=$!
         trap 'kill $daemon' EXIT
         for i in $(seq 300); do grep -q 'daemon started' log/log 2>/dev/null && break; sleep 0.1; done
         export DISTCC_DIR=$PWD/distcc DISTCC_HOSTS=127.0.0.1:$port DISTCC_FALLBACK=0; mkdir distcc
         distcc pathcc -g -c sample.c -o sample.o
         for i in $(seq 300); do grep -q COMPILE_OK log/log && break; sleep 0.1; done; grep -q COMPILE_OK log/log",
    );
    executed(
        "export SCCACHE_DIR=$PWD/cache SCCACHE_SERVER_PORT=$((20000 + $$ % 20000))
         trap 'sccache --stop-server >/dev/null' EXIT
         sccache pathcc -g -c sample.c -o sample.o; sccache pathcc -g -c sample.c -o sample.o
         sccache --show-stats | grep -q 'Cache hits  *1$'",
    );
}

#[test]
fn bitcode_is_counted_by_the_linker_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    let main = "int work(int);\nint main(void) {\n    int sum = 0;\n    for (int i = 0; i < 100; i++) sum += work(i);\n    \
                return sum == 3;\n}\n";
    put("main.c", main);
    let opaque = "__asm__ volatile(\"\" : \"+r\"(x));";
    put(
        "work.c",
        &format!(
            "__attribute__((noinline)) int work(int x) {{ {opaque} return x % 3 ? x : x * 2; }}\n"
        ),
    );
    let entries = || {
        let report = shell(folder, "pathprof export --format json *.pathprof; rm -f *.pathprof");
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
            shell(
                folder,
                &format!("{build} 2>log; test ! -s log || {{ cat log; exit 1; }}; ./sample"),
            );
            assert_eq!(entries(), expected, "{level} {lto}: {what}");
        }
    }
    let told = |options: &str, text: &str| {
        let link = format!("clang-22 {options} -fuse-ld=pathld main.c work.c -o sample");
        shell(folder, &format!("{link} 2>log || :; grep -q -- '{text}' log"));
    };
    // Without link-time optimisation the machine code is linked.
    let link = "clang-22 -fuse-ld=pathld main.o work.o -o sample 2>log || :; grep -q 'none of the inputs counts' log";
    shell(folder, &format!("clang-22 -flto -ffat-lto-objects -c main.c work.c; {link}"));
    // Thin link-time optimisation runs no plugin at -O0.
    told("-O0 -flto=thin", "^pathld: warning: none of the inputs counts");
    told("-flto -Wl,--no-such-option", "no-such-option");
}

/// PostgreSQL's libpq stops its build if `nm` shows that it names such a function.
#[test]
fn a_library_names_no_function_that_ends_the_process() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    fs::write(folder.join("lib.c"), "int f(int x) { return x ? 1 : 2; }\n").expect("writable");
    for linker in ["lld", "bfd", "gold", "mold"] {
        let line = format!("pathcc -shared -fPIC -fuse-ld={linker} lib.c -o lib.so; nm -u lib.so");
        let named = shell(folder, &line);
        assert!(named.contains("pthread_create"), "{linker}: the runtime is there: {named}");
        assert!(!named.contains("exit"), "{linker}: {named}");
    }
}
