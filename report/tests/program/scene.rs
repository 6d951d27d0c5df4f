//! A directory in which `pathprof` runs as its users run it, with the image `demo` and its
//! profiles.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::names;
use pathformat::profile::{Ancestor, Head, Module, Profile};
use serde_json::Value;
use tempfile::TempDir;

use crate::samples;

pub(crate) const BUILD_ID: [u8; 4] = [0xab, 0xcd, 0xef, 0x01];

/// What a run of the sample counts on its hottest path.
pub(crate) const HOT: u64 = 1_234_567;

/// A directory with an image `demo`, in which `pathprof` runs.
pub(crate) struct Scene {
    pub(crate) directory: TempDir,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let scene = Self { directory: TempDir::new().expect("a temporary directory") };
        scene.image("demo", Some(&samples::section()), &BUILD_ID);
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        fs::write(self.path(name), content).expect("the file can be written");
        self.path(name)
    }

    /// Writes an ELF file with a manifest section and a build-id note.
    pub(crate) fn image(&self, name: &str, section: Option<&[u8]>, build_id: &[u8]) -> PathBuf {
        let manifest = section.map(|section| (names::MANIFEST_SECTION, section));
        self.image_with(name, manifest.as_slice(), build_id)
    }

    /// Writes an ELF file with these sections and a build-id note.
    pub(crate) fn image_with(
        &self,
        name: &str,
        sections: &[(&str, &[u8])],
        build_id: &[u8],
    ) -> PathBuf {
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let mut note = Vec::new();
        for word in [4, u32::try_from(build_id.len()).expect("it is short"), 3] {
            note.extend(u32::to_le_bytes(word));
        }
        note.extend(b"GNU\0");
        note.extend(build_id);
        let mut add = |name: &str, kind, content: &[u8]| {
            let id = object.add_section(Vec::new(), name.into(), kind);
            object.append_section_data(id, content, 4);
        };
        add(".note.gnu.build-id", SectionKind::Note, &note);
        for (name, section) in sections {
            add(name, SectionKind::Other, section);
        }
        let mut image = object.write().expect("the object is sound");
        // As if it were linked: a shared object.
        image[16] = 3;
        self.write(name, &image)
    }

    /// Writes a profile of the image `demo`.
    pub(crate) fn profile(&self, name: &str) -> PathBuf {
        self.profile_of(name, "demo", &BUILD_ID, samples::counters())
    }

    pub(crate) fn profile_of(
        &self,
        name: &str,
        image: &str,
        build_id: &[u8],
        modules: Vec<Module>,
    ) -> PathBuf {
        let image = self.path(image);
        self.write(name, &samples::profile(image.as_os_str().as_bytes(), build_id, 0, modules))
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("it is there")
    }

    /// `pathprof` in this directory, with nothing of the user's environment that it heeds.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathprof"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("PATHCC_PROFILE")
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end. In what it prints this directory is called `DIR`.
    pub(crate) fn outcome(&self, command: &mut Command) -> Outcome {
        let output = command.output().expect("it can be run");
        let text = |bytes| String::from_utf8(bytes).expect("the output is text");
        let place = format!("{}/", self.directory.path().display());
        Outcome {
            code: output.status.code().expect("it ends by itself"),
            out: text(output.stdout).replace(&place, "DIR/"),
            err: text(output.stderr).replace(&place, "DIR/"),
        }
    }

    pub(crate) fn pathprof(&self, arguments: &[&str]) -> Outcome {
        self.outcome(&mut self.command(arguments))
    }

    /// What the JSON export of profiles says, and what was said besides. It must be made.
    pub(crate) fn export(&self, arguments: &[&str]) -> (Value, String) {
        let outcome = self.pathprof(&[&["export", "--format", "json"], arguments].concat());
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        (serde_json::from_str(&outcome.out).expect("JSON"), outcome.err)
    }

    /// Runs a report that must fail with exactly this message, and shows nothing.
    pub(crate) fn refuses(&self, arguments: &[&str], message: &str) {
        let outcome = self.pathprof(arguments);
        assert_eq!(outcome.err, format!("error: {message}\n"));
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
    }
}

/// What a run of `pathprof` gave.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn counts_of(json: &Value, name: &str) -> Vec<(String, u64)> {
    let functions = json["functions"].as_array().expect("functions");
    let function =
        functions.iter().find(|function| function["name"] == name).expect("it is listed");
    let paths = function["paths"].as_array().expect("paths");
    let pair = |path: &Value| {
        (path["id"].as_str().expect("id").into(), path["count"].as_u64().expect("count"))
    };
    paths.iter().map(pair).collect()
}

/// A record of the image `demo`, of a process with a parent, from one time to another.
pub(crate) fn record(scene: &Scene, pid: u32, parent: u32, (start, stop): (u64, u64)) -> Vec<u8> {
    let image = scene.path("demo");
    let bytes = samples::profile(image.as_os_str().as_bytes(), &BUILD_ID, 0, samples::counters());
    let mut profile = Profile::decode(&bytes).expect("sound");
    let ancestors = [Ancestor::new(parent, parent.into())];
    profile.head = Head {
        pid,
        ancestors: &ancestors,
        start: start * 1000,
        stop: stop * 1000,
        process_start: pid.into(),
        ..profile.head
    };
    profile.encode()
}

/// How often `collatz` took its most frequent path, and how many functions there are, in the export
/// of these profiles; and what was said.
pub(crate) fn hottest(scene: &Scene, arguments: &[&str]) -> (u64, usize, String) {
    let (json, said) = scene.export(arguments);
    let counts = counts_of(&json, "collatz");
    (
        counts.iter().map(|(_, count)| *count).max().unwrap_or_default(),
        json["functions"].as_array().expect("functions").len(),
        said,
    )
}
