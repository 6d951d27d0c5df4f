//! Describes a unit: the manifest that travels in its object.
//!
//! Functions have their counters and keys one behind the other, in the order of the manifest.

mod function;
mod locations;

use pathformat::manifest::Manifest;
use pathformat::settings::Mode;

use crate::options::Options;
use crate::plan::Plan;
use crate::read::Unit;

use self::function::{ArrayPosition, describe};

/// The manifest of a unit, whose functions are counted as `plans` says.
pub(crate) fn unit(unit: &Unit<'_>, plans: &[Option<Plan>], options: &Options) -> Manifest {
    // The first word of the array of a unit that is traced says which number that word has.
    let mut first = ArrayPosition { counter: u64::from(options.mode == Mode::Trace), key: 0 };
    let mut functions = Vec::with_capacity(plans.len());
    for (definition, plan) in unit.definitions.iter().zip(plans) {
        let function = describe(definition, plan.as_ref(), &unit.directory, first, options);
        first = first.behind(&function);
        functions.push(function);
    }
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
        limit: options.limit,
        functions,
    }
}
