//! Names that try to do more than to be read: in manifests, profiles, arguments and names of files,
//! through every command and format.

use counts::sample::units as samples;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object::write::Object;
use object::{Architecture, BinaryFormat, Endianness, SectionKind};
use pathformat::manifest::{Location, Manifest};
use pathformat::names;
use pathformat::weights::Weights;
use serde_json::Value;
use tempfile::TempDir;

/// What names must not do: set a title, clear the screen, hide text, end a line, forge an error or
/// a record, turn the direction.
const EVIL: &str = "a\x1b]0;title\x07\x1b[2J\x1b[8m\nerror: forged\r\nend_of_record\n\
                    SF:/forged\nDA:1,1\nsource forged\nfunction forged\nedge 0 1 1\n\t\
                    \u{9b}31m\u{85}\u{2028}\u{202e}\u{2066}\u{200b}\u{feff}\x7f,b";

/// A directory with an image and a profile of it, in whose every text [`EVIL`] stands.
struct Scene {
    directory: TempDir,
}

impl Scene {
    fn new() -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let scene = Self { directory };
        let mut object = Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let id = object.add_section(Vec::new(), names::MANIFEST_SECTION.into(), SectionKind::Other);
        object.append_section_data(id, &section(), 4);
        fs::write(scene.path(&image()), object.write().expect("sound")).expect("writable");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a profile whose command line and flags are as evil as its image.
    fn profile(&self, name: &str) {
        let place = self.path(&image());
        let sound = samples::profile(place.as_os_str().as_bytes(), b"", 0, samples::counters());
        let profile = pathformat::profile::Profile::decode(&sound).expect("sound");
        let evil = format!("{EVIL}\0{EVIL}\0");
        let head = pathformat::profile::Head {
            flags: 0xf,
            command_line: evil.as_bytes(),
            directory: EVIL.as_bytes(),
            host: EVIL.as_bytes(),
            ..profile.head
        };
        let bytes = pathformat::profile::Profile { head, parts: profile.parts }.encode();
        fs::write(self.path(name), bytes).expect("writable");
    }

    fn pathprof(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_pathprof"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("PATHCC_PROFILE")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            .output()
            .expect("pathprof can be run");
        let text = |bytes| String::from_utf8(bytes).expect("the output is text");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

fn image() -> String {
    EVIL.replace('/', "")
}

/// The manifests of the sample program with evil names, each function's and file's another one.
fn section() -> Vec<u8> {
    samples::section_with(poison)
}

fn poison(unit: &mut Manifest) {
    let add = |text: &mut String| *text = format!("{text}{EVIL}");
    [&mut unit.source, &mut unit.directory].into_iter().for_each(add);
    for function in &mut unit.functions {
        let file = Some(&mut function.file).filter(|file| !file.is_empty());
        [&mut function.name, &mut function.full_name, &mut function.short_name]
            .into_iter()
            .chain(file)
            .chain(&mut function.skipped)
            .for_each(add);
        for Location { file, function, .. } in &mut function.locations {
            [file, function].into_iter().for_each(add);
        }
        for block in &mut function.blocks {
            add(&mut block.name);
            block
                .calls
                .iter_mut()
                .filter(|call| !call.is_indirect())
                .for_each(|call| add(&mut call.callee));
            for (opcode, _) in &mut block.opcodes {
                *opcode = format!("{opcode}{EVIL}").into();
            }
        }
        function.edges.iter_mut().for_each(|edge| edge.opcodes.push((EVIL.into(), 1)));
    }
}

/// What a terminal may get: nothing that it obeys but colours, and no line that a name made.
fn check(what: &str, text: &str) {
    let mut rest = text.to_owned();
    for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[39m", "\x1b[22;39m", "\x1b[22m"] {
        rest = rest.replace(code, "");
    }
    for colour in 30..38 {
        rest =
            rest.replace(&format!("\x1b[{colour}m"), "").replace(&format!("\x1b[{colour};1m"), "");
    }
    let obeyed = |c: char| {
        c != '\n' && (c.is_control() || "\u{2028}\u{202e}\u{2066}\u{200b}\u{feff}".contains(c))
    };
    let bad = rest.lines().find(|line| line.contains(obeyed));
    assert!(
        bad.is_none(),
        "{what}: {:?}",
        bad.map(|line| line.chars().filter(|&c| obeyed(c)).collect::<String>())
    );
    for forged in ["error: forged", "SF:/forged", "DA:1,1", "source forged", "function forged"] {
        assert!(
            !rest.lines().any(|line| line.trim_start() == forged),
            "{what}: a line is forged: {rest}"
        );
    }
}

#[test]
fn no_view_gives_a_name_more_than_its_place() {
    let scene = Scene::new();
    scene.profile(&format!("{}.pathprof", image()));
    scene.profile("b.pathprof");
    let (code, _, err) = scene.pathprof(&["merge", "-o", "merged.pathprof", "b.pathprof"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let mut views: Vec<Vec<&str>> =
        ["--functions", "--blocks", "--skipped", "--opcodes", "--opcodes=functions", "--full"]
            .into_iter()
            .chain([
                "--opcodes=blocks",
                "--calls",
                "--calls=sites",
                "--branches",
                "--sort=function",
                "--function=*",
            ])
            .map(|option| vec!["report", option])
            .collect();
    views.extend([
        vec!["report"],
        vec!["coverage"],
        vec!["coverage", "--functions"],
        vec!["coverage", "--missing"],
    ]);
    for view in &views {
        for colour in ["always", "never"] {
            for inputs in [&["."][..], &["merged.pathprof"], &[]] {
                let arguments = [&view[..], &["--color", colour], inputs].concat();
                let (code, out, err) = scene.pathprof(&arguments);
                assert_eq!(code, Some(0), "{arguments:?}: {err}");
                check(&format!("{arguments:?}"), &out);
                check(&format!("{arguments:?}"), &err);
                let seen = out.contains(
                    r"a\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[8m\nerror: forged\r\nend_of_record",
                );
                assert!(seen, "{arguments:?}: a name is shown as it is: {out}");
            }
        }
    }
}

#[test]
fn no_name_forges_what_other_programs_read() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let export = |format: &str, more: &[&str]| {
        let (code, out, err) =
            scene.pathprof(&[&["export", "--format", format, "a.pathprof"], more].concat());
        assert_eq!((code, err.as_str()), (Some(0), ""));
        check(format, &out);
        out
    };
    for out in [export("json", &[]), export("json", &["--pretty"])] {
        let json: Value = serde_json::from_str(&out).expect("it is JSON");
        let functions = json["functions"].as_array().expect("functions");
        assert_eq!(
            functions[0]["name"].as_str(),
            Some(format!("collatz{EVIL}").as_str()),
            "JSON means the very name"
        );
        assert_eq!(json["profiles"][0]["command_line"][1].as_str(), Some(EVIL));
        assert_eq!(json["images"][0]["path"].as_str(), scene.path(&image()).to_str());
    }
    let lcov = export("lcov", &["--keep-missing"]);
    let files: Vec<_> = lcov.lines().filter(|line| line.starts_with("SF:")).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!(lcov.lines().filter(|line| *line == "end_of_record").count(), 2);
    for line in lcov.lines().filter(|line| *line != "end_of_record") {
        let (kind, fields) = line.split_once(':').expect("a record");
        let commas = fields.matches(',').count();
        let wanted = match kind {
            "SF" | "TN" => continue,
            "FN" | "FNDA" | "DA" => 1,
            "BRDA" => 3,
            "FNF" | "FNH" | "BRF" | "BRH" | "LF" | "LH" => 0,
            _ => panic!("{line}"),
        };
        assert_eq!(commas, wanted, "{line}");
    }
    let (code, _, err) = scene.pathprof(&["weights", "-o", "w", "a.pathprof"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let text = fs::read_to_string(scene.path("w")).expect("text");
    check("weights", &text);
    let source = format!("src/main.c{EVIL}");
    let weights = Weights::for_source(&text, &source).expect("sound");
    let known =
        weights.get(&source, &format!("collatz{EVIL}")).expect("the pass finds it by its name");
    assert_eq!(known.edges.len(), 7);
}

#[test]
fn no_problem_is_told_as_two() {
    let scene = Scene::new();
    scene.profile("a.pathprof");
    let gone = format!("{}.pathprof", image());
    let evil = image();
    let one = |arguments: &[&str], code: i32| {
        let (got, out, err) = scene.pathprof(arguments);
        assert_eq!(got, Some(code), "{err}");
        check(&format!("{arguments:?}"), &out);
        check(&format!("{arguments:?}"), &err);
        assert_eq!(err.lines().filter(|line| line.starts_with("error:")).count(), 1, "{err}");
    };
    one(&["report", &gone], 1);
    one(&["merge", "-o", "m.pathprof", &gone], 1);
    one(&["report", "a.pathprof", "--image", "."], 1);
    one(&["report", "a.pathprof", "--image", &gone], 1);
    one(&["export", "--format", "json", "-o", &format!("{evil}/x"), "a.pathprof"], 1);
    one(&["coverage", "--fail-under-paths", "100", "a.pathprof"], 1);
    one(&["run", "--", &format!("./{gone}")], 127);
    one(&["report", &format!("--{evil}")], 2);
    one(&["report", "--sort", &evil], 2);
    fs::remove_file(scene.path(&image())).expect("it is there");
    one(&["report", "a.pathprof"], 1);
    let (code, _, err) = scene.pathprof(&[
        "run",
        "-q",
        "--",
        "sh",
        "-c",
        "exit 3",
        OsStr::new(&evil).to_str().expect("text"),
    ]);
    assert_eq!(code, Some(3));
    check("run", &err);
    let (_, out, _) = scene.pathprof(&["doctor", &evil]);
    check("doctor", &out);
}
