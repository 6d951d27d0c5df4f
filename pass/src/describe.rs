//! Describes a unit: the manifest that travels in its object.
//!
//! Functions have their counters and keys one behind the other, in the order of the manifest.

mod function;
mod locations;
mod machine;

use pathformat::manifest::{Function, Manifest, PromotedLoop};
use pathformat::settings::Mode;

use crate::machine::MachinePlan;
use crate::options::Options;
use crate::plan::Plan;
use crate::read::Unit;

use self::function::{ArrayPosition, describe};

/// The manifest of a unit, whose functions are counted as `plans` says.
pub(crate) fn unit(unit: &Unit<'_>, plans: &[Option<Plan>], options: &Options) -> Manifest {
    let functions = unit.definitions.iter().zip(plans);
    manifest(unit, options, functions, |(definition, plan), first| {
        describe(definition, plan.as_ref(), &unit.directory, first, options)
    })
}

/// The manifest of a unit that is counted in machine code.
pub(crate) fn machine_unit(unit: &Unit<'_, MachinePlan<'_>>, options: &Options) -> Manifest {
    let described = manifest(unit, options, unit.definitions.iter(), |definition, first| {
        machine::describe(definition, &unit.directory, first)
    });
    let loops = unit.definitions.iter().zip(0u32..).flat_map(|(definition, function)| {
        let headers = definition.body.iter().flat_map(|plan| &plan.sums.headers);
        headers.map(move |header| PromotedLoop { function, header: header.0 })
    });
    let promoted_loops: Vec<_> = loops.collect();
    Manifest { promotes: !promoted_loops.is_empty(), promoted_loops, ..described }
}

/// The manifest of a unit with these `functions`.
fn manifest<Body, T>(
    unit: &Unit<'_, Body>,
    options: &Options,
    functions: impl Iterator<Item = T>,
    describe: impl Fn(T, ArrayPosition) -> Function,
) -> Manifest {
    // The first word of the array of a unit that is traced says which number that word has.
    let mut next = ArrayPosition { counter: u64::from(options.mode == Mode::Trace), key: 0 };
    let functions = functions
        .map(|of| {
            let function = describe(of, next);
            next = next.behind(&function);
            function
        })
        .collect();
    Manifest {
        source: unit.source.clone(),
        directory: unit.directory.clone(),
        producer: format!("pathcc {}", env!("CARGO_PKG_VERSION")),
        mode: options.mode,
        stage: options.stage,
        level: options.level,
        system_directories: options.system_directories.clone(),
        threads: options.threads,
        promotes: options.promotes(),
        promoted_loops: Vec::new(),
        limit: options.limit,
        functions,
    }
}
