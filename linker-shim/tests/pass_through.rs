//! Where pathld has nothing to add it is the real linker; where it fails, the program is linked all
//! the same.

mod support;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use pathformat::record;
use pathformat::settings::Threads;
use support::{Image, LINKERS, Scratch, id, pathld, succeed};

/// A linker that writes its arguments to `called`, one a line, and ends with 7.
const RECORDER: &str = "printf '%s\\n' \"$@\" >>called; exit 7";

fn with_objects() -> Scratch {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile("main", &[], "void bump_a(long); int main(void) { bump_a(1); return 3; }");
    scratch.compile("plain", &[], "int main(void) { return 4; }");
    fs::create_dir(scratch.path("tmp")).expect("writable");
    scratch
}

/// Calls pathld itself.
fn call(scratch: &Scratch, real: &str, arguments: &[&str]) -> Output {
    command(scratch, real).args(arguments).output().expect("executable")
}

fn command(scratch: &Scratch, real: &str) -> Command {
    let mut command = scratch.command(pathld());
    command.env("PATHLD_REAL", real).env("TMPDIR", scratch.path("tmp"));
    command
}

fn recorded(scratch: &Scratch) -> Vec<String> {
    let text = fs::read_to_string(scratch.path("called")).unwrap_or_default();
    let _ = fs::remove_file(scratch.path("called"));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn information_is_that_of_the_real_linker() {
    let scratch = Scratch::new();
    for (name, real) in [("bfd", "/usr/bin/ld.bfd"), ("lld", "/usr/lib/llvm-22/bin/ld.lld")] {
        for arguments in
            [&["--version"][..], &["-v"], &["-V"], &["--help"], &[], &["--nonsense"], &["none.o"]]
        {
            let (ours, theirs) =
                (call(&scratch, name, arguments), scratch.command(real).args(arguments).output());
            let theirs = theirs.expect("installed");
            assert_eq!(ours.status.code(), theirs.status.code(), "{name} {arguments:?}");
            assert!(
                ours.stdout == theirs.stdout && ours.stderr == theirs.stderr,
                "{name} {arguments:?}: {ours:?}"
            );
        }
    }
    assert!(call(&scratch, "", &["--version"]).stdout.starts_with(b"GNU ld"), "ld is the default");
}

#[test]
fn arguments_are_handed_on_untouched() {
    let scratch = with_objects();
    scratch.script("ld.fake", RECORDER);
    scratch.write("response", "main.o a.o");
    let real = scratch.path("ld.fake").display().to_string();
    for arguments in [
        &["plain.o", "-o", "x", "--weird option", ""][..],
        &["-r", "main.o", "a.o"],
        &["-m", "elf_i386", "main.o", "a.o"],
        &["--version", "a.o"],
        &["-b", "binary", "a.o"],
        &["none.o", "-lnone"],
        &["-r", "@response"],
        &["-L", "a.o"],
    ] {
        let output = call(&scratch, &real, arguments);
        assert_eq!(output.status.code(), Some(7), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}: {output:?}");
        assert_eq!(recorded(&scratch), arguments);
    }
    for (word, disabled) in [("1", true), ("yes", true), ("", false), ("0", false), ("no", false)] {
        let output =
            command(&scratch, &real).args(["main.o", "a.o"]).env("PATHCC_DISABLE", word).output();
        assert_eq!(output.expect("executable").status.code(), Some(7));
        assert_eq!(recorded(&scratch) == ["main.o", "a.o"], disabled, "{word}");
    }
}

#[test]
fn what_is_added_comes_first() {
    let scratch = with_objects();
    scratch.script("ld.fake", RECORDER);
    let real = scratch.path("ld.fake").display().to_string();
    let output = call(&scratch, &real, &["-pie", "main.o", "a.o", "-lc"]);
    assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(7), true));
    let called = recorded(&scratch);
    assert!(
        called[0].ends_with("/pathcc.o") && called[1].ends_with("/lib/pathcc/libpathrt.a"),
        "{called:?}"
    );
    // It fails, so that it is called once more as it would have been without us.
    let line = ["-pie", "main.o", "a.o", "-lc"];
    assert_eq!(called[2..], [&["--build-id=sha1"], &line[..], &line[..]].concat());
    call(&scratch, &real, &["--build-id=none", "main.o", "a.o"]);
    assert_eq!(recorded(&scratch)[2..5], ["--build-id=none", "main.o", "a.o"]);
    scratch.check_no_leftovers();
}

#[test]
fn a_long_command_line_travels_in_a_file() {
    let scratch = with_objects();
    scratch.script("ld.fake", "case $1 in @*) cp \"${1#@}\" called;; *) exit 1;; esac");
    let real = scratch.path("ld.fake").display().to_string();
    let long: Vec<String> = (0..12_000)
        .map(|index| format!("--defsym=it's_a_symbol_{index}={}", "1".repeat(80)))
        .collect();
    let output = command(&scratch, &real)
        .args(["main.o", "a.o", "-lc"])
        .args(&long)
        .output()
        .expect("below the limit");
    assert!(output.status.success(), "{output:?}");
    let called = recorded(&scratch);
    assert_eq!(called.len(), 6 + long.len());
    assert!(called[6].starts_with("\"--defsym=it's_a_symbol_0=111"));
    scratch.check_no_leftovers();
}

#[test]
fn exit_codes_and_errors_come_through() {
    let scratch = with_objects();
    scratch.compile("bad", &[], "void missing(void); int main(void) { missing(); }");
    for linker in LINKERS {
        let output =
            scratch.linking(linker, &["bad.o", "a.o", "-o", "prog"]).output().expect("a compiler");
        assert_eq!(output.status.code(), Some(1), "{linker}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("missing") && !text.contains("pathld"), "{linker}: {text}");
        assert_eq!(text.matches("undefined ").count(), 1, "told once: {text}");
        scratch.check_no_leftovers();
    }
}

#[test]
fn a_real_linker_that_cannot_be_started() {
    let scratch = with_objects();
    let real = scratch.script("broken", "");
    fs::write(&real, "#!/none\n").expect("ours");
    for objects in [&["main.o", "a.o"][..], &["plain.o"]] {
        let output = call(&scratch, real.to_str().expect("UTF-8"), objects);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(text.starts_with("pathld: error: cannot ") && text.lines().count() == 1, "{text}");
    }
}

#[test]
fn a_real_linker_that_is_killed() {
    let scratch = with_objects();
    scratch.script("ld.fake", "kill -SEGV $$");
    let real = scratch.path("ld.fake").display().to_string();
    assert_eq!(call(&scratch, &real, &["main.o", "a.o"]).status.signal(), Some(11));
    assert_eq!(call(&scratch, &real, &["plain.o"]).status.signal(), Some(11));
    scratch.check_no_leftovers();
}

#[test]
fn signals_reach_the_real_linker() {
    let scratch = with_objects();
    for (trap, code, signal) in [("trap 'exit 9' TERM;", Some(9), None), ("", None, Some(15))] {
        scratch.script("ld.fake", &format!("{trap} touch started; while :; do sleep 0.05; done"));
        let mut child = command(&scratch, &scratch.path("ld.fake").display().to_string())
            .args(["main.o", "a.o"])
            .spawn()
            .expect("executable");
        let start = Instant::now();
        while !scratch.path("started").exists() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        succeed(Command::new("kill").arg("-TERM").arg(child.id().to_string()));
        let status = child.wait().expect("ours");
        assert_eq!((status.code(), status.signal()), (code, signal), "{trap}");
        scratch.check_no_leftovers();
        fs::remove_file(scratch.path("started")).expect("touched");
    }
}

#[test]
fn linkers_that_are_not_there() {
    let scratch = with_objects();
    for (real, words) in [
        ("nonsense", &["`nonsense`", "PATHLD_REAL", "install"][..]),
        ("/none/ld", &["/none/ld", "PATHLD_REAL"]),
        (pathld().to_str().expect("UTF-8"), &["this program", "PATHLD_REAL"]),
    ] {
        let output = call(&scratch, real, &["plain.o"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), text.lines().count()), (Some(1), 1), "{text}");
        assert!(
            words.iter().all(|word| text.contains(word)) && text.starts_with("pathld: error: "),
            "{text}"
        );
    }
}

#[test]
fn it_never_calls_itself() {
    let scratch = with_objects();
    fs::create_dir(scratch.path("first")).expect("writable");
    std::os::unix::fs::symlink(pathld(), scratch.path("first/ld")).expect("writable");
    let path = format!("{}:/usr/bin", scratch.path("first").display());
    let output =
        command(&scratch, "").arg("--version").env("PATH", path).output().expect("executable");
    assert!(output.stdout.starts_with(b"GNU ld"), "{output:?}");
    // A script hides who is called, so only counting helps.
    scratch.script("ld.loop", &format!("exec '{}' \"$@\"", pathld().display()));
    let output = call(&scratch, &scratch.path("ld.loop").display().to_string(), &["--version"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && text.contains("call each other"), "{text}");
}

#[test]
fn damaged_and_foreign_records_are_reported_and_left_out() {
    let scratch = with_objects();
    let sound = record::write(id(2), Threads::Exact.code(), [3, 0], 7, b"payload");
    let mut version = sound.clone();
    version[8] = 77;
    let mut magic = sound.clone();
    magic[0] = b'X';
    let mut huge = sound.clone();
    huge[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
    let reads = format!("reads {}", pathformat::MANIFEST_VERSION);
    for (bytes, words) in [
        (version, ["version 77", &reads, "compile it again"]),
        (magic, ["magic", "damaged", "compile it again"]),
        (sound[..40].to_vec(), ["truncated", "damaged", "compile it again"]),
        (huge, ["more counters", "damaged", "compile it again"]),
    ] {
        scratch.module_with("b", 2, 3, &bytes, &[]);
        succeed(scratch.command("ar").args(["rcs", "libb.a", "b.o"]));
        scratch.compile(
            "main",
            &[],
            "void bump_a(long), bump_b(long); int main(void) { bump_a(1); bump_b(2); return 3; }",
        );
        for linker in LINKERS {
            let output = scratch.link(linker, &["main.o", "a.o", "libb.a", "-o", "prog"]);
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(text.lines().count(), 1, "{linker}: {text}");
            assert!(
                text.starts_with("pathld: warning: ") && text.contains("libb.a(b.o)"),
                "{text}"
            );
            assert!(words.iter().all(|word| text.contains(word)), "{words:?} in {text}");
            let status =
                scratch.command("./prog").env("PATHCC_PROFILE", "p").status().expect("executable");
            assert_eq!(status.code(), Some(3));
            assert_eq!(scratch.profile("p").counts, [((1, 1), 1)].into());
        }
    }
}

#[test]
fn without_a_runtime_the_program_is_linked_uncounted() {
    let scratch = with_objects();
    fs::create_dir_all(scratch.path("alone/bin")).expect("writable");
    fs::copy(pathld(), scratch.path("alone/bin/ld.pathld")).expect("writable");
    let linker = format!("--ld-path={}", scratch.path("alone/bin/ld.pathld").display());
    let output = scratch.clang(&[&linker, "main.o", "a.o", "-o", "prog"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("alone/lib/pathcc/libpathrt.a is missing") && text.contains("not counted"),
        "{text}"
    );
    assert_eq!(scratch.command("./prog").status().expect("executable").code(), Some(3));
}

#[test]
fn dependency_files_are_those_of_the_linker_alone() {
    let scratch = with_objects();
    for linker in ["bfd", "lld", "gold", "mold"] {
        let arguments = ["main.o", "a.o", "-Wl,--dependency-file=deps", "-o", "prog"];
        scratch.clang(&[&[&format!("-fuse-ld={linker}")[..]], &arguments[..]].concat());
        let plain = fs::read_to_string(scratch.path("deps")).expect("written");
        scratch.link(linker, &arguments);
        let text = fs::read_to_string(scratch.path("deps")).expect("written");
        assert_eq!(text, plain, "{linker}");
        succeed(scratch.command("make").args(["-f", "deps", "-n", "prog"]));
    }
}

#[test]
fn a_list_that_is_far_too_long_is_made_exact() {
    let scratch = with_objects();
    scratch.module("unused", 3, 16 << 20, &[]);
    scratch.module("vast", 4, 1 << 29, &[]);
    succeed(scratch.command("ar").args(["rcs", "lib.a", "a.o", "unused.o", "vast.o"]));
    succeed(scratch.command("ar").args(["rcs", "some.a", "a.o", "unused.o"]));
    for linker in LINKERS {
        for archive in ["lib.a", "some.a"] {
            let output = scratch.link(linker, &["main.o", archive, "-o", "prog"]);
            assert!(output.stderr.is_empty(), "{linker} {archive}");
            let status =
                scratch.command("./prog").env("PATHCC_PROFILE", "p").status().expect("executable");
            assert_eq!(status.code(), Some(3));
            let profile = scratch.profile("p");
            assert_eq!(
                (profile.modules, profile.counts),
                (vec![(1, 5)], [((1, 1), 1)].into()),
                "{linker} {archive}"
            );
        }
    }
}

#[test]
fn a_program_with_too_many_counters_is_warned_of() {
    let scratch = Scratch::new();
    scratch.module("a", 1, 160 << 20, &[]);
    scratch.compile("main", &[], "void bump_a(long); int main(void) { bump_a(1); return 3; }");
    let output = scratch.link("lld", &["main.o", "a.o", "-o", "prog"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("1280 MiB") && text.contains("-fpath-limit"), "{text}");
    assert_eq!(
        scratch.command("./prog").env("PATHCC_PROFILE", "p").status().expect("executable").code(),
        Some(3)
    );
    assert_eq!(scratch.profile("p").counts, [((1, 1), 1)].into());
}

#[test]
fn an_output_that_cannot_be_read_again() {
    let scratch = with_objects();
    scratch.link("lld", &["main.o", "a.o", "-o", "/dev/null"]);
    assert_eq!(Image::read(&scratch.path("a.o")).manifest(), [1]);
}
