//! Changes the label under which a running process counts, from outside.
//!
//! The process need not take part. What it has counted since its last segment is appended to its
//! profile as a segment of its own, and the new label is written to the header of its raw file. The
//! process sees there that segments exist that it did not append (`runtime/src/segments.rs`).
//!
//! All of it happens under the lock of the profile, which the process takes to append. The change
//! is announced before the segment is appended: if it is cut short, all counts of the process are
//! written once more, and each is still in one segment.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pathformat::label::{self, Label};
use pathformat::profile::{Head, INCOMPLETE, Part, Profile, SEGMENT};
use pathformat::raw::{Header, label_offset};
use rustix::fs::OFlags;

use crate::combine::store;
use crate::modules::positive;
use crate::record::Record;
use crate::record_content;
use crate::record_search;
use crate::segment_records::with_segments;

/// The segments that others append to a run have numbers from here on.
const FIRST: u32 = 1 << 31;

/// Makes the process of a raw file count under this label from now on.
///
/// # Errors
/// The process counts in a standing file or has ended, or a file cannot be read or written.
pub fn change(record: &Record, text: &[u8]) -> Result<()> {
    let problem = || format!("cannot write {}", record.path.display());
    if record.standing.is_some() {
        bail!(
            "process {} counts in a standing file, together with others; start it with \
             PATHCC_PROFILE=single: or PATHCC_LABEL=TEXT",
            record.pid
        );
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    let raw = options.read(true).write(true).custom_flags(flags).open(&record.path);
    let mut raw = raw.with_context(problem)?;
    let path = record.profile();
    let mut profile = store::lock(&path)?;
    let found = if profile.metadata()?.len() == 0 {
        Vec::new()
    } else {
        record_search::of_profile(&path, &mut profile)?.records
    };
    let is_own = |other: &&Record| other.run == record.run;
    if found.iter().filter(is_own).any(|own| !own.is_segment) {
        bail!("process {} has just ended", record.pid);
    }
    let (offset, before) = label_of(&mut raw)?;
    if before.text() == label::kept(text) {
        return Ok(());
    }
    let foreign = before.foreign.get().wrapping_add(1);
    raw.write_all_at(&foreign.to_le_bytes(), offset).with_context(problem)?;
    let number = FIRST | found.iter().filter(is_own).count() as u32;
    let segment = segment(record, &found, number, before.text())?;
    let length = profile.metadata()?.len();
    if let Err(error) = profile.write_all(&segment) {
        profile.set_len(length)?;
        return Err(error).with_context(|| format!("cannot write {}", path.display()));
    }
    let label = Label::new(text);
    let (start, bytes) = label.own_bytes();
    raw.write_all_at(bytes, offset + start as u64).with_context(problem)
}

/// Returns the offset and the content of the label in a raw file.
fn label_of(raw: &mut File) -> Result<(u64, Label)> {
    let bytes = record_content::front(raw)?;
    let header = Header::decode(&bytes).map_err(record_content::damage_of_raw)?;
    let offset = label_offset(header.size, false).context("the raw file has no label")?;
    Ok((offset, header.label))
}

/// Returns the record of what a process has counted since its last segment among these.
fn segment(record: &Record, found: &[Record], number: u32, label: &[u8]) -> Result<Vec<u8>> {
    let record = with_segments(record.clone(), found);
    let own = Record { leaves_segments: true, ..record }.read()?;
    let stop = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let head = Head {
        flags: SEGMENT | INCOMPLETE,
        pid: own.run.pid,
        start: own.run.start,
        stop: u64::try_from(stop.as_nanos()).unwrap_or(u64::MAX),
        process_start: own.run.process_start,
        ancestors: &[],
        run: own.run.id,
        build_id: &own.build_id,
        image: own.image.as_os_str().as_bytes(),
        command_line: &[],
        directory: &[],
        host: own.run.host.as_bytes(),
    };
    let of_part = |part: Part| Part {
        runs: vec![own.run.id.segment(number)],
        flags: part.flags & !INCOMPLETE,
        label: label.to_vec(),
        map: part.map,
        // Counters that went down stay with what follows.
        modules: positive(part.modules),
    };
    let parts = own.parts.into_iter().map(of_part).collect();
    Ok(Profile { head, parts }.encode())
}
