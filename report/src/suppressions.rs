//! Suppressions: races and orders of locks that are known, and not told.
//!
//! The file has the form that ThreadSanitizer reads: a line `race:PATTERN` or `deadlock:PATTERN`,
//! or a comment after `#`. A pattern is a part of the name of a function, a file or an object; `*`
//! stands for anything, `^` for the beginning and `$` for the end. Lines of kinds that are
//! ThreadSanitizer's alone suppress nothing here.

use anyhow::{Result, bail};

/// The kinds of ThreadSanitizer that have no meaning for traces.
const OTHERS: [&str; 5] = ["thread", "mutex", "signal", "called_from_lib", "race_top"];

/// What is not told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    races: Vec<String>,
    deadlocks: Vec<String>,
}

impl Suppressions {
    /// Reads them.
    ///
    /// # Errors
    /// A line has another form.
    pub fn read(text: &str) -> Result<Self> {
        let mut known = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            match line.split_once(':') {
                Some(("race", pattern)) => known.races.push(pattern.trim().into()),
                Some(("deadlock", pattern)) => known.deadlocks.push(pattern.trim().into()),
                Some((kind, _)) if OTHERS.contains(&kind) => {}
                _ => bail!(
                    "line {number}: `{line}` is no suppression: write `race:PATTERN` or \
                     `deadlock:PATTERN`"
                ),
            }
        }
        Ok(known)
    }

    /// Returns true if a race is suppressed in which one of these names has a part.
    pub fn has_race(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.races.iter().any(|pattern| matches(pattern, name)))
    }

    /// Returns true if an order of locks is suppressed in which one of these names has a part.
    pub fn has_deadlock(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.deadlocks.iter().any(|pattern| matches(pattern, name)))
    }
}

/// Returns true if a pattern matches a part of a name.
fn matches(pattern: &str, name: &str) -> bool {
    let (at_begin, pattern) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (at_end, pattern) = match pattern.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let mut parts: Vec<&str> = pattern.split('*').collect();
    if !at_begin {
        parts.insert(0, "");
    }
    if !at_end {
        parts.push("");
    }
    let [first, middle @ .., last] = parts.as_slice() else { return name == pattern };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_for_the_sanitizer() {
        for (pattern, name, is_match) in [
            ("count", "discount", true),
            ("^count", "discount", false),
            ("^dis", "discount", true),
            ("count$", "discount", true),
            ("count$", "counter", false),
            ("^count$", "count", true),
            ("^count$", "counts", false),
            ("d*u*t", "discount", true),
            ("^d*x", "discount", false),
            ("std::*::push", "std::vector<int>::push_back", true),
            ("", "anything", true),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
    }

    #[test]
    fn lines_are_races_deadlocks_or_comments() {
        let text = "# known\nrace:^flag$ # since ever\n\ndeadlock:lock_both\nmutex:old\n";
        let known = Suppressions::read(text).expect("it is sound");
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<String>>();
        let (flag, lock) = (names(&["other", "flag"]), names(&["lock_both"]));
        assert!(known.has_race(&flag) && !known.has_race(&lock));
        assert!(known.has_deadlock(&lock) && !known.has_deadlock(&flag));
        let error = Suppressions::read("race:x\nraces:y").expect_err("a word is wrong");
        assert!(error.to_string().starts_with("line 2: `races:y`"), "{error}");
    }
}
