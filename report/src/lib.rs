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

use std::path::PathBuf;

/// Which profiles to read, and where their images are.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Profiles, directories of profiles, and images that left some; empty means those in the
    /// current directory.
    pub profiles: Vec<PathBuf>,
    /// Which starts to read.
    pub choice: read::inputs::Choice,
    /// Where the images are.
    pub images: analyse::matching::Images,
    /// How to read them.
    pub options: read::unique_runs::Options,
}

/// Reads everything: the model, and every problem met on the way. A damaged input is left out of
/// the model. What does no harm goes to standard error.
///
/// # Errors
/// Only if there is nothing to read at all; what is wrong with one input is among the problems.
pub fn read(sources: &Sources) -> anyhow::Result<(analyse::model::Report, Vec<anyhow::Error>)> {
    read_inputs(&read::inputs::inputs(&sources.profiles, sources.choice)?, sources)
}

/// The same of inputs that are known.
///
/// # Errors
/// As for [`read`].
pub fn read_inputs(
    inputs: &[read::records::Input],
    sources: &Sources,
) -> anyhow::Result<(analyse::model::Report, Vec<anyhow::Error>)> {
    let (images, notices) = analyse::matching::load(inputs, &sources.images, &sources.options);
    notices.warn();
    let (report, damage) = analyse::decode::decode(images);
    let mut problems = notices.problems;
    problems.extend(damage);
    Ok((report, problems))
}
