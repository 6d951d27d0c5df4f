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

mod acyclic;
pub mod blocks;
pub mod bounded;
pub mod branches;
pub mod bytes;
pub mod calls;
pub mod compact;
pub mod counted;
pub mod coverage;
pub mod decode;
pub mod derive;
pub mod diagnose;
pub mod doctor;
pub mod entries;
pub mod escape;
pub mod fit;
pub mod flow;
mod heading;
pub mod image;
pub mod inputs;
pub mod json;
pub mod lcov;
pub mod lines;
pub mod listing;
pub mod load;
pub mod merge;
pub mod model;
pub mod names;
pub mod naming;
pub mod notation;
pub mod opcodes;
pub mod open;
pub mod output;
pub mod possible;
pub mod preload;
pub mod printable;
pub mod profile;
pub mod program;
pub mod progress;
pub mod records;
pub mod run;
pub mod runs;
pub mod select;
pub mod source;
pub mod starts;
pub mod store;
pub mod style;
pub mod sum;
pub mod symbols;
pub mod tables;
pub mod text;
pub mod walk;
pub mod weights;
pub mod whole;

#[cfg(test)]
mod testing;

use std::path::PathBuf;

/// Which profiles to read, and where their images are.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Profiles, directories of profiles, and images that left some; empty means those in the
    /// current directory.
    pub profiles: Vec<PathBuf>,
    /// Which starts to read.
    pub choice: inputs::Choice,
    /// Where the images are.
    pub images: load::Images,
    /// How to read them.
    pub options: runs::Options,
}

/// Reads everything: the model, and every problem met on the way. A damaged input is left out of
/// the model. What does no harm goes to standard error.
///
/// # Errors
/// Only if there is nothing to read at all; what is wrong with one input is among the problems.
pub fn read(sources: &Sources) -> anyhow::Result<(model::Report, Vec<anyhow::Error>)> {
    read_inputs(&inputs::inputs(&sources.profiles, sources.choice)?, sources)
}

/// The same of inputs that are known.
///
/// # Errors
/// As for [`read`].
pub fn read_inputs(
    inputs: &[records::Input],
    sources: &Sources,
) -> anyhow::Result<(model::Report, Vec<anyhow::Error>)> {
    let (images, notices) = load::load(inputs, &sources.images, &sources.options);
    notices.warn();
    let (report, damage) = decode::decode(images);
    let mut problems = notices.problems;
    problems.extend(damage);
    Ok((report, problems))
}
