//! The kinds of values that options take, and their checks.
//!
//! A checked value is a text in one form: a number without leading zeros, globs without blanks
//! around them, a file by its absolute path.

use crate::regular_file;
use pathformat::part::Part;
use std::ops::RangeInclusive;
use std::path::Path;

/// No file with weights is larger: it has some bytes for each edge of a program.
const MOST_WEIGHTS: u64 = 1 << 30;

/// A word that an option takes.
pub struct Word {
    /// As it is written.
    pub text: &'static str,
    /// Its effect, for the manual.
    pub meaning: &'static str,
}

/// A word, and what it chooses.
pub(crate) const fn word(text: &'static str, meaning: &'static str) -> Word {
    Word { text, meaning }
}

/// The values that an option takes.
pub enum Values {
    /// One of these words.
    Words(&'static [Word]),
    /// A number.
    Number {
        /// From the lowest to the highest.
        range: RangeInclusive<u64>,
        /// The thing that is counted: `number of paths`.
        what: &'static str,
    },
    /// A file that `pathprof weights` has written.
    Weights,
    /// A pattern for the names of profiles.
    Pattern,
    /// A list of globs, separated by commas.
    Globs,
    /// A glob on names of functions, with a number of entries.
    Part,
}

impl Values {
    /// Checks a text, and brings it into its one form.
    ///
    /// # Errors
    /// The message names the values that are allowed.
    pub(crate) fn checked(&self, text: &str) -> Result<String, String> {
        match self {
            Values::Words(words) => one_of(text, words),
            Values::Number { range, what } => within(text, range, what),
            Values::Weights => weights(text),
            Values::Pattern => pattern(text),
            Values::Part => part(text),
            Values::Globs => globs(&text.split(',').collect::<Vec<_>>()),
        }
    }

    /// The words, if it takes words.
    pub fn words(&self) -> impl Iterator<Item = &'static Word> {
        let words = if let Values::Words(words) = self { words } else { &[][..] };
        words.iter()
    }
}

fn one_of(text: &str, words: &[Word]) -> Result<String, String> {
    if words.iter().any(|word| word.text == text) {
        return Ok(text.to_owned());
    }
    let offered: Vec<_> = words.iter().map(|word| word.text).collect();
    let offered = match offered.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        offered => offered.concat(),
    };
    let found = if text.is_empty() { "no value".into() } else { format!("unknown value '{text}'") };
    Err(format!("{found}, expected {offered}"))
}

fn within(text: &str, range: &RangeInclusive<u64>, what: &str) -> Result<String, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    let refusal = || format!("expected a {what} from {} to {}", range.start(), range.end());
    number.map(|number| number.to_string()).ok_or_else(refusal)
}

fn pattern(text: &str) -> Result<String, String> {
    match text {
        "" => Err("expected a pattern, such as /var/tmp/%e.pathprof, a directory, or off".into()),
        // The runtime has room for the path of a file.
        _ if text.len() > 4000 => {
            Err("this pattern is longer than the path of a file can be".into())
        }
        _ => Ok(text.to_owned()),
    }
}

fn part(text: &str) -> Result<String, String> {
    let Some(Part { function, first, entries }) = Part::read(text) else {
        return Err(format!("expected {}", Part::EXPECTED));
    };
    let entries = entries.map(|entries| format!("+{entries}")).unwrap_or_default();
    Ok(format!("{function}:{first}{entries}"))
}

/// Checks a file with weights. The value is a hash of its content, a colon and its absolute path,
/// so that compiler caches see another command line when the content changes.
fn weights(path: &str) -> Result<String, String> {
    let make = "make one with `pathprof weights -o FILE`";
    let content = regular_file::read(Path::new(path), MOST_WEIGHTS);
    let content = content.map_err(|error| format!("cannot read {path}: {error}; {make}"))?;
    if !content.starts_with(b"pathcc weights ") {
        let is_profile = content.starts_with(b"PATHPROF") || content.starts_with(b"PATHRAWC");
        let what = if is_profile {
            "a profile, which needs its image to be understood"
        } else {
            "no file with weights"
        };
        return Err(format!("{path} is {what}; {make} and give that"));
    }
    let absolute = std::path::absolute(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(format!("{:016x}:{}", pathformat::wire::checksum(&content), absolute.display()))
}

/// The path in a checked [`Values::Weights`].
pub(crate) fn path_of_weights(value: &str) -> &str {
    value.split_once(':').map_or("", |(_, path)| path)
}

/// Checks globs, and joins them by commas. No glob at all means no filter.
///
/// # Errors
/// Names one that is no glob.
pub(crate) fn globs(globs: &[&str]) -> Result<String, String> {
    let globs: Vec<&str> = globs.iter().map(|glob| glob.trim()).collect();
    if globs == [""] {
        return Ok(String::new());
    }
    let is_none = |glob: &&&str| glob.trim_start_matches('!').is_empty() || glob.contains(',');
    match globs.iter().find(is_none) {
        Some(glob) => Err(format!("'{glob}' is not a glob")),
        None => Ok(globs.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_one_form() {
        let number = Values::Number { range: 1..=16, what: "number" };
        assert_eq!(number.checked("007"), Ok("7".into()));
        for text in ["0", "17", "-1", "", "x", "99999999999999999999"] {
            assert_eq!(
                number.checked(text),
                Err("expected a number from 1 to 16".into()),
                "{text}"
            );
        }
        let words = Values::Words(&const { [word("a", ""), word("b", ""), word("c", "")] });
        assert_eq!(words.checked("b"), Ok("b".into()));
        assert_eq!(words.checked("d"), Err("unknown value 'd', expected a, b or c".into()));
        assert_eq!(words.checked(""), Err("no value, expected a, b or c".into()));
        assert_eq!(Values::Part.checked("a::f*:07+010"), Ok("a::f*:7+10".into()));
        let refusal = "expected FUNCTION:N or FUNCTION:N+M, such as work:1, with numbers from 1";
        for text in ["", "work", "work:0", ":1", "work:1+"] {
            assert_eq!(Values::Part.checked(text), Err(refusal.into()), "{text}");
        }
        assert_eq!(Values::Globs.checked(" a* , !b"), Ok("a*,!b".into()));
        assert_eq!(Values::Globs.checked(""), Ok(String::new()));
        assert_eq!(globs(&["a,b"]), Err("'a,b' is not a glob".into()));
        assert_eq!(Values::Pattern.checked("x/%e"), Ok("x/%e".into()));
        assert!(Values::Pattern.checked(&"x".repeat(4000)).is_ok());
        assert!(
            Values::Pattern.checked(&"x".repeat(4001)).is_err_and(|why| why.contains("longer"))
        );
    }

    #[test]
    fn weights_are_named_by_their_content() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let path = root.path().join("w:1");
        let name = path.to_str().expect("ASCII");
        let checked = |content: &str| {
            std::fs::write(&path, content).expect("writable");
            Values::Weights.checked(name)
        };
        let first = checked("pathcc weights 1").expect("weights");
        assert_eq!(path_of_weights(&first), name);
        assert_ne!(checked("pathcc weights 2").expect("weights"), first);
        let refused = |content| checked(content).expect_err("no weights");
        assert!(refused("PATHPROF").contains("is a profile, which needs its image"));
        assert!(refused("").contains("is no file with weights"));
    }
}
