//! All that is shown of a task graph.

use trace::file::Trace;
use trace::memory::locks::LockNames;
use trace::steps::program::Program;
use trace::tasks::builder::Tasks;
use trace::tasks::hot::Heats;
use trace::tasks::parallelism::Parallelism;
use trace::tasks::span::Span;

/// All that is shown of a task graph.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its program.
    pub program: &'a Program,
    /// Its tasks.
    pub tasks: &'a Tasks,
    /// The longest way by time.
    pub by_time: &'a Span,
    /// The longest way by instructions.
    pub by_instructions: &'a Span,
    /// What is on the longest way by time.
    pub heats: &'a Heats,
    /// How many tasks ran when.
    pub parallelism: &'a Parallelism,
    /// What its locks and barriers are.
    pub lock_names: &'a LockNames,
}
