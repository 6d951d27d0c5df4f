//! Goes from records to the model in one call.

use anyhow::Error;

use crate::analyse::decode::decode;
use crate::analyse::matching::{self, ImagePlaces};
use crate::analyse::model::Report;
use crate::analyse::placed::placed;
use crate::read::observer::Observer;
use crate::read::records::Input;
use crate::read::unique_runs::{Notices, Options};

/// Reads `inputs` and their images: the report, and what was noticed on the way. An input that is
/// damaged is left out of the report and is among the problems.
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
