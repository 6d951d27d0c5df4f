//! The linker that the user has chosen does the work, behind pathld.

mod common;

use common::Place;

/// Links with `line` and tells what pathld was told: `PATHLD_REAL` and who has set it.
fn told(place: &Place, line: &str, variables: &[(&str, &str)]) -> String {
    let log = place.path("log");
    let _ = std::fs::remove_file(&log);
    let mut command = place.pathcc(line);
    command.env("LINKER_LOG", &log).envs(variables.iter().copied());
    let did = place.run(&mut command, "");
    assert_eq!((did.code, &*did.stderr), (Some(0), ""), "{line}");
    std::fs::read_to_string(log).unwrap_or_else(|_| "not run\n".into())
}

#[test]
fn pathld_is_told_of_the_choice() {
    let place = Place::new();
    let by_us = |path: &str| format!("{path} pathcc\n");
    let none = "unset unset\n";
    assert_eq!(told(&place, "one.c", &[]), none);
    assert_eq!(told(&place, "one.c -fuse-ld=", &[]), none);
    assert_eq!(told(&place, "one.c -fuse-ld=pathld", &[]), none);
    assert_eq!(told(&place, "one.c -fuse-ld=lld", &[]), by_us("/usr/lib/llvm-22/bin/ld.lld"));
    assert_eq!(
        told(&place, "one.c -fuse-ld=bfd --ld-path=/usr/lib/llvm-22/bin/ld.lld", &[]),
        by_us("/usr/lib/llvm-22/bin/ld.lld")
    );
    assert_eq!(told(&place, "one.c -fuse-ld=lld -fuse-ld=bfd", &[]), by_us("/usr/bin/ld.bfd"));
    assert_eq!(told(&place, "one.c --ld-path=ld.bfd -fuse-ld=lld", &[]), by_us("/usr/bin/ld.bfd"));
    let ours = format!("one.c --ld-path={}", place.bin("ld.pathld").display());
    assert_eq!(told(&place, &ours, &[]), none);
    // Several sources: the link is ours to run.
    assert_eq!(
        told(&place, "a.c b.c c.c --ld-path=/usr/bin/ld.bfd", &[]),
        by_us("/usr/bin/ld.bfd")
    );
}

#[test]
fn a_choice_inside_a_response_file_counts() {
    let place = Place::new();
    place.write("linker.rsp", "-o 'a prog' --ld-path=/usr/bin/ld.bfd\n");
    place.write("name.rsp", "-fuse-ld=lld");
    assert_eq!(told(&place, "one.c @linker.rsp", &[]), "/usr/bin/ld.bfd pathcc\n");
    assert!(place.path("work/a prog").exists());
    assert_eq!(told(&place, "one.c @name.rsp", &[]), "/usr/lib/llvm-22/bin/ld.lld pathcc\n");
    // Clang drops what is empty in a response file, so it is not among the words that take the
    // file's place.
    place.write("empty.rsp", "'' -o '' prog \"\" --ld-path=/usr/bin/ld.bfd");
    let line = place.dry(&mut place.pathcc("one.c @empty.rsp"));
    assert!(line.ends_with("--end-no-unused-arguments one.c -o prog\n"), "{line}");
    let line = place.dry(&mut place.pathcc("one.c @name.rsp @linker.rsp"));
    assert!(line.ends_with("--end-no-unused-arguments one.c @name.rsp -o 'a prog'\n"), "{line}");
}

#[test]
fn the_places_where_clang_looks_are_respected() {
    let place = Place::new();
    let cross = place.path("cross");
    std::fs::create_dir(&cross).expect("directory");
    let [ld, other] =
        ["ld", "ld.other"].map(|name| place.script(&format!("cross/{name}"), "exec ld.bfd \"$@\""));
    let prefix = format!("-B{}", cross.display());
    assert_eq!(told(&place, &format!("{prefix} one.c"), &[]), format!("{} pathcc\n", ld.display()));
    assert_eq!(
        told(&place, &format!("{prefix} -fuse-ld=other one.c"), &[]),
        format!("{} pathcc\n", other.display())
    );
    let compiler_path = [("COMPILER_PATH", cross.to_str().expect("text"))];
    assert_eq!(told(&place, "one.c", &compiler_path), format!("{} pathcc\n", ld.display()));
    // A relative path stays right wherever pathld runs.
    assert_eq!(
        told(&place, "--ld-path=../cross/ld.other one.c", &[]),
        format!("{}/../cross/ld.other pathcc\n", place.path("work").display())
    );
}

#[test]
fn the_users_own_variable_stays_and_a_stale_one_goes() {
    let place = Place::new();
    let users = ("PATHLD_REAL", "ld.bfd");
    let marked = ("PATHLD_REAL_BY", "pathcc");
    assert_eq!(told(&place, "one.c", &[users]), "ld.bfd unset\n");
    assert_eq!(
        told(&place, "one.c -fuse-ld=lld", &[users]),
        "/usr/lib/llvm-22/bin/ld.lld pathcc\n"
    );
    assert_eq!(told(&place, "one.c", &[users, marked]), "unset unset\n");
    assert_eq!(told(&place, "a.c b.c c.c", &[users, marked]), "unset unset\n");
    assert_eq!(told(&place, "-c one.c", &[users, marked]), "not run\n");
}
