//! Whether the entries of a function must be counted apart from its paths.
//!
//! A path is counted at its end. A frame that is still running when the process ends, or that is jumped over, has
//! entered the function without having ended its first path. Where that can happen, a counter of its own tells the
//! entries; the difference to the paths that started at the entry is the number of such frames.

use crate::cfg::{Cfg, ENTRY};
use crate::dag::{Dag, Kind};
use crate::placement::{Op, Placement};

/// Whether control may stay in a block that it reaches from the entry before the first path is counted.
pub fn need_counter(cfg: &Cfg, dag: &Dag, placement: &Placement) -> bool {
    let mut seen = vec![false; dag.num_nodes()];
    let mut open = vec![ENTRY];
    while let Some(block) = open.pop() {
        if block == dag.exit() || std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        if cfg.may_stay(block) {
            return true;
        }
        let goes_on = dag.successors(block).iter().filter(|&&edge| {
            let counted = matches!(placement.op(edge), Some(Op::Count(_) | Op::CountAt(_)));
            !counted && matches!(dag.edge(edge).kind, Kind::Flow(_))
        });
        open.extend(goes_on.map(|&edge| dag.edge(edge).to));
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::{plan, text};

    fn needed(graph: &str) -> bool {
        let named = text::parse(graph).expect("a sound graph");
        plan(&named.cfg, &named.frequency, 100).counts_entries
    }

    #[test]
    fn only_frames_that_may_stay_uncounted_need_a_counter() {
        assert!(!needed("A: B C\nB: D\nC: D\nD:"));
        assert!(needed("A?:"));
        // The path through C is counted before C; that through B is not, since B may be left in the middle.
        assert!(!needed("A: B C\nB:\nC:"));
        assert!(needed("A: B C\nB?: D\nC: D\nD:"));
        // A first path may go around the loop, and then into C; but in the second graph all end before C.
        assert!(needed("A: B\nB: B C\nC?:"));
        assert!(!needed("A: B\nB: !C\nC?:"));
    }
}
