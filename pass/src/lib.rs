//! The LLVM 22 pass plugin: for each function read the graph, plan the counting, write the code, tell of it.
//!
//! [`run`] is the whole flow. First every function is read and planned, which gives the module's manifest and from its
//! hash the module's identity; only then is code written. A function that cannot be profiled is left as it is and
//! recorded with a reason: the pass never makes a compilation fail.
// What the library offers is the two C symbols in `ffi`; all else is for its own modules.
#![allow(unreachable_pub, reason = "a cdylib exports symbols, not paths")]

mod base;
mod counters;
mod counts;
mod debug_info;
mod describe;
mod early;
mod eligible;
mod ffi;
mod instrument;
mod llvm;
mod log;
mod manifest;
mod note;
mod options;
mod pen;
mod planned;
mod presence;
mod profile;
mod promote;
mod read_cfg;
mod sites;
mod slots;
mod tables;
mod weights;

use inkwell::module::Module;
use inkwell::values::FunctionValue;
use pathformat::ModuleId;
use pathformat::manifest::{Function, Manifest};
use pathformat::settings::Mode;

use crate::counters::Counters;
use crate::instrument::instrument;
use crate::manifest::Written;
use crate::options::Options;
use crate::planned::{Paths, Planned};
use crate::read_cfg::Graph;
use crate::sites::Sites;
use crate::slots::Slots;

pub use ffi::{PassPluginLibraryInfo, llvmGetPassPluginInfo};

/// Instruments a module; true if it was changed.
fn run(module: &Module<'_>, options: &Options, analyses: *mut ffi::Analyses) -> bool {
    if !eligible::has_counted_target(module) {
        return false;
    }
    let functions: Vec<_> = module.get_functions().filter(|f| eligible::is_emitted(*f, options.stage)).collect();
    // A second run, over the bitcode that a first one wrote, would count everything twice.
    if functions.is_empty() || manifest::is_present(module) || options.skip.as_deref() == Some("kernel") {
        return false;
    }
    let options = &options.for_module(module, llvm::moves_thread_pointer(module));
    let code = llvm::module_hash(module);
    let mut manifest = manifest::begin(module, options);
    let written = match options.mode {
        mode @ (Mode::Blocks | Mode::Edges | Mode::Calls) => {
            let planned = plan_all(module, &functions, options, analyses, &mut manifest, |graph, record| match mode {
                Mode::Edges => Sites::of_edges(graph, record),
                Mode::Calls => Sites::of_calls(graph, record),
                _ => Sites::of_blocks(graph, options, record),
            });
            write_all(module, options, &manifest, code, &planned, |planned, counters, id| {
                counts::instrument(planned, counters, id, options);
            })
        }
        mode => {
            let planned = plan_all(module, &functions, options, analyses, &mut manifest, |graph, record| {
                let techniques = options.techniques.in_plan(graph.is_measured);
                let plan = paths::plan(&graph.cfg, &graph.frequency, options.limit, techniques);
                describe::paths(record, graph, &plan);
                let whole = options.table.and_then(|slots| {
                    let whole = paths::plan_whole(&graph.cfg, &graph.frequency, techniques, &plan)?;
                    record.whole = Some(describe::whole(graph, &whole, slots));
                    Some(whole)
                });
                Paths { plan, whole }
            });
            if mode == Mode::Log {
                let written = Written::of(&manifest, code);
                planned.iter().for_each(|planned| log::instrument(module, planned, written.id, planned.index as u32));
                verify(&planned, options);
                written
            } else {
                write_all(module, options, &manifest, code, &planned, |planned, counters, id| {
                    instrument(planned, counters, id, options.techniques);
                })
            }
        }
    };
    early::prepare_resolvers(module, options);
    profile::declare(module, options);
    manifest::attach(module, &manifest, written, options);
    true
}

/// Reads and plans every function; `plan` also tells its record what is counted.
fn plan_all<'ctx, P>(
    module: &Module<'ctx>,
    functions: &[FunctionValue<'ctx>],
    options: &Options,
    analyses: *mut ffi::Analyses,
    manifest: &mut Manifest,
    plan: impl Fn(&Graph<'ctx>, &mut Function) -> P,
) -> Vec<Planned<'ctx, P>> {
    let weights = weights::read(options, &manifest.source);
    let known = |name: &str| weights.as_ref()?.get(&manifest.source, name);
    let mut planned = Vec::new();
    let (mut counters, mut keys) = (0, 0);
    for &function in functions {
        let mut record = describe::declaration(function, &manifest.directory);
        let known = known(&record.name);
        let hotter = weights.as_ref().map(|_| known.map(|known| known.hotter));
        match eligible::check(module, function, &record.file, options, hotter) {
            Err(reason) => record.skipped = Some(reason),
            Ok(()) => {
                let mut graph = Graph::read(function, analyses, options);
                known.into_iter().for_each(|known| weights::apply(known, &mut graph));
                describe::body(&mut record, &graph, &manifest.directory);
                let plan = plan(&graph, &mut record);
                record.callees = options.callees;
                record.cfg_hash = describe::cfg_hash(&record);
                record.first_counter = counters;
                counters += record.counters();
                record.first_key = keys;
                keys += record.keys();
                let (first_counter, num_counters) = (record.first_counter, record.counters());
                let (tables, index) = (Slots::of(&record), manifest.functions.len());
                planned.push(Planned { function, graph, plan, first_counter, tables, num_counters, index });
            }
        }
        manifest.functions.push(record);
    }
    planned
}

/// Defines the counters and writes the code of every function.
fn write_all<'ctx, P>(
    module: &Module<'ctx>,
    options: &Options,
    manifest: &Manifest,
    code: u64,
    planned: &[Planned<'ctx, P>],
    write: impl Fn(&Planned<'ctx, P>, &Counters<'ctx>, ModuleId),
) -> Written {
    let mut written = Written::of(manifest, code);
    written.counters = manifest.functions.iter().map(Function::counters).sum();
    written.keys = manifest.functions.iter().map(Function::keys).sum();
    if written.counters > 0 {
        let array = Counters::define(module, written.id, [written.counters, written.keys], options);
        planned.iter().for_each(|planned| write(planned, &array, written.id));
    }
    verify(planned, options);
    written
}

/// Checks what was written, where that was asked for.
fn verify<P>(planned: &[Planned<'_, P>], options: &Options) {
    if options.verify {
        let broken = planned.iter().find(|planned| !llvm::verify(planned.function));
        assert!(broken.is_none(), "instrumented code is not sound LLVM IR");
    }
}
