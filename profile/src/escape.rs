//! Escapes foreign text, so that it is safe to show.
//!
//! Names of functions, files and programs come from objects, profiles and file systems, and may
//! contain any character. A character is replaced by its code if it moves the cursor, ends a line,
//! changes the direction of writing, or is invisible.
//!
//! Each format has one function: [`terminal`] for text that people read, [`line()`] for formats
//! with one record on each line, [`Json`] for JSON. The file of weights has its own in
//! `pathformat::weights`, since the pass reads it back.

use std::borrow::Cow;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Returns true if a character is not simply visible: control characters, characters that format
/// text (its direction, joining or visibility), and those that end a line or a paragraph.
pub fn is_hidden(c: char) -> bool {
    !c.is_ascii_graphic()
        && matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
}

/// Escapes text for people: hidden characters become `\n`, `\u{202e}` and the like. The result has
/// one line.
pub fn terminal(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// Escapes text for a record that ends with its line and has `separators` between its fields.
/// Hidden characters are escaped as by [`terminal`], and so are separators. Backslashes are doubled
/// if anything is escaped.
pub fn line<'a>(text: &'a str, separators: &[char]) -> Cow<'a, str> {
    let is_special = |c: char| is_hidden(c) || separators.contains(&c);
    if !text.contains(is_special) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\\' => shown.push_str("\\\\"),
            _ if is_hidden(c) => shown.extend(c.escape_default()),
            _ if is_special(c) => shown.extend(c.escape_unicode()),
            _ => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Escapes a path for people.
pub fn path(path: &Path) -> PathBuf {
    terminal(&path.to_string_lossy()).into_owned().into()
}

/// A writer of JSON that replaces hidden characters by `\u202e` and the like, which parsers decode
/// again.
///
/// Each piece must consist of whole characters. ASCII control characters pass: JSON itself escapes
/// them in a string.
#[derive(Debug)]
pub struct Json<W>(pub W);

impl<W: Write> Write for Json<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if bytes.iter().all(|&byte| byte <= b'~') {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut rest = std::str::from_utf8(bytes)
            .map_err(|error| Error::new(ErrorKind::InvalidData, error))?;
        while let Some(c) = rest.chars().find(|&c| c > '~' && is_hidden(c)) {
            let (plain, after) = rest.split_once(c).unwrap_or((rest, ""));
            self.0.write_all(plain.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            rest = after;
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        for text in [
            "",
            "operator new[](unsigned long, std::nothrow_t const&)",
            "a\\b\"c'",
            "Größe 数 e\u{301} \u{a0}",
            "🙂",
        ] {
            assert!(matches!(terminal(text), Cow::Borrowed(same) if same == text), "{text}");
            assert!(matches!(line(text, &[',']), Cow::Borrowed(_)) || text.contains(','), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_seen_is_written_as_its_code() {
        assert_eq!(terminal("a\x1b[31mb"), "a\\u{1b}[31mb");
        assert_eq!(terminal("a\nerror: b\r\t\0\x7f"), "a\\nerror: b\\r\\t\\u{0}\\u{7f}");
        assert_eq!(terminal("\u{9b}2J\u{85}"), "\\u{9b}2J\\u{85}");
        let turned = [
            "\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{200f}", "\u{61c}", "\u{200b}",
            "\u{feff}", "\u{2028}",
        ];
        for text in turned {
            assert_eq!(terminal(text), text.escape_default().to_string());
        }
        assert_eq!(terminal("\u{e0041}"), "\\u{e0041}", "letters of tags are invisible");
    }

    #[test]
    fn no_field_of_a_record_ends_early() {
        assert_eq!(line("10,a\nDA:1,1", &[',']), "10\\u{2c}a\\nDA:1\\u{2c}1");
        assert_eq!(line("a\\n\n", &[]), "a\\\\n\\n", "two names stay two");
    }

    #[test]
    fn json_means_the_same() {
        let text = "\u{202e}a\x1b\n\x7f\u{9b}\u{e0041}\u{2028}ü\"\\";
        let mut out = Vec::new();
        serde_json::to_writer(Json(&mut out), text).expect("in memory");
        let json = String::from_utf8(out).expect("text");
        assert!(!json.contains(is_hidden), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }
}
