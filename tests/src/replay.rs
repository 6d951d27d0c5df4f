//! Cuts a block log into paths by walking it along the control-flow graph.
//!
//! Every activation of a function has at most one path under way. A block is appended to it; if the
//! edge that leads to the block is cut, the path ends before the block and the next one starts with
//! it. A path that is still under way when its activation stops (the program exited further down,
//! or `longjmp` went past) is in flight, and counted as such if the graph has an edge for that.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail, ensure};
use pathformat::manifest::{CutReason, DagEdgeKind, Function};

use crate::image::{self, Modules};
use crate::log::{Entry, Event};
use crate::{Counts, End, FunctionId, Path, Start, add, reason};

/// What is known about a function's edges.
struct Graph<'a> {
    function: &'a Function,
    /// For each edge by its blocks, the reasons of the end and the start that stand for it if it is
    /// cut.
    edges: HashMap<(u32, u32), Option<(&'static str, &'static str)>>,
}

impl<'a> Graph<'a> {
    fn new(function: &'a Function) -> Result<Self> {
        let mut edges = HashMap::new();
        for edge in &function.edges {
            let cut =
                edge.cut.map(|cut| cut_reasons(function, (edge.from, edge.to), cut)).transpose()?;
            edges.insert((edge.from, edge.to), cut);
        }
        ensure!(
            edges.len() == function.edges.len(),
            "{} has two edges between the same blocks",
            function.name
        );
        Ok(Self { function, edges })
    }

    fn leaves(&self, block: u32) -> bool {
        self.function.blocks[block as usize].exit.is_some()
    }

    /// Whether control may come to `block` from anywhere, as it does when `setjmp` returns again.
    fn entered_from_anywhere(&self, block: u32) -> bool {
        let opaque = Some(reason(CutReason::Opaque));
        let mut into = self.edges.iter().filter(|&(&(_, to), _)| to == block).peekable();
        into.peek().is_some() && into.all(|(_, cut)| cut.map(|(_, start)| start) == opaque)
    }
}

/// The reasons of the acyclic edges that stand for a cut edge, checked to lie where the edge does.
fn cut_reasons(
    f: &Function,
    (from, to): (u32, u32),
    cut: (u32, u32),
) -> Result<(&'static str, &'static str)> {
    let kinds = (f.dag[cut.0 as usize].kind, f.dag[cut.1 as usize].kind);
    match kinds {
        (DagEdgeKind::End { block, why: end }, DagEdgeKind::Start { block: first, why: start })
            if block == from && first == to =>
        {
            Ok((reason(end), reason(start)))
        }
        _ => bail!("{}: the cut edge {from} -> {to} is represented by {kinds:?}", f.name),
    }
}

/// An activation of a function.
struct Frame {
    function: FunctionId,
    /// The block executed last.
    last: Option<u32>,
    /// The path under way; `None` once it has ended.
    path: Option<(Start, Vec<u32>)>,
}

/// Walks logs and counts the paths.
pub struct Replay<'a> {
    modules: &'a Modules,
    graphs: BTreeMap<FunctionId, Graph<'a>>,
    frames: HashMap<u64, Frame>,
    /// What has been counted.
    pub counts: Counts,
    /// Number of blocks executed.
    pub blocks: u64,
}

impl<'a> Replay<'a> {
    /// A replay of programs that consist of these modules.
    pub fn new(modules: &'a Modules) -> Self {
        Self {
            modules,
            graphs: BTreeMap::new(),
            frames: HashMap::new(),
            counts: Counts::new(),
            blocks: 0,
        }
    }

    /// Walks one log from its beginning to its end.
    ///
    /// # Errors
    /// A log that does not follow the graphs of the modules.
    pub fn walk(&mut self, log: impl Iterator<Item = Result<Entry>>) -> Result<()> {
        for entry in log {
            let Entry { frame, event } = entry?;
            match event {
                Event::Enter(function) => self.enter(frame, function)?,
                Event::Block(block) => self.block(frame, block)?,
                Event::End => self.end(frame)?,
            }
        }
        for (_, frame) in std::mem::take(&mut self.frames) {
            self.stay(frame.function, frame.path);
        }
        Ok(())
    }

    /// An activation stopped with this path under way.
    fn stay(&mut self, function: FunctionId, path: Option<(Start, Vec<u32>)>) {
        let Some((start, blocks)) = path else { return };
        let dag = &self.graphs[&function].function.dag;
        let counts =
            |last: u32| dag.iter().any(|edge| edge.kind == DagEdgeKind::InFlight { block: last });
        if blocks.last().is_some_and(|&last| counts(last)) {
            add(&mut self.counts, function, Path { start, blocks, end: End::InFlight }, 1);
        }
    }

    fn enter(&mut self, frame: u64, function: FunctionId) -> Result<()> {
        if !self.graphs.contains_key(&function) {
            let graph = Graph::new(image::function(self.modules, function)?)?;
            self.graphs.insert(function, graph);
        }
        self.frames
            .insert(frame, Frame { function, last: None, path: Some((Start::Entry, Vec::new())) });
        Ok(())
    }

    fn block(&mut self, frame: u64, block: u32) -> Result<()> {
        self.blocks += 1;
        let frame = self.frames.get_mut(&frame).context("a block belongs to no activation")?;
        let graph = &self.graphs[&frame.function];
        let name = &graph.function.name;
        ensure!((block as usize) < graph.function.blocks.len(), "{name} has no block {block}");
        let last = frame.last.replace(block);
        match (last, last.and_then(|last| graph.edges.get(&(last, block)))) {
            (None, _) => {
                ensure!(block == 0, "{name} starts with block {block}, which is not its entry")
            }
            (Some(_), Some(&Some((end, start)))) => {
                if let Some((started, blocks)) = frame.path.replace((Start::Cut(start), Vec::new()))
                {
                    add(
                        &mut self.counts,
                        frame.function,
                        Path { start: started, blocks, end: End::Cut(end) },
                        1,
                    );
                }
            }
            (Some(last), Some(None)) => {
                ensure!(
                    frame.path.is_some(),
                    "{name}: a path ended before the edge {last} -> {block}, which is not cut"
                );
            }
            (Some(_), None) if graph.entered_from_anywhere(block) => {
                let path = frame.path.replace((Start::Cut(reason(CutReason::Opaque)), vec![block]));
                let function = frame.function;
                self.stay(function, path);
                return Ok(());
            }
            (Some(last), None) => {
                bail!("{name}: block {block} follows block {last}, but there is no such edge")
            }
        }
        frame.path.as_mut().expect("set above or checked to be there").1.push(block);
        Ok(())
    }

    fn end(&mut self, number: u64) -> Result<()> {
        let frame =
            self.frames.get_mut(&number).context("the end of a path belongs to no activation")?;
        let graph = &self.graphs[&frame.function];
        let (start, blocks) = frame
            .path
            .take()
            .with_context(|| format!("{}: no path to end", graph.function.name))?;
        let last = *blocks
            .last()
            .with_context(|| format!("{}: a path of no blocks ends", graph.function.name))?;
        let leaves = graph.leaves(last);
        let end = if leaves { End::Leave } else { End::Cut(reason(CutReason::Opaque)) };
        add(&mut self.counts, frame.function, Path { start, blocks, end }, 1);
        if leaves {
            self.frames.remove(&number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pathformat::ModuleId;
    use pathformat::manifest::{Block, DagEdge, Edge, Exit, Manifest};

    use super::*;

    const LOOP: FunctionId = (ModuleId([1; 16]), 0);

    /// 0 → 1 ⇄ 2, 1 → 3: a loop whose back edge 2 → 1 is cut.
    fn modules() -> Modules {
        let edge = |from, to, cut| Edge { from, to, cut, ..Edge::default() };
        let dag = |kind| DagEdge { kind, value: 0 };
        let mut blocks = vec![Block::default(); 4];
        blocks[3].exit = Some(Exit::Return);
        let function = Function {
            name: "loop".into(),
            blocks,
            edges: vec![
                edge(0, 1, None),
                edge(1, 2, None),
                edge(2, 1, Some((0, 1))),
                edge(1, 3, None),
            ],
            dag: vec![
                dag(DagEdgeKind::End { block: 2, why: CutReason::BackEdge }),
                dag(DagEdgeKind::Start { block: 1, why: CutReason::BackEdge }),
            ],
            ..Function::default()
        };
        Modules::from([(LOOP.0, Manifest { functions: vec![function], ..Manifest::default() })])
    }

    fn walk(events: &[Event]) -> Result<Counts> {
        let modules = modules();
        let mut replay = Replay::new(&modules);
        replay.walk(events.iter().map(|&event| Ok(Entry { frame: 7, event })))?;
        Ok(replay.counts)
    }

    fn entered(blocks: &[u32], end: bool) -> Vec<Event> {
        let mut events = vec![Event::Enter(LOOP)];
        events.extend(blocks.iter().map(|&block| Event::Block(block)));
        events.extend(end.then_some(Event::End));
        events
    }

    #[test]
    fn a_back_edge_cuts() {
        let counts = walk(&entered(&[0, 1, 2, 1, 2, 1, 2, 1, 3], true)).expect("a sound log");
        let path = |start, blocks: &[u32], end| Path { start, blocks: blocks.to_vec(), end };
        let back = "back edge";
        assert_eq!(
            counts[&LOOP],
            BTreeMap::from([
                (path(Start::Entry, &[0, 1, 2], End::Cut(back)), 1),
                (path(Start::Cut(back), &[1, 2], End::Cut(back)), 2),
                (path(Start::Cut(back), &[1, 3], End::Leave), 1),
            ])
        );
    }

    #[test]
    fn a_path_under_way_is_not_counted() {
        let counts = walk(&entered(&[0, 1, 2, 1], false)).expect("a sound log");
        assert_eq!(counts[&LOOP].values().sum::<u64>(), 1);
    }

    #[test]
    fn a_step_without_an_edge_is_an_error() {
        let error = walk(&entered(&[0, 2], true)).expect_err("0 -> 2 does not exist");
        assert_eq!(error.to_string(), "loop: block 2 follows block 0, but there is no such edge");
    }
}
