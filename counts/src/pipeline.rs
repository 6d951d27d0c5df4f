//! Turns records into the model in one call.

use anyhow::Error;
use profile::observer::Observer;
use profile::records::Input;
use profile::unique_runs::{Notices, Options};

use crate::decode::decode;
use crate::matching::{self, ImagePlaces};
use crate::model::Report;
use crate::placed::placed;

/// Reads `inputs` and their images. Returns the report, and the notices. A damaged input is left
/// out of the report and is among the problems.
pub fn report(
    inputs: &[Input],
    places: &ImagePlaces,
    options: &Options,
    observer: &dyn Observer,
) -> (Report, Notices) {
    let (images, mut notices) = matching::sum_by_image(inputs, places, options, observer);
    let (report, damage): (_, Vec<Error>) = decode(images, observer);
    notices.problems.extend(damage);
    (placed(report), notices)
}
