//! Objects that tools have changed between compiler and linker: each one is counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;

/// Each changes the object `$o`, in which `$f` is the function that others call.
const TOOLS: [&str; 12] = [
    "llvm-objcopy-22 --localize-hidden $o",
    "objcopy --localize-hidden $o",
    "llvm-objcopy-22 --keep-global-symbol=$f $o",
    "objcopy --keep-global-symbol=$f $o",
    "objcopy --weaken $o",
    "objcopy --prefix-symbols=x_ --rename-section .text=.text.moved $o && objcopy --redefine-sym x_$f=$f $o",
    "llvm-objcopy-22 --strip-unneeded $o",
    "objcopy --strip-debug --strip-unneeded $o",
    "ld.bfd -r $o -o $o.r && mv $o.r $o",
    "ld.gold -r $o -o $o.r && mv $o.r $o",
    "ld.lld-22 -r $o -o $o.r && mv $o.r $o",
    "ld.mold -r $o -o $o.r && mv $o.r $o",
];

/// How units are compiled, in turn: they find their counters in different ways.
const FLAGS: [&str; 3] = ["-O2", "-O2 -fPIC", "-O0 -fpath-stage=early"];

const ROUNDS: u64 = 30;

/// How often each function was entered, and why a function is not counted.
fn entries(folder: &Path, program: &str) -> BTreeMap<String, Result<u64, String>> {
    let report = shell(folder, &format!("pathprof export --format json {program}"));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let of = |function: &Value| {
        let name = function["name"].as_str().expect("a name").to_owned();
        let entries = function["entries"].as_u64().unwrap_or_default();
        (name, function["skipped"].as_str().map_or(Ok(entries), |why| Err(why.to_owned())))
    };
    report["functions"].as_array().expect("a list").iter().map(of).collect()
}

/// Every tool behind every other one. The objects of all pairs are linked into one program.
#[test]
fn two_tools_one_behind_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (mut compile, mut change) = ([const { String::new() }; FLAGS.len()], String::new());
    let mut names = Vec::new();
    for (first, before) in TOOLS.iter().enumerate() {
        for (second, behind) in TOOLS.iter().enumerate() {
            // gold and mold forget what a section belongs to, and lld drops such a section, so that
            // what names it names nothing.
            let forgets = before.contains("gold -r") || before.contains("mold -r");
            if forgets && behind.contains("lld-22 -r") {
                continue;
            }
            let name = format!("work_{first}_{second}");
            let source = format!(
                "__attribute__((noinline)) int {name}(int i) {{ return i % 3 ? 1 : 2; }}\n"
            );
            fs::write(folder.join(format!("{name}.c")), source).expect("writable");
            let _ = write!(compile[names.len() % FLAGS.len()], " {name}.c");
            // Some cannot read what another one wrote.
            let _ = writeln!(
                change,
                "o={name}.o f={name}; {before} || exit 1; cp $o $o.kept\n\
                 {{ {behind}; }} 2>$o.errors || mv $o.kept $o"
            );
            let by_mold = TOOLS[first].contains("mold") || TOOLS[second].contains("mold");
            names.push((name, by_mold));
        }
    }
    // gold does not read what mold wrote.
    for linker in ["bfd", "gold", "lld", "mold"] {
        let read: Vec<_> =
            names.iter().filter(|(_, by_mold)| linker != "gold" || !by_mold).collect();
        let mut main = String::new();
        read.iter().for_each(|(name, _)| main += &format!("int {name}(int);\n"));
        main +=
            &format!("int main(void) {{\nint sum = 0;\nfor (int i = 0; i < {ROUNDS}; i++) {{\n");
        read.iter().for_each(|(name, _)| main += &format!("sum += {name}(i);\n"));
        main += &format!("}}\nreturn sum != 40 * {};\n}}\n", read.len());
        fs::write(folder.join(format!("{linker}.c")), main).expect("writable");
    }
    for (flags, sources) in FLAGS.iter().zip(&compile) {
        shell(folder, &format!("pathcc -g {flags} -c {sources}"));
    }
    shell(folder, &change);
    for linker in ["bfd", "gold", "lld", "mold"] {
        // mold drops groups and leaves their members' flags, of which GNU's linker tells.
        let read = names.iter().filter(|(_, by_mold)| linker != "gold" || !by_mold);
        let objects: String = read.clone().map(|(name, _)| format!(" {name}.o")).collect();
        let build = format!(
            "pathcc -g -fuse-ld={linker} {linker}.c {objects} -o {linker} 2>&1 | grep -v 'no group info' || true"
        );
        assert_eq!(shell(folder, &format!("{build}; ./{linker}")), "", "{linker}");
        let counted = entries(folder, linker);
        for (name, _) in read {
            assert_eq!(counted[name], Ok(ROUNDS), "{linker} {name}");
        }
        assert_eq!(counted["main"], Ok(1), "{linker}");
    }
}

const WORK: &str =
    "__attribute__((noinline)) int work(int i) { static int sum; return sum += i % 3 ? 1 : 2; }\n";
const MAIN: &str = "int work(int);\nint main(void) { int s = 0; for (int i = 0; i < 30; i++) s = work(i); return s != 40; }\n";

/// Steps that make one object of several, archives of such objects, and other places of them.
#[test]
fn objects_that_were_joined() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("work.c"), WORK).expect("writable");
    fs::write(folder.join("main.c"), MAIN).expect("writable");
    let local = "llvm-objcopy-22 --localize-hidden work.o";
    let one = |linker: &str, tool: &str| {
        format!("ld.{linker} -r main.o work.o -o all.o && {tool} all.o 2>errors && $link all.o")
    };
    let mut joined = vec![
        format!("{local}; ar rcs libwork.a work.o; $link main.o -L. -lwork"),
        format!("{local}; ar rcs libwork.a work.o; $link main.o -L. -l:libwork.a"),
        format!("{local}; ar rcsT thin.a work.o; ar rcs libwork.a work.o; $link main.o libwork.a"),
        format!("{local}; echo main.o work.o > words; $link -Wl,@words"),
        format!("{local}; $link -Wl,--dependency-file=d main.o ./work.o; grep -q work.o d"),
        "objcopy --localize-hidden main.o; $link main.o work.o".into(),
    ];
    for linker in ["bfd", "gold", "lld-22", "mold"] {
        for tool in ["objcopy", "llvm-objcopy-22"] {
            joined.push(one(linker, &format!("{tool} --keep-global-symbol=main")));
        }
    }
    for (flags, words) in [
        ("-O2", ""),
        ("-O0 -fpath-stage=early", "-fuse-ld=lld"),
        ("-O2 -fpath-mode=blocks -fPIC", "-fuse-ld=mold"),
        ("-O2 -fpath-threads=atomic", "-static"),
    ] {
        for step in &joined {
            let line = format!(
                "rm -f *.o *.a prog*; link='pathcc {words} -o prog'; pathcc -g {flags} -c main.c work.c; \
                 {{ {step}; }} 2>&1; ./prog"
            );
            assert_eq!(shell(folder, &line), "", "{flags} {words}: {step}");
            let counted = entries(folder, "prog");
            assert_eq!((&counted["work"], &counted["main"]), (&Ok(30), &Ok(1)), "{flags}: {step}");
        }
    }
    let internal = "pathcc -g -O2 -emit-llvm -c main.c work.c; \
        llvm-link-22 --internalize main.bc work.bc -o all.bc; \
        llc-22 -relocation-model=pic -filetype=obj all.bc -o all.o; pathcc all.o -o prog 2>&1; ./prog";
    assert_eq!(shell(folder, internal), "");
    let counted = entries(folder, "prog");
    assert_eq!((&counted["work"], &counted["main"]), (&Ok(30), &Ok(1)));
}

/// Without their names symbols cannot be put in place: that is told, and the functions are marked.
#[test]
fn objects_without_names_are_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("work.c"), WORK).expect("writable");
    fs::write(folder.join("main.c"), MAIN).expect("writable");
    let hide = "i=0; for n in $(llvm-nm-22 -j work.o | grep __pathcc.); do i=$((i + 1)); \
        objcopy --localize-symbol=$n work.o; objcopy --redefine-sym $n=hidden$i work.o; done; \
        llvm-objcopy-22 --keep-global-symbol=work work.o";
    for linker in ["bfd", "lld"] {
        let told = shell(
            folder,
            &format!(
                "pathcc -g -O2 -c main.c work.c; {hide}; \
                 pathcc -fuse-ld={linker} main.o work.o -o prog 2>&1; ./prog"
            ),
        );
        assert!(told.contains("1 of its modules cannot be counted"), "{linker}: {told}");
        assert_eq!(told.lines().count(), 1, "{linker}: {told}");
        let counted = entries(folder, "prog");
        assert_eq!(counted["main"], Ok(1), "{linker}");
        let why = counted["work"].as_ref().expect_err("it is not counted");
        assert!(why.contains("after it was compiled"), "{linker}: {why}");
        assert!(shell(folder, "pathprof report prog 2>&1").contains(why), "{linker}");
        assert!(shell(folder, "pathprof doctor ./prog 2>&1 || true").contains("after"), "{linker}");
    }
}
