//! Turns counters into paths: counter index → function → path id → acyclic edges → basic blocks.
//!
//! The values on the acyclic edges come from the manifest: the report never computes its own
//! numbering. The input is not trusted. A function whose manifest or counters are invalid is left
//! out, and a problem names it.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use anyhow::{Context, Error, Result, anyhow};
use pathformat::manifest::{self, TableOf};
use pathformat::wire::Allowance;
use profile::names;
use profile::observer::{Observer, Work};
use rayon::prelude::*;

use crate::acyclic::{decoder, memory, path};
use crate::count_inference;
use crate::counted::CountedImage;
use crate::flow;
use crate::model::{CallSite, Count, Counting, Function, Module, PathId, Report};
use crate::sizes::Sizes;
use crate::slices::{FunctionCounts, merge_copies, never_ran, slice};
use crate::tables::{TableCounts, TableKey};
use crate::uncut_paths;

/// Returns the model of all images, and a problem for each part that had to be left out.
pub fn decode(images: Vec<CountedImage>, observer: &dyn Observer) -> (Report, Vec<Error>) {
    let mut report = Report::default();
    let mut problems = Vec::new();
    let (mut plan, mut dropped) = (Vec::new(), Vec::new());
    for (image, loaded) in images.into_iter().enumerate() {
        let place = loaded.image.path.clone();
        let mut raw = Vec::new();
        for counted in loaded.modules {
            let module = report.modules.len();
            report.modules.push(Module::of(&counted.manifest));
            let source = counted.manifest.source.clone();
            match slice(counted, image, module) {
                Ok(functions) => raw.extend(functions),
                Err(error) => problems.push(damaged(&place, &source, &error)),
            }
        }
        let (kept, without_code) = raw.into_iter().partition(FunctionCounts::has_code);
        let kept = merge_copies(kept);
        dropped.extend(never_ran(without_code, &kept, &report.modules));
        plan.extend(kept);
        report.runs.extend(loaded.runs.into_iter().map(|mut run| {
            run.image = image;
            run
        }));
        report.images.push(loaded.image);
    }
    let allowance = allowance(&plan);
    let num_kept = plan.len();
    plan.extend(dropped);
    observer.begin(Work::Decoding, plan.len());
    let decoded: Vec<_> = plan
        .into_par_iter()
        .map(|raw| {
            let (image, module, name) = (raw.image, raw.module, raw.shape.name.clone());
            let function = function(raw, &allowance).with_context(|| format!("function {name}"));
            observer.step();
            function.map_err(|error| {
                damaged(&report.images[image].path, &report.modules[module].source, &error)
            })
        })
        .collect();
    observer.end();
    for (at, function) in decoded.into_iter().enumerate() {
        match function {
            Ok(function) if at < num_kept => report.functions.push(function),
            Ok(function) => report.dropped.push(function),
            Err(problem) => problems.push(problem),
        }
    }
    (report, problems)
}

/// Limits the memory for executed paths: a few bytes of a profile can stand for a path of any
/// length.
fn allowance(plan: &[FunctionCounts]) -> Allowance {
    let paths = plan.iter().map(|raw| raw.counts.len() as u64).sum::<u64>();
    let blocks = plan.iter().map(|raw| raw.shape.blocks.len() as u64).sum::<u64>();
    Allowance::new(room(paths, blocks))
}

/// Returns the maximum number of bytes for a number of executed paths of functions with a number of
/// blocks.
fn room(paths: u64, blocks: u64) -> u64 {
    const PLENTY: u64 = 128 << 20;
    // The memory of a path of ordinary length, and the number of such paths that a small file can
    // hold.
    const USUAL: u64 = 256;
    const FEW: u64 = 1 << 20;
    const MANY: u64 = 5_000_000;
    PLENTY + 64 * blocks + USUAL * (paths.min(FEW) + paths.saturating_sub(MANY))
}

fn damaged(image: &FilePath, source: &str, error: &Error) -> Error {
    anyhow!(
        "{}: the manifest of {source} is damaged: {error:#}; build the program again",
        image.display()
    )
}

fn function(raw: FunctionCounts, allowance: &Allowance) -> Result<Function> {
    if raw.counting != Counting::Paths {
        return Ok(without_paths(raw));
    }
    let FunctionCounts {
        image,
        module,
        shape,
        counting,
        entries,
        mut tables,
        counts,
        inherited,
        ..
    } = raw;
    let sites = sites(&shape, &mut tables);
    let seen = tables.remove(&TableOf::Paths).unwrap_or_default();
    let mut dag_counts = vec![0; shape.dag.len()];
    let mut block_counts = vec![0; shape.blocks.len()];
    let mut paths = Vec::with_capacity(counts.len());
    let uncut = match &shape.uncut {
        Some(uncut) => Some(uncut_paths::paths(&shape, uncut, &seen, &counts, allowance)?),
        None => None,
    };
    if !counts.is_empty() {
        let decoder = decoder(&shape)?;
        let sizes = Sizes::of(&shape);
        for (id, count) in counts {
            let edges = decoder.path(id).with_context(|| format!("path {id}"))?;
            allowance.take(memory(edges.len())).with_context(|| format!("path {id}"))?;
            let path = path(&shape, PathId(id), count, &edges, &sizes)
                .with_context(|| format!("path {id}"))?;
            edges.iter().for_each(|&edge| dag_counts[edge] += count);
            path.blocks.iter().for_each(|&block| block_counts[block as usize] += count);
            paths.push(path);
        }
        // The parent's part of a path that its child ended is counted in the parent alone.
        for (id, count) in inherited {
            let edges = decoder.path(id).with_context(|| format!("path {id}"))?;
            let path = path(&shape, PathId(id), count, &edges, &sizes)
                .with_context(|| format!("path {id}"))?;
            let take = |from: &mut Count| *from = from.saturating_sub(count);
            edges.iter().for_each(|&edge| take(&mut dag_counts[edge]));
            path.blocks.iter().for_each(|&block| take(&mut block_counts[block as usize]));
        }
    }
    let (paths, beyond_table) = uncut.unwrap_or((paths, 0));
    let edge_counts = flow::edge_counts(&shape, &dag_counts);
    let demangled = names::of(&shape);
    Ok(Function {
        image,
        module,
        demangled,
        shape,
        counting,
        entries,
        paths,
        beyond_table,
        block_counts,
        edge_counts,
        sites,
        ..Function::default()
    })
}

/// Decodes a function whose blocks or edges are counted, or nothing.
fn without_paths(raw: FunctionCounts) -> Function {
    let FunctionCounts { image, module, shape, counting, interrupted, mut tables, counts, .. } =
        raw;
    // No thread was in the middle of a function that was not entered. The counter of its first
    // block, if there is one, shows whether it was.
    let may_be_entered = !counts.is_empty() || !shape.counted_blocks.contains(&0);
    let interrupted = if may_be_entered { interrupted } else { 0 };
    let sites = sites(&shape, &mut tables);
    let (block_counts, edge_counts) = match counting {
        Counting::Edges => count_inference::from_arcs(&shape, &counts),
        Counting::Calls => count_inference::from_calls(&shape, &counts),
        Counting::Paths | Counting::Blocks | Counting::Nothing => {
            count_inference::from_blocks(&shape, &counts)
        }
    };
    let demangled = names::of(&shape);
    let entries = block_counts.first().copied().unwrap_or_default();
    Function {
        image,
        module,
        demangled,
        shape,
        entries,
        block_counts,
        counting,
        interrupted,
        edge_counts,
        sites,
        ..Function::default()
    }
}

/// Returns the callees of the calls through pointers.
fn sites(shape: &manifest::Function, tables: &mut BTreeMap<TableOf, TableCounts>) -> Vec<CallSite> {
    let calls = shape.tables().filter_map(|table| match table.of {
        TableOf::Callees { block, call } => Some((table.of, block, call)),
        TableOf::Paths => None,
    });
    let site = |(of, block, call)| {
        let seen = tables.remove(&of).unwrap_or_default();
        let mut targets: Vec<_> = seen
            .known
            .into_iter()
            .filter_map(|(thing, count)| match thing {
                TableKey::Callee(name) => Some((name, count)),
                TableKey::Path(_) => None,
            })
            .collect();
        targets.sort_by(|(one, more), (other, less)| less.cmp(more).then_with(|| one.cmp(other)));
        CallSite { block, call, targets, others: seen.rest }
    };
    calls.map(site).collect()
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::{CutReason, DagEdgeKind, Exit};

    use super::*;
    use crate::counted::CountedModule;
    use crate::model::Path;
    use crate::sample;

    #[test]
    fn copies_of_an_inline_function_are_one() {
        let report = sample::report();
        let copies: Vec<_> =
            report.functions.iter().filter(|of| of.demangled == "util::weigh(int)").collect();
        assert_eq!(copies.len(), 1);
        assert_eq!(copies[0].entries, 12);
    }

    #[test]
    fn copies_with_other_graphs_are_kept_apart() {
        let mut loaded = sample::counted_image();
        loaded.modules[1].manifest.functions[0].cfg_hash = 99;
        let (report, _) = decode(vec![loaded], &());
        let copies = report.functions.iter().filter(|of| of.demangled == "util::weigh(int)");
        assert_eq!(copies.map(|of| of.entries).collect::<Vec<_>>(), [7, 5]);
    }

    #[test]
    fn a_function_knows_its_image_and_its_unit() {
        let mut second = sample::counted_image();
        let of_blocks = manifest::Function {
            name: "f".into(),
            blocks: vec![manifest::Block {
                exit: Some(Exit::Return),
                ..manifest::Block::default()
            }],
            counted_blocks: vec![0],
            ..manifest::Function::default()
        };
        let unit =
            manifest::Manifest { functions: vec![of_blocks], ..manifest::Manifest::default() };
        second.modules.push(CountedModule::new(1, unit, Vec::new()));
        let (report, problems) = decode(vec![sample::counted_image(), second], &());
        assert!(problems.is_empty(), "{problems:?}");
        let places: Vec<_> = report
            .functions
            .iter()
            .map(|of| (of.image, of.module, of.demangled.as_str()))
            .collect();
        // A function in both units belongs to the first one.
        let of_image = |image: usize| {
            let first = ["collatz", "main", "util::weigh(int)", "start"]
                .map(|name| (image, 2 * image, name));
            [&first[..], &[(image, 2 * image + 1, "util::guard(int)")]].concat()
        };
        assert_eq!(places, [of_image(0), of_image(1), vec![(1, 4, "f")]].concat());
    }

    #[test]
    fn only_where_somebody_may_have_been_counts_may_be_missing() {
        // The counted ones of two blocks; the counts; and the number of killed processes that may
        // have been in the middle of the function.
        let cases = [
            (&[0][..], &[(0, 7)][..], 3),
            (&[0], &[], 0),
            (&[1], &[(0, 7)], 3),
            // A process may have been killed before its first counter.
            (&[1], &[], 3),
        ];
        for (counted, counts, expected) in cases {
            let block = |exit| manifest::Block { exit, ..manifest::Block::default() };
            let edge = manifest::Edge {
                from: 0,
                to: 1,
                outcome: manifest::Outcome::Jump,
                ..manifest::Edge::default()
            };
            let function = manifest::Function {
                name: "f".into(),
                blocks: vec![block(None), block(Some(Exit::Return))],
                edges: vec![edge],
                counted_blocks: counted.to_vec(),
                ..manifest::Function::default()
            };
            let functions = vec![function];
            let unit = manifest::Manifest { functions, ..manifest::Manifest::default() };
            let mut module = CountedModule::new(1, unit, Vec::new());
            module.counts = counts.iter().copied().collect();
            module.interrupted = 3;
            let mut image = sample::counted_image();
            image.modules = vec![module];
            let (report, problems) = decode(vec![image], &());
            assert!(problems.is_empty(), "{problems:?}");
            assert_eq!(report.functions[0].interrupted, expected, "{counted:?} {counts:?}");
        }
    }

    #[test]
    fn blocks_and_edges_have_the_counts_of_their_paths() {
        let report = sample::report();
        let collatz = &report.functions[0];
        assert_eq!(collatz.block_counts, [3, 1_274_572, 40_003, 1_234_569, 1_274_572, 3]);
        let edges = [3, 40_003, 1_234_569, 40_003, 1_234_569, 1_274_569, 3];
        assert_eq!(collatz.edge_counts, edges.map(Some));
        assert_eq!(collatz.entries, 3);
    }

    /// Returns the problems after `damage` was done to the first module.
    fn problems(damage: impl FnOnce(&mut CountedModule)) -> Vec<String> {
        let mut loaded = sample::counted_image();
        damage(&mut loaded.modules[0]);
        let (report, problems) = decode(vec![loaded], &());
        assert!(
            report.functions.iter().any(|of| of.demangled == "util::guard(int)"),
            "the rest goes on"
        );
        problems.iter().map(|problem| format!("{problem:#}")).collect()
    }

    #[test]
    fn paths_may_take_as_much_as_a_profile_can_mean() {
        assert_eq!(room(0, 0), 134_217_728);
        assert_eq!(room(10, 3), 134_217_728 + 3 * 64 + 10 * 256);
        // A file with more paths than this is too large to be a trap: each further path gets room.
        assert_eq!(room(5_000_000, 0), 134_217_728 + 1_048_576 * 256);
        assert_eq!(room(5_000_001, 0), room(5_000_000, 0) + 256);
        assert_eq!(memory(3), memory(0) + 12);
        // A path without edges has one block.
        assert_eq!(memory(0), size_of::<Path>() as u64 + 4);
    }

    #[test]
    fn a_senseless_manifest_is_refused_by_name() {
        let start = "/tmp/demo: the manifest of src/main.c is damaged: ";
        let end = "; build the program again";
        let one = |text: &str| vec![format!("{start}{text}{end}")];
        assert_eq!(
            problems(|of| of.manifest.functions[1].first_counter = 7),
            one("the counters of the function main are not its own")
        );
        assert_eq!(
            problems(|of| of.manifest.functions[2].num_paths = u64::MAX),
            one("the counters of the function _ZN4util5weighEi are not its own")
        );
        assert_eq!(
            problems(|of| of.manifest.functions[0].skipped = Some("why".into())),
            one("the function collatz is skipped and has counters")
        );
        assert_eq!(
            problems(|of| of.manifest.functions[2].num_paths = 0),
            one("counter 11 belongs to no function")
        );
        assert_eq!(
            problems(|of| of.manifest.functions[1].blocks[3].exit = None),
            one("function main: path 0: it leaves at block 3, which is no exit")
        );
        assert_eq!(
            problems(|of| of.manifest.functions[1].dag.truncate(1)),
            one("function main: path 0: no path has the id 0")
        );
        let back_at_the_entry = |of: &mut CountedModule| {
            let main = &mut of.manifest.functions[1];
            main.edges[1].to = 0;
            main.dag[0].kind = DagEdgeKind::Start { block: 1, why: CutReason::Limit };
        };
        assert_eq!(
            problems(back_at_the_entry),
            one("function main: path 1: it starts in its middle")
        );
    }
}
