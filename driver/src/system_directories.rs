//! The directories of system headers that a command line and the environment add to those that
//! clang searches of itself, so that a report can separate system code from the user's.
//!
//! clang is not asked for them: that would be one more process for each compilation. What a
//! configuration file of clang adds, or an option behind `-Xclang`, is not known.

use crate::command_line::{CommandLine, value_of};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The variables that name directories of system headers, each for one language. A compilation may
/// have sources of several, so all are taken.
pub(crate) const VARIABLES: [&str; 4] =
    ["C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH"];

/// Where a C library keeps its headers below `--sysroot`.
const BELOW_SYSROOT: [&str; 3] = ["usr/local/include", "include", "usr/include"];

/// The effect of an option with a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectoryUse {
    /// Adds the directory. `=` at its beginning stands for the system root.
    Add,
    /// Adds the directory as it is.
    AddVerbatim,
    /// Adds the directory, if absolute below the system root.
    AddBelowRoot,
    /// Adds the directory behind the prefix.
    AddBehindPrefix,
    /// Is the prefix of those that follow.
    Prefix,
    /// Is the directory of the compiler's own files.
    Resources,
    /// Is where the system's files are.
    Sysroot,
    /// Is where the headers of the system are, for what is given relative to it.
    HeaderRoot,
    /// Replaces the beginning of file names.
    Map,
    /// None here. The option stands in the table because a shorter one begins like it.
    Nothing,
}

/// Options whose value is in the same word, or in the next if nothing follows in the same. A name
/// that ends in `=` has its value in the same word.
const OPTIONS: [(&str, DirectoryUse); 18] = [
    ("-isystem", DirectoryUse::Add),
    ("-isystem-after", DirectoryUse::Nothing),
    ("-cxx-isystem", DirectoryUse::AddVerbatim),
    ("-stdlib++-isystem", DirectoryUse::AddVerbatim),
    ("-idirafter", DirectoryUse::Add),
    ("--include-directory-after", DirectoryUse::Add),
    ("--include-directory-after=", DirectoryUse::Add),
    ("-iwithsysroot", DirectoryUse::AddBelowRoot),
    ("-iwithprefix", DirectoryUse::AddBehindPrefix),
    ("-iwithprefixbefore", DirectoryUse::Nothing),
    ("-iprefix", DirectoryUse::Prefix),
    ("-resource-dir", DirectoryUse::Resources),
    ("-resource-dir=", DirectoryUse::Resources),
    ("--sysroot", DirectoryUse::Sysroot),
    ("--sysroot=", DirectoryUse::Sysroot),
    ("-isysroot", DirectoryUse::HeaderRoot),
    ("-ffile-prefix-map=", DirectoryUse::Map),
    ("-fdebug-prefix-map=", DirectoryUse::Map),
];

/// The directories, each once, as the user wrote them; `variable` gives the value of an environment
/// variable. They are named as debug information names files: with prefixes mapped.
pub(crate) fn named(
    words: &CommandLine,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<OsString> {
    let given = given(words);
    let last = |wanted| given.iter().rev().find(|(effect, _)| *effect == wanted);
    let value = |wanted| last(wanted).map(|(_, value)| value.as_slice());
    let sysroot = value(DirectoryUse::Sysroot);
    let header_root = value(DirectoryUse::HeaderRoot).or(sysroot).unwrap_or_default();
    let mut prefix: &[u8] = b"";
    let mut found: Vec<Vec<u8>> = Vec::new();
    for (effect, value) in &given {
        match (effect, value.as_slice()) {
            (DirectoryUse::Prefix, value) => prefix = value,
            (DirectoryUse::AddBehindPrefix, value) => found.push([prefix, value].concat()),
            (DirectoryUse::AddBelowRoot, [b'/', ..]) => found.push([header_root, value].concat()),
            (DirectoryUse::Add, [b'=', rest @ ..]) if !header_root.is_empty() => {
                found.push([header_root, rest].concat());
            }
            (DirectoryUse::Add | DirectoryUse::AddVerbatim | DirectoryUse::AddBelowRoot, value) => {
                found.push(value.to_owned());
            }
            _ => {}
        }
    }
    found.extend(value(DirectoryUse::Resources).map(|resources| [resources, b"/include"].concat()));
    if let Some(root) = sysroot {
        found.extend(BELOW_SYSROOT.map(|below| [root, b"/", below.as_bytes()].concat()));
    }
    for value in VARIABLES.iter().filter_map(|name| variable(name)) {
        // An empty element is the current directory.
        let element = |element: &[u8]| if element.is_empty() { b"." } else { element }.to_owned();
        found.extend(value.as_bytes().split(|byte| *byte == b':').map(element));
    }
    let maps: Vec<_> = given.iter().filter(|(effect, _)| *effect == DirectoryUse::Map).collect();
    let mut directories: Vec<OsString> = Vec::new();
    for directory in found.into_iter().filter(|directory| !directory.is_empty()) {
        let mapped = maps.iter().rev().find_map(|(_, map)| mapped(&directory, map));
        let directory = OsString::from_vec(mapped.unwrap_or(directory));
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

/// The options of the table with their values, in the order of the command line.
fn given(words: &CommandLine) -> Vec<(DirectoryUse, Vec<u8>)> {
    let mut given = Vec::new();
    let mut waiting = None;
    for word in words.own() {
        if let Some(effect) = waiting.take() {
            given.push((effect, word.as_bytes().to_owned()));
            continue;
        }
        let Some((name, effect, value)) = option(word) else { continue };
        if value.is_empty() && !name.ends_with('=') {
            waiting = Some(effect);
        } else {
            given.push((effect, value.as_bytes().to_owned()));
        }
    }
    given
}

/// The longest option that a word begins with, and the rest of the word.
fn option(word: &OsStr) -> Option<(&'static str, DirectoryUse, &OsStr)> {
    let begun = OPTIONS.iter().filter_map(|&(name, effect)| {
        let value = value_of(word, name)?;
        // `--sysroot-x` is another option.
        (value.is_empty() || name.ends_with('=') || !name.starts_with("--"))
            .then_some((name, effect, value))
    });
    begun.max_by_key(|(name, ..)| name.len())
}

/// A path whose beginning `map`, which is `OLD=NEW`, replaces.
fn mapped(path: &[u8], map: &[u8]) -> Option<Vec<u8>> {
    let equals = map.iter().position(|byte| *byte == b'=')?;
    let rest = path.strip_prefix(&map[..equals])?;
    Some([&map[equals + 1..], rest].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::tests::words;

    fn shown(line: &str, variables: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let named = named(&words(line), &variable);
        named.iter().map(|directory| directory.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn options_name_directories() {
        assert_eq!(shown("-c a.c -I x -iquote y", &[]), "");
        assert_eq!(shown("-isystem a -isystemb -isystem a a.c", &[]), "a b");
        assert_eq!(shown("-cxx-isystem a -stdlib++-isystemb -idirafter c", &[]), "a b c");
        assert_eq!(shown("--include-directory-after=a --include-directory-after b", &[]), "a b");
        // clang for Linux has no use for the first of these, and the second adds to `-I`.
        assert_eq!(shown("-isystem-after a -iwithprefixbefore b -iwithprefixbeforec", &[]), "");
        assert_eq!(shown("-iprefix p/ -iwithprefix a -iprefix q/ -iwithprefixb", &[]), "p/a q/b");
        assert_eq!(shown("-resource-dir r -isystem", &[]), "r/include");
        assert_eq!(shown("-resource-dir=r", &[]), "r/include");
        assert_eq!(shown("-Xclang -isystem -c a.c -- -isystem b", &[]), "");
    }

    #[test]
    fn a_system_root_has_directories() {
        let below = "s/usr/local/include s/include s/usr/include";
        assert_eq!(shown("--sysroot=s", &[]), below);
        assert_eq!(shown("--sysroot s", &[]), below);
        assert_eq!(
            shown("-isystem =/a -iwithsysroot /b -iwithsysroot c --sysroot=s", &[]),
            format!("s/a s/b c {below}")
        );
        assert_eq!(shown("--sysroot=s -isysroot t -isystem =a", &[]), format!("ta {below}"));
        assert_eq!(shown("-isystem =/a -iwithsysroot /b", &[]), "=/a /b");
    }

    #[test]
    fn variables_name_directories() {
        let variables =
            [("C_INCLUDE_PATH", "a:/b"), ("CPLUS_INCLUDE_PATH", "/b::c"), ("CPATH", "d")];
        assert_eq!(shown("-isystem /b", &variables), "/b a . c");
    }

    #[test]
    fn prefixes_are_mapped_as_those_of_files() {
        let maps =
            "-ffile-prefix-map=/build/=. -fdebug-prefix-map=/build/x=y -fmacro-prefix-map=/c=z";
        let line = format!("{maps} -isystem /build/a -isystem /build/x/b -isystem /c");
        assert_eq!(shown(&line, &[]), ".a y/b /c");
    }
}
