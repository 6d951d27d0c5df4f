//! Kinds of images: what is expected of a command line, and what linkers made of it.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::args;
use crate::image_kind::{ImageKind, expected, of_image};
use crate::scan::{ScanResult, scan_inputs};

#[test]
fn libraries_decide_and_the_end_of_the_line_where_they_are_not_seen() {
    let of = |line: &str, shared, unseen| {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        expected(&args::parse(&words), &ScanResult { shared, unseen, ..ScanResult::default() })
    };
    for (line, shared, unseen, kind) in [
        ("-static a.o -Bdynamic", false, false, ImageKind::Static),
        ("a.o -lc -Bstatic", true, false, ImageKind::Executable),
        ("a.o -lx", false, true, ImageKind::Executable),
        ("a.o -lx -Bstatic", false, true, ImageKind::Static),
        ("-shared a.o", true, false, ImageKind::Library),
        ("-shared -Bstatic a.o", false, false, ImageKind::Library),
    ] {
        assert_eq!(of(line, shared, unseen), kind, "{line}");
    }
}

/// Words that decide the kind of an image, in every order of two around the inputs.
const WORDS: [&str; 12] = [
    "",
    "-static",
    "-Bstatic",
    "-Bdynamic",
    "-dn",
    "-dy",
    "-pie",
    "-no-pie",
    "-shared",
    "-r",
    "--push-state -Bstatic --pop-state",
    "--no-dynamic-linker",
];

/// What readelf says of an image, by rules of its own.
fn by_readelf(image: &Path) -> Option<ImageKind> {
    let output = Command::new("readelf").arg("-hldW").arg(image).output().expect("binutils");
    let text = String::from_utf8_lossy(&output.stdout);
    let is_object = text.contains("REL (Relocatable file)");
    let is_program = text.contains("EXEC (Executable file)") || text.contains("Flags: PIE");
    (!is_object).then_some(match () {
        () if !is_program => ImageKind::Library,
        () if text.contains("(NEEDED)") => ImageKind::Executable,
        () => ImageKind::Static,
    })
}

/// Each linker has the last word: what it makes of a line is read from the image. Two links are
/// needed only where linkers differ from each other.
#[test]
fn images_are_what_their_linkers_made() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name);
    let run = |command: &mut Command| {
        command.current_dir(folder.path()).output().is_ok_and(|output| output.status.success())
    };
    let compile = |name: &str, code: &str| {
        fs::write(path(name).with_extension("c"), code).expect("writable");
        let file = format!("{name}.c");
        assert!(run(Command::new("clang-22").args(["-c", "-fPIC", &file])), "{name}");
    };
    compile("library", "int f(void) { return 1; }");
    compile("main", "int f(void); int _start(void) { return f(); }");
    assert!(run(Command::new("ar").args(["rcs", "libf.a", "library.o"])));
    assert!(run(Command::new("ld").args(["-shared", "library.o", "-o", "libf.so"])));
    let mut surprises = Vec::new();
    let mut linked = 0;
    for linker in ["ld.bfd", "ld.gold", "ld.lld-22", "ld.mold"] {
        for first in WORDS {
            for last in WORDS {
                let place = folder.path().display();
                // Twice and after the inputs, where only some linkers look.
                let line = format!("{first} {place}/main.o -L{place} {last} -lf {first}");
                let words: Vec<_> = line.split_whitespace().map(OsString::from).collect();
                let parsed = args::parse(&words);
                if !run(Command::new(linker).args(&words).args(["-o", "image"])) {
                    continue;
                }
                linked += 1;
                let image = fs::read(path("image")).expect("linked");
                let real = by_readelf(&path("image"));
                // Nothing may be added to an object. GNU's linker lets -no-pie undo -r.
                assert!(parsed.foreign.is_some() || real.is_some(), "{linker} {line}");
                let Some(real) = real.filter(|_| parsed.foreign.is_none()) else { continue };
                let guess = expected(&parsed, &scan_inputs(&parsed));
                assert_eq!(of_image(&image, guess), Some(real), "{linker} {line}");
                if guess != real {
                    surprises.push((linker, first, last));
                }
            }
        }
    }
    assert!(linked > 300, "{linked}");
    // GNU's linker lets -no-pie undo -shared; for gold -static holds wherever it stands; for mold
    // the word that holds at the end holds for libraries before it, and -pie undoes -shared.
    let is_known = |&(linker, first, last): &(&str, &str, &str)| {
        let has = |word| first == word || last == word;
        match linker {
            "ld.bfd" => has("-shared") && has("-no-pie"),
            "ld.gold" => has("-static"),
            "ld.mold" => true,
            _ => false,
        }
    };
    surprises.retain(|surprise| !is_known(surprise));
    assert!(surprises.is_empty(), "{surprises:?}");
}
