//! Finds the file of an image: at the path where it ran, or elsewhere under the same name.
//!
//! An image elsewhere is accepted only if its build-id matches.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use profile::directories;
use profile::image::{self, build_id_in_words};

/// The places to search for images.
#[derive(Clone, Debug, Default)]
pub struct ImagePlaces {
    /// The images. If any are given, each record must be of one of them; otherwise the path in its
    /// record is tried first.
    pub given: Vec<PathBuf>,
    /// Directories to search recursively for images that no longer exist at the recorded path or
    /// are another build now. The current directory is searched last, and not recursively.
    pub directories: Vec<PathBuf>,
    /// The files that the arguments name. The images among them are tried if there is none at the
    /// path in a record: an image that was executed from memory has no path.
    pub named: Vec<PathBuf>,
}

impl ImagePlaces {
    /// Returns the path of the image that ran at `path` and has this build-id.
    ///
    /// # Errors
    /// The image is in none of the places. The message says what to do.
    pub fn find(&self, path: &Path, build_id: &[u8]) -> Result<PathBuf> {
        if !self.given.is_empty() {
            return one_of(&self.given, build_id);
        }
        one_of(&[path.to_path_buf()], build_id).or_else(|why| {
            let name = path.file_name().filter(|_| !build_id.is_empty());
            let elsewhere = name.map(|name| named(&files_by_name(&self.directories), name));
            let found = |place: PathBuf| one_of(&[place], build_id).ok();
            let given = self.named.iter().filter(|_| name.is_some()).cloned();
            given.chain(elsewhere.into_iter().flatten()).find_map(found).ok_or(why)
        })
    }
}

/// Returns the path among `places` whose image has this build-id.
fn one_of(places: &[PathBuf], build_id: &[u8]) -> Result<PathBuf> {
    let mut others = Vec::new();
    for place in places {
        let found = image::build_id(place)?;
        if found == build_id {
            return Ok(place.clone());
        }
        others.push((place.clone(), found));
    }
    Err(other_build(build_id, &others))
}

/// Returns the error for an image of which only other builds were found.
pub(crate) fn other_build(build_id: &[u8], others: &[(PathBuf, Vec<u8>)]) -> Error {
    let other = |(path, id): &(PathBuf, Vec<u8>)| {
        format!("{} has {}", path.display(), build_id_in_words(id))
    };
    anyhow!(
        "it was recorded from an image with {}, but {}; the program was linked again since: \
         give the image of that run with --image PATH or --image-dir DIR, or run the program \
         again",
        build_id_in_words(build_id),
        others.iter().map(other).collect::<Vec<_>>().join(" and ")
    )
}

/// Returns the files of a name among `files`, and last the one in the current directory.
pub(crate) fn named(files: &HashMap<OsString, Vec<PathBuf>>, name: &OsStr) -> Vec<PathBuf> {
    let mut found = files.get(name).cloned().unwrap_or_default();
    found.push(Path::new(".").join(name));
    found
}

/// Returns the files in directories and below, by name. Directories that cannot be read are
/// skipped.
pub(crate) fn files_by_name(directories: &[PathBuf]) -> HashMap<OsString, Vec<PathBuf>> {
    let mut found: HashMap<OsString, Vec<PathBuf>> = HashMap::new();
    for path in
        directories.iter().flat_map(|directory| directories::files_below(directory)).flatten()
    {
        if let Some(name) = path.file_name() {
            found.entry(name.to_owned()).or_default().push(path);
        }
    }
    found.values_mut().for_each(|paths| paths.sort());
    found
}
