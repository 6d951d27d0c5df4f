//! Makes a profile smaller: what old runs recorded is summed, and raw files whose processes are gone are taken in.
//!
//! The last runs keep their records, so that they can be looked at one by one. What processes append meanwhile is kept as it
//! is. A file that holds something unreadable is left alone.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::inputs::Input;
use crate::records::{self, Record, Records};
use crate::runs::Options;
use crate::starts::starts;
use crate::{merge, output, store};

/// What became of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Its file.
    pub path: PathBuf,
    /// How many records and raw files it had, and how many records it has.
    pub records: (usize, usize),
    /// Its length in bytes, before and now; raw files are not counted.
    pub bytes: (u64, u64),
}

/// Sums the records of the profile at `path`, but those of the last `keep` starts.
///
/// # Errors
/// It holds something that cannot be read, or cannot be written.
pub fn compact(path: &Path, keep: usize) -> Result<Compacted> {
    let found = records::of(path).with_context(|| path.display().to_string())?;
    if let Some(problem) = found.problems.first() {
        bail!("{problem:#}; nothing was changed");
    }
    let known = found.records.iter().filter_map(|record| record.range).map(|(start, length)| start + length).max();
    let known = known.unwrap_or(0);
    // What is still in use stays where it is.
    let records: Vec<Record> = found.records.into_iter().filter(|record| !record.is_in_use()).collect();
    let starts = starts(&records);
    let (kept, old) = starts.split_at(keep.min(starts.len()));
    let mut kept: Vec<usize> = kept.concat();
    let mut old: Vec<usize> = old.concat();
    // One record is its own sum.
    if old.len() == 1 {
        kept.append(&mut old);
    }
    kept.sort_unstable();
    let mut content = Vec::new();
    let mut count = 0;
    if !old.is_empty() {
        let old = old.iter().map(|&at| records[at].clone()).collect();
        let found = Ok(Records { records: old, problems: Vec::new() });
        let input = Input { path: path.to_path_buf(), found };
        let (images, notices) = merge::read(&[input], &Options::default(), "");
        if let Some(problem) = notices.problems.into_iter().next() {
            return Err(problem.context("nothing was changed"));
        }
        for record in images.records() {
            content.extend(record);
            count += 1;
        }
    }
    for at in kept {
        content.extend(records[at].bytes().with_context(|| records[at].path.display().to_string())?);
        count += 1;
    }
    let mut file = store::lock(path)?;
    let length = file.metadata()?.len();
    if length < known {
        bail!("{}: it became shorter meanwhile; nothing was changed", path.display());
    }
    let mut appended = Vec::new();
    file.seek(SeekFrom::Start(known))?;
    file.read_to_end(&mut appended)?;
    content.extend(appended);
    output::to_file(path, |out| Ok(out.write_all(&content)?))?;
    // What is in the profile now is not told twice if this fails.
    let raw_files = records.iter().filter(|record| record.range.is_none());
    raw_files.for_each(|record| drop(fs::remove_file(&record.path)));
    Ok(Compacted { path: path.to_path_buf(), records: (records.len(), count), bytes: (length, content.len() as u64) })
}
