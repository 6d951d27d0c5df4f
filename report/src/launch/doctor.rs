//! Finds what would make counts be lost here, before they are.
//!
//! It checks where profiles go, what the limits are, whether the installation is complete, and how
//! a program is built.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use pathformat::files::EXTENSION;
use pathformat::raw::FILE_SYSTEMS;
use pathformat::tree::{self, Entry};
use pathformat::variables::{TRACE_COMPRESS, compresses};
use profile::file_names::state_directory;
use profile::image;
use profile::inputs;
use profile::records::{self, Input, Record};
use profile::uncounted::Uncounted;
use rustix::process::{Resource, getrlimit};

use crate::launch::lookup::named_program;
use crate::launch::pattern;

/// Less free room than this is soon used up.
const LITTLE_ROOM: u64 = 64 << 20;

/// Fewer descriptors may leave none for a profile.
const FEW_DESCRIPTORS: u64 = 16;

/// What was found, as whole sentences.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// What is as it should be.
    pub good: Vec<String>,
    /// What would lose counts, and what to do.
    pub bad: Vec<String>,
}

impl Findings {
    fn check(&mut self, good: bool, whether: (String, String)) {
        if good { self.good.push(whether.0) } else { self.bad.push(whether.1) }
    }
}

/// Looks at the surroundings, and at `program` if one is given.
pub fn examine(program: Option<&OsStr>) -> Findings {
    let mut findings = Findings::default();
    let pattern = pattern::of_environment();
    if let Some(unknown) =
        pattern.as_deref().and_then(|pattern| unknown_placeholder(pattern.as_bytes()))
    {
        findings.bad.push(format!(
            "PATHCC_PROFILE has `%{unknown}`, which stands for nothing and stays in the name."
        ));
    }
    match pattern.as_deref() {
        Some(pattern) if pattern == "off" => findings.bad.push(
            "PATHCC_PROFILE says that nothing is to be written: unset it, or give it a pattern."
                .into(),
        ),
        Some(pattern) => {
            place(&directory_of(pattern, real_path(program).as_deref()), &mut findings)
        }
        None => place(&beside(program), &mut findings),
    }
    let method = env::var_os(TRACE_COMPRESS);
    if compresses(method.as_deref().map(OsStr::as_bytes)).is_none() {
        findings.bad.push(
            "PATHCC_TRACE_COMPRESS names no method of compression, so traces are not compressed: \
             set it to `zstd`, or unset it."
                .into(),
        );
    }
    processes(&mut findings);
    limits(&mut findings);
    installation(&mut findings);
    if let Some(program) = program {
        examine_program(program, &mut findings);
    }
    findings
}

/// What follows a percent sign without being known there.
fn unknown_placeholder(pattern: &[u8]) -> Option<char> {
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'%' {
            let kind = *bytes.next()?;
            if !b"fephbm%".contains(&kind) {
                return Some(kind.escape_ascii().next().map_or('?', char::from));
            }
        }
    }
    None
}

/// The directory of the profile of a program, or of those in the current directory: beside it, or
/// where the user's state is.
fn beside(program: Option<&OsStr>) -> PathBuf {
    let path = real_path(program);
    let directory = path.as_deref().and_then(Path::parent).unwrap_or(Path::new(".")).to_path_buf();
    // A path that is too long leads nowhere.
    let has_place = path.is_none_or(|path| path.is_absolute());
    let may_write =
        has_place && rustix::fs::access(&directory, rustix::fs::Access::WRITE_OK).is_ok();
    if may_write {
        directory
    } else {
        state_directory().map_or(directory, |state| state.join("pathprof"))
    }
}

/// Where a program is, by its name or path.
fn real_path(program: Option<&OsStr>) -> Option<PathBuf> {
    inputs::real_path(&named_program(program?)?).ok()
}

/// The directory that a pattern names, as far as that is known before a program runs.
fn directory_of(pattern: &OsStr, program: Option<&Path>) -> PathBuf {
    let path = Path::new(pattern);
    if path.is_dir() {
        return path.into();
    }
    let (program, rest) = match pattern.as_bytes().strip_prefix(b"%f") {
        Some(rest) => (program.map_or(&[][..], |program| program.as_os_str().as_bytes()), rest),
        None => (&[][..], pattern.as_bytes()),
    };
    let fixed = rest.iter().position(|&byte| byte == b'%').unwrap_or(rest.len());
    let known = [program, &rest[..fixed]].concat();
    match known.iter().rposition(|&byte| byte == b'/') {
        Some(0) => "/".into(),
        Some(slash) => Path::new(OsStr::from_bytes(&known[..slash])).into(),
        None => ".".into(),
    }
}

fn place(directory: &Path, findings: &mut Findings) {
    let shown = fs::canonicalize(directory).unwrap_or_else(|_| directory.into());
    let shown = shown.display();
    // The runtime makes directories that are missing.
    let existing =
        directory.ancestors().find(|folder| folder.exists() || folder.as_os_str().is_empty());
    let existing =
        existing.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match tempfile::Builder::new().prefix(".pathprof-").tempfile_in(existing) {
        Ok(_) => findings.good.push(format!("Profiles can be written to {shown}.")),
        Err(error) => {
            findings.bad.push(format!(
                "Profiles cannot be written to {shown}: {error}. Set PATHCC_PROFILE to a directory \
                 that can be written."
            ));
            return;
        }
    }
    if let Ok(system) = rustix::fs::statfs(existing) {
        let free =
            system.f_bavail.saturating_mul(u64::try_from(system.f_bsize).unwrap_or_default());
        findings.check(
            free >= LITTLE_ROOM,
            (
                format!("There are {} MiB free.", free >> 20),
                format!(
                    "Only {} MiB are free in {shown}: a program that is killed may lose its \
                     counts, and a profile may not fit. Make room.",
                    free >> 20
                ),
            ),
        );
        findings.check(
            FILE_SYSTEMS.contains(&u64::try_from(system.f_type).unwrap_or_default()),
            (
                "The file system keeps the counts of a program that is killed.".into(),
                format!(
                    "The file system of {shown} (type {:#x}) is not known to keep what a killed \
                     program counted. Set PATHCC_PROFILE to a directory on a local disk.",
                    system.f_type
                ),
            ),
        );
    }
    leftovers(existing, findings);
}

/// Raw files of processes that are gone.
fn leftovers(directory: &Path, findings: &mut Findings) {
    let files = inputs::in_directory(directory).unwrap_or_default();
    let found = records::of_all(files);
    let records = found.iter().flat_map(Input::records);
    let is_left = |record: &&Record| record.range.is_none() && record.standing.is_none();
    let gone = records.filter(is_left).filter(|record| !record.is_in_use()).count();
    if gone > 0 {
        findings.good.push(format!(
            "{gone} raw files (.*.{EXTENSION}.*.raw) are of processes that ended without writing a \
             record; they are read with their profiles, and `pathprof compact` takes them into \
             these."
        ));
    }
}

/// Whether the tree that this program is part of is complete, and may be used.
fn installation(findings: &mut Findings) {
    let this = env::current_exe().and_then(fs::canonicalize);
    if let Some(root) = this.as_deref().ok().and_then(Path::parent).and_then(Path::parent) {
        tree_at(root, findings);
    }
}

fn tree_at(root: &Path, findings: &mut Findings) {
    let usable = |entry: &Entry| fs::File::open(root.join(entry.path)).is_ok();
    let (usable, unusable): (Vec<_>, Vec<_>) = tree::entries().partition(usable);
    // A copy of this program alone is none.
    if usable.iter().all(|entry| entry.path == tree::READER) {
        return;
    }
    let paths: Vec<_> = unusable.iter().map(|entry| entry.path).collect();
    let shown = root.display();
    findings.check(
        paths.is_empty(),
        (
            format!("The installation in {shown} is complete."),
            format!(
                "The installation in {shown} lacks, or does not let you read, {}: programs that \
                 are built with it are not counted. Run `make install` again.",
                paths.join(", ")
            ),
        ),
    );
}

/// What the kernel tells programs of themselves.
fn processes(findings: &mut Findings) {
    if let Err(error) = fs::File::open("/proc/self/maps") {
        findings.bad.push(format!(
            "/proc/self/maps cannot be read: {error}. Profiles lack the arguments of programs and \
             the names of callees, and reports on libraries need `--image`. Mount /proc."
        ));
    }
}

fn limits(findings: &mut Findings) {
    let limit = |resource| getrlimit(resource).current;
    let size = limit(Resource::Fsize);
    findings.check(
        size.is_none(),
        (
            "Files may be of any size.".into(),
            format!(
                "Files may not exceed {} bytes (ulimit -f): larger profiles are not written, and \
                 what larger programs count is lost if they are killed. Raise the limit.",
                size.unwrap_or_default()
            ),
        ),
    );
    let memory = limit(Resource::As);
    findings.check(
        memory.is_none(),
        (
            "Address space is not limited.".into(),
            format!(
                "Address space is limited to {} MiB (ulimit -v): threads of larger programs may \
                 have to count together, which the profile then says. Raise the limit.",
                memory.unwrap_or_default() >> 20
            ),
        ),
    );
    let descriptors = limit(Resource::Nofile);
    findings.check(
        descriptors.is_none_or(|most| most >= FEW_DESCRIPTORS),
        (
            "There are enough descriptors.".into(),
            format!(
                "Only {} files may be open at once (ulimit -n): there may be none left for a \
                 profile. Raise the limit.",
                descriptors.unwrap_or_default()
            ),
        ),
    );
}

fn examine_program(program: &OsStr, findings: &mut Findings) {
    let Some(path) = named_program(program).filter(|path| path.exists()) else {
        findings.bad.push(format!("{}: no such program.", program.display()));
        return;
    };
    let place = path.display();
    if let Ok(data) = path.metadata() {
        let gains = data.mode() & 0o6000 != 0;
        findings.check(
            !gains,
            (
                format!("{place} gains no rights when it is started."),
                format!(
                    "{place} is set-user-id or set-group-id: started by others it writes nothing."
                ),
            ),
        );
    }
    match image::traces(&path) {
        Err(error) => findings.bad.push(
            Uncounted::of(&path).map_or_else(|| format!("{error:#}."), |why| why.text(&path)),
        ),
        Ok(traces) => {
            findings.check(
                traces.manifest,
                (format!("{place} was compiled with pathcc."), Uncounted::NotCompiled.text(&path)),
            );
            if traces.manifest {
                findings.check(
                    traces.linked,
                    (
                        format!("{place} was linked with pathld."),
                        Uncounted::of(&path).unwrap_or(Uncounted::OtherLinker).text(&path),
                    ),
                );
                let image = image::read(&path).unwrap_or_default();
                if !image.switches.is_empty() {
                    findings.bad.push(format!(
                        "{place} has {}. If it lets code go on in another thread in the middle of \
                         a function, that counts in the thread that it came from, and what both \
                         count at once may be too low: compile with -O1 or more, or with \
                         -fpath-threads=atomic.",
                        image.switches.join(", ")
                    ));
                }
                let modules = image.modules;
                let apart = modules.iter().filter(|module| module.is_apart()).count();
                if apart > 0 {
                    findings.bad.push(format!(
                        "Of {place} {apart} of {} modules are not counted: a tool made their \
                         symbols local after they were compiled. Link the objects as pathcc wrote \
                         them.",
                        modules.len()
                    ));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directory_of_a_pattern() {
        let of = |pattern: &str| {
            directory_of(OsStr::new(pattern), Some(Path::new("/50%/prog"))).display().to_string()
        };
        assert_eq!(of("%e.%p.pathprof"), ".");
        assert_eq!(of("/x/%h/%p.pathprof"), "/x");
        assert_eq!(of("/%p"), "/");
        assert_eq!(of("a/b/c.pathprof"), "a/b");
        assert_eq!(of("%f.pathprof"), "/50%");
        assert_eq!(of("%f.d/%p.pathprof"), "/50%/prog.d");
        assert_eq!(directory_of(OsStr::new("%f.pathprof"), None), Path::new("."));
        assert_eq!(unknown_placeholder(b"%e.%p%%-%h%b%m.pathprof%"), None);
        assert_eq!(unknown_placeholder(b"%%z%z"), Some('z'));
        assert_eq!(of("/tmp"), "/tmp");
        assert_eq!(beside(None), Path::new("."));
        let here = env::current_exe().and_then(fs::canonicalize).expect("Linux");
        assert_eq!(Some(beside(Some(here.as_os_str())).as_path()), here.parent());
    }

    #[test]
    fn a_tree_is_complete_or_it_is_told() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let checked = || {
            let mut findings = Findings::default();
            tree_at(root.path(), &mut findings);
            (findings.good.len(), findings.bad)
        };
        let put = |path: &str| {
            let file = root.path().join(path);
            fs::create_dir_all(file.parent().expect("inside")).expect("writable");
            fs::write(file, "").expect("writable");
        };
        put("bin/pathprof");
        assert_eq!(checked(), (0, vec![]), "a program alone");
        tree::entries().for_each(|entry| put(entry.path));
        assert_eq!(checked(), (1, vec![]));
        for entry in tree::entries() {
            fs::remove_file(root.path().join(entry.path)).expect("put there");
            let (good, bad) = checked();
            assert!(good == 0 && bad.len() == 1 && bad[0].contains(entry.path), "{bad:?}");
            put(entry.path);
        }
    }

    #[test]
    fn a_missing_program_and_a_place_that_cannot_be_written_are_found() {
        let mut findings = Findings::default();
        place(Path::new("/proc/nowhere"), &mut findings);
        assert!(
            findings.bad[0].starts_with("Profiles cannot be written to /proc/nowhere: "),
            "{findings:?}"
        );
        let mut findings = Findings::default();
        examine_program(OsStr::new("./no-such-program"), &mut findings);
        assert_eq!(findings.bad, ["./no-such-program: no such program."]);
        let mut findings = Findings::default();
        examine_program(OsStr::new("/bin/true"), &mut findings);
        assert!(
            findings.bad.iter().any(|text| text.contains("has no section .pathcc.manifest")),
            "{findings:?}"
        );
    }
}
