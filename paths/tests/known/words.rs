//! The textual form of graphs.

use paths::cfg::{Block, EdgeKind, Exit};
use paths::techniques::Techniques;
use paths::text::{self, NamedGraph};

use crate::graph;

#[test]
fn every_mark_means_something() {
    let NamedGraph { cfg, frequency, names } =
        graph("A?: B*7 ~C\nB : !D\n\nC:resume\nD^: E\nE: noreturn\nF:");
    let edges: Vec<_> =
        cfg.edges().map(|edge| cfg.edge(edge)).map(|e| (e.from.0, e.to.0, e.kind)).collect();
    let expected = [
        (0, 1, EdgeKind::Plain),
        (0, 2, EdgeKind::Unwind),
        (1, 3, EdgeKind::Opaque),
        (3, 4, EdgeKind::Plain),
    ];
    assert_eq!(edges, expected);
    assert_eq!(frequency, [7, 1, 1, 1]);
    assert_eq!(names, ["A", "B", "C", "D", "E", "F"]);
    let exits = [None, None, Some(Exit::Unwind), None, Some(Exit::NoReturn), Some(Exit::Return)];
    assert_eq!(cfg.blocks().map(|block| cfg.exit(block)).collect::<Vec<_>>(), exits);
    let only =
        |of: &dyn Fn(Block) -> bool| cfg.blocks().filter(|&block| of(block)).collect::<Vec<_>>();
    assert_eq!(only(&|block| cfg.may_stay(block)), [Block(0)]);
    assert_eq!(only(&|block| cfg.counts_above(block)), [Block(3)]);
}

#[test]
fn what_is_no_graph_is_named() {
    let said = |graph: &str| text::parse(graph).map(|_| ()).unwrap_err();
    assert_eq!(said("A"), "no colon in `A`");
    assert_eq!(said("A: B"), "no block `B` for `B`");
    assert!(said("A: B*x\nB:").starts_with("`B*x`: "));
}

#[test]
fn indexes_print_themselves() {
    assert_eq!(format!("{} {:?}", Block(3), paths::cfg::Edge(4)), "bb3 e4");
    assert_eq!(format!("{:?}", paths::dag::DagEdge(5)), "d5");
}

#[test]
fn what_cannot_be_decoded_says_why() {
    use paths::decode::DecodeError::{Cycle, NoSuchNode, NoSuchPath};
    assert_eq!(NoSuchNode.to_string(), "an edge of the graph names a block that does not exist");
    assert_eq!(Cycle.to_string(), "the graph has a cycle");
    assert_eq!(NoSuchPath(7).to_string(), "no path has the id 7");
}

#[test]
fn steps_back_are_written_as_such() {
    let code = |graph_text: &str| {
        let named = graph(graph_text);
        named.code(&paths::plan(&named.cfg, &named.frequency, 100, Techniques::FOR_ESTIMATES))
    };
    // The ids are 0 and 2 by E, 1 and 3 by F, which is the way more often taken.
    assert_eq!(
        code("A: B C\nB: D\nC: D\nD: E*1 F*5\nE: G*9\nF: G*9\nG:"),
        "B→D: r = 0\nC→D: r = 2\nD→E: r -= 1\nG→EXIT: count[r + 1]++\n"
    );
    assert_eq!(
        code("A: B C\nB: D\nC: D\nD: E*1 F*5\nE:\nF:"),
        "B→D: r = 0\nC→D: r = 2\nD→E: count[r]++\nD→F: count[r + 1]++\n"
    );
    // D→F adds 1. The constants contain it already, so the other way out of D takes it back.
    assert_eq!(
        code("A: E B C\nE: F\nB: D\nC: D\nD: G F*9\nG:\nF: H I\nH:\nI:"),
        "E→F: r = 0\nB→D: r = 3\nC→D: r = 6\nD→G: count[r - 1]++\n\
         F→H: count[r]++\nF→I: count[r + 1]++\n"
    );
}

#[test]
fn paths_in_flight_are_marked() {
    let named = graph("A: B\nB?: C\nC:");
    let named = NamedGraph { cfg: named.cfg.with_in_flight(), ..named };
    let plan = paths::plan(&named.cfg, &named.frequency, 100, Techniques::FOR_ESTIMATES);
    assert_eq!(named.paths(&plan), "0: A B (in flight)\n1: A B C\n");
    assert_eq!(named.values(&plan), "B→C: 1\n");
    assert!(named.code(&plan).contains("B→EXIT (in flight): "), "{}", named.code(&plan));
}
