//! Describes the ways out of a block: a branch is described by its targets.
//!
//! Two ways to the same line are distinguished by their columns, or else by the numbers of their
//! blocks.

use std::collections::HashSet;

use pathformat::manifest::Outcome;
use pathformat::settings::Stage;

use crate::model::{Count, Function};
use crate::path_text::{PathDescriber, Wording, block_name, choice};

/// A way out of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Index of the edge.
    pub edge: usize,
    /// The word for the decision, if there is one: `throw`, `case 3`.
    pub word: Option<String>,
    /// The target: `24`, `24:7`, `skip:31`, `bb9`.
    pub place: String,
    /// The number of times it was taken; `None` if the counts do not determine it.
    pub taken: Option<Count>,
}

impl Way {
    /// Returns the decision and the target: `throw 31`.
    pub fn text(&self) -> String {
        let word = self.word.as_ref().map(|word| format!("{word} ")).unwrap_or_default();
        word + &self.place
    }

    /// Returns the same with an arrow: `throw →31`. The target alone would look like a count.
    pub fn arrow(&self) -> String {
        let word = self.word.as_ref().map(|word| format!("{word} ")).unwrap_or_default();
        format!("{word}→{}", self.place)
    }
}

/// The maximum number of blocks without lines that are skipped in search of a block with lines.
/// Such blocks may form a cycle.
const FARTHEST: usize = 16;

/// Returns for each block the ways out of it, in the order of the code.
pub fn of(function: &Function, wording: Wording<'_>) -> Vec<Vec<Way>> {
    let ways = Ways::new(function, wording);
    (0..function.shape.blocks.len()).map(|block| ways.out_of(block)).collect()
}

/// Describes the ways out of the blocks of one function.
pub struct Ways<'a> {
    function: &'a Function,
    stage: Stage,
    describer: PathDescriber<'a>,
    /// For each block, the edges out of it.
    edges: Vec<Vec<usize>>,
}

impl<'a> Ways<'a> {
    /// Creates a describer of the ways of `function`.
    pub fn new(function: &'a Function, wording: Wording<'_>) -> Self {
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); function.shape.blocks.len()];
        for (index, edge) in function.shape.edges.iter().enumerate() {
            edges[edge.from as usize].push(index);
        }
        Self {
            function,
            stage: wording.stage,
            describer: PathDescriber::new(function, wording),
            edges,
        }
    }

    /// Returns the ways out of a block, in the order of the code.
    pub fn out_of(&self, block: usize) -> Vec<Way> {
        let edges = &self.edges[block];
        let way = |(place, &edge): (String, &usize)| Way {
            edge,
            word: self.word(&self.function.shape.edges[edge].outcome),
            place,
            taken: self.function.edge_counts[edge],
        };
        self.places(edges).into_iter().zip(edges).map(way).collect()
    }

    /// Returns the texts of the targets of these edges. No two of them read the same.
    fn places(&self, edges: &[usize]) -> Vec<String> {
        let targets: Vec<u32> =
            edges.iter().map(|&edge| self.function.shape.edges[edge].to).collect();
        let reached: Vec<u32> = targets.iter().map(|&to| self.first_with_line(to)).collect();
        let places = |column| reached.iter().map(move |&to| self.describer.place(to, column));
        let lines: Vec<String> = places(false).collect();
        let once = only_once(&lines);
        if once.len() == lines.len() {
            return lines;
        }
        let columns: Vec<String> = places(true).collect();
        let column_once = only_once(&columns);
        let place = |at: usize| match () {
            () if once.contains(&lines[at]) => lines[at].clone(),
            () if column_once.contains(&columns[at]) => columns[at].clone(),
            () => block_name(targets[at]),
        };
        (0..edges.len()).map(place).collect()
    }

    fn word(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Normal => Some("returned".to_owned()),
            outcome => choice(outcome, self.stage)?.word().map(str::to_owned),
        }
    }

    /// Returns the first block from this one on that has a line or several successors.
    fn first_with_line(&self, mut block: u32) -> u32 {
        for _ in 0..FARTHEST {
            match self.edges[block as usize][..] {
                [edge] if !self.describer.has_place(block) => {
                    block = self.function.shape.edges[edge].to;
                }
                _ => break,
            }
        }
        block
    }
}

/// Returns the texts that occur once.
fn only_once(texts: &[String]) -> HashSet<&String> {
    let (mut once, mut known) = (HashSet::new(), HashSet::new());
    for text in texts {
        if known.insert(text) {
            once.insert(text);
        } else {
            once.remove(text);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_branch_is_told_by_where_it_leads() {
        let report = sample::report();
        let told = |name: &str| {
            let found = report.counted().find(|function| function.shape.name == name);
            let ways = of(found.expect("it is in the sample"), Wording::default());
            let text = |ways: &Vec<Way>| ways.iter().map(Way::text).collect::<Vec<_>>().join(" ");
            ways.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(told("collatz"), ["13", "14 16", "12", "12", "13 18", ""]);
        assert_eq!(told("_ZN4util5guardEi")[..3], ["returned bb1 throw bb2", "", "bb3 bb4"]);
    }
}
