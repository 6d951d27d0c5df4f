//! Every shape of link, with every linker: the program does what it did, the counts are exact,
//! nothing shows.

mod support;

use std::fs;

use object::{Object, ObjectSymbol};
use support::program::{counts, expected, run, with_objects};
use support::{Image, LINKERS, Scratch, succeed};

#[test]
fn executables() {
    let scratch = with_objects(&[]);
    for linker in LINKERS {
        for flags in [
            "-pie",
            "-no-pie",
            "-static",
            "-static-pie",
            "-rdynamic",
            "-Wl,--gc-sections",
            "-Wl,-s",
            "-Wl,--whole-archive,--no-whole-archive",
            "-Wl,-z,now,-z,relro,-z,defs",
            "-Wl,--as-needed",
            "-Wl,-O2,--sort-common",
        ] {
            let output = scratch.link(linker, &[flags, "main.o", "a.o", "b.o", "-o", "prog"]);
            assert!(
                output.stderr.is_empty(),
                "{linker} {flags}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert_eq!(run(&scratch), expected(), "{linker} {flags}");
            let image = Image::read(&scratch.path("prog"));
            assert_eq!(image.manifest(), [1, 2], "{linker} {flags}");
            assert!(image.leaked().is_empty(), "{linker} {flags}: {:?}", image.leaked());
        }
    }
    scratch.check_no_leftovers();
}

#[test]
fn the_region_is_in_whole_pages_and_the_objects_copies_are_gone() {
    let scratch = with_objects(&[]);
    for linker in LINKERS {
        scratch.link(linker, &["-no-pie", "main.o", "a.o", "b.o", "-o", "prog"]);
        let image = Image::read(&scratch.path("prog"));
        let mut arrays = image.symbols("__pathcc.counters.");
        arrays.sort_unstable();
        let start = arrays[0].0;
        assert_eq!(start % 4096, 0, "{linker}");
        assert_eq!(
            arrays,
            [(start, 40), (start + 64, 800)],
            "{linker}: one array a module, by cache lines"
        );
        let places = ["__pathcc_place", "__pathcc.place."].map(|name| image.symbols(name)).concat();
        let places: Vec<u64> = places.into_iter().map(|(address, _)| address).collect();
        assert!(
            places.len() == 3 && places.iter().all(|place| *place == places[0]),
            "{linker}: one place has all names"
        );
        let file = image.file();
        let inside = file.symbols().filter(|symbol| {
            symbol.size() > 0
                && (start..start + 4096).contains(&symbol.address())
                && symbol.section_index().is_some()
        });
        assert_eq!(inside.count(), 2, "{linker}: nothing else lives in the pages of the region");
        // A copy that had stayed would show in the size of the thread-local or zeroed data.
        let size = |name: &str| {
            file.section_by_name(name).map_or(0, |section| object::ObjectSection::size(&section))
        };
        assert_eq!(size(".tdata"), 8, "{linker}");
        assert_eq!(size(".pathcc.claim"), 0, "{linker}");
    }
}

#[test]
fn properties_of_the_image_are_kept() {
    let scratch = with_objects(&["-fcf-protection=full"]);
    for linker in LINKERS {
        // Without the start files, which need not have the properties.
        let flags = [
            "-shared",
            "-nostdlib",
            "-Wl,--fatal-warnings",
            "-Wl,--build-id=sha1",
            "a.o",
            "b.o",
            "-o",
            "lib.so",
        ];
        scratch.link(linker, &flags);
        let notes = succeed(scratch.command("readelf").args(["-nlW", "lib.so"]));
        let notes = String::from_utf8_lossy(&notes.stdout);
        assert!(notes.contains("x86 feature: IBT, SHSTK"), "{linker}: {notes}");
        assert!(
            notes.lines().any(|line| line.contains("GNU_STACK") && line.contains("RW ")),
            "{linker}: {notes}"
        );
    }
}

#[test]
fn shared_objects_have_profiles_of_their_own() {
    let scratch = with_objects(&[]);
    scratch.write("map", "{ global: bump_b; local: *; };");
    for linker in LINKERS {
        for flags in [
            &["-Wl,-z,defs"][..],
            &["-Wl,--version-script=map"],
            &["-Wl,-Bsymbolic", "-Wl,--gc-sections"],
        ] {
            scratch.link(linker, &[&["-shared", "b.o", "-o", "libb.so"], flags].concat());
            assert!(Image::read(&scratch.path("libb.so")).leaked().is_empty(), "{linker}");
            scratch.link(
                linker,
                &["-rdynamic", "main.o", "a.o", "-L.", "-lb", "-Wl,-rpath,$ORIGIN", "-o", "prog"],
            );
            let output = scratch
                .command("./prog")
                .env("PATHCC_PROFILE", "out/")
                .output()
                .expect("executable");
            assert_eq!(output.status.code(), Some(3));
            let names = scratch.files("out");
            assert_eq!(names.len(), 2, "{linker}: {names:?}");
            let [library, program] =
                [&names[0], &names[1]].map(|name| scratch.profile(&format!("out/{name}")));
            assert_eq!(names, ["libb.so.pathprof", "prog.pathprof"], "{linker}");
            assert_eq!(library.counts, counts(&[((2, 0), 1), ((2, 99), 334)]), "{linker}");
            assert_eq!(program.counts, counts(&[((1, 0), 1000), ((1, 4), 1)]), "{linker}");
            assert!(library.image.ends_with("/libb.so") && program.image.ends_with("/prog"));
            for (summary, name) in [(library, "libb.so"), (program, "prog")] {
                let image = Image::read(&scratch.path(name));
                let id = image
                    .file()
                    .build_id()
                    .expect("sound")
                    .expect("every counted image has one")
                    .to_vec();
                assert_eq!(summary.build_id, id, "{linker} {name}");
            }
            fs::remove_dir_all(scratch.path("out")).expect("ours");
        }
    }
}

#[test]
fn a_plugin_is_counted_whether_it_is_closed_or_not() {
    let scratch = with_objects(&[]);
    scratch.compile(
        "host",
        &[],
        "
        #include <dlfcn.h>
        int main(int argc, char **argv) {
            void *plugin = dlopen(\"./plugin.so\", RTLD_NOW);
            if (!plugin) return 1;
            void (*bump)(long) = (void (*)(long))dlsym(plugin, \"bump_b\");
            bump(7); bump(7);
            return argc > 1 ? dlclose(plugin) : 0;
        }",
    );
    scratch.clang(&["host.o", "-o", "host"]);
    for linker in LINKERS {
        scratch.link(linker, &["-shared", "b.o", "-o", "plugin.so"]);
        for arguments in [&[][..], &["close"]] {
            succeed(scratch.command("./host").args(arguments).env("PATHCC_PROFILE", "%e.profile"));
            assert_eq!(
                scratch.profile("plugin.so.profile").counts,
                counts(&[((2, 7), 2)]),
                "{linker}"
            );
            fs::remove_file(scratch.path("plugin.so.profile")).expect("written");
        }
    }
}

#[test]
fn a_stripped_image_keeps_its_manifest() {
    let scratch = with_objects(&[]);
    for linker in LINKERS {
        for strip in ["strip", "llvm-strip-22", "eu-strip"] {
            scratch.link(linker, &["main.o", "a.o", "b.o", "-o", "prog"]);
            succeed(scratch.command(strip).arg("prog"));
            let image = Image::read(&scratch.path("prog"));
            assert!(image.symbols("").is_empty() && image.manifest() == [1, 2], "{linker} {strip}");
            assert_eq!(run(&scratch), expected(), "{linker} {strip}");
        }
    }
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let scratch = with_objects(&[]);
    for linker in LINKERS {
        let link = || {
            scratch.link(linker, &["main.o", "a.o", "b.o", "-o", "prog"]);
            fs::read(scratch.path("prog")).expect("linked")
        };
        assert!(link() == link(), "{linker}");
    }
}

#[test]
fn a_program_without_any_library() {
    let scratch = with_objects(&[]);
    scratch.compile(
        "start",
        &["-ffreestanding", "-fno-stack-protector"],
        "
        void bump_a(long);
        void _start(void) {
            __asm__ volatile(\"syscall\" :: \"a\"(60), \"D\"(5) : \"rcx\", \"r11\");
            bump_a(1);
        }",
    );
    for linker in LINKERS {
        for flags in ["-static", "-static-pie"] {
            scratch.link(linker, &["-nostdlib", flags, "start.o", "a.o", "-o", "prog"]);
            assert_eq!(
                scratch.command("./prog").status().expect("executable").code(),
                Some(5),
                "{linker} {flags}"
            );
        }
    }
}

#[test]
fn without_pathld_the_objects_link_and_count_into_nowhere() {
    let scratch = with_objects(&[]);
    for linker in ["bfd", "lld"] {
        scratch.clang(&[&format!("-fuse-ld={linker}"), "main.o", "a.o", "b.o", "-o", "prog"]);
        assert_eq!(scratch.command("./prog").status().expect("executable").code(), Some(3));
        assert!(!scratch.files(".").iter().any(|name| name.ends_with(".pathprof")));
    }
}

#[test]
fn the_block_log() {
    let scratch = Scratch::new();
    let record = pathformat::record::write(
        support::id(9),
        pathformat::settings::Threads::Exact.code(),
        [0, 0],
        1,
        b"x",
    );
    let bytes: Vec<String> = record.iter().map(u8::to_string).collect();
    scratch.compile(
        "main",
        &[],
        &format!(
            "
        #include <unistd.h>
        #include <sys/wait.h>
        __asm__(\".section .pathcc.manifest,\\\"aR\\\",@progbits\\n.byte {}\\n.text\");
        unsigned long __pathcc_log_enter(const unsigned char *, unsigned);
        void __pathcc_log_block(unsigned long, unsigned); void __pathcc_log_end(unsigned long);
        static const unsigned char id[16] = {{9,9,9,9,9,9,9,9,9,9,9,9,9,9,9,9}};
        __attribute__((destructor)) static void last(void) {{
            unsigned long f = __pathcc_log_enter(id, 8); __pathcc_log_end(f);
        }}
        int main(void) {{
            unsigned long f = __pathcc_log_enter(id, 3);
            __pathcc_log_block(f, 0);
            if (fork() == 0) {{ __pathcc_log_block(f, 1); return 0; }}
            wait(0);
            __pathcc_log_block(f, 2);
            __pathcc_log_end(f);
        }}",
            bytes.join(",")
        ),
    );
    for linker in LINKERS {
        scratch.link(linker, &["main.o", "-o", "prog"]);
        let mut child = scratch
            .command("./prog")
            .env("PATHCC_PROFILE", "out/%p.pathprof")
            .spawn()
            .expect("executable");
        child.wait().expect("ours");
        let logs: Vec<_> =
            scratch.files("out").into_iter().filter(|name| name.ends_with(".pathlog")).collect();
        assert_eq!(logs.len(), 2, "{linker}: {logs:?}");
        let parent = format!("{}.pathlog", child.id());
        for name in logs {
            let bytes = fs::read(scratch.path("out").join(&name)).expect("written");
            let word = |record: &[u8], at: usize| {
                u32::from_le_bytes(record[at..at + 4].try_into().expect("four"))
            };
            let mut records = bytes.chunks(16);
            let mut seen = Vec::new();
            while let Some(record) = records.next() {
                seen.push((word(record, 8), word(record, 12)));
                if word(record, 8) == 0 {
                    assert_eq!(records.next(), Some(&[9; 16][..]));
                }
            }
            let expected: &[_] = if name == parent {
                &[(0, 3), (1, 0), (1, 2), (2, 0), (0, 8), (2, 0)]
            } else {
                &[(1, 1), (0, 8), (2, 0)]
            };
            assert_eq!(seen, expected, "{linker} {name}");
        }
        fs::remove_dir_all(scratch.path("out")).expect("ours");
    }
}
