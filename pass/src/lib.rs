//! The LLVM 22 pass plugin: it reads a unit, plans how to count, describes that, and writes the
//! code.
//!
//! `run` is the pipeline. Each stage takes the values of the stages before it and returns a new
//! one. Only the last stage changes code, apart from two changes that reading makes so that a block
//! is what the counts say of it: blocks end behind calls that may not come back, and short loops
//! lose their first iteration. For traces, reading also inserts marked code that computes what is
//! recorded. The pass never makes a compilation fail: a function that cannot be
//! counted stays as it is, and the manifest has the reason.
//!
//! | file | what it holds |
//! |---|---|
//! | `ffi.rs`, `llvm.rs`, `llvm/`, `cpp/` | the edge to LLVM |
//! | `options.rs` | what the command line asks for |
//! | `parameters.rs` | the words by which it does so |
//! | `machine.rs`, `machine/` | reading and planning in machine code |
//! | `read.rs`, `read/` | **read**: the functions of a unit, which of them are counted, their graphs |
//! | `plan.rs`, `plan/` | **plan**: what has a counter in a function, and where it is stepped |
//! | `describe.rs`, `describe/` | **describe**: the manifest, as it travels in the object |
//! | `layout.rs` | **place**: where in the unit's array a function has its counters and keys |
//! | `write.rs`, `write/` | **write**: the array, the code of the counters, the manifest |
// The library offers the two C symbols in `ffi`; all else is for its own modules.
#![allow(unreachable_pub, reason = "a cdylib exports symbols, not paths")]

mod describe;
mod ffi;
mod layout;
mod llvm;
mod machine;
mod options;
mod parameters;
mod plan;
mod read;
mod write;

use inkwell::module::Module;
use pathformat::settings::{Level, Stage};

use crate::layout::Layout;
use crate::options::Options;

pub use ffi::{PassPluginLibraryInfo, llvmGetPassPluginInfo};

/// Before optimisation: lets functions stay whose entries are counted; true if one was changed.
fn prepare(module: &Module<'_>, options: &Options) -> bool {
    read::entries::keep_apart(module, options)
}

/// Instruments a unit; true if it was changed.
fn run(module: &Module<'_>, options: &Options, analyses: *mut ffi::Analyses) -> bool {
    let is_changed = if options.stage == Stage::Machine {
        prepare_machine_code(module, options)
    } else {
        count(module, options, analyses)
    };
    if options.drops_names {
        llvm::drop_names(module);
    }
    is_changed
}

/// Instruments a unit while blocks still have their names; true if it was changed.
fn count(module: &Module<'_>, options: &Options, analyses: *mut ffi::Analyses) -> bool {
    if !read::is_counted(module, options) {
        return false;
    }
    let options = &options.for_module(module, llvm::code_facts(module));
    let unit = read::unit(module, options, analyses);
    let plans = plan::unit(&unit, options);
    let manifest = describe::unit(&unit, &plans, options);
    let layout = Layout::of(&manifest);
    write::unit(module, &unit, &plans, &manifest, &layout, options);
    true
}

/// Leaves a unit to the code generator, which will count in its machine code; true if it was
/// changed.
fn prepare_machine_code(module: &Module<'_>, options: &Options) -> bool {
    if !read::is_counted(module, options) || !machine::mark::mark(module, options.level) {
        return false;
    }
    let options = options.for_module(module, llvm::code_facts(module));
    // Only LLVM's intermediate code can be given a call.
    write::prepare_resolvers(module, &options);
    true
}

/// Counts in the machine code of a unit, if that was left to the code generator. `options` has them
/// for a level.
fn count_in_machine_code(
    module: &Module<'_>,
    context: *mut ffi::machine::Context,
    options: impl Fn(Level) -> Options,
) {
    let Some(level) = machine::mark::level(module) else { return };
    let options = options(level);
    if !read::is_counted(module, &options) {
        return;
    }
    let options = &options.for_module(module, llvm::code_facts(module));
    let body = |function, known: Option<&_>| {
        let code = machine::code::Function::read(context, function);
        let code = code.ok_or("the code generator does not say which registers are in use")?;
        machine::plan(machine::Graph::read(code, options, known)?, options)
    };
    let unit = read::unit_of(module, options, body, |plan| plan.graph.weights);
    let manifest = describe::machine_unit(&unit, options);
    let layout = Layout::of(&manifest);
    write::machine_unit(module, context, &unit, &manifest, &layout, options);
}
