//! A record: where it is, what its head says, and whether its process may still be counting.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use pathformat::profile::{Ancestor, GONE, Head, INCOMPLETE, MERGED, Profile, RunId};

use crate::file_names;
use crate::image::FileId;
use crate::open;
use crate::record_content::{self, RecordContent};

/// Where a record is, and what its head says.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file.
    pub path: PathBuf,
    /// Which file that was.
    pub file: FileId,
    /// Offset and length in it; `None` if the file is a raw file.
    pub range: Option<(u64, u64)>,
    /// Which run; of a merged record, the first.
    pub run: RunId,
    /// Whether it is of several runs.
    pub merged: bool,
    /// Whether its run ended in the normal way.
    pub complete: bool,
    /// Its process.
    pub pid: u32,
    /// When the kernel started its process, in clock ticks since boot; 0 if unknown.
    pub process_start: u64,
    /// The processes from which its process descends, the parent first.
    pub ancestors: Vec<Ancestor>,
    /// Start and end of counting in nanoseconds since 1970.
    pub time: (u64, u64),
    /// Name of the machine.
    pub host: Vec<u8>,
    /// Arguments, each closed by a NUL.
    pub command_line: Vec<u8>,
    /// Where its image was.
    pub image: PathBuf,
    /// Build-id of its image.
    pub build_id: Vec<u8>,
}

impl Record {
    /// The record in a file whose head this is.
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
            merged: head.flags & MERGED != 0,
            complete: head.flags & INCOMPLETE == 0,
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

    /// The profile that it is in, or, if it is a raw file, would have been.
    pub fn profile(&self) -> PathBuf {
        file_names::profile_of(&self.path)
    }

    /// Whether this is a raw file in which a process may still be counting.
    pub fn is_in_use(&self) -> bool {
        if self.range.is_some() {
            return false;
        }
        if self.host != rustix::system::uname().nodename().to_bytes() {
            return true;
        }
        let Ok(maps) = fs::read_to_string(format!("/proc/{}/maps", self.pid)) else {
            return Path::new(&format!("/proc/{}", self.pid)).exists();
        };
        // Its number may be another process's, and it may be executing another program by now.
        let Ok(data) = fs::metadata(&self.path) else { return false };
        let inode = data.ino().to_string();
        maps.lines().any(|line| line.split_ascii_whitespace().nth(4) == Some(&inode))
    }

    /// Its bytes. A raw file's are those of the record that its process would have written.
    ///
    /// # Errors
    /// It is gone, or a raw file that is damaged.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let file = self.open()?;
        let Some((offset, length)) = self.range else { return record_content::record_of_raw(file) };
        if id_of(&file)? != self.file {
            return Err(anyhow!("another process summed this profile meanwhile; try again"));
        }
        let mut bytes = vec![0; usize::try_from(length)?];
        file.read_exact_at(&mut bytes, offset)
            .map_err(|error| record_content::unreadable(&error))?;
        Ok(bytes)
    }

    fn open(&self) -> Result<File> {
        open::regular(&self.path).map_err(|error| record_content::unreadable(&error))
    }

    /// Reads what it counted.
    ///
    /// # Errors
    /// It is damaged, or gone.
    pub fn read(&self) -> Result<RecordContent> {
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

/// Which file this is.
///
/// # Errors
/// Those of the file system.
pub(crate) fn id_of(file: &File) -> Result<FileId> {
    let data = file.metadata().map_err(|error| record_content::unreadable(&error))?;
    Ok((data.dev(), data.ino()))
}
