//! What threads do to memory that others use, too.
//!
//! * [`races`] finds accesses that nothing orders, with the help of `vector_clock`.

pub mod races;
mod vector_clock;

#[cfg(test)]
mod tests;
