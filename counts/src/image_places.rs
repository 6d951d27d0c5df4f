//! Finds the file of an image: where it ran, or elsewhere under the same name.
//!
//! Only a build-id can tell that an image elsewhere is the right one.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow};
use profile::directories;
use profile::image::{self, build_id_in_words};

/// Where images are looked for.
#[derive(Clone, Debug, Default)]
pub struct ImagePlaces {
    /// The images. If any are given, each record must be of one of them; otherwise an image is
    /// looked for where its record says.
    pub given: Vec<PathBuf>,
    /// Directories to search, with all that is below them, for images that are gone from there or
    /// are other builds by now. The current directory is searched last, without what is below it.
    pub directories: Vec<PathBuf>,
    /// What the arguments name. The images among it are looked at if there is none where a record
    /// says: what is executed from memory ran nowhere.
    pub named: Vec<PathBuf>,
}

impl ImagePlaces {
    /// Where the image with this build-id is that ran at `path`.
    ///
    /// # Errors
    /// It is in none of the places, with what to do.
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

/// The one of these images that has a build-id.
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

/// Says that what is there are other builds of an image.
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

/// The files of a name among these, and last the one in the current directory.
pub(crate) fn named(files: &HashMap<OsString, Vec<PathBuf>>, name: &OsStr) -> Vec<PathBuf> {
    let mut found = files.get(name).cloned().unwrap_or_default();
    found.push(Path::new(".").join(name));
    found
}

/// The files in directories and below, by name. Directories that cannot be read are left out.
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
