//! A directory in which `pathprof` runs within its bounds, with an image and a profile.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::manifest::Manifest;
use pathformat::profile::{Head, Module, Part, Profile, RunId};
use pathformat::settings::Threads;
use pathformat::{ModuleId, names, record};
use tempfile::TempDir;

/// What a reader may use, in KiB.
const MEMORY: &str = "500000";

/// Long after anything should be done, in seconds: a test that takes so long hangs.
const LONG: &str = "900";

/// No input here is larger.
const LARGEST: u64 = 10_000_000;

pub(crate) const IDENTITY: ModuleId = ModuleId([0x11; 16]);

pub(crate) struct Scene(TempDir);

impl Scene {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a temporary directory"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        assert!((content.len() as u64) < LARGEST, "{name} has {} bytes", content.len());
        fs::write(self.path(name), content).expect("writable");
        self.path(name)
    }

    pub(crate) fn pipe(&self, name: &str) {
        use rustix::fs::{CWD, Mode, mkfifoat};
        mkfifoat(CWD, self.path(name), Mode::RUSR | Mode::WUSR).expect("writable");
    }

    /// An image with sections as (name, content).
    pub(crate) fn image(&self, name: &str, sections: &[(&str, &[u8])]) -> PathBuf {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        for (name, content) in sections {
            let id = object.add_section(Vec::new(), (*name).into(), SectionKind::Other);
            object.append_section_data(id, content, 8);
        }
        self.write(name, &object.write().expect("a sound object"))
    }

    /// An image of one unit, as (payload, its length as the head states it, counters).
    pub(crate) fn unit(&self, payload: &[u8], length: usize, counters: u64) {
        let stored = zstd::encode_all(payload, 3).expect("memory does not fail");
        let record = record::write(IDENTITY, Threads::Exact.code(), [counters, 0], length, &stored);
        self.image("image", &[(names::MANIFEST_SECTION, &record)]);
    }

    /// An image of one unit, and a profile in which these counters are not zero.
    pub(crate) fn program(&self, manifest: &Manifest, counters: u64, counts: Vec<(u64, u64)>) {
        let payload = manifest.encode();
        self.unit(&payload, payload.len(), counters);
        self.profile(vec![Part {
            modules: vec![Module { id: IDENTITY, counters, counts }],
            ..Part::of(&Head::default())
        }]);
    }

    pub(crate) fn profile(&self, parts: Vec<Part>) {
        let image = self.path("image");
        let head =
            Head { run: RunId([1; 16]), image: image.as_os_str().as_bytes(), ..Head::default() };
        self.write("x.pathprof", &Profile { head, parts }.encode());
    }

    pub(crate) fn one_count(&self) {
        let modules = vec![Module { id: IDENTITY, counters: 1, counts: vec![(0, 1)] }];
        self.profile(vec![Part { modules, ..Part::of(&Head::default()) }]);
    }

    /// Runs pathprof within its bounds: its exit code, and what it said.
    pub(crate) fn pathprof(&self, arguments: &[&str]) -> (i32, String) {
        let limited = "ulimit -v \"$0\" && exec \"$@\"";
        let output = Command::new("timeout")
            .args(["-s", "KILL", LONG, "sh", "-c", limited, MEMORY, env!("CARGO_BIN_EXE_pathprof")])
            .args(arguments)
            .current_dir(self.0.path())
            // What threads reserve is not what they use.
            .envs([("RAYON_NUM_THREADS", "2"), ("MALLOC_ARENA_MAX", "1")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .expect("it can be run");
        let said = String::from_utf8(output.stderr).expect("text");
        (
            output
                .status
                .code()
                .unwrap_or_else(|| panic!("{arguments:?}: {:?}: {said}", output.status)),
            said,
        )
    }

    /// All that reads profiles and images.
    pub(crate) fn each(&self, mut check: impl FnMut(&[&str], (i32, String))) {
        for arguments in [
            &["report", "x.pathprof"][..],
            &["report", "--calls", "x.pathprof"],
            &["export", "--format", "json", "x.pathprof"],
            &["export", "--format", "lcov", "x.pathprof"],
            &["coverage", "--missing", "x.pathprof"],
            &["merge", "--replace", "-o", "merged.pathprof", "x.pathprof"],
        ] {
            check(arguments, self.pathprof(arguments));
        }
    }

    /// Every reader refuses the profile or its image, with one message that holds `text`.
    pub(crate) fn refused(&self, text: &str) {
        self.each(|arguments, (code, said)| {
            // Merging looks at no image.
            let is_merge = arguments[0] == "merge" && said.is_empty();
            assert!(
                code == 1 && said.contains(text) && said.lines().count() == 1 || is_merge,
                "{arguments:?}: {code} {said}"
            );
        });
    }

    /// Every reader comes to an end, with at most one message.
    pub(crate) fn harmless(&self) {
        self.each(|arguments, (code, said)| {
            assert!(code <= 1 && said.lines().count() <= 1, "{arguments:?}: {code} {said}");
        });
    }
}
