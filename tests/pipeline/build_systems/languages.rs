//! Programs of several languages, and libraries that a language loads.

use crate::project::{Project, SOURCE};

#[test]
fn what_other_compilers_made_counts_as_well() {
    let project = Project::new();
    project.put("sample.c", SOURCE);
    project.put("part.c", "int part(int x) { return x > 0; }\n");
    project.put(
        "main.rs",
        "extern \"C\" { fn part(x: i32) -> i32; }\nfn main() { unsafe { assert_eq!(part(3), 1) } }\n",
    );
    project.put("use.c", "int part(int);\nint main(void) { return part(3) - 1; }\n");
    let executed = |lines: &str, program: &str| {
        project.shell(&format!("{lines}; ./{program}"));
        let report = project.shell(&format!("pathprof report --functions {program}"));
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
    // Bitcode has counters if it becomes machine code without our options.
    for (name, lines) in [
        ("embedded", "pathcc -g -O2 -fembed-bitcode sample.c -o embedded"),
        (
            "later",
            "pathcc -g -O2 -emit-llvm -c sample.c -o later.bc; clang-22 -O2 -c later.bc; \
             pathcc later.o -o later",
        ),
    ] {
        assert!(executed(lines, name).contains("in 1 of 1 function"), "{name}");
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
    let project = Project::new();
    project.put("module.c", "int f(int x) { return x ? 1 : 2; }\n");
    let flags = "-O2 -std=gnu11 -ffreestanding -fno-pie -mno-red-zone -mcmodel=kernel -fno-stack-protector \
                 -fcf-protection=none -mno-sse -mno-80387 -fno-asynchronous-unwind-tables -c module.c";
    project.shell(&format!(
        "clang-22 {flags} -o plain.o; pathcc {flags} -o ours.o; cmp plain.o ours.o"
    ));
    project
        .shell("pathcc -ffreestanding -c module.c; readelf -S module.o | grep -q pathcc.manifest");
}

#[test]
fn c_code_of_go_is_counted() {
    let project = Project::new();
    project.put("go.mod", "module example.org/sample\n\ngo 1.19\n");
    project.put(
        "main.go",
        "package main\n\n// int part(int x);\nimport \"C\"\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(C.part(7)) }\n",
    );
    project.put("part.c", "int part(int x) { int n = 0; while (x--) n += x & 1; return n; }\n");
    project.shell("HOME=$PWD CC=pathcc go build -o sample .; test $(./sample) = 3");
    let report = project.shell("pathprof report --function part sample");
    let row =
        report.lines().find(|line| line.contains("part.c:1") && line.contains("loop: 1→loop 1"));
    assert_eq!(row.and_then(|row| row.split_whitespace().nth(1)), Some("6"), "{report}");
}

#[test]
fn a_module_of_node_is_counted() {
    let project = Project::new();
    project
        .put("binding.gyp", "{ 'targets': [{ 'target_name': 'part', 'sources': ['part.c'] }] }\n");
    project.put(
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
    if project.shell(&format!("{find}{able}")).is_empty() {
        eprintln!("skipped: this machine has no node-gyp or no headers of Node");
        return;
    }
    let build =
        "HOME=$PWD CC='pathcc -fpath-threads=atomic' CXX=pathc++ node $gyp rebuild --nodedir=$root";
    project.shell(&format!("{find}{build}"));
    project.shell("test \"$(node -p '[1, 2, 3].map(require(\"./build/Release/part.node\"))')\" = '[ 2, 2, 1 ]'",
    );
    let report = project.shell("pathprof report build/Release/part.node 2>&1");
    // The module is asked for its version, is made, and its function is called three times.
    assert!(
        report.contains("in 3 of 3 functions, 5 times in all") && !report.contains("warning"),
        "{report}"
    );
}

#[test]
fn an_extension_of_python_is_counted() {
    let project = Project::new();
    project.put(
        "part.c",
        "#include <Python.h>\n\
         static PyObject *f(PyObject *self, PyObject *x) { return PyLong_FromLong(PyLong_AsLong(x) > 2 ? 1 : 2); }\n\
         static PyMethodDef methods[] = {{\"f\", f, METH_O, \"\"}, {0}};\n\
         static PyModuleDef module = {PyModuleDef_HEAD_INIT, \"part\", 0, -1, methods};\n\
         PyMODINIT_FUNC PyInit_part(void) { return PyModule_Create(&module); }\n",
    );
    project.put(
        "setup.py",
        "from setuptools import Extension, setup\nsetup(name='part', ext_modules=[Extension('part', ['part.c'])])\n",
    );
    let able = "python3 -c 'import setuptools' && test -e $(python3 -c \
                'import sysconfig; print(sysconfig.get_path(\"include\"))')/Python.h && echo yes || :";
    if project.shell(able).is_empty() {
        eprintln!("skipped: this machine has no setuptools or no headers of Python");
        return;
    }
    let build =
        "CC=pathcc CXX=pathc++ LDSHARED='pathcc -shared' python3 setup.py build_ext --inplace";
    project.shell(build);
    project.shell("python3 -c 'import part; assert [part.f(x) for x in (1, 2, 3)] == [2, 2, 1]'");
    let report = project.shell("pathprof report part.*.so");
    // Once it was imported, and three times called.
    assert!(report.contains("in 2 of 2 functions, 4 times in all"), "{report}");
}
