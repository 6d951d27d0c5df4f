//! An instrumented program behaves as it did, whatever becomes of its profile; and the profile is
//! where it was asked for.

mod support;

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use object::Object;
use support::{Image, Scratch};

/// Prints to both streams and ends with 3; the exit code of a program with arguments is the
/// number of bytes that it could read.
const MAIN: &str = "
    #include <stdio.h>
    #include <unistd.h>
    void bump_a(long);
    int main(int argc, char **argv) {
        bump_a(1);
        fputs(\"out\\n\", stdout); fputs(\"err\\n\", stderr);
        if (argc > 1 && chdir(argv[1])) return 1;
        return 3;
    }";

fn program() -> Scratch {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile("main", &[], MAIN);
    scratch.link("lld", &["main.o", "a.o", "-o", "prog"]);
    scratch
}

fn check(output: &Output, what: &str) {
    assert_eq!(output.status.code(), Some(3), "{what}: {output:?}");
    assert_eq!((&*output.stdout, &*output.stderr), (&b"out\n"[..], &b"err\n"[..]), "{what}");
}

/// Runs the program with a pattern, checks that it behaves, and gives its process number.
fn run(scratch: &Scratch, pattern: &str) -> u32 {
    let mut command = scratch.command("./prog");
    command
        .env("PATHCC_PROFILE", pattern)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("executable");
    let process = child.id();
    check(&child.wait_with_output().expect("ours"), pattern);
    process
}

/// The build-id of the program, in hexadecimal.
fn build_id(scratch: &Scratch) -> String {
    let image = Image::read(&scratch.path("prog"));
    let bytes = image.file().build_id().expect("sound").expect("added").to_vec();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn patterns() {
    let scratch = program();
    let build_id = build_id(&scratch);
    let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("Linux");
    let here = fs::canonicalize(scratch.path(".")).expect("exists").display().to_string();
    fs::create_dir(scratch.path("existing")).expect("writable");
    scratch.write("text", "some text");
    for (pattern, file) in [
        ("%e.%p.pathprof", "prog.PID.pathprof".to_owned()),
        ("new/dir/%%%b", format!("new/dir/%{build_id}")),
        ("%m-%h", format!("{build_id}-{}", host.trim())),
        ("existing", "existing/prog.pathprof".to_owned()),
        ("made/", "made/prog.pathprof".to_owned()),
        ("", "prog.pathprof".to_owned()),
        ("%f.x", "prog.x".to_owned()),
        (&format!("{here}/absolute"), "absolute".to_owned()),
        ("again", "again".to_owned()),
        ("again", "again".to_owned()),
        ("text", "text-2".to_owned()),
    ] {
        let process = run(&scratch, pattern);
        let profile = scratch.profile(&file.replace("PID", &process.to_string()));
        assert_eq!((profile.pid, profile.counts), (process, [((1, 1), 1)].into()), "{pattern}");
        assert_eq!((profile.image, profile.directory), (format!("{here}/prog"), here.clone()));
        assert_eq!(profile.command_line, "./prog\0");
    }
    assert_eq!(scratch.records("again").len(), 2);
    let leftovers = scratch.files(".").into_iter().filter(|name| name.starts_with('.'));
    assert_eq!(leftovers.count(), 0);
}

#[test]
fn the_default_is_beside_the_program() {
    let scratch = program();
    for folder in ["elsewhere", "start", "state"] {
        fs::create_dir(scratch.path(folder)).expect("writable");
    }
    let run = |arguments: &[&str]| {
        let mut command = scratch.command("../prog");
        command
            .args(arguments)
            .current_dir(scratch.path("start"))
            .env("XDG_STATE_HOME", scratch.path("state"));
        check(&command.output().expect("executable"), "default");
    };
    run(&["../elsewhere"]);
    run(&[]);
    assert!(scratch.files("elsewhere").is_empty() && scratch.files("start").is_empty());
    assert_eq!(scratch.records("prog.pathprof").len(), 2);
    assert!(scratch.files("state").is_empty());
}

#[test]
fn where_no_file_may_be_beside_the_program_it_is_with_the_user() {
    let scratch = program();
    let build_id = build_id(&scratch);
    for folder in ["only", "state", "50%e", "home"] {
        fs::create_dir(scratch.path(folder)).expect("writable");
    }
    fs::rename(scratch.path("prog"), scratch.path("only/prog")).expect("writable");
    // The superuser may write anywhere, but not to a file system that is mounted for reading.
    let run = |variables: &str| {
        let script = format!(
            "mount --bind only only && mount -o remount,bind,ro only && {variables} only/prog"
        );
        let output = scratch
            .command("unshare")
            .args(["-rm", "sh", "-c", &script])
            .output()
            .expect("util-linux");
        check(&output, variables);
    };
    let here = scratch.path(".").display().to_string();
    let below = format!("pathprof/prog-{build_id}/prog.pathprof");
    run(&format!("XDG_STATE_HOME={here}/state"));
    assert_eq!(scratch.records(&format!("state/{below}")).len(), 1);
    run(&format!("XDG_STATE_HOME={here}/50%e HOME=/nowhere"));
    assert_eq!(scratch.records(&format!("50%e/{below}")).len(), 1);
    // What the specification says of a path that is not absolute, and of none.
    run(&format!("XDG_STATE_HOME=relative HOME={here}/home"));
    run(&format!("env -u XDG_STATE_HOME HOME={here}/home"));
    assert_eq!(scratch.records(&format!("home/.local/state/{below}")).len(), 2);
    run("env -u XDG_STATE_HOME -u HOME");
    assert!(!scratch.files(".").iter().any(|name| name == "relative"));
    assert_eq!(scratch.files("only"), ["prog"]);
}

#[test]
fn many_processes_append_to_one_file() {
    let scratch = program();
    let script =
        "for i in $(seq 300); do PATHCC_PROFILE=single:all ./prog & done >/dev/null 2>&1; wait";
    support::succeed(scratch.command("sh").args(["-c", script]));
    let records = scratch.records("all");
    let processes: std::collections::BTreeSet<_> =
        records.iter().map(|record| record.pid).collect();
    assert_eq!((records.len(), processes.len()), (300, 300));
    assert!(records.iter().all(|record| record.counts == [((1, 1), 1)].into()));
    assert_eq!(
        scratch.files(".").iter().filter(|name| name.contains("all")).count(),
        1,
        "{:?}",
        scratch.files(".")
    );
}

#[test]
fn off_is_off() {
    let scratch = program();
    let before = scratch.files(".");
    run(&scratch, "off");
    assert_eq!(scratch.files("."), before);
}

#[test]
fn places_that_cannot_be_written() {
    let scratch = program();
    scratch.write("file", "content");
    let before = scratch.files(".");
    let long = format!("{}%e", "d".repeat(300));
    let longer = "x/".repeat(2100);
    for pattern in [
        "/proc/none/%e",
        "/proc/self/%e",
        "file/below",
        "/dev/full",
        "/dev/null",
        "/dev/stdout",
        &long,
        &longer,
    ] {
        run(&scratch, pattern);
    }
    assert_eq!(scratch.files("."), before);
    assert_eq!(fs::read(scratch.path("file")).expect("still there"), b"content");
    for device in ["/dev/full", "/dev/null"] {
        assert!(fs::metadata(device).expect("still there").file_type().is_char_device());
    }
}

#[test]
fn a_full_disk_and_a_limit_of_file_sizes() {
    let scratch = program();
    let output =
        scratch.command("sh").args(["-c", "ulimit -f 0; exec ./prog"]).output().expect("a shell");
    check(&output, "ulimit");
    // As many files as may be open are open; a static program, since the loader of others needs one
    // more.
    scratch.link("bfd", &["-static", "main.o", "a.o", "-o", "static"]);
    let output =
        scratch.command("sh").args(["-c", "ulimit -n 3; exec ./static"]).output().expect("a shell");
    check(&output, "descriptors");
    let written = scratch.files(".").into_iter().filter(|name| name.contains("pathprof"));
    assert!(written.clone().all(|name| name.starts_with("static.")), "{:?}", scratch.files("."));
    assert_eq!(written.count(), 1, "descriptors are found for the profile");

    // A file system of one page, which a private mount needs rights for.
    fs::create_dir(scratch.path("small")).expect("writable");
    let script = "mount -t tmpfs -o size=4k none small && head -c 4096 /dev/zero >small/fill \
        && { PATHCC_PROFILE=small/p ./prog; code=$?; ls -A small >list; exit $code; }";
    let probe = ["-rm", "mount", "-t", "tmpfs", "none", "small"];
    if scratch.command("unshare").args(probe).output().is_ok_and(|output| output.status.success()) {
        let output = scratch
            .command("unshare")
            .args(["-rm", "sh", "-c", script])
            .output()
            .expect("as just now");
        check(&output, "full disk");
        assert_eq!(fs::read_to_string(scratch.path("list")).expect("written"), "fill\n");
    } else {
        eprintln!("skipped the full disk: this system does not let users mount");
    }
}

#[test]
fn closed_streams() {
    let scratch = program();
    for redirection in ["<&-", "<&- >&- 2>&-", ">&-", "2>&-"] {
        let script = format!("PATHCC_PROFILE=p ./prog {redirection}; exit $?");
        let output = scratch.command("sh").args(["-c", &script]).output().expect("a shell");
        assert_eq!(output.status.code(), Some(3), "{redirection}");
        assert_eq!(scratch.profile("p").counts, [((1, 1), 1)].into(), "{redirection}");
        fs::remove_file(scratch.path("p")).expect("written");
    }
}

#[test]
fn a_strict_umask_leaves_a_readable_profile() {
    let scratch = program();
    let output = scratch
        .command("sh")
        .args(["-c", "umask 0777; PATHCC_PROFILE=p ./prog"])
        .output()
        .expect("a shell");
    check(&output, "umask");
    assert_eq!(
        fs::metadata(scratch.path("p")).expect("written").permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_program_with_gained_rights_writes_nothing() {
    let scratch = program();
    if !Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n") {
        eprintln!("skipped: only root can make such a program");
        return;
    }
    fs::set_permissions(scratch.path("."), fs::Permissions::from_mode(0o777)).expect("ours");
    for (mode, expected) in [(0o4755, 0), (0o755, 1)] {
        fs::set_permissions(scratch.path("prog"), fs::Permissions::from_mode(mode)).expect("ours");
        let setpriv = ["--reuid=65534", "--regid=65534", "--clear-groups", "./prog"];
        check(&scratch.command("setpriv").args(setpriv).output().expect("util-linux"), "setuid");
        let profiles = scratch.files(".").into_iter().filter(|name| name.ends_with(".pathprof"));
        assert_eq!(profiles.count(), expected, "{mode:o}");
    }
}

#[test]
fn everything_until_the_end_is_counted() {
    let scratch = Scratch::new();
    scratch.module("a", 1, 10, &[]);
    scratch.compile(
        "main",
        &[],
        "
        #include <stdlib.h>
        void bump_a(long);
        __attribute__((constructor(101))) static void early(void) { bump_a(0); }
        __attribute__((destructor(101))) static void late(void) { bump_a(1); }
        __attribute__((destructor)) static void usual(void) { bump_a(2); }
        static void at_exit(void) { bump_a(3); }
        int main(void) { atexit(at_exit); bump_a(4); exit(3); }",
    );
    for flags in ["-pie", "-static"] {
        scratch.link("bfd", &[flags, "main.o", "a.o", "-o", "prog"]);
        assert_eq!(
            scratch
                .command("./prog")
                .env("PATHCC_PROFILE", "p")
                .status()
                .expect("executable")
                .code(),
            Some(3)
        );
        let counts = (0..5).map(|index| ((1, index), 1)).collect();
        assert_eq!(scratch.profile("p").counts, counts, "{flags}");
    }
}

#[test]
fn a_large_sparse_array() {
    const COUNTERS: u64 = 8 << 20;
    let scratch = Scratch::new();
    scratch.module("a", 1, COUNTERS, &[]);
    scratch.compile(
        "main",
        &[],
        &format!(
            "
        void bump_a(long);
        int main(void) {{
            for (long i = 0; i < {COUNTERS}; i += 99991) bump_a(i);
            bump_a({COUNTERS} - 1);
        }}"
        ),
    );
    for linker in support::LINKERS {
        scratch.link(linker, &["main.o", "a.o", "-o", "prog"]);
        assert!(
            fs::metadata(scratch.path("prog")).expect("linked").len() < 1 << 20,
            "the region takes no room in the file"
        );
        support::succeed(scratch.command("./prog").env("PATHCC_PROFILE", "p"));
        let mut expected: support::Counts =
            (0..COUNTERS).step_by(99_991).map(|index| ((1, index), 1)).collect();
        *expected.entry((1, COUNTERS - 1)).or_default() += 1;
        assert_eq!(scratch.profile("p").counts, expected);
    }
}

#[test]
fn a_program_that_is_killed_dies_of_that() {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile(
        "main",
        &[],
        "#include <signal.h>\nvoid bump_a(long); int main(void) { bump_a(0); raise(SIGTERM); }",
    );
    scratch.link("lld", &["main.o", "a.o", "-o", "prog"]);
    let status = scratch.command("./prog").status().expect("executable");
    assert_eq!(status.signal(), Some(15));
}

#[test]
fn a_thread_with_a_tiny_stack_may_end_the_program() {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile(
        "main",
        &["-pthread"],
        "
        #include <limits.h>
        #include <pthread.h>
        #include <stdlib.h>
        void bump_a(long);
        static void *end(void *unused) { bump_a(2); exit(3); }
        int main(void) {
            pthread_attr_t attributes; pthread_t thread;
            pthread_attr_init(&attributes);
            pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
            pthread_create(&thread, &attributes, end, 0);
            pthread_join(thread, 0);
        }",
    );
    scratch.link("bfd", &["-pthread", "main.o", "a.o", "-o", "prog"]);
    let status = scratch.command("./prog").env("PATHCC_PROFILE", "p").status().expect("executable");
    assert_eq!(status.code(), Some(3));
    assert_eq!(scratch.profile("p").counts, [((1, 2), 1)].into());
}

#[test]
fn without_proc_the_program_still_runs() {
    let scratch = program();
    scratch.link("bfd", &["-static", "main.o", "a.o", "-o", "prog"]);
    let output = scratch.command("unshare").args(["-r", "chroot", ".", "/prog"]).output();
    match output {
        Ok(output) if output.status.code() == Some(3) => check(&output, "chroot"),
        other => {
            assert!(
                !Path::new("/proc/self/ns/user").exists()
                    || other.is_ok_and(|output| !output.stderr.is_empty())
            );
            eprintln!("skipped: this system does not let users change the root");
        }
    }
}
