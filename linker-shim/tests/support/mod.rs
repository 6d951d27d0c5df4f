//! What the tests share: an installed tree with the linker under test, a scratch directory,
//! instrumented modules like those of the pass, and profiles.
#![allow(dead_code, reason = "each test program uses a part")]

pub(crate) mod program;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use object::{Object, ObjectSection, ObjectSymbol};
use pathformat::profile::Profile;
use pathformat::record::Records;
use pathformat::settings::Threads;
use pathformat::{ModuleId, names, record};
use tempfile::TempDir;

/// The linkers that every shape of link is tried with.
pub(crate) const LINKERS: [&str; 2] = ["bfd", "lld"];

/// Non-zero counts by module number and index.
pub(crate) type Counts = BTreeMap<(u8, u64), u64>;

/// `bin/ld.pathld` of an installed tree.
pub(crate) fn pathld() -> &'static Path {
    static PATHLD: OnceLock<PathBuf> = OnceLock::new();
    PATHLD.get_or_init(|| {
        let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tree");
        let (bin, lib) = (tree.join("bin"), tree.join("lib/pathcc"));
        fs::create_dir_all(&bin).expect("writable");
        fs::create_dir_all(&lib).expect("writable");
        // Several test programs may be doing this at once, so everything appears in one step.
        let scratch = TempDir::new_in(&tree).expect("writable");
        let linker = scratch.path().join("ld.pathld");
        fs::hard_link(env!("CARGO_BIN_EXE_pathld"), &linker).expect("one file system");
        fs::rename(&linker, bin.join("ld.pathld")).expect("writable");
        let archive = scratch.path().join("libpathrt.a");
        // Always at the same place: cargo compiles again what is to be written elsewhere, and with
        // cargo-nextest each test is a process.
        let objects = Path::new(env!("CARGO_TARGET_TMPDIR")).join("objects");
        fs::create_dir_all(&objects).expect("writable");
        let objects = [("counters.o", "pathrt"), ("log.o", "block-log")].map(|(name, package)| {
            let object = objects.join(name);
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["rustc", "--quiet", "-p", package, "--profile", "runtime"]);
            cargo.arg("--target-dir").arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime"));
            cargo
                .arg("--")
                .arg("--emit")
                .arg(join("obj=", &object))
                .current_dir(env!("CARGO_MANIFEST_DIR"));
            succeed(&mut cargo);
            object
        });
        succeed(Command::new("ar").arg("rcsD").arg(&archive).args(objects));
        fs::rename(&archive, lib.join("libpathrt.a")).expect("writable");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/static/threads.s");
        let object = scratch.path().join("threads.o");
        succeed(Command::new("clang-22").arg("-c").arg(source).arg("-o").arg(&object));
        let archive = scratch.path().join("libpathrt-threads.a");
        succeed(Command::new("ar").arg("rcsD").arg(&archive).arg(object));
        fs::rename(&archive, lib.join("libpathrt-threads.a")).expect("writable");
        bin.join("ld.pathld")
    })
}

fn join(prefix: &str, path: &Path) -> std::ffi::OsString {
    std::ffi::OsString::from_iter([OsStr::new(prefix), path.as_os_str()])
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A scratch directory.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// A fresh one.
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    /// A path inside.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("inside")).expect("writable");
        fs::write(&path, content).expect("writable");
        path
    }

    /// Writes a program in shell.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.write(name, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("ours");
        path
    }

    /// Runs the compiler here; it must succeed.
    pub(crate) fn clang(&self, arguments: &[&str]) -> Output {
        succeed(self.command("clang-22").args(arguments))
    }

    /// Links here with clang and the linker under test, which calls `real`.
    pub(crate) fn link(&self, real: &str, arguments: &[&str]) -> Output {
        let output = self.linking(real, arguments).output().expect("there is a compiler");
        assert!(
            output.status.success(),
            "{real} {arguments:?}:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    /// The command that [`link`](Self::link) runs.
    pub(crate) fn linking(&self, real: &str, arguments: &[&str]) -> Command {
        let mut command = self.command("clang-22");
        if real == "lld" {
            // So that clang passes on what lld wants for link-time optimisation.
            command.arg("-fuse-ld=lld");
        }
        command.arg(join("--ld-path=", pathld())).env("PATHLD_REAL", real).args(arguments);
        // Without a clash between parallel tests, and so that leftovers are seen.
        fs::create_dir_all(self.path("tmp")).expect("writable");
        command.env("TMPDIR", self.path("tmp"));
        command
    }

    /// A command that runs here.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).env_remove("PATHCC_PROFILE").env_remove("PATHLD_DEPTH");
        command.env_remove("PATHCC_DISABLE").env_remove("PATHLD_REAL");
        command
    }

    /// Compiles C code to `NAME.o`.
    pub(crate) fn compile(&self, name: &str, flags: &[&str], code: &str) {
        self.write(&format!("{name}.c"), code);
        self.clang(&[&["-c", &format!("{name}.c"), "-o", &format!("{name}.o")], flags].concat());
    }

    /// Compiles an instrumented module to `NAME.o`. It has a function `bump_NAME(long index)` that
    /// counts.
    pub(crate) fn module(&self, name: &str, number: u8, counters: u64, flags: &[&str]) {
        let record = record::write(id(number), Threads::Exact.code(), [counters, 0], 7, b"payload");
        self.module_with(name, number, counters, &record, flags);
    }

    /// As [`module`](Self::module), with a record of the caller's choice.
    pub(crate) fn module_with(
        &self,
        name: &str,
        number: u8,
        counters: u64,
        record: &[u8],
        flags: &[&str],
    ) {
        let bytes: Vec<String> = record.iter().map(u8::to_string).collect();
        let array = format!("{}{}", names::COUNTERS_PREFIX, id(number));
        let place = format!("{}{}", names::PLACE_PREFIX, id(number));
        let nowhere = names::NOWHERE;
        let code = format!(
            "target triple = \"x86_64-unknown-linux-gnu\"\n\
             module asm \".section {section},\\22aR\\22,@progbits\"\n\
             module asm \".p2align 3\"\n\
             module asm \".byte {bytes}\"\n\
             module asm \".text\"\n\
             ${array} = comdat any\n${place} = comdat any\n\
             @{array} = weak hidden global [{counters} x i64] zeroinitializer, comdat, align 8\n\
             @{place} = weak hidden global i64 {nowhere}, comdat, align 8\n\
             define void @bump_{name}(i64 %index) {{\n\
               %place = load i64, ptr @{place}\n\
               %word = inttoptr i64 %place to ptr addrspace(257)\n\
               %delta = load i64, ptr addrspace(257) %word\n\
               %array = getelementptr i8, ptr @{array}, i64 %delta\n\
               %counter = getelementptr i64, ptr %array, i64 %index\n\
               %count = load i64, ptr %counter\n\
               %more = add i64 %count, 1\n\
               store i64 %more, ptr %counter\n\
               ret void\n\
             }}\n\
             !llvm.module.flags = !{{!0, !1}}\n\
             !0 = !{{i32 8, !\"cf-protection-return\", i32 1}}\n\
             !1 = !{{i32 8, !\"cf-protection-branch\", i32 1}}\n",
            section = names::MANIFEST_SECTION,
            bytes = bytes.join(","),
        );
        self.write(&format!("{name}.ll"), code);
        self.clang(
            &[&["-O1", "-fPIC", "-c", &format!("{name}.ll"), "-o", &format!("{name}.o")], flags]
                .concat(),
        );
    }

    /// The last record of the profile at a path.
    pub(crate) fn profile(&self, name: &str) -> Summary {
        self.records(name).pop().expect("a profile has a record")
    }

    /// The records of the profile at a path.
    pub(crate) fn records(&self, name: &str) -> Vec<Summary> {
        let path = self.path(name);
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let records = Profile::decode_all(&bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        records.iter().map(Summary::new).collect()
    }

    /// The names of the files in a directory, sorted.
    pub(crate) fn files(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).expect("a directory");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    /// Checks that the linker under test left nothing in its temporary directory.
    pub(crate) fn check_no_leftovers(&self) {
        assert!(self.files("tmp").is_empty(), "{:?}", self.files("tmp"));
    }
}

/// The id of the module with this number.
pub(crate) fn id(number: u8) -> ModuleId {
    ModuleId([number; 16])
}

/// What tests look at in a profile.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Number and length of all modules.
    pub(crate) modules: Vec<(u8, u64)>,
    /// The counts.
    pub(crate) counts: Counts,
    pub(crate) pid: u32,
    pub(crate) build_id: Vec<u8>,
    pub(crate) image: String,
    pub(crate) command_line: String,
    pub(crate) directory: String,
}

impl Summary {
    fn new(profile: &Profile<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let counts = profile.modules().flat_map(|module| {
            module.counts.iter().map(|&(index, count)| ((module.id.0[0], index), count))
        });
        assert!(profile.head.start > 0 && profile.head.stop >= profile.head.start);
        Self {
            modules: profile.modules().map(|module| (module.id.0[0], module.counters)).collect(),
            counts: counts.collect(),
            pid: profile.head.pid,
            build_id: profile.head.build_id.to_vec(),
            image: text(profile.head.image),
            command_line: text(profile.head.command_line),
            directory: text(profile.head.directory),
        }
    }
}

/// A linked image, or an object.
pub(crate) struct Image(Vec<u8>);

impl Image {
    /// Reads it.
    pub(crate) fn read(path: &Path) -> Self {
        Self(fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    /// Parses it.
    pub(crate) fn file(&self) -> object::File<'_> {
        object::File::parse(&*self.0).expect("an ELF file")
    }

    /// The numbers of the modules in its manifest section, which must be one that is loaded and
    /// never written.
    pub(crate) fn manifest(&self) -> Vec<u8> {
        let file = self.file();
        let Some(section) = file.section_by_name(names::MANIFEST_SECTION) else {
            return Vec::new();
        };
        assert_eq!(section.kind(), object::SectionKind::ReadOnlyData);
        let records = Records::new(section.data().expect("in the file"));
        records.map(|record| record.expect("sound").head.id.0[0]).collect()
    }

    /// Names of ours that the dynamic linker sees.
    pub(crate) fn leaked(&self) -> Vec<String> {
        let file = self.file();
        let names =
            file.dynamic_symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
        names.filter(|name| name.contains("pathcc") || name.contains("__ehdr")).collect()
    }

    /// Address and size of all symbols whose names start like this.
    pub(crate) fn symbols(&self, prefix: &str) -> Vec<(u64, u64)> {
        let file = self.file();
        let symbols = file
            .symbols()
            .filter(|symbol| symbol.name().is_ok_and(|name| name.starts_with(prefix)));
        symbols.map(|symbol| (symbol.address(), symbol.size())).collect()
    }
}
