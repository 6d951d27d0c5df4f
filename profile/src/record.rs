//! A record: its position, its head, and the state of its process.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use pathformat::profile::{
    Ancestor, CUMULATIVE, FORKED, GONE, Head, INCOMPLETE, MERGED, Part, Profile, RunId, SEGMENT,
};
use pathformat::standing::{self, Block};

use crate::file_names;
use crate::image::FileId;
use crate::modules::ModuleSums;
use crate::open;
use crate::record_content::{self, RecordContent};
use crate::segments;

/// The position and the head of a record.
#[derive(Clone, Debug)]
pub struct Record {
    /// The path of the file.
    pub path: PathBuf,
    /// The identity of the file.
    pub file: FileId,
    /// Offset and length in the file; `None` if the file is a raw file.
    pub range: Option<(u64, u64)>,
    /// The run; the first one of a merged record.
    pub run: RunId,
    /// True if its process was seen with this raw file mapped, or has the lock of a standing one.
    pub is_mapped: bool,
    /// What a standing raw file says of its runs.
    pub standing: Option<Box<Block>>,
    /// True if it will never be completed, although its run did not end in the normal way.
    pub is_gone: bool,
    /// Its label, or that of the first of several parts; empty if it has none.
    pub label: Vec<u8>,
    /// True if it is of a segment of a run.
    pub is_segment: bool,
    /// The segments of its run.
    pub segments: Vec<Record>,
    /// The number of segments that a raw file says there are.
    pub expected_segments: u64,
    /// True if the segments stay records of their own, and are not part of what is read.
    pub leaves_segments: bool,
    /// True if it is of several runs.
    pub merged: bool,
    /// True if its run ended in the normal way.
    pub complete: bool,
    /// True if its process, or one of them, was forked from a counted one.
    pub forked: bool,
    /// The number of its process.
    pub pid: u32,
    /// The time at which the kernel started its process, in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// The processes from which its process descends, the parent first.
    pub ancestors: Vec<Ancestor>,
    /// Start and end of counting in nanoseconds since 1970.
    pub time: (u64, u64),
    /// The name of the machine.
    pub host: Vec<u8>,
    /// The arguments, each terminated by a NUL.
    pub command_line: Vec<u8>,
    /// The path of its image when it ran.
    pub image: PathBuf,
    /// The build-id of its image.
    pub build_id: Vec<u8>,
}

impl Record {
    /// Returns the record with this head in a file.
    pub(crate) fn of(
        (path, file): (&Path, FileId),
        range: Option<(u64, u64)>,
        head: &Head<'_>,
    ) -> Self {
        Self {
            path: path.to_path_buf(),
            file,
            range,
            run: head.identity(),
            is_mapped: false,
            standing: None,
            is_gone: head.flags & GONE != 0,
            label: Vec::new(),
            is_segment: head.flags & SEGMENT != 0,
            segments: Vec::new(),
            expected_segments: 0,
            leaves_segments: false,
            merged: head.flags & MERGED != 0,
            complete: head.flags & INCOMPLETE == 0,
            forked: head.flags & FORKED != 0,
            pid: head.pid,
            process_start: head.process_start,
            ancestors: head.ancestors.to_vec(),
            time: (head.start, head.stop.max(head.start)),
            host: head.host.to_vec(),
            command_line: head.command_line.to_vec(),
            image: Path::new(OsStr::from_bytes(head.image)).to_path_buf(),
            build_id: head.build_id.to_vec(),
        }
    }

    /// Returns the profile that contains it; for a raw file, the one it would be appended to.
    pub fn profile(&self) -> PathBuf {
        file_names::profile_of(&self.path)
    }

    /// Returns the record as that of a process that has the raw file mapped.
    pub fn of_running_process(self) -> Self {
        Self { is_mapped: true, ..self }
    }

    /// Returns true if its process ran on this machine.
    pub fn is_of_this_machine(&self) -> bool {
        self.host == rustix::system::uname().nodename().to_bytes()
    }

    /// Returns true if it is of a profile that begins with this run; `None` means that there is no
    /// such profile. A standing file in use is, since it has the only counts of its process.
    pub(crate) fn is_of(&self, first: Option<RunId>) -> bool {
        let Some(block) = &self.standing else { return true };
        let is_of = || Block::is_of(&block.anchors, first.unwrap_or_default());
        !self.is_unused() && (self.is_mapped || is_of())
    }

    /// Returns true if it is of a standing file in which no run has counted.
    pub(crate) fn is_unused(&self) -> bool {
        self.standing.as_ref().is_some_and(|block| block.starts.get() == 0)
    }

    /// Returns the labels of what it counted, each once, as far as they are known without its
    /// counts.
    pub fn labels(&self) -> BTreeSet<&[u8]> {
        let all = self.segments.iter().chain([self]).map(|record| record.label.as_slice());
        all.filter(|label| !label.is_empty()).collect()
    }

    /// Returns the runs that it is of, as far as that is known without its counts.
    pub(crate) fn runs_in_head(&self) -> Vec<RunId> {
        match &self.standing {
            Some(block) => {
                (1..=block.starts.get()).map(|number| self.run.of_child(0, number)).collect()
            }
            None if self.merged => Vec::new(),
            None => vec![self.run],
        }
    }

    /// Returns its length in its file, with its segments.
    pub(crate) fn length(&self) -> u64 {
        let own = self.range.map_or(0, |(_, length)| length);
        own + self.segments.iter().map(Self::length).sum::<u64>()
    }

    /// Returns the offset behind it and its segments in their file.
    pub(crate) fn end(&self) -> u64 {
        let own = self.range.map_or(0, |(start, length)| start + length);
        self.segments.iter().map(Self::end).fold(own, u64::max)
    }

    /// Returns true if it is of several runs, as far as is known: it was merged, or it is of a
    /// standing file.
    pub fn is_sum(&self) -> bool {
        self.merged || self.standing.is_some()
    }

    /// Returns the last runs of a standing file.
    pub fn standing_runs(&self) -> impl Iterator<Item = &standing::Run> {
        self.standing.iter().flat_map(|block| block.last_runs())
    }

    /// Returns true if this is a raw file in which a process may still be counting.
    pub fn is_in_use(&self) -> bool {
        if self.is_mapped {
            return true;
        }
        if self.range.is_some() || self.standing.is_some() {
            return false;
        }
        if !self.is_of_this_machine() {
            return true;
        }
        let Ok(maps) = fs::read_to_string(format!("/proc/{}/maps", self.pid)) else {
            return Path::new(&format!("/proc/{}", self.pid)).exists();
        };
        // The process number may belong to another process, or the process may have executed
        // another program since.
        let Ok(data) = fs::metadata(&self.path) else { return false };
        let inode = data.ino().to_string();
        maps.lines().any(|line| line.split_ascii_whitespace().nth(4) == Some(&inode))
    }

    /// Returns its bytes. For a raw file, returns those of the record that its process would have
    /// written.
    ///
    /// # Errors
    /// The file is gone, or a damaged raw file.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let file = self.open()?;
        let Some((offset, length)) = self.range else {
            return record_content::record_of_raw(file, !self.segments.is_empty());
        };
        if id_of(&file)? != self.file {
            return Err(anyhow!("another process summed this profile meanwhile; try again"));
        }
        let mut bytes = vec![0; usize::try_from(length)?];
        file.read_exact_at(&mut bytes, offset)
            .map_err(|error| record_content::unreadable(&error))?;
        Ok(bytes)
    }

    /// Returns its bytes behind those of its segments.
    ///
    /// # Errors
    /// As for [`Self::bytes`].
    pub fn all_bytes(&self) -> Result<Vec<u8>> {
        Ok([self.bytes_of_segments()?, self.bytes()?].concat())
    }

    /// Returns the bytes of its segments.
    ///
    /// # Errors
    /// As for [`Self::bytes`].
    pub fn bytes_of_segments(&self) -> Result<Vec<u8>> {
        let bytes: Result<Vec<_>> = self.segments.iter().map(Self::bytes).collect();
        Ok(bytes?.concat())
    }

    fn open(&self) -> Result<File> {
        open::regular(&self.path).map_err(|error| record_content::unreadable(&error))
    }

    /// Reads its counts, and those of its segments.
    ///
    /// # Errors
    /// It is damaged, or gone.
    pub fn read(&self) -> Result<RecordContent> {
        let mut content = self.read_own()?;
        let before = self.parts_of_segments()?;
        let elsewhere: HashSet<RunId> = match self.leaves_segments {
            true => before.iter().flat_map(|part| &part.runs).copied().collect(),
            false => HashSet::new(),
        };
        let mut rest = std::mem::take(&mut content.parts);
        if self.range.is_none() && !before.is_empty() {
            rest.iter_mut().for_each(|part| part.flags |= CUMULATIVE);
        }
        content.parts = segments::settle(before, rest);
        content.parts.retain(|part| !part.runs.iter().any(|run| elsewhere.contains(run)));
        if self.is_segment && !self.complete {
            // The rest of its run is lost.
            content.parts.iter_mut().last().into_iter().for_each(|part| part.flags |= INCOMPLETE);
        }
        content.publish_flags();
        Ok(content)
    }

    /// Reads the sum of its segments, those that the program has reset included.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub(crate) fn sum_of_segments(&self) -> Result<ModuleSums> {
        Ok(segments::sum_of(self.parts_of_segments()?))
    }

    fn parts_of_segments(&self) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        for segment in &self.segments {
            parts.extend(segment.read_own()?.parts);
        }
        Ok(parts)
    }

    fn read_own(&self) -> Result<RecordContent> {
        if self.range.is_none() {
            let mut found = record_content::read_raw(&self.path, self.open()?)?;
            let gone = if self.is_in_use() { 0 } else { GONE };
            found.parts.iter_mut().for_each(|part| part.flags |= gone);
            return Ok(found);
        }
        let bytes = self.bytes()?;
        let profile =
            Profile::decode(&bytes).map_err(|error| record_content::damage(error, &bytes))?;
        Ok(RecordContent::new(&self.path, &profile.head, profile.parts))
    }
}

/// Returns the identity of a file.
///
/// # Errors
/// Those of the file system.
pub(crate) fn id_of(file: &File) -> Result<FileId> {
    let data = file.metadata().map_err(|error| record_content::unreadable(&error))?;
    Ok((data.dev(), data.ino()))
}
