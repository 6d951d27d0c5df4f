//! Response files (`@file`): how clang takes their text apart, and how to write one.
//!
//! The rules are those of LLVM's GNU tokenizer, measured with clang 22: white space separates words; a
//! backslash takes the next character literally, *also inside single quotes*; quotes of either kind
//! join. A byte order mark is skipped.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Takes the text of a response file apart. `None` for UTF-16, which clang converts and we do not.
pub(crate) fn split(text: &[u8]) -> Option<Vec<OsString>> {
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return None;
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => {
                // A backslash at the very end stands for itself.
                word.get_or_insert_default().push(bytes.next().unwrap_or(b'\\'));
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (b' ' | b'\t' | b'\r' | b'\n' | 0, None) => words.extend(word.take().map(OsString::from_vec)),
            (_, None) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    Some(words)
}

/// Writes words as the text of a response file, one quoted word a line.
pub(crate) fn join(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let words = split(text.as_bytes()).expect("text");
        words.iter().map(|word| format!("[{}]", word.display())).collect()
    }

    #[test]
    fn words_are_split_as_llvm_does() {
        assert_eq!(shown("-c  a.c\n-o\ta.o\r\n"), "[-c][a.c][-o][a.o]");
        assert_eq!(shown(r#"-DA='a\b' "-DB=x y" c\ d"#), "[-DA=ab][-DB=x y][c d]");
        assert_eq!(shown(r#"'' "" a''b"#), "[][][ab]");
        assert_eq!(shown(r#"'a"b' "a'b" "a\"b""#), r#"[a"b][a'b][a"b]"#);
        assert_eq!(shown("\u{feff}-c"), "[-c]");
        assert_eq!(shown("\"open"), "[open]");
        assert_eq!(shown("a\\"), "[a\\]");
        assert_eq!(split(b"\xff\xfe-\0c\0"), None);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let words = ["-DX=\"a b\"", "", "a\\b", "line\nbreak", "'", "@x"].map(OsString::from);
        let text = join(&words);
        assert_eq!(split(&text).expect("text"), words);
    }
}
