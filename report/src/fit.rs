//! Fits a written path into the width of a table cell.
//!
//! A path that needs more than [`LINES`] lines loses its middle, since its start and its end say the most.

use owo_colors::OwoColorize;

use crate::notation::{Step, Tone, Written};
use crate::style::elide;

/// So many lines a path may take on a terminal.
const LINES: usize = 3;

/// A word with its colours and its width without them.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    width: usize,
}

impl Word {
    fn new(plain: &str, paint: impl FnOnce(&str) -> String) -> Self {
        Self { text: paint(plain), width: plain.chars().count() }
    }
}

/// The path in lines of at most `width` characters; in full on one line without a width.
pub fn fit(path: &Written, width: Option<usize>) -> String {
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

/// A sentence after its label, broken into lines of at most `width` characters; on one line without a width.
pub fn remark(label: &str, text: &str, width: Option<usize>) -> String {
    let label = Word { text: label.into(), width: visible_width(label) };
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
    if width.is_some_and(|width| plain.chars().count() > width) {
        return Word::new(&elide(&plain, width), str::to_string);
    }
    let place = match step.place.rsplit_once(':') {
        Some((file, line)) => format!("{}{line}", format!("{file}:").dimmed()),
        None => step.place.clone(),
    };
    let outcomes = step.outcomes.iter().map(|(tone, outcome)| {
        let text = format!("({outcome})");
        match tone {
            Tone::True => text.green().to_string(),
            Tone::False => text.magenta().to_string(),
            Tone::Throw => text.red().to_string(),
            Tone::Other => text.blue().to_string(),
        }
    });
    let painted = outcomes.fold(place, |painted, outcome| painted + &outcome);
    Word::new(&plain, |_| painted)
}

/// `words` with `count` of them replaced by a remark, in the middle but nearer to the end.
fn without(words: &[Word], count: usize) -> Vec<Word> {
    let head = (words.len() - count) * 2 / 3;
    let remark = Word::new(&format!("… {count} more …"), |text| text.dimmed().to_string());
    words[..head].iter().chain([&remark]).chain(&words[head + count..]).cloned().collect()
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

    fn path(length: usize) -> Written {
        let step = |line: usize| Step { place: (100 + line).to_string(), outcomes: vec![(Tone::True, "true".into())] };
        Written { start: Some("loop:"), steps: (0..length).map(step).collect(), end: "loop 100".into() }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_short_path_stays_whole() {
        assert_eq!(plain(&fit(&path(2), Some(40))), "loop: 100(true) 101(true) -> loop 100");
        assert_eq!(plain(&fit(&path(2), Some(30))), "loop: 100(true) 101(true)\n-> loop 100");
    }

    #[test]
    fn a_long_path_loses_its_middle_on_a_terminal_only() {
        insta::assert_snapshot!(plain(&fit(&path(50), Some(40))), @r"
        loop: 100(true) 101(true) 102(true)
        103(true) 104(true) … 43 more …
        148(true) 149(true) -> loop 100
        ");
        assert_eq!(plain(&fit(&path(50), None)).split(' ').count(), 54);
    }

    #[test]
    fn no_line_is_wider_than_the_cell() {
        for width in 12..60 {
            for length in 0..30 {
                let fitted = fit(&path(length), Some(width));
                assert!(fitted.lines().all(|line| visible_width(line) <= width), "{length} in {width}: {fitted}");
                assert!(fitted.lines().count() <= LINES, "{length} in {width}: {fitted}");
            }
        }
    }
}
