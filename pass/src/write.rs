//! Writes a unit: its counters, the code that steps them, and its manifest.
//!
//! | file | what it writes |
//! |---|---|
//! | `array`, `base_address` | the counters of a unit, and the code that finds them |
//! | `position`, `insertion` | where code goes: in a block, or on an edge |
//! | `function`, `counter`, `assembly` | a function, and one step of a counter |
//! | `paths`, `promotion` | the path register, its increments, and counters kept in registers |
//! | `sites` | counters of blocks, edges and calls |
//! | `callees`, `lookup` | tables of callees, and the look-up of a key in them |
//! | `trace`, `entries` | the records of a trace, and what begins the recorded part of a run |
//! | `machine` | the same in machine code |
//! | `resolvers` | code that runs before there are thread-local variables |
//! | `block_log` | the log of blocks, for tests |
//! | `manifest`, `markers`, `note`, `profile_path` | what the linker, the runtime and reports read |

pub(crate) mod array;
mod assembly;
mod base_address;
mod block_log;
mod callees;
mod counter;
mod entries;
mod function;
mod insertion;
mod lookup;
mod machine;
mod manifest;
mod markers;
mod note;
mod paths;
mod position;
mod profile_path;
mod promotion;
mod resolvers;
mod sites;
mod trace;

use inkwell::module::Module;
use pathformat::ModuleId;
use pathformat::manifest::Manifest;
use pathformat::settings::Mode;

use crate::layout::Layout;
use crate::llvm::{self, FunctionFacts};
use crate::options::Options;
use crate::plan::Plan;
use crate::read::Unit;

use self::array::CounterArray;
use self::function::Function;

pub(crate) use self::machine::unit as machine_unit;
pub(crate) use self::resolvers::prepare as prepare_resolvers;

/// Writes what was planned for a unit.
pub(crate) fn unit<'ctx>(
    module: &Module<'ctx>,
    unit: &Unit<'ctx>,
    plans: &[Option<Plan>],
    manifest: &Manifest,
    layout: &Layout,
    options: &Options,
) {
    // Encoding takes the longest, so its result serves the identity and the object.
    let content = manifest.content();
    let id = manifest::identity(&content, unit.code_hash);
    let counted = unit.definitions.iter().zip(&layout.functions).zip(plans);
    let counted = counted.filter_map(|((definition, layout), plan)| {
        let graph = definition.body.as_ref().ok()?;
        let facts = FunctionFacts::of(definition.function);
        let function = Function { function: definition.function, facts, graph, layout };
        plan.as_ref().map(|plan| (function, plan))
    });
    let counted: Vec<_> = counted.collect();
    let has_array = options.mode != Mode::Log && !counted.is_empty() && layout.counters > 0;
    let size = if has_array { [layout.counters, layout.keys] } else { [0, 0] };
    if has_array && options.mode == Mode::Trace {
        let unit = trace::Unit::define(module, id, layout.counters, options);
        for (function, plan) in &counted {
            if let Plan::Trace(plan) = plan {
                trace::instrument(module, function, plan, &unit);
            }
        }
    } else if has_array {
        let array = CounterArray::define(module, id, size, options);
        counted.iter().for_each(|(function, plan)| instrument(function, plan, &array, id, options));
    } else if options.mode == Mode::Log {
        for (function, plan) in &counted {
            if let Plan::Paths(plan) = plan {
                block_log::instrument(module, function, plan, id);
            }
        }
    }
    entries::write(module, unit, options);
    if options.verify {
        let broken = counted.iter().find(|(function, _)| !llvm::verify(function.function));
        assert!(broken.is_none(), "instrumented code is not sound LLVM IR");
    }
    resolvers::prepare(module, options);
    profile_path::declare(module, options);
    llvm::append_assembly(module, &manifest::text(manifest.seal(content), id, size, options));
    manifest::mark(module);
}

/// Writes the code of a function.
fn instrument<'ctx>(
    function: &Function<'_, 'ctx>,
    plan: &Plan,
    array: &CounterArray<'ctx>,
    id: ModuleId,
    options: &Options,
) {
    match plan {
        Plan::Paths(plan) => paths::instrument(function, plan, array, id, options),
        Plan::Sites(sites) => sites::instrument(function, sites, array, id, options),
        Plan::Trace(_) | Plan::Refused(_) => {}
    }
}
