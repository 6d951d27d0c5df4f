//! The source of the functions that differ, with the counts of both sides.
//!
//! The text is that of B, from the disk, or that of A for a function that B does not have. Lines of
//! A are at their present places in B. Inlined code is left out: its lines are in the list of
//! blocks and lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use compare::comparison::Comparison;
use compare::pairs::Pair;
use compare::scale::signed;
use compare::source_lines::{OwnLine, own};
use counts::model::{Count, Report};
use rayon::prelude::*;
use serde::Serialize;

use crate::export::html::files;
use crate::export::html::payload::{Signed, shown};

/// The largest number of lines of a function with its text. A longer function was generated.
const MOST_LINES: u32 = 20_000;

/// The source of a pair of functions, in columns with an entry for each line that has code.
#[derive(Serialize)]
pub(super) struct Source {
    path: String,
    /// True if the file was written after the image.
    newer: bool,
    /// The number of the first line.
    first: u32,
    /// All lines.
    text: Vec<String>,
    line: Vec<u32>,
    /// `null` where a side has no code.
    a: Vec<Option<Signed>>,
    b: Vec<Option<Signed>>,
    difference: Vec<Signed>,
}

/// Returns the sources of all pairs with a path, a block or a line that differs, by the index of
/// the pair. Pairs without readable source are left out.
pub(super) fn of(comparison: &Comparison<'_>) -> BTreeMap<usize, Source> {
    let paths = comparison.paths.differing.iter().map(|part| part.what.pair);
    let blocks = comparison.blocks.differing.iter().map(|part| part.what.pair);
    let pairs: BTreeSet<usize> = paths.chain(blocks).collect();
    let place = |&pair: &usize| Some((pair, path(comparison, comparison.pair(pair))?));
    let pairs: Vec<(usize, PathBuf)> = pairs.iter().filter_map(place).collect();
    let names: BTreeSet<&PathBuf> = pairs.iter().map(|(_, path)| path).collect();
    let texts: BTreeMap<&PathBuf, String> =
        names.into_par_iter().filter_map(|path| Some((path, files::text(path)?))).collect();
    let source = |(pair, path): &(usize, PathBuf)| {
        let lines: Vec<&str> = texts.get(path)?.lines().collect();
        Some((*pair, source(comparison, comparison.pair(*pair), path, &lines)?))
    };
    pairs.par_iter().filter_map(source).collect()
}

/// Returns the side whose text is shown.
fn side<'a>(comparison: &Comparison<'a>, pair: &Pair<'_>) -> &'a Report {
    if pair.b.is_some() { comparison.b } else { comparison.a }
}

/// Returns the path of the text; `None` without debug information.
fn path(comparison: &Comparison<'_>, pair: &Pair<'_>) -> Option<PathBuf> {
    let function = pair.b.or(pair.a)?;
    let module = &side(comparison, pair).modules[function.module];
    (!function.shape.file.is_empty()).then(|| module.path(&function.shape.file))
}

fn source(
    comparison: &Comparison<'_>,
    pair: &Pair<'_>,
    path: &Path,
    text: &[&str],
) -> Option<Source> {
    let mut lines = own(pair.a, pair.b);
    // The file may have become shorter, and a line of A may not exist any more.
    lines.retain(|of| of.line > 0 && of.line as usize <= text.len());
    let (first, last) = (lines.first()?.line, lines.last()?.line);
    if last - first > MOST_LINES {
        return None;
    }
    let count = |of: Option<Count>| of.map(|count| Signed(signed(count)));
    let difference = |of: &OwnLine| {
        let [a, b] = [of.a, of.b].map(|count| signed(count.unwrap_or_default()));
        Signed(comparison.scale.difference(a, b))
    };
    Some(Source {
        path: shown(&path.to_string_lossy()).into_owned(),
        newer: files::is_later(path, files::last_written(&side(comparison, pair).images)),
        first,
        text: text[first as usize - 1..last as usize].iter().map(|&line| line.into()).collect(),
        line: lines.iter().map(|of| of.line).collect(),
        a: lines.iter().map(|of| count(of.a)).collect(),
        b: lines.iter().map(|of| count(of.b)).collect(),
        difference: lines.iter().map(difference).collect(),
    })
}
