//! Globs, as `-fpath-filter`, `pathcc.toml` and `pathprof` take them, with the wildcards of
//! `.gitignore`.
//!
//! | in a glob | stands for |
//! |---|---|
//! | `*` | any text; in a path, without `/` |
//! | `?` | any character; in a path, except `/` |
//! | `[a-z]`, `[!a-z]` | a character of this range, or one outside of it |
//! | `**` between slashes | any number of folders, none included |
//! | `\` before a character | that character |
//!
//! A glob without a slash matches the last part of a path. One that ends in a slash matches all
//! files below such a folder. A slash at the beginning is the beginning of the path; any other glob
//! may begin at each of its folders. Here `.gitignore` differs: its patterns begin at its own
//! folder, and the paths that are given to a compiler have no such folder. For the same reason only
//! a glob that ends in a slash matches a folder.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use glob_match::glob_match;

/// The substitute for a slash where a slash is an ordinary character.
const FLAT_SLASH: &str = "\u{2215}";

/// Returns true if `glob` matches the whole name of a function. In names `*` is any text, including
/// `::` and `/`. ABI tags (`word[abi:cxx11]`) are not part of a name, since they are not in the
/// source.
pub fn matches_name(glob: &str, name: &str) -> bool {
    // An empty range is invalid, but `operator[]` is a name.
    let glob = literal_braces(&without_abi_tags(glob)).replace("[]", "\\[\\]");
    let flat = |text: &str| text.replace('/', FLAT_SLASH);
    glob_match(&flat(&glob), &flat(&without_abi_tags(name)))
}

/// Returns a name without the tags for versions of a library's interface, such as `[abi:cxx11]`.
fn without_abi_tags(name: &str) -> Cow<'_, str> {
    const TAG: &str = "[abi:";
    let mut parts = name.split(TAG);
    let first = parts.next().unwrap_or_default();
    let mut text = Cow::Borrowed(first);
    for part in parts {
        match part.split_once(']') {
            Some((_, rest)) => text += rest,
            None => {
                text += TAG;
                text += part;
            }
        }
    }
    text
}

/// Returns true if `glob` matches the path of a file.
pub fn matches_file(glob: &str, path: &str) -> bool {
    let glob = literal_braces(glob);
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let (glob, is_folder) = glob.strip_suffix('/').map_or((&*glob, false), |glob| (glob, true));
    let (glob, begins) = glob.strip_prefix('/').map_or((glob, false), |glob| (glob, true));
    let anywhere = (!begins).then_some("**");
    let below = is_folder.then_some("**");
    let parts: Vec<&str> = anywhere.into_iter().chain(glob.split('/')).chain(below).collect();
    matches_parts(&parts, &path)
}

/// Returns true if the parts of a glob match those of a path. `**` matches any number of parts, and
/// at the end at least one.
fn matches_parts(glob: &[&str], path: &[&str]) -> bool {
    // For each length, true if the parts of the glob so far match that many parts at the beginning
    // of the path.
    let mut reached: Vec<bool> = (0..=path.len()).map(|length| length == 0).collect();
    for (at, part) in glob.iter().enumerate() {
        if *part == "**" {
            let is_last = at + 1 == glob.len();
            let first = reached.iter().position(|&reached| reached).unwrap_or(reached.len());
            let from = first + usize::from(is_last);
            reached.iter_mut().enumerate().for_each(|(length, reached)| *reached = length >= from);
        } else {
            for length in (0..path.len()).rev() {
                reached[length + 1] = reached[length] && glob_match(part, path[length]);
            }
            reached[0] = false;
        }
    }
    reached.last() == Some(&true)
}

/// Returns the glob with escaped braces, which match themselves as in `.gitignore`: in names such
/// as `{lambda()#1}`.
fn literal_braces(glob: &str) -> Cow<'_, str> {
    if !glob.contains(['{', '}']) {
        return glob.into();
    }
    let mut literal = String::with_capacity(glob.len() + 2);
    let mut is_escaped = false;
    for character in glob.chars() {
        if matches!(character, '{' | '}') && !is_escaped {
            literal.push('\\');
        }
        is_escaped = character == '\\' && !is_escaped;
        literal.push(character);
    }
    literal.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cases in the documentation of `.gitignore`.
    #[test]
    fn wildcards_are_those_of_gitignore() {
        let cases = [
            ("hello.*", "hello.c", true),
            ("hello.*", "a/hello.java", true),
            ("/hello.*", "hello.txt", true),
            ("/hello.*", "a/hello.java", false),
            ("foo/", "foo/bar.c", true),
            ("foo/", "foo/a/bar.c", true),
            ("foo/", "foo", false),
            ("frotz/", "frotz/x", true),
            ("frotz/", "a/frotz/x", true),
            ("doc/frotz/", "doc/frotz/x", true),
            ("doc/frotz", "doc/frotz", true),
            ("/doc/frotz", "doc/frotz", true),
            ("/doc/frotz", "a/doc/frotz", false),
            ("foo/*", "foo/test.json", true),
            ("foo/*", "foo/bar/hello.c", false),
            ("**/foo", "foo", true),
            ("**/foo", "a/b/foo", true),
            ("**/foo", "a/xfoo", false),
            ("**/foo/bar", "a/foo/bar", true),
            ("**/foo/bar", "a/foo/x/bar", false),
            ("abc/**", "abc/x", true),
            ("abc/**", "abc/x/y", true),
            ("abc/**", "abc", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "ab", false),
            ("a/**/b", "a/x/b/c", false),
            // Other consecutive asterisks are equivalent to one.
            ("a**b/c", "axxb/c", true),
            ("a**b/c", "ax/xb/c", false),
            ("a?c", "abc", true),
            ("/a?c", "a/c", false),
            ("[a-zA-Z].c", "Q.c", true),
            ("[a-zA-Z].c", "1.c", false),
            ("[!a-z].c", "1.c", true),
            ("/a[!x]b", "a/b", false),
            ("\\*.c", "*.c", true),
            ("\\*.c", "a.c", false),
            ("\\!a", "!a", true),
            ("{a,b}", "{a,b}", true),
            ("{a,b}", "a", false),
            ("\\{a}", "{a}", true),
        ];
        for (glob, path, matches) in cases {
            assert_eq!(matches_file(glob, path), matches, "{glob} {path}");
        }
    }

    #[test]
    fn paths_are_those_of_a_compiler() {
        let path = "/home/main/project/./src/lexer/scan.c";
        let cases = [
            ("scan.c", true),
            ("src/lexer/*.c", true),
            ("src/*.c", false),
            ("src/**/*.c", true),
            ("lexer/", true),
            ("src/*/", true),
            ("/home/**", true),
            ("/home/main/project/src/lexer/scan.c", true),
            ("/src/**", false),
            // The name of a function does not match a folder by accident.
            ("main", false),
            ("ma*", false),
            ("**", true),
            ("*", true),
            ("", false),
            ("/", false),
        ];
        for (glob, matches) in cases {
            assert_eq!(matches_file(glob, path), matches, "{glob}");
        }
        assert!(!matches_file("**", "") && !matches_file("*", ""));
    }

    #[test]
    fn names_have_no_folders() {
        let cases = [
            ("main", "main", true),
            ("ma*", "main", true),
            ("std::*", "std::vector::push_back", true),
            ("*::push_back", "std::vector::push_back", true),
            ("push_back", "std::vector::push_back", false),
            ("operator*", "operator/", true),
            ("operator/", "operator/", true),
            ("operator\\*", "operator+", false),
            ("*::operator[]", "a::operator[]", true),
            ("f[0-9]", "f1", true),
            ("word", "word[abi:cxx11]", true),
            ("word[abi:cxx11]", "word[abi:cxx11]", true),
            ("a::word(int)", "a[abi:v2]::word[abi:cxx11](int)", true),
            ("word", "word[abi:cxx11", false),
            ("*{lambda()#1}*", "f()::{lambda()#1}::operator()", true),
            ("parse_?", "parse_x", true),
            ("**", "a/b", true),
        ];
        for (glob, name, matches) in cases {
            assert_eq!(matches_name(glob, name), matches, "{glob} {name}");
        }
    }

    #[test]
    fn many_wildcards_are_one_walk() {
        let path = "a/".repeat(2_000);
        assert!(!matches_file(&"**/b/".repeat(200), &path));
        assert!(matches_file(&("**/*a*/".repeat(100) + "a"), &path));
    }
}
