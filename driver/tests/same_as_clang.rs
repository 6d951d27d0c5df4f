//! Whatever is asked of clang, pathcc answers the same: exit code, streams, files.

mod common;

use common::Sandbox;

/// One command line each, in a directory with the sources of `common`.
const LINES: &[&str] = &[
    // Questions.
    "",
    "-v",
    "--version",
    "-dumpmachine",
    "-dumpversion",
    "-print-search-dirs",
    "-print-prog-name=ld",
    "-print-file-name=crt1.o",
    "-print-libgcc-file-name",
    "-print-resource-dir",
    "-?",
    "-qversion",
    "--autocomplete=-fpass",
    "-### -c one.c",
    "-### one.c",
    "-v -c one.c",
    "-v one.c -o prog",
    // Modes.
    "-E one.c",
    "-E -P -x c one.c",
    "-M c.c",
    "-MM c.c",
    "-MD -c c.c",
    "-MMD -MF deps.d -MT x -c c.c",
    "-fsyntax-only b.c -Wall",
    "-S one.c",
    "-S one.c -o -",
    "-c one.c",
    "-c one.c -O2 -g",
    "-c one.c -o /dev/null",
    "-Werror -Wall -Wextra -c one.c",
    "-Werror -c one.c -lm",
    "-Wall -c b.c",
    "-Wall -Werror -c b.c",
    "-c asm.s",
    "-c cpp.S",
    "-E cpp.S",
    "-fno-integrated-as -c one.c",
    "-S -emit-llvm one.c",
    "-c -emit-llvm one.c",
    "-c mod.ll",
    "-flto -c one.c",
    "-flto=thin -c one.c",
    "-ffat-lto-objects -flto -c one.c",
    "-save-temps -c one.c",
    "--analyze one.c",
    "-x c-header head.h",
    "-x c-header head.h -o head.h.pch",
    "-include head.h -c uses.c",
    "-ffreestanding -c one.c",
    // Grammar.
    "-c -- one.c",
    "--compile one.c --output=x.o",
    "-c -xc one.c -onamed.o",
    "@args.rsp",
    "@missing.rsp",
    "-Wno-unused -Wall @two.rsp -c",
    "-Wp,-MD,deps.d -c one.c",
    "-Xclang -emit-pch -x c-header head.h -o x.pch",
    "-no-canonical-prefixes -c one.c",
    "-no-canonical-prefixes a.c b.c c.c -o prog",
    // Links.
    "one.c -o prog",
    "one.c -o prog -fuse-ld=lld",
    "one.c -o prog -static",
    "one.c -shared -fPIC -o prog.so",
    "-r one.c -o part.o",
    "a.c b.c c.c -o prog",
    "a.c b.c c.c -o prog -Wall -g",
    "-flto a.c b.c c.c -o prog -fuse-ld=lld",
    "a.c b.c asm.s c.c -o prog",
    // Failures.
    "nonexistent.c",
    "-c bad.c",
    "-c nonexistent.c one.c",
    "-fno-such-option -c one.c",
    "-fno-such-option a.c b.c c.c -o prog",
    "undefined.c -o prog",
    "a.c b.c undefined.c -o prog",
    "one.c -o nonexistent/prog",
    "one.c -fuse-ld=nonesuch -o prog",
    "one.c --ld-path=nonesuch -o prog",
    "one.c --ld-path= -o prog",
    "-c one.c -fuse-ld=nonesuch",
    "-c one.c --ld-path=nonesuch",
    "-Werror -c one.c --ld-path=nonesuch",
    "one.c --ld-path=/bin/false -o prog",
    "one.c -Wl,--no-such-option -o prog",
    "--driver-mode=cl /Brepro -c one.c",
    "-cc1 -fsyntax-only one.c",
    "-cc1 -version",
    "-cc1as -help",
    "-cc1gen-reproducer",
];

#[test]
fn every_mode_is_clangs() {
    let sandbox = Sandbox::new();
    for line in LINES {
        sandbox.same(line);
    }
}

#[test]
fn the_same_holds_for_cxx() {
    let sandbox = Sandbox::new();
    for line in [
        "-c one.cc",
        "one.cc -o prog",
        "-v",
        "--version",
        "-c one.c",
        "",
        "-x c -c one.c",
        "nonexistent.cc",
    ] {
        sandbox.same_as("clang++-22", "pathc++", line, "", &|_| ());
    }
}

#[test]
fn standard_input_is_clangs() {
    let sandbox = Sandbox::new();
    let source = "int main(void) { return 0; }\n";
    for line in [
        "-E -",
        "-x c -",
        "-x c - -o prog",
        "-E -dM -x c -",
        "-x c -c - -o x.o",
        "-",
        "-x c -fsyntax-only - one.c",
    ] {
        sandbox.same_as("clang-22", "pathcc", line, source, &|_| ());
    }
}

#[test]
fn a_precompiled_header_made_by_one_is_used_by_the_other() {
    let sandbox = Sandbox::new();
    for (maker, user) in
        [("clang-22".into(), sandbox.bin("pathcc")), (sandbox.bin("pathcc"), "clang-22".into())]
    {
        let made = sandbox.run(&mut sandbox.command(&maker, "-x c-header head.h -o head.pch"), "");
        assert_eq!(made.code, Some(0), "{}", made.stderr);
        let used = sandbox.run(&mut sandbox.command(&user, "-include-pch head.pch -c uses.c"), "");
        assert_eq!((used.code, &*used.stderr), (Some(0), ""));
    }
}

#[test]
fn options_of_the_pass_disturb_no_mode() {
    let sandbox = Sandbox::new();
    let ours = "-fpath-mode=edges -fpath-stage=early -fpath-threads=single -fpath-limit=9 \
        -fpath-filter=a*,!b";
    for line in [
        "-E one.c",
        "-M one.c",
        "-fsyntax-only one.c",
        "-S one.c",
        "-c asm.s",
        "-c cpp.S",
        "-c mod.ll",
        "--analyze one.c",
        "-x c-header head.h",
        "-flto one.c -o prog -fuse-ld=lld",
        "one.c -o prog",
        "a.c b.c c.c -o prog",
        "-v",
        "-Werror -c one.c",
        "-Werror -c asm.s",
        "--version",
    ] {
        let expected = sandbox.run(&mut sandbox.command("clang-22", line), "");
        sandbox.reset();
        let found = sandbox.run(&mut sandbox.pathcc(&format!("{ours} {line}")), "");
        assert_eq!(
            (found.code, &found.stdout, &found.stderr),
            (expected.code, &expected.stdout, &expected.stderr),
            "{line}"
        );
        sandbox.reset();
    }
}

#[test]
fn a_target_prefix_is_handed_on() {
    let sandbox = Sandbox::new();
    let did = sandbox
        .run(&mut sandbox.command(sandbox.bin("aarch64-linux-gnu-pathcc"), "-dumpmachine"), "");
    assert_eq!(did.stdout, "aarch64-unknown-linux-gnu\n");
}

#[test]
fn a_command_line_that_ours_make_too_long_is_still_run() {
    let sandbox = Sandbox::new();
    let long = "-DX=".to_owned() + &"y".repeat(1000);
    let command = |program: &std::path::Path, extra: usize| {
        let mut command = sandbox.command(program, "-c one.c");
        command
            .args(std::iter::repeat_n(&long, 1900))
            .args(std::iter::repeat_n("-DA=0123456789", extra))
            .env_clear();
        command.env("PATH", "/usr/bin:/bin");
        command
    };
    // The longest line that the system takes, for a program whose path is as long as pathcc's.
    let fits = |extra: usize| {
        command(&sandbox.script("tree/bin/truth_", "exit 0"), extra).output().is_ok()
    };
    let (mut low, mut high) = (0, 40_000);
    while high - low > 1 {
        let middle = (low + high) / 2;
        *(if fits(middle) { &mut low } else { &mut high }) = middle;
    }
    // A script is started with its interpreter and its path in front: leave room for a little less
    // than that.
    for shorter in [1, 4, 8] {
        let output =
            command(&sandbox.bin("pathcc"), low - shorter).output().expect("pathcc starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // Without the detour these would be too long for clang.
    let clang = std::path::Path::new("/usr/bin/clang-22");
    let mut direct = command(clang, low - 1);
    direct.arg("-DOURS=".to_owned() + &"z".repeat(400));
    assert_eq!(
        direct.output().expect_err("too long").kind(),
        std::io::ErrorKind::ArgumentListTooLong
    );
}
