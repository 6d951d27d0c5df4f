//! Changes the label under which a running process counts, from outside.
//!
//! The process need not take part. What it has counted since its last segment is appended to its
//! profile as a segment of its own, and the new label is written to the header of its raw file. The
//! process sees there that segments exist that it did not append (`runtime/src/segments.rs`).
//!
//! All of it happens under the lock of the profile, which the process takes to append. The change
//! is announced before the segment is appended: if it is cut short, all counts of the process are
//! written once more, and each is still in one segment.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use pathformat::label::{self, Label};
use pathformat::profile::{Head, INCOMPLETE, Profile, RunId, SEGMENT};
use pathformat::raw::{Header, label_offset};

use crate::combine::store;
use crate::image::FileId;
use crate::modules::{ModuleSums, positive};
use crate::open;
use crate::record::{Record, id_of};
use crate::record_content;
use crate::record_search;
use crate::segment_records::with_segments;

/// The segments that others append to a run have numbers from here on.
const FIRST: u32 = 1 << 31;

/// Changes labels, one after the other. What it has appended itself it need not read again.
#[derive(Debug, Default)]
pub struct LabelChanges {
    known: HashMap<RunId, Known>,
}

/// What the segments of a run have in sum, up to a place in the profile.
#[derive(Debug)]
struct Known {
    profile: FileId,
    end: u64,
    number: u32,
    sums: ModuleSums,
}

impl LabelChanges {
    /// Makes the process of a raw file count under this label from now on.
    ///
    /// # Errors
    /// The process counts in a standing file or has ended, or a file cannot be read or written.
    pub fn change(&mut self, record: &Record, text: &[u8]) -> Result<()> {
        let problem = || format!("cannot write {}", record.path.display());
        if record.standing.is_some() {
            bail!(
                "process {} counts in a standing file, together with others; start it with \
                 PATHCC_PROFILE=single: or PATHCC_LABEL=TEXT",
                record.pid
            );
        }
        let raw = open::to_change(&record.path, OpenOptions::new().write(true));
        let mut raw = raw.with_context(problem)?;
        // Nothing is created for nothing.
        if label_of(&mut raw)?.1.text() == label::kept(text) {
            return Ok(());
        }
        let path = record.profile();
        let mut profile = store::lock(&path)?;
        let length = profile.metadata()?.len();
        let done = own_by(&profile, &raw).and_then(|()| {
            let segment = self.segment(record, &path, &mut profile, length, &mut raw)?;
            profile.write_all(&segment)?;
            Ok(())
        });
        if let Err(error) = done {
            self.known.remove(&record.run);
            profile.set_len(length)?;
            if length == 0 {
                fs::remove_file(&path)?;
            }
            return Err(error).with_context(|| format!("cannot write {}", path.display()));
        }
        if let Some(known) = self.known.get_mut(&record.run) {
            known.end = profile.metadata()?.len();
        }
        let (offset, _) = label_of(&mut raw)?;
        let label = Label::new(text);
        let (start, bytes) = label.text_bytes();
        raw.write_all_at(bytes, offset + start as u64).with_context(problem)
    }

    /// Announces a segment in the raw file, and returns its record: what the process has counted
    /// since its last segment.
    fn segment(
        &mut self,
        record: &Record,
        path: &Path,
        profile: &mut File,
        length: u64,
        raw: &mut File,
    ) -> Result<Vec<u8>> {
        let file = id_of(profile)?;
        let known = self.known.remove(&record.run);
        let known = known.filter(|known| known.profile == file && known.end <= length);
        let from = known.as_ref().map_or(0, |known| known.end);
        let found = of_profile(path, profile, from)?;
        let own: Vec<_> = found.iter().filter(|other| other.run == record.run).collect();
        if own.iter().any(|own| !own.is_segment) {
            bail!("process {} has just ended", record.pid);
        }
        let (offset, before) = label_of(raw)?;
        let foreign = before.foreign.get().wrapping_add(1);
        raw.write_all_at(&foreign.to_le_bytes(), offset)?;
        let content = Record { segments: Vec::new(), ..record.clone() }.read()?;
        let mut known = match known {
            Some(known) if own.is_empty() => known,
            _ => {
                let whole = with_segments(record.clone(), &of_profile(path, profile, 0)?);
                let number = whole.segments.len() as u32;
                Known { profile: file, end: 0, number, sums: whole.sum_of_segments()? }
            }
        };
        known.number += 1;
        let mut parts = content.parts;
        for part in &mut parts {
            known.sums.subtract_from(&mut part.modules);
            // Counters that went down stay with what follows.
            part.modules = positive(std::mem::take(&mut part.modules));
            known.sums.add(&part.modules);
            part.runs = vec![content.run.id.segment(FIRST | known.number)];
            part.flags &= !INCOMPLETE;
            part.label = before.text().to_vec();
        }
        self.known.insert(record.run, known);
        let stop = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let head = Head {
            flags: SEGMENT | INCOMPLETE,
            pid: content.run.pid,
            start: content.run.start,
            stop: u64::try_from(stop.as_nanos()).unwrap_or(u64::MAX),
            process_start: content.run.process_start,
            ancestors: &[],
            run: content.run.id,
            build_id: &content.build_id,
            image: content.image.as_os_str().as_bytes(),
            command_line: &[],
            directory: content.run.directory.as_bytes(),
            host: content.run.host.as_bytes(),
        };
        Ok(Profile { head, parts }.encode())
    }
}

/// Returns the records from an offset on in a profile, which is locked.
fn of_profile(path: &Path, profile: &mut File, from: u64) -> Result<Vec<Record>> {
    let is_empty = profile.metadata()?.len() <= from;
    if is_empty {
        return Ok(Vec::new());
    }
    Ok(record_search::of_profile(path, profile, from)?.records)
}

/// Gives a profile that was just made to the owner of a raw file, whose process appends to it.
fn own_by(profile: &File, raw: &File) -> Result<()> {
    let (profile_data, raw_data) = (profile.metadata()?, raw.metadata()?);
    if profile_data.len() == 0 && profile_data.uid() != raw_data.uid() {
        std::os::unix::fs::fchown(profile, Some(raw_data.uid()), Some(raw_data.gid()))
            .context("cannot give it to the user of the process")?;
    }
    Ok(())
}

/// Returns the offset and the content of the label in a raw file.
fn label_of(raw: &mut File) -> Result<(u64, Label)> {
    let bytes = record_content::front(raw)?;
    let header = Header::decode(&bytes).map_err(record_content::damage_of_raw)?;
    let offset = label_offset(header.size, false).context("the raw file has no label")?;
    Ok((offset, header.label))
}
