//! Finds the image of each record, and sums the counters of the runs of each image.
//!
//! A build-id identifies an image: hard links and copies of one binary are one image, and any of
//! its files is accepted. An image without a build-id is identified by its file, under whatever
//! name it was started.
//!
//! A record is left out as a whole if it or its image is damaged, missing or of another build. A
//! problem names the record, and the other records are used.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, anyhow, bail};
use pathformat::ModuleId;
use pathformat::profile::{INCOMPLETE, RUNNING};
use profile::observer::Observer;
use profile::record_content::RecordContent;
use profile::records::Input;
use profile::segments;
use profile::symbols::{Map, Symbols};
use profile::unique_runs::{self, Notices, Options, Taker};
use profile::{file_names, image};

use crate::counted::{CountedImage, CountedModule};
pub use crate::image_places::ImagePlaces;
use crate::image_places::{files_by_name, named, other_build};
use crate::model::{Count, Image};

/// Reads `inputs` and their images. `observer` is notified of each record that was read.
pub fn sum_by_image(
    inputs: &[Input],
    places: &ImagePlaces,
    options: &Options,
    observer: &dyn Observer,
) -> (Vec<CountedImage>, Notices) {
    let mut known = KnownImages::new(places);
    let notices = unique_runs::each(inputs, options, observer, &mut known);
    (known.finish(), notices)
}

/// Images whose processes are read again and again. Each image is read once.
pub struct WatchedImages<'a>(KnownImages<'a>);

impl<'a> WatchedImages<'a> {
    /// Creates the list, for images in these places.
    pub fn new(places: &'a ImagePlaces) -> Self {
        Self(KnownImages::new(places))
    }

    /// Sums what these records counted. Images without a record, and modules without a count, are
    /// left out. Returns a problem for each record that cannot be used.
    pub fn sum(&mut self, records: Vec<RecordContent>) -> (Vec<CountedImage>, Vec<Error>) {
        let mut problems = Vec::new();
        for (place, record) in records.into_iter().enumerate() {
            let (path, image) = (record.run.profile.clone(), record.image.clone());
            if let Err(why) = self.0.take(place, record) {
                // The program may have been linked again.
                self.0.places.remove(&image);
                problems.push(why.context(path.display().to_string()));
            }
        }
        (self.0.images.iter_mut().filter_map(KnownImage::take_counts).collect(), problems)
    }
}

/// The images read so far.
#[derive(Default)]
struct KnownImages<'a> {
    given: &'a [PathBuf],
    directories: &'a [PathBuf],
    named: &'a [PathBuf],
    /// The files below the directories, by name; read when first needed.
    files: Option<HashMap<OsString, Vec<PathBuf>>>,
    /// The index of the image at each path that was opened, or the reason why it cannot be used.
    places: HashMap<PathBuf, Result<usize, Arc<Error>>>,
    /// The images with this build-id. There is more than one only if the build-id was set by hand.
    by_build_id: HashMap<Vec<u8>, Vec<usize>>,
    images: Vec<KnownImage>,
    symbols: Symbols,
    /// The build-ids of the records that were taken, by the path of their image.
    taken: HashMap<PathBuf, HashSet<Vec<u8>>>,
}

/// An image with an index over its modules.
struct KnownImage {
    loaded: CountedImage,
    /// The position of each run among all records.
    order: Vec<usize>,
    index: HashMap<ModuleId, usize>,
    /// The identities under which profiles hold the keys of its modules.
    keys: HashSet<ModuleId>,
    /// The identity of its file.
    file: image::FileId,
}

impl Taker for KnownImages<'_> {
    fn take(&mut self, place: usize, file: RecordContent) -> Result<()> {
        let found = self.image_of(&file)?;
        let KnownImage { loaded, order, index, .. } = &mut self.images[found];
        let same = |path: &Path| (path == file.image).then(|| loaded.image.path.clone());
        for part in &file.parts {
            let map = part.map.as_deref().map(Map::parse).unwrap_or_default();
            // Each process has its own keys.
            let mut keys: HashMap<ModuleId, &[(u64, u64)]> = HashMap::new();
            for module in &part.modules {
                let Some(&counted) = index.get(&module.id) else {
                    keys.insert(module.id, &module.counts);
                    continue;
                };
                let keys = keys.get(&module.id.keys()).copied().unwrap_or_default();
                let name = |address| self.symbols.name(&map, address, file.run.stop, same);
                let counted = &mut loaded.modules[counted];
                counted.add(&module.counts, keys, name);
            }
            // The process may have been in the middle of a function of any module. A module is
            // listed only if it has counts.
            if part.flags & (INCOMPLETE | RUNNING) != 0 {
                loaded.modules.iter_mut().for_each(|counted| {
                    counted.interrupted += segments::count(&part.runs) as Count
                });
            }
        }
        loaded.runs.push(file.run);
        order.push(place);
        self.taken.entry(file.image).or_default().insert(file.build_id);
        Ok(())
    }

    fn takes_now(&self, build_id: &[u8]) -> bool {
        self.given.is_empty() && self.by_build_id.contains_key(build_id)
    }

    fn is_outdated(&self, image: &Path, build_id: &[u8]) -> bool {
        self.taken.get(image).is_some_and(|taken| !taken.contains(build_id))
    }
}

impl KnownImage {
    /// Takes the counts out of the image; `None` if no record of it was taken.
    fn take_counts(&mut self) -> Option<CountedImage> {
        self.order.clear();
        let runs = mem::take(&mut self.loaded.runs);
        let modules = self.loaded.modules.iter_mut().filter_map(CountedModule::take_counts);
        let modules = modules.collect();
        let image = self.loaded.image.clone();
        (!runs.is_empty()).then_some(CountedImage { image, runs, modules })
    }

    /// Checks that a profile can be of this image.
    fn check(&self, file: &RecordContent) -> Result<()> {
        let place = self.loaded.image.path.display();
        // The linker may have reserved counters for archive members that the link then left out;
        // these stay zero.
        let counted = file
            .parts
            .iter()
            .flat_map(|part| &part.modules)
            .filter(|module| !module.counts.is_empty());
        for module in counted {
            let known = self.index.get(&module.id).map(|&at| &self.loaded.modules[at]);
            match known {
                None if self.keys.contains(&module.id) => {}
                None => bail!(
                    "it counts the module {}, which no manifest in {place} describes; \
                     give the image of that run with --image PATH, or run the program again",
                    module.id
                ),
                Some(known) if known.counters != module.counters => bail!(
                    "it has {} counters for the module {} ({}), but the manifest in {place} says \
                     {}; give the image of that run with --image PATH, or run the program again",
                    module.counters,
                    module.id,
                    known.manifest.source,
                    known.counters
                ),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

impl<'a> KnownImages<'a> {
    fn new(places: &'a ImagePlaces) -> Self {
        Self {
            given: &places.given,
            directories: &places.directories,
            named: &places.named,
            ..Self::default()
        }
    }
}

impl KnownImages<'_> {
    /// Returns the index of the image that a profile is of.
    fn image_of(&mut self, file: &RecordContent) -> Result<usize> {
        if self.given.is_empty() {
            let known = self.by_build_id.get(&file.build_id).into_iter().flatten();
            if let Some(&found) = known.clone().find(|&&at| self.images[at].check(file).is_ok()) {
                return Ok(found);
            }
        }
        if !self.given.is_empty() {
            return self.one_of(self.given, file);
        }
        self.one_of(std::slice::from_ref(&file.image), file)
            .or_else(|why| self.elsewhere(file).ok_or(why))
    }

    /// Returns the index of the image beside the profile, of one that the arguments name, or of one
    /// of the same name in another directory. It must have a build-id, which shows that it is the
    /// right one.
    fn elsewhere(&mut self, file: &RecordContent) -> Option<usize> {
        let name = file.image.file_name().filter(|_| !file.build_id.is_empty())?;
        let beside = file_names::profile_of(&file.run.profile).with_extension("");
        if beside.is_file()
            && let Ok(found) = self.one_of(&[beside], file)
        {
            return Some(found);
        }
        let (directories, arguments) = (self.directories, self.named);
        let files = self.files.get_or_insert_with(|| files_by_name(directories));
        let candidates = arguments.iter().cloned().chain(named(files, name));
        candidates.into_iter().find_map(|path| self.one_of(&[path], file).ok())
    }

    /// Returns the index of the one among these images that a profile is of.
    fn one_of(&mut self, candidates: &[PathBuf], file: &RecordContent) -> Result<usize> {
        let mut others = Vec::new();
        for path in candidates {
            let found = self.open(path)?;
            let image = &self.images[found].loaded.image;
            if image.build_id == file.build_id {
                self.images[found].check(file)?;
                return Ok(found);
            }
            others.push((path.clone(), image.build_id.clone()));
        }
        Err(other_build(&file.build_id, &others))
    }

    fn open(&mut self, path: &Path) -> Result<usize> {
        if !self.places.contains_key(path) {
            let opened = image::read(path).map(|image| self.add(path, image)).map_err(Arc::new);
            self.places.insert(path.to_path_buf(), opened);
        }
        self.places[path].clone().map_err(|error| anyhow!("{error:#}"))
    }

    fn add(&mut self, path: &Path, image: image::Instrumentation) -> usize {
        let has_no_id = |open: &KnownImage| open.loaded.image.build_id.is_empty();
        if image.build_id.is_empty()
            && let Some(same) =
                self.images.iter().position(|open| has_no_id(open) && open.file == image.file)
        {
            return same;
        }
        let keyed = image.modules.iter().filter(|module| module.keys > 0);
        let keys = keyed.map(|module| module.id.keys()).collect();
        let index = image.modules.iter().enumerate().map(|(at, module)| (module.id, at)).collect();
        let present = |module: &image::Module| {
            let functions = 0..module.manifest.functions.len();
            functions.map(|index| image.has_function(module.id, index)).collect()
        };
        let present: Vec<Vec<bool>> = image.modules.iter().map(present).collect();
        let counted = |(module, present): (image::Module, Vec<bool>)| {
            CountedModule::new(module.counters, module.manifest, present)
        };
        let loaded = CountedImage {
            image: Image {
                path: path.to_path_buf(),
                build_id: image.build_id,
                switches: image.switches,
            },
            runs: Vec::new(),
            modules: image.modules.into_iter().zip(present).map(counted).collect(),
        };
        if !loaded.image.build_id.is_empty() {
            self.by_build_id
                .entry(loaded.image.build_id.clone())
                .or_default()
                .push(self.images.len());
        }
        self.images.push(KnownImage { loaded, order: Vec::new(), index, keys, file: image.file });
        self.images.len() - 1
    }

    /// Returns the images in which something ran, with their runs in the order of the profiles.
    fn finish(self) -> Vec<CountedImage> {
        let mut images = self.images;
        images.retain(|open| !open.order.is_empty());
        images.sort_by_key(|open| open.order.iter().copied().min());
        let sorted = |KnownImage { mut loaded, order, .. }: KnownImage| {
            let mut runs: Vec<_> = order.into_iter().zip(loaded.runs).collect();
            runs.sort_by_key(|(place, _)| *place);
            loaded.runs = runs.into_iter().map(|(_, run)| run).collect();
            loaded
        };
        images.into_iter().map(sorted).collect()
    }
}
