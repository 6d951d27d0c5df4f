//! `pathprof run` and `pathprof doctor`: programs are run as without it, and their profiles are
//! found.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use pathformat::profile::INCOMPLETE;
use pathprof::launch::diagnose::NOT_LENT;
use profile::uncounted::UNLINKED;
use tempfile::TempDir;

use crate::samples;
use crate::scene::{BUILD_ID, Outcome, Scene};

#[test]
fn run_passes_everything_through_and_reports() {
    let scene = Scene::new();
    let flagged = samples::profile(
        scene.path("demo").as_os_str().as_bytes(),
        &BUILD_ID,
        INCOMPLETE,
        samples::counters(),
    );
    scene.write("ready", &flagged);
    let script = "cat; echo to-stderr >&2; echo \"$1\"; cp \
                  ready \"${PATHCC_PROFILE}demo.pathprof\"; exit 3";
    let mut child = scene
        .command(&["run", "--top", "1", "--", "sh", "-c", script, "sh", "--top"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("pathprof can be run");
    std::io::Write::write_all(&mut child.stdin.take().expect("it is piped"), b"from-stdin\n")
        .expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert_eq!(err, "to-stderr\npathprof: profile demo.pathprof\n");
    assert!(out.starts_with("from-stdin\n--top\nimage "), "{out}");
    assert!(out.contains("the first 1 of 14 executed paths; --top 0 shows all"), "{out}");
    assert!(out.contains("warning: demo.pathprof: incomplete: "), "{out}");
    assert_eq!(scene.read("demo.pathprof"), flagged);
}

#[test]
fn run_puts_profiles_where_it_is_told_and_replaces_none() {
    let scene = Scene::new();
    let ready = fs::read(scene.profile("ready")).expect("it was written");
    let old = fs::read(scene.profile("demo.pathprof")).expect("it was written");
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"; cp \
                  ready \"${PATHCC_PROFILE}other.pathprof\"";
    let here = scene.pathprof(&["run", "-q", "sh", "-c", script]);
    assert_eq!((here.code, here.out.as_str()), (0, ""));
    assert_eq!(here.err, "pathprof: 2 profiles, demo.pathprof … other.pathprof\n");
    assert_eq!(scene.read("demo.pathprof"), [old, ready].concat());
    let script =
        "test \"$PATHCC_PROFILE\" = \"$PWD/50%%/deep/\" && cat ready >> 50%/deep/demo.pathprof";
    let there = scene.pathprof(&["run", "-q", "-o", "50%/deep", "--", "sh", "-c", script]);
    assert_eq!((there.code, there.out.as_str()), (0, ""));
    assert_eq!(there.err, "pathprof: profile DIR/50%/deep/demo.pathprof\n");
    // Only what is new is of this run.
    scene.profile("ready");
    let script = "cat ready >> 50%/deep/demo.pathprof";
    let there = scene.pathprof(&["run", "-o", "50%/deep", "--", "sh", "-c", script]);
    assert_eq!(
        (there.code, there.err.as_str()),
        (0, "pathprof: profile DIR/50%/deep/demo.pathprof\n")
    );
    let [image, run] = there.out.lines().take(2).collect::<Vec<_>>()[..] else {
        panic!("{}", there.out)
    };
    assert_eq!(image, "image     DIR/demo build-id abcdef01");
    assert_eq!(run, "run       demo -n seven (pid 42, 2.500 s, DIR/50%/deep/demo.pathprof)");
    // A file that is no profile stays as it is.
    scene.write("demo.pathprof", b"text");
    let script = "cp ready \"${PATHCC_PROFILE}demo.pathprof\"";
    let kept = scene.pathprof(&["run", "-q", "sh", "-c", script]);
    assert!(kept.err.contains("there is a file of that name that is no profile"), "{}", kept.err);
    assert_eq!(scene.read("demo.pathprof"), b"text");
}

#[test]
fn run_says_why_there_is_no_profile() {
    let scene = Scene::new();
    scene.write("section", &samples::section());
    let source = r#"
        #include <signal.h>
        #include <string.h>
        #include <unistd.h>
        #ifdef MANIFEST
        __asm__(".pushsection .pathcc.manifest,\"aR\",@progbits\n.incbin \"section\"\n.popsection");
        #endif
        #ifdef LINKED
        __asm__(".pushsection .pathcc.modules,\"aR\",@progbits\n.quad 1\n.popsection");
        #endif
        int main(int argc, char **argv) { if (argc > 1) raise(SIGKILL); _exit(5); }
    "#;
    scene.write("main.c", source.as_bytes());
    for (name, flags) in [
        ("none", "-DNONE"),
        ("unlinked", "-DMANIFEST"),
        ("stripped", "-DMANIFEST -s"),
        ("whole", "-DMANIFEST -DLINKED -s"),
    ] {
        let mut clang = Command::new("clang-22");
        clang
            .args(["main.c", "-o", name])
            .args(flags.split(' '))
            .current_dir(scene.directory.path());
        assert!(clang.status().expect("clang-22 is installed").success());
    }
    let script = scene.write("script", b"#!/bin/sh\nexit 4\n");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let says = |arguments: &[&str], code: i32, text: &str| {
        let outcome = scene.pathprof(&[&["run", "--"], arguments].concat());
        assert_eq!((outcome.code, outcome.out.as_str()), (code, ""));
        assert_eq!(
            outcome.err,
            format!(
                "pathprof: {} wrote no profile, nor did a program that it started. {text}\n",
                arguments[0]
            )
        );
    };
    let none = "./none has no section .pathcc.manifest: it was not compiled with pathcc (CC=pathcc \
                CXX=pathc++), or that section was removed. With --preload, what it loads and starts counts \
                wherever that was compiled with pathcc.";
    says(&["./none"], 5, none);
    says(&["./none", "-"], 137, &format!("It was ended by signal 9 (SIGKILL). {none}"));
    for program in ["./unlinked", "./stripped"] {
        says(&[program], 5, &format!("{program} {UNLINKED} {NOT_LENT}"));
        let doctor = scene.pathprof(&["doctor", program]);
        assert!(doctor.out.contains("linked by another linker"), "{doctor:?}");
    }
    let whole = "./whole is instrumented as it should be. It may be set-user-id, have no place to \
                 write to, or have been started through something that sets PATHCC_PROFILE (off \
                 writes nothing); `pathprof doctor` looks for reasons.";
    says(&["./whole"], 5, whole);
    says(&["./whole", "-"], 137, &format!("It was ended by signal 9 (SIGKILL). {whole}"));
    says(
        &["./script"],
        4,
        "./script is no ELF image but a script: only instrumented programs that it starts write \
         profiles. Name one of them.",
    );
}

#[test]
fn run_says_what_cannot_be_run() {
    let scene = Scene::new();
    let missing = scene.pathprof(&["run", "./no-such-program"]);
    assert_eq!(missing.code, 127);
    assert_eq!(
        missing.err,
        "error: cannot run ./no-such-program: No such file or directory (os error 2)\n"
    );
    let refused = scene.pathprof(&["run", "./demo"]);
    assert_eq!(refused.code, 126);
    assert_eq!(refused.err, "error: cannot run ./demo: Permission denied (os error 13)\n");
}

#[test]
fn run_hands_signals_on() {
    let scene = Scene::new();
    let script = "trap 'echo got it; exit 7' TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = scene
        .command(&["run", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("pathprof can be run");
    let mut reader = std::io::BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = || {
        let mut text = String::new();
        std::io::BufRead::read_line(&mut reader, &mut text).expect("it is text");
        text
    };
    assert_eq!(line(), "ready\n");
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill exists").success());
    assert_eq!(line(), "got it\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(7));
}

#[test]
fn the_doctor_says_what_is_wrong() {
    let scene = Scene::new();
    let doctor = |pattern: &str, arguments: &[&str]| {
        let arguments = [&["doctor"], arguments].concat();
        let outcome = scene.outcome(scene.command(&arguments).env("PATHCC_PROFILE", pattern));
        (outcome.code, outcome.out)
    };
    let (code, text) = doctor("%e.pathprof", &[]);
    assert!(text.contains("ok Profiles can be written to "), "{text}");
    // What else it finds depends on the machine.
    assert_eq!(code, i32::from(text.contains("problem ")), "{text}");
    let (code, text) = doctor("off", &[]);
    assert!(
        code == 1 && text.contains("problem PATHCC_PROFILE says that nothing is to be written"),
        "{text}"
    );
    let (code, text) = doctor("/proc/none/", &["/bin/true"]);
    assert!(
        code == 1 && text.contains("problem Profiles cannot be written to /proc/none"),
        "{text}"
    );
    assert!(text.contains("problem /bin/true has no section .pathcc.manifest"), "{text}");
}

#[test]
fn run_finds_profiles_where_the_environment_puts_them() {
    let scene = Scene::new();
    scene.profile("ready");
    let run = |pattern: &str, script: &str| {
        let mut pathprof = scene.command(&["run", "-q", "--", "sh", "-c", script]);
        let outcome = scene.outcome(pathprof.env("PATHCC_PROFILE", pattern));
        (outcome.code, outcome.err)
    };
    let one = |pattern: &str, file: &str| {
        let script = format!(
            "test \"$PATHCC_PROFILE\" = '{pattern}' && mkdir -p \"$(dirname {file})\" && \
                     cp ready {file}"
        );
        assert_eq!(run(pattern, &script), (0, format!("pathprof: profile {file}\n")), "{pattern}");
        // One that was there before is none of this run.
        let none = run(pattern, "exit 3");
        assert!(none.0 == 3 && none.1.contains("wrote no profile"), "{pattern}: {none:?}");
    };
    one("out/%h/%e.%p.pathprof", "out/box/sh.7.pathprof");
    scene.profile("ready");
    one("fixed.pathprof", "fixed.pathprof");
    scene.profile("ready");
    one("other.pathprof", "other-2.pathprof");
    scene.profile("ready");
    one("50%%/[a]*.%p", "50%/[a]*.12");
    // The path of a program: of the one that is run, or of others that it starts.
    fs::create_dir_all(scene.path("build/deep")).expect("writable");
    scene.profile("ready");
    one("%f.pathprof", "build/deep/tool.pathprof");
    scene.profile("ready");
    one("all/%f-%h.pathprof", "all/home/user/tool-box.pathprof");
    let elsewhere = TempDir::new().expect("a temporary directory");
    fs::create_dir(elsewhere.path().join("here")).expect("writable");
    scene.profile("ready");
    let ready = scene.path("ready");
    let tool = elsewhere.path().join("tool");
    fs::write(&tool, format!("#!/bin/sh\ncp {} \"$0.pathprof\"\n", ready.display()))
        .expect("writable");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("ours");
    let mut pathprof = scene.command(&["run", "-q", "../tool"]);
    pathprof.env("PATHCC_PROFILE", "%f.pathprof").current_dir(elsewhere.path().join("here"));
    let outcome = scene.outcome(&mut pathprof);
    let place = tool.display();
    let found = format!("pathprof: profile {place}.pathprof\n");
    assert_eq!((outcome.code, outcome.err), (0, found));
    let said = "pathprof: PATHCC_PROFILE says that nothing is to be written, so there is no \
                profile.\n";
    assert_eq!(run("off", "exit 4"), (4, said.into()));
}

#[test]
fn run_works_where_nothing_can_be_written() {
    let scene = Scene::new();
    let ready = scene.profile("ready");
    let script = format!("cp {} \"${{PATHCC_PROFILE}}demo.pathprof\"", ready.display());
    let mut pathprof = scene.command(&["run", "--", "sh", "-c", &script]);
    pathprof.env("TMPDIR", scene.directory.path()).current_dir("/proc");
    let Outcome { code, out, err } = scene.outcome(&mut pathprof);
    assert_eq!(code, 0, "{err}");
    let expected = "warning: the profiles are in DIR/pathprof-";
    assert!(err.starts_with(expected) && err.contains("cannot write demo.pathprof"), "{err}");
    assert!(out.contains("loop: 13→16 12→loop 13"), "{out}");
}

#[test]
fn a_program_that_is_only_here_is_named_as_it_can_be_run() {
    let scene = Scene::new();
    scene.write("only-here", b"#!/bin/sh\n");
    let unfound = "No such file or directory (os error 2)";
    for (command, hint) in [("only-here", "; did you mean ./only-here?"), ("nowhere-at-all", "")] {
        for run in [&["run", "--", command][..], &["trace", "run", "--", command]] {
            let outcome = scene.pathprof(run);
            let expected = format!("error: cannot run {command}: {unfound}{hint}\n");
            assert_eq!((outcome.code, outcome.err), (127, expected));
        }
    }
}
