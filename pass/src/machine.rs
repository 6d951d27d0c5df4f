//! Counts in machine code: behind register allocation, in the code that clang would have made
//! without us.
//!
//! Before code generation a module is only marked. Behind block placement the whole unit is read,
//! planned, described and written, by the same stages as LLVM's intermediate code. So the program
//! has clang's registers, its selection of instructions and its layout, and a count costs its
//! increment.
//!
//! | file | what it holds |
//! |---|---|
//! | `code.rs` | the edge to the code generator: functions to read, and our code to write |
//! | `graph.rs` | **read**: the graph of a function |
//! | `calls.rs` | **plan**: at which calls paths end |
//! | `steps.rs` | **plan**: what happens where, and where the path's number is known |
//! | `registers.rs` | **plan**: the register of the path's number |
//! | `base.rs` | **plan**: where the address of the counters is read |
//! | `plan.rs` | **plan**: all of that together |
//! | `borrow.rs` | **plan**: registers that loops borrow of the program |
//! | `cut.rs` | the least cut of a graph, which `base` needs |

mod base;
pub(crate) mod borrow;
mod calls;
pub(crate) mod code;
mod cut;
mod graph;
mod plan;
pub(crate) mod registers;
pub(crate) mod steps;

use inkwell::module::Module;
use pathformat::settings::Level;

use crate::ffi::machine::Context;
use crate::layout::Layout;
use crate::options::Options;
use crate::{describe, llvm, read, write};

pub(crate) use self::graph::{EdgePlace, Graph, Node};
pub(crate) use self::plan::MachinePlan;

/// Named metadata that says that the code generator shall count, and at which level.
const MARK: &str = "pathcc.machine";

/// Marks a module whose machine code shall count; true if it was not marked before.
pub(crate) fn mark(module: &Module<'_>, options: &Options) -> bool {
    if module.get_global_metadata_size(MARK) > 0 || !read::is_counted(module, options) {
        return false;
    }
    let context = module.get_context();
    let level = context.metadata_string(options.level.name());
    let node = context.metadata_node(&[level.into()]);
    module.add_global_metadata(MARK, &node).expect("a node can be added");
    let moves_pointer = llvm::moves_thread_pointer(module);
    write::prepare_machine(module, &options.for_module(module, moves_pointer));
    true
}

/// The level of the pipeline that marked a module; `None` if none did.
fn marked_level(module: &Module<'_>) -> Option<Level> {
    let node = module.get_global_metadata(MARK).into_iter().next()?;
    let words = node.get_node_values()?;
    let word = words.first()?.into_metadata_value();
    Level::from_name(std::str::from_utf8(word.get_string_value()?).ok()?)
}

/// Counts in the machine code of a module, if it was marked.
pub(crate) fn run(module: &Module<'_>, context: *mut Context, options: impl Fn(Level) -> Options) {
    let Some(level) = marked_level(module) else { return };
    let options = options(level);
    if !read::is_counted(module, &options) {
        return;
    }
    let options = &options.for_module(module, llvm::moves_thread_pointer(module));
    let body = |function, known: Option<&_>| {
        let code = code::Function::read(context, function);
        let code = code.ok_or("the code generator made no code that can be counted")?;
        plan::plan(Graph::read(code, options, known)?, options)
    };
    let unit = read::unit_of(module, options, body, |plan| plan.graph.weights);
    let manifest = describe::machine_unit(&unit, options);
    let layout = Layout::of(&manifest);
    write::machine_unit(module, context, &unit, &manifest, &layout, options);
}
