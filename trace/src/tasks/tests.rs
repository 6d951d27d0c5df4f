//! Programs of which the task graph is known in closed form.

mod known;
mod many;
pub(crate) mod scene;
