//! Programs with a planted bug: what failing runs do and passing ones do not leads to it.
//!
//! A run fails if it prints or returns something else than the same program without the bug. The
//! function with the bug must come first by its paths, in the worst case: no other function has a
//! path of the same score. The ranking by lines, from the same runs, is what it is compared with.
//! `docs/spectra.md` has both; `PATHCC_BLESS=1` writes it anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pathtests::tree::bin;
use serde_json::Value;
use tempfile::TempDir;

const FORMULAS: [(&str, &str); 3] =
    [("ochiai", "Ochiai"), ("tarantula", "Tarantula"), ("dstar", "DStar")];
const KINDS: [&str; 4] = ["paths", "blocks", "branches", "lines"];

/// The beginning of the document.
const HEAD: &str = "\
# Rankings by spectra, measured

`pathprof diff --spectra PASSING… --against FAILING…` ranks what runs executed by how well it tells
failing runs from passing ones. Each program of `tests/bugs` has one planted bug. A run fails if it
prints or returns something else than the program without the bug. Programs are built with `-g -O0`,
and all rankings are from the same runs. The test `tests/pipeline/spectra.rs` computes the tables,
and fails if they change.

Ties count in the worst case: what has the same score as the bug is looked at before it. The scores
are those of Ochiai, Tarantula and DStar; `compare/src/formulas.rs` has the sources.

## Which function is looked at first

The place of the function with the bug, if functions are ranked by the most suspicious of their
paths, blocks, branches or lines (Ochiai).

| program | functions | passing | failing | by paths | by blocks | by branches | by lines |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

/// What stands before the table of formulas.
const FORMULAS_HEAD: &str = "
## All formulas

How many programs have the function with the bug in the first place, and the mean place of that
function.

| formula | by paths | by blocks | by branches | by lines |
| --- | ---: | ---: | ---: | ---: |
";

/// What stands before the table of lines.
const LINES_HEAD: &str = "
## How many lines have to be read

The lines that are read until the one with the bug is among them (Ochiai). A path is read as a
whole, with all of its lines. A line that was read is not read again.

| program | by paths | by blocks | by branches | by lines |
| --- | ---: | ---: | ---: | ---: |
";

/// A program, and what its runs told.
struct Studied {
    name: String,
    /// The function with the bug.
    bug: String,
    /// The line with the bug.
    line: u64,
    ranking: Value,
    text: String,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bugs")
}

fn output(command: &mut Command) -> Output {
    command.output().expect("it can be run")
}

fn built(source: &Path, target: PathBuf, flags: &[&str]) -> PathBuf {
    let said = output(
        Command::new(bin("pathcc"))
            .args(["-g", "-O0"])
            .args(flags)
            .arg(source)
            .arg("-o")
            .arg(&target),
    );
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    target
}

/// Builds a program with its bug and without, and sorts the profiles of its runs.
fn study(source: &Path) -> Studied {
    let text = fs::read_to_string(source).expect("a program");
    let name = source.file_stem().expect("a name").to_string_lossy().into_owned();
    let bug = text.split("// Bug in ").nth(1).and_then(|rest| rest.split(':').next());
    let line = text.lines().position(|line| line.contains("/* bug */")).expect("it is marked") + 1;
    let home = TempDir::new().expect("a folder");
    let at = |name: &str| home.path().join(name);
    let (right, wrong) = (built(source, at("right"), &[]), built(source, at("wrong"), &["-DBUG"]));
    for folder in ["passing", "failing"] {
        fs::create_dir(at(folder)).expect("writable");
    }
    let inputs = fs::read_to_string(source.with_extension("inputs")).expect("its inputs");
    for (number, input) in inputs.lines().enumerate() {
        let run = |program: &Path, profile: &Path| {
            let words = input.split(' ').collect::<Vec<_>>();
            // A line of a table is one word.
            let words = if name == "table" { vec![input] } else { words };
            let said = output(Command::new(program).args(words).env("PATHCC_PROFILE", profile));
            (said.stdout, said.status.code())
        };
        let profile = at(&format!("{number}.pathprof"));
        let has_failed = run(&wrong, &profile) != run(&right, &at("unused.pathprof"));
        let folder = if has_failed { "failing" } else { "passing" };
        fs::rename(profile, at(folder).join(format!("{number}.pathprof"))).expect("it ran");
    }
    let diff = |format: &str| {
        let arguments =
            ["diff", "--spectra", "passing", "--against", "failing", "--format", format];
        let said = output(Command::new(bin("pathprof")).args(arguments).current_dir(home.path()));
        assert!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).expect("text")
    };
    let ranking = serde_json::from_str(&diff("json")).expect("JSON");
    let bug = bug.expect("its function is named").to_owned();
    Studied { ranking, text: diff("text"), line: line as u64, name, bug }
}

impl Studied {
    fn list(&self, formula: &str, kind: &str, of: &str) -> &Vec<Value> {
        self.ranking["rankings"][formula][kind][of].as_array().expect("a list")
    }

    /// The place of the bug's function in the worst case.
    fn function_place(&self, formula: &str, kind: &str) -> u64 {
        let functions = self.list(formula, kind, "functions").iter();
        let bug = functions.filter(|of| of["function"] == self.bug.as_str()).collect::<Vec<_>>();
        bug.first().expect("it ran")["worst_place"].as_u64().expect("a place")
    }

    /// How many lines have to be read to come upon the bug, in the worst case: those of all
    /// elements that are not after the first one with the bug's line.
    /// No element has the line if it is left by one way alone.
    fn lines_to_read(&self, formula: &str, kind: &str) -> Option<usize> {
        let elements = self.list(formula, kind, "elements");
        let first = elements.iter().find(|of| lines(of).contains(&self.line))?;
        let until = first["worst_place"].as_u64().expect("a place") as usize;
        Some(elements[..until].iter().flat_map(lines).collect::<BTreeSet<_>>().len())
    }
}

/// The lines of an element: its own, those of its blocks, or those of both ends of a branch.
fn lines(element: &Value) -> BTreeSet<u64> {
    let flat = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let listed = flat(&element["lines"]);
    let all = listed.iter().flat_map(flat).chain([element["line"].clone()]);
    all.filter_map(|line| line.as_u64()).collect()
}

/// The document: what the rankings found in each program.
fn document(studied: &[Studied]) -> String {
    let mut text = HEAD.to_owned();
    for of in studied {
        let functions = of.list("ochiai", "paths", "functions").len();
        let (passing, failing) = (&of.ranking["passing"], &of.ranking["failing"]);
        let places = KINDS.map(|kind| of.function_place("ochiai", kind).to_string()).join(" | ");
        let _ = writeln!(text, "| {} | {functions} | {passing} | {failing} | {places} |", of.name);
    }
    text.push_str(FORMULAS_HEAD);
    for (formula, name) in FORMULAS {
        let cell = |kind: &str| {
            let places: Vec<_> =
                studied.iter().map(|of| of.function_place(formula, kind)).collect();
            let first = places.iter().filter(|place| **place == 1).count();
            let mean = places.iter().sum::<u64>() as f64 / places.len() as f64;
            format!("{first} of {}, {mean:.2}", places.len())
        };
        let _ = writeln!(text, "| {name} | {} |", KINDS.map(cell).join(" | "));
    }
    text.push_str(LINES_HEAD);
    for of in studied {
        let lines = KINDS
            .map(|kind| {
                let lines = of.lines_to_read("ochiai", kind);
                lines.map_or_else(|| "–".into(), |lines| lines.to_string())
            })
            .join(" | ");
        let _ = writeln!(text, "| {} | {lines} |", of.name);
    }
    text
}

#[test]
fn paths_lead_to_the_bug() {
    let mut sources: Vec<_> = fs::read_dir(folder())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    sources.sort();
    assert!(sources.len() >= 10);
    let studied: Vec<_> = sources.iter().map(|source| study(source)).collect();
    for of in &studied {
        // To Tarantula, all that only one failing run executed is as suspicious as can be.
        for formula in ["ochiai", "dstar"] {
            assert_eq!(of.function_place(formula, "paths"), 1, "{} by {formula}", of.name);
        }
        // The first function that people read is that of the bug.
        let first = of.text.lines().skip_while(|&line| line != "functions").nth(2);
        assert!(first.is_some_and(|line| line.contains(&of.bug)), "{}", of.text);
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/spectra.md");
    let document = document(&studied);
    if std::env::var_os("PATHCC_BLESS").is_some() {
        fs::write(&place, &document).expect("writable");
    }
    let known = fs::read_to_string(&place).unwrap_or_default();
    assert_eq!(known, document, "PATHCC_BLESS=1 writes {}", place.display());
}
