//! What a reader takes a number beside the source for: how often that line ran, in which file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pathtests::checkout;
use pathtests::shell::shell;

/// Runs lines of shell in a fresh folder with these files.
fn with(files: &[(&str, &str)], lines: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    shell(folder.path(), lines)
}

const TWICE: &str = "int twice(int n) {\n    if (n < 0)\n        return 0;\n    return 2 * n;\n}\n";

/// Calls it with a number below 0, or not.
fn caller(n: &str) -> String {
    format!("int twice(int);\nint main(void) {{ return twice({n}) != 2 * {n} && {n} > 0; }}\n")
}

#[test]
fn a_file_is_one_however_its_compilations_write_it() {
    let files = [
        ("a.c", TWICE),
        ("t/plain.c", &caller("1")),
        ("t/around.c", &format!("#include \"../t/.././a.c\"\n{}", caller("-1"))),
    ];
    let printed = with(
        &files,
        "ln -s t link
        ln -s a.c b.c
        here=$PWD; real() { (cd $1 && shift && pathcc -g -O0 -fpath-stage=early \"$@\"); }
        real . a.c t/plain.c -o 1
        real . $here/t/../a.c $here//t/plain.c -o 2
        real t ../a.c plain.c -o ../3
        real . ./t/around.c -o 4
        real . $here/t/around.c -o 5
        real . link/around.c -o 6
        real . b.c t/plain.c -o 7
        for i in 1 2 3 4 5 6 7; do PATHCC_PROFILE=all.pathprof ./$i; done
        pathprof coverage all.pathprof
        pathprof export --format lcov all.pathprof | grep -c '^SF:.*/[ab]\\.c$'
        pathprof annotate a.c all.pathprof --all",
    );
    let rows = |name: &str| {
        let table = printed.lines().take_while(|line| !line.ends_with(" all"));
        table.filter(|line| line.ends_with(name)).count()
    };
    assert_eq!((rows(" a.c"), rows("/a.c"), rows("b.c")), (1, 0, 0), "{printed}");
    assert_eq!((rows("plain.c"), rows("around.c")), (1, 1), "{printed}");
    assert!(printed.contains("\n1\n"), "one record in the tracefile: {printed}");
    assert!(printed.contains(" 7 │     if (n < 0)"), "{printed}");
    assert!(printed.contains(" 3 │         return 0;"), "{printed}");
}

#[test]
fn a_filter_of_files_leaves_the_numbers_of_a_file_alone() {
    let files = [
        ("made.h", "#include <string>\nstatic std::string made() {\n    return \"made\";\n}\n"),
        (
            "main.cc",
            "#include <algorithm>\n#include \"made.h\"\nstatic std::string text = made();\n\
             #define ONE \\\n    sum += 1\nint main() {\n    int sum = 0, all[] = {3, 1, 2};\n    \
             std::sort(all, all + 3, [](int a, int b) {\n        return a < b;\n    });\n    ONE;\n    \
             return sum != 1 || text.empty();\n}\n",
        ),
    ];
    for options in ["-O0 -fpath-stage=early", "-O2"] {
        let printed = with(
            &files,
            &format!(
                "pathc++ -g {options} main.cc -o prog && ./prog
                pathprof export --format lcov prog > all
                for i in main.cc made.h; do
                    pathprof export --format lcov --file \"*/$i\" prog > one.$i
                    grep -c '^SF:' one.$i
                done
                cat one.made.h one.main.cc | cmp - all && echo same
                pathprof export --format lcov --hide '*/made.h' prog | cmp - one.main.cc && echo same"
            ),
        );
        assert_eq!(printed, "1\n1\nsame\nsame\n", "{options}");
    }
}

/// As generators of C write: helpers "from" a file that never was, and the user's lines.
const GENERATED: &str = "\
#include <stdio.h>
#line 1 \"never\"
static int helper(int x) { return x > 2 ? x : 2; }
#line 3 \"generated.c\"
static int
work(int n)
{
#line 2 \"user.txt\"
    if (n > 3) { n = n * 2; n = n + helper(n); n = n ? n : 7; } else n = n > 1 ? helper(n) : n - 1;
#line 3 \"user.txt\"
    return n;
#line 20 \"generated.c\"
}
#line 5 \"user.txt\"
int main(void) {
    int s = 0;
    for (int i = 0; i < 10; i++)
        s += work(i);
    return s == 0;
}
";

const USER: &str =
    "def work(n):\nif n:\n  return n\n\nfor i in 10:\n  s = 0\n  loop\n  work\n  0\n";

#[test]
fn lines_that_a_generator_gave_to_a_file_are_of_that_file() {
    let built = "pathcc -g -O0 -fpath-stage=early generated.c -o prog && ./prog
        rm generated.c
        ";
    let files = [("generated.c", GENERATED), ("user.txt", USER)];
    let told = |command: &str| with(&files, &format!("{built}{command}"));
    let functions = told("pathprof report --functions prog");
    assert!(functions.contains("work      user.txt:2"), "{functions}");
    let work = told("pathprof annotate work prog");
    assert!(work.contains("10 ◆◆◆ │ if n:") || work.contains("10 ◆◆ │ if n:"), "{work}");
    assert!(!work.contains('^'), "no column is one of this line: {work}");
    let paths = told("pathprof report prog --full");
    assert!(paths.contains("2→") && !paths.contains("2:"), "{paths}");
    let coverage = told("pathprof coverage prog");
    let user = coverage.lines().find(|line| line.ends_with("user.txt")).expect("a row");
    assert!(user.starts_with("2/2"), "{coverage}");
    // What never was is left out of a tracefile, by name.
    let tracefile = told("pathprof export --format lcov prog 2>&1 | grep -e SF: -e ^note");
    let lines: Vec<_> = tracefile.lines().collect();
    let is_user = |line: &&str| line.starts_with("SF:") && line.ends_with("/user.txt");
    assert_eq!(lines.iter().copied().filter(|line| is_user(line)).count(), 1, "{tracefile}");
    assert_eq!(lines.len(), 2, "{tracefile}");
    let note = lines.iter().find(|line| line.starts_with("note: ")).expect("a note");
    let parts = ["left out", "/never", "--keep-missing"];
    assert!(parts.iter().all(|part| note.contains(part)), "{note}");
    let all = told("pathprof export --format lcov --keep-missing prog | grep -c SF:");
    assert_eq!(all, "2\n");
    let elsewhere = told("rm user.txt; pathprof export --format lcov prog 2>&1 | grep -c -e SF:");
    assert_eq!(elsewhere, "2\n", "the sources are elsewhere");
}

#[test]
fn a_column_has_the_executions_of_the_code_that_begins_there() {
    let files = [(
        "main.cc",
        "#include <stdexcept>\n#include <string>\nstatic int f(const std::string &s) {\n    \
         if (s.empty()) throw std::runtime_error(\"empty\" + s);\n    return s.size();\n}\n\
         static int g(int n) { return n < 2 ? n : n + 1; }\nint main() {\n    int r = 0;\n    \
         for (const char *w : {\"\", \"x\", \"y\"})\n        \
         try { r += f(w) + g(r); } catch (const std::exception &) { r += g(1); }\n    \
         return r == 0;\n}\n",
    )];
    for mode in ["paths", "edges"] {
        let printed = with(
            &files,
            &format!(
                "pathc++ -g -O0 -fpath-stage=early -fpath-mode={mode} main.cc -o prog && ./prog
                pathprof annotate main.cc prog"
            ),
        );
        // Nothing on these lines runs more often than the loop comes to its condition.
        let marks = printed.split_whitespace().filter_map(|word| word.strip_prefix('^'));
        let marks: Vec<u32> = marks.map(|mark| mark.parse().expect("no vague number")).collect();
        assert!(!marks.is_empty() && marks.iter().all(|&mark| mark <= 4), "{mode}: {printed}");
    }
}

/// The lines of a program's only source in `annotate`: the count, and whether it is vague.
fn annotated(printed: &str) -> BTreeMap<u32, (u64, bool)> {
    let line = |line: &str| {
        let (margin, _) = line.split_once('│')?;
        let mut words = margin.split_whitespace();
        let (number, count) = (words.next()?.parse().ok()?, words.next()?);
        let plain = count.trim_start_matches('~');
        Some((number, (plain.replace(',', "").parse().ok()?, plain != count)))
    };
    printed.lines().filter_map(line).collect()
}

const LAMBDAS: &str = "\
#include <algorithm>
#include <memory>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual int area() const = 0; };
struct Square : Shape { int a; explicit Square(int a) : a(a) {} int area() const override { return a * a; } };
template <typename F> void repeat(int n, F &&f) {
    for (int i = 0; i < n; i++)
        f(i);
}
__attribute__((noinline)) static void used(int n) { asm volatile(\"\" : : \"r\"(n)); }
int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    repeat(1000, [&](int i) {
        if (i % 3 == 0)
            shapes.push_back(std::make_unique<Square>(i));
        else
            used(i);
    });
    int sum = 0;
    for (auto &shape : shapes)
        sum += shape->area();
    for (int i = 0; i < 4; i++)
        used(sum);
    std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) {
        used(a->area());
        return a->area() % 10 < b->area() % 10;
    });
    return sum == 0;
}
";

#[test]
fn lines_of_optimised_code_have_their_executions_or_a_mark() {
    let lines = |options: &str| {
        let command = format!(
            "pathc++ -g {options} main.cc -o prog && ./prog
            pathprof annotate main.cc prog; echo ---; pathprof annotate main prog"
        );
        let printed = with(&[("main.cc", LAMBDAS)], &command);
        let (file, main) = printed.split_once("---").expect("both");
        [file, main].map(|page| (annotated(page), page.to_owned()))
    };
    let [(source, _), _] = lines("-O0 -fpath-stage=early");
    for options in ["-O2", "-O3", "-O1 -fpath-mode=edges"] {
        for (found, printed) in lines(options) {
            assert!(printed.contains("~ counts what"), "{options}: {printed}");
            let known: BTreeMap<_, _> = found.iter().filter(|(_, (_, vague))| !vague).collect();
            assert!(!known.is_empty(), "{options}: {printed}");
            for (line, told) in known {
                assert_eq!(source.get(line), Some(told), "{options}, line {line}: {printed}");
            }
            // The calls that ran, and the bodies of the lambdas.
            for line in [13, 15, 17, 23, 24, 25] {
                assert!(found[&line].0 > 0, "{options}, line {line}: {printed}");
            }
            assert_eq!(found[&17], (666, false), "{options}: {printed}");
            assert!(options != "-O2" || found[&15].0 == 334, "{printed}");
        }
    }
}

/// Programs of the tests that print and end in the same way however they are built.
const PROGRAMS: [&str; 4] = [
    "examples/demo/demo.c",
    "tests/torture/static_locals.c",
    "tests/torture/trap_not_taken.c",
    "tests/torture/no_exceptions.cc",
];

#[test]
fn a_number_without_a_mark_is_that_of_the_source() {
    let mut known = 0;
    for name in PROGRAMS {
        let path = checkout::checkout().join(name);
        let text = fs::read_to_string(&path).expect("it is there");
        let file = Path::new(name).file_name().expect("a name").to_string_lossy().into_owned();
        let lines = |options: &str| {
            annotated(&with(
                &[(&file, &text)],
                &format!(
                    "pathc++ -x $(case {file} in *.c) echo c;; *) echo c++;; esac) -g {options} \
                     {file} -o prog && ./prog > out && pathprof annotate {file} prog"
                ),
            ))
        };
        let source = lines("-O0 -fpath-stage=early");
        for (line, (count, is_vague)) in lines("-O2") {
            if let Some(&expected) = source.get(&line).filter(|_| !is_vague) {
                assert_eq!((count, false), expected, "{name}:{line}");
                known += 1;
            }
        }
    }
    assert!(known > 1, "only {known} numbers are known");
}
