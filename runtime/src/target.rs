//! Where to write: from the pattern and what was so at the start to an absolute path in a directory that exists.

use crate::environment::Environment;
use crate::pattern::{self, Facts};
use crate::sys::{self, Kind, Names};
use crate::text::Path;

/// A place for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is none.
    Nowhere,
    /// Something stands there already.
    Taken,
    /// Nothing stands there.
    Free,
}

/// What devices are called. Nothing of ours belongs beside them.
const DEVICES: &[u8] = b"/dev/";

/// What raw files' names begin with, so that whoever empties or removes all files of a directory does not hit counters that
/// are in use, and what they end in.
const RAW: (u8, &[u8]) = (b'.', b".raw");

/// A process that was killed keeps its name; after so many of them we give up.
const MOST_NAMES: u32 = 1 << 24;

/// Writes the absolute path of the profile to `out` and makes its directory. `scratch` is room to work in. The `number`
/// tells files apart that would have one name, from 1.
///
/// A forked child whose name would be its parent's has its process in it.
pub(crate) fn resolve(environment: &Environment, number: u32, out: &mut Path, scratch: &mut Path) -> Found {
    out.clear();
    put_base(environment, out);
    if !out.as_bytes().ends_with(b"/") && may_enter(out, scratch) {
        out.push(b'/');
    }
    if out.as_bytes().ends_with(b"/") {
        pattern::expand(pattern::DEFAULT, &facts(environment, &Names::new()), out);
    } else if environment.forked() && !pattern::tells_process(environment.origin.pattern.as_bytes()) {
        insert(b'.', sys::process(), out, scratch);
    }
    if number > 1 {
        insert(b'-', number, out, scratch);
    }
    let unknown_directory = environment.origin.directory.as_bytes().is_empty();
    if out.overflowed()
        || (unknown_directory && !environment.origin.pattern.as_bytes().starts_with(b"/"))
        || out.as_bytes().starts_with(DEVICES)
    {
        return Found::Nowhere;
    }
    if environment.origin.place(out).is_some_and(|place| !place.is_inside()) {
        make_parents(out.as_bytes(), scratch);
    }
    match environment.origin.place(out).map(sys::kind_of_entry) {
        Some(Kind::Nothing) => Found::Free,
        Some(_) => Found::Taken,
        None => Found::Nowhere,
    }
}

/// Says once for all that a pattern without a slash at its end names a directory, if it does: later the program may have
/// another root.
pub(crate) fn settle(environment: &mut Environment) {
    if !environment.origin.pattern.as_bytes().ends_with(b"/") {
        let [mut out, mut scratch] = [Path::new(), Path::new()];
        put_base(environment, &mut out);
        if may_enter(&mut out, &mut scratch) {
            environment.origin.pattern.push(b'/');
        }
    }
}

/// Appends the pattern's path, without what a directory or a fork add to it.
fn put_base(environment: &Environment, out: &mut Path) {
    let names = Names::new();
    if !environment.origin.pattern.as_bytes().starts_with(b"/") {
        out.push_all(environment.origin.directory.as_bytes());
        out.push(b'/');
    }
    pattern::expand(environment.origin.pattern.as_bytes(), &facts(environment, &names), out);
}

fn facts<'a>(environment: &'a Environment, names: &'a Names) -> Facts<'a> {
    let (image, build_id) = (environment.image.as_bytes(), environment.build_id.as_bytes());
    Facts { image, process: sys::process(), host: names.host(), build_id }
}

/// Whether a path names a directory in which the profile shall be. Where everybody can make directories, that of another user
/// is a trap.
fn may_enter(path: &mut Path, parent: &mut Path) -> bool {
    let Some(Kind::Directory { owner, .. }) = path.as_path().map(sys::kind) else { return false };
    if owner == 0 || owner == sys::user() {
        return true;
    }
    parent.clear();
    parent.push_all(path.as_bytes().get(..directory_length(path.as_bytes())).unwrap_or_default());
    !matches!(parent.as_path().map(sys::kind), None | Some(Kind::Directory { open: true, .. }))
}

/// Writes the path of a profile that neither exists nor is about to be written to `out`, and that of its raw file to `raw`.
/// Gives its number, at least `first`. Another process may be faster.
///
/// A directory may hold thousands of processes of one number; so the numbers are tried in strides.
pub(crate) fn free(environment: &Environment, first: u32, out: &mut Path, raw: &mut Path) -> Option<u32> {
    let mut find = |number| match resolve(environment, number, out, raw) {
        Found::Nowhere => None,
        found => {
            raw_name(out, raw);
            let free =
                environment.origin.place(raw).map(sys::kind_of_entry) == Some(Kind::Nothing) && found == Found::Free;
            (!raw.overflowed()).then_some(free)
        }
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

/// From the path of a profile to that of its raw file.
fn raw_name(profile: &Path, raw: &mut Path) {
    let (directory, name) = profile.as_bytes().split_at(directory_length(profile.as_bytes()));
    raw.clear();
    raw.push_all(directory);
    raw.push(RAW.0);
    raw.push_all(name);
    raw.push_all(RAW.1);
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

/// The length of the part of a path that names its directory, with the slash.
pub(crate) fn directory_length(path: &[u8]) -> usize {
    path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

/// Makes the directories above a path, from the top, unless the last of them exists.
fn make_parents(path: &[u8], parent: &mut Path) {
    parent.clear();
    parent.push_all(path.get(..directory_length(path)).unwrap_or_default());
    if parent.as_path().is_none_or(|directory| matches!(sys::kind(directory), Kind::Directory { .. })) {
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

    fn resolved(environment: &Environment, number: u32) -> Option<String> {
        let mut out = Path::new();
        let found = resolve(environment, number, &mut out, &mut Path::new());
        (found != Found::Nowhere).then(|| String::from_utf8(out.as_bytes().to_vec()).expect("ASCII"))
    }

    fn environment(directory: &str, pattern: &str) -> Box<Environment> {
        let mut environment = Box::new(Environment::new());
        environment.image.push_all(b"/bin/demo");
        environment.build_id.push(0xab);
        environment.origin.directory.push_all(directory.as_bytes());
        environment.origin.pattern.push_all(pattern.as_bytes());
        environment
    }

    #[test]
    fn patterns_become_absolute_paths_in_directories_that_exist() {
        let root = std::env::temp_dir().join(format!("pathrt-target-{}", std::process::id()));
        fs::create_dir_all(root.join("dir")).expect("the temporary directory is writable");
        fs::write(root.join("old.pathprof"), "old").expect("writable");
        std::os::unix::fs::symlink("/dev/null", root.join("link")).expect("writable");
        let at = root.to_str().expect("UTF-8");
        let process = std::process::id();
        let default = format!("demo.{process}.pathprof");

        let of = |pattern: &str| resolved(&environment(at, pattern), 1);
        assert_eq!(of("%e.%p.pathprof"), Some(format!("{at}/{default}")));
        assert_eq!(of("dir"), Some(format!("{at}/dir/{default}")));
        assert_eq!(of("new/deep/"), Some(format!("{at}/new/deep/{default}")));
        assert!(root.join("new/deep").is_dir());
        assert_eq!(of(&format!("{at}/x/%b")), Some(format!("{at}/x/ab")));
        assert!(root.join("x").is_dir());
        assert_eq!(of("old.pathprof"), Some(format!("{at}/old.pathprof")));
        assert_eq!(of("link"), Some(format!("{at}/link")));
        assert_eq!(of("/dev/null"), None);
        assert_eq!(of(&"d/".repeat(3000)), None);
        assert_eq!(resolved(&environment("", "relative"), 1), None);
        assert_eq!(resolved(&environment("", &format!("{at}/absolute")), 1), Some(format!("{at}/absolute")));

        let second = |pattern: &str| resolved(&environment(at, pattern), 2);
        assert_eq!(second("%e.pathprof"), Some(format!("{at}/demo-2.pathprof")));
        assert_eq!(second("x.prof"), Some(format!("{at}/x.prof-2")));
        let child = |pattern: &str, number: u32| {
            let mut environment = environment(at, pattern);
            environment.origin.flags = pathformat::profile::FORKED;
            resolved(&environment, number)
        };
        assert_eq!(child("%e.pathprof", 1), Some(format!("{at}/demo.{process}.pathprof")));
        assert_eq!(child("%e.pathprof", 3), Some(format!("{at}/demo.{process}-3.pathprof")));
        assert_eq!(child("x-%p.pathprof", 1), Some(format!("{at}/x-{process}.pathprof")));
        assert_eq!(child("dir", 1), Some(format!("{at}/dir/{default}")));
        fs::remove_dir_all(root).expect("ours");
    }

    #[test]
    fn a_name_that_anything_has_is_never_used() {
        let root = std::env::temp_dir().join(format!("pathrt-free-{}", std::process::id()));
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        let at = root.to_str().expect("UTF-8");
        let found = || {
            let (mut out, mut raw) = (Path::new(), Path::new());
            let number = free(&environment(at, "x.pathprof"), 1, &mut out, &mut raw);
            let name = |path: &Path| String::from_utf8_lossy(path.as_bytes()).rsplit('/').next().map(str::to_owned);
            (number, name(&out).expect("a name"), name(&raw).expect("a name"))
        };
        assert_eq!(found(), (Some(1), "x.pathprof".into(), ".x.pathprof.raw".into()));
        fs::write(root.join("x.pathprof"), "").expect("writable");
        assert_eq!(found(), (Some(2), "x-2.pathprof".into(), ".x-2.pathprof.raw".into()));
        std::os::unix::fs::symlink("/dev/null", root.join("x-2.pathprof")).expect("writable");
        fs::write(root.join(".x-3.pathprof.raw"), "").expect("writable");
        make_pipe(&root.join("x-4.pathprof"));
        for number in 5..100 {
            fs::write(root.join(format!("x-{number}.pathprof")), "").expect("writable");
        }
        assert_eq!(found().0, Some(100));
        fs::remove_dir_all(root).expect("ours");
    }

    fn make_pipe(path: &std::path::Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
    }
}
