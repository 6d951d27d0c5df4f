//! The sample program of the tests as a model.

use pathformat::manifest::Manifest;
use pathformat::profile;

use crate::analyse::counted::{Counted, Loaded};
use crate::analyse::model::{Image, Report, Run};

#[path = "../tests/samples/mod.rs"]
pub(crate) mod samples;

/// A unit with its counters.
pub(crate) fn counted(manifest: Manifest, module: &profile::Module) -> Counted {
    let mut counted = Counted::new(module.counters, manifest, Vec::new());
    counted.add(&module.counts, &[], |_| String::new());
    counted
}

/// Its image after one run.
pub(crate) fn loaded() -> Loaded {
    let counters = samples::counters();
    Loaded {
        image: Image { path: "/tmp/demo".into(), build_id: vec![0xab, 0xcd] },
        runs: vec![Run {
            count: 1,
            profile: "demo.42.pathprof".into(),
            pid: 42,
            start: 1_000_000_000,
            stop: 3_500_000_000,
            command_line: vec!["demo".into(), "-n".into(), "seven".into()],
            ..Run::default()
        }],
        modules: vec![counted(samples::main_unit(), &counters[0]), counted(samples::util_unit(), &counters[1])],
    }
}

/// Its report.
pub(crate) fn report() -> Report {
    let (report, problems) = crate::analyse::decode::decode(vec![loaded()], &());
    assert!(problems.is_empty(), "{problems:?}");
    report
}
