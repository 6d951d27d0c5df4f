//! Splits the difference by executed paths.
//!
//! In functions of the same CFG hash, paths of the same number are the same. Where the numbers
//! differ in meaning, since the limits differ, paths are the same if they have the same start,
//! blocks and target. Where paths cannot be compared, the whole function is one part. The
//! instructions of a function outside its paths (of a process that was forked in the middle of one,
//! or of a piece that no path contains) are one part, too.

use std::collections::BTreeMap;

use counts::model::{Counting, End, Function, Path, PathId, Start};

use crate::pairs::Pair;
use crate::parts::{Counted, Sides};
use crate::scale::signed;

/// The kind of a part of a pair of functions.
#[derive(Clone, Copy, Debug)]
pub enum PathChange<'a> {
    /// A path, in A and in B; at least one of them has it.
    Path(Option<&'a Path>, Option<&'a Path>),
    /// The instructions outside of paths.
    Rest,
    /// The whole function: the graph has changed.
    Changed,
    /// The whole function: paths are not counted on both sides.
    NotCounted,
}

/// A part, and the index of its pair.
#[derive(Clone, Copy, Debug)]
pub struct PathPart<'a> {
    /// The index of the pair.
    pub pair: usize,
    /// The kind of part.
    pub what: PathChange<'a>,
}

/// The identity of a path.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    /// Its number.
    Id(PathId),
    /// Its start, its blocks, its end, and the edges at which it may end.
    Way(Start, &'a [u32], End, Vec<(u32, u32)>),
}

/// A path on both sides, its counts, and the instructions that it executed.
type Both<'a> = ([Option<&'a Path>; 2], Sides, Sides);

/// Returns the paths of a pair.
pub fn of<'a>(number: usize, pair: &Pair<'a>) -> Vec<Counted<PathPart<'a>>> {
    let part =
        |what, count, executed| Counted { what: PathPart { pair: number, what }, count, executed };
    let counted = [pair.a, pair.b].into_iter().flatten().all(|of| of.counting == Counting::Paths);
    let (entries, executed) = whole(pair);
    if !counted {
        return vec![part(PathChange::NotCounted, entries, executed)];
    }
    if pair.a.is_some() && pair.b.is_some() && !pair.has_one_graph() {
        return vec![part(PathChange::Changed, entries, executed)];
    }
    let hashes = [pair.a, pair.b].map(|of| of.map(|of| of.shape.cfg_hash));
    let has_one_numbering = hashes[0].zip(hashes[1]).is_none_or(|(a, b)| a == b);
    let mut paths: BTreeMap<Key<'a>, Both<'a>> = BTreeMap::new();
    for (side, function) in [pair.a, pair.b].into_iter().enumerate() {
        for (function, path) in
            function.into_iter().flat_map(|of| of.paths.iter().map(move |path| (of, path)))
        {
            let key = if has_one_numbering { Key::Id(path.id) } else { way(function, path) };
            let (known, count, executed) = paths.entry(key).or_default();
            known[side] = Some(path);
            *count = count.plus(on(side, signed(path.count)));
            *executed = executed.plus(on(side, signed(path.executed())));
        }
    }
    let mut rest = executed;
    let mut parts = Vec::with_capacity(paths.len() + 1);
    for ([a, b], count, executed) in paths.into_values() {
        rest = rest.minus(executed);
        parts.push(part(PathChange::Path(a, b), count, executed));
    }
    if rest != Sides::default() {
        parts.push(part(PathChange::Rest, Sides::default(), rest));
    }
    parts
}

/// Returns the entries of the functions of a pair, and the instructions that they executed.
pub fn whole(pair: &Pair<'_>) -> (Sides, Sides) {
    let of = |what: fn(&Function) -> u128| Sides {
        a: pair.a.map_or(0, |function| signed(what(function))),
        b: pair.b.map_or(0, |function| signed(what(function))),
    };
    (of(|function| function.entries), of(Function::executed))
}

/// Returns a number on one side: 0 is A.
fn on(side: usize, number: i128) -> Sides {
    if side == 0 { Sides { a: number, b: 0 } } else { Sides { a: 0, b: number } }
}

fn way<'a>(function: &'a Function, path: &'a Path) -> Key<'a> {
    let is_last = |end| Some(end) == path.last;
    let edges = function.shape.edges.iter();
    let ends = edges.filter(|edge| edge.cut.is_some_and(|(end, _)| is_last(end)));
    let ends = ends.map(|edge| (edge.from, edge.to)).collect();
    Key::Way(path.start, &path.blocks, path.end, ends)
}
