//! Joins the records of many runs of one image into one record.
//!
//! The record holds the [sum](crate::combine::sum) of the counts of the runs. It keeps their
//! identities, by which [a run that is in another file, too](crate::unique_runs) is recognised. Its
//! head is that of the run that began first, with the latest end and the flags of all. It is read
//! like any other record.
//!
//! No run is lost: without `replace`, a file is replaced only by one that holds all of its runs.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pathformat::files::EXTENSION;
use pathformat::profile::RunId;

use crate::combine::between::EarlierReadings;
use crate::combine::sum::Sum;
use crate::image::{FileId, build_id_in_words};
use crate::observer::Observer;
use crate::output;
use crate::record_content::RecordContent;
use crate::records::{Input, Record, Records};
use crate::unique_runs::{self, Labels, Notices, Options, Taker};
use crate::{open, records};

/// The identity of an image.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ImageId {
    BuildId(Vec<u8>),
    /// Without a build-id: its file, under any name.
    File(FileId),
    /// Without a build-id and a file: its former path.
    Path(PathBuf),
}

impl ImageId {
    fn of(file: &RecordContent) -> Self {
        if !file.build_id.is_empty() {
            return Self::BuildId(file.build_id.clone());
        }
        let found = fs::metadata(&file.image).ok().filter(fs::Metadata::is_file);
        found.map_or_else(
            || Self::Path(file.image.clone()),
            |data| Self::File((data.dev(), data.ino())),
        )
    }
}

/// The form in which records are summed.
#[derive(Debug, Default)]
pub struct MergeOptions {
    /// The label of runs without one.
    pub label: String,
    /// The readings that the records are compared with: what was counted before is left out.
    pub earlier: EarlierReadings,
    /// The time of reading, in nanoseconds since 1970, if the processes still run.
    pub now: Option<u64>,
}

/// The sums of records by image, in the order of the first record of each.
#[derive(Debug, Default)]
pub struct ByImage {
    sums: Vec<(usize, Sum)>,
    index: HashMap<ImageId, usize>,
    options: MergeOptions,
    /// True if an earlier reading of one of the runs was left out.
    has_earlier: bool,
}

impl Taker for ByImage {
    fn take(&mut self, place: usize, mut file: RecordContent) -> Result<()> {
        file.run.stop = file.run.stop.max(self.options.now.unwrap_or_default());
        let (file, is_known) = self.options.earlier.since(file)?;
        self.has_earlier |= is_known;
        let at = *self.index.entry(ImageId::of(&file)).or_insert(self.sums.len());
        if at == self.sums.len() {
            self.sums.push((place, Sum::default()));
        }
        let (first, sum) = &mut self.sums[at];
        *first = place.min(*first);
        sum.add(file, self.options.label.as_bytes());
        Ok(())
    }
}

impl ByImage {
    /// Returns the number of images.
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Returns true if something was left out that an earlier reading has.
    pub fn has_earlier(&self) -> bool {
        self.has_earlier
    }

    /// Returns true if there are no images.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Returns a record for each image.
    pub fn records(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        self.sums.iter().map(|(_, sum)| sum.encode())
    }
}

/// Returns a record for each image of these records of the profile at `path`.
///
/// # Errors
/// One of them cannot be read.
pub(super) fn sums(
    path: &Path,
    records: Vec<Record>,
    observer: &dyn Observer,
) -> Result<Vec<Vec<u8>>> {
    let found = Ok(Records { records, problems: Vec::new() });
    let input = Input { path: path.to_path_buf(), found };
    let (images, notices) = read(&[input], &Options::default(), MergeOptions::default(), observer);
    match notices.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(images.records().collect()),
    }
}

/// Reads and sums `inputs`. An input that cannot be read becomes a problem that names it.
pub fn read(
    inputs: &[Input],
    reading: &Options,
    options: MergeOptions,
    observer: &dyn Observer,
) -> (ByImage, Notices) {
    let mut images = ByImage { options, ..ByImage::default() };
    let reading = Options { labels: Labels::Apart, ..reading.clone() };
    let notices = unique_runs::each(inputs, &reading, observer, &mut images);
    images.sums.sort_by_key(|(place, _)| *place);
    (images, notices)
}

/// Merges the profiles of each image into `target`: a file, or a directory that gets a file for
/// each image. With `replace`, the target file may hold other content.
///
/// # Errors
/// There are profiles of several images for one file, the content of an existing file would be
/// lost, or a file cannot be written.
pub fn write(images: &ByImage, target: &Path, replace: bool) -> Result<()> {
    let several = target.is_dir() || target.as_os_str().as_bytes().ends_with(b"/");
    let merged: Vec<_> = images.sums.iter().map(|(_, sum)| Merged::of(sum)).collect();
    if merged.len() > 1 && !several {
        let name = |merged: &Merged<'_>| {
            format!("{}, {}", merged.image.display(), build_id_in_words(merged.build_id))
        };
        let names: Vec<_> = merged.iter().map(name).collect();
        bail!(
            "the profiles are of {} images ({}); give a directory with -o DIR/, which gets a \
             profile for each",
            names.len(),
            names.join("; ")
        );
    }
    let folder = if several {
        Some(target)
    } else {
        target.parent().filter(|folder| !folder.as_os_str().is_empty())
    };
    if let Some(folder) = folder {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the directory {}", folder.display()))?;
    }
    for merged in &merged {
        if several {
            merged.write_among(target)?;
        } else {
            merged.write_as(target, replace)?;
        }
    }
    Ok(())
}

/// The profile of one image.
struct Merged<'a> {
    image: &'a Path,
    build_id: &'a [u8],
    runs: HashSet<RunId>,
    bytes: Vec<u8>,
}

/// The state of the path where a profile is to be written.
enum Destination {
    Free,
    /// A file that can be replaced without loss.
    Replaceable,
    /// Another file; the text completes "FILE exists and …".
    Taken(String),
}

impl<'a> Merged<'a> {
    fn of(sum: &'a Sum) -> Self {
        Self {
            image: Path::new(OsStr::from_bytes(sum.image())),
            build_id: sum.build_id(),
            runs: sum.runs().collect(),
            bytes: sum.encode(),
        }
    }

    fn place(&self, path: &Path) -> Destination {
        let Ok(data) = fs::symlink_metadata(path) else { return Destination::Free };
        let is_pipe = fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if is_pipe || data.is_file() && data.len() == 0 {
            return Destination::Replaceable;
        }
        let Ok(found) = records::of(path) else {
            return Destination::Taken("is no profile that can be read".into());
        };
        let files: Result<Vec<_>> = found.records.iter().map(records::Record::read).collect();
        let Ok(files) = files else {
            return Destination::Taken("is no profile that can be read".into());
        };
        let runs = files.iter().flat_map(|file| &file.parts).flat_map(|part| &part.runs);
        match runs.filter(|run| !self.runs.contains(run)).count() {
            0 if found.problems.is_empty() => Destination::Replaceable,
            0 => Destination::Taken("holds something that cannot be read".into()),
            1 => Destination::Taken("holds a run that is not among these".into()),
            lost => Destination::Taken(format!("holds {lost} runs that are not among these")),
        }
    }

    /// Writes the file that the user named.
    fn write_as(&self, path: &Path, replace: bool) -> Result<()> {
        let place = self.place(path);
        if let Destination::Taken(why) = &place
            && !replace
        {
            bail!(
                "{} exists and {why}; give it as an input, too, choose another name, or replace it \
                 with --replace",
                path.display()
            );
        }
        self.write_to(path, &place)
    }

    /// Writes a file in a directory, under a free name. Images may have the same name.
    fn write_among(&self, folder: &Path) -> Result<()> {
        let name = self.image.file_name().unwrap_or("image".as_ref());
        for number in 1u32.. {
            let mut name = name.to_os_string();
            if number > 1 {
                name.push(format!("-{number}"));
            }
            name.push(format!(".{EXTENSION}"));
            let path = folder.join(name);
            let place = self.place(&path);
            let is_free = match place {
                Destination::Free => true,
                // A pipe of that name is not a valid target.
                Destination::Replaceable => open::regular(&path).is_ok(),
                Destination::Taken(_) => false,
            };
            if is_free {
                return self.write_to(&path, &place);
            }
        }
        bail!("all names in {} are taken", folder.display())
    }

    /// Writes the file at `path`, whose earlier state is `found`. If `path` was free, a file that
    /// was created there meanwhile stays.
    fn write_to(&self, path: &Path, found: &Destination) -> Result<()> {
        let write = |out: &mut dyn Write| Ok(out.write_all(&self.bytes)?);
        match found {
            Destination::Free => output::to_new_file(path, write),
            _ => output::to_file(path, write),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.pathprof");
        let merged = Merged {
            image: Path::new("/bin/x"),
            build_id: &[],
            runs: HashSet::new(),
            bytes: b"sum".to_vec(),
        };
        let content = || fs::read(&path).expect("there");
        merged.write_to(&path, &Destination::Free).expect("nothing is there");
        assert_eq!(content(), b"sum");
        fs::write(&path, "meanwhile").expect("writable");
        assert!(merged.write_to(&path, &Destination::Free).is_err());
        assert_eq!(content(), b"meanwhile");
        merged.write_to(&path, &Destination::Replaceable).expect("nothing would be missed");
        assert_eq!(content(), b"sum");
    }
}
