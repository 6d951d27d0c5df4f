//! Says where control can go from a block: a branch is told by the places that it leads to.
//!
//! Two ways that lead to the same line are told apart by their columns, and else by the numbers of
//! their blocks.

use std::collections::HashSet;

use pathformat::manifest::Outcome;

use crate::analyse::model::{Count, Function};
use crate::analyse::path_text::{Teller, Wording, block_name, choice};

/// A way on from a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Index of the edge.
    pub edge: usize,
    /// What decided it, if that has a word: `throw`, `case 3`.
    pub word: Option<String>,
    /// Where it leads: `24`, `24:7`, `skip:31`, `bb9`.
    pub place: String,
    /// How often it was taken; `None` if the counts do not tell.
    pub taken: Option<Count>,
}

impl Way {
    /// Where it leads, behind what decided it: `throw 31`.
    pub fn text(&self) -> String {
        let word = self.word.as_ref().map(|word| format!("{word} ")).unwrap_or_default();
        word + &self.place
    }
}

/// For each block the ways out of it, in the order of the code.
pub fn of(function: &Function, wording: Wording<'_>) -> Vec<Vec<Way>> {
    let shape = &function.shape;
    let teller = Teller::new(function, wording);
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); shape.blocks.len()];
    (shape.edges.iter().enumerate())
        .for_each(|(index, edge)| edges[edge.from as usize].push(index));
    let ways = |block: &Vec<usize>| {
        let targets: Vec<u32> = block.iter().map(|&edge| shape.edges[edge].to).collect();
        let reached: Vec<u32> =
            targets.iter().map(|&to| first_told(function, &edges, &teller, to)).collect();
        let lines: Vec<String> = reached.iter().map(|&to| teller.place(to, false)).collect();
        let columns: Vec<String> = reached.iter().map(|&to| teller.place(to, true)).collect();
        let unique = [&lines, &columns].map(|texts| only_once(texts));
        let place = |index: usize| match () {
            () if unique[0].contains(&lines[index]) => lines[index].clone(),
            () if unique[1].contains(&columns[index]) => columns[index].clone(),
            () => block_name(targets[index]),
        };
        let word = |outcome: &Outcome| match outcome {
            Outcome::Normal => Some("returned".to_owned()),
            outcome => choice(outcome, wording.stage)?.word().map(str::to_owned),
        };
        let way = |index: usize| Way {
            edge: block[index],
            word: word(&shape.edges[block[index]].outcome),
            place: place(index),
            taken: function.edge_counts[block[index]],
        };
        (0..block.len()).map(way).collect()
    };
    edges.iter().map(ways).collect()
}

/// The texts that occur once.
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

/// So many blocks without lines are passed in search of one that has. They may go around for ever.
const FARTHEST: usize = 16;

/// The first block from this one on that has a line, or where control can go several ways.
fn first_told(
    function: &Function,
    edges: &[Vec<usize>],
    teller: &Teller<'_>,
    mut block: u32,
) -> u32 {
    for _ in 0..FARTHEST {
        match edges[block as usize][..] {
            [edge] if !teller.has_place(block) => block = function.shape.edges[edge].to,
            _ => break,
        }
    }
    block
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
