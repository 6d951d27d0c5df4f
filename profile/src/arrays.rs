//! Reads the table of modules that `ld.pathld` makes: the position of each module's counters.

use std::path::Path;

use anyhow::{Result, anyhow};
use object::{Object, ObjectSection};
use pathformat::descriptor::Module;
use pathformat::raw::TRACED;
use pathformat::{ModuleId, names};
use zerocopy::FromBytes;

use crate::image;

/// The counter array of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// The module.
    pub id: ModuleId,
    /// Its offset, in bytes from the start of the image's region.
    pub offset: u64,
    /// Its length in counters.
    pub counters: u64,
    /// True if the module is traced: its counters count nothing, but number its paths.
    pub is_traced: bool,
}

/// Returns true if the image at `path` has traced units.
pub fn is_traced(path: &Path) -> bool {
    read(path).is_ok_and(|arrays| arrays.iter().any(|array| array.is_traced))
}

/// Returns the arrays of the image at `path`; empty if pathld did not link it.
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
