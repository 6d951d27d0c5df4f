//! Finds the profiles that a pattern may name, as `PATHCC_PROFILE` holds it.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use pathformat::files::EXTENSION;
use profile::directories;
use profile::file_names::profile_of;

use crate::launch::lookup::find_program;

/// The runtime's environment variable for the pattern.
pub(crate) use pathformat::variables::PROFILE as VARIABLE;
use pathformat::variables::split_pattern;

/// Returns the pattern in the environment, without what stands in front of it; `None` if it is
/// empty.
pub(crate) fn of_environment() -> Option<OsString> {
    let value = env::var_os(VARIABLE)?;
    let (_, pattern) = split_pattern(value.as_bytes());
    Some(OsStr::from_bytes(pattern).to_os_string()).filter(|pattern| !pattern.is_empty())
}

/// The value of the variable that means "in this directory, under the default name", with what
/// stands in front of the value in the environment.
pub(crate) fn in_directory(directory: &Path) -> OsString {
    let value = env::var_os(VARIABLE).unwrap_or_default();
    below(split_pattern(value.as_bytes()).0, directory)
}

fn below(front: &[u8], directory: &Path) -> OsString {
    let mut bytes = front.to_vec();
    for &byte in directory.as_os_str().as_bytes() {
        bytes.extend(if byte == b'%' { b"%%".as_slice() } else { std::slice::from_ref(&byte) });
    }
    bytes.push(b'/');
    OsString::from_vec(bytes)
}

/// The files that a pattern may name.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Directories to search, each with the number of directories between it and a file; `None`
    /// means any number.
    places: Vec<(PathBuf, Option<usize>)>,
    /// A glob that the paths of profiles match, relative to the directory that is searched, without
    /// the extension.
    stem: String,
    /// The extension with its dot, if the pattern has it.
    extension: String,
}

impl Pattern {
    /// Reads a value of the variable. Each placeholder may stand for anything.
    ///
    /// `%f` is the path of the program that runs. If a pattern begins with it, profiles are looked
    /// for beside `program`. They are also looked for in the current directory and below, where the
    /// programs are that a test suite starts.
    pub(crate) fn of(pattern: &OsStr, program: &OsStr) -> Self {
        let mut bytes = pattern.as_bytes().to_vec();
        if Path::new(pattern).is_dir() && !bytes.ends_with(b"/") {
            bytes.push(b'/');
        }
        if bytes.ends_with(b"/") {
            bytes.extend(b"%e.pathprof");
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let fixed = text.find('%').unwrap_or(text.len());
        let (top, rest) = text.split_at(text[..fixed].rfind('/').map_or(0, |slash| slash + 1));
        let extension = format!(".{EXTENSION}");
        let (stem, extension) = match rest.strip_suffix(&extension) {
            Some(stem) => (stem, extension.as_str()),
            None => (rest, ""),
        };
        let (mut glob, mut has_program) = (String::new(), false);
        let mut letters = stem.chars();
        while let Some(c) = letters.next() {
            match c {
                '%' => match letters.next() {
                    Some('%') => glob.push('%'),
                    Some('f') => {
                        // It begins with a slash.
                        glob.push_str(if glob.is_empty() || glob.ends_with('/') {
                            "**/*"
                        } else {
                            "/**/*"
                        });
                        has_program = true;
                    }
                    _ => glob.push('*'),
                },
                '*' | '?' | '[' | ']' | '{' | '}' | '!' | '\\' => glob.extend(['\\', c]),
                _ => glob.push(c),
            }
        }
        // What tells files of one name apart stands before the extension.
        if !glob.ends_with("/*") {
            glob.push('*');
        }
        let between = rest.matches('/').count();
        let top = PathBuf::from(if top.is_empty() { "." } else { top });
        let places = if text.starts_with("%f") {
            let beside = directory_of_program(program).map(|directory| (directory, Some(between)));
            beside.into_iter().chain([(top, None)]).collect()
        } else {
            vec![(top, if has_program { None } else { Some(between) })]
        };
        Self { places, stem: glob, extension: extension.into() }
    }

    /// The profiles that exist.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.matching(&format!("{}{}", self.stem, self.extension))
    }

    /// The files that exist whose names have something else in place of a profile's extension, and
    /// then this one.
    pub(crate) fn files_ending_in(&self, extension: &str) -> Vec<PathBuf> {
        self.matching(&format!("{}.{extension}", self.stem))
    }

    /// The files that match a glob.
    fn matching(&self, glob: &str) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        for (top, between) in &self.places {
            let mut files = Vec::new();
            match between {
                Some(between) => search(top, *between, &mut files),
                None => files.extend(directories::files_below(top).into_iter().flatten()),
            }
            for file in files {
                let profile = profile_of(&file);
                let below = profile.strip_prefix(top).unwrap_or(&profile).to_string_lossy();
                if glob_match::glob_match(glob, &below) && file.is_file() {
                    found.insert(profile.strip_prefix(".").unwrap_or(&profile).to_path_buf());
                }
            }
        }
        found.into_iter().collect()
    }
}

/// The directory of a program, unless it is below the current one.
fn directory_of_program(program: &OsStr) -> Option<PathBuf> {
    let path = fs::canonicalize(find_program(program)?).ok()?;
    let here = env::current_dir().and_then(fs::canonicalize).ok();
    let is_below = here.is_some_and(|here| path.starts_with(here));
    path.parent().filter(|_| !is_below).map(Path::to_path_buf)
}

/// Finds what lies below `directory`, with `between` directories in between. Symbolic links are
/// followed.
fn search(directory: &Path, between: usize, found: &mut Vec<PathBuf>) {
    for path in directories::entries(directory).into_iter().flatten().map(|entry| entry.path()) {
        if between > 0 && path.is_dir() {
            search(&path, between - 1, found);
        } else {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_not_patterns() {
        assert_eq!(below(b"", Path::new("/tmp/50%e")), "/tmp/50%%e/");
    }

    #[test]
    fn how_files_are_kept_is_no_part_of_a_name() {
        assert_eq!(split_pattern(b"standing:/x/%e"), (&b"standing:"[..], &b"/x/%e"[..]));
        assert_eq!(split_pattern(b"single:"), (&b"single:"[..], &b""[..]));
        assert_eq!(split_pattern(b"./single:x"), (&b""[..], &b"./single:x"[..]));
        assert_eq!(below(b"single:", Path::new("/tmp")), "single:/tmp/");
    }

    #[test]
    fn a_pattern_names_files() {
        let wanted = |pattern: &str| {
            let Pattern { places, stem, extension } =
                Pattern::of(OsStr::new(pattern), OsStr::new("/proc/self/exe"));
            let [.., (top, between)] = &places[..] else { panic!("no place") };
            let between = between.map_or("any".into(), |between| between.to_string());
            format!("{} {between} {stem}{extension}", top.display())
        };
        assert_eq!(wanted("/a/b/%e.%p.pathprof"), "/a/b/ 0 *.**.pathprof");
        assert_eq!(wanted("/a/b%%/%h/x"), "/a/ 2 b%/*/x*");
        assert_eq!(wanted("x.pathprof"), ". 0 x*.pathprof");
        assert_eq!(wanted("no-such[1]/"), "no-such[1]/ 0 **.pathprof");
        assert_eq!(wanted("/x/%f.pathprof"), "/x/ any **/*.pathprof");
        assert_eq!(wanted("/x/a%f-%p"), "/x/ any a/**/*-**");
        assert_eq!(wanted("%f.pathprof"), ". any **/*.pathprof");
        assert_eq!(wanted("/x/%%f/"), "/x/ 1 %f/*.pathprof");
        assert_eq!(wanted("%p/[1].prof"), ". 1 */\\[1\\].prof*");
    }
}
