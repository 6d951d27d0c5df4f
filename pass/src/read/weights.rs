//! Reads the weights of an earlier run, which take the place of LLVM's estimates.
//!
//! Weights decide where counting code goes and which edges are cut. Counts are exact with any
//! weights. A function that did not run, or whose graph has changed, keeps the estimates. Weights
//! also show which functions are hot, where only those are wanted.

use std::fs;

use pathformat::weights::Weights;

use crate::options::Options;

/// Says why the weights of a source file are used for none of its functions. A file of which
/// nothing ran has no weights, and needs no warning.
pub(crate) fn warn_unused(weights: &Weights, options: &Options, source: &str) {
    let why = if weights.is_ambiguous() {
        format!(
            "several of its files may be {source}: name it to the compiler as in the first build"
        )
    } else if weights.knows(source) {
        format!("nothing of it fits {source}: the code or its options have changed since")
    } else {
        return;
    };
    if let Some(path) = &options.weights {
        eprintln!("pathcc: warning: {}: {why}; estimates are used", path.display());
    }
}

/// The weights for a source file; `None` if there are none to be had. What cannot be read is
/// reported once for each compilation: it costs speed alone.
pub(crate) fn read(options: &Options, source: &str) -> Option<Weights> {
    let path = options.weights.as_ref()?;
    let instead = if options.hot.is_some() {
        "estimates are used and all functions counted"
    } else {
        "estimates are used"
    };
    let warn = |why: &str| eprintln!("pathcc: warning: {}: {why}; {instead}", path.display());
    match fs::read_to_string(path) {
        Ok(text) => Weights::for_source(&text, source)
            .inspect_err(|line| warn(&format!("line {line} is damaged")))
            .ok(),
        Err(error) => {
            warn(&format!("cannot be read: {error}"));
            None
        }
    }
}
