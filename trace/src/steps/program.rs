//! The program of a trace: the traced functions of all images that were loaded, and their paths by
//! number.
//!
//! An image that is not found, or is damaged, is a problem that names it. The paths of the others
//! remain known.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, anyhow};
use counts::image_places::ImagePlaces;
use counts::model::{Module, PathId};
use counts::origin::is_system;
use counts::placed::rename;
use pathformat::ModuleId;
use pathformat::manifest::{Access, Location};
use pathformat::names::VARIABLES_SECTION;
use pathformat::settings::Mode;
use profile::arrays::{self, Array};
use profile::image::{self, Instrumentation};
use profile::source_names::SourceNames;

use crate::file::images::LoadedImage;
use crate::ids::FunctionId;
use crate::steps::layout::Layout;
use crate::steps::library_call::LibraryCall;
use crate::steps::traced_function::TracedFunction;
use crate::steps::traced_path::TracedPath;

/// The images of a process and their traced functions.
#[derive(Debug, Default)]
pub struct Program {
    /// The images, as they were loaded.
    pub images: Vec<KnownImage>,
    /// The traced units of all images.
    pub modules: Vec<Module>,
    /// The traced functions of all images.
    pub functions: Vec<TracedFunction>,
    /// The parts of the images that could not be read.
    pub problems: Vec<Error>,
    layout: Layout,
    names: SourceNames,
}

/// An image, as far as it could be read.
#[derive(Clone, Debug)]
pub struct KnownImage {
    /// The image as the trace lists it.
    pub loaded: LoadedImage,
    /// The path of its file now; `None` if its paths are unknown.
    pub place: Option<PathBuf>,
    /// The number of its traced functions.
    pub functions: usize,
}

/// The manifests and arrays of an image.
type Content = (Instrumentation, Vec<Array>);

impl Program {
    /// Returns the program of these images, whose files are searched for in `places`.
    pub fn of(images: Vec<LoadedImage>, places: &ImagePlaces) -> Self {
        let mut program = Self::default();
        let mut known: HashMap<PathBuf, Result<Content, Arc<Error>>> = HashMap::new();
        for loaded in images {
            match places.find(&loaded.path, &loaded.build_id) {
                Ok(place) => {
                    let content = known
                        .entry(place.clone())
                        .or_insert_with(|| read(&place).map_err(Arc::new));
                    match content {
                        Ok((image, arrays)) => program.add(loaded, &place, image, arrays),
                        Err(error) => program.add_unknown(loaded, anyhow!("{error:#}")),
                    }
                }
                Err(error) => program.add_unknown(loaded, error),
            }
        }
        program
    }

    /// Adds an image whose paths are unknown.
    fn add_unknown(&mut self, loaded: LoadedImage, why: Error) {
        self.problems.push(
            why.context(format!("the paths of the image {} are unknown", loaded.path.display())),
        );
        self.images.push(KnownImage { loaded, place: None, functions: 0 });
    }

    /// Adds an image that was read at `place`.
    pub fn add(
        &mut self,
        loaded: LoadedImage,
        place: &Path,
        image: &Instrumentation,
        arrays: &[Array],
    ) {
        let before = self.functions.len();
        let offsets: HashMap<ModuleId, &Array> =
            arrays.iter().map(|array| (array.id, array)).collect();
        for module in image.modules.iter().filter(|module| module.manifest.mode == Mode::Trace) {
            let Some(array) = offsets.get(&module.id) else { continue };
            if !array.is_traced || array.counters != module.counters {
                self.damaged(place, &module.manifest.source, "its array is not that of its paths");
                continue;
            }
            let start = u64::from(loaded.first).saturating_add(array.offset / 8);
            let numbers = start..start.saturating_add(array.counters);
            let first = self.functions.len();
            let functions = module.manifest.functions.iter().enumerate();
            let traced: Vec<_> = functions
                .filter(|(_, shape)| shape.num_paths > 0 && shape.skipped.is_none())
                .collect();
            let paths = traced.iter().zip((first as u32..).map(FunctionId));
            let paths = paths.map(|((_, shape), at)| (shape.first_counter, shape.num_paths, at));
            if !self.layout.add(numbers, paths.collect()) {
                self.damaged(
                    place,
                    &module.manifest.source,
                    "the numbers of its paths are not its own",
                );
                continue;
            }
            let place = (self.images.len(), self.modules.len());
            let unit = Module::of(&module.manifest);
            self.functions.extend(traced.iter().map(|(index, shape)| {
                let variables = image.variables_of(module.id, *index).into_iter();
                let loaded = |(at, address)| (at, loaded.bias.wrapping_add(address));
                let mut shape = (*shape).clone();
                rename(&mut self.names, &unit, &mut shape);
                TracedFunction::of(shape, place, variables.map(loaded).collect())
            }));
            self.modules.push(unit);
        }
        let added = &self.functions[before..];
        let functions = added.len();
        if image.variables.is_empty() && added.iter().any(TracedFunction::names_variables) {
            self.problems.push(anyhow!(
                "{}: addresses of variables are unknown, since this image has no section {}; give \
                 the image as it was linked with --image PATH",
                place.display(),
                VARIABLES_SECTION
            ));
        }
        self.images.push(KnownImage { loaded, place: Some(place.to_path_buf()), functions });
    }

    /// Returns true if the paths of all images are known.
    pub fn is_whole(&self) -> bool {
        self.images.iter().all(|image| image.place.is_some())
    }

    fn damaged(&mut self, place: &Path, source: &str, why: &str) {
        self.problems.push(anyhow!(
            "{}: the unit {source} cannot be used: {why}; build the program again",
            place.display()
        ));
    }

    /// Returns true if an access of any function may have a ticket.
    pub(crate) fn has_ordered_accesses(&self) -> bool {
        self.functions.iter().any(TracedFunction::has_ordered_accesses)
    }

    /// Returns the path with a number.
    pub fn path(&self, number: u32) -> Option<Arc<TracedPath>> {
        let (function, id) = self.layout.find(number)?;
        self.path_of(function, PathId(id))
    }

    /// Returns a path of a function.
    pub fn path_of(&self, function: FunctionId, id: PathId) -> Option<Arc<TracedPath>> {
        let traced = self.functions.get(function.index())?;
        let mut path = TracedPath::of(function, traced, traced.tables()?, id).ok()?;
        let last = path.path.blocks.last();
        let shape = &traced.function.shape;
        let call = last.and_then(|&block| shape.blocks.get(block as usize)?.calls.last());
        path.calls = call.and_then(|call| LibraryCall::of(&call.callee));
        path.calls_for_user = last.is_some_and(|&block| self.calls_for_user(function, block));
        Some(Arc::new(path))
    }

    /// Returns true if a path of a function that ends in this block ends at a call in the user's
    /// code, or in what was inlined there.
    fn calls_for_user(&self, function: FunctionId, block: u32) -> bool {
        let shape = self.functions.get(function.index()).map(|of| &of.function.shape);
        let call = shape.and_then(|shape| shape.blocks.get(block as usize)?.calls.last());
        let location = call.and_then(|call| call.location);
        location.is_some_and(|location| self.users(function, location).is_some())
    }

    /// Returns the innermost location of the user's code in which a location of a function was
    /// inlined, or that location itself if it is one.
    pub(crate) fn users(&self, function: FunctionId, location: u32) -> Option<&Location> {
        let of = &self.functions.get(function.index())?.function;
        let directories = self.modules.get(of.module).map_or(&[][..], |of| &of.system_directories);
        let mut next = Some(location);
        let mut outwards = std::iter::from_fn(|| {
            let location = of.shape.locations.get(next? as usize)?;
            next = location.inlined_at;
            Some(location)
        });
        outwards.find(|location| !is_system(&location.file, directories))
    }

    /// Returns the manifest's description of an access on a path.
    pub fn access(&self, path: &TracedPath, at: (u32, u32)) -> Option<&Access> {
        let shape = &self.functions.get(path.function.index())?.function.shape;
        shape.blocks.get(at.0 as usize)?.accesses.get(at.1 as usize)
    }

    /// Returns the source location of an access on a path.
    pub fn location(&self, path: &TracedPath, access: &Access) -> Option<&Location> {
        let shape = &self.functions.get(path.function.index())?.function.shape;
        shape.locations.get(access.location? as usize)
    }
}

fn read(place: &Path) -> Result<Content> {
    Ok((image::read(place)?, arrays::read(place)?))
}
