//! Joins the profiles of many runs of one image into one file.
//!
//! The file holds what every run counted one after the other, each with its identity: entries and paths in flight are told for each by
//! itself (`entries.rs`), and a run that is in several files is told from others (`runs.rs`). It is read like any profile. Its head
//! is that of the first run, with the earliest start, the latest end and the flags of all.
//!
//! What a file holds is never lost: it is only replaced by one that has all its runs.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pathformat::profile::{
    CUT, FORKED, Head, INCOMPLETE, OTHER_RUNTIME, PARTIAL, Part, Profile, RunId, UNREGISTERED_THREADS, UNSURE,
};

use crate::image::FileId;
use crate::inputs::EXTENSION;
use crate::profile::{self, ProfileFile};
use crate::runs::{self, Doubles, Notices, Taker};
use crate::{open, output};

/// What tells images apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ImageId {
    BuildId(Vec<u8>),
    /// Without a build-id, its file by whatever name,
    File(FileId),
    /// or, if that is gone, where it was.
    Path(PathBuf),
}

impl ImageId {
    fn of(file: &ProfileFile) -> Self {
        if !file.build_id.is_empty() {
            return Self::BuildId(file.build_id.clone());
        }
        let found = fs::metadata(&file.image).ok().filter(fs::Metadata::is_file);
        found.map_or_else(|| Self::Path(file.image.clone()), |data| Self::File((data.dev(), data.ino())))
    }
}

/// Profiles by image, in the order of their first ones.
#[derive(Debug, Default)]
pub struct ByImage {
    images: Vec<Vec<(usize, ProfileFile)>>,
    index: HashMap<ImageId, usize>,
}

impl Taker for ByImage {
    fn take(&mut self, place: usize, file: ProfileFile) -> Result<()> {
        let at = *self.index.entry(ImageId::of(&file)).or_insert(self.images.len());
        if at == self.images.len() {
            self.images.push(Vec::new());
        }
        self.images[at].push((place, file));
        Ok(())
    }
}

impl ByImage {
    /// How many images there are.
    pub fn len(&self) -> usize {
        self.images.len()
    }

    /// Whether nothing could be read.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }
}

/// Reads `profiles`; what cannot be read becomes a problem that names it.
pub fn read(profiles: &[PathBuf], doubles: Doubles) -> (ByImage, Notices) {
    let mut images = ByImage::default();
    let notices = runs::each(profiles, doubles, &mut images);
    images.images.iter_mut().for_each(|files| files.sort_by_key(|(place, _)| *place));
    images.images.sort_by_key(|files| files.first().map(|(place, _)| *place));
    (images, notices)
}

/// Merges the profiles of each image into `target`: a file, or a directory that gets a file for each image. With `replace` a file may take the
/// place of one that holds something else.
///
/// # Errors
/// Profiles of several images for one file, a file that would be lost, or one that cannot be written.
pub fn write(images: &ByImage, target: &Path, replace: bool) -> Result<()> {
    let several = target.is_dir() || target.as_os_str().as_bytes().ends_with(b"/");
    let merged: Vec<_> = images.images.iter().map(|files| Merged::of(files)).collect();
    if merged.len() > 1 && !several {
        let names: Vec<_> = merged.iter().map(|merged| merged.image.display().to_string()).collect();
        bail!(
            "the profiles are of {} images ({}); give a directory with -o DIR/, which gets a profile for each",
            names.len(),
            names.join(", ")
        );
    }
    let folder = if several { Some(target) } else { target.parent().filter(|folder| !folder.as_os_str().is_empty()) };
    if let Some(folder) = folder {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the directory {}", folder.display()))?;
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
    runs: HashSet<RunId>,
    bytes: Vec<u8>,
}

/// What stands where a profile is to be written.
enum Place {
    Free,
    /// Nothing that would be missed.
    Replaceable,
    /// Something else; the text completes "FILE exists and …".
    Taken(String),
}

impl<'a> Merged<'a> {
    fn of(files: &'a [(usize, ProfileFile)]) -> Self {
        let image = files.first().map_or(Path::new(""), |(_, file)| &file.image);
        let parts = files.iter().flat_map(|(_, file)| &file.parts);
        Self { image, runs: parts.map(|part| part.run).collect(), bytes: joined(files) }
    }

    fn place(&self, path: &Path) -> Place {
        let Ok(data) = fs::symlink_metadata(path) else { return Place::Free };
        let is_pipe = fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir());
        if is_pipe || data.is_file() && data.len() == 0 {
            return Place::Replaceable;
        }
        match profile::read(path) {
            Ok(None) => Place::Replaceable,
            Ok(Some(file)) => match file.parts.iter().filter(|part| !self.runs.contains(&part.run)).count() {
                0 => Place::Replaceable,
                1 => Place::Taken("holds a run that is not among these".into()),
                lost => Place::Taken(format!("holds {lost} runs that are not among these")),
            },
            Err(_) => Place::Taken("is no profile that can be read".into()),
        }
    }

    /// Writes the file that the user named.
    fn write_as(&self, path: &Path, replace: bool) -> Result<()> {
        match self.place(path) {
            Place::Free => output::to_new_file(path, |out| Ok(out.write_all(&self.bytes)?)),
            Place::Taken(why) if !replace => bail!(
                "{} exists and {why}; give it as an input, too, choose another name, or replace it with --replace",
                path.display()
            ),
            _ => output::to_file(path, |out| Ok(out.write_all(&self.bytes)?)),
        }
    }

    /// Writes a file in a directory, under a name that is free. Images may have one name.
    fn write_among(&self, folder: &Path) -> Result<()> {
        let name = self.image.file_name().unwrap_or("image".as_ref());
        for number in 1u32.. {
            let mut name = name.to_os_string();
            if number > 1 {
                name.push(format!("-{number}"));
            }
            name.push(format!(".{EXTENSION}"));
            let path = folder.join(name);
            match self.place(&path) {
                Place::Taken(_) => {}
                Place::Free => return output::to_new_file(&path, |out| Ok(out.write_all(&self.bytes)?)),
                Place::Replaceable if open::regular(&path).is_ok() => {
                    return output::to_file(&path, |out| Ok(out.write_all(&self.bytes)?));
                }
                // A pipe of that name is not meant.
                Place::Replaceable => {}
            }
        }
        bail!("all names in {} are taken", folder.display())
    }
}

fn joined(files: &[(usize, ProfileFile)]) -> Vec<u8> {
    let Some((_, first)) = files.first() else { return Vec::new() };
    let files = files.iter().map(|(_, file)| file);
    let parts: Vec<_> = files.clone().flat_map(|file| &file.parts).collect();
    let any = |flag| if parts.iter().any(|part| part.flags & flag != 0) { flag } else { 0 };
    let mut command_line = Vec::new();
    for argument in &first.run.command_line {
        command_line.extend(argument.as_bytes());
        command_line.push(0);
    }
    let head = Head {
        flags: [INCOMPLETE, UNREGISTERED_THREADS, FORKED, PARTIAL, CUT, UNSURE, OTHER_RUNTIME]
            .into_iter()
            .fold(0, |flags, flag| flags | any(flag)),
        pid: first.run.pid,
        parent: first.run.parent,
        start: files.clone().map(|file| file.run.start).min().unwrap_or_default(),
        stop: files.map(|file| file.run.stop).max().unwrap_or_default(),
        process_start: if parts.len() == 1 { first.run.process_start } else { 0 },
        run: parts.first().map_or(RunId::NONE, |part| part.run),
        build_id: &first.build_id,
        image: first.image.as_os_str().as_bytes(),
        command_line: &command_line,
        directory: first.run.directory.as_bytes(),
        host: first.run.host.as_bytes(),
    };
    let counted = |part: &&Part| {
        let modules = part.modules.iter().filter(|module| !module.counts.is_empty()).cloned().collect::<Vec<_>>();
        let map = part.map.clone().filter(|_| !modules.is_empty());
        Part { run: part.run, flags: part.flags, map, modules }
    };
    Profile { head, parts: parts.iter().map(counted).collect() }.encode()
}
