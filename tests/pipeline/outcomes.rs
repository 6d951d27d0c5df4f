//! A path tells of a branch where control went, whatever the compiler made of the condition.

use std::fs;
use std::path::Path;
use std::process::Command;

use pathtests::tree::bin;

fn run(folder: &Path, program: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("PATHCC_PROFILE", "run.pathprof");
    let output = command.output().expect("it can be run");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const SOURCE: &str = r#"
volatile int sink;
int not(int a)
{
    if (!a)
        return sink = 1;
    return sink = 2;
}
int both(int a, int b)
{
    if (a &&
        b)
        return sink = 1;
    return sink = 2;
}
int either(int a, int b)
{
    if (a ||
        b)
        return sink = 1;
    return sink = 2;
}
int choose(int a)
{
    return a
        ? (sink = 1)
        : (sink = 2);
}
int loop(int n)
{
    while (n > 0)
        n -= sink + 1;
    return n;
}
int last(int n)
{
    do
        n -= sink + 1;
    while (n > 0);
    return n;
}
int inverted(int n)
{
    while (!(n <= 0))
        n -= sink + 1;
    return n;
}
int cases(int n)
{
    switch (n) {
    case 1:
        return sink = 5;
    case 2:
        sink = 6;
        break;
    default:
        sink = 7;
    }
    return n;
}
int main(void)
{
    for (int a = 0; a < 2; ++a) {
        sink = 0; not(a);
        for (int b = 0; b < 2; ++b) { both(a, b); either(a, b); }
        choose(a); sink = 0;
        loop(2 * a); last(a + 1); inverted(2 * a);
        cases(a + 1);
    }
    cases(9);
    return 0;
}
"#;

/// For each function what its paths say where it keeps its branches. Lines are counted from the
/// empty one before the source.
const TOLD: [(&str, &[&str]); 8] = [
    ("not", &["5→6", "5→7"]),
    ("both", &["11→12 11→13", "11→12 11→14", "11→14"]),
    ("either", &["18→20", "18→19 18→20", "18→19 18→21"]),
    ("choose", &["25→26", "25→27"]),
    ("loop", &["31→32", "31→33"]),
    ("last", &["38→40", "38→loop 38"]),
    ("inverted", &["44→45", "44→46"]),
    ("cases", &["→52", "→54", "→57"]),
];

#[test]
fn a_branch_is_told_by_where_control_went() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("main.c"), SOURCE).expect("a file");
    for (stage, level) in [("late", "-O0"), ("early", "-O0"), ("early", "-O2"), ("late", "-O2")] {
        let stage_flag = format!("-fpath-stage={stage}");
        let flags = ["-g", "-fno-inline", level, &stage_flag, "main.c", "-o", "program"];
        run(folder.path(), &bin("pathcc"), &flags);
        fs::remove_file(folder.path().join("run.pathprof")).ok();
        run(folder.path(), &folder.path().join("program"), &[]);
        for (function, told) in TOLD {
            let asked = ["report", "--top", "0", "--function", function, "run.pathprof"];
            let paths = run(folder.path(), &bin("pathprof"), &asked);
            assert!(paths.contains(&format!("{function}#1")), "{stage} {level}: {paths}");
            for word in ["true", "false", "(T)", "(F)"] {
                assert!(!paths.contains(word), "{stage} {level} {word}: {paths}");
            }
            // The optimiser may leave no branch, or another one.
            let is_kept = (stage, level) != ("late", "-O2");
            for text in told.iter().filter(|_| is_kept) {
                assert!(paths.contains(text), "{stage} {level} {text}: {paths}");
            }
            let has_case = paths.contains("(case ");
            assert_eq!(has_case, stage == "early" && function == "cases", "{level}: {paths}");
        }
        if (stage, level) == ("late", "-O2") {
            let asked = ["report", "--top", "0", "--function", "inverted", "run.pathprof"];
            let paths = run(folder.path(), &bin("pathprof"), &asked);
            assert!(paths.contains("44→46"), "{paths}");
        }
    }
}
