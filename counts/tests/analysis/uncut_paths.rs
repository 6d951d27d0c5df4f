//! Uncut paths, in large and small tables.

use std::collections::BTreeMap;

use counts::model::{Count, End};
use pathformat::manifest::{self, TableOf, Uncut};
use pathformat::settings::Mode;
use paths::techniques::Techniques;
use paths::{plan, plan_uncut};

use counts::sample::graphs::{
    Dice, acyclic, blocks_of, decoded, id, last, pieces, random, stepped, truth, walks, with_paths,
};

/// Checks random walks through functions with a table, for graphs in which a limit of four cuts
/// edges. `slots` returns the size of the table for a number of executed paths.
fn for_each(slots: impl Fn(usize) -> u32, mut check: impl FnMut(Case)) {
    let mut graphs = 0;
    for seed in 0..600 {
        let mut dice = Dice::new(seed);
        let (cfg, frequency) = random(&mut dice);
        let walks = walks(&cfg, &mut dice);
        let limited = plan(&cfg, &frequency, 4, Techniques::ALL);
        let Some(uncut) = plan_uncut(&cfg, &frequency, Techniques::ALL, &limited) else { continue };
        graphs += 1;
        let mut executed = BTreeMap::new();
        for path in walks.iter().flat_map(|walked| pieces(&cfg, &uncut.dag, walked)) {
            let flow = |edge: &paths::dag::DagEdge| match uncut.dag.edge(*edge).kind {
                paths::dag::DagEdgeKind::Flow(edge) => Some(cfg.edge(edge).to.0),
                paths::dag::DagEdgeKind::Start(..) => Some(uncut.dag.edge(*edge).to.0),
                _ => None,
            };
            let mut blocks: Vec<u32> = path.iter().filter_map(flow).collect();
            if !matches!(uncut.dag.edge(path[0]).kind, paths::dag::DagEdgeKind::Start(..)) {
                blocks.insert(0, 0);
            }
            executed.entry(id(&uncut, &path)).or_insert((0u64, blocks)).0 += 1;
        }
        let (dag, cuts) = acyclic(&cfg, &uncut);
        let slots = slots(executed.len());
        let uncut = Uncut { num_paths: uncut.numbering.total(), slots, dag, cuts };
        let function = manifest::Function {
            uncut: Some(uncut),
            first_counter: 5,
            first_key: 3,
            ..with_paths(&cfg, &limited)
        };
        let table = function.tables().find(|table| table.of == TableOf::Paths).expect("a table");
        let pieces = stepped(&cfg, &limited, &walks).into_iter();
        let mut counts: BTreeMap<_, _> = pieces.map(|(id, count)| (5 + id, count)).collect();
        let stays = walks.iter().filter(|walked| cfg.exit(last(&cfg, walked)).is_none()).count();
        let mut keys = Vec::new();
        let mut known = BTreeMap::new();
        for (slot, (&id, (count, blocks))) in executed.iter().enumerate() {
            let slot = (slot as u64).min(slots.into());
            *counts.entry(table.first_counter + slot).or_insert(0) += count;
            if slot < u64::from(slots) {
                keys.push((table.first_key + slot, id + 1));
                known.insert(id, (Count::from(*count), blocks.clone()));
            }
        }
        let beyond = executed.values().map(|(count, _)| Count::from(*count)).sum::<Count>()
            - known.values().map(|(count, _)| count).sum::<Count>();
        let (blocks, _) = truth(&cfg, &walks);
        let sizes = walks.iter().map(|walked| blocks_of(&cfg, walked).len()).sum();
        let possible = function.uncut.as_ref().expect("a table").num_paths;
        let found = decoded(Mode::Paths, function, &counts, &keys);
        check(Case { seed, found, known, beyond, stays, blocks, sizes, possible });
    }
    assert!(graphs > 100, "{graphs} graphs");
}

/// Paths by number: the count and the blocks of each.
type Paths = BTreeMap<u64, (Count, Vec<u32>)>;

/// A graph, the decoded function, and the executed walks.
struct Case {
    seed: u64,
    found: counts::model::Function,
    /// The paths in the table.
    known: Paths,
    beyond: Count,
    /// The number of frames that did not leave the function: the last path of each has not ended.
    stays: usize,
    blocks: Vec<Count>,
    /// The number of blocks in all walks.
    sizes: usize,
    possible: u64,
}

impl Case {
    /// Returns the paths of the whole graph, and the executions of each block by all listed paths.
    fn listed(&self) -> (Paths, Vec<Count>) {
        let (mut whole, mut blocks) = (BTreeMap::new(), vec![0; self.blocks.len()]);
        for path in &self.found.paths {
            path.blocks.iter().for_each(|&block| blocks[block as usize] += path.count);
            if path.id.0 < self.possible {
                whole.insert(path.id.0, (path.count, path.blocks.clone()));
            }
        }
        (whole, blocks)
    }
}

#[test]
fn with_room_for_all_every_path_is_whole() {
    let mut all_ended = 0;
    for_each(
        |paths| paths as u32 + 1,
        |case| {
            let (whole, blocks) = case.listed();
            assert_eq!(whole, case.known, "graph {}", case.seed);
            assert_eq!(blocks, case.blocks, "graph {}", case.seed);
            assert_eq!((&case.found.block_counts, case.found.beyond_table), (&case.blocks, 0));
            assert_eq!(blocks.iter().sum::<Count>(), case.sizes as Count);
            // The only remaining pieces are of paths that did not end: for each frame that stays,
            // one piece is in flight.
            let pieces = || case.found.paths.iter().filter(|path| path.id.0 >= case.possible);
            let in_flight =
                pieces().filter(|piece| piece.end == End::InFlight).map(|piece| piece.count);
            assert_eq!(in_flight.sum::<Count>(), case.stays as Count, "graph {}", case.seed);
            assert!(
                case.stays > 0 || pieces().next().is_none(),
                "graph {}: no pieces are left",
                case.seed
            );
            all_ended += usize::from(case.stays == 0);
        },
    );
    assert!(all_ended > 30, "{all_ended} graphs where no frame stays");
}

#[test]
fn what_finds_no_room_is_told_in_pieces() {
    let mut in_pieces = 0;
    for_each(
        |_| 2,
        |case| {
            let (whole, blocks) = case.listed();
            assert_eq!(whole, case.known, "graph {}", case.seed);
            // Uncut paths and pieces together are the executed paths, each counted once.
            assert_eq!(blocks, case.blocks, "graph {}", case.seed);
            assert_eq!(
                (&case.found.block_counts, case.found.beyond_table),
                (&case.blocks, case.beyond)
            );
            assert_eq!(case.found.entries, case.blocks[0]);
            in_pieces += usize::from(case.found.paths.len() > whole.len());
        },
    );
    assert!(in_pieces > 20, "{in_pieces} graphs with pieces");
}

#[test]
fn a_path_is_known_by_the_edge_that_ends_it() {
    for_each(
        |paths| paths as u32,
        |case| {
            let shape = &case.found.shape;
            for path in &case.found.paths {
                let last = path.last.map(|last| shape.dag[last as usize].kind);
                let fits = match path.end {
                    End::BackEdge => {
                        matches!(
                            last,
                            Some(manifest::DagEdgeKind::End {
                                why: manifest::CutReason::BackEdge,
                                ..
                            })
                        )
                    }
                    End::Cut => matches!(last, Some(manifest::DagEdgeKind::End { .. })),
                    _ => true,
                };
                assert!(fits, "graph {}: {path:?} ends by {last:?}", case.seed);
                if let Some(manifest::DagEdgeKind::End { block, .. }) =
                    last.filter(|_| path.end == End::BackEdge)
                {
                    assert_eq!(path.blocks.last(), Some(&block), "graph {}", case.seed);
                }
            }
        },
    );
}
