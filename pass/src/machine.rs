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
//! | `mark.rs` | which modules are counted so |
//! | `code.rs` | the edge to the code generator: functions to read, and our code to write |
//! | `graph.rs` | **read**: the graph of a function |
//! | `calls.rs` | **plan**: at which calls paths end |
//! | `regions.rs` | **plan**: the regions of a function, and what happens at its points |
//! | `registers.rs` | **plan**: the path registers |
//! | `base.rs` | **plan**: where the address of the counters is read |
//! | `plan.rs` | **plan**: all of that together |
//! | `loops.rs` | **plan**: loops that no call interrupts |
//! | `sums.rs` | **plan**: counters that are summed up in registers |
//! | `borrow.rs` | **plan**: registers that loops borrow of the program |
//! | `cut.rs` | the least cut of a graph, which `base` needs |

mod base;
pub(crate) mod borrow;
mod calls;
pub(crate) mod code;
mod cut;
mod graph;
mod loops;
pub(crate) mod mark;
mod plan;
pub(crate) mod regions;
pub(crate) mod registers;
pub(crate) mod sums;

pub(crate) use self::graph::{EdgePlace, Graph, Node};
pub(crate) use self::plan::{MachinePlan, plan};
