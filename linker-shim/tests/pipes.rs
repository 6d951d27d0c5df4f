//! What can be read but once is there for every run of the real linker.

mod support;

use std::process::{Command, Stdio};

use support::{LINKERS, Scratch, succeed};

/// Objects whose link takes two runs: the archive has a member that is far too large and not taken.
fn with_objects() -> Scratch {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.module("unused", 3, 16 << 20, &[]);
    scratch.compile("main", &[], "void bump_a(long); int main(void) { bump_a(1); return 3; }");
    succeed(scratch.command("ar").args(["rcs", "lib.a", "a.o", "unused.o"]));
    scratch.write("version", "{ global: main; local: *; };\n");
    scratch.write("inputs", "INPUT(main.o lib.a)\n");
    scratch.write("words", "main.o\nlib.a\n");
    scratch
}

/// Links by a command in bash, where `"$@"` is the compiler with its linker.
fn link(scratch: &Scratch, linker: &str, command: &str) {
    let compiler = scratch.linking(linker, &["-o", "prog"]);
    let mut bash = scratch.command("bash");
    bash.args(["-c", command, "bash"]).arg(compiler.get_program()).args(compiler.get_args());
    for (name, value) in compiler.get_envs() {
        match value {
            Some(value) => bash.env(name, value),
            None => bash.env_remove(name),
        };
    }
    let output = succeed(bash.stdin(Stdio::null()));
    assert!(output.stderr.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let run = |program: &mut Command| program.env("PATHCC_PROFILE", "p").status();
    let status = run(&mut scratch.command("./prog")).expect("executable");
    let profile = scratch.profile("p");
    assert_eq!(
        (status.code(), profile.modules, profile.counts),
        (Some(3), vec![(1, 5)], [((1, 1), 1)].into()),
        "{linker}: {command}"
    );
}

#[test]
fn a_pipe_is_there_in_every_run() {
    let scratch = with_objects();
    for linker in LINKERS {
        link(&scratch, linker, "\"$@\" main.o lib.a -Wl,--version-script=<(cat version)");
    }
    link(&scratch, "lld", "\"$@\" main.o lib.a -Wl,--version-script,<(cat version)");
    link(&scratch, "lld", "cat inputs | \"$@\" -Wl,/dev/stdin");
    link(&scratch, "lld", "cat words | \"$@\" -Wl,@/dev/stdin");
    let named = "mkfifo pipe; cat version >pipe & \"$@\" main.o lib.a -Wl,--version-script=pipe";
    link(&scratch, "lld", named);
    scratch.check_no_leftovers();
}

#[test]
fn what_is_written_to_a_pipe_is_not_read() {
    let scratch = with_objects();
    link(&scratch, "lld", "\"$@\" main.o lib.a -Wl,-Map=>(cat >map)");
}
