//! Whatever modules come from, with every linker: the program does what it did, and the counts are
//! exact.

mod support;

use std::fs;

use support::program::{counts, expected, run, with_objects};
use support::{Image, LINKERS, Scratch, succeed};

#[test]
fn archives_libraries_and_scripts() {
    let scratch = with_objects(&[]);
    scratch.module("unused", 3, 1000, &[]);
    fs::create_dir(scratch.path("deep")).expect("writable");
    for (archive, options) in
        [("libab.a", "rcs"), ("deep/libthin.a", "rcsT"), ("libnoindex.a", "rcS")]
    {
        succeed(scratch.command("ar").args([options, archive, "a.o", "b.o", "unused.o"]));
    }
    // A thin archive names its members relative to itself, and may hold members of another archive.
    scratch.write("libscript.so", "/* a script */ INPUT ( -lab )");
    scratch.write("group.ld", "GROUP ( a.o AS_NEEDED ( libab.a ) )");
    for linker in LINKERS {
        for inputs in [
            &["libab.a"][..],
            &["-L.", "-lab"],
            &["-L.", "-l:libab.a"],
            &["deep/libthin.a"],
            &["-Ldeep", "-Wl,-Bstatic", "-lthin", "-Wl,-Bdynamic"],
            &["-L.", "-lscript"],
            &["-L.", "group.ld"],
            &["-Wl,--start-group", "libab.a", "-Wl,--end-group"],
            &["-Wl,--whole-archive", "libab.a", "-Wl,--no-whole-archive"],
        ] {
            scratch.link(linker, &[&["main.o"], inputs, &["-o", "prog"]].concat());
            assert_eq!(run(&scratch), expected(), "{linker} {inputs:?}");
        }
    }
    scratch.link(
        "lld",
        &["main.o", "-Wl,--whole-archive", "libnoindex.a", "-Wl,--no-whole-archive", "-o", "prog"],
    );
    assert_eq!(run(&scratch), expected());
}

#[test]
fn a_system_root() {
    let scratch = with_objects(&[]);
    fs::create_dir_all(scratch.path("root/opt")).expect("writable");
    succeed(scratch.command("ar").args(["rcs", "root/opt/libab.a", "a.o", "b.o"]));
    for linker in LINKERS {
        let inputs = ["-L=/opt", "-lab", "-lc"];
        scratch.link(
            linker,
            &[
                &["-nostdlib", "-shared", "-Wl,--sysroot=root", "main.o"],
                &inputs[..2],
                &["-o", "x.so"],
            ]
            .concat(),
        );
        assert_eq!(
            Image::read(&scratch.path("x.so")).symbols("__pathcc.counters.").len(),
            2,
            "{linker}"
        );
    }
}

#[test]
fn relocatable_output_is_linked_later() {
    let scratch = with_objects(&[]);
    for linker in LINKERS {
        scratch.link(linker, &["-r", "a.o", "b.o", "-o", "ab.o"]);
        let plain = Image::read(&scratch.path("ab.o"));
        assert_eq!(plain.manifest(), [1, 2], "{linker}");
        assert!(plain.symbols("__pathcc_image").is_empty(), "{linker}");
        scratch.link(linker, &["main.o", "ab.o", "-o", "prog"]);
        assert_eq!(run(&scratch), expected(), "{linker}");
    }
}

#[test]
fn link_time_optimisation() {
    for mode in ["-flto", "-flto=thin"] {
        let scratch = with_objects(&[mode]);
        assert!(
            fs::read(scratch.path("a.o")).expect("compiled").starts_with(b"BC"),
            "an object of bitcode"
        );
        // One ordinary object among them.
        scratch.module("b", 2, 100, &[]);
        for linker in LINKERS {
            for flags in [&["-O2"][..], &["-O2", "-Wl,--gc-sections", "-static"]] {
                scratch
                    .link(linker, &[&[mode, "main.o", "a.o", "b.o", "-o", "prog"], flags].concat());
                assert_eq!(run(&scratch), expected(), "{linker} {mode} {flags:?}");
            }
        }
        scratch.check_no_leftovers();
    }
    let scratch = Scratch::new();
    scratch.compile("plain", &["-flto"], "int main(void) { return 0; }");
    scratch.link("lld", &["-flto", "plain.o", "-o", "prog"]);
    assert!(Image::read(&scratch.path("prog")).symbols("__pathcc").is_empty(), "nothing to count");
}

#[test]
fn a_module_that_is_linked_twice_has_one_array() {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.module("b", 1, 5, &[]);
    scratch.compile(
        "main",
        &[],
        "void bump_a(long); void bump_b(long); int main(void) { bump_a(2); bump_b(2); }",
    );
    for linker in LINKERS {
        scratch.link(linker, &["main.o", "a.o", "b.o", "-o", "prog"]);
        succeed(scratch.command("./prog").env("PATHCC_PROFILE", "%e.profile"));
        let profile = scratch.profile("prog.profile");
        assert_eq!(
            (profile.modules, profile.counts),
            (vec![(1, 5)], counts(&[((1, 2), 2)])),
            "{linker}"
        );
    }
}

#[test]
fn response_files() {
    let scratch = with_objects(&[]);
    scratch.write("inner", "b.o\n");
    scratch.write("outer", "a.o '@inner'\n -Wl,-o,prog");
    for linker in LINKERS {
        scratch.link(linker, &["main.o", "@outer"]);
        assert_eq!(run(&scratch), expected(), "{linker}");
        scratch.write("direct", "'a.o' \"b.o\"");
        scratch.link(linker, &["main.o", "-Wl,@direct", "-o", "prog"]);
        assert_eq!(run(&scratch), expected(), "{linker}");
    }
    // For lld an empty word in quotes is none, for GNU's linkers it is the option's value.
    for (linker, direct) in [("lld", "'a.o' -rpath '' /empty b.o"), ("bfd", "'a.o' -rpath '' b.o")]
    {
        scratch.write("direct", direct);
        // pathld itself writes the words of a static link.
        for kind in ["-pie", "-static"] {
            scratch.link(linker, &[kind, "main.o", "-Wl,@direct", "-o", "prog"]);
            assert_eq!(run(&scratch), expected(), "{linker} {kind}");
        }
    }
}
