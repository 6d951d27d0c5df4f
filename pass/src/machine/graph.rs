//! Reads the graph of a function in machine code: from the code generator's blocks to
//! `paths::Cfg`.
//!
//! A block of the graph is a *node*: a block of the code generator, or a part of it. A node ends
//! behind each call, and behind what control may stay in: a volatile store, or inline assembly. So
//! if a node runs, it runs to its end. No code is moved for that.
//!
//! Calls keep no register that our code may use. So the number of a path must not live over a call.
//! `calls.rs` decides at which calls paths end therefore.
//!
//! Where the first block of a function is the head of a loop, a node without code stands before it.

use pathformat::manifest::{Outcome, WeightSource};
use pathformat::weights::FunctionWeights;
use paths::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind, Exit};

use crate::ffi::machine::EdgeForm;
use crate::options::Options;
use crate::read::weights;

use super::code::{self, Instruction, Position, Registers};

/// A part of a block of the code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The block; `None` for the node before the first one.
    pub(crate) block: Option<usize>,
    /// Its first instruction.
    pub(crate) first: usize,
    /// Where the code stands that is run at its end: before the call, or before the branches.
    pub(crate) end_point: usize,
    /// The instruction behind its last one.
    pub(crate) end: usize,
    /// True if a call ends it.
    pub(crate) calls: bool,
    /// True if control may stay in what ends it.
    stays: bool,
    /// The block that an exception leads to.
    landing_pad: Option<usize>,
    /// The way in which the function is left.
    exit: Option<Exit>,
}

/// Where the code of an edge stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgePlace {
    /// At the end of its source, which leads nowhere else.
    Source,
    /// At the top of its target, to which nothing else leads.
    Target,
    /// In a block of its own. If it `jumps`, one more jump leads on from there.
    Own { position: Position, jumps: bool },
    /// Nowhere.
    Nowhere,
}

/// A function's graph with what ties it to machine code.
pub(crate) struct Graph<'ctx> {
    /// The code.
    pub(crate) code: code::Function<'ctx>,
    /// The blocks of the graph, in the order in which they stand.
    pub(crate) nodes: Vec<Node>,
    /// Its edges, with their kind if no path ends at a call.
    edges: Vec<EdgeData>,
    /// Where the code of each edge stands.
    pub(crate) places: Vec<EdgePlace>,
    /// The instruction behind the last one of its source's that may run before each edge is taken.
    pub(crate) behind: Vec<usize>,
    /// Which outcome of a branch takes each edge.
    pub(crate) outcomes: Vec<Outcome>,
    /// Executions of each edge, estimated or measured.
    pub(crate) frequency: Vec<u64>,
    /// The source of the executions.
    pub(crate) weights: WeightSource,
}

impl<'ctx> Graph<'ctx> {
    /// Reads `code`. The weights of its edges are those that are `known` from an earlier run of the
    /// same graph, else the code generator's estimates. Or gives the reason why it is not counted.
    pub(crate) fn read(
        code: code::Function<'ctx>,
        options: &Options,
        known: Option<&FunctionWeights>,
    ) -> Result<Self, String> {
        let is_entered_again = code.blocks.iter().flat_map(|of| of.edges).any(|edge| edge.to == 0);
        let before = Node {
            block: None,
            first: 0,
            end_point: 0,
            end: 0,
            calls: false,
            stays: false,
            landing_pad: None,
            exit: None,
        };
        let mut nodes: Vec<Node> = is_entered_again.then_some(before).into_iter().collect();
        let mut first_nodes = Vec::with_capacity(code.blocks.len());
        for (at, block) in code.blocks.iter().enumerate() {
            first_nodes.push(Block(nodes.len() as u32));
            nodes.extend(nodes_of(at, block));
        }
        let mut reader = Edges { edges: Vec::new(), frequency: Vec::new(), outcomes: Vec::new() };
        let (mut forms, mut behind) = (Vec::new(), Vec::new());
        for (at, node) in nodes.iter().enumerate() {
            let from = Block(at as u32);
            let Some(block) = node.block.map(|block| &code.blocks[block]) else {
                reader.add(from, first_nodes[0], EdgeKind::Plain, 0, Outcome::Jump);
                forms.push(None);
                behind.push(node.end);
                continue;
            };
            if let Some(pad) = node.landing_pad.filter(|_| node.exit.is_none()) {
                let to_pad = block.edges.iter().find(|edge| edge.to as usize == pad);
                let frequency = to_pad.map_or(0, |edge| edge.frequency);
                reader.add(from, first_nodes[pad], EdgeKind::Unwind, frequency, Outcome::Unwind);
                forms.push(Some(EdgeForm::Unwinds));
                behind.push(node.end);
            }
            let is_last = nodes.get(at + 1).is_none_or(|next| next.block != node.block);
            if !is_last {
                let next = Block(at as u32 + 1);
                let outcome = match node.landing_pad {
                    Some(_) => Outcome::Normal,
                    None => Outcome::Jump,
                };
                reader.add(from, next, EdgeKind::Plain, block.frequency, outcome);
                forms.push(None);
                behind.push(node.end);
                continue;
            }
            let ways = block.edges.iter().filter(|edge| edge.form != EdgeForm::Unwinds);
            let is_branch = ways.clone().count() > 1;
            for edge in ways.filter(|_| node.exit.is_none()) {
                let to = first_nodes[edge.to as usize];
                let kind = match code::holds_code(edge.form) {
                    true => EdgeKind::Plain,
                    false => EdgeKind::Opaque,
                };
                let is_indirect = code::is_indirect(block);
                let outcome = match edge.form {
                    _ if !is_branch => Outcome::Jump,
                    EdgeForm::Fixed => Outcome::Indirect,
                    _ if is_indirect => Outcome::Indirect,
                    EdgeForm::Jumps => Outcome::True,
                    _ => Outcome::False,
                };
                reader.add(from, to, kind, edge.frequency, outcome);
                forms.push(Some(edge.form));
                behind.push(code::last_instruction(edge).map_or(node.end, |last| last + 1));
            }
        }
        let Edges { mut edges, mut frequency, outcomes } = reader;
        let entered = |of: usize| -> u64 {
            let into = edges.iter().zip(&frequency).filter(|(edge, _)| edge.from.index() == of);
            into.fold(0, |sum, (_, &of)| sum.saturating_add(of))
        };
        if is_entered_again {
            frequency[0] = entered(1).max(1) / 8;
        }
        // Where several calls lead to a landing pad, none of them can hold what only one knows.
        let mut into = vec![0; nodes.len()];
        edges.iter().for_each(|edge| into[edge.to.index()] += 1);
        for edge in edges.iter_mut().filter(|edge| edge.kind == EdgeKind::Unwind) {
            if into[edge.to.index()] > 1 {
                edge.kind = EdgeKind::Opaque;
            }
        }
        let caught = code.blocks.iter().flat_map(|block| block.edges);
        let mut caught = caught.filter(|edge| edge.form == EdgeForm::Unwinds);
        if caught.any(|edge| into[first_nodes[edge.to as usize].index()] == 0) {
            return Err("a handler of exceptions that no call is known to lead to".into());
        }
        let mut out = vec![0; nodes.len()];
        edges.iter().for_each(|edge| out[edge.from.index()] += 1);
        let place = |(edge, form): (&EdgeData, &Option<EdgeForm>)| {
            let [from, to] = [edge.from, edge.to].map(|of| nodes[of.index()].block);
            match (edge.kind, form, from, to) {
                (EdgeKind::Plain, None, None, _) if into[edge.to.index()] > 1 => {
                    EdgePlace::Own { position: Position::BeforeEntry, jumps: false }
                }
                (EdgeKind::Plain, None, _, _) => EdgePlace::Target,
                (EdgeKind::Plain, Some(form), Some(from), Some(to)) => {
                    if into[edge.to.index()] == 1 {
                        EdgePlace::Target
                    } else if out[edge.from.index()] == 1 {
                        EdgePlace::Source
                    } else {
                        let jumps = *form == EdgeForm::Jumps;
                        EdgePlace::Own { position: Position::Between { from, to }, jumps }
                    }
                }
                _ => EdgePlace::Nowhere,
            }
        };
        let places = edges.iter().zip(&forms).map(place).collect();
        let mut graph = Self {
            code,
            nodes,
            edges,
            places,
            behind,
            outcomes,
            frequency,
            weights: WeightSource::Estimated,
        };
        let estimates = std::mem::take(&mut graph.frequency);
        (graph.weights, graph.frequency) =
            weights::of_edges(&graph.cfg(&[]), estimates, known, options);
        Ok(graph)
    }

    /// The graph for `paths`, where paths end before the calls at the ends of the nodes that are
    /// `cut`. Beyond the end of `cut`, none are.
    pub(crate) fn cfg(&self, cut: &[bool]) -> Cfg {
        let is_cut = |of: Block| cut.get(of.index()).copied().unwrap_or_default();
        let blocks = self.nodes.iter().enumerate().map(|(at, node)| BlockData {
            exit: node.exit,
            may_stay: node.stays && node.exit.is_none() && !is_cut(Block(at as u32)),
            counts_above: false,
        });
        let edges = self.edges.iter().map(|edge| match is_cut(edge.from) {
            true => EdgeData { kind: EdgeKind::Opaque, ..*edge },
            false => *edge,
        });
        Cfg::new(blocks.collect(), edges.collect()).with_in_flight()
    }

    /// The node of a block of the graph.
    pub(crate) fn node(&self, block: Block) -> Node {
        self.nodes[block.index()]
    }

    /// The code generator's block that holds a node, if it holds any code.
    pub(crate) fn block(&self, node: Node) -> Option<&code::Block<'ctx>> {
        node.block.map(|block| &self.code.blocks[block])
    }

    /// The instructions of a node.
    pub(crate) fn instructions(&self, node: Node) -> impl Iterator<Item = Instruction<'ctx>> {
        let block = self.block(node);
        block.into_iter().flat_map(move |block| block.instructions(node.first..node.end))
    }

    /// The registers that are live before an instruction of a node, or behind its last one.
    pub(crate) fn live(&self, node: Node, at: usize) -> Registers {
        self.block(node).map_or_else(|| self.code.blocks[0].live(0), |block| block.live(at))
    }

    /// Estimated executions of a node.
    pub(crate) fn executions(&self, block: Block) -> u64 {
        match self.node(block).block {
            Some(of) => self.code.blocks[of].frequency,
            None => self.frequency[0],
        }
    }

    /// Source and target of an edge.
    pub(crate) fn edge(&self, edge: Edge) -> EdgeData {
        self.edges[edge.index()]
    }
}

/// The edges that were read.
struct Edges {
    edges: Vec<EdgeData>,
    frequency: Vec<u64>,
    outcomes: Vec<Outcome>,
}

impl Edges {
    fn add(&mut self, from: Block, to: Block, kind: EdgeKind, frequency: u64, outcome: Outcome) {
        self.edges.push(EdgeData { from, to, kind });
        self.frequency.push(frequency);
        self.outcomes.push(outcome);
    }
}

/// The nodes that a block consists of.
fn nodes_of(at: usize, block: &code::Block<'_>) -> Vec<Node> {
    let ways = block.edges.iter().filter(|edge| edge.form != EdgeForm::Unwinds).count();
    let mut nodes = Vec::new();
    // Exceptions come in at a label.
    let mut first =
        (0..block.len()).find(|&at| !block.instruction(at).is_label()).unwrap_or(block.len());
    let last =
        (0..block.len()).rfind(|&at| !block.instruction(at).is_meta()).map_or(0, |at| at + 1);
    let ends_node = |(index, of): &(usize, Instruction<'_>)| {
        let ends_program = of.is_trap() && index + 1 == last && ways == 0;
        let is_last = of.is_call() || of.may_stay() || ends_program;
        is_last && !of.is_terminator() && !of.is_meta()
    };
    for (index, of) in block.instructions(0..block.len()).enumerate().filter(ends_node) {
        // Labels behind a call belong to it.
        let behind = (index + 1..block.len()).find(|&next| !block.instruction(next).is_meta());
        let end = behind.unwrap_or(block.len());
        let is_exit = index + 1 == last && ways == 0;
        let exit = is_exit.then(|| if of.unwinds() { Exit::Unwind } else { Exit::NoReturn });
        nodes.push(Node {
            block: Some(at),
            first,
            end_point: index,
            end,
            calls: of.is_call(),
            stays: of.may_stay(),
            landing_pad: of.landing_pad(),
            exit,
        });
        first = end;
        if is_exit {
            return nodes;
        }
    }
    let branches = (first..block.len()).find(|&index| block.instruction(index).is_terminator());
    let leaves = block.instructions(first..block.len()).any(|of| of.leaves());
    let exit = match ways {
        0 if leaves => Some(Exit::Return),
        0 => Some(Exit::NoReturn),
        _ => None,
    };
    nodes.push(Node {
        block: Some(at),
        first,
        end_point: branches.unwrap_or(block.len()),
        end: block.len(),
        calls: false,
        stays: false,
        landing_pad: None,
        exit,
    });
    nodes
}
