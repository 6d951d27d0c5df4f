//! Matches the lines of a function before and after a change.
//!
//! The text of A is not available, so its lines are identified by debug information: the columns at
//! which code begins, and the callees there. The lines of each function's text are two sequences,
//! which are compared as texts are (Myers, *An O(ND) Difference Algorithm*, 1986). A line without a
//! match keeps its distance to the next matched line above. If most matched lines moved by the same
//! distance, all lines are assumed to have moved by it: code that was only compiled differently
//! keeps its lines.
//!
//! A block belongs to its first line, whatever function that is of: inlined code is compared with
//! code of the same function, wherever that was inlined before.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

use counts::lines;
use counts::model::{Count, Function};
use counts::path_text::base_name;
use pathformat::manifest::{self, Location};
use similar::{Algorithm, capture_diff_slices};

use crate::parts::Sides;
use crate::scale::signed;

/// The blocks that begin on one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The function whose text it is; empty if no line is known.
    pub(crate) function: &'a str,
    /// The line in A; `None` if no block of A begins there.
    pub(crate) a: Option<u32>,
    /// The line in B; `None` if no block of B begins there.
    pub(crate) b: Option<u32>,
    /// The number of times the line ran.
    pub(crate) count: Sides,
    /// The instructions that its blocks executed.
    pub(crate) executed: Sides,
}

/// A function's text: the last component of its file's path, and its name.
type Text<'a> = (&'a str, &'a str);

/// The hash of each line of a text, by its number.
type Looks = BTreeMap<u32, u64>;

/// The lines of longer texts, which are not written by people, are assumed not to have moved.
const MOST_LINES: usize = 20_000;

/// Returns the lines of two functions, text by text in the order of B; blocks without a line come
/// first. `executed` returns the instructions that each block executed.
pub(crate) fn compare<'a>(
    a: &'a Function,
    b: &'a Function,
    executed: fn(&Function) -> Vec<i128>,
) -> Vec<Line<'a>> {
    let (of_a, of_b) = (looks(&a.shape), looks(&b.shape));
    let none = Looks::new();
    let moved: HashMap<Text<'_>, Moved> = of_a
        .iter()
        .map(|(text, lines)| (*text, Moved::between(lines, of_b.get(text).unwrap_or(&none))))
        .collect();
    let mut lines: BTreeMap<Option<(Text<'a>, i64)>, Line<'a>> = BTreeMap::new();
    for (function, is_b) in [(a, false), (b, true)] {
        let counts = counts(function);
        for (block, executed) in executed(function).into_iter().enumerate() {
            let known = first_line(&function.shape, block);
            let place = known.map(|(text, number)| match moved.get(&text) {
                Some(moved) if !is_b => (text, moved.to_b(number)),
                _ => (text, number.into()),
            });
            let line = lines.entry(place).or_default();
            line.function = known.map_or("", |((_, function), _)| function);
            let count = known.and_then(|known| counts.get(&known).copied()).unwrap_or_default();
            let (number, counted, sum) = if is_b {
                (&mut line.b, &mut line.count.b, &mut line.executed.b)
            } else {
                (&mut line.a, &mut line.count.a, &mut line.executed.a)
            };
            // Several lines of A may correspond to one line of B.
            *number = number.or(known.map(|(_, number)| number));
            *counted = count.max(*counted);
            *sum = sum.saturating_add(executed);
        }
    }
    lines.into_values().collect()
}

/// A line of the text of two functions, without inlined code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnLine {
    /// Its number in B, or in A if there is no function in B.
    pub line: u32,
    /// The number of times it ran in A; `None` if it has no code there.
    pub a: Option<Count>,
    /// The number of times it ran in B; `None` if it has no code there.
    pub b: Option<Count>,
}

/// Returns the lines with code of two functions, without inlined code. A line of A is at its place
/// in B.
pub fn own(a: Option<&Function>, b: Option<&Function>) -> Vec<OwnLine> {
    let mut lines: BTreeMap<u32, OwnLine> = BTreeMap::new();
    let moved = a.zip(b).map(|(a, b)| {
        let own = |of: &Function| own_looks(&of.shape);
        Moved::between(&own(a), &own(b))
    });
    for (line, count) in a.into_iter().flat_map(own_counts) {
        let there = moved.as_ref().map_or(line.into(), |moved| moved.to_b(line));
        let Ok(line) = u32::try_from(there) else { continue };
        let known = lines.entry(line).or_insert(OwnLine { line, ..OwnLine::default() });
        known.a = known.a.max(Some(count));
    }
    for (line, count) in b.into_iter().flat_map(own_counts) {
        lines.entry(line).or_insert(OwnLine { line, ..OwnLine::default() }).b = Some(count);
    }
    lines.into_values().collect()
}

/// Returns the counts of the lines of a function's own text.
fn own_counts(function: &Function) -> Vec<(u32, Count)> {
    let is_own = |file: &str, call: Option<u32>| call.is_none() && file == function.shape.file;
    lines::of(function)
        .into_iter()
        .filter(|((file, _, inlined_at), _)| is_own(file, *inlined_at))
        .map(|((_, line, _), count)| (line, count))
        .collect()
}

/// Returns the hashes of the lines of a function's own text.
fn own_looks(shape: &manifest::Function) -> Looks {
    let own = shape.own_location().map(|own| (base_name(&shape.file), own.function.as_str()));
    own.and_then(|own| looks(shape).remove(&own)).unwrap_or_default()
}

/// Returns the count of each line of each text.
fn counts(function: &Function) -> HashMap<(Text<'_>, u32), i128> {
    let shape = &function.shape;
    let mut names: HashMap<(&str, u32, Option<u32>), &str> = HashMap::new();
    for location in &shape.locations {
        let place = (location.file.as_str(), location.line, location.inlined_at);
        names.insert(place, &location.function);
    }
    let mut counts: HashMap<(Text<'_>, u32), i128> = HashMap::new();
    for ((file, line, inlined_at), count) in lines::of(function) {
        if let Some(name) = names.get(&(file, line, inlined_at)) {
            let sum = counts.entry(((base_name(file), name), line)).or_default();
            *sum = sum.saturating_add(signed(count));
        }
    }
    counts
}

/// Returns the first line of a block, and its text.
fn first_line(shape: &manifest::Function, block: usize) -> Option<(Text<'_>, u32)> {
    let location = lines::locations(shape, &shape.blocks[block]).next()?;
    Some((text(location), location.line))
}

fn text(location: &Location) -> Text<'_> {
    (base_name(&location.file), &location.function)
}

/// The distances by which the lines of a text have moved from A to B.
#[derive(Default)]
struct Moved {
    /// The first line of A and the distance, for each step; by line.
    steps: Vec<(u32, i64)>,
    /// The distance above the first step.
    before: i64,
}

impl Moved {
    fn between(a: &Looks, b: &Looks) -> Self {
        if a.len().max(b.len()) > MOST_LINES {
            return Self::default();
        }
        let texts = [a, b].map(|lines| lines.values().copied().collect::<Vec<_>>());
        let numbers = [a, b].map(|lines| lines.keys().copied().collect::<Vec<_>>());
        let mut steps = Vec::new();
        for step in capture_diff_slices(Algorithm::Myers, &texts[0], &texts[1]) {
            if let similar::DiffOp::Equal { old_index, new_index, len } = step {
                let pairs =
                    (0..len).map(|at| (numbers[0][old_index + at], numbers[1][new_index + at]));
                steps.extend(pairs.map(|(a, b)| (a, i64::from(b) - i64::from(a))));
            }
        }
        let Some(&(_, before)) = steps.first() else { return Self::default() };
        // The number of lines with equal hashes at one distance.
        let stayed = |distance: i64| {
            let there = |line: u32| u32::try_from(i64::from(line) + distance).ok();
            let same = |(line, look): &(&u32, &u64)| {
                there(**line).and_then(|there| b.get(&there)) == Some(*look)
            };
            a.iter().filter(same).count()
        };
        let distances: BTreeSet<i64> = steps.iter().map(|&(_, distance)| distance).collect();
        let most = distances.into_iter().max_by_key(|&distance| (stayed(distance), distance == 0));
        match most.filter(|&distance| stayed(distance) * 10 >= steps.len() * 9) {
            Some(before) => Self { steps: Vec::new(), before },
            None => Self { steps, before },
        }
    }

    /// Returns the line of B for a line of A.
    fn to_b(&self, line: u32) -> i64 {
        let above = self.steps.partition_point(|&(from, _)| from <= line).checked_sub(1);
        i64::from(line) + above.map_or(self.before, |at| self.steps[at].1)
    }
}

/// Returns the hashes of the lines of each text.
fn looks(shape: &manifest::Function) -> BTreeMap<Text<'_>, Looks> {
    let mut seen: BTreeMap<(Text<'_>, u32), BTreeSet<(u32, &str)>> = BTreeMap::new();
    for block in &shape.blocks {
        for location in lines::locations(shape, block) {
            let things = seen.entry((text(location), location.line)).or_default();
            things.insert((location.column, ""));
        }
        for call in &block.calls {
            let location = call.location.and_then(|at| shape.locations.get(at as usize));
            if let Some(location) = location.filter(|location| location.line != 0) {
                let things = seen.entry((text(location), location.line)).or_default();
                things.insert((location.column, &call.callee));
            }
        }
    }
    let mut texts: BTreeMap<Text<'_>, Looks> = BTreeMap::new();
    for ((text, line), things) in seen {
        let mut hasher = DefaultHasher::new();
        things.hash(&mut hasher);
        texts.entry(text).or_default().insert(line, hasher.finish());
    }
    texts
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::Block;

    use super::*;

    /// Returns a function declared on a line, with a block for each (line, column). Each block ran
    /// `count` times and executed ten times as many instructions.
    fn function(line: u32, blocks: &[(u32, u32)], count: Count) -> Function {
        let location = |&(line, column): &(u32, u32)| Location {
            file: "a.c".into(),
            line,
            column,
            ..Location::default()
        };
        let block = |at: u32| Block { locations: vec![at], ..Block::default() };
        let shape = manifest::Function {
            file: "a.c".into(),
            line,
            locations: blocks.iter().map(location).collect(),
            blocks: (0..blocks.len() as u32).map(block).collect(),
            ..manifest::Function::default()
        };
        Function { block_counts: vec![count; blocks.len()], shape, ..Function::default() }
    }

    fn lines(a: &Function, b: &Function) -> Vec<(Option<u32>, Option<u32>, i128, i128)> {
        let executed =
            |of: &Function| of.block_counts.iter().map(|&count| signed(count) * 10).collect();
        let lines = compare(a, b, executed).into_iter();
        lines.map(|line| (line.a, line.b, line.executed.a, line.executed.b)).collect()
    }

    #[test]
    fn own_lines_of_a_stand_where_b_has_them() {
        let mut a = function(1, &[(2, 3), (3, 9), (4, 5)], 1);
        let mut b = function(1, &[(2, 3), (5, 9), (6, 5)], 2);
        (a.entries, b.entries) = (7, 9);
        let lines =
            |a, b| -> Vec<_> { own(a, b).iter().map(|line| (line.line, line.a, line.b)).collect() };
        let none: [(u32, Option<Count>, Option<Count>); 0] = [];
        assert_eq!(lines(None, None), none);
        let numbers = |lines: &[(u32, Option<Count>, Option<Count>)]| {
            lines.iter().map(|line| line.0).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&lines(Some(&a), None)), [1, 2, 3, 4]);
        // Two lines were inserted before the last two.
        assert_eq!(numbers(&lines(Some(&a), Some(&b))), [1, 2, 5, 6]);
        let both = lines(Some(&a), Some(&b));
        assert!(both.iter().all(|line| line.1.is_some() && line.2.is_some()), "{both:?}");
        // The first line has the count of entries.
        assert_eq!(both[0], (1, Some(7), Some(9)));
    }

    #[test]
    fn lines_below_an_inserted_one_are_found() {
        let a = function(1, &[(2, 3), (3, 5), (4, 7), (6, 2)], 1);
        let b = function(11, &[(12, 3), (13, 9), (14, 5), (15, 7), (17, 2)], 2);
        let expected = [
            (Some(2), Some(12), 10, 20),
            (None, Some(13), 0, 20),
            (Some(3), Some(14), 10, 20),
            (Some(4), Some(15), 10, 20),
            (Some(6), Some(17), 10, 20),
        ];
        assert_eq!(lines(&a, &b), expected);
        // A line that was removed shares a place with the line that replaced it.
        let c = function(1, &[(2, 3), (3, 8), (4, 7), (6, 2)], 2);
        assert_eq!(lines(&a, &c)[1], (Some(3), Some(3), 10, 20));
    }

    #[test]
    fn code_that_is_compiled_otherwise_keeps_its_lines() {
        // One line has other columns and one is missing, as at another level of optimisation.
        let places: Vec<_> = (2..22).map(|line| (line, line % 3)).collect();
        let a = function(1, &places, 1);
        let mut others = places.clone();
        others[4].1 = 9;
        others.remove(10);
        let found = lines(&a, &function(1, &others, 1));
        assert!(found.iter().all(|(a, b, ..)| a.zip(*b).is_none_or(|(a, b)| a == b)), "{found:?}");
        assert_eq!(found.iter().filter(|(_, b, ..)| b.is_none()).count(), 1);
    }

    #[test]
    fn inlined_code_is_found_wherever_it_was_inlined() {
        // Line 7 of another function was inlined at line 2, and then at line 4, where it moved.
        let inlined = |at: &mut Function, call: u32, line: u32| {
            at.shape.locations[1] = Location {
                file: "b.h".into(),
                function: "g".into(),
                line,
                inlined_at: Some(call),
                ..at.shape.locations[1].clone()
            };
        };
        let mut a = function(1, &[(2, 3), (7, 1), (4, 4)], 1);
        inlined(&mut a, 0, 7);
        let mut b = function(1, &[(2, 3), (7, 1), (4, 4), (5, 5)], 3);
        inlined(&mut b, 2, 9);
        let executed =
            |of: &Function| of.block_counts.iter().map(|&count| signed(count) * 10).collect();
        let lines = compare(&a, &b, executed);
        let g = lines.iter().find(|line| line.function == "g").expect("it is there");
        assert_eq!((g.a, g.b, g.executed), (Some(7), Some(9), Sides { a: 10, b: 30 }));
        assert_eq!(lines.iter().map(|line| line.executed.b).sum::<i128>(), 120);
        // Blocks without a line are compared as a whole.
        a.shape.locations[2].line = 0;
        let lines = compare(&a, &b, executed);
        assert_eq!((lines[0].function, lines[0].a, lines[0].executed.a), ("", None, 10));
    }
}
