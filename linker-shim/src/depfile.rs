//! Takes our temporary files out of a file that the linker's `--dependency-file` wrote: a build system would look
//! for them, not find them, and link for ever.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Rewrites the file without anything in `directory`. A file that is not there is none of our business.
pub(crate) fn clean(file: &Path, directory: &Path) {
    if let Ok(text) = fs::read(file) {
        let cleaned = without(&text, directory.as_os_str().as_bytes());
        if cleaned != text {
            // Failing here costs a relink at the next build, not this one.
            let _ = fs::write(file, cleaned);
        }
    }
}

/// The text without the lines that name something in `directory`. Such a file has a path a line, those of the rule
/// continued by backslashes, and after the rule an empty rule `path:` for each.
fn without(text: &[u8], directory: &[u8]) -> Vec<u8> {
    let ours = |line: &[u8]| {
        line.windows(directory.len() + 1).any(|part| part.strip_prefix(directory).is_some_and(|rest| rest == b"/"))
    };
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        if !ours(line) {
            kept.push(line);
            continue;
        }
        let rule = !line.trim_ascii_end().ends_with(b":");
        let continued = line.trim_ascii_end().ends_with(b"\\");
        if rule && !continued {
            // It was the last of its rule, so the line before must not be continued any more.
            if let Some(before) = kept.last_mut() {
                *before = before.trim_ascii_end().strip_suffix(b"\\").unwrap_or(before).trim_ascii_end();
                kept.push(b"\n");
            }
        } else if !rule {
            // An empty line follows each empty rule.
            lines.next_if(|line| line.trim_ascii().is_empty());
        }
    }
    kept.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        String::from_utf8(without(text.as_bytes(), b"/tmp/pathld")).expect("ASCII")
    }

    #[test]
    fn our_files_disappear_from_the_rule_and_after_it() {
        let with = "a.out: \\\n  /tmp/pathld/m.o \\\n  /lib/rt.a \\\n  x.o\n\n/tmp/pathld/m.o:\n\n/lib/rt.a:\n\nx.o:\n";
        assert_eq!(cleaned(with), "a.out: \\\n  /lib/rt.a \\\n  x.o\n\n/lib/rt.a:\n\nx.o:\n");
    }

    #[test]
    fn the_last_of_a_rule_leaves_no_backslash() {
        assert_eq!(cleaned("a.out: \\\n  x.o \\\n  /tmp/pathld/m.o\n\nx.o:\n"), "a.out: \\\n  x.o\n\nx.o:\n");
    }

    #[test]
    fn others_stay_as_they_are() {
        let text = "a.out: \\\n  /tmp/pathldx/m.o \\\n  x.o\n\nx.o:\n";
        assert_eq!(cleaned(text), text);
    }
}
