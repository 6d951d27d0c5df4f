//! The weights file: the counts of the edges of each function, and the hot functions, for a second
//! compilation (`-fpath-use=`, `-fpath-hot=`).
//!
//! It is text, so that it can be read and compared. Functions are identified by the source file
//! from which they were compiled and by their name; inline functions, whose copies the linker
//! merged, by the name alone. The second compilation may name the file differently, as from another
//! directory: then the file with the most similar end of its path is used. A function whose graph
//! has changed is detected by its edges. Letters, digits, spaces and graphic ASCII characters are
//! written as they are in a name; any other character, and a backslash, is written as its code
//! (`\u{a}`), so that no name ends its line. An empty name is a single backslash.
//!
//! ```text
//! pathcc weights 2
//! source src/a.c
//! function main
//! hotter 953
//! edge 0 1 17
//! edge 0 2 3
//! ```

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// The first line.
const HEAD: &str = "pathcc weights 2";

/// The source of inline functions.
const INLINE: &str = "*";

/// The edges of a function: source block, target block, and count.
pub type Edges = Vec<(u32, u32, u64)>;

/// The weights of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionWeights {
    /// The instructions of functions that executed more than this one, per thousand of all executed
    /// instructions.
    pub hotter: u32,
    /// Its edges.
    pub edges: Edges,
}

/// The weights, by source file and function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// The functions, by their names as written in the file.
    functions: BTreeMap<String, BTreeMap<String, FunctionWeights>>,
    /// See [`is_ambiguous`](Self::is_ambiguous).
    ambiguous: bool,
}

/// Returns a name as written in the file. Different names stay different.
fn word(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c != '\\' && (c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric());
    match name {
        "" => Cow::Borrowed("\\"),
        _ if name.chars().all(is_plain) => Cow::Borrowed(name),
        _ => {
            let mut word = String::with_capacity(name.len() + 8);
            for c in name.chars() {
                if is_plain(c) { word.push(c) } else { word.extend(c.escape_unicode()) }
            }
            Cow::Owned(word)
        }
    }
}

/// Returns the source of a function as written in the file.
fn source_word(source: Option<&str>) -> Cow<'_, str> {
    match source {
        None => Cow::Borrowed(INLINE),
        // A file with the name that stands for no file.
        Some(INLINE) => Cow::Borrowed("\\u{2a}"),
        Some(source) => word(source),
    }
}

impl Weights {
    /// Adds the weights of a function; `source` is `None` for an inline one. If several copies, in
    /// several images, have the same edges, their counts are added up, and the least `hotter` is
    /// kept. Otherwise the hottest copy is kept.
    pub fn insert(&mut self, source: Option<&str>, function: &str, known: FunctionWeights) {
        self.insert_words(&source_word(source), &word(function), known);
    }

    fn insert_words(&mut self, source: &str, function: &str, known: FunctionWeights) {
        let functions = self.functions.entry(source.into()).or_default();
        let Some(other) = functions.get_mut(function) else {
            functions.insert(function.into(), known);
            return;
        };
        let same = |(one, other): (&(u32, u32, u64), &(u32, u32, u64))| {
            (one.0, one.1) == (other.0, other.1)
        };
        if other.edges.len() == known.edges.len() && other.edges.iter().zip(&known.edges).all(same)
        {
            let counts = known.edges.iter().map(|&(_, _, count)| count);
            other
                .edges
                .iter_mut()
                .zip(counts)
                .for_each(|((_, _, sum), count)| *sum = sum.saturating_add(count));
            other.hotter = other.hotter.min(known.hotter);
        } else if known.hotter < other.hotter {
            *other = known;
        }
    }

    /// Returns the weights of a function of this source file, or of an inline function of that
    /// name.
    pub fn get(&self, source: &str, function: &str) -> Option<&FunctionWeights> {
        let function = word(function);
        let of = |source: &str| self.functions.get(source)?.get(&*function);
        of(&source_word(Some(source))).or_else(|| of(INLINE))
    }

    /// Returns the content of the file.
    pub fn to_text(&self) -> String {
        let mut text = String::from(HEAD);
        text.push('\n');
        for (source, functions) in &self.functions {
            let _ = writeln!(text, "source {source}");
            for (function, FunctionWeights { hotter, edges }) in functions {
                let _ = writeln!(text, "function {function}\nhotter {hotter}");
                for (from, to, count) in edges {
                    let _ = writeln!(text, "edge {from} {to} {count}");
                }
            }
        }
        text
    }

    /// Returns true if there are weights of functions of this source file that are not inline.
    pub fn knows(&self, source: &str) -> bool {
        self.functions.contains_key(&*source_word(Some(source)))
    }

    /// Returns true if several sources in the file match the requested one equally well, so that
    /// none was chosen.
    pub const fn is_ambiguous(&self) -> bool {
        self.ambiguous
    }

    /// Reads a file, but keeps only the weights that [`get`](Self::get) can return for this source.
    /// If the file does not name the source, the source is used whose path ends with most of the
    /// same names, at least the name of the file; none if several match equally well.
    ///
    /// # Errors
    /// The number of the first invalid line, from 1.
    pub fn for_source(text: &str, source: &str) -> Result<Self, usize> {
        let mut weights = Self::default();
        let mut lines = text.lines().zip(1..);
        if lines.next().is_none_or(|(line, _)| line != HEAD) {
            return Err(1);
        }
        let source = source_word(Some(source));
        let nearest = match nearest(text, &source)[..] {
            [] => None,
            [one] => Some(one),
            [..] => {
                weights.ambiguous = true;
                None
            }
        };
        let mut part = "";
        let mut function = "";
        for (line, number) in lines {
            let (word, rest) = line.split_once(' ').ok_or(number)?;
            let key = if Some(part) == nearest { &*source } else { part };
            let is_wanted = Some(part) == nearest || part == INLINE;
            match word {
                "source" => (part, function) = (rest, ""),
                "function" if !part.is_empty() => {
                    function = rest;
                    if is_wanted {
                        weights.insert_words(key, function, FunctionWeights::default());
                    }
                }
                "hotter" | "edge" if !function.is_empty() => {
                    let functions = weights.functions.get_mut(key).filter(|_| is_wanted);
                    let mut unwanted = FunctionWeights::default();
                    let known = functions
                        .and_then(|functions| functions.get_mut(function))
                        .unwrap_or(&mut unwanted);
                    if word == "edge" {
                        known.edges.push(edge(rest).ok_or(number)?);
                    } else {
                        known.hotter = rest.parse().map_err(|_| number)?;
                    }
                }
                _ => return Err(number),
            }
        }
        Ok(weights)
    }
}

/// Returns the sources in a file that match this one, as written there: itself, or those whose
/// paths end with most of the same names.
fn nearest<'a>(text: &'a str, source: &str) -> Vec<&'a str> {
    let names = |path: &'a str| path.rsplit('/').filter(|name| !matches!(*name, "" | "."));
    let (mut best, mut longest) = (Vec::new(), 1);
    for part in text.lines().filter_map(|line| line.strip_prefix("source ")) {
        if part == source {
            return Vec::from([part]);
        }
        let own = source.rsplit('/').filter(|name| !matches!(*name, "" | "."));
        let common = names(part).zip(own).take_while(|(one, other)| one == other).count();
        if part == INLINE || common < longest {
            continue;
        }
        if common > longest {
            best.clear();
            longest = common;
        }
        best.push(part);
    }
    best
}

fn edge(numbers: &str) -> Option<(u32, u32, u64)> {
    let mut numbers = numbers.split(' ');
    let edge = (
        numbers.next()?.parse().ok()?,
        numbers.next()?.parse().ok()?,
        numbers.next()?.parse().ok()?,
    );
    numbers.next().is_none().then_some(edge)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn known(hotter: u32, edges: Edges) -> FunctionWeights {
        FunctionWeights { hotter, edges }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut weights = Weights::default();
        weights.insert(Some("src/a b.c"), "main", known(7, vec![(0, 1, 17), (0, 2, u64::MAX)]));
        weights.insert(Some("src/c.c"), "main", known(0, vec![(0, 1, 5)]));
        weights.insert(None, "operator new", known(999, vec![(0, 3, 1)]));
        let text = weights.to_text();
        let read = Weights::for_source(&text, "src/a b.c").expect("sound");
        assert_eq!(
            read.get("src/a b.c", "main"),
            Some(&known(7, vec![(0, 1, 17), (0, 2, u64::MAX)]))
        );
        assert_eq!(read.get("src/a b.c", "operator new"), Some(&known(999, vec![(0, 3, 1)])));
        assert_eq!(read.get("src/c.c", "main"), None);
        assert_eq!(read.get("src/a b.c", "other"), None);
    }

    #[test]
    fn a_source_may_be_named_from_another_directory() {
        let mut weights = Weights::default();
        for (at, source) in
            ["/old/src/a.c", "/old/lib/a.c", "/old/lib/b.c", "c.c"].iter().enumerate()
        {
            weights.insert(Some(source), "f", known(at as u32, vec![(0, 1, 5)]));
        }
        weights.insert(None, "a.c", known(9, vec![]));
        let text = weights.to_text();
        let of = |source: &str| {
            let read = Weights::for_source(&text, source).expect("sound");
            assert_eq!(read.knows(source), read.get(source, "f").is_some(), "{source}");
            assert_eq!(read.is_ambiguous(), ["a.c", "/new/a.c"].contains(&source), "{source}");
            read.get(source, "f").map(|known| known.hotter)
        };
        let found = ["/old/src/a.c", "../src/a.c", "./lib/a.c", "/new/lib/a.c", "b.c", "./c.c"];
        assert_eq!(found.map(of), [0, 0, 1, 1, 2, 3].map(Some));
        // Two sources match equally well, or none does.
        assert_eq!(["a.c", "/new/a.c", "d.c", "xb.c", "", "/"].map(of), [None; 6]);
    }

    #[test]
    fn no_name_forges_a_line() {
        let names = [
            "",
            "*",
            "\\",
            "\\u{a}",
            "a b ",
            "f\nedge 0 1 9",
            "f\r",
            "\u{85}\u{2028}\x1b[2J\u{202e}",
            "größe",
            "a\u{a0}b",
            "hotter 7",
        ];
        for source in names {
            let mut weights = Weights::default();
            for (at, name) in names.into_iter().enumerate() {
                weights.insert(Some(source), name, known(at as u32, vec![(0, 1, at as u64)]));
            }
            weights.insert(None, "inline", known(99, vec![]));
            let text = weights.to_text();
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
            assert_eq!(text.lines().count(), 1 + 1 + 3 * names.len() + 3, "{text}");
            let read = Weights::for_source(&text, source).expect("sound");
            for (at, name) in names.into_iter().enumerate() {
                assert_eq!(
                    read.get(source, name),
                    Some(&known(at as u32, vec![(0, 1, at as u64)])),
                    "{name:?}"
                );
            }
            assert_eq!(read.get(source, "inline"), Some(&known(99, vec![])));
            assert_eq!(read.get(source, "\n"), None);
        }
    }

    #[test]
    fn copies_of_a_function_are_one() {
        let mut weights = Weights::default();
        weights.insert(Some("a.c"), "f", known(3, vec![(0, 1, 5)]));
        weights.insert(Some("a.c"), "f", known(900, vec![(0, 1, 2)]));
        assert_eq!(weights.get("a.c", "f"), Some(&known(3, vec![(0, 1, 7)])));
        weights.insert(Some("a.c"), "f", known(950, vec![(0, 2, 9)]));
        assert_eq!(weights.get("a.c", "f"), Some(&known(3, vec![(0, 1, 7)])));
    }

    #[test]
    fn wrong_lines_are_named() {
        assert_eq!(Weights::for_source("", "a"), Err(1));
        assert_eq!(Weights::for_source("PATHPROF", "a"), Err(1));
        assert_eq!(
            Weights::for_source("pathcc weights 2\nsource a\nfunction f\nedge 0 1", "a"),
            Err(4)
        );
        assert_eq!(Weights::for_source("pathcc weights 2\nsource a\nnonsense", "a"), Err(3));
        assert_eq!(
            Weights::for_source("pathcc weights 2\nsource a\nfunction f\nedge 0 1 2 3", "a"),
            Err(4)
        );
        assert_eq!(
            Weights::for_source("pathcc weights 2\nsource a\nfunction f\nhotter x", "a"),
            Err(4)
        );
    }
}
