//! Lists the places at which paths need code, in the order in which the code is written.
//!
//! Counting code and traces are written at the same places. They differ in what stands there.
//!
//! Code at the tops of blocks comes first. Where the code of an edge goes to the top of its target,
//! it then stands above that.

use paths::Plan;
use paths::cfg::{Block, Cfg, Edge};
use paths::dag::{Cut, CutSite, Dag, DagEdge, DagEdgeKind};
use paths::placement::Op;

/// A place in a control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// The top of a block.
    Top(Block),
    /// Before the terminator of a block, or before the call there.
    End(Block),
    /// On an edge.
    On(Edge),
}

/// The effect of a site on paths and on the path register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A path goes on along this edge of the acyclic graph.
    Step(DagEdge),
    /// A path ends, or one starts, or both. A half that happens in a block is not here.
    Cut { end: Option<DagEdge>, start: Option<DagEdge> },
    /// A path is counted ahead of its end, in the only block that its start leads to.
    CountAhead(Op),
    /// The register becomes a constant.
    Set(i64),
}

/// The sites of a plan. Each edge of the control-flow graph is among them, even if nothing happens
/// there.
pub(crate) fn sites(cfg: &Cfg, plan: &Plan) -> Vec<(Site, Option<Action>)> {
    let dag = &plan.dag;
    let tops = dag.edges().filter_map(|edge| {
        let action = if matches!(dag.edge(edge).kind, DagEdgeKind::Start(CutSite::InBlock, _)) {
            Action::Cut { end: None, start: Some(edge) }
        } else {
            let ahead = plan.placement.speculative(edge);
            Action::CountAhead(ahead.filter(|_| is_only_way(dag, edge))?)
        };
        Some((Site::Top(dag.edge(edge).to), Some(action)))
    });
    let ends = dag.edges().filter_map(|edge| match dag.edge(edge).kind {
        DagEdgeKind::Leave | DagEdgeKind::End(CutSite::InBlock, _) => {
            let action = Action::Cut { end: Some(edge), start: None };
            Some((Site::End(dag.edge(edge).from), Some(action)))
        }
        _ => None,
    });
    let settled = cfg.blocks().filter_map(|block| {
        let value = plan.placement.settled(block)?;
        Some((Site::End(block), Some(Action::Set(value))))
    });
    let edges = cfg.edges().map(|edge| (Site::On(edge), on_edge(dag, edge)));
    tops.chain(ends).chain(settled).chain(edges).collect()
}

fn on_edge(dag: &Dag, edge: Edge) -> Option<Action> {
    let Some(Cut { end, start }) = dag.cut(edge) else { return dag.flow(edge).map(Action::Step) };
    let is_here = |half: &DagEdge| {
        let kind = dag.edge(*half).kind;
        matches!(
            kind,
            DagEdgeKind::End(CutSite::OnEdges, _) | DagEdgeKind::Start(CutSite::OnEdges, _)
        )
    };
    let [end, start] = [end, start].map(|half| Some(half).filter(is_here));
    (end.is_some() || start.is_some()).then_some(Action::Cut { end, start })
}

/// True if all edges into a block start the path that `edge` starts.
pub(crate) fn is_only_way(dag: &Dag, edge: DagEdge) -> bool {
    let data = dag.edge(edge);
    matches!(data.kind, DagEdgeKind::Start(CutSite::OnEdges, _))
        && dag.predecessors(data.to).len() == 1
}

/// A step on the path register or on a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathStep {
    /// The step.
    pub(crate) op: Op,
    /// True if it counts down: a path that was counted ahead did not run.
    pub(crate) is_back: bool,
}

impl PathStep {
    fn forth(op: Op) -> Self {
        Self { op, is_back: false }
    }
}

/// The steps of an action, in their order.
pub(crate) fn steps(plan: &Plan, action: Action) -> Vec<PathStep> {
    match action {
        Action::Step(edge) => steps_of(plan, edge),
        Action::Cut { end, start } => {
            end.into_iter().chain(start).flat_map(|half| steps_of(plan, half)).collect()
        }
        Action::CountAhead(op) => vec![PathStep::forth(op)],
        Action::Set(value) => vec![PathStep::forth(Op::Set(value))],
    }
}

/// The steps when `edge` is followed: what was counted ahead is taken back, then comes the edge's
/// own step, then the next path is counted ahead.
pub(crate) fn steps_of(plan: &Plan, edge: DagEdge) -> Vec<PathStep> {
    let placement = &plan.placement;
    let back = placement.back(edge).map(|op| PathStep { op, is_back: true });
    let speculative = placement.speculative(edge).filter(|_| !is_only_way(&plan.dag, edge));
    let forth = [placement.op(edge), speculative].into_iter().flatten().map(PathStep::forth);
    back.into_iter().chain(forth).collect()
}
