//! Reads path profiles: which paths through which functions ran, and how often.
//!
//! Data flows one way: [`inputs`] says which profiles to read, [`profile`] reads one, [`runs`] sees
//! to it that no run is taken twice, [`load`] joins them with the manifests of their images
//! ([`image`]), [`decode`] turns counters into paths, [`model`] holds what came out, and [`text`]
//! and [`json`] show it, foreign names [`escape`]d. [`run`] runs a program first; [`diagnose`] says
//! why a program wrote nothing, [`doctor`] what might go wrong before it does; [`merge`] joins
//! profiles.
//!
//! The crate knows nothing of command lines (that is the program `pathprof`) and never links LLVM.
#![forbid(unsafe_code)]

pub mod analyse;
pub mod bytes;
pub mod combine;
pub mod escape;
pub mod export;
pub mod launch;
pub mod output;
pub mod read;
#[cfg(test)]
mod sample;
pub mod show;
