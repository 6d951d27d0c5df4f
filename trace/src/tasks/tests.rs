//! Programs with a known closed form of the task graph.

mod known;
mod many;
pub(crate) mod scene;
