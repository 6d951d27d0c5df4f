//! The path of the profile: an absolute path in a directory that exists, from the pattern and from
//! the state at the start of the process.
//!
//! A profile is a file to which any number of processes append. By default it is beside the
//! program, because files in the current directory disturb programs that count or remove the files
//! there. The raw file of each process is a hidden file beside the profile. It has no directory of
//! its own, since such a directory would need an owner, a mode, and a program that removes it.

use pathformat::files;

use crate::environment::Environment;
use crate::pattern::{self, Facts, Keeping};
use crate::proc::{self, Library};
use crate::sys::{self, FileKind, Names};
use crate::text::{Path, directory_length};

/// The directory of devices. No profile belongs beside them, …
const DEVICES: &[u8] = b"/dev/";

/// … but this directory is a file system like any other.
const MEMORY: &[u8] = b"/dev/shm/";

/// The largest number of raw files of one name. A process that was killed keeps the name of its raw
/// file.
const MOST_NAMES: u32 = 1 << 24;

/// Writes the absolute path of the profile to `out` and makes its directory. Returns false if there
/// is no place for it. `scratch` is scratch space. `number`, from 1, distinguishes files that would
/// have one name.
pub fn resolve(environment: &Environment, number: u32, out: &mut Path, scratch: &mut Path) -> bool {
    out.clear();
    put_base(environment, out);
    if !out.as_bytes().ends_with(b"/") && may_enter(out, scratch) {
        out.push(b'/');
    }
    if out.as_bytes().ends_with(b"/") {
        pattern::expand(files::IN_DIRECTORY, &facts(environment, &Names::new()), out);
    }
    if number > 1 {
        insert(b'-', number, out, scratch);
    }
    let unknown_directory = environment.origin.directory.as_bytes().is_empty();
    if out.overflowed()
        || is_beside_nothing(environment)
        || !out.as_bytes().starts_with(b"/")
        || (unknown_directory && !pattern::is_absolute(environment.origin.pattern.as_bytes()))
        || out.as_bytes().starts_with(DEVICES) && !out.as_bytes().starts_with(MEMORY)
    {
        return false;
    }
    let Some(place) = environment.origin.place(out) else { return false };
    if !place.is_inside() {
        make_parents(out.as_bytes(), scratch);
    }
    true
}

/// Completes the pattern of the profile's path. It must happen at the start, because the program
/// may change its root later.
///
/// The user's pattern comes first, then `chosen`, which is the pattern of the build or empty.
/// Without either, the profile goes beside the program, or to the directory for the user's state if
/// no file can be made beside the program. A profile beside a program that is in no directory goes
/// there too. A pattern of the user's that names a directory gets a slash at its end.
pub fn settle(environment: &mut Environment, chosen: &[u8], library: &impl Library) {
    let [mut path, mut scratch] = [Path::new(), Path::new()];
    let is_given = !environment.origin.pattern.as_bytes().is_empty();
    let (keeping, length) = pattern::keeping(chosen);
    let chosen = chosen.get(length..).unwrap_or_default();
    if !is_given && environment.origin.keeping == Keeping::AsNeeded {
        environment.origin.keeping = keeping;
    }
    if !is_given && pattern::is_off(chosen) {
        return environment.origin.turn_off();
    }
    if !is_given {
        let pattern = if chosen.is_empty() { files::BESIDE_PROGRAM } else { chosen };
        environment.origin.pattern.push_all(pattern);
    }
    let is_nowhere = is_beside_nothing(environment)
        || !is_given && chosen.is_empty() && !may_write_beside(environment.program(), &mut path);
    path.clear();
    if is_nowhere {
        put_state_pattern(&mut environment.origin.pattern, &mut path, &mut scratch, library);
    } else if is_given {
        put_base(environment, &mut path);
        if !path.as_bytes().ends_with(b"/") && may_enter(&mut path, &mut scratch) {
            environment.origin.pattern.push(b'/');
        }
    }
}

/// Moves the profile to the directory for the user's state, if it was to be beside the program by
/// default. Returns false if that is not possible. Some systems refuse a file only when it is
/// created.
pub fn retreat(environment: &mut Environment, library: &impl Library) -> bool {
    let pattern = &mut environment.origin.pattern;
    if pattern.as_bytes() != files::BESIDE_PROGRAM {
        return false;
    }
    let [mut path, mut scratch] = [Path::new(), Path::new()];
    put_state_pattern(pattern, &mut path, &mut scratch, library);
    pattern.as_bytes() != files::BESIDE_PROGRAM
}

fn is_beside_nothing(environment: &Environment) -> bool {
    pattern::is_beside_nothing(environment.origin.pattern.as_bytes(), environment.program())
}

/// Replaces the pattern by that of a path in the directory for the user's state, if there is such a
/// directory. `directory` and `scratch` are scratch space.
fn put_state_pattern(
    pattern: &mut Path,
    directory: &mut Path,
    scratch: &mut Path,
    library: &impl Library,
) {
    directory.clear();
    if !proc::read_state_directory(directory, scratch, library) {
        return;
    }
    pattern.clear();
    for &byte in directory.as_bytes() {
        pattern.push_all(if byte == b'%' { b"%%" } else { core::slice::from_ref(&byte) });
    }
    pattern.push_all(files::IN_STATE);
}

/// Returns true if files can be created in the directory of a program.
fn may_write_beside(program: &[u8], directory: &mut Path) -> bool {
    directory.clear();
    directory.push_all(program.get(..directory_length(program)).unwrap_or_default());
    directory.as_path().is_some_and(sys::may_write_in)
}

/// Appends the path of the pattern, without the parts that a directory or a fork add to it.
fn put_base(environment: &Environment, out: &mut Path) {
    let names = Names::new();
    if !pattern::is_absolute(environment.origin.pattern.as_bytes()) {
        out.push_all(environment.origin.directory.as_bytes());
        out.push(b'/');
    }
    pattern::expand(environment.origin.pattern.as_bytes(), &facts(environment, &names), out);
}

fn facts<'a>(environment: &'a Environment, names: &'a Names) -> Facts<'a> {
    let (image, build_id) = (environment.image.as_bytes(), environment.build_id.as_bytes());
    Facts {
        program: environment.program(),
        image,
        process: sys::process(),
        host: names.host(),
        build_id,
    }
}

/// Returns true if a path names a directory in which the profile shall be. Where every user can
/// make directories, a directory of another user is a trap.
fn may_enter(path: &mut Path, parent: &mut Path) -> bool {
    let Some(FileKind::Directory { owner, .. }) = path.as_path().map(sys::kind) else {
        return false;
    };
    if owner == 0 || owner == sys::user() {
        return true;
    }
    parent.clear();
    parent.push_all(path.as_bytes().get(..directory_length(path.as_bytes())).unwrap_or_default());
    !matches!(parent.as_path().map(sys::kind), None | Some(FileKind::Directory { open: true, .. }))
}

/// Writes the path of a raw file that does not exist to `raw`. Returns its number, at least
/// `first`. `profile` is the path of its profile. Another process may create the file first.
///
/// A directory may hold the files of thousands of killed processes of one number, so the numbers
/// are tried in strides.
pub fn free_raw(
    environment: &Environment,
    first: u32,
    profile: &Path,
    raw: &mut Path,
) -> Option<u32> {
    let mut find = |number| {
        raw_name(profile, number, raw);
        let place = environment.origin.place(raw)?;
        Some(sys::kind_of_entry(place) == FileKind::Nothing)
    };
    let (mut taken, mut stride) = (first.saturating_sub(1), 1);
    let mut found = loop {
        let number = taken + stride;
        if number > MOST_NAMES {
            return None;
        }
        if find(number)? {
            break number;
        }
        (taken, stride) = (number, stride * 2);
    };
    while found - taken > 1 {
        let middle = taken + (found - taken) / 2;
        if find(middle)? {
            found = middle;
        } else {
            taken = middle;
        }
    }
    find(found)?;
    Some(found)
}

/// Turns the path of a profile into that of this process's raw file with a number:
/// `.NAME.PROCESS.raw`, `.NAME.PROCESS-2.raw` ...
fn raw_name(profile: &Path, number: u32, raw: &mut Path) {
    hidden_name(profile, raw, |raw| {
        raw.push_decimal(sys::process());
        if number > 1 {
            raw.push(b'-');
            raw.push_decimal(number);
        }
    });
}

/// Turns the path of a profile into that of a standing raw file with a number, for processes that
/// may take each other's: `.NAME.standing-LAYOUT-0.raw` ...
pub fn standing_name(profile: &Path, layout: u64, number: u32, raw: &mut Path) {
    hidden_name(profile, raw, |raw| {
        raw.push_all(files::STANDING.as_bytes());
        raw.push_hexadecimal(&layout.to_be_bytes());
        raw.push(b'-');
        raw.push_decimal(number);
    });
}

fn hidden_name(profile: &Path, raw: &mut Path, put_owner: impl FnOnce(&mut Path)) {
    let (directory, name) = profile.as_bytes().split_at(directory_length(profile.as_bytes()));
    raw.clear();
    raw.push_all(directory);
    raw.push_all(files::HIDDEN.as_bytes());
    raw.push_all(name);
    raw.push(b'.');
    put_owner(raw);
    raw.push(b'.');
    raw.push_all(files::RAW.as_bytes());
}

/// Inserts a mark and a number before the extension.
fn insert(mark: u8, number: u32, out: &mut Path, scratch: &mut Path) {
    scratch.clear();
    scratch.push_all(out.as_bytes());
    let stem = pattern::stem_length(scratch.as_bytes());
    out.truncate(stem);
    out.push(mark);
    out.push_decimal(number);
    out.push_all(scratch.as_bytes().get(stem..).unwrap_or_default());
}

/// Makes the directories above a path, from the top, unless the last of them exists.
fn make_parents(path: &[u8], parent: &mut Path) {
    parent.clear();
    parent.push_all(path.get(..directory_length(path)).unwrap_or_default());
    if parent
        .as_path()
        .is_none_or(|directory| matches!(sys::kind(directory), FileKind::Directory { .. }))
    {
        return;
    }
    parent.clear();
    for &byte in path {
        if byte == b'/'
            && !parent.as_bytes().is_empty()
            && let Some(directory) = parent.as_path()
        {
            sys::make_directory(directory);
        }
        parent.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::proc::NoLibrary;

    fn resolved(environment: &Environment, number: u32) -> Option<String> {
        let mut out = Path::new();
        let found = resolve(environment, number, &mut out, &mut Path::new());
        found.then(|| String::from_utf8(out.as_bytes().to_vec()).expect("ASCII"))
    }

    fn environment(directory: &str, pattern: &str) -> Box<Environment> {
        let mut environment = Box::new(Environment::new());
        environment.image.push_all(b"/bin/demo");
        environment.build_id.push(0xab);
        environment.origin.directory.push_all(directory.as_bytes());
        environment.origin.pattern.push_all(pattern.as_bytes());
        environment
    }

    fn chosen(pattern: &str) -> (bool, String) {
        let mut environment = environment("", "");
        environment.origin.turn_on();
        settle(&mut environment, pattern.as_bytes(), &NoLibrary);
        let pattern = environment.origin.pattern.as_bytes().to_vec();
        (environment.enabled(), String::from_utf8(pattern).expect("ASCII"))
    }

    fn settled(program: &str) -> String {
        let mut environment = environment("", "");
        environment.origin.program.push_all(program.as_bytes());
        settle(&mut environment, b"", &NoLibrary);
        String::from_utf8(environment.origin.pattern.as_bytes().to_vec()).expect("ASCII")
    }

    #[test]
    fn patterns_become_absolute_paths_in_directories_that_exist() {
        let root = std::env::temp_dir().join(format!("pathrt-target-{}", std::process::id()));
        fs::create_dir_all(root.join("dir")).expect("the temporary directory is writable");
        fs::write(root.join("old.pathprof"), "old").expect("writable");
        std::os::unix::fs::symlink("/dev/null", root.join("link")).expect("writable");
        let at = root.to_str().expect("UTF-8");
        let process = std::process::id();

        let of = |pattern: &str| resolved(&environment(at, pattern), 1);
        assert_eq!(of("%e.%p.pathprof"), Some(format!("{at}/demo.{process}.pathprof")));
        assert_eq!(of("dir"), Some(format!("{at}/dir/demo.pathprof")));
        assert_eq!(of("new/deep/"), Some(format!("{at}/new/deep/demo.pathprof")));
        assert!(root.join("new/deep").is_dir());
        assert_eq!(of(&format!("{at}/x/%b")), Some(format!("{at}/x/ab")));
        assert!(root.join("x").is_dir());
        assert_eq!(of("old.pathprof"), Some(format!("{at}/old.pathprof")));
        assert_eq!(of("link"), Some(format!("{at}/link")));
        assert_eq!(of("%f.pathprof"), Some("/bin/demo.pathprof".into()));
        assert_eq!(of("/dev/null"), None);
        assert_eq!(of("/dev/shm/x.pathprof"), Some("/dev/shm/x.pathprof".into()));
        assert_eq!(of(&"d/".repeat(3000)), None);
        assert_eq!(resolved(&environment("", "relative"), 1), None);
        assert_eq!(
            resolved(&environment("", &format!("{at}/absolute")), 1),
            Some(format!("{at}/absolute"))
        );
        assert_eq!(resolved(&environment("", "%f"), 1), Some("/bin/demo".into()));

        let second = |pattern: &str| resolved(&environment(at, pattern), 2);
        assert_eq!(second("%e.pathprof"), Some(format!("{at}/demo-2.pathprof")));
        assert_eq!(second("x.prof"), Some(format!("{at}/x.prof-2")));
        fs::remove_dir_all(root).expect("ours");
    }

    #[test]
    fn profiles_stand_beside_the_program_or_with_the_user() {
        let program = std::env::temp_dir().join("demo");
        assert_eq!(settled(program.to_str().expect("UTF-8")), "%f.pathprof");
        let state = settled("/proc/sys/demo");
        assert_eq!(chosen("off"), (false, String::new()));
        assert_eq!(chosen("/x/%e"), (true, "/x/%e".into()));
        assert!(
            state.starts_with('/') && state.ends_with("/pathprof/%e-%b/%e.pathprof"),
            "{state}"
        );
    }

    #[test]
    fn a_raw_file_has_a_name_that_nothing_else_has() {
        let root = std::env::temp_dir().join(format!("pathrt-free-{}", std::process::id()));
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        let at = root.to_str().expect("UTF-8");
        let process = std::process::id();
        let found = || {
            let (mut profile, mut raw) = (Path::new(), Path::new());
            profile.push_all(format!("{at}/x.pathprof").as_bytes());
            let number = free_raw(&environment(at, "x.pathprof"), 1, &profile, &mut raw);
            (
                number,
                String::from_utf8_lossy(raw.as_bytes())
                    .rsplit('/')
                    .next()
                    .map(str::to_owned)
                    .expect("a name"),
            )
        };
        assert_eq!(found(), (Some(1), format!(".x.pathprof.{process}.raw")));
        fs::write(root.join(format!(".x.pathprof.{process}.raw")), "").expect("writable");
        assert_eq!(found(), (Some(2), format!(".x.pathprof.{process}-2.raw")));
        std::os::unix::fs::symlink("/dev/null", root.join(format!(".x.pathprof.{process}-2.raw")))
            .expect("writable");
        for number in 3..100 {
            fs::write(root.join(format!(".x.pathprof.{process}-{number}.raw")), "")
                .expect("writable");
        }
        assert_eq!(found().0, Some(100));
        fs::remove_dir_all(root).expect("ours");
    }
}
