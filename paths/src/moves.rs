//! Moves initialisation down and counting up.
//!
//! Two facts about each node save most of the code (Ball & Larus, MICRO-29, 1996, §3.4):
//!
//! * *Initialisation moves down.* Where only one way leads to a node, the register is a known
//!   constant there, and nothing is stored until two ways meet.
//! * *Counting moves up.* Where only one way leads from a node to EXIT, the path can be counted
//!   before the node. It moves only over blocks that control cannot stay in, nor leave in the
//!   middle: otherwise a path would be counted that did not happen. Over a node with several ways
//!   in it moves if that saves an instruction on some of them, and code does not grow much: each
//!   way in then counts by itself. And over a block that returns what a call in tail position gave.
//!
//! Where both meet, a path is counted by one instruction and no register: `count[constant]++`.
//!
//! So on many edges a step of the register needs no instruction. Where the register is known, the
//! step goes into the constant. Where a path is counted, it goes into the number of the counter.
//! [`Moves::step_cost`] is 0 there. The spanning tree takes the other edges first.

use crate::cfg::{Block, Cfg, ENTRY};
use crate::dag::{Dag, DagEdge};
use crate::increments::Increments;
use crate::techniques::Techniques;

/// Counting moves up over a join if not more ways into it than this, or than it saves an
/// instruction on, get a copy that hold no code otherwise.
const COPIES: usize = 4;

/// Where the register is known, and where paths are counted before a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    known: Vec<bool>,
    counted: Vec<bool>,
}

impl Moves {
    /// The moves that fit any increments: counting moves over no join.
    pub fn of(cfg: &Cfg, dag: &Dag, techniques: Techniques) -> Self {
        let mut known = vec![false; dag.num_nodes()];
        for &node in dag.postorder().iter().rev() {
            known[node.index()] = match *dag.predecessors(node) {
                _ if node == ENTRY => true,
                [edge] => techniques.constants && known[dag.edge(edge).from.index()],
                _ => false,
            };
        }
        let counted = counted_above(cfg, dag, techniques, |_| false);
        Self { known, counted }
    }

    /// The same and over the joins where that pays. `weights` estimates how often each edge is
    /// followed.
    pub fn over_joins(
        self,
        cfg: &Cfg,
        dag: &Dag,
        increments: &Increments,
        weights: &[u64],
        techniques: Techniques,
    ) -> Self {
        let pays = |node| techniques.joins && self.pays_above(dag, increments, weights, node);
        Self { counted: counted_above(cfg, dag, techniques, pays), ..self }
    }

    /// True if only one way leads to `node`, so that the register is a constant there.
    pub fn is_known(&self, node: Block) -> bool {
        self.known[node.index()]
    }

    /// True if the paths through `node` are counted before it.
    pub fn is_counted(&self, node: Block) -> bool {
        self.counted[node.index()]
    }

    /// The number of instructions executed for a step of the register on `edge`, if `weight` is how
    /// often the edge is followed. On a critical edge a step needs a jump, too.
    pub fn step_cost(&self, dag: &Dag, edge: DagEdge, weight: u64) -> u64 {
        let data = dag.edge(edge);
        let is_part = self.is_known(data.from) || data.to == dag.exit() || self.is_counted(data.to);
        let instructions = if is_part { 0 } else { 1 + u64::from(dag.is_critical(edge)) };
        weight.saturating_mul(instructions)
    }

    /// True if counting on the ways into the join `node` is better than behind it. Where the
    /// register is known or stepped, it takes the place of an instruction. Elsewhere it is a copy,
    /// and on a critical edge it needs a jump, too.
    fn pays_above(&self, dag: &Dag, increments: &Increments, weights: &[u64], node: Block) -> bool {
        let (mut saved, mut jumps) = (0u64, 0u64);
        let (mut free, mut copies) = (0, 0);
        for &edge in dag.predecessors(node) {
            let weight = weights[edge.index()];
            if self.is_known(dag.edge(edge).from) || increments.of(edge) != 0 {
                free += 1;
                saved = saved.saturating_add(weight);
            } else {
                copies += 1;
                jumps = jumps.saturating_add(if dag.is_critical(edge) { weight } else { 0 });
            }
        }
        free > 0 && copies <= free.max(COPIES) && saved >= jumps
    }
}

/// Before which nodes paths are counted. `pays` says of a join whether it is better to count on the
/// ways into it than behind it.
fn counted_above(
    cfg: &Cfg,
    dag: &Dag,
    techniques: Techniques,
    pays: impl Fn(Block) -> bool,
) -> Vec<bool> {
    let mut counted = vec![false; dag.num_nodes()];
    for &node in dag.postorder() {
        let [edge] = *dag.successors(node) else { continue };
        let to = dag.edge(edge).to;
        let into = dag.predecessors(node);
        counted[node.index()] = (to == dag.exit() || counted[to.index()])
            && node != ENTRY
            && !cfg.may_stay(node)
            && !into.iter().any(|&edge| dag.holds_no_code(cfg, edge))
            && (cfg.counts_above(node) || techniques.above && (into.len() == 1 || pays(node)));
    }
    counted
}
