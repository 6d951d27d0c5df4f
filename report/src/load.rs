//! Joins profiles with the images they were recorded from, and sums the runs of each image.
//!
//! A profile that cannot be used, because itself or its image is damaged, missing or of another build, is left out
//! whole and becomes a problem that names it; the others go on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, anyhow, bail};
use pathformat::ModuleId;
use pathformat::manifest::Manifest;
use rayon::prelude::*;

use crate::entries::{self, Entries};
use crate::image;
use crate::model::{Count, Image, Run};
use crate::profile::{self, ProfileFile};
use crate::progress::Progress;
use crate::symbols::{Map, Symbols};
use crate::tables::{ByTable, Tables};

/// How many profiles are in memory at a time.
const BATCH: usize = 64;

/// An image, the runs that counted in it, and what they counted.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The image.
    pub image: Image,
    /// Its runs. Their field `image` is not set yet.
    pub runs: Vec<Run>,
    /// Its modules with the counters of all runs.
    pub modules: Vec<Counted>,
}

/// A module and the sums of its counters.
#[derive(Clone, Debug)]
pub struct Counted {
    /// Length of the counter array.
    pub counters: u64,
    /// What the pass told.
    pub manifest: Manifest,
    /// Where its tables are.
    layout: Tables,
    /// For each function of the manifest whether it is in the image.
    pub present: Vec<bool>,
    /// The counters that are not zero, by index. Negative ones, of paths that a forked child took over, are left out.
    pub counts: BTreeMap<u64, Count>,
    /// The entries of its functions, by index in the manifest.
    pub entries: BTreeMap<usize, Entries>,
    /// What the tables of its functions counted, by index in the manifest.
    pub tables: ByTable,
}

impl Counted {
    /// A module in which nothing was counted yet.
    pub fn new(counters: u64, manifest: Manifest, present: Vec<bool>) -> Self {
        let layout = Tables::of(&manifest);
        Self {
            counters,
            manifest,
            layout,
            present,
            counts: BTreeMap::new(),
            entries: BTreeMap::new(),
            tables: ByTable::new(),
        }
    }

    /// Adds what one process counted: index and count, in ascending order of index. `keys` are those of its tables, and `name`
    /// tells which function was at an address.
    pub fn add(&mut self, counts: &[(u64, u64)], keys: &[(u64, u64)], name: impl FnMut(u64) -> String) {
        let (counts, tables) = self.layout.take(counts, keys, name);
        for (of, seen) in tables {
            self.tables.entry(of).or_default().add(seen);
        }
        for (function, entries) in entries::of_process(&self.manifest, &counts) {
            let known = self.entries.entry(function).or_default();
            *known = known.and(entries);
        }
        for &(index, count) in counts.iter().filter(|(_, count)| count.cast_signed() >= 0) {
            *self.counts.entry(index).or_default() += Count::from(count);
        }
    }
}

/// Reads `profiles` and their images. If `images` are given, each profile must come from one of them; otherwise
/// each is looked for where its profile says.
pub fn load(profiles: &[PathBuf], images: &[PathBuf]) -> (Vec<Loaded>, Vec<Error>) {
    let progress = Progress::new("reading profiles", profiles.len());
    let mut shelf = Shelf { given: images, places: HashMap::new(), images: Vec::new(), symbols: Symbols::default() };
    let mut problems = Problems::default();
    for batch in profiles.chunks(BATCH) {
        let files: Vec<_> = batch.par_iter().map(|path| profile::read(path)).collect();
        for (path, file) in batch.iter().zip(files) {
            progress.step();
            // A raw file beside its finished profile was left by a process that was killed just then.
            if let Err(error) = file.and_then(|file| file.map_or(Ok(()), |file| shelf.add(file))) {
                problems.add(path, &error);
            }
        }
    }
    (shelf.finish(), problems.finish())
}

/// The images read so far.
struct Shelf<'a> {
    given: &'a [PathBuf],
    /// For each path that was opened the image's index, or why it cannot be used.
    places: HashMap<PathBuf, Result<usize, Arc<Error>>>,
    images: Vec<Open>,
    symbols: Symbols,
}

/// An image with an index over its modules.
struct Open {
    loaded: Loaded,
    index: HashMap<ModuleId, usize>,
    /// What the keys of its modules are called.
    keys: HashSet<ModuleId>,
}

impl Shelf<'_> {
    fn add(&mut self, file: ProfileFile) -> Result<()> {
        let found = self.image_of(&file)?;
        let Open { loaded, index, keys } = &mut self.images[found];
        // The linker may have reserved counters for archive members that the link then left out; nobody counts there.
        for module in file.modules.iter().filter(|module| !module.counts.is_empty()) {
            let known = index.get(&module.id).map(|&at| &loaded.modules[at]);
            let place = loaded.image.path.display();
            match known {
                None if keys.contains(&module.id) => {}
                None => bail!(
                    "it counts the module {}, which no manifest in {place} describes; \
                     give the image of that run with --image PATH, or run the program again",
                    module.id
                ),
                Some(known) if known.counters != module.counters => bail!(
                    "it has {} counters for the module {} ({}), but the manifest in {place} says {}; \
                     give the image of that run with --image PATH, or run the program again",
                    module.counters,
                    module.id,
                    known.manifest.source,
                    known.counters
                ),
                Some(_) => {}
            }
        }
        let same = |path: &Path| (path == file.image).then(|| loaded.image.path.clone());
        let mut map = Map::default();
        let mut known_keys: HashMap<ModuleId, &[(u64, u64)]> = HashMap::new();
        for (at, module) in file.modules.iter().enumerate() {
            // Of several processes each has a map, and keys of its own.
            if let Some((_, lines)) = file.maps.iter().rfind(|(first, _)| *first == at) {
                map = Map::parse(lines);
                known_keys.clear();
            }
            match index.get(&module.id) {
                Some(&counted) => {
                    let keys = known_keys.get(&module.id.keys()).copied().unwrap_or_default();
                    let name = |address| self.symbols.name(&map, address, file.run.stop, same);
                    loaded.modules[counted].add(&module.counts, keys, name);
                }
                None => {
                    known_keys.insert(module.id, &module.counts);
                }
            }
        }
        loaded.runs.push(file.run);
        Ok(())
    }

    /// The index of the image that a profile is of.
    fn image_of(&mut self, file: &ProfileFile) -> Result<usize> {
        let candidates = if self.given.is_empty() { std::slice::from_ref(&file.image) } else { self.given };
        let mut others = Vec::new();
        for path in candidates {
            let found = self.open(path)?;
            let image = &self.images[found].loaded.image;
            if image.build_id == file.build_id {
                return Ok(found);
            }
            others.push(format!("{} has {}", path.display(), build_id(&image.build_id)));
        }
        bail!(
            "it was recorded from an image with {}, but {}; the program was linked again since: \
             give the image of that run with --image PATH, or run the program again",
            build_id(&file.build_id),
            others.join(" and ")
        )
    }

    fn open(&mut self, path: &Path) -> Result<usize> {
        if !self.places.contains_key(path) {
            let opened = image::read(path).map(|image| self.shelve(path, image)).map_err(Arc::new);
            self.places.insert(path.to_path_buf(), opened);
        }
        self.places[path].clone().map_err(|error| anyhow!("{error:#}"))
    }

    fn shelve(&mut self, path: &Path, image: image::Image) -> usize {
        let keyed = image.modules.iter().filter(|module| module.keys > 0);
        let keys = keyed.map(|module| module.id.keys()).collect();
        let index = image.modules.iter().enumerate().map(|(at, module)| (module.id, at)).collect();
        let present = |module: &image::Module| {
            let functions = 0..module.manifest.functions.len();
            functions.map(|index| image.has_function(module.id, index)).collect()
        };
        let present: Vec<Vec<bool>> = image.modules.iter().map(present).collect();
        let counted =
            |(module, present): (image::Module, Vec<bool>)| Counted::new(module.counters, module.manifest, present);
        let loaded = Loaded {
            image: Image { path: path.to_path_buf(), build_id: image.build_id },
            runs: Vec::new(),
            modules: image.modules.into_iter().zip(present).map(counted).collect(),
        };
        self.images.push(Open { loaded, index, keys });
        self.images.len() - 1
    }

    /// The images in which something ran.
    fn finish(self) -> Vec<Loaded> {
        self.images.into_iter().map(|open| open.loaded).filter(|loaded| !loaded.runs.is_empty()).collect()
    }
}

/// A build-id in words.
pub fn build_id(bytes: &[u8]) -> String {
    if bytes.is_empty() { "no build-id".into() } else { format!("build-id {}", hexadecimal(bytes)) }
}

/// Bytes in hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Problems by reason: a thousand profiles of one missing image are one problem.
#[derive(Default)]
struct Problems {
    order: Vec<(PathBuf, String, usize)>,
    index: HashMap<String, usize>,
}

impl Problems {
    fn add(&mut self, profile: &Path, error: &Error) {
        let reason = format!("{error:#}");
        match self.index.get(&reason) {
            Some(&at) => self.order[at].2 += 1,
            None => {
                self.index.insert(reason.clone(), self.order.len());
                self.order.push((profile.to_path_buf(), reason, 0));
            }
        }
    }

    fn finish(self) -> Vec<Error> {
        let text = |(profile, reason, more): (PathBuf, String, usize)| match more {
            0 => anyhow!("{}: {reason}", profile.display()),
            more => anyhow!("{} (and {more} more): {reason}", profile.display()),
        };
        self.order.into_iter().map(text).collect()
    }
}
