//! Writes the model for other programs.
//!
//! * [`html`] has a page for the browser.
//! * [`diff_json`] has the differences between reports.
//! * [`json`] has everything, in the project's own schema.
//! * [`lcov`] has coverage, as `genhtml` reads it.
//! * [`steps_json`] has the steps of a trace, [`trace_cut`] a part of it as a trace.
//! * [`tasks_json`] has the task graph of a trace, [`tasks_dot`] the same for Graphviz,
//!   [`tasks_parquet`] for databases, [`tasks_perfetto`] for the viewers of Chrome traces.
//! * [`weights`] has the weights for a second compilation.

pub mod diff_json;
pub mod html;
pub mod json;
pub mod lcov;
pub mod steps_json;
pub mod tasks_dot;
pub mod tasks_json;
#[cfg(feature = "parquet")]
pub mod tasks_parquet;
pub mod tasks_perfetto;
pub mod trace_cut;
pub mod weights;
