//! Lays out paths in the width of a terminal.
//!
//! A path that needs more than three lines first loses the names of folded code, then the inlined
//! lines without a decision, and then its middle, since its start and its end are the most
//! important. Where two paths of a function look the same after that, the steps in which they
//! differ are kept.

use std::collections::{BTreeMap, BTreeSet};

use counts::path_text::{Choice, Namer, PathText, Precision, Step};
use owo_colors::AnsiColors::{self, BrightBlack, Red, Yellow};
use owo_colors::OwoColorize;
use unicode_width::UnicodeWidthStr;

use crate::show::style::elide;

/// The largest number of lines of a path on a terminal.
const LINES: usize = 3;

/// The smallest number of lines in a row that are written as a range.
const RANGE: usize = 3;

/// A word with its colours, and without them.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    plain: String,
    /// True if the next word follows without a space.
    joined: bool,
    /// True for inlined code without a decision.
    minor: bool,
    /// The function of the code, which is named where it is not that of the word before.
    function: Option<String>,
}

impl Word {
    fn new(plain: &str, paint: impl FnOnce(&str) -> String) -> Self {
        Self {
            text: paint(plain),
            plain: plain.into(),
            joined: false,
            minor: false,
            function: None,
        }
    }

    fn dim(plain: &str) -> Self {
        Self::new(plain, |text| text.dimmed().to_string())
    }
}

/// Returns each of these paths of one function in lines of at most `width` characters, in full on
/// one line without a width. Paths with different texts look different.
pub fn lay_out_all(texts: &[PathText<'_>], width: Option<usize>) -> Vec<String> {
    let mut texts = texts.to_vec();
    let mut keep = vec![BTreeSet::new(); texts.len()];
    loop {
        let laid: Vec<String> =
            texts.iter().zip(&keep).map(|(text, keep)| lay_out(text, width, keep)).collect();
        let mut equal: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        laid.iter()
            .enumerate()
            .for_each(|(index, laid)| equal.entry(laid).or_default().push(index));
        let groups: Vec<_> = equal.into_values().filter(|group| group.len() > 1).collect();
        if width.is_none() || groups.is_empty() {
            return laid;
        }
        let mut goes_on = false;
        for group in groups {
            let all: Vec<_> = group.iter().map(|&index| words(&texts[index], true)).collect();
            let longest = all.iter().map(Vec::len).max().unwrap_or_default();
            let plain = |words: &[Word], at: usize| words.get(at).map(|word| word.plain.clone());
            let differs = (0..longest)
                .filter(|&at| all.iter().any(|words| plain(words, at) != plain(&all[0], at)))
                .find(|at| group.iter().any(|&index| !keep[index].contains(at)));
            for &index in &group {
                let is_new = match differs {
                    Some(at) if keep[index].len() < LINES => keep[index].insert(at),
                    _ => !std::mem::replace(&mut texts[index].needs_id, true),
                };
                goes_on |= is_new;
            }
        }
        if !goes_on {
            return laid;
        }
    }
}

/// Returns a path in lines of at most `width` characters; in full on one line without a width.
/// Words at the indexes in `keep` are never left out.
fn lay_out(text: &PathText<'_>, width: Option<usize>, keep: &BTreeSet<usize>) -> String {
    let full = words(text, true);
    let Some(width) = width else {
        return wrap(&named(full, text.function), usize::MAX).join("\n");
    };
    let short = |words: Vec<Word>| -> Vec<Word> {
        let short = |word: Word| {
            if word.plain.width() <= width {
                return word;
            }
            let plain = elide(&word.plain, Some(width));
            Word { text: plain.clone(), plain, ..word }
        };
        named(words, text.function).into_iter().map(short).collect()
    };
    if keep.is_empty() {
        for words in [full.clone(), words(text, false), without_minor(words(text, false))] {
            let lines = wrap(&short(words), width);
            if lines.len() <= LINES {
                return lines.join("\n");
            }
        }
        let words = without_minor(words(text, false));
        let brief = |count: usize| wrap(&short(without(&words, count)), width);
        // More omitted words never take more lines.
        let most = words.len().saturating_sub(1);
        return brief(partition(1, most, |count| brief(count).len() <= LINES)).join("\n");
    }
    let kept =
        |head: usize| wrap(&short(with_only(&full, |at| at < head || keep.contains(&at))), width);
    let head = partition(0, full.len(), |head| kept(head).len() > LINES);
    kept(head.saturating_sub(1)).join("\n")
}

/// Returns the smallest number in `from..to` for which `is` holds, which holds for all larger ones;
/// else `to`.
fn partition(from: usize, to: usize, is: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (from, to.max(from));
    while from < to {
        let middle = (from + to) / 2;
        if is(middle) { to = middle } else { from = middle + 1 }
    }
    from
}

/// Returns a sentence after its label, broken into lines of at most `width` characters; on one line
/// without a width.
pub fn remark(label: &str, text: &str, width: Option<usize>) -> String {
    let plain = anstream::adapter::strip_str(label).to_string();
    let label = Word { text: label.into(), plain, joined: false, minor: false, function: None };
    let words = text.split(' ').map(|word| Word::new(word, str::to_string));
    let words: Vec<_> = std::iter::once(label).chain(words).collect();
    wrap(&words, width.unwrap_or(usize::MAX)).join("\n")
}

/// Returns the width of `text` on a terminal, without its colour codes.
pub fn visible_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(UnicodeWidthStr::width).sum()
}

/// Returns the words of a path, with the names of folded code or without.
fn words(text: &PathText<'_>, folded: bool) -> Vec<Word> {
    let mut words: Vec<Word> = text.start.map(Word::dim).into_iter().collect();
    let mut at = 0;
    while at < text.steps.len() {
        let length = range(&text.steps[at..]);
        let (first, last) = (&text.steps[at], &text.steps[at + length - 1]);
        words.push(word(first, (length >= RANGE).then_some(last), folded));
        at += if length >= RANGE { length } else { 1 };
    }
    let arrow = if words.last().is_some_and(|last| last.joined) { "" } else { "→ " };
    words.push(Word::dim(&format!("{arrow}{}", text.end())));
    words
}

/// Returns the number of steps, at least one, through consecutive lines of one function without a
/// decision before the last.
fn range(steps: &[Step<'_>]) -> usize {
    let line = |step: &Step<'_>| step.location.map_or(0, |at| at.line);
    let simple = |step: &Step<'_>| {
        step.location.is_some() && step.precision == Precision::Line && step.folded.is_empty()
    };
    let goes_on = |pair: &&[Step<'_>]| {
        let [one, next] = pair else { return false };
        let same = one.choice.is_none() && one.stack == next.stack;
        same && simple(one) && simple(next) && line(next) == line(one) + 1
    };
    1 + steps.windows(2).take_while(goes_on).count()
}

/// Returns the word of a step, or of a range that begins with it.
fn word(step: &Step<'_>, last: Option<&Step<'_>>, folded: bool) -> Word {
    let place = match last {
        Some(last) => format!("{}–{}", step.place(), last.place()),
        None => step.place(),
    };
    let folded = if folded { step.folded() } else { String::new() };
    let choice = last.unwrap_or(step).choice.as_ref();
    let decided = choice.map(Choice::arrow).unwrap_or_default();
    let paint = |text: &str, colour: AnsiColors| match text {
        "" => String::new(),
        text => text.color(colour).to_string(),
    };
    let arrow = match choice {
        Some(Choice::Throw) => paint(&decided, Red),
        _ => paint(&decided, Yellow),
    };
    Word {
        text: format!("{place}{}{arrow}", paint(&folded, BrightBlack)),
        plain: format!("{place}{folded}{decided}"),
        joined: choice.is_some(),
        minor: step.stack.len() > 1 && choice.is_none(),
        function: step.function(),
    }
}

/// Returns `words` with the names of functions where they change. The first is `function`.
fn named(words: Vec<Word>, function: &str) -> Vec<Word> {
    let mut namer = Namer::new(function);
    let name = |word: Word| {
        let name = word.function.as_deref().and_then(|function| namer.name(function));
        let Some(name) = name else { return word };
        let (text, plain) =
            (format!("{}:{}", name.cyan(), word.text), format!("{name}:{}", word.plain));
        Word { text, plain, ..word }
    };
    words.into_iter().map(name).collect()
}

/// Returns `words` with an ellipsis for each run of minor ones.
fn without_minor(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if !word.minor {
            kept.push(word);
        } else if kept.last().is_none_or(|last| !last.minor) {
            kept.push(Word { minor: true, ..Word::dim("…") });
        }
    }
    kept
}

/// Returns `words` with `count` of them replaced by a remark, in the middle but nearer to the end.
/// Minor words beside the remark are left out as well.
fn without(words: &[Word], count: usize) -> Vec<Word> {
    let middle = (words.len() - count) * 2 / 3;
    let head = words[..middle].iter().rposition(|word| !word.minor).map_or(0, |last| last + 1);
    let tail =
        words[middle + count..].iter().position(|word| !word.minor).unwrap_or(0) + middle + count;
    let remark = more(tail - head);
    words[..head].iter().chain([&remark]).chain(&words[tail..]).cloned().collect()
}

/// Returns the words that are kept, the first and the last among them, and a remark for each gap.
fn with_only(words: &[Word], keep: impl Fn(usize) -> bool) -> Vec<Word> {
    let mut kept = Vec::new();
    let mut gap = 0;
    for (at, word) in words.iter().enumerate() {
        if at == 0 || at + 1 == words.len() || keep(at) {
            kept.extend((gap > 0).then(|| more(gap)));
            kept.push(word.clone());
            gap = 0;
        } else {
            gap += 1;
        }
    }
    kept
}

fn more(count: usize) -> Word {
    Word::dim(&format!("… {count} more …"))
}

fn wrap(words: &[Word], width: usize) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    let mut joined = false;
    for word in words {
        let (space, wide) = (usize::from(!joined), word.plain.width());
        match lines.last_mut() {
            Some((line, taken)) if *taken + space + wide <= width => {
                *line += if joined { "" } else { " " };
                *line += &word.text;
                *taken += space + wide;
            }
            _ => lines.push((word.text.clone(), wide)),
        }
        joined = word.joined;
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::Location;

    use counts::model::PathId;

    use super::*;

    /// Returns steps on these lines of one function, each with a choice behind it.
    fn path<'a>(locations: &'a [Location], lines: &[usize]) -> PathText<'a> {
        let step = |(position, &line): (usize, &usize)| Step {
            stack: vec!["f"],
            location: Some(&locations[line]),
            choice: Some(Choice::Branch),
            ..Step::of_block(position, line as u32)
        };
        PathText {
            function: "f",
            start: Some("loop:"),
            steps: lines.iter().enumerate().map(step).collect(),
            end: "loop 100".into(),
            id: PathId(lines.iter().sum::<usize>() as u64),
            needs_id: false,
        }
    }

    fn locations() -> Vec<Location> {
        let at = |line| Location { line, column: 1, ..Location::default() };
        (100..200).map(at).collect()
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_short_path_stays_whole() {
        let locations = locations();
        let laid =
            |width| plain(&lay_out(&path(&locations, &[0, 1]), Some(width), &BTreeSet::new()));
        assert_eq!(laid(40), "loop: 100→101→loop 100");
        assert_eq!(laid(16), "loop: 100→101→\nloop 100");
    }

    #[test]
    fn a_long_path_loses_its_middle_on_a_terminal_only() {
        let locations = locations();
        let long = path(&locations, &(0..50).collect::<Vec<_>>());
        insta::assert_snapshot!(plain(&lay_out(&long, Some(40), &BTreeSet::new())));
        assert_eq!(plain(&lay_out(&long, None, &BTreeSet::new())).split('→').count(), 51);
    }

    #[test]
    fn consecutive_lines_are_a_range() {
        let locations = locations();
        let mut straight = path(&locations, &[0, 1, 2, 3, 7]);
        straight.steps.iter_mut().for_each(|step| step.choice = None);
        assert_eq!(
            plain(&lay_out(&straight, None, &BTreeSet::new())),
            "loop: 100–103 107 → loop 100"
        );
        straight.steps[1].choice = Some(Choice::Branch);
        assert_eq!(
            plain(&lay_out(&straight, None, &BTreeSet::new())),
            "loop: 100 101→102 103 107 → loop 100"
        );
    }

    #[test]
    fn inlined_code_without_a_decision_goes_first() {
        let locations = locations();
        let mut long = path(&locations, &(0..20).collect::<Vec<_>>());
        for step in &mut long.steps[5..15] {
            (step.stack, step.choice) = (vec!["f", "g"], None);
        }
        long.steps[10].choice = Some(Choice::Throw);
        long.steps[7].folded = vec!["push_back"];
        insta::assert_snapshot!(plain(&lay_out(&long, Some(40), &BTreeSet::new())));
    }

    #[test]
    fn paths_of_one_function_look_different_at_every_width() {
        let locations = locations();
        // The paths differ in the middle, in one step or in several.
        let lines = |change: &[usize]| {
            let line = |line| if change.contains(&line) { line + 50 } else { line };
            (0..50).map(line).collect::<Vec<_>>()
        };
        let changes: [&[usize]; 6] = [&[], &[20], &[30], &[20, 30], &[31], &[20, 25, 30, 31]];
        let paths: Vec<_> = changes.iter().map(|change| path(&locations, &lines(change))).collect();
        for width in 20..120 {
            let laid = lay_out_all(&paths, Some(width));
            for (index, text) in laid.iter().enumerate() {
                assert!(!laid[..index].contains(text), "{width}: {text}");
                assert!(text.lines().all(|line| visible_width(line) <= width), "{width}: {text}");
            }
        }
    }

    #[test]
    fn no_path_takes_more_room_than_it_has() {
        let locations = locations();
        for width in 16..60 {
            for length in 0..30 {
                let path = path(&locations, &(0..length).collect::<Vec<_>>());
                let laid = lay_out(&path, Some(width), &BTreeSet::new());
                assert!(laid.lines().all(|line| visible_width(line) <= width), "{width}: {laid}");
                assert!(laid.lines().count() <= LINES, "{length} in {width}: {laid}");
            }
        }
    }
}
