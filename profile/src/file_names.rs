//! The names of profiles and raw files, and their default directory.
//!
//! `process/src/target.rs` makes these names.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pathformat::{files, variables};

/// Returns the profile that the process of a raw file appends to. Returns `None` if `path` is not
/// the name of a raw file, which is `.PROFILE.PROCESS.raw`, `.PROFILE.PROCESS-NUMBER.raw` or, of a
/// standing one, `.PROFILE.standing-LAYOUT-NUMBER.raw`.
pub fn profile_of_raw(path: &Path) -> Option<PathBuf> {
    let (profile, _) = profile_and_owner(path)?;
    Some(path.with_file_name(OsStr::from_bytes(profile)))
}

/// Returns the names of the profile and of the owner in the name of a raw file: of its process, or
/// that of a standing file.
fn profile_and_owner(path: &Path) -> Option<(&[u8], &[u8])> {
    if path.extension()? != files::RAW {
        return None;
    }
    let name = path.file_stem()?.as_bytes().strip_prefix(files::HIDDEN.as_bytes())?;
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    let owner = &name[dot + 1..];
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_layout = |text: &[u8]| text.len() == 16 && text.iter().all(u8::is_ascii_hexdigit);
    let is_owner = match owner.strip_prefix(files::STANDING.as_bytes()) {
        Some(standing) => standing.split_at_checked(16).is_some_and(|(layout, number)| {
            is_layout(layout) && number.strip_prefix(b"-").is_some_and(is_number)
        }),
        None => owner.splitn(2, |&byte| byte == b'-').all(is_number),
    };
    is_owner.then_some((&name[..dot], owner))
}

/// Returns true if this is the name of a standing raw file.
pub fn is_standing(path: &Path) -> bool {
    profile_and_owner(path).is_some_and(|(_, owner)| owner.starts_with(files::STANDING.as_bytes()))
}

/// Returns the number in the name of a standing raw file.
pub fn standing_number(path: &Path) -> Option<u32> {
    let stem = path.file_stem().filter(|_| is_standing(path))?.to_str()?;
    stem.rsplit('-').next()?.parse().ok()
}

/// Returns the name of a standing raw file with another number.
pub fn with_standing_number(path: &Path, number: u32) -> Option<OsString> {
    let stem = path.file_stem().filter(|_| is_standing(path))?.as_bytes();
    let before = stem.iter().rposition(|&byte| byte == b'-')?;
    let mut name = OsString::from_vec(stem[..=before].to_vec());
    name.push(format!("{number}.{}", files::RAW));
    Some(name)
}

/// Returns the profile itself, or the profile of a raw file.
pub fn profile_of(path: &Path) -> PathBuf {
    profile_of_raw(path).unwrap_or_else(|| path.to_path_buf())
}

/// Returns the directory of the user's state, by the rules of the runtime.
pub fn state_directory() -> Option<PathBuf> {
    let absolute =
        |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(variables::STATE_HOME)
        .or_else(|| Some(absolute(variables::HOME)?.join(files::STATE_IN_HOME)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_standing_file_is_in_its_name() {
        let path = Path::new("a/.x.y.standing-0123456789abcdef-10.raw");
        assert_eq!(
            (standing_number(path), standing_number(Path::new(".x.7-2.raw"))),
            (Some(10), None)
        );
        let other = with_standing_number(path, 64).expect("a standing file");
        assert_eq!(other, ".x.y.standing-0123456789abcdef-64.raw");
    }

    #[test]
    fn the_name_of_a_raw_file_says_whose_it_is() {
        let finished = |name: &str| profile_of_raw(Path::new(name));
        assert_eq!(finished("a/.x.pathprof.7.raw"), Some("a/x.pathprof".into()));
        assert_eq!(finished(".x.y.123-4.raw"), Some("x.y".into()));
        assert_eq!(finished(".x.y.standing-0123456789abcdef-10.raw"), Some("x.y".into()));
        for other in [
            ".x.pathprof",
            "x.pathprof.7.raw",
            ".x.pathprof.raw",
            ".x.7-.raw",
            ".x.-7.raw",
            ".7.raw",
            ".x.7-8-9.raw",
            ".x.standing-7.raw",
            ".x.standing-0123456789abcdeg-1.raw",
            ".x.standing-0123456789abcdef-.raw",
        ] {
            assert_eq!(finished(other), None, "{other}");
        }
    }
}
