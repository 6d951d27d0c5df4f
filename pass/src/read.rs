//! Reads a unit: which functions it defines, which of them are counted, and their graphs.
//!
//! | file | what it reads |
//! |---|---|
//! | `declaration`, `qualified`, `debug_info` | names and files, as debug information has them |
//! | `eligible` | which functions are counted, and why the others are not |
//! | `graph` | the control-flow graph of a function, for `paths` |
//! | `made` | what the compiler made, and no source has |
//! | `weights` | the weights of an earlier run |
//! | `accesses`, `allocations`, `messages` | for traces: memory, its allocation, and calls of MPI |
//! | `repeats` | for traces: loops whose iterations are one path each |
//! | `entries` | for traces: functions that begin the recorded part of a run |

use std::collections::HashSet;

use inkwell::module::Module;
use inkwell::values::FunctionValue;
use pathformat::manifest::WeightSource;
use pathformat::weights::FunctionWeights;

mod accesses;
pub(crate) mod allocations;
pub(crate) mod debug_info;
pub(crate) mod declaration;
mod eligible;
pub(crate) mod entries;
pub(crate) mod graph;
pub(crate) mod made;
pub(crate) mod messages;
pub(crate) mod qualified;
pub(crate) mod repeats;
pub(crate) mod weights;

use crate::ffi::Analyses;
use crate::llvm;
use crate::options::Options;

pub(crate) use self::accesses::{Access, Base, BlockAccess, Moving};
pub(crate) use self::eligible::MARK;

use self::declaration::Declaration;
use self::graph::Graph;

/// A translation unit, or what link-time optimisation has made of several.
pub(crate) struct Unit<'ctx, Body = Graph<'ctx>> {
    /// The source file as the compiler was given it.
    pub(crate) source: String,
    /// The directory that it was compiled in, as debug information says; empty without any.
    pub(crate) directory: String,
    /// A hash of the code as it was before it was read.
    pub(crate) code_hash: u64,
    /// The functions that the object will hold code of.
    pub(crate) definitions: Vec<Definition<'ctx, Body>>,
}

/// A function of a unit.
pub(crate) struct Definition<'ctx, Body = Graph<'ctx>> {
    /// LLVM's function.
    pub(crate) function: FunctionValue<'ctx>,
    /// Its names, and where it is declared.
    pub(crate) declaration: Declaration,
    /// What was read of its code, or why it is not counted.
    pub(crate) body: Result<Body, String>,
}

/// True if anything is to be done for a module: its target is known, it defines functions, it is
/// not a kernel's, and no earlier run of the pass has instrumented it.
pub(crate) fn is_counted(module: &Module<'_>, options: &Options) -> bool {
    eligible::has_counted_target(module)
        && module.get_functions().any(|function| eligible::is_emitted(function, options.stage))
        && !eligible::is_instrumented(module)
        && options.skip.as_deref() != Some("kernel")
}

/// Reads all functions of a module.
pub(crate) fn unit<'ctx>(
    module: &Module<'ctx>,
    options: &Options,
    analyses: *mut Analyses,
) -> Unit<'ctx> {
    let body = |function, known: Option<&_>| Ok(Graph::read(function, analyses, options, known));
    unit_of(module, options, body, |graph| graph.weights)
}

/// Reads all functions of a module; `body` reads the code of one, given the weights that are known
/// of it, or gives the reason why it is not counted. `weights_of` is the source of its weights.
pub(crate) fn unit_of<'ctx, Body>(
    module: &Module<'ctx>,
    options: &Options,
    body: impl Fn(FunctionValue<'ctx>, Option<&FunctionWeights>) -> Result<Body, String>,
    weights_of: impl Fn(&Body) -> WeightSource,
) -> Unit<'ctx, Body> {
    let code_hash = llvm::module_hash(module);
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let directory = debug_info::directory(module);
    let weights = weights::read(options, &source);
    let resolvers: HashSet<_> = llvm::ifunc_resolvers(module).into_iter().collect();
    let functions = module.get_functions();
    let emitted = functions.filter(|function| eligible::is_emitted(*function, options.stage));
    let definition = |function| {
        let declaration = Declaration::of(function, &directory);
        let known = weights.as_ref().and_then(|weights| weights.get(&source, &declaration.name));
        let hotter = weights.as_ref().map(|_| known.map(|known| known.hotter));
        let file = if declaration.file.is_empty() { &source } else { &declaration.file };
        let is_resolver = resolvers.contains(&function);
        let eligible = eligible::check(function, &declaration, file, is_resolver, options, hotter);
        let body = eligible.and_then(|()| body(function, known));
        Definition { function, declaration, body }
    };
    let definitions: Vec<_> = emitted.map(definition).collect();
    let mut bodies = definitions.iter().filter_map(|of| of.body.as_ref().ok()).peekable();
    if let Some(weights) = &weights
        && bodies.peek().is_some()
        && !bodies.any(|body| weights_of(body) == WeightSource::Measured)
    {
        weights::warn_unused(weights, options, &source);
    }
    Unit { source, directory, code_hash, definitions }
}
