//! The sample program of the tests: its counters and its report.

use pathformat::manifest::Manifest;
use pathformat::profile::Module;

use crate::counted::{CountedImage, CountedModule};
use crate::decode::decode;
use crate::model::{Image, Report, Run};

pub mod graphs;
pub mod units;

/// Returns a unit with its counters.
pub fn counted(manifest: Manifest, module: &Module) -> CountedModule {
    let mut counted = CountedModule::new(module.counters, manifest, Vec::new());
    counted.add(&module.counts, &[], |_| String::new());
    counted
}

/// Returns the image of the program after one run.
pub fn counted_image() -> CountedImage {
    let counters = units::counters();
    CountedImage {
        image: Image { path: "/tmp/demo".into(), build_id: vec![0xab, 0xcd], ..Image::default() },
        runs: vec![Run {
            count: 1,
            profile: "demo.42.pathprof".into(),
            pid: 42,
            start: 1_000_000_000,
            stop: 3_500_000_000,
            command_line: vec!["demo".into(), "-n".into(), "seven".into()],
            ..Run::default()
        }],
        modules: vec![
            counted(units::main_unit(), &counters[0]),
            counted(units::util_unit(), &counters[1]),
        ],
    }
}

/// Returns the report of the program.
pub fn report() -> Report {
    let (report, problems) = decode(vec![counted_image()], &());
    assert!(problems.is_empty(), "{problems:?}");
    report
}
