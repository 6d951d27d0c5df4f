//! The images that a trace lists.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Error, anyhow};
use pathformat::trace::{Clock, RecordKind};
use zerocopy::FromBytes;

use crate::file::Trace;
use crate::file::records::{Record, Records};

/// The maximum number of images. Chunks behind this many are not read: no process has more.
const MOST: usize = 1 << 16;

/// An image that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedImage {
    /// The first number of its paths.
    pub first: u32,
    /// The difference between its addresses in memory and those in its file.
    pub bias: u64,
    /// Its build-id; empty if it has none.
    pub build_id: Vec<u8>,
    /// The path of its file when it was loaded.
    pub path: PathBuf,
}

impl LoadedImage {
    /// Decodes the payload of an image event.
    fn of(payload: &[u8]) -> Option<Self> {
        let (first, rest) = payload.split_first_chunk::<4>()?;
        let (bias, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first()?;
        let (build_id, path) = rest.split_at_checked(usize::from(*length))?;
        Some(Self {
            first: u32::from_le_bytes(*first),
            bias: u64::from_le_bytes(*bias),
            build_id: build_id.to_vec(),
            path: Path::new(OsStr::from_bytes(path)).to_path_buf(),
        })
    }
}

/// The records of a trace that concern its process.
#[derive(Debug, Default)]
pub struct ProcessRecords {
    /// The images in the order in which they were loaded.
    pub images: Vec<LoadedImage>,
    /// The values that its clocks showed.
    pub clocks: Vec<Clock>,
    /// The parts that could not be read.
    pub problems: Vec<Error>,
}

/// Reads the records of a trace that concern its process.
pub fn of(trace: &Trace) -> ProcessRecords {
    let ProcessRecords { mut images, mut clocks, mut problems } = ProcessRecords::default();
    let mut buffer = Vec::new();
    for chunk in &trace.process.chunks {
        if images.len() >= MOST {
            break;
        }
        let damaged = |why: &dyn std::fmt::Display| {
            let (file, index) = (trace.path.display(), trace.index(chunk));
            anyhow!("{file}: chunk {index} of the file, which tells of images, is damaged: {why}")
        };
        let content = match trace.content(chunk, &mut buffer) {
            Ok(content) => content,
            Err(error) => {
                problems.push(damaged(&format!("{error:#}")));
                continue;
            }
        };
        let mut records = Records::new(content);
        loop {
            match records.next(|_| None) {
                Ok(Some(Record::Event { kind: Some(RecordKind::Image), payload })) => {
                    match LoadedImage::of(payload) {
                        Some(image) => images.push(image),
                        None => problems.push(damaged(&"an image is cut off")),
                    }
                }
                Ok(Some(Record::Event { kind: Some(RecordKind::Clock), payload })) => {
                    clocks.extend(Clock::read_from_prefix(payload).map(|(clock, _)| clock));
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(why) => {
                    problems.push(damaged(&why));
                    break;
                }
            }
        }
    }
    ProcessRecords { images, clocks, problems }
}
