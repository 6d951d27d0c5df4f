//! Reads a linker's command line: its inputs, where they are searched for, and the output.
//!
//! Everything unknown is taken for a switch and left to the real linker. Taking a switch's value
//! for an input does no harm: a file that is no object has no counters.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A command line, response files expanded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The inputs, in order.
    pub(crate) inputs: Vec<Input>,
    /// Which arguments name each of them.
    pub(crate) places: Vec<Range<usize>>,
    /// Directories for `-l`, in order, as given.
    pub(crate) search: Vec<OsString>,
    /// Prefix of directories that start with `=` or `$SYSROOT`.
    pub(crate) sysroot: Option<PathBuf>,
    /// The output, if it is not `a.out`.
    pub(crate) output: Option<PathBuf>,
    /// The file that lists what the output depends on.
    pub(crate) dependency_file: Option<PathBuf>,
    /// True if a build-id is asked for or refused.
    pub(crate) build_id: bool,
    /// True if the output keeps the relocations of its code, so that other programs can change it.
    pub(crate) keeps_relocations: bool,
    /// True if a shared library is asked for.
    pub(crate) makes_library: bool,
    /// True if only archives are searched for where the line ends. Compilers name the C library
    /// there.
    pub(crate) ends_static: bool,
    /// True if an object that has bitcode beside its machine code is linked as bitcode.
    pub(crate) takes_fat_bitcode: bool,
    /// Why this is nothing for pathld.
    pub(crate) foreign: Option<PassThroughReason>,
}

impl CommandLine {
    /// True if a C library is linked.
    pub(crate) fn has_c_library(&self) -> bool {
        self.inputs.iter().any(|input| match input {
            Input::Library { name, .. } => name == "c",
            Input::File(path) => path.file_name() == Some(OsStr::new("libc.a")),
        })
    }

    /// True if the C library's start is linked: `crt1.o`, `Scrt1.o`, `rcrt1.o`, `gcrt1.o`.
    pub(crate) fn has_start_files(&self) -> bool {
        self.inputs.iter().any(|input| match input {
            Input::Library { .. } => false,
            Input::File(path) => {
                path.file_name().is_some_and(|name| name.as_bytes().ends_with(b"crt1.o"))
            }
        })
    }
}

/// An input of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// An object, an archive, a shared library or a linker script.
    File(PathBuf),
    /// `-l`: a library to be searched for; `static_only` under `-Bstatic`.
    Library {
        /// Without `lib` and suffix, or a whole file name after a colon.
        name: OsString,
        /// True if shared libraries are left out.
        static_only: bool,
    },
}

/// Why a command line is handed on as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassThroughReason {
    /// The output is an object again; its counters are defined in the final link.
    Relocatable,
    /// Nothing is linked, only information is printed.
    Information,
    /// Another machine than x86-64.
    Machine,
    /// Response files are quoted as on Windows.
    Quoting,
}

/// Long options whose value may be the next argument.
const WITH_VALUE: &[&str] = &[
    "architecture",
    "assert",
    "audit",
    "auxiliary",
    "call-graph-ordering-file",
    "call-graph-profile-sort",
    "chroot",
    "defsym",
    "default-script",
    "depaudit",
    "dependency-file",
    "dynamic-linker",
    "dynamic-list",
    "entry",
    "error-limit",
    "exclude-libs",
    "export-dynamic-symbol",
    "export-dynamic-symbol-list",
    "filter",
    "fini",
    "flavor",
    "format",
    "hash-style",
    "image-base",
    "init",
    "just-symbols",
    "library",
    "library-path",
    "lto-cs-profile-file",
    "lto-sample-profile",
    "Map",
    "max-page-size",
    "mllvm",
    "mri-script",
    "oformat",
    "opt-remarks-filename",
    "opt-remarks-format",
    "opt-remarks-hotness-threshold",
    "opt-remarks-passes",
    "orphan-handling",
    "output",
    "plugin",
    "plugin-opt",
    "print-symbol-order",
    "remap-inputs",
    "remap-inputs-file",
    "reproduce",
    "require-defined",
    "retain-symbols-file",
    "rpath",
    "rpath-link",
    "rsp-quoting",
    "script",
    "section-order",
    "section-start",
    "shuffle-sections",
    "soname",
    "sort-section",
    "symbol-ordering-file",
    "sysroot",
    "task-link",
    "Tbss",
    "Tdata",
    "threads",
    "trace-symbol",
    "Trodata-segment",
    "Ttext",
    "Ttext-segment",
    "Tldata-segment",
    "undefined",
    "unresolved-symbols",
    "version-exports-section",
    "version-script",
    "why-extract",
    "wrap",
];

/// Options whose value is a file that is read, beside inputs.
const READ: &[&str] = &[
    "c",
    "call-graph-ordering-file",
    "default-script",
    "dynamic-list",
    "export-dynamic-symbol-list",
    "just-symbols",
    "lto-cs-profile-file",
    "lto-sample-profile",
    "mri-script",
    "R",
    "remap-inputs-file",
    "retain-symbols-file",
    "script",
    "section-ordering-file",
    "symbol-ordering-file",
    "T",
    "version-script",
];

/// One-letter options whose value may be the next argument or follow at once.
const LETTERS_WITH_VALUE: &[u8] = b"AbceFfGhILlmoRTuYyz";

/// Parses a command line.
pub(crate) fn parse(arguments: &[OsString]) -> CommandLine {
    let mut parser = Parser::default();
    walk(arguments, |place, word| {
        match word {
            Word::Input(path) => parser.input(path),
            Word::Option(name, value) => parser.option(name, value),
        }
        parser.line.places.resize(parser.line.inputs.len(), place);
    });
    parser.finish()
}

/// Where a command line names files that the linker reads: which argument ends in the name of one,
/// and where in it the name begins. Of a response file that was not expanded that is behind the
/// `@`.
pub(crate) fn files_to_read(arguments: &[OsString]) -> Vec<(usize, usize)> {
    let mut files = Vec::new();
    walk(arguments, |Range { end, .. }, word| match word {
        Word::Input(path) => files.push((end - 1, usize::from(path.as_bytes().starts_with(b"@")))),
        Word::Option(name, Some(value)) if READ.iter().any(|read| read.as_bytes() == name) => {
            files.push((end - 1, arguments[end - 1].len() - value.len()));
        }
        Word::Option(..) => {}
    });
    files
}

/// An input, or an option with its value.
enum Word<'a> {
    Input(&'a OsStr),
    Option(&'a [u8], Option<&'a OsStr>),
}

/// Calls `take` with each word, and with the arguments that it stands in.
fn walk<'a>(arguments: &'a [OsString], mut take: impl FnMut(Range<usize>, Word<'a>)) {
    let mut only_inputs = false;
    let mut rest = arguments.iter().enumerate();
    while let Some((index, argument)) = rest.next() {
        let bytes = argument.as_bytes();
        if only_inputs || !bytes.starts_with(b"-") || bytes == b"-" {
            take(index..index + 1, Word::Input(argument));
            continue;
        }
        let (name, mut value) = split(bytes);
        let mut place = index..index + 1;
        if value.is_none()
            && takes_value(bytes, name)
            && let Some((next, argument)) = rest.next()
        {
            (place.end, value) = (next + 1, Some(argument.as_bytes()));
        }
        only_inputs = name.is_empty() && value.is_none();
        take(place, Word::Option(name, value.map(OsStr::from_bytes)));
    }
}

/// A file in the place of an input.
pub(crate) struct Replacement {
    /// Which input.
    pub(crate) input: usize,
    /// The file that it is.
    pub(crate) original: PathBuf,
    /// The file in its place.
    pub(crate) copy: PathBuf,
}

/// The arguments with other files in the place of inputs, in their order.
pub(crate) fn with_files(
    arguments: &[OsString],
    line: &CommandLine,
    replacements: &[Replacement],
) -> Vec<OsString> {
    let mut replaced = Vec::new();
    let mut rest = 0;
    for Replacement { input, copy, .. } in replacements {
        let place = &line.places[*input];
        replaced.extend_from_slice(&arguments[rest..place.start]);
        replaced.push(copy.into());
        rest = place.end;
    }
    replaced.extend_from_slice(&arguments[rest..]);
    replaced
}

/// Where the compiler's own libraries begin on a command line, that is the C library and what
/// belongs to it. The end if that cannot be seen.
pub(crate) fn before_system_libraries(arguments: &[OsString]) -> usize {
    let is_system = |argument: &OsString| {
        matches!(argument.as_bytes(), b"-lgcc" | b"-lgcc_eh" | b"-lc")
            || argument.as_bytes().ends_with(b"/libc.a")
            || argument.as_bytes().ends_with(b"/libclang_rt.builtins-x86_64.a")
    };
    arguments.iter().position(is_system).unwrap_or(arguments.len())
}

/// Name of an option without its dashes, and a value given in the same argument.
fn split(argument: &[u8]) -> (&[u8], Option<&[u8]>) {
    let long = argument.strip_prefix(b"--");
    let name = long.unwrap_or(&argument[1..]);
    let equals = name.iter().position(|&byte| byte == b'=');
    let base = &name[..equals.unwrap_or(name.len())];
    let known = base == b"build-id" || WITH_VALUE.iter().any(|known| known.as_bytes() == base);
    if let Some(equals) = equals
        && (long.is_some() || known)
    {
        return (base, Some(&name[equals + 1..]));
    }
    // `-lfoo`, but `-rpath` is not `-r` and `-library` is a long option with one dash.
    match name {
        [letter, value @ ..] if long.is_none() && !known && !value.is_empty() && joins(*letter) => {
            (&name[..1], Some(value))
        }
        _ => (name, None),
    }
}

/// True if this letter may be followed by its value at once.
fn joins(letter: u8) -> bool {
    // Of the one-letter options only these matter here; `-export-dynamic` and the like start with
    // others.
    matches!(letter, b'L' | b'l' | b'm' | b'o' | b'b' | b'T' | b'R')
}

fn takes_value(argument: &[u8], name: &[u8]) -> bool {
    match name {
        [letter] if !argument.starts_with(b"--") => LETTERS_WITH_VALUE.contains(letter),
        _ => WITH_VALUE.iter().any(|known| known.as_bytes() == name) && !argument.contains(&b'='),
    }
}

/// The command line so far, and what holds for the inputs that follow.
#[derive(Default)]
struct Parser {
    line: CommandLine,
    static_only: bool,
    /// Saved by `--push-state`.
    saved: Vec<bool>,
    /// Under `-b binary`: inputs are data.
    data: bool,
}

impl Parser {
    fn finish(mut self) -> CommandLine {
        self.line.ends_static = self.static_only;
        self.line
    }

    fn input(&mut self, path: &OsStr) {
        if !self.data {
            self.line.inputs.push(Input::File(path.into()));
        }
    }

    fn option(&mut self, name: &[u8], value: Option<&OsStr>) {
        let line = &mut self.line;
        match (name, value) {
            (b"l" | b"library", Some(library)) => {
                line.inputs
                    .push(Input::Library { name: library.into(), static_only: self.static_only });
            }
            (b"T" | b"script", Some(script)) => line.inputs.push(Input::File(script.into())),
            (b"L" | b"library-path", Some(directory)) => line.search.push(directory.into()),
            (b"sysroot", Some(directory)) => line.sysroot = Some(directory.into()),
            (b"o" | b"output", Some(file)) => line.output = Some(file.into()),
            (b"dependency-file", Some(file)) => line.dependency_file = Some(file.into()),
            (b"build-id", _) => line.build_id = true,
            (b"q" | b"emit-relocs", None) => line.keeps_relocations = true,
            // The options of clang's for link-time optimisation: for lld, and for other linkers.
            (b"fat-lto-objects", None) => line.takes_fat_bitcode = true,
            (b"no-fat-lto-objects", None) => line.takes_fat_bitcode = false,
            (b"plugin", Some(plugin)) => {
                line.takes_fat_bitcode |= plugin.as_bytes().ends_with(b"/LLVMgold.so")
            }
            (b"shared" | b"Bshareable", None) => line.makes_library = true,
            // GNU's linker takes the last word, mold this one; others refuse the two together.
            (b"pie" | b"pic-executable", None) => line.makes_library = false,
            (b"Bstatic" | b"dn" | b"non_shared" | b"static", None) => self.static_only = true,
            (b"Bdynamic" | b"dy" | b"call_shared", None) => self.static_only = false,
            (b"push-state", None) => self.saved.push(self.static_only),
            (b"pop-state", None) => self.static_only = self.saved.pop().unwrap_or_default(),
            (b"b" | b"format", Some(format)) => {
                self.data = !(format == "default" || format.as_bytes().starts_with(b"elf"));
            }
            (b"r" | b"i" | b"Ur" | b"relocatable", None) => {
                line.foreign = Some(PassThroughReason::Relocatable)
            }
            (b"help" | b"target-help" | b"version" | b"print-sysroot", None) => {
                line.foreign = Some(PassThroughReason::Information);
            }
            (b"m", Some(machine)) if !is_ours(machine) => {
                line.foreign = Some(PassThroughReason::Machine)
            }
            (b"rsp-quoting", Some(quoting)) if quoting == "windows" => {
                line.foreign = Some(PassThroughReason::Quoting)
            }
            _ => {}
        }
    }
}

/// True if an emulation is x86-64 ELF with 64-bit pointers.
fn is_ours(machine: &OsStr) -> bool {
    machine == "elf_x86_64"
}
