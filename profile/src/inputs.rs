//! Chooses the records to read: those of the named profiles, or those of one start.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, DirEntry};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Error, Result, bail};
use pathformat::files::{self, EXTENSION};
use rustix::fs::Access;

use crate::file_names::{profile_of, state_directory};
use crate::records::{self, Input, Record, Records, only};
use crate::starts::{processes, starts};
use crate::uncounted::Uncounted;
use crate::{arrays, directories, image, open};

/// The rule for the starts that a command reads, as in its help and the documents.
pub const RULE: &str = "A program stands for its last start, and a profile or a directory for all \
     starts in it. `coverage`, `export --format lcov`, `weights` and `merge` sum all starts of a \
     program, too.";

/// The starts to read, by [`RULE`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The default for the arguments: the last start if all of them are images or there are none,
    /// all starts if a profile or a directory is among them.
    #[default]
    Usual,
    /// All starts.
    All,
    /// One start, counted backwards: 1 is the last.
    Start(usize),
}

/// The profiles that were chosen.
#[derive(Debug)]
pub struct Chosen {
    /// The profiles, each with the records to read.
    pub inputs: Vec<Input>,
    /// The start that was chosen; `None` if all are read.
    pub start: Option<OneStart>,
}

/// A start among others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneStart {
    /// Its number, counted backwards: 1 is the last.
    pub number: usize,
    /// The total number of starts.
    pub starts: usize,
    /// The number of its processes.
    pub processes: usize,
    /// The profiles that contain it, by name; at least one.
    pub profiles: Vec<PathBuf>,
    /// True if it is the last start and the named programs can leave no other here.
    pub is_last_ever: bool,
}

/// Returns the profiles that `arguments` name, in order: a directory stands for the profiles in and
/// below it, an image for the profile that its runs left. Without arguments, returns the profiles
/// in the current directory.
///
/// # Errors
/// A directory has no profiles or cannot be read, or there is no such start. This function does not
/// check that the files can be read.
pub fn inputs(arguments: &[PathBuf], choice: Choice) -> Result<Chosen> {
    let inputs = records::of_all(files(arguments)?);
    let number = match choice {
        Choice::All => None,
        Choice::Start(number) => Some(number),
        Choice::Usual if arguments.iter().all(|argument| is_image(argument)) => Some(1),
        Choice::Usual => None,
    };
    let Some(number) = number else { return Ok(Chosen { inputs, start: None }) };
    let records: Vec<_> = inputs.iter().flat_map(Input::records).collect();
    if records.is_empty() {
        return Ok(Chosen { inputs, start: None });
    }
    let starts = starts(&records);
    let Some(chosen) = number.checked_sub(1).and_then(|at| starts.get(at)) else {
        bail!(
            "there is no start {number}; `pathprof runs` lists them, from 1, which is the last, \
               to {}",
            starts.len()
        )
    };
    let of_start: Vec<_> = chosen.iter().map(|&at| records[at]).collect();
    let profiles: BTreeSet<_> = of_start.iter().map(|record| record.profile()).collect();
    let start = OneStart {
        number,
        starts: starts.len(),
        processes: processes(of_start),
        profiles: profiles.into_iter().collect(),
        is_last_ever: number == 1
            && !arguments.is_empty()
            && arguments.iter().all(|argument| is_mute(argument)),
    };
    let mut places = 0..;
    let inputs = only(inputs, |_| places.next().is_some_and(|place| chosen.contains(&place)));
    Ok(Chosen { inputs, start: Some(start) })
}

/// Returns the starts in the profiles that `arguments` name, each as the inputs to read, in the
/// order of time; and the problems of records that could not be read.
///
/// # Errors
/// As for [`inputs`].
pub fn each_start(arguments: &[PathBuf]) -> Result<(Vec<Vec<Input>>, Vec<Error>)> {
    let mut problems = Vec::new();
    let mut of: Vec<(PathBuf, Record)> = Vec::new();
    for input in records::of_all(files(arguments)?) {
        let path = input.path;
        match input.found {
            Ok(found) => {
                problems.extend(found.problems);
                of.extend(found.records.into_iter().map(|record| (path.clone(), record)));
            }
            Err(error) => problems.push(error.context(path.display().to_string())),
        }
    }
    let found: Vec<_> = of.iter().map(|(_, record)| record).collect();
    let one = |&at: &usize| {
        let (path, record) = &of[at];
        let records = vec![record.clone()];
        Input { path: path.clone(), found: Ok(Records { records, problems: Vec::new() }) }
    };
    let starts = starts(&found);
    Ok((starts.iter().rev().map(|start| start.iter().map(one).collect()).collect(), problems))
}

/// Returns the paths of the profiles that `arguments` name.
///
/// # Errors
/// As for [`inputs`].
pub fn files(arguments: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if arguments.is_empty() {
        let found = in_directory(Path::new("."))?;
        if found.is_empty() {
            bail!(
                "no profile (*.{EXTENSION}) in the current directory{}: a profile stands beside its \
                 program; name that program, its profile, or a directory, or run it with `pathprof \
                 run -- PROGRAM`",
                traces_instead(Path::new("."))
            );
        }
        return Ok(found
            .iter()
            .map(|path| path.strip_prefix(".").unwrap_or(path).to_path_buf())
            .collect());
    }
    let mut files = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            let found = below(argument)?;
            if found.is_empty() {
                let traces = traces_instead(argument);
                let place = argument.display();
                bail!("{place}: this directory holds no profile (*.{EXTENSION}){traces}");
            }
            files.extend(found);
        } else if is_image(argument) {
            files.push(of_image(argument)?);
        } else if let Some(why) = Uncounted::of(argument) {
            bail!("{}", why.text(argument));
        } else {
            files.push(argument.clone());
        }
    }
    Ok(files)
}

/// Returns the advice that a directory has traces, if it has some.
fn traces_instead(directory: &Path) -> String {
    let entries = directories::entries(directory).unwrap_or_default();
    let is_trace = |entry: &DirEntry| {
        entry.path().extension().is_some_and(|extension| extension == files::TRACE)
    };
    let found = entries.iter().find(|entry| is_trace(entry));
    let shown = found.map(|entry| {
        let path = entry.path();
        let path = path.strip_prefix(".").unwrap_or(&path).display().to_string();
        format!(", but a trace; `pathprof trace info {path}` says what is in it")
    });
    shown.unwrap_or_default()
}

/// Returns the profiles in `directory`, by name.
///
/// # Errors
/// The directory cannot be read.
pub fn in_directory(directory: &Path) -> Result<Vec<PathBuf>> {
    Ok(profiles_among(directories::entries(directory)?.iter().map(DirEntry::path)))
}

/// Returns the profiles in and below `directory`, by name.
fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let files: Result<Vec<_>> = directories::files_below(directory).into_iter().collect();
    Ok(profiles_among(files?.into_iter()))
}

/// Returns the profiles among these files, and those that raw files among them belong to: each
/// once, by name. A profile whose processes were all killed has only raw files.
fn profiles_among(files: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let is_profile = |path: &Path| path.extension().is_some_and(|extension| extension == EXTENSION);
    let found = files.map(|file| (profile_of(&file), file));
    let found = found.filter(|(profile, file)| is_profile(profile) && file.is_file());
    found.map(|(profile, _)| profile).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns true if this is the default profile of an image: it is beside the image, or in the
/// user's state directory.
pub fn is_default(profile: &Path) -> bool {
    let in_state = || {
        let state = state_directory().map(|state| state.join(files::STATE));
        state.is_some_and(|state| {
            fs::canonicalize(profile).is_ok_and(|profile| profile.starts_with(state))
        })
    };
    profile.extension().is_some_and(|extension| extension == EXTENSION)
        && (is_image(&profile.with_extension("")) || in_state())
}

/// Returns true if a file is an ELF image.
pub fn is_image(path: &Path) -> bool {
    let mut start = [0; 4];
    open::regular(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start == *b"\x7fELF"
}

/// Returns the default paths of the profile of an image: beside the image, or, if its runs may not
/// write there, in the user's state directory. There it may have another name, if the image was
/// executed from memory. Only the build-id identifies it then.
///
/// # Errors
/// There is no such file.
pub fn default_profiles(path: &Path) -> Result<Vec<PathBuf>> {
    let real = real_path(path).with_context(|| format!("{}", path.display()))?;
    let mut beside = real.clone().into_os_string();
    beside.push(format!(".{EXTENSION}"));
    let mut places = vec![PathBuf::from(beside)];
    if let (Some(state), Some(name), Ok(image)) =
        (state_directory(), real.file_name(), image::read(&real))
    {
        let build_id = if image.build_id.is_empty() {
            "no-build-id".into()
        } else {
            image::hexadecimal(&image.build_id)
        };
        let name = name.to_string_lossy();
        let state = state.join(files::STATE);
        places.push(state.join(format!("{name}-{build_id}/{name}.{EXTENSION}")));
        if !image.build_id.is_empty() {
            places.extend(under_other_names(&state, &format!("-{build_id}"), &name));
        }
    }
    Ok(places)
}

/// Returns the path of a file without links, or the path itself if it is too long for the system.
///
/// # Errors
/// There is no such file.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename && path.exists() => {
            Ok(path.to_path_buf())
        }
        result => result,
    }
}

/// Returns the profiles in the user's state directory that belong to this build-id, under other
/// names than `name`.
fn under_other_names(state: &Path, end: &str, name: &str) -> Vec<PathBuf> {
    let entries = directories::entries(state).unwrap_or_default();
    let profile = |entry: &DirEntry| {
        let folder = entry.file_name();
        let other = folder.to_str()?.strip_suffix(end).filter(|other| *other != name)?;
        Some(entry.path().join(format!("{other}.{EXTENSION}")))
    };
    entries.iter().filter_map(profile).collect()
}

/// Returns the profile that the runs of an image left.
fn of_image(path: &Path) -> Result<PathBuf> {
    let places = default_profiles(path)?;
    // Runs that may not write beside the program write to the state directory, so the last start
    // may be in either.
    let found = places
        .iter()
        .filter_map(|place| Some((written(place)?, place)))
        .rev()
        .max_by_key(|(time, _)| *time)
        .map(|(_, place)| place);
    // The remaining places, under other names, exist.
    let names: Vec<_> = places.iter().take(2).map(|place| place.display().to_string()).collect();
    if found.is_none() && arrays::is_traced(path) {
        bail!(
            "{}: this program is traced and has left no profile: `pathprof trace run` runs it, and \
             `pathprof trace info` says what is in the traces that it leaves (*.{})",
            path.display(),
            files::TRACE
        );
    }
    if found.is_none()
        && let Some(why) = Uncounted::of(path)
    {
        bail!("{} It has left no profile.", why.text(path));
    }
    let found = found.with_context(|| {
        let advice = if places.iter().any(|place| may_be_made(place)) {
            "run it first, or name the profile if PATHCC_PROFILE said where it goes"
        } else {
            "none can be made there, so what it counted is lost; run it with PATHCC_PROFILE=DIR, \
             a directory that may be written"
        };
        format!(
            "{}: this program has left no profile ({}); {advice}",
            path.display(),
            names.join(" or ")
        )
    })?;
    let here = env::current_dir()
        .ok()
        .and_then(|here| found.strip_prefix(here).map(Path::to_path_buf).ok());
    Ok(here.unwrap_or_else(|| found.clone()))
}

/// Returns true if this is an image whose runs can leave no profile, unless `PATHCC_PROFILE` names
/// one.
fn is_mute(path: &Path) -> bool {
    // Usually a profile can be made beside the image, so nothing needs to be read.
    let is_silent = |real: PathBuf| !may_be_made(&real) && is_image(path);
    real_path(path).is_ok_and(is_silent)
        && default_profiles(path).is_ok_and(|places| !places.iter().any(|place| may_be_made(place)))
}

/// Returns true if a file can be made, with the missing directories above it.
fn may_be_made(file: &Path) -> bool {
    let existing = file.ancestors().skip(1).find(|folder| folder.exists());
    let folder = existing.filter(|folder| !folder.as_os_str().is_empty());
    rustix::fs::access(folder.unwrap_or(Path::new(".")), Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// Returns the time of the last write to a profile or its raw files; `None` if there are none.
fn written(profile: &Path) -> Option<SystemTime> {
    let files = records::raw_files(profile).into_iter().chain([profile.to_path_buf()]);
    files.filter_map(|file| fs::metadata(file).ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_read_to_the_bottom() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).expect("writable");
        for name in [
            "x.pathprof",
            "a/y.pathprof",
            "a/b/.z.pathprof.7.raw",
            "a/b/.z.pathprof.8.raw",
            "a/other.raw",
        ] {
            fs::write(at(name), "").expect("writable");
        }
        fs::write(at("a/y"), "\x7fELF").expect("writable");
        assert_eq!(
            ["x.pathprof", "a/y.pathprof", "a/y"].map(|name| is_default(&at(name))),
            [false, true, false]
        );
        std::os::unix::fs::symlink(folder.path(), at("a/loop")).expect("writable");
        let expected = [at("a/b/z.pathprof"), at("a/y.pathprof"), at("x.pathprof")];
        assert_eq!(files(&[folder.path().to_path_buf()]).expect("readable"), expected);
        assert_eq!(in_directory(folder.path()).expect("readable"), [at("x.pathprof")]);
    }
}
