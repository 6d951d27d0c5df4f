//! Describes a path as the source reads: line after line, and the target behind each branch.
//!
//! The condition of a branch is left out. The optimiser negates conditions, merges and splits
//! branches, so that only the target is correct at every level of optimisation. Two kinds of
//! choices have words, since they are in the source: an exception that was thrown, and the outcome
//! of a suspended coroutine. At the early stage the cases of a `switch` have words, too.
//!
//! A step is a line. Where control goes from a line to the same line again, the step has its
//! column. A block without a line that ends in a branch has its name. Inlined code has the name of
//! its function; see [`frames`](crate::frames) for code of system headers.
//!
//! [`texts`] describes several paths of a function so that no two of them read the same.

use std::collections::HashMap;

mod describer;
mod words;

pub(crate) use describer::choice;
pub use describer::{Notation, PathDescriber, Wording};
pub use words::{Choice, Namer, PathText, Step, base_name, block_name};

pub use crate::distinct::Precision;
use crate::distinct::{self, Detail};
use crate::model::{Function, Path};

/// Returns the texts of `paths`, which must be paths of the function. No two of them read the same.
pub fn texts<'a>(
    function: &'a Function,
    wording: Wording<'_>,
    paths: &[&Path],
) -> Vec<PathText<'a>> {
    let describer = PathDescriber::new(function, wording);
    let mut texts: Vec<_> =
        paths.iter().map(|path| describer.describe(path, &Detail::new())).collect();
    let mut plain: Vec<_> = texts.iter().map(PathText::plain).collect();
    for equal in same(&plain) {
        let group: Vec<&[u32]> = equal.iter().map(|&index| &*paths[index].blocks).collect();
        let details = distinct::details(&group, |block| describer.first_place(block));
        for (index, detail) in equal.into_iter().zip(details) {
            texts[index] = describer.describe(paths[index], &detail);
            plain[index] = texts[index].plain();
        }
    }
    for equal in same(&plain) {
        for index in equal {
            texts[index].needs_id = true;
        }
    }
    texts
}

/// Returns the indexes of texts that occur more than once, grouped by text.
fn same(texts: &[String]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        groups.entry(text).or_default().push(index);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use pathformat::settings::Stage;

    use crate::model::PathId;

    use super::*;
    use crate::sample;

    /// Returns all executed paths of the function `name` of the sample program, one per line.
    fn described(name: &str, wording: Wording<'_>) -> String {
        let report = sample::report();
        let function = report
            .counted()
            .find(|function| function.shape.name == name)
            .expect("it is in the sample");
        let paths: Vec<_> = function.paths.iter().collect();
        let texts = texts(function, wording, &paths);
        texts.iter().map(PathText::plain).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_loop() {
        insta::assert_snapshot!(described("collatz", Wording::default()), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→14 12→loop 13
        loop: 13→16 12→18 → return
        loop: 13→16 12→loop 13
        ");
    }

    #[test]
    fn blocks() {
        let wording = Wording { notation: Notation::Blocks, ..Wording::default() };
        insta::assert_snapshot!(described("collatz", wording), @r"
        bb0 bb1→bb2 bb4→bb5 → return
        bb0 bb1→bb2 bb4→loop bb1
        loop: bb1→bb2 bb4→loop bb1
        loop: bb1→bb3 bb4→bb5 → return
        loop: bb1→bb3 bb4→loop bb1
        ");
    }

    #[test]
    fn a_switch_and_inlined_code() {
        insta::assert_snapshot!(described("main", Wording::default()), @r"
        31→5 33 40 → return
        31→35 → no return
        31→40 → return
        ");
        let early = Wording { stage: Stage::Early, ..Wording::default() };
        insta::assert_snapshot!(described("main", early), @r"
        31(case 1)→5 33 40 → return
        31(case 2,3,4,+2)→35 → no return
        31(default)→40 → return
        ");
    }

    #[test]
    fn exceptions_and_cuts_without_debug_information() {
        insta::assert_snapshot!(described("_ZN4util5guardEi", Wording::default()), @r"
        bb0 → cut
        resume: bb1 → return
        resume: bb2→cut bb3
        resume: bb2→bb4 → unwind
        cut: bb3 → return
        ");
    }

    #[test]
    fn paths_on_the_same_lines_have_columns_or_blocks() {
        let mut report = sample::report();
        let function = &mut report.functions[0];
        // Both sides of the branch are on line 14: first in different columns, then in the same
        // one.
        function.shape.locations[3].line = 14;
        function.shape.locations[3].column = 9;
        let all = |function: &Function| {
            let paths: Vec<_> = function.paths.iter().collect();
            let texts = texts(function, Wording::default(), &paths);
            texts.iter().map(PathText::plain).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(all(function), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→14:1 12→loop 13
        loop: 13→14 12→18 → return
        loop: 13→14:9 12→loop 13
        ");
        function.shape.locations[3].column = 1;
        insta::assert_snapshot!(all(function), @r"
        11 13→14 12→18 → return
        11 13→14 12→loop 13
        loop: 13→bb2 14 12→loop 13
        loop: 13→14 12→18 → return
        loop: 13→bb3 14 12→loop 13
        ");
    }

    #[test]
    fn paths_of_the_same_blocks_have_their_ids() {
        let mut report = sample::report();
        let function = &mut report.functions[0];
        let twin = Path { id: PathId(99), ..function.paths[0].clone() };
        function.paths = vec![function.paths[0].clone(), twin];
        let paths: Vec<_> = function.paths.iter().collect();
        let texts = texts(function, Wording::default(), &paths);
        assert!(texts[0].plain().ends_with("→ return #0"), "{texts:?}");
        assert!(texts[1].plain().ends_with("→ return #99"), "{texts:?}");
    }
}
