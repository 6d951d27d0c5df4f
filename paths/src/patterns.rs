//! Patterns of the control-flow graph that save counters: the baseline that [`Counted::fewest`] is
//! compared with.
//!
//! In four shapes that compiled `if`, `switch` and loops have, the count of a block follows from
//! those of others ("Efficient Instrumentation of Programs using LLVM Framework", Hucovič, Brno
//! 2024, §5.6; the diamond here has any number of branches). Each equation is one that follows from
//! [conservation](crate::flow_network), so what was left out comes back in the same way whatever
//! chose it. Two patterns may share blocks: a block is left out only as long as no block follows
//! from itself.

use crate::blocks::{self, Counted};
use crate::cfg::{Block, Cfg, ENTRY};
use crate::union_find::UnionFind;

/// The shape of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A block, two or more branches that nothing else leads to, and the one block that they lead
    /// to, which nothing else leads to. The first and the last ran as often as all branches
    /// together.
    Diamond,
    /// A block that leads to a branch and past it. The first and the last ran equally often.
    HalfDiamond,
    /// A block whose only successor has no other predecessor. Both ran equally often.
    Jump,
    /// The entry, and all blocks where the function is left. It was entered as often as it was
    /// left.
    Exits,
}

/// A pattern of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its shape.
    pub shape: Shape,
    /// Its blocks: the first, then the branches or exits, the last.
    pub blocks: Vec<Block>,
    /// Which of them need no counter because of it.
    pub saved: Vec<Block>,
}

/// All patterns of `cfg`, and the counters that they leave. The function must have no call that
/// returns twice.
pub fn find(cfg: &Cfg) -> (Counted, Vec<Pattern>) {
    let network = blocks::of(cfg);
    let mut joined = UnionFind::new(network.points);
    let mut counted = vec![true; cfg.num_blocks()];
    let mut leave_out = |block: Block| {
        let [from, to] = network.arcs[block.index()];
        let may = counted[block.index()] && joined.union(from, to);
        counted[block.index()] &= !may;
        may
    };
    let mut patterns = Vec::new();
    for block in cfg.blocks() {
        let found =
            diamond(cfg, block).or_else(|| half_diamond(cfg, block)).or_else(|| jump(cfg, block));
        let Some((shape, blocks)) = found else { continue };
        let (first, last) = (block, blocks[blocks.len() - 1]);
        let saved = match shape {
            Shape::Diamond => [first, last].into_iter().filter(|&block| leave_out(block)).collect(),
            _ => [first, last].into_iter().find(|&block| leave_out(block)).into_iter().collect(),
        };
        patterns.push(Pattern { shape, blocks, saved });
    }
    let stays = cfg.blocks().any(|block| cfg.may_stay(block) && cfg.exit(block).is_none());
    if cfg.num_blocks() > 1 && !stays {
        let leaves = cfg.blocks().filter(|&block| cfg.exit(block).is_some());
        let blocks = std::iter::once(ENTRY).chain(leaves).collect();
        patterns.push(Pattern {
            shape: Shape::Exits,
            blocks,
            saved: Some(ENTRY).filter(|&entry| leave_out(entry)).into_iter().collect(),
        });
    }
    (Counted::these(counted), patterns)
}

fn targets(cfg: &Cfg, block: Block) -> Vec<Block> {
    cfg.successors(block).iter().map(|&edge| cfg.edge(edge).to).collect()
}

/// The only block that `block` leads to.
fn only_target(cfg: &Cfg, block: Block) -> Option<Block> {
    match targets(cfg, block)[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn num_sources(cfg: &Cfg, block: Block) -> usize {
    cfg.predecessors(block).len()
}

fn diamond(cfg: &Cfg, first: Block) -> Option<(Shape, Vec<Block>)> {
    let branches = targets(cfg, first);
    let last = only_target(cfg, *branches.first()?)?;
    let is_branch = |&branch: &Block| {
        num_sources(cfg, branch) == 1
            && only_target(cfg, branch) == Some(last)
            && !cfg.may_stay(branch)
    };
    let is_one = !cfg.may_stay(first)
        && branches.len() > 1
        && branches.iter().all(is_branch)
        && num_sources(cfg, last) == branches.len()
        && last != first;
    is_one.then(|| (Shape::Diamond, [vec![first], branches, vec![last]].concat()))
}

fn half_diamond(cfg: &Cfg, first: Block) -> Option<(Shape, Vec<Block>)> {
    let [one, other] = targets(cfg, first)[..] else { return None };
    let is_one = |branch: Block, last: Block| {
        num_sources(cfg, branch) == 1
            && only_target(cfg, branch) == Some(last)
            && num_sources(cfg, last) == 2
            && ![first, branch].into_iter().any(|block| cfg.may_stay(block))
    };
    let found = [(one, other), (other, one)]
        .into_iter()
        .find(|&(branch, last)| last != first && is_one(branch, last));
    found.map(|(branch, last)| (Shape::HalfDiamond, vec![first, branch, last]))
}

fn jump(cfg: &Cfg, first: Block) -> Option<(Shape, Vec<Block>)> {
    let last = only_target(cfg, first)?;
    let is_one = num_sources(cfg, last) == 1 && last != first && !cfg.may_stay(first);
    is_one.then(|| (Shape::Jump, vec![first, last]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// Each pattern as its shape, its blocks and those that it saves; then the blocks that are
    /// counted.
    fn found(graph: &str) -> String {
        let named = text::parse(graph).expect("a graph");
        let names = |blocks: &[Block]| {
            blocks
                .iter()
                .map(|block| named.names[block.index()].as_str())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (counted, patterns) = find(&named.cfg);
        let line = |of: &Pattern| {
            format!("{:?}({}) saves {}\n", of.shape, names(&of.blocks), names(&of.saved))
        };
        let lines: String = patterns.iter().map(line).collect();
        format!("{lines}counted {}", names(&counted.blocks().collect::<Vec<_>>()))
    }

    #[test]
    fn an_if_with_an_else_and_a_switch_are_diamonds() {
        assert_eq!(
            found("A: B C\n B: D\n C: D\n D:"),
            "Diamond(A B C D) saves A D\nExits(A D) saves \ncounted B C"
        );
        assert_eq!(
            found("A: B C D\n B: E\n C: E\n D: E\n E: F G\n F:\n G:"),
            "Diamond(A B C D E) saves A E\nExits(A F G) saves \ncounted B C D F G"
        );
    }

    #[test]
    fn an_if_without_else_is_a_half_diamond() {
        assert_eq!(
            found("A: B C\n B: C\n C:"),
            "HalfDiamond(A B C) saves A\nExits(A C) saves \ncounted B C"
        );
    }

    #[test]
    fn the_body_of_a_loop_and_its_increment_are_a_jump() {
        assert_eq!(
            found("A: H\n H: B X\n B: I\n I: H\n X:"),
            "Jump(B I) saves B\nExits(A X) saves A\ncounted H I X"
        );
    }

    #[test]
    fn nothing_follows_from_itself() {
        assert_eq!(
            found("A: B\n B: C\n C:"),
            "Jump(A B) saves A\nJump(B C) saves B\nExits(A C) saves \ncounted C"
        );
    }

    #[test]
    fn a_pattern_with_a_way_in_from_elsewhere_is_none() {
        assert_eq!(
            found("A: B C E\n B: D\n C: D\n E: D F\n D:\n F:"),
            "Exits(A D F) saves A\ncounted B C E D F"
        );
    }

    #[test]
    fn where_a_frame_may_stay_there_is_no_pattern() {
        assert_eq!(found("A?: B C\n B: D\n C: D\n D:"), "counted A B C D");
        assert_eq!(
            found("A: B C\n B?: D\n C: D\n D: E\n E:"),
            "Jump(D E) saves D\ncounted A B C E"
        );
    }
}
