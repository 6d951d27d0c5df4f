//! Expansion of the pattern in `PATHCC_PROFILE` to the name of a file. The functions are pure: all
//! input comes as arguments.
//!
//! `%f` is the path of the program, `%e` the base name of the image, `%p` the process, `%h` the
//! machine, `%b` and `%m` the build-id in hexadecimal, `%%` a percent sign. Any other `%x` stays as
//! it is, and `pathprof doctor` reports it. An empty pattern counts as none, as if the variable was
//! not set. With the pattern `off` nothing is written.

use pathformat::{files, variables};

use crate::text::Path;

/// The largest length of an image's name in a pattern, so that the default name never exceeds the
/// limit of a file system.
const LONGEST_NAME: usize = 200;

/// The values of the placeholders.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The path of the program, or of the image if the program has no counters.
    pub program: &'a [u8],
    /// The path of the image.
    pub image: &'a [u8],
    /// The process.
    pub process: u32,
    /// The name of the machine.
    pub host: &'a [u8],
    /// The build-id of the image, empty if it has none.
    pub build_id: &'a [u8],
}

/// The front of the kernel's name for a file that is only in memory. A name and [`IN_NO_DIRECTORY`]
/// follow.
const IN_MEMORY: &[u8] = b"/memfd:";

/// The end of the kernel's name for a file that is in no directory.
pub const IN_NO_DIRECTORY: &[u8] = b" (deleted)";

/// Returns true if the path is the kernel's name for a file that is only in memory.
pub fn is_in_memory(path: &[u8]) -> bool {
    path.starts_with(IN_MEMORY) && path.ends_with(IN_NO_DIRECTORY)
}

/// Returns true if a pattern names a file beside the program, but the program is only in memory or
/// has no known absolute path.
pub fn is_beside_nothing(pattern: &[u8], program: &[u8]) -> bool {
    pattern.starts_with(b"%f") && (!program.starts_with(b"/") || is_in_memory(program))
}

/// The raw files in which processes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Keeping {
    /// Each process has one of its own, until many of an image are started within a short time. It
    /// is zero, as in an origin that was not read.
    AsNeeded = 0,
    /// One process takes the file of another one.
    Standing = 1,
    /// Each process has one of its own.
    Single = 2,
}

/// Returns what stands in front of a pattern, and its length.
pub fn keeping(pattern: &[u8]) -> (Keeping, usize) {
    let (word, _) = variables::split_pattern(pattern);
    let keeping = match word {
        variables::STANDING => Keeping::Standing,
        variables::SINGLE => Keeping::Single,
        _ => Keeping::AsNeeded,
    };
    (keeping, word.len())
}

/// Returns true if the pattern distinguishes processes.
pub fn names_process(pattern: &[u8]) -> bool {
    pattern.split(|&byte| byte == b'%').skip(1).any(|part| part.starts_with(b"p"))
}

/// Returns true if the pattern turns off writing.
pub fn is_off(pattern: &[u8]) -> bool {
    pattern == variables::NOTHING
}

/// Returns true if the path does not depend on the current directory.
pub fn is_absolute(pattern: &[u8]) -> bool {
    pattern.starts_with(b"/") || pattern.starts_with(b"%f")
}

/// Returns a profile's name without its extension, if it has one.
pub fn without_extension(name: &[u8]) -> Option<&[u8]> {
    name.strip_suffix(files::EXTENSION.as_bytes())?.strip_suffix(b".")
}

/// Returns the length of a profile's name up to its extension.
pub fn stem_length(name: &[u8]) -> usize {
    without_extension(name).map_or(name.len(), <[u8]>::len)
}

/// Appends the expanded pattern to `out`.
pub fn expand(pattern: &[u8], facts: &Facts<'_>, out: &mut Path) {
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'f') => out.push_all(facts.program),
            Some(b'e') => {
                let name = base_name(facts.image);
                out.push_all(name.get(..LONGEST_NAME).unwrap_or(name));
            }
            Some(b'p') => out.push_decimal(facts.process),
            Some(b'h') => out.push_all(facts.host),
            Some(b'b' | b'm') if facts.build_id.is_empty() => out.push_all(b"no-build-id"),
            Some(b'b' | b'm') => out.push_hexadecimal(facts.build_id),
            Some(b'%') | None => out.push(b'%'),
            Some(&other) => out.push_all(&[b'%', other]),
        }
    }
}

/// Returns the part behind the last slash; `image` if that is empty.
pub fn base_name(path: &[u8]) -> &[u8] {
    let path =
        if is_in_memory(path) { path.strip_suffix(IN_NO_DIRECTORY).unwrap_or(path) } else { path };
    match path.rsplit(|&byte| byte == b'/').next() {
        Some(name) if !name.is_empty() => name,
        _ => b"image",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(pattern: &str, image: &[u8], build_id: &[u8]) -> String {
        let mut out = Path::new();
        let facts =
            Facts { program: b"/usr/bin/program", image, process: 42, host: b"box", build_id };
        expand(pattern.as_bytes(), &facts, &mut out);
        String::from_utf8(out.as_bytes().to_vec()).expect("these tests use ASCII")
    }

    #[test]
    fn every_placeholder() {
        let of = |pattern| expanded(pattern, b"/usr/bin/demo", &[0xab, 0x01]);
        assert_eq!(of("%e.%p.pathprof"), "demo.42.pathprof");
        assert_eq!(of("/x/%h/%b-%m"), "/x/box/ab01-ab01");
        assert_eq!(of("%f.pathprof"), "/usr/bin/program.pathprof");
        assert_eq!(of("100%%/%%e"), "100%/%e");
        assert_eq!(of("%q%"), "%q%");
        assert_eq!(of(""), "");
    }

    #[test]
    fn missing_facts_have_a_name() {
        assert_eq!(expanded("%e-%b", b"", b""), "image-no-build-id");
    }

    #[test]
    fn a_long_image_name_still_gives_a_file_name() {
        // Also as the name of a raw file.
        let name = expanded(".%e.pathprof.4294967295-16777216.raw", &[b'x'; 255], b"");
        assert!(name.len() <= 255 && name.ends_with("x.pathprof.4294967295-16777216.raw"));
    }

    #[test]
    fn a_pattern_that_leads_anywhere_is_known() {
        assert!(
            is_absolute(files::BESIDE_PROGRAM)
                && is_absolute(b"/x")
                && !is_absolute(b"%e")
                && !is_absolute(b"x/%f")
        );
    }

    #[test]
    fn a_word_in_front_says_how_files_are_kept() {
        assert_eq!(keeping(b"standing:%e"), (Keeping::Standing, 9));
        assert_eq!(keeping(b"single:"), (Keeping::Single, 7));
        assert_eq!(keeping(b"./single:x"), (Keeping::AsNeeded, 0));
        assert!(names_process(b"%e.%p") && !names_process(b"p%e") && names_process(b"%p"));
    }

    #[test]
    fn only_off_is_off() {
        assert!(is_off(b"off"));
        assert!(!is_off(b"offer") && !is_off(b"%e") && !is_off(b""));
    }
}
