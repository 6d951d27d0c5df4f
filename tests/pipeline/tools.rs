//! Objects, programs and libraries that tools have changed after the compiler or the linker wrote
//! them: each one is counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use pathtests::shell::shell;
use serde_json::Value;
use tempfile::TempDir;

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

/// Each changes the linked program or library `$f`.
const TOOLS_OF_IMAGES: [&str; 12] = [
    "patchelf --set-rpath '$ORIGIN'$(printf :/no%03000d 0) $f",
    "patchelf --page-size 65536 --force-rpath --set-rpath '$ORIGIN'$(printf :/no%090000d 0) $f",
    "patchelf --add-needed libother.so $f",
    "patchelf --set-soname $(printf so%0300d 0) $f",
    "patchelf --replace-needed libc.so.6 $libc $f",
    "case $f in *.so) ;; *) patchelf --set-interpreter $(realpath $(patchelf --print-interpreter $f)) $f ;; esac",
    "strip $f",
    "strip --strip-unneeded -R .note.gnu.build-id -R .comment $f",
    "llvm-strip-22 $f",
    "llvm-strip-22 --strip-debug $f",
    "objcopy --compress-debug-sections $f",
    "objcopy --only-keep-debug $f $f.debug && strip -g $f && objcopy --add-gnu-debuglink=$f.debug $f",
];

const THREADS: &str = "#include <pthread.h>\n#include <stdio.h>\nint work(int);\n\
    static void *thread(void *p) { for (int i = 0; i < 30; i++) work(i); return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); \
    int s = 0; for (int i = 0; i < 30; i++) s = work(i); printf(\"%d\", s); return 7; }\n";

/// A folder with a program and its libraries, linked with these options.
fn linked(options: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("work.c"), WORK).expect("writable");
    fs::write(folder.path().join("main.c"), THREADS).expect("writable");
    let link = format!("pathcc -g -O2 {options}");
    let lines = format!(
        "{link} -fPIC -shared work.c -o libwork.so
         echo 'void other(void) {{}}' | {link} -fPIC -shared -x c - -o libother.so
         {link} main.c -L. -lwork '-Wl,-rpath,$ORIGIN' -o prog"
    );
    shell(folder.path(), &lines);
    folder
}

/// Changes copies of that program and its library, runs the program and reads its counts.
fn change_and_run(linked: &TempDir, first: &str, second: &str) {
    // Some tools cannot change what another one wrote.
    let lines = format!(
        "rm -rf copy; mkdir copy; cp prog lib*.so copy; cd copy
         libc=$(ldd prog | sed -n 's/.*libc.so.6 => \\([^ ]*\\).*/\\1/p')
         for f in prog libwork.so; do
             {{ {first}; }} 2>errors || cat errors; cp $f kept
             {{ {second}; }} 2>errors || mv kept $f
         done
         LD_LIBRARY_PATH=. ./prog 2>&1 || echo \" $?\""
    );
    assert_eq!(shell(linked.path(), &lines), "80 7\n", "{first}; {second}");
    let counted = entries(&linked.path().join("copy"), "prog");
    let counted = ["work", "thread", "main"].map(|name| counted[name].clone());
    assert_eq!(counted, [Ok(60), Ok(1), Ok(1)], "{first}; {second}");
}

/// Every tool, whichever linker wrote the images.
#[test]
fn a_tool_changes_linked_images() {
    let options =
        ["bfd", "gold", "lld", "mold", "bfd -no-pie", "gold -no-pie", "lld -no-pie", "lld -flto"];
    for options in options {
        let linked = linked(&format!("-fuse-ld={options}"));
        TOOLS_OF_IMAGES.iter().for_each(|tool| change_and_run(&linked, tool, ":"));
    }
}

/// Every tool behind every other one; the linkers take turns.
#[test]
fn two_tools_change_linked_images() {
    let linked = ["bfd", "gold", "lld", "mold"].map(|linker| linked(&format!("-fuse-ld={linker}")));
    for (turn, first) in TOOLS_OF_IMAGES.iter().enumerate() {
        for (linked, second) in linked.iter().cycle().skip(turn).zip(&TOOLS_OF_IMAGES) {
            change_and_run(linked, first, second);
        }
    }
}

/// Without its sections an image runs and is counted, but does not say what of it was counted.
#[test]
fn an_image_without_sections_is_read_as_it_was_linked() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("both.c"), format!("{WORK}{MAIN}")).expect("writable");
    shell(
        folder,
        "pathcc -g -O2 both.c -o prog; cp prog linked; llvm-strip-22 --strip-sections prog; ./prog",
    );
    for told in ["pathprof report prog 2>&1 || true", "pathprof doctor ./prog 2>&1 || true"] {
        let told = shell(folder, told);
        assert!(told.contains("no section .pathcc.manifest"), "{told}");
        assert!(told.contains("that section was removed"), "{told}");
    }
    let counted = entries(folder, "--image linked prog.pathprof");
    assert_eq!((&counted["work"], &counted["main"]), (&Ok(30), &Ok(1)));
}
