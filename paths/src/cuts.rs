//! Decides which edges are cut, so that the rest has no cycle, holds code where it must, and has
//! few paths.
//!
//! A cut edge u→v ends one path and starts the next: in the acyclic graph it becomes u→EXIT and
//! ENTRY→v. Cut are
//!
//! * opaque edges. The path ends in the source block, before its terminator, so all edges out of
//!   that block are cut; the next one starts at the top of the target, so all edges into that block
//!   are cut;
//! * back edges (the retreating edges of a depth-first search along the others, which also breaks
//!   irreducible loops),
//! * the edges by which control enters a loop, where that is wanted. All paths in the loop then
//!   start alike at its header, so the register is a constant there, and no iteration steps another
//!   counter than the next because of the way into the loop,
//! * while there are more paths than the limit, more: first loops no longer show through which back
//!   edge an iteration was entered, then loops are cut from the code before them (those with most
//!   paths first), then all blocks are where too many paths begin. Never a hash table: in the paper
//!   it is what costs most.

use crate::MOST_PATHS;
use crate::cfg::{Block, Cfg, ENTRY, Edge, EdgeKind};

/// With those in flight, a function may have this many times the limit of paths.
const IN_FLIGHT: u64 = 16;

/// Why an edge is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It closes a loop.
    BackEdge,
    /// It, or an edge beside it, cannot hold code.
    Opaque,
    /// It enters a loop.
    LoopEntry,
    /// There would be more paths than the limit.
    Limit,
}

/// Which edges are cut, and where the code at the cuts goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuts {
    edges: Vec<Option<Reason>>,
    ends: Vec<bool>,
    starts: Vec<bool>,
    shared: Vec<bool>,
    reachable: Vec<bool>,
    /// The reachable blocks, each after its successors unless the edge is cut.
    order: Vec<Block>,
}

impl Cuts {
    /// The cuts that no function can do without: back edges and opaque edges.
    pub fn necessary(cfg: &Cfg) -> Self {
        let mut cuts = Self {
            edges: vec![None; cfg.num_edges()],
            ends: vec![false; cfg.num_blocks()],
            starts: vec![false; cfg.num_blocks()],
            shared: vec![false; cfg.num_blocks()],
            reachable: reachable(cfg),
            order: Vec::new(),
        };
        for edge in cfg.edges() {
            if cfg.edge(edge).kind == EdgeKind::Opaque && cuts.is_reachable(cfg.edge(edge).from) {
                cuts.cut(cfg, edge, Reason::Opaque);
            }
        }
        // A cycle through an opaque edge is broken already: the way back to a shared computed goto
        // is no back edge.
        let Search { back_edges, order } = cuts.depth_first(cfg);
        cuts.order = order;
        back_edges.into_iter().for_each(|edge| cuts.cut(cfg, edge, Reason::BackEdge));
        cuts
    }

    /// These cuts and those of all edges into loops, where code can stand on each edge to a header.
    /// The paths of a loop share their start.
    pub fn with_loop_entries(mut self, cfg: &Cfg) -> Self {
        for header in self.loop_headers(cfg) {
            self.cut_before(cfg, header, Reason::LoopEntry);
        }
        self
    }

    /// These cuts and those of all edges into some blocks, where code can stand on each such edge.
    pub fn with_cuts_before(mut self, cfg: &Cfg, blocks: &[Block]) -> Self {
        blocks.iter().for_each(|&block| self.cut_before(cfg, block, Reason::Limit));
        self
    }

    /// These cuts, and as many more as it takes to have at most `limit` paths that end, and
    /// `IN_FLIGHT` times as many with those in flight. If even cutting everywhere leaves more,
    /// the result has the fewest paths that were found.
    pub fn within(self, cfg: &Cfg, frequency: &[u64], limit: u64) -> Self {
        let ended = cfg.clone().without_in_flight();
        let most = limit.saturating_mul(IN_FLIGHT).min(limit.max(MOST_PATHS));
        let fits = |cuts: &Self| cuts.num_paths(&ended) <= limit && cuts.num_paths(cfg) <= most;
        if fits(&self) {
            return self;
        }
        let shared = self.with_shared_starts(cfg);
        let paths = shared.paths_from(cfg);
        if fits(&shared) {
            return shared;
        }
        let mut headers = shared.loop_headers(cfg);
        headers.sort_by_key(|&header| std::cmp::Reverse(paths[header.index()]));
        let doubling =
            std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|&n| n < headers.len() * 2);
        let mut loops = shared.clone();
        for most in doubling {
            loops = shared.clone();
            headers
                .iter()
                .take(most)
                .for_each(|&header| loops.cut_before(cfg, header, Reason::Limit));
            if fits(&loops) {
                return loops;
            }
        }
        let thresholds =
            std::iter::successors(Some(limit.max(1)), |&most| (most > 1).then_some(most / 2));
        let mut fewest = (loops.num_paths(cfg), loops.clone());
        for (most, colder) in thresholds.flat_map(|most| [(most, true), (most, false)]) {
            let cuts = loops.with_regions_of(cfg, frequency, most, colder);
            if fits(&cuts) {
                return cuts;
            }
            let paths = cuts.num_paths(cfg);
            if paths < fewest.0 {
                fewest = (paths, cuts);
            }
        }
        fewest.1
    }

    /// Why `edge` is cut, or `None` if it is not.
    pub fn reason(&self, edge: Edge) -> Option<Reason> {
        self.edges[edge.index()]
    }

    /// True if paths end in `block`, before its terminator, rather than on the edges out of it.
    pub fn ends_in(&self, block: Block) -> bool {
        self.ends[block.index()]
    }

    /// True if paths start at the top of `block` rather than on the edges into it.
    pub fn starts_in(&self, block: Block) -> bool {
        self.starts[block.index()]
    }

    /// True if all cut edges into `block` start the same path.
    pub fn shares_start(&self, block: Block) -> bool {
        self.starts_in(block) || self.shared[block.index()]
    }

    /// True if control can reach `block` from the entry at all.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.reachable[block.index()]
    }

    /// The reachable blocks, each after its successors unless the edge is cut; the entry is the
    /// last.
    pub fn postorder(&self) -> &[Block] {
        &self.order
    }

    /// Number of paths that these cuts leave, or 2^64 − 1 for that many or more. What
    /// [`Numbering`](crate::numbering::Numbering) would say, without the graph that it needs.
    pub(crate) fn num_paths(&self, cfg: &Cfg) -> u64 {
        self.total(cfg, &self.paths_from(cfg))
    }

    /// Number of paths from each block to the next cut or exit.
    fn paths_from(&self, cfg: &Cfg) -> Vec<u64> {
        let mut paths = vec![0; cfg.num_blocks()];
        for &block in &self.order {
            paths[block.index()] = self.paths_of(cfg, block, &paths);
        }
        paths
    }

    /// Number of paths from `block`, given those of its successors.
    fn paths_of(&self, cfg: &Cfg, block: Block, paths: &[u64]) -> u64 {
        let in_flight = u64::from(cfg.has_in_flight(block));
        if self.ends_in(block) || cfg.exit(block).is_some() {
            return 1 + in_flight;
        }
        let along = |&edge: &Edge| {
            if self.reason(edge).is_some() { 1 } else { paths[cfg.edge(edge).to.index()] }
        };
        cfg.successors(block).iter().map(along).fold(in_flight, u64::saturating_add)
    }

    /// Number of paths in all, given those from each block: from the entry, and from every start
    /// after a cut.
    fn total(&self, cfg: &Cfg, paths: &[u64]) -> u64 {
        let starts = |&block: &Block| {
            let cut =
                cfg.predecessors(block).iter().filter(|&&edge| self.reason(edge).is_some()).count()
                    as u64;
            let starts = if self.shares_start(block) { cut.min(1) } else { cut };
            starts.saturating_mul(paths[block.index()])
        };
        self.order.iter().map(starts).fold(paths[ENTRY.index()], u64::saturating_add)
    }

    /// Cuts one edge. If it cannot hold code, its source and target take the code, which cuts the
    /// edges beside it.
    fn cut(&mut self, cfg: &Cfg, edge: Edge, reason: Reason) {
        let mut pending = vec![(edge, reason)];
        while let Some((edge, reason)) = pending.pop() {
            if self.edges[edge.index()].is_none_or(|_| reason == Reason::BackEdge) {
                self.edges[edge.index()] = Some(reason);
            }
            let data = cfg.edge(edge);
            if data.kind == EdgeKind::Plain {
                continue;
            }
            if !std::mem::replace(&mut self.ends[data.from.index()], true) {
                pending
                    .extend(cfg.successors(data.from).iter().map(|&edge| (edge, Reason::Opaque)));
            }
            if !std::mem::replace(&mut self.starts[data.to.index()], true) {
                let reachable = cfg
                    .predecessors(data.to)
                    .iter()
                    .filter(|e| self.reachable[cfg.edge(**e).from.index()]);
                pending.extend(reachable.map(|&edge| (edge, Reason::Opaque)));
            }
        }
    }

    /// Searches along the edges that are not cut: from the entry, then from where paths start after
    /// a cut.
    fn depth_first(&self, cfg: &Cfg) -> Search {
        let mut seen = vec![false; cfg.num_blocks()];
        let mut open = vec![false; cfg.num_blocks()];
        let mut search =
            Search { back_edges: Vec::new(), order: Vec::with_capacity(cfg.num_blocks()) };
        let starts =
            cfg.edges().filter(|&edge| self.reason(edge).is_some()).map(|edge| cfg.edge(edge).to);
        for root in std::iter::once(ENTRY).chain(starts) {
            if std::mem::replace(&mut seen[root.index()], true) {
                continue;
            }
            open[root.index()] = true;
            let mut stack = vec![(root, 0)];
            while let Some((block, position)) = stack.last_mut() {
                let Some(&edge) = cfg.successors(*block).get(*position) else {
                    open[block.index()] = false;
                    search.order.push(*block);
                    stack.pop();
                    continue;
                };
                *position += 1;
                let to = cfg.edge(edge).to;
                if self.reason(edge).is_some() {
                    continue;
                }
                if open[to.index()] {
                    search.back_edges.push(edge);
                } else if !std::mem::replace(&mut seen[to.index()], true) {
                    open[to.index()] = true;
                    stack.push((to, 0));
                }
            }
        }
        search
    }

    fn with_shared_starts(&self, cfg: &Cfg) -> Self {
        let mut cuts = self.clone();
        for header in self.loop_headers(cfg) {
            cuts.shared[header.index()] = true;
        }
        cuts
    }

    fn loop_headers(&self, cfg: &Cfg) -> Vec<Block> {
        let is_header = |block: &Block| {
            cfg.predecessors(*block).iter().any(|&edge| self.reason(edge) == Some(Reason::BackEdge))
        };
        cfg.blocks().filter(is_header).collect()
    }

    /// True if all edges into `block` can hold code, so that it can be cut off from what comes
    /// before.
    fn can_cut_before(&self, cfg: &Cfg, block: Block) -> bool {
        block != ENTRY
            && cfg.predecessors(block).iter().all(|&edge| cfg.edge(edge).kind == EdgeKind::Plain)
    }

    /// Cuts all edges into `block`; they share one start.
    fn cut_before(&mut self, cfg: &Cfg, block: Block, reason: Reason) {
        if !self.can_cut_before(cfg, block) {
            return;
        }
        self.shared[block.index()] = true;
        for &edge in cfg.predecessors(block) {
            let reached = self.reachable[cfg.edge(edge).from.index()];
            if reached && self.edges[edge.index()].is_none() {
                self.edges[edge.index()] = Some(reason);
            }
        }
    }

    /// Cuts before every block from which more than `most` paths start, from the exits up, so that
    /// what remains between two cuts has few paths. With `colder`, cuts before less frequent
    /// successors of such a block instead, where that suffices.
    fn with_regions_of(&self, cfg: &Cfg, frequency: &[u64], most: u64, colder: bool) -> Self {
        let entered = |block: Block| -> u64 {
            cfg.predecessors(block)
                .iter()
                .fold(0, |sum, edge| sum.saturating_add(frequency[edge.index()]))
        };
        let mut cuts = self.clone();
        let mut paths = vec![0; cfg.num_blocks()];
        for &block in self.order.iter().filter(|&&block| block != ENTRY) {
            paths[block.index()] = cuts.paths_of(cfg, block, &paths);
            if paths[block.index()] <= most {
                continue;
            }
            for &edge in cfg.successors(block).iter().filter(|_| colder) {
                let to = cfg.edge(edge).to;
                if entered(to) < entered(block) {
                    cuts.cut_before(cfg, to, Reason::Limit);
                }
            }
            paths[block.index()] = cuts.paths_of(cfg, block, &paths);
            if paths[block.index()] > most {
                cuts.cut_before(cfg, block, Reason::Limit);
            }
        }
        cuts
    }
}

/// The result of a depth-first search.
struct Search {
    /// The edges that go back to a block that is being visited.
    back_edges: Vec<Edge>,
    /// The reachable blocks in postorder: each after its successors but along cut edges and back
    /// edges.
    order: Vec<Block>,
}

/// Which blocks control can reach from the entry.
fn reachable(cfg: &Cfg) -> Vec<bool> {
    let mut reachable = vec![false; cfg.num_blocks()];
    let mut pending = vec![ENTRY];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut reachable[block.index()], true) {
            pending.extend(cfg.successors(block).iter().map(|&edge| cfg.edge(edge).to));
        }
    }
    reachable
}
