//! Where to write: from the pattern and what was so at the start to an absolute path in a directory that exists.

use crate::environment::Environment;
use crate::pattern::{self, Facts};
use crate::sys::{self, Kind, Names};
use crate::text::Path;

/// Writes the absolute path of the file to `out` and makes its directory; false if there is no such place. `scratch`
/// is room to work in. The `number` tells files apart that would have one name, from 1.
///
/// A forked child whose name would be its parent's has its process in it.
///
/// Never a device, a pipe or a symbolic link that is already there: replacing `/dev/null` would hurt others.
pub(crate) fn resolve(environment: &Environment, number: u32, out: &mut Path, scratch: &mut Path) -> bool {
    let names = Names::new();
    let image = environment.image.as_bytes();
    let facts = Facts { image, process: sys::process(), host: names.host(), build_id: environment.build_id.as_bytes() };

    out.clear();
    if !environment.pattern.as_bytes().starts_with(b"/") {
        out.push_all(environment.directory.as_bytes());
        out.push(b'/');
    }
    pattern::expand(environment.pattern.as_bytes(), &facts, out);
    if !out.as_bytes().ends_with(b"/") && out.as_path().is_some_and(|path| sys::kind(path) == Kind::Directory) {
        out.push(b'/');
    }
    if out.as_bytes().ends_with(b"/") {
        pattern::expand(pattern::DEFAULT, &facts, out);
    } else if environment.forked() && !pattern::tells_process(environment.pattern.as_bytes()) {
        insert(b'.', sys::process(), out, scratch);
    }
    if number > 1 {
        insert(b'-', number, out, scratch);
    }
    let unknown_directory = environment.directory.as_bytes().is_empty();
    if out.overflowed() || (unknown_directory && !environment.pattern.as_bytes().starts_with(b"/")) {
        return false;
    }
    make_parents(out.as_bytes(), scratch);
    out.as_path().is_some_and(|path| matches!(sys::kind_of_entry(path), Kind::Nothing | Kind::Regular))
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
    if parent.as_path().is_none_or(|directory| sys::kind(directory) == Kind::Directory) {
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
        found.then(|| String::from_utf8(out.as_bytes().to_vec()).expect("ASCII"))
    }

    fn environment(directory: &str, pattern: &str) -> Box<Environment> {
        let mut environment = Box::new(Environment::new());
        environment.image.push_all(b"/bin/demo");
        environment.build_id.push(0xab);
        environment.directory.push_all(directory.as_bytes());
        environment.pattern.push_all(pattern.as_bytes());
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
        assert_eq!(of("link"), None);
        assert_eq!(of("/dev/null"), None);
        assert_eq!(of(&"d/".repeat(3000)), None);
        assert_eq!(resolved(&environment("", "relative"), 1), None);
        assert_eq!(resolved(&environment("", &format!("{at}/absolute")), 1), Some(format!("{at}/absolute")));

        let second = |pattern: &str| resolved(&environment(at, pattern), 2);
        assert_eq!(second("%e.pathprof"), Some(format!("{at}/demo-2.pathprof")));
        assert_eq!(second("x.prof"), Some(format!("{at}/x.prof-2")));
        let child = |pattern: &str, number: u32| {
            let mut environment = environment(at, pattern);
            environment.fork();
            resolved(&environment, number)
        };
        assert_eq!(child("%e.pathprof", 1), Some(format!("{at}/demo.{process}.pathprof")));
        assert_eq!(child("%e.pathprof", 3), Some(format!("{at}/demo.{process}-3.pathprof")));
        assert_eq!(child("x-%p.pathprof", 1), Some(format!("{at}/x-{process}.pathprof")));
        assert_eq!(child("dir", 1), Some(format!("{at}/dir/{default}")));
        fs::remove_dir_all(root).expect("ours");
    }
}
