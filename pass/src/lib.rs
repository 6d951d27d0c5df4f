//! The LLVM 22 pass plugin: for each function read the graph, plan the counting, write the code, tell of it.
//!
//! [`run`] is the whole flow. First every function is read and planned, which gives the module's manifest and from its
//! hash the module's identity; only then is code written. A function that cannot be profiled is left as it is and
//! recorded with a reason: the pass never makes a compilation fail.
// What the library offers is the two C symbols in `ffi`; all else is for its own modules.
#![allow(unreachable_pub, reason = "a cdylib exports symbols, not paths")]

mod base;
mod counters;
mod debug_info;
mod describe;
mod eligible;
mod ffi;
mod instrument;
mod llvm;
mod log;
mod manifest;
mod options;
mod presence;
mod read_cfg;
mod weights;

use inkwell::module::Module;
use inkwell::values::FunctionValue;

use crate::counters::Counters;
use crate::instrument::instrument;
use crate::options::{Base, Options};
use crate::read_cfg::Graph;

pub use ffi::{PassPluginLibraryInfo, llvmGetPassPluginInfo};

/// A function that will be instrumented.
struct Planned<'ctx> {
    function: FunctionValue<'ctx>,
    graph: Graph<'ctx>,
    plan: paths::Plan,
    first_counter: u64,
    /// Its index in the manifest.
    index: usize,
}

/// Instruments a module; true if it was changed.
fn run(module: &Module<'_>, options: &Options, analyses: *mut ffi::Analyses) -> bool {
    let functions: Vec<_> = module.get_functions().filter(|f| eligible::is_emitted(*f, &options.stage)).collect();
    // A second run, over the bitcode that a first one wrote, would count everything twice.
    if functions.is_empty() || manifest::is_present(module) || options.skip.as_deref() == Some("kernel") {
        return false;
    }
    let options = &options.for_module(module);
    let code = llvm::module_hash(module);
    let mut manifest = manifest::begin(module, options);
    let weights = weights::read(options, &manifest.source);
    let mut planned = Vec::new();
    let mut counters = 0;
    for function in functions {
        let mut record = describe::declaration(function, &manifest.directory);
        match eligible::check(module, function, &record.file, options) {
            Err(reason) => record.skipped = Some(reason),
            Ok(()) => {
                let mut graph = Graph::read(function, analyses, options);
                weights::apply(&weights, &manifest.source, &record.name, &mut graph);
                let techniques = options.techniques.in_plan(graph.is_measured);
                let plan = paths::plan(&graph.cfg, &graph.frequency, options.limit, techniques);
                describe::body(&mut record, &graph, &plan, &manifest.directory);
                record.first_counter = counters;
                counters += record.counters();
                let first_counter = record.first_counter;
                let index = manifest.functions.len();
                planned.push(Planned { function, graph, plan, first_counter, index });
            }
        }
        manifest.functions.push(record);
    }
    let content = manifest.content();
    let id = manifest::identity(&content, code);
    if options.mode == "log" {
        planned.iter().for_each(|planned| log::instrument(module, planned, id, planned.index as u32));
        counters = 0;
    } else if counters > 0 {
        let array = Counters::define(module, id, counters, options);
        planned.iter().for_each(|planned| instrument(planned, &array, id, options.techniques));
    }
    if options.verify {
        let broken = planned.iter().find(|planned| !llvm::verify(planned.function));
        assert!(broken.is_none(), "instrumented code is not sound LLVM IR");
    }
    manifest::attach(module, &manifest, content, id, counters, options.base == Base::Word);
    true
}
