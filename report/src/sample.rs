//! The sample program of the tests: its counters, its report and a record.

use pathformat::manifest::Manifest;
use pathformat::profile::{self, Ancestor, RunId};

use crate::analyse::counted::{CountedImage, CountedModule};
use crate::analyse::model::{Image, Report, Run};
use crate::read::record::Record;
use crate::show::document::Document;
use crate::show::forms;
use crate::show::table::Table;
use crate::show::text_table::Screen;

pub(crate) mod counted;

#[path = "../tests/samples/mod.rs"]
pub(crate) mod samples;

/// A unit with its counters.
pub(crate) fn counted(manifest: Manifest, module: &profile::Module) -> CountedModule {
    let mut counted = CountedModule::new(module.counters, manifest, Vec::new());
    counted.add(&module.counts, &[], |_| String::new());
    counted
}

/// Its image after one run.
pub(crate) fn counted_image() -> CountedImage {
    let counters = samples::counters();
    CountedImage {
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
        modules: vec![
            counted(samples::main_unit(), &counters[0]),
            counted(samples::util_unit(), &counters[1]),
        ],
    }
}

/// Its report.
pub(crate) fn report() -> Report {
    let (report, problems) = crate::analyse::decode::decode(vec![counted_image()], &());
    assert!(problems.is_empty(), "{problems:?}");
    report
}

/// A table as text without a width, without styles.
pub(crate) fn text_of(table: Table<'_>) -> String {
    let document = Document { tables: vec![table], ..Document::default() };
    anstream::adapter::strip_str(&forms::text(&document, Screen::default())).to_string()
}

/// The record of a process with this number and parent, which has ended.
pub(crate) fn record(pid: u32, parent: u32) -> Record {
    Record {
        path: "build/prog.pathprof".into(),
        file: (0, 0),
        range: None,
        run: RunId::NONE,
        merged: false,
        complete: true,
        pid,
        process_start: pid.into(),
        ancestors: vec![Ancestor::new(parent, parent.into())],
        time: (0, 0),
        host: b"box".to_vec(),
        command_line: Vec::new(),
        image: "build/prog".into(),
        build_id: Vec::new(),
    }
}
