//! Paths for the page, in the words of the terminal (see [`path_text`]), with each step once.

use std::collections::HashMap;

use counts::listed_paths::{self, ListedPath};
use counts::model::{Function, Path};
use counts::path_text::{self, Choice, PathText, Precision, Wording};
use serde::Serialize;

use super::payload::shown;

/// The steps of many paths, in columns with an entry for each step that differs.
#[derive(Default, Serialize)]
pub(super) struct StepColumns {
    /// Names of functions, to which others refer.
    names: Vec<String>,
    block: Vec<u32>,
    /// The index among the function's locations; `null` for a block that is named by its number.
    location: Vec<Option<u32>>,
    /// A line, with its column or file where these are needed, or a block.
    place: Vec<String>,
    /// The function of its code; `null` for a block without a line.
    name: Vec<Option<u32>>,
    /// The name of the function that was compiled.
    root: String,
    /// Functions of system headers whose code ran there.
    folded: Vec<Vec<u32>>,
    /// The word for the decision behind it; empty if it has no word, `null` if there is no
    /// decision.
    choice: Vec<Option<String>>,
}

/// The parts in which steps of one function differ. The location determines the function of the
/// code.
type Key<'a> = (u32, Option<u32>, Precision, Vec<&'a str>, Option<Choice>);

/// A collector of the steps of paths.
#[derive(Default)]
pub(super) struct StepCollector {
    steps: StepColumns,
    names: HashMap<String, u32>,
    /// True if paths have numbers, which distinguish paths with equal texts.
    are_numbered: bool,
}

/// A path.
#[derive(Serialize)]
pub(super) struct PathSteps {
    /// The word before it: `loop:`.
    pub(super) start: Option<&'static str>,
    /// The numbers of its steps.
    pub(super) steps: Vec<u32>,
    /// The end, with the id of the path if another path has the same text, and paths have no
    /// numbers.
    pub(super) end: String,
}

impl StepCollector {
    /// Creates a collector for paths that have numbers.
    pub(super) fn of_numbered() -> Self {
        Self { are_numbered: true, ..Self::default() }
    }

    /// Adds `paths`, which are the function's. No two of them have the same text.
    pub(super) fn collect(
        &mut self,
        function: &Function,
        wording: Wording<'_>,
        paths: &[&Path],
    ) -> Vec<PathSteps> {
        let texts = path_text::texts(function, wording, paths);
        if let Some(first) = texts.first() {
            self.steps.root = shown(first.function).into_owned();
        }
        let mut known = HashMap::new();
        texts.iter().map(|text| self.path_steps(text, &mut known)).collect()
    }

    fn path_steps<'a>(
        &mut self,
        text: &PathText<'a>,
        known: &mut HashMap<Key<'a>, u32>,
    ) -> PathSteps {
        PathSteps {
            start: text.start,
            steps: text.steps.iter().map(|step| self.number(step, known)).collect(),
            end: shown(&if self.are_numbered { text.end.clone() } else { text.end() }).into_owned(),
        }
    }

    fn number<'a>(&mut self, step: &path_text::Step<'a>, known: &mut HashMap<Key<'a>, u32>) -> u32 {
        let (folded, choice) = (step.folded.clone(), step.choice.clone());
        let key = (step.block, step.index, step.precision, folded, choice);
        *known.entry(key).or_insert_with(|| self.add(step))
    }

    fn add(&mut self, step: &path_text::Step<'_>) -> u32 {
        let number = self.steps.block.len() as u32;
        let folded = step.folded.iter().map(|name| self.name(name)).collect();
        let choice = step.choice.as_ref().map(|of| shown(of.word().unwrap_or_default()).into());
        let name = step.function().map(|name| self.name(&name));
        self.steps.block.push(step.block);
        self.steps.location.push(step.index);
        self.steps.place.push(shown(&step.place()).into_owned());
        self.steps.name.push(name);
        self.steps.folded.push(folded);
        self.steps.choice.push(choice);
        number
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.names.get(name) {
            return number;
        }
        let number = self.steps.names.len() as u32;
        self.steps.names.push(shown(name).into_owned());
        self.names.insert(name.to_owned(), number);
        number
    }

    /// Returns the steps of all paths that were added.
    pub(super) fn into_steps(self) -> StepColumns {
        self.steps
    }
}

/// The number of characters behind the part that is left out of a text.
const BEHIND: usize = 60;

/// Returns each path on one line of at most `longest` characters, for paths with numbers. The
/// middle of longer ones is left out.
pub(super) fn cut_numbered(list: &[ListedPath<'_>], longest: usize) -> Vec<String> {
    let mut texts = vec![String::new(); list.len()];
    for group in listed_paths::by_function(list) {
        let of_one: Vec<_> = group.iter().map(|&at| list[at]).collect();
        for (at, text) in group.into_iter().zip(listed_paths::texts_together(&of_one)) {
            let text = PathText { needs_id: false, ..text };
            texts[at] = shown(&elided(&text.plain(), longest)).into_owned();
        }
    }
    texts
}

/// Does the same for paths without numbers. Paths of a function with equal texts get their ids.
pub(super) fn cut(list: &[ListedPath<'_>], longest: usize) -> Vec<String> {
    let mut texts: Vec<_> =
        listed_paths::plain(list).iter().map(|text| elided(text, longest)).collect();
    for group in listed_paths::by_function(list) {
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        group.into_iter().for_each(|at| known.entry(texts[at].clone()).or_default().push(at));
        for at in known.into_values().filter(|same| same.len() > 1).flatten() {
            texts[at] += &format!(" #{}", list[at].path.id);
        }
    }
    texts.iter().map(|text| shown(text).into_owned()).collect()
}

/// Returns a text of at most `longest` characters: its beginning and its end.
fn elided(text: &str, longest: usize) -> String {
    let count = text.chars().count();
    if count <= longest {
        return text.to_owned();
    }
    let place = |number: usize| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    format!("{} … {}", &text[..place(longest - BEHIND)], &text[place(count - BEHIND)..])
}

#[cfg(test)]
mod tests {
    use counts::model::PathId;

    use super::*;
    use crate::sample;

    #[test]
    fn texts_that_are_cut_differ() {
        let report = sample::report();
        let function = &report.functions[0];
        let mut long = function.paths[1].clone();
        long.blocks = long.blocks.iter().copied().cycle().take(400).collect();
        let mut other = long.clone();
        (other.id, other.blocks[200]) = (PathId(long.id.0 + 1), 3);
        let listed = |path| ListedPath { function, path, wording: Wording::default() };
        let list = [listed(&long), listed(&function.paths[0]), listed(&other)];
        let whole = listed_paths::plain(&list);
        let texts = cut(&list, 100);
        assert_ne!(whole[0], whole[2]);
        assert_ne!(texts[0], texts[2]);
        assert!(texts[0].ends_with(&format!("#{}", long.id)), "{}", texts[0]);
        assert!(texts[0].chars().count() < 120, "{}", texts[0]);
        assert_eq!(texts[1], whole[1]);
    }

    #[test]
    fn numbered_paths_have_no_ids() {
        let report = sample::report();
        let function = &report.functions[0];
        let path = &function.paths[0];
        let twin = Path { id: PathId(path.id.0 + 1_000), ..path.clone() };
        let listed = |path| ListedPath { function, path, wording: Wording::default() };
        let texts = cut_numbered(&[listed(path), listed(&twin)], 100);
        assert!(texts.iter().all(|text| !text.contains('#')), "{texts:?}");
        let written =
            StepCollector::of_numbered().collect(function, Wording::default(), &[path, &twin]);
        assert!(written.iter().all(|path| !path.end.contains('#')));
        let written =
            StepCollector::default().collect(function, Wording::default(), &[path, &twin]);
        assert!(written[1].end.ends_with(&format!("#{}", twin.id)), "{}", written[1].end);
    }

    #[test]
    fn a_step_that_paths_share_is_written_once() {
        let report = sample::report();
        let function = &report.functions[0];
        let mut collector = StepCollector::default();
        let paths: Vec<_> = function.paths.iter().collect();
        let written = collector.collect(function, Wording::default(), &paths);
        let steps = collector.into_steps();
        let count = written.iter().map(|path| path.steps.len()).sum::<usize>();
        assert!(steps.block.len() < count, "{} of {count}", steps.block.len());
        assert_eq!(steps.place[written[0].steps[0] as usize], "11");
        assert_eq!(steps.choice[written[0].steps[1] as usize].as_deref(), Some(""));
        assert_eq!(written[0].end, "return");
    }
}
