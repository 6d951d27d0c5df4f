//! A textual form of graphs and plans, for tests and for people.
//!
//! A graph is one line a block: `A: B*3 C` says that block A goes to B and C, the first three times
//! as often as the second. `~B` is an unwind edge and `!B` an opaque one; a block with no
//! target returns, and `resume` or `noreturn` say otherwise; a `?` after the name says that control
//! may stay in the block, a `^` that paths are counted before it. The first block is the entry.

use std::collections::HashMap;
use std::fmt::Write;

use crate::Plan;
use crate::cfg::{Block, BlockData, Cfg, Edge, EdgeData, EdgeKind, Exit};
use crate::cuts::Reason;
use crate::dag::{DagEdge, DagEdgeKind};
use crate::decode::Decoder;
use crate::placement::Op;

/// A graph with names for its blocks.
#[derive(Clone, Debug)]
pub struct NamedGraph {
    /// The graph.
    pub cfg: Cfg,
    /// Estimated executions of each edge.
    pub frequency: Vec<u64>,
    /// Name of each block.
    pub names: Vec<String>,
}

/// Reads a graph.
///
/// # Errors
/// A sentence that names the line that is wrong.
pub fn parse(text: &str) -> Result<NamedGraph, String> {
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut heads = Vec::new();
    for line in &lines {
        let (head, targets) =
            line.split_once(':').ok_or_else(|| format!("no colon in `{line}`"))?;
        heads.push((head.trim_end_matches(['?', '^']).trim(), head, targets));
    }
    let index: HashMap<_, _> =
        heads.iter().enumerate().map(|(at, (name, ..))| (*name, Block(at as u32))).collect();
    let mut blocks = Vec::new();
    let mut edges = Vec::new();
    let mut frequency = Vec::new();
    for (at, (_, head, targets)) in heads.iter().enumerate() {
        let mut exit = Some(Exit::Return);
        for word in targets.split_whitespace() {
            match word {
                "resume" => exit = Some(Exit::Unwind),
                "noreturn" => exit = Some(Exit::NoReturn),
                _ => {
                    let (target, times) = word.split_once('*').unwrap_or((word, "1"));
                    let (kind, target) = match target.split_at_checked(1) {
                        Some(("~", target)) => (EdgeKind::Unwind, target),
                        Some(("!", target)) => (EdgeKind::Opaque, target),
                        _ => (EdgeKind::Plain, target),
                    };
                    let to = *index
                        .get(target)
                        .ok_or_else(|| format!("no block `{target}` for `{word}`"))?;
                    frequency.push(times.parse().map_err(|error| format!("`{word}`: {error}"))?);
                    edges.push(EdgeData { from: Block(at as u32), to, kind });
                    exit = None;
                }
            }
        }
        blocks.push(BlockData {
            exit,
            may_stay: head.ends_with('?'),
            counts_above: head.ends_with('^'),
        });
    }
    let names = heads.iter().map(|(name, ..)| (*name).to_owned()).collect();
    Ok(NamedGraph { cfg: Cfg::new(blocks, edges), frequency, names })
}

impl NamedGraph {
    fn name(&self, block: Block) -> &str {
        self.names.get(block.index()).map_or("EXIT", String::as_str)
    }

    fn edge(&self, edge: Edge) -> String {
        let data = self.cfg.edge(edge);
        format!("{}→{}", self.name(data.from), self.name(data.to))
    }

    /// An edge of the acyclic graph with what it stands for, `C→EXIT (back edge)`.
    fn dag_edge(&self, plan: &Plan, edge: DagEdge) -> String {
        let data = plan.dag.edge(edge);
        let ends = format!("{}→{}", self.name(data.from), self.name(data.to));
        match data.kind {
            DagEdgeKind::Flow(_) | DagEdgeKind::Leave => ends,
            DagEdgeKind::InFlight => format!("{ends} (in flight)"),
            DagEdgeKind::End(_, why) | DagEdgeKind::Start(_, why) => {
                format!("{ends} ({})", reason(why))
            }
        }
    }

    /// The values of all edges of the acyclic graph, one a line, zeros left out.
    pub fn values(&self, plan: &Plan) -> String {
        self.lines(plan, |edge| {
            Some(plan.numbering.value(edge)).filter(|&value| value != 0).map(|v| v.to_string())
        })
    }

    /// The code on all edges that have any, one a line.
    pub fn code(&self, plan: &Plan) -> String {
        let write = |op: Op, how: &str| match op {
            Op::Add(n) if n < 0 => format!("r -= {}", n.unsigned_abs()),
            Op::Add(n) => format!("r += {n}"),
            Op::Set(n) => format!("r = {n}"),
            Op::Count(0) => format!("count[r]{how}"),
            Op::Count(n) if n < 0 => format!("count[r - {}]{how}", n.unsigned_abs()),
            Op::Count(n) => format!("count[r + {n}]{how}"),
            Op::CountAt(n) => format!("count[{n}]{how}"),
        };
        let mut text = self.lines(plan, |edge| {
            let back = plan.placement.back(edge).map(|op| write(op, "--"));
            let op = plan.placement.op(edge).map(|op| write(op, "++"));
            let speculative =
                plan.placement.speculative(edge).map(|op| write(op, "++ speculative"));
            let steps: Vec<_> = [back, op, speculative].into_iter().flatten().collect();
            (!steps.is_empty()).then(|| steps.join(", "))
        });
        for block in self.cfg.blocks() {
            if let Some(n) = plan.placement.settled(block) {
                let _ = writeln!(text, "end of {}: r = {n}", self.name(block));
            }
        }
        text
    }

    fn lines(&self, plan: &Plan, describe: impl Fn(DagEdge) -> Option<String>) -> String {
        let mut text = String::new();
        for edge in plan.dag.edges() {
            if let Some(what) = describe(edge) {
                let _ = writeln!(text, "{}: {what}", self.dag_edge(plan, edge));
            }
        }
        text
    }

    /// All paths, one a line: id, how it starts, its blocks, how it ends.
    pub fn paths(&self, plan: &Plan) -> String {
        let decoder = decoder(plan);
        let mut text = String::new();
        for id in 0..plan.numbering.total() {
            let edges = decoder.path(id).expect("every id below the total is a path");
            let edges: Vec<_> = edges.into_iter().map(|index| DagEdge(index as u32)).collect();
            let mut from = String::new();
            let mut blocks = Vec::new();
            for &edge in &edges {
                match plan.dag.edge(edge).kind {
                    DagEdgeKind::Start(_, why) => {
                        let cut = self
                            .cfg
                            .edges()
                            .filter(|&e| plan.dag.cut(e).is_some_and(|cut| cut.start == edge));
                        let sources: Vec<_> =
                            cut.map(|e| self.name(self.cfg.edge(e).from)).collect();
                        from = format!("({}, from {}) ", reason(why), sources.join(" "));
                    }
                    _ => blocks.push(self.name(plan.dag.edge(edge).from)),
                }
            }
            let last = plan.dag.edge(*edges.last().expect("a path has an edge"));
            let end = match last.kind {
                DagEdgeKind::End(_, why) => format!(" ({})", reason(why)),
                DagEdgeKind::InFlight => " (in flight)".into(),
                _ => String::new(),
            };
            let _ = writeln!(text, "{id}: {from}{}{end}", blocks.join(" "));
        }
        text
    }

    /// The cut edges with their reasons, one a line.
    pub fn cuts(&self, plan: &Plan) -> String {
        let mut text = String::new();
        for edge in self.cfg.edges() {
            if let Some(cut) = plan.dag.cut(edge)
                && let DagEdgeKind::End(_, why) = plan.dag.edge(cut.end).kind
            {
                let _ = writeln!(text, "{}: {}", self.edge(edge), reason(why));
            }
        }
        text
    }
}

/// A decoder for the paths of a plan.
pub fn decoder(plan: &Plan) -> Decoder {
    let edge = |edge: DagEdge| {
        let data = plan.dag.edge(edge);
        (data.from.0, data.to.0, plan.numbering.value(edge))
    };
    let edges: Vec<_> = plan.dag.edges().map(edge).collect();
    Decoder::new(plan.dag.num_nodes() - 1, &edges).expect("a plan's graph is sound")
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::BackEdge => "back edge",
        Reason::LoopEntry => "loop entry",
        Reason::Opaque => "opaque",
        Reason::Limit => "limit",
    }
}
