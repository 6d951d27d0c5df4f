//! Lays out a written path in the width of a table cell.
//!
//! A path that needs more than three lines first loses the inlined lines on which nothing is
//! decided. Then it loses its middle, since its start and its end say the most.

use owo_colors::OwoColorize;

use crate::show::notation::{OutcomeKind, Step, WrittenPath};
use crate::show::style::elide;

/// The most lines that a path may take on a terminal.
const LINES: usize = 3;

/// A word with its colours and its width without them.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    width: usize,
    /// Inlined code without a decision.
    minor: bool,
}

impl Word {
    fn new(plain: &str, paint: impl FnOnce(&str) -> String) -> Self {
        Self { text: paint(plain), width: plain.chars().count(), minor: false }
    }
}

/// The path in lines of at most `width` characters; in full on one line without a width.
pub fn lay_out(path: &WrittenPath, width: Option<usize>) -> String {
    let dim = |text: &str| text.dimmed().to_string();
    let start = path.start.map(|start| Word::new(start, dim));
    let steps = path.steps.iter().map(|step| word(step, width));
    let end = Word::new(&elide(&format!("-> {}", path.end), width), dim);
    let words: Vec<_> = start.into_iter().chain(steps).chain([end]).collect();
    let Some(width) = width else {
        return words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    };
    let whole = wrap(&words, width);
    if whole.len() <= LINES {
        return whole.join("\n");
    }
    let words = without_minor(words);
    let brief = wrap(&words, width);
    if brief.len() <= LINES {
        return brief.join("\n");
    }
    // The fewest words to leave out: more words never take fewer lines.
    let (mut fewest, mut most) = (1, words.len() - 1);
    while fewest < most {
        let middle = (fewest + most) / 2;
        if wrap(&without(&words, middle), width).len() <= LINES {
            most = middle;
        } else {
            fewest = middle + 1;
        }
    }
    wrap(&without(&words, fewest), width).join("\n")
}

/// A sentence after its label, broken into lines of at most `width` characters; on one line without
/// a width.
pub fn remark(label: &str, text: &str, width: Option<usize>) -> String {
    let label = Word { text: label.into(), width: visible_width(label), minor: false };
    let words = text.split(' ').map(|word| Word::new(word, str::to_string));
    let words: Vec<_> = std::iter::once(label).chain(words).collect();
    wrap(&words, width.unwrap_or(usize::MAX)).join("\n")
}

/// The width of `text` on a terminal, without its colour codes.
pub fn visible_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(|part| part.chars().count()).sum()
}

fn word(step: &Step, width: Option<usize>) -> Word {
    let plain = step.plain();
    let minor = step.place.contains(':') && step.outcomes.is_empty();
    if width.is_some_and(|width| plain.chars().count() > width) {
        return Word { minor, ..Word::new(&elide(&plain, width), str::to_string) };
    }
    let place = match step.place.rsplit_once(':') {
        Some((file, line)) => format!("{}{line}", format!("{file}:").dimmed()),
        None => step.place.clone(),
    };
    let outcomes = step.outcomes.iter().map(|(kind, outcome)| {
        let text = format!("({outcome})");
        match kind {
            OutcomeKind::True => text.green().to_string(),
            OutcomeKind::False => text.magenta().to_string(),
            OutcomeKind::Throw => text.red().to_string(),
            OutcomeKind::Other => text.blue().to_string(),
        }
    });
    let painted = outcomes.fold(place, |painted, outcome| painted + &outcome);
    Word { minor, ..Word::new(&plain, |_| painted) }
}

/// `words` with an ellipsis for each run of minor ones.
fn without_minor(words: Vec<Word>) -> Vec<Word> {
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if !word.minor {
            kept.push(word);
        } else if kept.last().is_none_or(|last| !last.minor) {
            kept.push(Word { minor: true, ..Word::new("…", |text| text.dimmed().to_string()) });
        }
    }
    kept
}

/// `words` with `count` of them replaced by a remark, in the middle but nearer to the end. Minor
/// words beside the remark go with them.
fn without(words: &[Word], count: usize) -> Vec<Word> {
    let middle = (words.len() - count) * 2 / 3;
    let head = words[..middle].iter().rposition(|word| !word.minor).map_or(0, |last| last + 1);
    let tail =
        words[middle + count..].iter().position(|word| !word.minor).unwrap_or(0) + middle + count;
    let remark =
        Word::new(&format!("… {} more …", tail - head), |text| text.dimmed().to_string());
    words[..head].iter().chain([&remark]).chain(&words[tail..]).cloned().collect()
}

fn wrap(words: &[Word], width: usize) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some((line, taken)) if *taken + 1 + word.width <= width => {
                *line = format!("{line} {}", word.text);
                *taken += 1 + word.width;
            }
            _ => lines.push((word.text.clone(), word.width)),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(length: usize) -> WrittenPath {
        let step = |line: usize| Step {
            place: (100 + line).to_string(),
            outcomes: vec![(OutcomeKind::True, "true".into())],
        };
        WrittenPath {
            start: Some("loop:"),
            steps: (0..length).map(step).collect(),
            end: "loop 100".into(),
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_short_path_stays_whole() {
        assert_eq!(plain(&lay_out(&path(2), Some(40))), "loop: 100(true) 101(true) -> loop 100");
        assert_eq!(plain(&lay_out(&path(2), Some(30))), "loop: 100(true) 101(true)\n-> loop 100");
    }

    #[test]
    fn a_long_path_loses_its_middle_on_a_terminal_only() {
        insta::assert_snapshot!(plain(&lay_out(&path(50), Some(40))), @r"
        loop: 100(true) 101(true) 102(true)
        103(true) 104(true) … 43 more …
        148(true) 149(true) -> loop 100
        ");
        assert_eq!(plain(&lay_out(&path(50), None)).split(' ').count(), 54);
    }

    #[test]
    fn inlined_lines_without_a_decision_go_first() {
        let mut path = path(4);
        let inlined =
            |line: usize| Step { place: format!("vector.h:{line}"), outcomes: Vec::new() };
        path.steps.splice(2..2, (0..20).map(inlined));
        let decision = Step { outcomes: vec![(OutcomeKind::True, "true".into())], ..inlined(99) };
        path.steps.splice(12..12, [decision]);
        insta::assert_snapshot!(plain(&lay_out(&path, Some(40))), @r"
        loop: 100(true) 101(true) …
        vector.h:99(true) … 102(true) 103(true)
        -> loop 100
        ");
    }

    #[test]
    fn no_line_is_wider_than_the_cell() {
        for width in 12..60 {
            for length in 0..30 {
                let fitted = lay_out(&path(length), Some(width));
                assert!(
                    fitted.lines().all(|line| visible_width(line) <= width),
                    "{length} in {width}: {fitted}"
                );
                assert!(fitted.lines().count() <= LINES, "{length} in {width}: {fitted}");
            }
        }
    }
}
