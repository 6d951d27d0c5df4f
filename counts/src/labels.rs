//! Decodes what was counted under each label, one label after the other.
//!
//! A suite of tests has thousands of labels. Only the counts of all of them are in memory at once;
//! their decoded paths are passed on and forgotten.

use std::collections::BTreeMap;

use anyhow::Result;
use pathformat::profile::Part;
use profile::observer::Observer;
use profile::record_content::RecordContent;
use profile::records::Input;
use profile::segments;
use profile::unique_runs::{self, Labels, Notices, Options, Taker};

use crate::decode::decode;
use crate::matching::{ImagePlaces, WatchedImages};
use crate::model::Report;
use crate::placed::placed;

/// Reads `inputs` and their images, and passes each label with what was counted under it to
/// `visit`, in the order of the labels. The empty label is that of what has none. A report has the
/// functions of the units in which something was counted.
pub fn each(
    inputs: &[Input],
    places: &ImagePlaces,
    options: &Options,
    observer: &dyn Observer,
    mut visit: impl FnMut(&str, Report),
) -> Notices {
    let mut by_label = ByLabel::default();
    let options = Options { labels: Labels::Apart, ..options.clone() };
    let mut notices = unique_runs::each(inputs, &options, observer, &mut by_label);
    let mut images = WatchedImages::new(places);
    for (label, records) in by_label.0 {
        let (counted, unmatched) = images.sum(records);
        let (report, damage) = decode(counted, &());
        let known: Vec<_> = notices.problems.iter().map(|problem| format!("{problem:#}")).collect();
        let new = unmatched.into_iter().chain(damage);
        let new = new.filter(|problem| !known.contains(&format!("{problem:#}")));
        notices.problems.extend(new.collect::<Vec<_>>());
        if !report.images.is_empty() {
            visit(&String::from_utf8_lossy(&label), placed(report));
        }
    }
    notices
}

/// What was counted under each label.
#[derive(Default)]
struct ByLabel(BTreeMap<Vec<u8>, Vec<RecordContent>>);

impl Taker for ByLabel {
    fn take(&mut self, _place: usize, mut record: RecordContent) -> Result<()> {
        let mut parts: BTreeMap<Vec<u8>, Vec<Part>> = BTreeMap::new();
        for part in std::mem::take(&mut record.parts) {
            parts.entry(part.label.clone()).or_default().push(part);
        }
        for (label, parts) in parts {
            let own = record.with_parts(segments::together(parts));
            self.0.entry(label).or_default().push(own);
        }
        Ok(())
    }
}
