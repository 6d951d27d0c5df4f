//! Response files (`@file`): how their text is taken apart, and how one is written.
//!
//! White space separates words. A backslash takes the next byte as it is, also inside quotes of
//! either kind. In the rest the families of programs differ:
//!
//! | | [`Dialect::Llvm`] | [`Dialect::Gnu`] | [`Dialect::Mold`] |
//! |---|---|---|---|
//! | source | `cl::TokenizeGNUCommandLine`, `cl::ExpansionContext` | libiberty's `buildargv` | `read_response_file` |
//! | a quote inside a word | joins | joins | stands for itself |
//! | what follows a closing quote | the same word | the same word | another word |
//! | a quote that is not closed | ends with the text | ends with the text | is an error |
//! | an empty word in quotes | is dropped | is an empty word | is an empty word |
//! | vertical tab, form feed | part of a word | white space | white space |
//! | a backslash at the end | stands for itself | is dropped | stands for itself |
//! | a NUL | ends its word | ends the text | ends its word |
//! | a byte order mark | UTF-8's is skipped, UTF-16 is converted | part of a word | part of a word |
//! | a response file inside | is opened | is opened | is a word |
//!
//! Measured with clang and ld.lld 22, with GNU ld and gold of binutils 2.40, and with mold 1.10.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The program whose rules hold for a response file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Those of clang, flang and lld.
    Llvm,
    /// Those of GNU ld and gold.
    Gnu,
    /// Those of mold.
    Mold,
}

impl Dialect {
    /// True if a response file may name others.
    pub fn nests(self) -> bool {
        self != Self::Mold
    }
}

/// Takes the text of a response file apart. `None` for UTF-16, which LLVM converts and we do not,
/// and for what mold refuses.
pub fn split(text: &[u8], dialect: Dialect) -> Option<Vec<OsString>> {
    let words = match dialect {
        Dialect::Llvm if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") => {
            return None;
        }
        Dialect::Llvm => {
            let words = quoted_words(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), dialect);
            // An empty token is none, and a token is what stands before its first NUL.
            let tokens = words.into_iter().filter(|word| !word.is_empty());
            tokens.map(|token| until_nul(&token).to_vec()).collect()
        }
        Dialect::Gnu => quoted_words(until_nul(text), dialect),
        Dialect::Mold => {
            let words = molds_words(text)?;
            words.into_iter().map(|word| until_nul(&word).to_vec()).collect()
        }
    };
    Some(words.into_iter().map(OsString::from_vec).collect())
}

fn quoted_words(text: &[u8], dialect: Dialect) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) if bytes.peek().is_some() => {
                word.get_or_insert_default().extend(bytes.next());
            }
            (b'\\', _) if dialect == Dialect::Gnu => {
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (_, None) if is_space(byte, dialect) => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words
}

/// mold's words: a quote counts only in front of one. `None` if it is not closed.
fn molds_words(text: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut bytes = text.iter().copied().peekable();
    while let Some(first) = bytes.next() {
        if is_space(first, Dialect::Mold) {
            continue;
        }
        let quote = Some(first).filter(|byte| matches!(byte, b'"' | b'\''));
        let mut next = if quote.is_some() { bytes.next() } else { Some(first) };
        let mut word = Vec::new();
        loop {
            match next {
                Some(byte) if quote == Some(byte) => break,
                Some(byte) if quote.is_none() && is_space(byte, Dialect::Mold) => break,
                Some(b'\\') => word.push(bytes.next().or(quote.xor(Some(b'\\')))?),
                Some(byte) => word.push(byte),
                None if quote.is_some() => return None,
                None => break,
            }
            next = bytes.next();
        }
        words.push(word);
    }
    Some(words)
}

fn is_space(byte: u8, dialect: Dialect) -> bool {
    let is_gnus = dialect != Dialect::Llvm && matches!(byte, b'\x0b' | b'\x0c');
    is_gnus || matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Writes words as the text of a response file, one quoted word a line.
///
/// Double quotes are what every version of these programs reads alike: a newline behind a backslash
/// is not.
pub fn join(words: &[OsString], dialect: Dialect) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        if word.is_empty() && dialect == Dialect::Llvm {
            // A token that is nothing but a NUL is not dropped, and is an empty word.
            text.push(0);
        }
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

    const BOTH: [Dialect; 2] = [Dialect::Llvm, Dialect::Gnu];

    const ALL: [Dialect; 3] = [Dialect::Llvm, Dialect::Gnu, Dialect::Mold];

    fn shown(text: &str, dialect: Dialect) -> String {
        let words = split(text.as_bytes(), dialect).expect("text");
        words.iter().map(|word| format!("[{}]", word.display())).collect()
    }

    #[test]
    fn both_dialects_quote_alike() {
        for (text, words) in [
            ("-c  a.c\n-o\ta.o\r\n", "[-c][a.c][-o][a.o]"),
            (r#"-DA='a\b' "-DB=x y" c\ d"#, "[-DA=ab][-DB=x y][c d]"),
            (r#"'a"b' "a'b" "a\"b""#, r#"[a"b][a'b][a"b]"#),
            (r#""a b"c 'd"e' "f'g""#, "[a bc][d\"e][f'g]"),
            (r"a\ b 'c\d' \\ \'", r"[a b][cd][\][']"),
            ("\"unclosed a", "[unclosed a]"),
            ("a''b c\"\"", "[ab][c]"),
            (" \n", ""),
            ("", ""),
        ] {
            for dialect in BOTH {
                assert_eq!(shown(text, dialect), words, "{text} {dialect:?}");
            }
        }
    }

    #[test]
    fn each_dialect_has_its_own_corners() {
        for (text, llvm, gnu) in [
            (r#"a '' "" b ''"#, "[a][b]", "[a][][][b][]"),
            ("a\x0bb\x0cc", "[a\x0bb\x0cc]", "[a][b][c]"),
            ("a\\", "[a\\]", "[a]"),
            ("\\", "[\\]", "[]"),
            ("a\0b c", "[a][c]", "[a]"),
            ("\0 c", "[][c]", ""),
            ("\u{feff}-c", "[-c]", "[\u{feff}-c]"),
        ] {
            assert_eq!(shown(text, Dialect::Llvm), llvm, "{text:?}");
            assert_eq!(shown(text, Dialect::Gnu), gnu, "{text:?}");
        }
        assert_eq!(split(b"\xff\xfe-\0c\0", Dialect::Llvm), None);
        assert_eq!(split(b"\xfe\xff\0-\0c", Dialect::Llvm), None);
    }

    #[test]
    fn mold_joins_nothing() {
        for (text, words) in [
            ("-c  a.c\n-o\ta.o\r\n\x0bx\x0cy", "[-c][a.c][-o][a.o][x][y]"),
            ("zz'b c'd", "[zz'b][c'd]"),
            (r#"'zz"b'y "q r"s"#, r#"[zz"b][y][q r][s]"#),
            (r#""zz\"b\\" 'zz\'b' zz\ b \'x"#, r#"[zz"b\][zz'b][zz b]['x]"#),
            (r#"'' "" a"#, "[][][a]"),
            ("a\\", "[a\\]"),
            ("a\0b c", "[a][c]"),
            ("\u{feff}-c", "[\u{feff}-c]"),
            (" \n", ""),
        ] {
            assert_eq!(shown(text, Dialect::Mold), words, "{text:?}");
        }
        for text in ["\"a", "'", "a '\\", "\"a\\\""] {
            assert_eq!(split(text.as_bytes(), Dialect::Mold), None, "{text}");
        }
    }

    #[test]
    fn each_byte_that_means_something_is_quoted() {
        for (word, text) in [
            ("a", "\"a\"\n"),
            ("a b", "\"a b\"\n"),
            ("'\"\\", "\"'\\\"\\\\\"\n"),
            ("\n", "\"\n\"\n"),
        ] {
            for dialect in ALL {
                assert_eq!(join(&[word.into()], dialect), text.as_bytes(), "{word} {dialect:?}");
            }
        }
        assert_eq!(join(&["".into()], Dialect::Llvm), b"\"\0\"\n");
        assert_eq!(join(&["".into()], Dialect::Gnu), b"\"\"\n");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let words = ["-DX=\"a b\"", "", "a\\b", "line\nbreak", "it's", "@x", "\t\x0b", "end\\"];
        let words = words.map(OsString::from);
        for dialect in ALL {
            let text = join(&words, dialect);
            assert_eq!(split(&text, dialect).expect("text"), words, "{dialect:?}");
        }
    }
}
