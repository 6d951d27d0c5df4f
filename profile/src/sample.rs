//! A record for tests, and an observer that counts.

use pathformat::profile::{Ancestor, RunId};

use crate::record::Record;

pub mod counted;

/// Returns the record of a process with this number and parent, which has ended.
pub fn record(pid: u32, parent: u32) -> Record {
    Record {
        path: "build/prog.pathprof".into(),
        file: (0, 0),
        range: None,
        run: RunId::NONE,
        is_mapped: false,
        standing: None,
        is_gone: false,
        label: Vec::new(),
        is_segment: false,
        segments: Vec::new(),
        expected_segments: 0,
        leaves_segments: false,
        merged: false,
        complete: true,
        forked: false,
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
