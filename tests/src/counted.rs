//! Decodes the counters of a profile into paths.

use std::fs;
use std::path::Path as FilePath;

use anyhow::{Context, Result, anyhow, bail, ensure};
use pathformat::ModuleId;
use pathformat::manifest::{DagEdgeKind, Function};
use pathformat::profile::Profile;
use paths::decode::Decoder;
use paths::in_flight::{InFlight, Role};

use crate::image::Modules;
use crate::{Counts, End, Path, Start, add, reason};

/// Adds what the profile at `path` counted.
///
/// # Errors
/// A damaged profile, or one that does not fit the modules.
pub fn read(path: &FilePath, modules: &Modules, counts: &mut Counts) -> Result<()> {
    let bytes = fs::read(path).with_context(|| format!("{}", path.display()))?;
    let profiles =
        Profile::decode_all(&bytes).map_err(|error| anyhow!("{}: {error}", path.display()))?;
    for module in profiles.iter().flat_map(Profile::modules) {
        add_module(module.id, &module.counts, modules, counts)
            .with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}

/// Adds the non-zero counters of one module, given as (index, count) in ascending order of index.
fn add_module(
    id: ModuleId,
    counters: &[(u64, u64)],
    modules: &Modules,
    counts: &mut Counts,
) -> Result<()> {
    let manifest = modules.get(&id).with_context(|| format!("no image has the module {id}"))?;
    let mut rest = counters;
    let mut functions: Vec<_> =
        manifest.functions.iter().zip(0u32..).filter(|(f, _)| f.num_paths > 0).collect();
    functions.sort_by_key(|(function, _)| function.first_counter);
    for (function, index) in functions {
        let past = function.first_counter + function.counters();
        let paths = function.first_counter + function.num_paths;
        let (own, others) = rest.split_at(rest.partition_point(|&(counter, _)| counter < past));
        rest = others;
        if own.is_empty() {
            continue;
        }
        let decoder = decoder(function)?;
        let of_paths = own.iter().filter(|&&(counter, _)| counter < paths);
        let number = |&(counter, times): &(u64, u64)| {
            Some((counter.checked_sub(function.first_counter)?, times))
        };
        let numbered: Option<Vec<_>> = of_paths.map(number).collect();
        let mut numbered = numbered
            .with_context(|| format!("a counter before {} belongs to no function", own[0].0))?;
        if let Some(in_flight) = in_flight(function)? {
            in_flight.settle(&mut numbered);
        }
        // A forked child has negative numbers of frames that it did not enter.
        for (number, times) in numbered.into_iter().filter(|&(_, times)| times.cast_signed() > 0) {
            let edges = decoder.path(number).with_context(|| function.name.clone())?;
            add(counts, (id, index), follow(function, &edges)?, times);
        }
    }
    ensure!(rest.is_empty(), "counter {} belongs to no function", rest[0].0);
    Ok(())
}

fn decoder(function: &Function) -> Result<Decoder> {
    Decoder::new(function.blocks.len(), &plain_edges(function))
        .with_context(|| function.name.clone())
}

/// What tells arrivals at calls from frames that stayed in them.
fn in_flight(function: &Function) -> Result<Option<InFlight>> {
    let role = |kind| match kind {
        DagEdgeKind::InFlight { .. } => Role::End,
        DagEdgeKind::Start { .. } => Role::Start,
        _ => Role::Other,
    };
    let roles: Vec<_> = function.dag.iter().map(|edge| role(edge.kind)).collect();
    InFlight::new(function.blocks.len(), &plain_edges(function), &roles)
        .with_context(|| function.name.clone())
}

fn plain_edges(function: &Function) -> Vec<(u32, u32, u64)> {
    let exit = function.blocks.len() as u32;
    let ends = |kind| match kind {
        DagEdgeKind::Flow { edge } => {
            (function.edges[edge as usize].from, function.edges[edge as usize].to)
        }
        DagEdgeKind::Leave { block }
        | DagEdgeKind::End { block, .. }
        | DagEdgeKind::InFlight { block } => (block, exit),
        DagEdgeKind::Start { block, .. } => (0, block),
    };
    function.dag.iter().map(|edge| (ends(edge.kind).0, ends(edge.kind).1, edge.value)).collect()
}

/// The path along these edges of the acyclic graph.
fn follow(function: &Function, edges: &[usize]) -> Result<Path> {
    let mut path = Path { start: Start::Entry, blocks: vec![0], end: End::Leave };
    for (position, &edge) in edges.iter().enumerate() {
        let is_last = position + 1 == edges.len();
        match function.dag[edge].kind {
            DagEdgeKind::Start { block, why } if position == 0 => {
                path =
                    Path { start: Start::Cut(reason(why)), blocks: vec![block], end: End::Leave };
            }
            DagEdgeKind::Flow { edge } => path.blocks.push(function.edges[edge as usize].to),
            DagEdgeKind::Leave { .. } if is_last => path.end = End::Leave,
            DagEdgeKind::End { why, .. } if is_last => path.end = End::Cut(reason(why)),
            DagEdgeKind::InFlight { .. } if is_last => path.end = End::InFlight,
            kind => bail!("{}: {kind:?} in the middle of a path", function.name),
        }
    }
    Ok(path)
}
