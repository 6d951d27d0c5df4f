//! What counters say, against what walks through graphs did.
//!
//! Random graphs are planned by the crate `paths`; frames walk through them and step the counters
//! that the plan asks for, while what they did is written down. The report must find it again from
//! the counters alone.

mod frames;
mod numbers;
mod tables;
mod uncut_paths;
mod walks;
