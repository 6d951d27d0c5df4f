//! From the pattern in `PATHCC_PROFILE` to the name of a file. Pure: everything it needs comes as an argument.
//!
//! `%e` is the base name of the image, `%p` the process, `%h` the machine, `%b` and `%m` the build-id in
//! hexadecimal, `%%` a percent sign; any other `%x` stays as it is, and `pathprof doctor` says so. An empty pattern is none,
//! as if the variable was not set; `off` says that nothing is to be written.

use crate::text::Path;

/// What is written when no pattern is given, and in a directory that is given instead of a pattern.
pub(crate) const DEFAULT: &[u8] = b"%e.%p.pathprof";

/// What profiles' names end in, unless the pattern says otherwise.
pub(crate) const EXTENSION: &[u8] = b".pathprof";

/// So much of an image's name is used at most, so that the default name never exceeds what a file system takes.
const LONGEST_NAME: usize = 200;

/// What the placeholders stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// Path of the image.
    pub(crate) image: &'a [u8],
    /// Process.
    pub(crate) process: u32,
    /// Name of the machine.
    pub(crate) host: &'a [u8],
    /// Build-id of the image, empty if it has none.
    pub(crate) build_id: &'a [u8],
}

/// Whether this pattern says that nothing is to be written.
pub(crate) fn is_off(pattern: &[u8]) -> bool {
    pattern == b"off"
}

/// Whether the name differs between processes.
pub(crate) fn tells_process(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        match rest.get(percent + 1) {
            Some(b'p') => return true,
            _ => rest = rest.get(percent + 2..).unwrap_or_default(),
        }
    }
    false
}

/// The length of a profile's name up to its extension.
pub(crate) fn stem_length(name: &[u8]) -> usize {
    name.strip_suffix(EXTENSION).map_or(name.len(), <[u8]>::len)
}

/// Appends the expanded pattern to `out`.
pub(crate) fn expand(pattern: &[u8], facts: &Facts<'_>, out: &mut Path) {
    let mut bytes = pattern.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
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

/// What follows the last slash; `image` if that is nothing.
pub(crate) fn base_name(path: &[u8]) -> &[u8] {
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
        expand(pattern.as_bytes(), &Facts { image, process: 42, host: b"box", build_id }, &mut out);
        String::from_utf8(out.as_bytes().to_vec()).expect("these tests use ASCII")
    }

    #[test]
    fn every_placeholder() {
        let of = |pattern| expanded(pattern, b"/usr/bin/demo", &[0xab, 0x01]);
        assert_eq!(of("%e.%p.pathprof"), "demo.42.pathprof");
        assert_eq!(of("/x/%h/%b-%m"), "/x/box/ab01-ab01");
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
        let name = expanded("%e.%p.pathprof", &[b'x'; 255], b"");
        assert!(name.len() <= 255 && name.ends_with(".42.pathprof"));
    }

    #[test]
    fn a_pattern_with_the_process_is_known() {
        assert!(tells_process(b"%e.%p.pathprof") && tells_process(b"%%%p"));
        assert!(!tells_process(b"%%p%e%") && !tells_process(b"") && !tells_process(b"x.pathprof"));
    }

    #[test]
    fn only_off_is_off() {
        assert!(is_off(b"off"));
        assert!(!is_off(b"offer") && !is_off(b"%e") && !is_off(b""));
    }
}
