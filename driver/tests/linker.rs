//! The linker that the user has chosen does the work, behind pathld.

mod common;

use common::Sandbox;

/// Links with `line`; gives the variables that pathld gets: `PATHLD_REAL`, and who has set it.
fn linker_variables(sandbox: &Sandbox, line: &str, variables: &[(&str, &str)]) -> String {
    let log = sandbox.path("log");
    let _ = std::fs::remove_file(&log);
    let mut command = sandbox.pathcc(line);
    command.env("LINKER_LOG", &log).envs(variables.iter().copied());
    let did = sandbox.run(&mut command, "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{line}");
    std::fs::read_to_string(log).unwrap_or_else(|_| "not run\n".into())
}

#[test]
fn pathld_gets_the_choice() {
    let sandbox = Sandbox::new();
    let by_us = |path: &str| format!("{path} pathcc\n");
    let none = "unset unset\n";
    assert_eq!(linker_variables(&sandbox, "one.c", &[]), none);
    assert_eq!(linker_variables(&sandbox, "one.c -fuse-ld=", &[]), none);
    assert_eq!(linker_variables(&sandbox, "one.c -fuse-ld=pathld", &[]), none);
    assert_eq!(
        linker_variables(&sandbox, "one.c -fuse-ld=lld", &[]),
        by_us("/usr/lib/llvm-22/bin/ld.lld")
    );
    assert_eq!(
        linker_variables(&sandbox, "one.c -fuse-ld=bfd --ld-path=/usr/lib/llvm-22/bin/ld.lld", &[]),
        by_us("/usr/lib/llvm-22/bin/ld.lld")
    );
    assert_eq!(
        linker_variables(&sandbox, "one.c -fuse-ld=lld -fuse-ld=bfd", &[]),
        by_us("/usr/bin/ld.bfd")
    );
    assert_eq!(
        linker_variables(&sandbox, "one.c --ld-path=ld.bfd -fuse-ld=lld", &[]),
        by_us("/usr/bin/ld.bfd")
    );
    let ours = format!("one.c --ld-path={}", sandbox.bin("ld.pathld").display());
    assert_eq!(linker_variables(&sandbox, &ours, &[]), none);
    // Several sources: the link is ours to run.
    assert_eq!(
        linker_variables(&sandbox, "a.c b.c c.c --ld-path=/usr/bin/ld.bfd", &[]),
        by_us("/usr/bin/ld.bfd")
    );
}

#[test]
fn a_choice_inside_a_response_file_counts() {
    let sandbox = Sandbox::new();
    sandbox.write("linker.rsp", "-o 'a prog' --ld-path=/usr/bin/ld.bfd\n");
    sandbox.write("name.rsp", "-fuse-ld=lld");
    assert_eq!(linker_variables(&sandbox, "one.c @linker.rsp", &[]), "/usr/bin/ld.bfd pathcc\n");
    assert!(sandbox.path("work/a prog").exists());
    assert_eq!(
        linker_variables(&sandbox, "one.c @name.rsp", &[]),
        "/usr/lib/llvm-22/bin/ld.lld pathcc\n"
    );
    // Clang drops what is empty in a response file, so it is not among the words that take the
    // file's place.
    sandbox.write("empty.rsp", "'' -o '' prog \"\" --ld-path=/usr/bin/ld.bfd");
    let line = sandbox.dry(&mut sandbox.pathcc("one.c @empty.rsp"));
    assert!(line.ends_with("--end-no-unused-arguments one.c -o prog\n"), "{line}");
    let line = sandbox.dry(&mut sandbox.pathcc("one.c @name.rsp @linker.rsp"));
    assert!(line.ends_with("--end-no-unused-arguments one.c @name.rsp -o 'a prog'\n"), "{line}");
}

#[test]
fn the_places_where_clang_looks_are_respected() {
    let sandbox = Sandbox::new();
    let cross = sandbox.path("cross");
    std::fs::create_dir(&cross).expect("directory");
    let [ld, other] = ["ld", "ld.other"]
        .map(|name| sandbox.script(&format!("cross/{name}"), "exec ld.bfd \"$@\""));
    let prefix = format!("-B{}", cross.display());
    assert_eq!(
        linker_variables(&sandbox, &format!("{prefix} one.c"), &[]),
        format!("{} pathcc\n", ld.display())
    );
    assert_eq!(
        linker_variables(&sandbox, &format!("{prefix} -fuse-ld=other one.c"), &[]),
        format!("{} pathcc\n", other.display())
    );
    let compiler_path = [("COMPILER_PATH", cross.to_str().expect("text"))];
    assert_eq!(
        linker_variables(&sandbox, "one.c", &compiler_path),
        format!("{} pathcc\n", ld.display())
    );
    // A relative path stays right wherever pathld runs.
    assert_eq!(
        linker_variables(&sandbox, "--ld-path=../cross/ld.other one.c", &[]),
        format!("{}/../cross/ld.other pathcc\n", sandbox.path("work").display())
    );
}

#[test]
fn the_users_own_variable_stays_and_a_stale_one_goes() {
    let sandbox = Sandbox::new();
    let users = ("PATHLD_REAL", "ld.bfd");
    let marked = ("PATHLD_REAL_BY", "pathcc");
    assert_eq!(linker_variables(&sandbox, "one.c", &[users]), "ld.bfd unset\n");
    assert_eq!(
        linker_variables(&sandbox, "one.c -fuse-ld=lld", &[users]),
        "/usr/lib/llvm-22/bin/ld.lld pathcc\n"
    );
    assert_eq!(linker_variables(&sandbox, "one.c", &[users, marked]), "unset unset\n");
    assert_eq!(linker_variables(&sandbox, "a.c b.c c.c", &[users, marked]), "unset unset\n");
    assert_eq!(linker_variables(&sandbox, "-c one.c", &[users, marked]), "not run\n");
}
