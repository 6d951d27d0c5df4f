//! Flags, `pathcc.toml`, environment variables, launchers, and what is said when something is
//! wrong.

mod common;

use common::{Did, Sandbox};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

fn refused(sandbox: &Sandbox, did: &Did) -> String {
    assert_eq!((did.code, &*did.stdout), (Some(1), ""));
    assert!(did.files.keys().all(|name| !name.ends_with(".o")), "compiled all the same");
    assert_eq!(did.stderr.lines().count(), 1, "{}", did.stderr);
    let message = did.stderr.strip_prefix("pathcc: error: ").expect("our own message").trim_end();
    message.replace(sandbox.path("").to_str().expect("text"), "ROOT/")
}

/// The name of the metadata with which the test plugin has marked a module: its options.
fn options_seen(sandbox: &Sandbox, line: &str) -> String {
    let did =
        sandbox.run(&mut sandbox.pathcc(&format!("{line} -S -emit-llvm one.c -o out.ll")), "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{line}");
    let text = String::from_utf8_lossy(&did.files["out.ll"]).into_owned();
    let found = text.lines().find_map(|line| line.strip_prefix("!pathcc.")?.split_once(" = "));
    found
        .expect("the plugin has run")
        .0
        .replace("\\2A", "*")
        .replace("\\21", "!")
        .replace("\\2C", ",")
}

#[test]
fn flags_reach_the_plugin() {
    let sandbox = Sandbox::new();
    assert_eq!(options_seen(&sandbox, ""), ".late....");
    assert_eq!(options_seen(&sandbox, "-fpath-mode=edges -fpath-stage=early"), "edges.early....");
    assert_eq!(
        options_seen(&sandbox, "-fpath-threads=atomic -fpath-limit=12 -fpath-filter=a*,!b"),
        ".late.atomic.12.a*,!b."
    );
    assert_eq!(options_seen(&sandbox, "-ffreestanding -O2"), ".late....freestanding");
    sandbox.write("flags.rsp", "-fpath-mode=edges -DX=1");
    assert_eq!(options_seen(&sandbox, "@flags.rsp"), "edges.late....");
}

#[test]
fn bad_flags_stop_before_compiling() {
    let sandbox = Sandbox::new();
    let message = |line: &str| refused(&sandbox, &sandbox.run(&mut sandbox.pathcc(line), ""));
    // The plugin knows the block log of the tests, and nobody else does.
    for mode in ["lines", "log"] {
        assert_eq!(
            message(&format!("-c one.c -fpath-mode={mode}")),
            format!(
                "-fpath-mode={mode}: unknown value '{mode}', expected paths, blocks, edges, calls \
                 or trace"
            )
        );
    }
    assert!(
        message("-c one.c -fpath-coverage")
            .starts_with("unknown flag '-fpath-coverage'; pathcc knows -fpath-mode=")
    );
    // Behind `--` it is an input.
    let did = sandbox.run(&mut sandbox.pathcc("-c one.c -- -fpath-mode=lines"), "");
    assert!(
        did.stderr.contains("no such file or directory: '-fpath-mode=lines'"),
        "{}",
        did.stderr
    );
}

#[test]
fn a_configuration_file_is_found_upwards_and_flags_win() {
    let sandbox = Sandbox::new();
    fs::write(
        sandbox.path("pathcc.toml"),
        "mode = \"edges\"\nstage = \"early\"\nfilter = [\"x*\"]\n",
    )
    .expect("file");
    assert_eq!(options_seen(&sandbox, ""), "edges.early...x*.");
    assert_eq!(options_seen(&sandbox, "-fpath-stage=late -fpath-filter="), "edges.late....");
    sandbox.write("pathcc.toml", "limit = 5");
    assert_eq!(options_seen(&sandbox, ""), ".late..5..");

    let with =
        |config: &str| sandbox.run(sandbox.pathcc("-c one.c").env("PATHCC_CONFIG", config), "");
    assert_eq!(with("off").code, Some(0));
    let other = sandbox.path("other.toml");
    fs::write(&other, "# comment\nmode = 'edges'\n\nthreads = 'many'\n").expect("file");
    let did = with(other.to_str().expect("text"));
    fs::remove_file(sandbox.path("work/one.o")).expect("compiled above");
    sandbox.reset();
    let did = Did { files: Default::default(), ..did };
    assert_eq!(
        refused(&sandbox, &did),
        "ROOT/other.toml:4: threads: unknown value 'many', expected exact, single or atomic"
    );
    let message = refused(&sandbox, &with("/nonexistent/pathcc.toml"));
    assert!(message.starts_with("cannot read /nonexistent/pathcc.toml: "), "{message}");
    sandbox.write("pathcc.toml", "mod = 'edges'");
    let message = refused(&sandbox, &sandbox.run(&mut sandbox.pathcc("-c one.c"), ""));
    assert!(
        message.starts_with("ROOT/work/pathcc.toml:1: unknown key 'mod', expected mode, "),
        "{message}"
    );
}

#[test]
fn disabled_it_is_plain_clang() {
    let sandbox = Sandbox::new();
    fs::remove_dir_all(sandbox.path("tree/lib")).expect("plugin removed");
    let mut command = sandbox.pathcc("-fpath-mode=edges -c one.c --ld-path=x");
    assert_eq!(
        sandbox.dry(command.env("PATHCC_DISABLE", "1")),
        "exec -a /usr/lib/llvm-22/bin/clang-22 /usr/lib/llvm-22/bin/clang -c one.c --ld-path=x\n"
    );
    let did = sandbox.run(sandbox.pathcc("-c one.c").env("PATHCC_DISABLE", "0"), "");
    assert!(
        refused(&sandbox, &did)
            .starts_with("cannot find ROOT/tree/lib/pathcc/libpathpass.so; this installation")
    );
}

#[test]
fn a_launcher_form_takes_the_compiler_it_is_given() {
    let sandbox = Sandbox::new();
    for (line, cxx) in [
        ("clang-22 -c one.c", false),
        ("/usr/bin/clang++-22 -c one.cc", true),
        ("pathc++ -c one.cc", true),
    ] {
        let did = sandbox.run(&mut sandbox.pathcc(line), "");
        assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{line}");
        let dry = sandbox.dry(&mut sandbox.pathcc(line));
        assert_eq!(
            dry.contains("exec -a /usr/lib/llvm-22/bin/clang++-22 /usr/lib/llvm-22/bin/clang "),
            cxx,
            "{dry}"
        );
        assert!(dry.contains("-fpass-plugin="), "{dry}");
    }
    let did = sandbox.run(&mut sandbox.pathcc("g++-12 -c one.cc"), "");
    sandbox.reset();
    let did = Did { files: Default::default(), ..did };
    assert!(
        refused(&sandbox, &did)
            .starts_with("'g++-12' is gcc, but counting is done by a pass of LLVM 22")
    );
    sandbox.reset();
    let did = sandbox.run(&mut sandbox.pathcc("clang-99 -c one.c"), "");
    assert_eq!(refused(&sandbox, &did), "cannot find the compiler 'clang-99'");
    // A cache gets the compiler's name, and our options behind it.
    let cache = sandbox.script("ccache", "echo \"$@\"");
    let did =
        sandbox.run(&mut sandbox.pathcc(&format!("{} clang++-22 -c one.cc", cache.display())), "");
    assert!(
        did.stdout.starts_with("/usr/bin/clang++-22 --start-no-unused-arguments -fpass-plugin="),
        "{}",
        did.stdout
    );
    assert!(did.stdout.ends_with("--end-no-unused-arguments -c one.cc\n"), "{}", did.stdout);
}

#[test]
fn the_compiler_must_be_clang_22_and_not_pathcc() {
    let sandbox = Sandbox::new();
    let with = |clang: &str| {
        let did = sandbox.run(sandbox.pathcc("-c one.c").env("PATHCC_CLANG", clang), "");
        refused(&sandbox, &did)
    };
    let old = sandbox.script("clang-21", "echo 'Debian clang version 21.1.0 (1)'");
    assert_eq!(
        with(old.to_str().expect("text")),
        "the compiler ROOT/clang-21 is clang 21.1.0, but pathcc works with clang 22 only: install \
         clang-22 or set PATHCC_CLANG to it"
    );
    let other = sandbox.script("cc", "echo 'tcc version 0.9'");
    assert!(
        with(other.to_str().expect("text"))
            .starts_with("the compiler ROOT/cc is not clang (--version says 'tcc version 0.9')")
    );
    assert_eq!(
        with("/nonexistent"),
        "PATHCC_CLANG=/nonexistent is not there: set it to the real clang-22"
    );
    let itself = sandbox.bin("pathc++");
    assert_eq!(
        with(itself.to_str().expect("text")),
        "PATHCC_CLANG=ROOT/tree/bin/pathc++ is pathcc itself: set it to the real clang-22"
    );
    // A script that starts pathcc again does not go round for ever.
    let round =
        sandbox.script("round", &format!("exec {} \"$@\"", sandbox.bin("pathcc").display()));
    assert!(with(round.to_str().expect("text")).contains("is not clang"));
    // A wrapper around clang 22 is fine, and keeps its name.
    let wrapper = sandbox.script("wrapper", "exec clang-22 \"$@\"");
    let did = sandbox.run(sandbox.pathcc("-c one.c").env("PATHCC_CLANG", &wrapper), "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""));
}

#[test]
fn a_missing_linker_is_reported() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.bin("ld.pathld")).expect("removed");
    let did = sandbox.run(&mut sandbox.pathcc("-c one.c"), "");
    assert!(
        refused(&sandbox, &did)
            .starts_with("cannot find ROOT/tree/bin/ld.pathld; this installation")
    );
}

#[test]
fn a_file_of_somebody_else_is_not_obeyed_and_that_is_said_once() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("pathcc.toml"), "limit = 7").expect("file");
    let nearest = sandbox.path("work/pathcc.toml");
    let compiled = |said: &str| {
        let did = sandbox.run(&mut sandbox.pathcc("-S -emit-llvm one.c -o out.ll"), "");
        assert_eq!(did.code, Some(0), "{}", did.stderr);
        assert_eq!(did.stderr.replace(sandbox.path("").to_str().expect("text"), "ROOT/"), said);
        assert!(
            String::from_utf8_lossy(&did.files["out.ll"]).contains("!pathcc..late..7.."),
            "{said}"
        );
    };
    let not_obeyed = |why: &str| {
        format!(
            "pathcc: warning: ROOT/work/pathcc.toml is ignored: {why}; to use it anyway, \
             set PATHCC_CONFIG to it\n"
        )
    };
    compiled("");
    sandbox.write("pathcc.toml", "mode = 'nonsense'");
    fs::set_permissions(&nearest, fs::Permissions::from_mode(0o666)).expect("ours");
    compiled(&not_obeyed("everybody can write it"));
    fs::set_permissions(&nearest, fs::Permissions::from_mode(0o644)).expect("ours");
    if std::os::unix::fs::chown(&nearest, Some(54_321), None).is_ok() {
        compiled(&not_obeyed("it belongs to user 54321"));
        // Named by the user it is read whoever wrote it.
        let did = sandbox.run(sandbox.pathcc("-c one.c").env("PATHCC_CONFIG", &nearest), "");
        assert!(
            did.code == Some(1) && did.stderr.contains("unknown value 'nonsense'"),
            "{}",
            did.stderr
        );
        fs::remove_file(&nearest).expect("ours");
        std::os::unix::fs::symlink(sandbox.path("pathcc.toml"), &nearest).expect("link");
        std::os::unix::fs::lchown(&nearest, Some(54_321), None).expect("as above");
        compiled(&not_obeyed("it belongs to user 54321"));
    }
    fs::remove_file(&nearest).expect("ours");
    let pipe = Command::new("mkfifo").arg(&nearest).status().expect("mkfifo");
    assert!(pipe.success());
    compiled(&not_obeyed("it is not a regular file"));
}

#[test]
fn a_pipe_is_no_file_with_weights() {
    let sandbox = Sandbox::new();
    assert!(
        Command::new("mkfifo").arg(sandbox.path("work/pipe")).status().expect("mkfifo").success()
    );
    for file in ["pipe", "/dev/zero"] {
        let did = sandbox.run(&mut sandbox.pathcc(&format!("-c one.c -fpath-use={file}")), "");
        assert_eq!(
            refused(&sandbox, &did),
            format!(
                "-fpath-use={file}: cannot read {file}: it is not a regular file; make one with \
                 `pathprof weights -o FILE`"
            )
        );
    }
}

#[test]
fn what_is_in_force_is_shown_with_where_it_comes_from() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("pathcc.toml"), "mode = 'edges'\nlimit = 7\njobs = 3\n").expect("file");
    sandbox.write("pathcc.toml", "");
    fs::set_permissions(sandbox.path("work/pathcc.toml"), fs::Permissions::from_mode(0o602))
        .expect("ours");
    let shown = |line: &str, variables: &[(&str, &str)]| -> Vec<Vec<String>> {
        let did = sandbox.run(sandbox.pathcc(line).envs(variables.iter().copied()), "");
        assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{line}");
        assert!(!did.files.keys().any(|name| name.ends_with(".o")), "nothing is compiled");
        let text = did.stdout.replace(sandbox.path("").to_str().expect("text"), "ROOT/");
        let columns = |line: &str| {
            line.split("  ")
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        text.lines().map(columns).collect()
    };
    let has = |rows: &[Vec<String>], row: [&str; 3]| {
        assert!(rows.iter().any(|found| *found == row), "{row:?}: {rows:#?}")
    };
    let rows = shown("-c one.c -fpath-stage=early -fpath-limit=9 --print-config", &[]);
    has(&rows, ["configuration", "ROOT/pathcc.toml", "found"]);
    has(&rows, ["not obeyed", "ROOT/work/pathcc.toml", "everybody can write it"]);
    has(&rows, ["counting", "yes", "default"]);
    has(&rows, ["mode", "edges", "ROOT/pathcc.toml"]);
    has(&rows, ["stage", "early", "-fpath-stage="]);
    has(&rows, ["limit", "9", "-fpath-limit="]);
    has(&rows, ["threads", "exact", "default"]);
    has(&rows, ["jobs", "3", "ROOT/pathcc.toml"]);
    has(&rows, ["plugin", "ROOT/tree/lib/pathcc/libpathpass-0123.so", "found"]);
    let variables = [
        ("PATHCC_CONFIG", "off"),
        ("PATHCC_DISABLE", "yes"),
        ("PATHCC_JOBS", "2"),
        ("PATHCC_CLANG", "/usr/bin/clang-22"),
    ];
    let rows = shown("--print-config", &variables);
    has(&rows, ["configuration", "none", "PATHCC_CONFIG"]);
    has(&rows, ["counting", "no", "PATHCC_DISABLE"]);
    has(&rows, ["mode", "paths", "default"]);
    has(&rows, ["jobs", "2", "PATHCC_JOBS"]);
    assert!(rows.iter().any(|row| row[0] == "compiler" && row[2] == "PATHCC_CLANG"), "{rows:?}");
}

#[test]
fn help_is_ours_and_then_that_of_clang() {
    let sandbox = Sandbox::new();
    let clang = sandbox.run(&mut sandbox.command("clang-22", "--help"), "").stdout;
    let ours = sandbox.run(&mut sandbox.pathcc("--help"), "").stdout;
    let before = ours.strip_suffix(&clang).expect("clang's help is the end of it");
    assert!(
        before.starts_with("pathcc ")
            && before.contains("-fpath-mode=")
            && before.ends_with("Options of clang:\n\n")
    );
    let disabled = sandbox.run(sandbox.pathcc("--help").env("PATHCC_DISABLE", "1"), "").stdout;
    assert_eq!(disabled, clang);
}

#[test]
fn our_own_options_are_explained_for_each_driver() {
    let sandbox = Sandbox::new();
    let explained = sandbox.run(&mut sandbox.pathcc("--help-path -c missing.c"), "").stdout;
    assert!(explained.starts_with("pathcc ") && explained.contains(": clang 22"));
    for part in ["-fpath-filter=GLOBS", "spanning-tree: ", "default: 4096", "Globs:"] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
}

#[test]
fn switches_have_one_rule() {
    let sandbox = Sandbox::new();
    for (word, disabled) in [
        ("1", true),
        ("yes", true),
        ("on", true),
        ("", false),
        ("0", false),
        ("no", false),
        ("off", false),
    ] {
        let line = sandbox.dry(sandbox.pathcc("-c one.c").env("PATHCC_DISABLE", word));
        assert_eq!(!line.contains("-fpass-plugin"), disabled, "{word}");
    }
}

#[test]
fn other_targets_are_compiled_as_by_clang_with_one_warning() {
    let sandbox = Sandbox::new();
    for target in [
        "wasm32",
        "wasm64",
        "x86_64-pc-windows-msvc",
        "x86_64-w64-mingw32",
        "i686-pc-windows-gnu",
        "x86_64-apple-darwin",
        "x86_64-unknown-uefi",
        "powerpc64-ibm-aix",
        "spirv64",
        "bpf",
        "aarch64-linux-gnu",
        "x86_64-linux-gnux32",
    ] {
        // Objects for Windows would have the time at which they were made.
        let line =
            format!("--target={target} -mno-incremental-linker-compatible -O1 -c b.c -o out.o");
        sandbox.reset();
        let expected = sandbox.run(&mut sandbox.command("clang-22", &line), "");
        sandbox.reset();
        let found = sandbox.run(&mut sandbox.pathcc(&line), "");
        assert_eq!((found.code, found.files), (expected.code, expected.files), "{target}");
        let warning = format!(
            "pathcc: warning: {target}: only x86-64 Linux is supported, so that paths are not \
             counted\n"
        );
        assert_eq!(found.stderr, warning + &expected.stderr, "{target}");
        assert_eq!(found.code, Some(0), "{target}");
    }
}

#[test]
fn a_target_that_is_not_counted_is_said_once() {
    let sandbox = Sandbox::new();
    let warning =
        "pathcc: warning: -m32: only x86-64 Linux is supported, so that paths are not counted\n";
    for (line, said) in [
        ("-m32 -c one.c", warning),
        ("-m32 -c one.c bad.c", warning),
        ("-m32 -E one.c", ""),
        ("-c one.c", ""),
    ] {
        let output = sandbox.pathcc(line).output().expect("pathcc can be run");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            text.starts_with(said)
                && text.matches("pathcc: ").count() == usize::from(!said.is_empty()),
            "{line}: {text}"
        );
    }
}
