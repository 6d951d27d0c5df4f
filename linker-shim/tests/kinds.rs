//! The order and the repetition of options that decide what kind of program is linked. With every
//! linker a program with threads does what it does without pathld, and all threads are counted.

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use support::{Image, Scratch, program::counts};

/// Two threads count at the same time.
const MAIN: &str = "
    #include <pthread.h>
    #include <stdio.h>
    void bump_a(long);
    static void *count(void *unused) { for (int i = 0; i < 100000; i++) bump_a(1); return unused; }
    int main(void) {
        pthread_t thread;
        int error = pthread_create(&thread, 0, count, 0);
        for (int i = 0; i < 100000; i++) bump_a(1);
        if (!error) pthread_join(thread, 0);
        printf(\"%d\\n\", error);
        return 3;
    }";

/// The options of the compiler that choose a kind.
const BASES: [&str; 4] = ["-static", "-static-pie", "-pie", "-no-pie"];

/// What stands before the libraries and behind them.
const AROUND: [[&str; 2]; 12] = [
    ["", "-Bdynamic"],
    ["-Bstatic", "-Bdynamic"],
    ["-Bstatic", "-static"],
    ["-Bdynamic", "-Bstatic"],
    ["-dn", "-dy"],
    ["-dy", "-dn"],
    ["-non_shared", "-call_shared"],
    ["--push-state,-Bstatic,--pop-state", "--push-state,-Bstatic"],
    ["--push-state,-Bdynamic,--pop-state", "-dy"],
    ["-Bstatic,-Bstatic", ""],
    ["--push-state,-Bstatic", "--pop-state"],
    ["-Bdynamic,-static", "-Bdynamic,-Bdynamic"],
];

/// What the header and the dynamic section say of an image.
fn shape(path: &Path) -> (u16, bool, usize) {
    use object::LittleEndian;
    use object::elf::{DT_NEEDED, FileHeader64, PT_INTERP};
    use object::read::elf::{Dyn, FileHeader, ProgramHeader};
    let data = fs::read(path).expect("linked");
    let head = FileHeader64::<LittleEndian>::parse(&*data).expect("an image");
    let segments = head.program_headers(LittleEndian, &*data).expect("whole");
    let dynamic =
        segments.iter().find_map(|segment| segment.dynamic(LittleEndian, &*data).expect("whole"));
    let needed = dynamic.unwrap_or_default().iter();
    (
        head.e_type(LittleEndian).0,
        segments.iter().any(|segment| segment.p_type(LittleEndian) == PT_INTERP),
        needed.filter(|entry| entry.tag(LittleEndian) == DT_NEEDED).count(),
    )
}

fn every_line(linker: &str) {
    let scratch = Scratch::new();
    scratch.module("a", 1, 5, &[]);
    scratch.compile("main", &["-fPIC"], MAIN);
    let mut works = 0;
    for (number, [before, behind]) in AROUND.iter().enumerate() {
        for base in [BASES[number % 2], BASES[2 + number / 2 % 2]] {
            let words = |words: &str| {
                words
                    .split(',')
                    .filter(|word| !word.is_empty())
                    .map(|word| format!("-Wl,{word}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            // Some of the words come from a file.
            scratch.write("behind", behind.replace(',', " "));
            let behind_libraries =
                if number % 3 == 0 { "-Wl,@behind".to_owned() } else { words(behind) };
            let line = format!(
                "{base} -nodefaultlibs main.o a.o {} -lpthread -lc -lgcc -lgcc_eh -lc \
                 {behind_libraries} -o prog",
                words(before),
            );
            let line: Vec<_> = line.split_whitespace().collect();
            let what = format!("{linker} {base} {before} | {behind}");
            let plain =
                scratch.command("clang-22").arg(format!("-fuse-ld={linker}")).args(&line).output();
            if !plain.expect("clang").status.success() {
                continue;
            }
            let run = || {
                scratch
                    .command("./prog")
                    .env("PATHCC_PROFILE", "%e.profile")
                    .output()
                    .expect("it runs")
            };
            let said = |output: &Output| (output.status.code(), output.stdout.clone());
            let (plain, plain_shape) = (run(), shape(&scratch.path("prog")));
            // A program that is started by the other C library's rules does not work without us.
            if said(&plain) != (Some(3), b"0\n".to_vec()) {
                continue;
            }
            works += 1;
            let output = scratch.link(linker, &line);
            assert!(
                output.stderr.is_empty(),
                "{what}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            assert_eq!(shape(&scratch.path("prog")), plain_shape, "{what}");
            assert_eq!(said(&run()), said(&plain), "{what}");
            assert_eq!(
                scratch.profile("prog.profile").counts,
                counts(&[((1, 1), 200_000)]),
                "{what}"
            );
            assert!(
                Image::read(&scratch.path("prog")).leaked().is_empty() || plain_shape.2 > 0,
                "{what}"
            );
            fs::remove_file(scratch.path("prog.profile")).expect("written");
        }
    }
    assert!(works >= 8, "{linker}: {works}");
}

#[test]
fn every_line_with_bfd() {
    every_line("bfd");
}

#[test]
fn every_line_with_gold() {
    every_line("gold");
}

#[test]
fn every_line_with_lld() {
    every_line("lld");
}

#[test]
fn every_line_with_mold() {
    every_line("mold");
}
