//! Reads where the counters of an image are: the table of modules that `ld.pathld` makes.

use std::path::Path;

use anyhow::{Result, anyhow};
use object::{Object, ObjectSection};
use pathformat::descriptor::Module;
use pathformat::raw::TRACED;
use pathformat::{ModuleId, names};
use zerocopy::FromBytes;

use crate::image;

/// The array of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Whose it is.
    pub id: ModuleId,
    /// Where it starts, in bytes from the start of the image's region.
    pub offset: u64,
    /// Its length in counters.
    pub counters: u64,
    /// Whether the module is traced: its counters count nothing, but number its paths.
    pub is_traced: bool,
}

/// Whether the image at `path` has units that are traced.
pub fn is_traced(path: &Path) -> bool {
    read(path).is_ok_and(|arrays| arrays.iter().any(|array| array.is_traced))
}

/// The arrays of the image at `path`; none if pathld did not link it.
///
/// # Errors
/// There is no image, or its table is damaged.
pub fn read(path: &Path) -> Result<Vec<Array>> {
    let cache = image::open(path)?;
    let file = image::parse(path, &cache)?;
    let Some(section) = file.section_by_name(names::MODULES_SECTION) else { return Ok(Vec::new()) };
    let damaged = || {
        anyhow!(
            "{}: section {} is damaged; link the program again",
            path.display(),
            names::MODULES_SECTION
        )
    };
    let content = section.data().map_err(|_| damaged())?;
    let entries = content.chunks(size_of::<Module>()).map(|bytes| {
        let entry = Module::read_from_bytes(bytes).map_err(|_| damaged())?;
        Ok(Array {
            id: ModuleId(entry.id),
            offset: entry.offset,
            counters: entry.counters,
            is_traced: entry.threads & u64::from(TRACED) != 0,
        })
    });
    entries.collect()
}
