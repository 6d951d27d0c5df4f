//! A function that is to be written.

use inkwell::values::FunctionValue;

use crate::layout::FunctionLayout;
use crate::llvm::FunctionFacts;
use crate::read::graph::Graph;

/// LLVM's function with its graph, and where its counters are.
pub(super) struct Function<'a, 'ctx> {
    pub(super) function: FunctionValue<'ctx>,
    pub(super) facts: FunctionFacts,
    pub(super) graph: &'a Graph<'ctx>,
    pub(super) layout: &'a FunctionLayout,
}
