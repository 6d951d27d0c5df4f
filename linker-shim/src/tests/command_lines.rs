//! Command lines.

use std::ffi::OsString;
use std::path::Path;

use crate::args::{CommandLine, Input, PassThroughReason, before_system_libraries, parse};

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

/// The inputs, each library with how it is looked for.
fn files(line: &str) -> Vec<String> {
    let inputs = parsed(line).inputs;
    inputs
        .into_iter()
        .map(|input| match input {
            Input::File(path) => path.to_str().expect("ASCII").to_owned(),
            Input::Library { name, static_only } => {
                format!(
                    "{}{}",
                    if static_only { "-static " } else { "-l" },
                    name.to_str().expect("ASCII")
                )
            }
        })
        .collect()
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
    for library in
        ["-lgcc", "-lgcc_eh", "-lc", "/usr/lib/libc.a", "/clang/lib/libclang_rt.builtins-x86_64.a"]
    {
        assert_eq!(
            before_system_libraries(&arguments(&format!("a.o -lm {library} -lc crtn.o"))),
            2,
            "{library}"
        );
        assert_eq!(before_system_libraries(&arguments(library)), 0, "{library}");
    }
    for line in
        ["", "a.o", "a.o -lm -lgccjit -lcurses libc.a libclang_rt.builtins-x86_64.a /libc.so"]
    {
        assert_eq!(
            before_system_libraries(&arguments(line)),
            line.split_whitespace().count(),
            "{line}"
        );
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
    for switch in [
        "--as-needed",
        "-as-needed",
        "--build-id",
        "-build-id",
        "-s",
        "-E",
        "--gc-sections",
        "--unknown",
    ] {
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
    assert_eq!(
        parsed("--sysroot /s --dependency-file d").dependency_file.as_deref(),
        Some(Path::new("d"))
    );
    assert_eq!(parsed("--dependency-file=d").output, None);
}

#[test]
fn scripts_are_inputs() {
    assert_eq!(inputs("-T a.ld --script=b.ld -script c.ld -Td.ld"), "a.ld b.ld c.ld d.ld");
}

#[test]
fn what_holds_at_the_end_is_known() {
    for (words, is_static) in [
        ("", false),
        ("-Bstatic", true),
        ("-dn", true),
        ("-non_shared", true),
        ("-static -dy", false),
        ("-static -call_shared", false),
        ("-static -Bdynamic -static", true),
        ("--push-state -static --pop-state", false),
        ("-static --push-state -Bdynamic --pop-state", true),
        ("-static -- -Bdynamic", true),
    ] {
        assert_eq!(parsed(&format!("{words} a.o")).ends_static, is_static, "{words}");
    }
}

#[test]
fn a_library_is_what_the_last_word_makes() {
    for (words, is_library) in [
        ("-shared", true),
        ("--shared -Bstatic", true),
        ("-static -Bshareable", true),
        ("-shared -pie", false),
        ("-pie -shared", true),
        ("-shared --pic-executable", false),
        ("-shared -no-pie", true),
        ("-- -shared", false),
    ] {
        assert_eq!(parsed(&format!("{words} a.o")).makes_library, is_library, "{words}");
    }
}

#[test]
fn data_is_no_input() {
    assert_eq!(
        inputs("-b binary a.bin -b elf64-x86-64 a.o -b srec b.srec -b default b.o"),
        "a.o b.o"
    );
}

#[test]
fn what_is_nothing_for_us_has_a_reason() {
    for (line, reason) in [
        ("-Ur", Some(PassThroughReason::Relocatable)),
        ("-target-help", Some(PassThroughReason::Information)),
        ("--print-sysroot", Some(PassThroughReason::Information)),
        ("--rsp-quoting=posix", None),
        ("--rsp-quoting windows", Some(PassThroughReason::Quoting)),
        ("-m elf32_x86_64", Some(PassThroughReason::Machine)),
        ("-m elf_x86_64", None),
        ("-m aarch64linux", Some(PassThroughReason::Machine)),
    ] {
        assert_eq!(parsed(&format!("{line} a.o")).foreign, reason, "{line}");
    }
}

#[test]
fn bitcode_beside_machine_code_is_taken_where_clang_optimises() {
    for (line, takes) in [
        ("a.o", false),
        ("-plugin /usr/lib/llvm-22/bin/../lib/LLVMgold.so -plugin-opt=O2 a.o", true),
        ("-plugin /usr/libexec/gcc/liblto_plugin.so a.o", false),
        ("--fat-lto-objects a.o", true),
        ("--fat-lto-objects --no-fat-lto-objects a.o", false),
    ] {
        assert_eq!(parsed(line).takes_fat_bitcode, takes, "{line}");
    }
}

#[test]
fn the_command_line_of_clang() {
    let line = "--hash-style=both --eh-frame-hdr -m elf_x86_64 -pie -dynamic-linker \
        /lib64/ld-linux-x86-64.so.2 -o prog /lib/Scrt1.o -L/usr/lib/gcc -L /lib main.o -lgcc \
        --as-needed -lgcc_s --no-as-needed -lc crtn.o";
    assert_eq!(files(line), ["/lib/Scrt1.o", "main.o", "-lgcc", "-lgcc_s", "-lc", "crtn.o"]);
    let line = parsed(line);
    assert_eq!(line.output, Some("prog".into()));
    assert_eq!(line.search, ["/usr/lib/gcc", "/lib"]);
    assert_eq!((line.foreign, line.build_id), (None, false));
}

#[test]
fn the_start_of_the_c_library_is_known() {
    for name in ["crt1.o", "/usr/lib/Scrt1.o", "/x/rcrt1.o", "gcrt1.o"] {
        assert!(parsed(name).has_start_files(), "{name}");
    }
    assert!(!parsed("crti.o main.o -lcrt1.o crt1.o.d -o crt1.o").has_start_files());
}

#[test]
fn values_are_not_inputs() {
    let line = "-e main -z now -soname libx.so -rpath /a -rpath-link /b -plugin p.so -plugin-opt=x \
        -u sym -Map m --version-script v.map --defsym a=b -T link.ld --wrap malloc -h name -I \
        ld.so -Ttext 0x1000 a.o -mllvm -x";
    assert_eq!(files(line), ["link.ld", "a.o"]);
}

#[test]
fn joined_and_separate_values() {
    for line in [
        "-o x -l a -L d",
        "-ox -la -Ld",
        "--output x --library a --library-path d",
        "--output=x --library=a --library-path=d",
        "-output x --library a -library-path=d",
    ] {
        let line = parsed(line);
        assert_eq!(line.output, Some("x".into()));
        assert_eq!(line.inputs, [Input::Library { name: "a".into(), static_only: false }]);
        assert_eq!(line.search, ["d"]);
    }
}

#[test]
fn state_belongs_to_what_follows() {
    let line = "-la -Bstatic -lb --push-state -Bdynamic -lc --pop-state -ld -Bdynamic -l:lib.a \
        -b binary data.bin --format=default x.o --format elf64-x86-64 y.o";
    assert_eq!(files(line), ["-la", "-static b", "-lc", "-static d", "-l:lib.a", "x.o", "y.o"]);
}

#[test]
fn what_is_foreign() {
    for (line, foreign) in [
        ("-r a.o", Some(PassThroughReason::Relocatable)),
        ("--relocatable a.o", Some(PassThroughReason::Relocatable)),
        ("-i a.o", Some(PassThroughReason::Relocatable)),
        ("-rpath x a.o", None),
        ("--version", Some(PassThroughReason::Information)),
        ("--version-script=x a.o", None),
        ("a.o --help", Some(PassThroughReason::Information)),
        ("-v a.o", None),
        ("-m elf_i386 a.o", Some(PassThroughReason::Machine)),
        ("-melf_i386 a.o", Some(PassThroughReason::Machine)),
        ("-melf_x86_64 a.o", None),
        ("-mllvm x a.o", None),
        ("--rsp-quoting=windows a.o", Some(PassThroughReason::Quoting)),
    ] {
        assert_eq!(parsed(line).foreign, foreign, "{line}");
    }
}

#[test]
fn after_two_dashes_all_are_inputs() {
    assert_eq!(files("a.o -- -b"), ["a.o", "-b"]);
}

#[test]
fn a_build_id_in_any_form() {
    for line in ["--build-id", "-build-id", "--build-id=none", "-build-id=sha1"] {
        assert!(parsed(line).build_id, "{line}");
    }
}

#[test]
fn an_option_without_its_value_is_harmless() {
    for line in ["-o", "-l", "--sysroot", "-", "-=", "--=x", "--pop-state", ""] {
        parsed(line);
    }
}

#[test]
fn relocations_that_stay_in_any_form() {
    for line in ["-q a.o", "--emit-relocs", "-emit-relocs a.o"] {
        assert!(parsed(line).keeps_relocations, "{line}");
    }
    assert!(!parsed("a.o -quiet -o q").keeps_relocations);
}
