//! Lists what happens at each point of a function, and cuts it into regions.
//!
//! A node is four regions: its *top*, its *body*, its *end* and its *tail*. The top and the end are
//! points, where our code can stand. The body is what the node runs between them. The tail is what
//! it runs behind its end: a call, or branches. Each edge is a region, too, and a point if code can
//! stand there.

use paths::Plan;
use paths::cfg::{Block, Cfg, ENTRY, Edge};
use paths::dag::DagEdgeKind;
use paths::placement::Op;

use super::code::Registers;
use super::graph::{EdgePlace, Graph};
use crate::plan::path_sites::{self, PathStep, Site};

/// A region of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Region(u32);

impl Region {
    /// The index as a position in a vector.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The regions of a function, with the steps at its points.
pub(crate) struct Regions {
    nodes: usize,
    /// Registers that our code must leave alone somewhere in each region.
    pub(crate) busy: Vec<Registers>,
    /// Estimated executions of each region.
    pub(crate) frequency: Vec<u64>,
    /// True if our code can stand in a region.
    pub(crate) is_point: Vec<bool>,
    /// The regions behind each region.
    pub(crate) next: Vec<Vec<Region>>,
    /// The regions before each region.
    pub(crate) before: Vec<Vec<Region>>,
    /// The steps at each point, in their order.
    pub(crate) steps: Vec<Vec<PathStep>>,
    /// True if the path's number is in its register where a region begins.
    pub(crate) is_live: Vec<bool>,
}

impl Regions {
    /// The regions of `graph`, in which paths are counted as planned.
    pub(crate) fn of(graph: &Graph<'_>, cfg: &Cfg, plan: &Plan) -> Self {
        let (nodes, edges) = (graph.nodes.len(), graph.places.len());
        let length = 4 * nodes + edges;
        let mut regions = Self {
            nodes,
            busy: vec![Registers::default(); length],
            frequency: vec![0; length],
            is_point: vec![false; length],
            next: vec![Vec::new(); length],
            before: vec![Vec::new(); length],
            steps: vec![Vec::new(); length],
            is_live: vec![false; length],
        };
        for at in 0..nodes {
            regions.read_node(graph, Block(at as u32));
        }
        // What control cannot come to leads nowhere, so that nothing has to be kept for it.
        let is_reachable = reachable(cfg);
        for at in 0..edges {
            let edge = Edge(at as u32);
            if is_reachable[graph.edge(edge).from.index()] {
                regions.read_edge(graph, edge);
            }
        }
        regions.add_steps(cfg, plan);
        regions.find_live();
        regions
    }

    /// All regions.
    pub(crate) fn all(&self) -> impl DoubleEndedIterator<Item = Region> + use<> {
        (0..self.busy.len() as u32).map(Region)
    }

    /// The point at the top of a node.
    pub(crate) fn top(&self, block: Block) -> Region {
        Region(4 * block.0)
    }

    /// What a node runs between its top and its end.
    pub(crate) fn body(&self, block: Block) -> Region {
        Region(4 * block.0 + 1)
    }

    /// The point at the end of a node.
    pub(crate) fn end(&self, block: Block) -> Region {
        Region(4 * block.0 + 2)
    }

    /// What a node runs behind its end.
    pub(crate) fn tail(&self, block: Block) -> Region {
        Region(4 * block.0 + 3)
    }

    /// An edge.
    pub(crate) fn on(&self, edge: Edge) -> Region {
        Region((4 * self.nodes) as u32 + edge.0)
    }

    /// The node before which paths have to end so that no number lives in a region.
    pub(crate) fn node_of(&self, graph: &Graph<'_>, region: Region) -> Block {
        match region.index().checked_sub(4 * self.nodes) {
            Some(edge) => graph.edge(Edge(edge as u32)).to,
            None => Block(region.0 / 4),
        }
    }

    fn read_node(&mut self, graph: &Graph<'_>, block: Block) {
        let node = graph.node(block);
        let all = [self.top(block), self.body(block), self.end(block), self.tail(block)];
        let [top, body, end, tail] = all;
        for region in all {
            self.frequency[region.index()] = graph.executions(block);
        }
        for [from, to] in [[top, body], [body, end], [end, tail]] {
            self.join(from, to);
        }
        let live = |at| graph.live(node, at);
        self.busy[top.index()] = live(node.first);
        self.busy[end.index()] = live(node.end_point);
        self.busy[body.index()] = live(node.end_point);
        self.busy[tail.index()] = live(node.end);
        let indexes = node.first..node.end;
        for (at, of) in indexes.zip(graph.instructions(node)) {
            let part = if at < node.end_point { body } else { tail };
            self.busy[part.index()] |= live(at) | of.touched();
        }
        // No code stands in the node before the first block but that of its edge.
        self.is_point[top.index()] = node.block.is_some();
        self.is_point[end.index()] = node.block.is_some();
    }

    fn read_edge(&mut self, graph: &Graph<'_>, edge: Edge) {
        let region = self.on(edge);
        let data = graph.edge(edge);
        let (from, to) = (graph.node(data.from), graph.node(data.to));
        let place = graph.places[edge.index()];
        self.busy[region.index()] = match place {
            EdgePlace::Source => graph.live(from, from.end_point) | graph.live(to, to.first),
            _ => graph.live(to, to.first),
        };
        let frequency = graph.frequency[edge.index()];
        // A jump that only our code needs costs as much as an instruction of it.
        let jumps = matches!(place, EdgePlace::Own { jumps: true, .. });
        self.frequency[region.index()] = frequency.saturating_mul(1 + u64::from(jumps));
        self.is_point[region.index()] = place != EdgePlace::Nowhere;
        self.join(region, self.top(data.to));
        self.join(self.tail(data.from), region);
    }

    fn join(&mut self, from: Region, to: Region) {
        self.next[from.index()].push(to);
        self.before[to.index()].push(from);
    }

    fn add_steps(&mut self, cfg: &Cfg, plan: &Plan) {
        let dag = &plan.dag;
        for edge in dag.edges().filter(|&edge| dag.edge(edge).kind == DagEdgeKind::InFlight) {
            let end = self.end(dag.edge(edge).from);
            self.steps[end.index()].extend(path_sites::steps_of(plan, edge));
        }
        for (site, action) in path_sites::sites(cfg, plan) {
            let Some(action) = action else { continue };
            let region = match site {
                Site::Top(block) => self.top(block),
                Site::End(block) => self.end(block),
                Site::On(edge) => self.on(edge),
            };
            self.steps[region.index()].extend(path_sites::steps(plan, action));
        }
    }

    /// Finds where the number lives: before a step that uses it, back to where it is set.
    fn find_live(&mut self) {
        let mut pending: Vec<_> = self.all().collect();
        while let Some(region) = pending.pop() {
            if !self.is_live[region.index()] && self.lives_before(region) {
                self.is_live[region.index()] = true;
                pending.extend(&self.before[region.index()]);
            }
        }
    }

    /// True if the number is in its register behind a region.
    pub(crate) fn lives_behind(&self, region: Region) -> bool {
        self.next[region.index()].iter().any(|next| self.is_live[next.index()])
    }

    fn lives_before(&self, region: Region) -> bool {
        for step in &self.steps[region.index()] {
            match step.op {
                Op::Set(_) => return false,
                Op::Add(_) | Op::Count(_) => return true,
                Op::CountAt(_) => {}
            }
        }
        self.lives_behind(region)
    }

    /// True if a step of a region uses the number's register.
    pub(crate) fn uses_number(&self, region: Region) -> bool {
        self.steps[region.index()].iter().any(|step| !matches!(step.op, Op::CountAt(_)))
    }
}

/// For each node, true if control can come to it.
fn reachable(cfg: &Cfg) -> Vec<bool> {
    let mut is_reachable = vec![false; cfg.num_blocks()];
    let mut pending = vec![ENTRY];
    while let Some(block) = pending.pop() {
        if !std::mem::replace(&mut is_reachable[block.index()], true) {
            pending.extend(cfg.successors(block).iter().map(|&edge| cfg.edge(edge).to));
        }
    }
    is_reachable
}
