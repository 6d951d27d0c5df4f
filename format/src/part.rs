//! The part of a run that is traced, given by the number of entries of a function.

/// A part of a run: it begins where a function is entered for the n-th time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// A glob on the names of functions.
    pub function: &'a str,
    /// The entry with which the part begins, from 1.
    pub first: u64,
    /// The number of entries in it, at least 1. The next entry ends it; `None` if it does not end.
    pub entries: Option<u64>,
}

impl<'a> Part<'a> {
    /// The syntax of a part.
    pub const EXPECTED: &'static str =
        "FUNCTION:N or FUNCTION:N+M, such as work:1, with numbers from 1";

    /// The maximum of each number, so that their sum does not overflow.
    const MOST: u64 = 1 << 62;

    /// Reads `FUNCTION:N` or `FUNCTION:N+M`.
    pub fn read(text: &'a str) -> Option<Self> {
        let (function, numbers) = text.rsplit_once(':')?;
        let (first, entries) = match numbers.split_once('+') {
            Some((first, entries)) => (first, Some(number(entries)?)),
            None => (numbers, None),
        };
        // `f::7` has no name in front of its number.
        let is_name = !function.is_empty() && !function.ends_with(':');
        is_name.then_some(Self { function, first: number(first)?, entries })
    }

    /// Returns the number of the entry that ends it.
    pub fn end(&self) -> Option<u64> {
        self.entries.map(|entries| self.first + entries)
    }
}

fn number(text: &str) -> Option<u64> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_digits)?;
    (1..=Part::MOST).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_from_behind() {
        let part = |function, first, entries| Some(Part { function, first, entries });
        assert_eq!(Part::read("work:3"), part("work", 3, None));
        assert_eq!(Part::read("a::f*:003+4"), part("a::f*", 3, Some(4)));
        assert_eq!(Part::read("f(int, char):1"), part("f(int, char)", 1, None));
        assert_eq!(Part::read("f:4611686018427387904"), part("f", 1 << 62, None));
        assert_eq!(Part::read("f:2+5").and_then(|part| part.end()), Some(7));
        assert_eq!(Part::read("f:2").and_then(|part| part.end()), None);
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in [
            "",
            "work",
            "work:",
            ":3",
            "work:0",
            "work:-1",
            "work:x",
            "a::f",
            "a::3",
            "work:1+",
            "work:1+0",
            "work:+1",
            "work: 1",
            "work:1-2",
            "work:4611686018427387905",
            "work:1+2+3",
        ] {
            assert_eq!(Part::read(text), None, "{text}");
        }
    }
}
