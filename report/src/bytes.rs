//! What the fuzzers call: a function for each kind of input, which does all that is done with its
//! bytes.
//!
//! Each function returns for any bytes, without a panic and with no more memory than the bytes
//! justify.

use std::path::Path;

use pathformat::manifest::Manifest;
use pathformat::profile::Profile;
use pathformat::raw::Header;
use pathformat::record::Records;
use pathformat::wire::Allowance;

use crate::analyse::counted::{CountedImage, CountedModule};
use crate::analyse::decode;
use crate::analyse::model::{Image, Run};
use crate::export::json;
use crate::read::image;
use crate::show::options::Options;
use crate::show::report;

/// The payload of a manifest, decoded and shown with counts for its first counters.
pub fn manifest(bytes: &[u8]) {
    let Ok(manifest) = Manifest::decode(bytes) else { return };
    assert_eq!(
        Manifest::decode(&manifest.encode()).as_ref(),
        Ok(&manifest),
        "a manifest comes back"
    );
    let counters = manifest
        .functions
        .iter()
        .map(pathformat::manifest::Function::counters)
        .fold(0, u64::saturating_add);
    let mut counted = CountedModule::new(counters, manifest, Vec::new());
    let counts: Vec<_> = (0..counters.min(64))
        .map(|index| (index, index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    counted.add(&counts, &counts, |address| address.to_string());
    let image = Image { path: "image".into(), build_id: Vec::new() };
    let (report, _) = decode::decode(
        vec![CountedImage { image, runs: vec![Run::default()], modules: vec![counted] }],
        &(),
    );
    // A full report of a graph with many edges is long; a few rows go the same ways.
    let options = Options { top: 5, ..Options::default() };
    report::write(&report.clone().into(), &options, &mut Vec::new()).expect("memory does not fail");
    json::write(&report, false, &mut Vec::new()).expect("memory does not fail");
}

/// The content of a manifest section.
pub fn section(bytes: &[u8]) {
    for record in Records::new(bytes).flatten() {
        let _ = image::module(&record, &Allowance::new(1 << 28));
    }
}

/// A profile.
pub fn profile(bytes: &[u8]) {
    if let Ok(profile) = Profile::decode(bytes) {
        assert_eq!(
            Profile::decode(&profile.encode()).as_ref(),
            Ok(&profile),
            "a profile comes back"
        );
    }
}

/// A raw file.
pub fn raw(bytes: &[u8]) {
    let _ = Header::decode_all(bytes);
}

/// An image, which is read from a file.
pub fn image(bytes: &[u8], path: &Path) {
    if std::fs::write(path, bytes).is_ok() {
        let _ = image::read(path);
        let _ = image::traces(path);
    }
}
