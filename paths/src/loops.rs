//! Innermost loops: what is counted in them can be summed up in a register until they are left.
//!
//! The natural loop of a back edge has every block from which the edge can be reached without passing its target, the header (Aho, Lam, Sethi
//! and Ullman, "Compilers", 2nd edition, §9.6.6). A cycle that can be entered past its header is none.

use crate::cfg::{Block, Cfg, ENTRY, Edge};

/// A loop without another one in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its blocks, the header first.
    pub blocks: Vec<Block>,
    /// The edges that leave it.
    pub exits: Vec<Edge>,
}

impl Loop {
    /// Whether a block is in it.
    pub fn contains(&self, block: Block) -> bool {
        self.blocks.contains(&block)
    }
}

/// The innermost loops with at most `most` blocks.
pub fn innermost(cfg: &Cfg, most: usize) -> Vec<Loop> {
    let mut loops: Vec<Vec<Block>> = cfg.blocks().filter_map(|header| natural(cfg, header, most)).collect();
    let all = loops.clone();
    let has_header_of = |blocks: &[Block], other: &[Block]| other[0] != blocks[0] && blocks.contains(&other[0]);
    loops.retain(|blocks| !all.iter().any(|other| has_header_of(blocks, other)));
    let with_exits = |blocks: Vec<Block>| {
        let edges = blocks.iter().flat_map(|&block| cfg.successors(block));
        let exits = edges.copied().filter(|&edge| !blocks.contains(&cfg.edge(edge).to)).collect();
        Loop { blocks, exits }
    };
    loops.into_iter().map(with_exits).collect()
}

/// The blocks on ways from `header` back to itself; `None` if there are none, or more than `most`.
fn natural(cfg: &Cfg, header: Block, most: usize) -> Option<Vec<Block>> {
    let mut blocks = vec![header];
    for &edge in cfg.predecessors(header) {
        if let Some(body) = behind(cfg, header, cfg.edge(edge).from, most) {
            blocks.extend(body.into_iter().filter(|&block| block != header));
            blocks.sort_by_key(|&block| (block != header, block));
            blocks.dedup();
        }
    }
    let turns = cfg.predecessors(header).iter().any(|&edge| blocks.contains(&cfg.edge(edge).from));
    (turns && blocks.len() <= most).then_some(blocks)
}

/// All blocks from which control can come to `latch` without passing `header`, the two among them; `None` if the entry is one of them,
/// so that the latch can be reached past the header, or if they are more than `most`.
fn behind(cfg: &Cfg, header: Block, latch: Block, most: usize) -> Option<Vec<Block>> {
    let mut blocks = vec![header];
    blocks.extend(Some(latch).filter(|&latch| latch != header));
    let mut next = 1;
    while let Some(&block) = blocks.get(next) {
        if block == ENTRY || blocks.len() > most {
            return None;
        }
        for &edge in cfg.predecessors(block) {
            let from = cfg.edge(edge).from;
            if !blocks.contains(&from) {
                blocks.push(from);
            }
        }
        next += 1;
    }
    Some(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Each loop as its blocks and exits.
    fn loops(graph: &str, most: usize) -> Vec<String> {
        let named = text::parse(graph).expect("a graph");
        let name = |block: Block| named.names[block.index()].as_str();
        let describe = |of: Loop| {
            let blocks: Vec<_> = of.blocks.iter().map(|&block| name(block)).collect();
            let edge = |&edge: &Edge| format!("{}->{}", name(named.cfg.edge(edge).from), name(named.cfg.edge(edge).to));
            let exits: Vec<_> = of.exits.iter().map(edge).collect();
            format!("{} | {}", blocks.join(" "), exits.join(" "))
        };
        innermost(&named.cfg, most).into_iter().map(describe).collect()
    }

    #[test]
    fn a_block_that_leads_to_itself_is_a_loop() {
        assert_eq!(loops("A: B\n B: B C\n C:", 9), ["B | B->C"]);
    }

    #[test]
    fn only_the_inner_of_two_loops_is_innermost() {
        let nested = "A: H\n H: I X\n I: J K\n J: I\n K: H\n X:";
        assert_eq!(loops(nested, 9), ["I J | I->K"]);
    }

    #[test]
    fn branches_and_ways_out_are_in_it() {
        assert_eq!(loops("A: H\n H: B C X\n B: D\n C: D Y\n D: H\n X:\n Y:", 9), ["H B C D | H->X C->Y"]);
        assert_eq!(loops("A: H\n H: B C X\n B: D\n C: D Y\n D: H\n X:\n Y:", 3), [""; 0]);
    }

    #[test]
    fn what_can_be_entered_in_its_middle_is_no_loop() {
        assert_eq!(loops("A: B C\n B: C\n C: B D\n D:", 9), [""; 0]);
    }
}
