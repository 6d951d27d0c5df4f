//! Compiles, links and runs every `cases/*.c`, `*.cc` and `*.f90`, and compares its paths with
//! `cases/NAME.paths`.
//!
//! Cases are compiled with `-g -O0` unless they say otherwise. Directives stand in the source:
//! `//#flags: …` adds options, `//#with: FILE` adds a source, `//#part …` marks a file that is no
//! case of its own; in Fortran they begin with `!#`. A case exits with 0.
//!
//! Each case is built with the default linker and with lld, linked from parts and at once, and
//! always must give the same paths. `PATHCC_BLESS=1` writes what was counted into the golden files;
//! check it by hand before you commit it. The tree to test is `PATHCC_TREE`, by default
//! `target/pathcc` as `make build` leaves it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use pathtests::tree::bin;
use serde_json::Value;

/// The ways in which a case is linked; all give the same paths.
const LINKS: [&[&str]; 2] = [&[], &["-fuse-ld=lld"]];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut sources: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of cases exists")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| ["c", "cc", "f90"].iter().any(|known| extension == *known))
        })
        .collect();
    sources.sort();
    let cases = sources.into_iter().filter(|source| directive(source, "part").is_none());
    let trial = |source: PathBuf| {
        let name = source.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        Trial::test(name, move || run(&source))
    };
    libtest_mimic::run(&Arguments::from_args(), cases.map(trial).collect()).exit();
}

fn run(source: &Path) -> Result<(), Failed> {
    let golden = source.with_extension("paths");
    for link in LINKS {
        let counted = paths_of(source, link)?;
        if std::env::var_os("PATHCC_BLESS").is_some() {
            fs::write(&golden, &counted)?;
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        if counted != expected {
            let hint = "set PATHCC_BLESS=1 to accept what was counted";
            return Err(format!(
                "linked with {link:?}\nexpected:\n{expected}\ncounted:\n{counted}\n{hint}"
            )
            .into());
        }
    }
    Ok(())
}

/// Builds and runs a case and tells its paths, one a line.
fn paths_of(source: &Path, link: &[&str]) -> Result<String, Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let extension = source.extension().unwrap_or_default().to_string_lossy().into_owned();
    let compiler = match extension.as_str() {
        "cc" => "pathc++",
        "f90" => "pathfc",
        _ => "pathcc",
    };
    let mut names = vec![source.file_name().expect("a file has a name").to_owned()];
    names.extend(directive(source, "with:").map(Into::into));
    for name in &names {
        fs::copy(source.with_file_name(name), folder.join(name))?;
    }
    let flags = directive(source, "flags:").unwrap_or_default();
    succeed(
        Command::new(bin(compiler))
            .args(["-g", "-O0"])
            .args(flags.split_whitespace())
            .args(link)
            .args(&names)
            .args(["-o", "case"])
            .current_dir(folder),
    )?;
    succeed(Command::new("./case").env("PATHCC_PROFILE", "case.pathprof").current_dir(folder))?;
    let json = succeed(
        Command::new(bin("pathprof"))
            .args(["export", "--format", "json", "case.pathprof"])
            .current_dir(folder),
    )?;
    Ok(tell(&serde_json::from_slice(&json.stdout)?))
}

/// The functions of an export and their paths, as readable lines.
fn tell(export: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut told = String::new();
    for function in list(&export["functions"]) {
        let name = text(&function["demangled"]);
        if let Some(reason) = function["skipped"].as_str() {
            let _ = writeln!(told, "{name}: skipped, {reason}");
            continue;
        }
        let _ = writeln!(
            told,
            "{name}: {} of {} paths, entered {} times",
            list(&function["paths"]).len(),
            text(&function["possible_paths"]),
            function["entries"]
        );
        let lines = |block: &Value| {
            let block = &function["blocks"][block.as_u64().unwrap_or_default() as usize];
            let lines: Vec<_> = list(&block["lines"]).iter().map(Value::to_string).collect();
            lines.join(",")
        };
        for path in list(&function["paths"]) {
            let blocks: Vec<_> = list(&path["blocks"]).iter().map(lines).collect();
            let (start, end) = (text(&path["start"]), text(&path["end"]));
            let _ = writeln!(
                told,
                "    {:>6} × {start}: {} : {end}",
                path["count"],
                blocks.join(" > ")
            );
        }
    }
    told
}

/// The rest of a line `//#name …` or `!#name …`.
fn directive(source: &Path, name: &str) -> Option<String> {
    let text = fs::read_to_string(source).expect("a readable case");
    text.lines().find_map(|line| {
        line.strip_prefix("//#")
            .or_else(|| line.strip_prefix("!#"))?
            .strip_prefix(name)
            .map(|rest| rest.trim().to_owned())
    })
}

/// Runs a command that must succeed in silence on standard error.
fn succeed(command: &mut Command) -> Result<Output, Failed> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error} (is the tree built? run `make build`)"))?;
    if output.status.success() && output.stderr.is_empty() {
        return Ok(output);
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))
        .into())
}
