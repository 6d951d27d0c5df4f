//! Code of executables reads its thread's word by one instruction, whichever linker links it. Other
//! code reads it by two.

use std::fs;
use std::path::Path;

use pathtests::shell::shell;

/// Reads a word before and after calls, in functions that need many registers.
const SOURCE: &str = r#"#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) long mix(long a, long b, long c, long d, long e, long f) {
    for (long i = 0; i < a; i++) {
        if ((b ^ c) & 1) d += labs(e - f); else f += labs(d - b);
        b = b * 3 + c; c ^= d; e -= b;
    }
    return a + b + c + d + e + f;
}
int main(int argc, char **argv) {
    long sum = 0;
    for (int i = 0; i < 20; i++) sum += mix(i, argc, i * 7, 3, 4, sum);
    printf("%ld\n", sum);
}
"#;

/// How often the code of `file` reads a word by one instruction that took the place of two, and how
/// often by two.
fn readings(file: &Path) -> [usize; 2] {
    let bytes = fs::read(file).expect("a file");
    let at_once = |code: &&[u8]| matches!(code, [0x66, 0x66, 0x64, 0x48 | 0x4c, 0x8b, _, 0x25, ..]);
    let by_two = |code: &&[u8]| {
        matches!(code, [0x48 | 0x49, 0xc7, 0xc0..=0xc7, _, _, _, 0xff, 0x64, 0x48 | 0x4d, 0x8b, ..])
    };
    let count =
        |is_it: &dyn Fn(&&[u8]) -> bool| bytes.windows(12).filter(|code| is_it(code)).count();
    [count(&at_once), count(&by_two)]
}

#[test]
fn executables_read_their_words_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("program.c"), SOURCE).expect("writable");
    let plain = shell(folder, "clang-22 -O2 program.c -o plain && ./plain");
    for linker in ["bfd", "lld", "gold", "mold"] {
        for how in ["", "-fno-pie -no-pie", "-static", "-static-pie", "-flto"] {
            // Only lld is told of bitcode; gold knows no static-pie.
            if how == "-flto" && linker != "lld" || how == "-static-pie" && linker == "gold" {
                continue;
            }
            let build = format!(
                "pathcc -fpath-stage=late -O2 {how} -fuse-ld={linker} program.c -o program"
            );
            let printed = shell(folder, &format!("{build} && ./program && rm -f ./*.pathprof"));
            assert_eq!(printed, plain, "{build}");
            let [at_once, by_two] = readings(&folder.join("program"));
            // A static C library has variables of its own.
            let is_static = how.starts_with("-static");
            assert!(at_once >= 2 && (by_two == 0 || is_static), "{build}: {at_once}, {by_two}");
        }
    }
}

#[test]
fn libraries_and_code_with_relocations_read_their_words_by_two() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("program.c"), SOURCE).expect("writable");
    shell(folder, "pathcc -fpath-stage=late -O2 -fPIC -shared program.c -o program.so");
    assert_eq!(readings(&folder.join("program.so")), [0, 0]);
    for linker in ["bfd", "lld", "mold"] {
        shell(
            folder,
            &format!(
                "pathcc -fpath-stage=late -O2 -fuse-ld={linker} -Wl,-q program.c -o program \
                 && ./program"
            ),
        );
        let [at_once, by_two] = readings(&folder.join("program"));
        assert!(at_once == 0 && by_two >= 2, "{linker}: {at_once}, {by_two}");
    }
}

/// Data that looks like code which reads words, as a compiler has it that translates at run time:
/// `mov $-8*N,%rbx; mov %fs:(%rbx),%rbx`, for many N.
const TEMPLATES: &str = r#"#include <stdio.h>
#define T(i) {0x48, 0xc7, 0xc3, (-8 * (i)) & 255, ((-8 * (i)) >> 8) & 255, 255, 255, \
              0x64, 0x48, 0x8b, 0x1b}
#define T8(i) T(i), T(i + 1), T(i + 2), T(i + 3), T(i + 4), T(i + 5), T(i + 6), T(i + 7)
static const unsigned char code[][11] = {T8(1), T8(9), T8(17), T8(25), T8(33), T8(41), T8(49)};
int main(void) {
    const volatile unsigned char *first = code[0];
    int wrong = 0;
    for (unsigned i = 0; i < sizeof code / 11; i++) wrong += first[11 * i] != 0x48;
    printf("%d templates changed\n", wrong);
}
"#;

#[test]
fn data_that_looks_like_code_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("templates.c"), TEMPLATES).expect("writable");
    for flags in [
        "-fuse-ld=gold",
        "-fuse-ld=lld -Wl,--no-rosegment",
        "-Wl,-z,noseparate-code",
        "-Wl,-z,noseparate-code -static",
        "-Wl,-z,noseparate-code -fno-pie -no-pie",
    ] {
        let build = format!("pathcc -fpath-stage=late -O1 {flags} templates.c -o templates");
        let printed = shell(folder, &format!("{build} && ./templates"));
        assert_eq!(printed, "0 templates changed\n", "{flags}");
        let [at_once, _] = readings(&folder.join("templates"));
        assert!(at_once > 0, "{flags}: there are words to be read at once");
    }
}

#[test]
fn an_executable_that_cannot_be_written_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("program.c"), SOURCE).expect("writable");
    let told = shell(folder, "pathcc -fpath-stage=late -O2 program.c -o /dev/null 2>&1");
    assert_eq!(told, "");
}
