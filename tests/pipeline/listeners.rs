//! Frameworks of tests, and the programs that run tests: each test has its label.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use tempfile::TempDir;

/// What is tested.
const TESTED: &str = r#"
__attribute__((noinline)) inline int sign(int x) { if (x < 0) return -1; return x > 0; }
"#;

fn scene(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("writable");
    }
    folder
}

/// How often a function was entered under each label, by label.
fn entries(folder: &Path, function: &str, of: &str) -> Vec<(String, u64)> {
    let labels = shell(folder, &format!("pathprof labels --top 0 --format csv --all {of}"));
    let labels = labels.lines().skip(1).filter_map(|row| row.rsplit_once(','));
    let mut found: Vec<(String, u64)> = Vec::new();
    for (_, label) in labels {
        let label = label.trim_matches('"');
        let rows = format!("--functions --system --top 0 --format csv --all --label '{label}'");
        let rows = shell(folder, &format!("pathprof report {rows} {of} 2>/dev/null || true"));
        let row = rows.lines().find(|row| row.contains(function)).map(str::to_owned);
        let count = row.and_then(|row| row.split(',').nth(1)?.parse().ok()).unwrap_or(0);
        if count > 0 && label != "(none)" {
            found.push((label.to_owned(), count));
        }
    }
    found.sort();
    found
}

fn expected(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
    counts.iter().map(|&(label, count)| (label.to_owned(), count)).collect()
}

const FLAGS: &str = "pathc++ -std=c++17 -g -O0 -fpath-filter='!/usr/**'";

#[test]
fn googletest() {
    let program = format!(
        r#"{TESTED}
#include <pathcc/googletest.h>
TEST(Sign, OfNegatives) {{ EXPECT_EQ(sign(-3), -1); EXPECT_EQ(sign(-1), -1); }}
TEST(Sign, OfZero) {{ EXPECT_EQ(sign(0), 0); }}
struct Each : ::testing::TestWithParam<int> {{}};
TEST_P(Each, IsOne) {{ EXPECT_EQ(sign(GetParam()), 1); }}
INSTANTIATE_TEST_SUITE_P(Some, Each, ::testing::Values(1, 2));
"#
    );
    let folder = scene(&[("tests.cpp", &program)]);
    let folder = folder.path();
    shell(folder, &format!("{FLAGS} tests.cpp -o tests -lgtest -lgtest_main -pthread && ./tests"));
    let counts = [
        ("Sign.OfNegatives", 2),
        ("Sign.OfZero", 1),
        ("Some/Each.IsOne/0", 1),
        ("Some/Each.IsOne/1", 1),
    ];
    assert_eq!(entries(folder, "sign", "tests"), expected(&counts));
    let path = shell(folder, "pathprof labels --path 'sign#2' --format csv tests");
    assert!(path.contains("Sign.OfNegatives"), "{path}");
    // Without pathcc nothing is different.
    shell(
        folder,
        "clang++-22 -std=c++17 -I \"$(dirname \"$(which pathcc)\")/../include\" tests.cpp -o plain \
         -lgtest -lgtest_main -pthread && ./plain && test ! -e plain.pathprof",
    );
}

#[test]
fn catch2() {
    let program = format!(
        r#"{TESTED}
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <pathcc/catch2.h>
TEST_CASE("signs of negatives") {{ CHECK(sign(-3) == -1); CHECK(sign(-1) == -1); }}
TEST_CASE("sections") {{
  SECTION("zero") {{ CHECK(sign(0) == 0); }}
  SECTION("one") {{ CHECK(sign(1) == 1); }}
}}
"#
    );
    let folder = scene(&[("tests.cpp", &program)]);
    let folder = folder.path();
    shell(folder, &format!("{FLAGS} tests.cpp -o tests && ./tests"));
    let counts = [("sections", 2), ("signs of negatives", 2)];
    assert_eq!(entries(folder, "sign", "tests"), expected(&counts));
}

#[test]
fn doctest() {
    let program = format!(
        r#"{TESTED}
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <pathcc/doctest.h>
TEST_CASE("signs of negatives") {{ CHECK(sign(-3) == -1); CHECK(sign(-1) == -1); }}
TEST_CASE("zero") {{ CHECK(sign(0) == 0); }}
"#
    );
    let folder = scene(&[("tests.cpp", &program)]);
    let folder = folder.path();
    shell(folder, &format!("{FLAGS} tests.cpp -o tests && ./tests"));
    let counts = [("signs of negatives", 2), ("zero", 1)];
    assert_eq!(entries(folder, "sign", "tests"), expected(&counts));
}

/// A program that does as often as its argument says.
const PROGRAM: &str = "#include <stdlib.h>\n\
                       __attribute__((noinline)) int step(int x) { return x + 1; }\n\
                       int main(int count, char **words) {\n\
                         int sum = 0;\n\
                         for (int i = count > 1 ? atoi(words[1]) : 1; i > 0; i--) sum = step(sum);\n\
                         return sum < 0;\n\
                       }\n";

#[test]
fn ctest() {
    let lists = "cmake_minimum_required(VERSION 3.25)\nproject(x C)\nenable_testing()\n\
                 find_package(Pathcc REQUIRED)\nadd_executable(prog prog.c)\n\
                 add_test(NAME two COMMAND prog 2)\nadd_test(NAME three COMMAND prog 3)\n\
                 pathcc_label_tests()\n";
    let folder = scene(&[("CMakeLists.txt", lists), ("prog.c", PROGRAM)]);
    let folder = folder.path();
    shell(
        folder,
        "CC=pathcc CFLAGS='-g -O0' cmake -S . -B build -DPathcc_DIR=\"$(dirname \"$(which \
         pathcc)\")/../lib/cmake/Pathcc\" >log 2>&1 && cmake --build build >>log 2>&1 && ctest \
         --test-dir build >>log 2>&1 || { cat log; false; }",
    );
    assert_eq!(entries(folder, ",step,", "build"), expected(&[("three", 3), ("two", 2)]));
}

#[test]
fn meson() {
    let build = "project('x', 'c')\nprog = executable('prog', 'prog.c')\n\
                 foreach steps : ['2', '3']\n\
                 test(steps, prog, args: steps, env: {'PATHCC_LABEL': steps})\nendforeach\n";
    let folder = scene(&[("meson.build", build), ("prog.c", PROGRAM)]);
    let folder = folder.path();
    shell(
        folder,
        "CC=pathcc CFLAGS='-g -O0' meson setup build >log 2>&1 && meson test -C build >>log 2>&1 \
         || { cat log; false; }",
    );
    assert_eq!(entries(folder, ",step,", "build"), expected(&[("2", 2), ("3", 3)]));
}

#[test]
fn automake() {
    let configure = "AC_INIT([x], [1])\nAM_INIT_AUTOMAKE([foreign])\nAC_PROG_CC\n\
                     AC_CONFIG_FILES([Makefile])\nAC_OUTPUT\n";
    let make = "AM_TESTS_ENVIRONMENT = PATHCC_LABEL=$$f; export PATHCC_LABEL;\n\
                check_PROGRAMS = prog\nprog_SOURCES = prog.c\nTESTS = prog two.test\n\
                EXTRA_DIST = two.test\n";
    let script = "#!/bin/sh\n./prog 2\n";
    let files = [
        ("configure.ac", configure),
        ("Makefile.am", make),
        ("prog.c", PROGRAM),
        ("two.test", script),
    ];
    let folder = scene(&files);
    let folder = folder.path();
    shell(
        folder,
        "chmod +x two.test; autoreconf -i >log 2>&1 && CC=pathcc CFLAGS='-g -O0' ./configure \
         >>log 2>&1 && make check >>log 2>&1 || { cat log; false; }",
    );
    assert_eq!(entries(folder, ",step,", "prog"), expected(&[("prog", 1), ("two.test", 2)]));
}
