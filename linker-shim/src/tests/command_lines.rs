//! Command lines.

use std::ffi::OsString;
use std::path::Path;

use crate::args::{CommandLine, Foreign, Input, Kind, before_system_libraries, parse};

fn arguments(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn parsed(line: &str) -> CommandLine {
    parse(&arguments(line))
}

/// The inputs as they would stand on a command line.
fn inputs(line: &str) -> String {
    let word = |input: &Input| match input {
        Input::File(path) => path.display().to_string(),
        Input::Library { name, .. } => format!("-l{}", name.display()),
    };
    parsed(line).inputs.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_c_library_is_known_by_its_name() {
    for line in ["-lc", "a.o -l c", "--library=c", "libc.a", "/usr/lib/libc.a"] {
        assert!(parsed(line).has_c_library(), "{line}");
    }
    for line in ["", "c", "-lcc", "-l:libc.so.6", "libc.so", "/libc.a/x.o", "mylibc.a", "a.o -lm"] {
        assert!(!parsed(line).has_c_library(), "{line}");
    }
}

#[test]
fn the_compilers_libraries_begin_with_any_of_them() {
    for library in ["-lgcc", "-lgcc_eh", "-lc", "/usr/lib/libc.a", "/clang/lib/libclang_rt.builtins-x86_64.a"] {
        assert_eq!(before_system_libraries(&arguments(&format!("a.o -lm {library} -lc crtn.o"))), 2, "{library}");
        assert_eq!(before_system_libraries(&arguments(library)), 0, "{library}");
    }
    for line in ["", "a.o", "a.o -lm -lgccjit -lcurses libc.a libclang_rt.builtins-x86_64.a /libc.so"] {
        assert_eq!(before_system_libraries(&arguments(line)), line.split_whitespace().count(), "{line}");
    }
}

#[test]
fn a_dash_alone_is_an_input() {
    assert_eq!(inputs("- a.o"), "- a.o");
    assert_eq!(inputs("a.o -- - --output b.o"), "a.o - --output b.o");
    assert_eq!(parsed("-- -o x").output, None);
}

#[test]
fn one_letter_behind_two_dashes_takes_nothing() {
    assert_eq!(inputs("--o a.o"), "a.o");
    assert_eq!(inputs("-o a.o"), "");
    assert_eq!(inputs("-z now --z now"), "now");
}

#[test]
fn a_switch_takes_no_argument() {
    for switch in ["--as-needed", "-as-needed", "--build-id", "-build-id", "-s", "-E", "--gc-sections", "--unknown"] {
        assert_eq!(inputs(&format!("{switch} a.o")), "a.o", "{switch}");
    }
    for option in ["-e", "-u", "-h", "-I", "--wrap", "-wrap", "--soname", "-soname", "-y", "-Y"] {
        assert_eq!(inputs(&format!("{option} a.o b.o")), "b.o", "{option}");
    }
    for option in ["--wrap=x", "-wrap=x", "-Lx", "-lm", "-mx", "-bx", "-Rx", "-Tx.ld", "-ox"] {
        assert!(inputs(&format!("{option} a.o -bdefault b.o")).ends_with("b.o"), "{option}");
        assert_eq!(inputs(&format!("{option} a.o")).contains("a.o"), option != "-bx", "{option}");
    }
}

#[test]
fn values_with_an_equals_sign_are_whole() {
    let line = parsed("-L=lib -La=b --sysroot=/a=b -o=x --dependency-file=d=e.d");
    assert_eq!(line.search, ["=lib", "a=b"]);
    assert_eq!(line.sysroot.as_deref(), Some(Path::new("/a=b")));
    assert_eq!(line.output.as_deref(), Some(Path::new("=x")));
    assert_eq!(line.dependency_file.as_deref(), Some(Path::new("d=e.d")));
    assert_eq!(parsed("--sysroot /s --dependency-file d").dependency_file.as_deref(), Some(Path::new("d")));
    assert_eq!(parsed("--dependency-file=d").output, None);
}

#[test]
fn scripts_are_inputs() {
    assert_eq!(inputs("-T a.ld --script=b.ld -script c.ld -Td.ld"), "a.ld b.ld c.ld d.ld");
}

#[test]
fn what_kind_of_image_depends_on_the_state_at_the_end() {
    for (words, kind) in [
        ("", Kind::Executable),
        ("-Bstatic", Kind::Static),
        ("-dn", Kind::Static),
        ("-non_shared", Kind::Static),
        ("-static -dy", Kind::Executable),
        ("-static -call_shared", Kind::Executable),
        ("-static -Bdynamic -static", Kind::Static),
        ("--push-state -static --pop-state", Kind::Executable),
        ("-static --push-state -Bdynamic --pop-state", Kind::Static),
        ("-static -shared", Kind::Library),
        ("-Bshareable", Kind::Library),
    ] {
        assert_eq!(parsed(&format!("{words} a.o")).kind, kind, "{words}");
    }
}

#[test]
fn data_is_no_input() {
    assert_eq!(inputs("-b binary a.bin -b elf64-x86-64 a.o -b srec b.srec -b default b.o"), "a.o b.o");
}

#[test]
fn what_is_nothing_for_us_has_a_reason() {
    for (line, reason) in [
        ("-Ur", Some(Foreign::Relocatable)),
        ("-target-help", Some(Foreign::Information)),
        ("--print-sysroot", Some(Foreign::Information)),
        ("--rsp-quoting=posix", None),
        ("--rsp-quoting windows", Some(Foreign::Quoting)),
        ("-m elf32_x86_64", Some(Foreign::Machine)),
        ("-m elf_x86_64", None),
        ("-m aarch64linux", Some(Foreign::Machine)),
    ] {
        assert_eq!(parsed(&format!("{line} a.o")).foreign, reason, "{line}");
    }
}
