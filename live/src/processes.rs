//! Finds the raw files in which running processes count.
//!
//! A process has its raw files mapped, one for each image. The kernel lists them
//! (`/proc/PID/maps`), wherever `PATHCC_PROFILE` put them. A process with another root, as in a
//! container, names them as it sees them; they are found through its root.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use profile::file_names::profile_of_raw;
use profile::inputs::{default_profiles, is_image};
use profile::records::{self, Record};

/// Returns the records of the running processes that `arguments` name: one by its number, or those
/// of a program or a profile, with all of their images. Without arguments, returns those of all
/// processes that this user may look at. Each raw file has a record, in the order of their paths.
///
/// # Errors
/// An argument names no process, program or profile; or a process counts nothing, or its memory
/// may not be seen. A program of which no process runs is no error.
pub fn running(arguments: &[PathBuf]) -> Result<Vec<Record>> {
    if arguments.is_empty() {
        return Ok(of_all());
    }
    let found: Result<Vec<_>> = arguments.iter().map(|argument| named(argument)).collect();
    Ok(by_path(found?.into_iter().flatten()))
}

/// Returns the same of those among the processes that still run.
pub fn still_running(arguments: &[PathBuf]) -> Vec<Record> {
    if arguments.is_empty() {
        return of_all();
    }
    by_path(arguments.iter().flat_map(|argument| named(argument).unwrap_or_default()))
}

/// Returns the records of what one argument names.
fn named(argument: &Path) -> Result<Vec<Record>> {
    match argument.to_str().and_then(|text| text.parse().ok()) {
        Some(process) => of_process(process),
        None => of_program(argument),
    }
}

/// Returns the records of all processes that this user may look at.
fn of_all() -> Vec<Record> {
    by_path(numbers().into_iter().flat_map(|process| of_process(process).unwrap_or_default()))
}

/// Returns one record for each raw file, in the order of their paths.
fn by_path(records: impl Iterator<Item = Record>) -> Vec<Record> {
    let records = records.map(|record| (record.path.clone(), record));
    records.collect::<BTreeMap<_, _>>().into_values().collect()
}

/// Returns the numbers of all processes.
fn numbers() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Returns the records of one process.
fn of_process(process: u32) -> Result<Vec<Record>> {
    let maps = fs::read(format!("/proc/{process}/maps")).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no process {process}"),
        ErrorKind::PermissionDenied => anyhow!("you may not see the memory of process {process}"),
        _ => anyhow!("the memory of process {process} cannot be seen: {error}"),
    })?;
    let mapped = mapped(&maps);
    if mapped.is_empty() {
        let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        bail!(
            "process {process} ({}) counts nothing that can be read: no image in it is made by \
             pathcc, or its counters are in no file (`pathprof doctor PROGRAM` says why)",
            name.trim_end()
        );
    }
    let root = PathBuf::from(format!("/proc/{process}/root"));
    let is_elsewhere = identity(&root).is_some_and(|root| identity(Path::new("/")) != Some(root));
    let record = |(path, inode): (PathBuf, u64)| {
        let within = root.join(path.strip_prefix("/").unwrap_or(&path));
        let mut places = [path.clone(), within];
        if is_elsewhere {
            places.reverse();
        }
        let has = |place: &PathBuf| fs::metadata(place).is_ok_and(|data| data.ino() == inode);
        let place = places.into_iter().find(has);
        let place = place.with_context(|| format!("{} is no longer there", path.display()))?;
        let record = records::of_raw(&place);
        Ok(record.with_context(|| place.display().to_string())?.of_running_process())
    };
    mapped.into_iter().map(record).collect()
}

/// Returns the identity of a file.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).map(|data| (data.dev(), data.ino())).ok()
}

/// Returns the raw files in a list of mappings, with their inodes.
fn mapped(maps: &[u8]) -> BTreeMap<PathBuf, u64> {
    let file = |line: &[u8]| {
        // No other field has a slash.
        let at = line.iter().position(|&byte| byte == b'/')?;
        let (fields, path) = line.split_at(at);
        let inode = fields.split(u8::is_ascii_whitespace).rfind(|field| !field.is_empty())?;
        let path = PathBuf::from(OsStr::from_bytes(&unescaped(path)));
        profile_of_raw(&path)?;
        Some((path, std::str::from_utf8(inode).ok()?.parse().ok()?))
    };
    maps.split(|&byte| byte == b'\n').filter_map(file).collect()
}

/// Returns a path as it is. The kernel writes a line break as `\012`.
fn unescaped(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, behind)) = rest.split_first() {
        let (byte, next) = match rest.strip_prefix(b"\\012") {
            Some(next) => (b'\n', next),
            None => (first, behind),
        };
        out.push(byte);
        rest = next;
    }
    out
}

/// Returns the records of the running processes of a program, or of those that append to a profile.
fn of_program(path: &Path) -> Result<Vec<Record>> {
    let is_program = is_image(path);
    let profiles = if is_program { default_profiles(path)? } else { vec![path.to_path_buf()] };
    let raw_files: Vec<_> =
        profiles.iter().flat_map(|profile| records::raw_files(profile)).collect();
    if !is_program && !path.exists() && raw_files.is_empty() {
        bail!("{}: no such program or profile, and no number of a process", path.display());
    }
    let own = raw_files.iter().filter_map(|raw| records::of_raw(raw).ok());
    let own: Vec<_> =
        own.filter(|record| record.is_of_this_machine() && record.is_in_use()).collect();
    // What the program itself counts leads to its processes, and they to all of their images.
    let processes: BTreeSet<_> = own.iter().map(|record| record.pid).collect();
    let of_processes = processes.into_iter().flat_map(|of| of_process(of).unwrap_or_default());
    Ok(own.iter().cloned().chain(of_processes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_files_are_told_from_all_that_is_mapped() {
        let maps = b"\
55d0-55d1 r--p 00000000 fe:00 11 /bin/a.out
55d2-55d3 rw-s 00001000 fe:00 12 /tmp/a b/.a.out.pathprof.4711.raw
55d3-55d4 rw-s 00002000 fe:00 12 /tmp/a b/.a.out.pathprof.4711.raw
55d4-55d5 rw-s 00002000 fe:00 13 /tmp/x\\012y/.l.so.pathprof.4711-2.raw
55d5-55d6 rw-s 00002000 fe:00 14 /tmp/.gone.pathprof.4711.raw (deleted)
7ffd-7ffe rw-p 00000000 00:00 0 [stack]
7fff-8000 rw-p 00000000 00:00 0
";
        let expected = [
            (PathBuf::from("/tmp/a b/.a.out.pathprof.4711.raw"), 12),
            (PathBuf::from("/tmp/x\ny/.l.so.pathprof.4711-2.raw"), 13),
        ];
        assert_eq!(mapped(maps), BTreeMap::from(expected));
    }

    #[test]
    fn what_names_no_process_is_told() {
        let says = |name: &str| format!("{:#}", running(&[name.into()]).expect_err("none"));
        assert_eq!(says("4294967295"), "there is no process 4294967295");
        assert_eq!(
            says("/no/such"),
            "/no/such: no such program or profile, and no number of a process"
        );
        let own = std::process::id().to_string();
        assert!(says(&own).contains("counts nothing that can be read"), "{}", says(&own));
        assert!(still_running(&["4294967295".into(), "/no/such".into()]).is_empty());
    }

    #[test]
    fn a_program_that_does_not_run_has_no_records() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("x.pathprof");
        fs::write(&path, "").expect("writable");
        assert!(running(&[path]).expect("a profile").is_empty());
    }
}
