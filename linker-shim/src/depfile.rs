//! Takes our files out of a file that the linker's `--dependency-file` wrote: a build system that
//! looked for the temporary ones would not find them, and would link for ever. The runtime's
//! archives are no input of the user's.
//!
//! Such a file is a rule with the inputs, a line for each or all in one (mold), and behind it an
//! empty rule for each input. In names `\` stands before spaces, `#` and itself, and a dollar sign
//! is doubled. GNU ld writes names as they are.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::args::Replacement;

/// Rewrites the file without anything in `directory` and without these `files`. A file that is not
/// there is none of our business.
pub(crate) fn clean(file: &Path, directory: &Path, files: &[&Path]) {
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let folder = [bytes(directory), b"/".to_vec()].concat();
    let files: Vec<_> = files.iter().map(|file| bytes(file)).collect();
    if let Ok(text) = fs::read(file) {
        let own = files.iter().chain([&folder]);
        let named = own.fold(text.clone(), |text, own| match escaped(own) {
            same if same == *own => text,
            escaped => replaced(&text, own, &escaped),
        });
        let cleaned = without(&named, |name| {
            name.starts_with(&folder) || files.iter().any(|file| file == name)
        });
        if cleaned != text {
            // Failing here costs a relink at the next build, not this one.
            let _ = fs::write(file, cleaned);
        }
    }
}

/// Rewrites the file with the names of inputs in the place of those of copies of them.
pub(crate) fn name_originals(file: &Path, replacements: &[Replacement]) {
    let Ok(text) = fs::read(file) else { return };
    let mut named = text.clone();
    for Replacement { original, copy, .. } in replacements {
        let [original, copy] = [original, copy].map(|path| escaped(path.as_os_str().as_bytes()));
        named = replaced(&named, &copy, &original);
    }
    if named != text {
        // As below.
        let _ = fs::write(file, named);
    }
}

/// A name as a rule has it.
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(name.len());
    for &byte in name {
        escaped.extend(match byte {
            b' ' | b'#' | b'\\' => Some(b'\\'),
            b'$' => Some(b'$'),
            _ => None,
        });
        escaped.push(byte);
    }
    escaped
}

/// A text with one part in the place of another.
fn replaced(text: &[u8], part: &[u8], other: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(part.len()).position(|window| window == part) {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(other);
        rest = &rest[at + part.len()..];
    }
    result.extend_from_slice(rest);
    result
}

/// The text without the names that are ours.
fn without(text: &[u8], ours: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let left: Vec<_> = words(line).filter(|word| !ours(&name(word))).collect();
        if left.len() == words(line).count() {
            kept.push(line.to_vec());
            continue;
        }
        match left[..] {
            // An empty rule, and the empty line behind it.
            [] if line.trim_ascii_end().ends_with(b":") => {
                lines.next_if(|line| line.trim_ascii().is_empty());
            }
            // One input of several.
            [b"\\"] => {}
            // The last one: the line before must not be continued any more.
            [] => {
                if let Some(before) = kept.last_mut() {
                    let end = before.trim_ascii_end();
                    *before = end.strip_suffix(b"\\").unwrap_or(end).trim_ascii_end().to_vec();
                    before.push(b'\n');
                }
            }
            _ => {
                let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                kept.push([&line[..indent], &left.join(&b' '), b"\n"].concat());
            }
        }
    }
    kept.concat()
}

/// The words of a line, as they are written.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let mut escaped = false;
        let ends = |byte: &u8| {
            let ends = byte.is_ascii_whitespace() && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends || *byte == b'\n'
        };
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        (!word.is_empty()).then_some(word)
    })
}

/// The name that a word means: of the file, without the colon that makes it a target.
fn name(word: &[u8]) -> Vec<u8> {
    let word = word.strip_suffix(b":").unwrap_or(word);
    let mut name = Vec::with_capacity(word.len());
    let mut bytes = word.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escapes = match byte {
            b'\\' => bytes.peek().is_some_and(|next| b" #\\".contains(next)),
            b'$' => bytes.peek() == Some(&b'$'),
            _ => false,
        };
        name.push(if escapes { bytes.next().unwrap_or(byte) } else { byte });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        let ours = |name: &[u8]| name.starts_with(b"/tmp/pathld/") || name == b"/l b/rt$.a";
        String::from_utf8(without(text.as_bytes(), ours)).expect("ASCII")
    }

    #[test]
    fn our_files_disappear_from_the_rule_and_after_it() {
        let with = "a.out: \\\n  /tmp/pathld/m.o \\\n  /l\\ b/rt$$.a \\\n  \
            x.o\n\n/tmp/pathld/m.o:\n\n/l\\ b/rt$$.a:\n\nx.o:\n";
        assert_eq!(cleaned(with), "a.out: \\\n  x.o\n\nx.o:\n");
    }

    #[test]
    fn the_last_of_a_rule_leaves_no_backslash() {
        assert_eq!(
            cleaned("a.out: \\\n  x.o \\\n  /tmp/pathld/m.o\n\nx.o:\n"),
            "a.out: \\\n  x.o\n\nx.o:\n"
        );
    }

    #[test]
    fn a_rule_of_one_line_keeps_its_target() {
        assert_eq!(
            cleaned("a.out: /tmp/pathld/m.o x\\ y.o\n\nx\\ y.o:\n"),
            "a.out: x\\ y.o\n\nx\\ y.o:\n"
        );
        assert_eq!(cleaned("a.out: x.o /tmp/pathld/m.o\n"), "a.out: x.o\n");
    }

    #[test]
    fn names_that_are_not_escaped_are_ours_too() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("d");
        let [folder, runtime] = ["/tmp/p q", "/l b/rt.a"].map(Path::new);
        for (own, other) in [("/tmp/p q/1/x.o", "/l b/rt.a"), ("/tmp/p\\ q/1/x.o", "/l\\ b/rt.a")] {
            let text = format!(
                "a.out: \\\n  {other} \\\n  y.o \\\n  {own}\n\n{other}:\n\ny.o:\n\n{own}:\n"
            );
            fs::write(&file, text).expect("writable");
            clean(&file, folder, &[runtime]);
            let left = fs::read_to_string(&file).expect("written");
            assert_eq!(left, "a.out: \\\n  y.o\n\ny.o:\n\n");
        }
    }

    #[test]
    fn inputs_are_named_in_place_of_their_copies() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = directory.path().join("d");
        fs::write(&file, "a.out: \\\n  /tmp/p\\ q/1/x.o \\\n  y.o\n\n/tmp/p\\ q/1/x.o:\n")
            .expect("writable");
        let (original, copy) = ("a $x.o".into(), "/tmp/p q/1/x.o".into());
        name_originals(&file, &[Replacement { input: 0, original, copy }]);
        let named = fs::read_to_string(&file).expect("written");
        assert_eq!(named, "a.out: \\\n  a\\ $$x.o \\\n  y.o\n\na\\ $$x.o:\n");
    }

    #[test]
    fn others_stay_as_they_are() {
        let text = "a.out: \\\n  /tmp/pathldx/m.o  \\\n  x.o\n\nx.o:\n";
        assert_eq!(cleaned(text), text);
    }
}
