//! The descriptor of an image's counters, as the linker made it.
//!
//! Must match `linker-shim/src/module.rs`, which writes the descriptor.

use core::ops::Range;
use core::slice;

use pathformat::ModuleId;
use pathformat::raw::{OWN_BASE, Place};
use pathformat::settings::Threads;

/// The layout version that this runtime reads.
const ABI_VERSION: u32 = 3;

/// Flag: the image is a shared library.
const LIBRARY: u64 = 1;

/// Flag: modules have keys, so a profile needs the process's map.
const KEYS: u64 = 2;

/// Describes the counters of an image. All fields are constant once the image is relocated.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Image {
    abi_version: u32,
    module_count: u32,
    region: *const u64,
    region_size: u64,
    modules: *const Module,
    flags: u64,
}

/// One counter array in the region.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// Which module.
    pub(crate) id: [u8; 16],
    /// Where its array starts, in bytes from the start of the region; a multiple of eight.
    pub(crate) offset: u64,
    /// Length of the array in counters.
    pub(crate) counters: u64,
    /// How its threads count, as [`Threads::code`], and perhaps [`OWN_BASE`].
    pub(crate) threads: u64,
}

impl Module {
    /// Where the module's counters are, for a raw file.
    pub(crate) fn place(&self) -> Place {
        Place {
            id: ModuleId(self.id),
            offset: self.offset,
            counters: self.counters,
            threads: Threads::from_code(self.threads as u32),
        }
    }
}

impl Image {
    /// Describes a region that no linker laid out.
    #[cfg(any(test, feature = "preload"))]
    pub(crate) fn new(region: *const [u64], modules: &'static [Module], has_keys: bool) -> Self {
        Self {
            abi_version: ABI_VERSION,
            module_count: modules.len() as u32,
            region: region.cast(),
            region_size: region.len() as u64 * 8,
            modules: modules.as_ptr(),
            flags: if has_keys { KEYS } else { 0 },
        }
    }

    /// The modules; none if another version of the linker made the descriptor.
    pub(crate) fn modules(&self) -> &[Module] {
        if self.abi_version != ABI_VERSION || self.modules.is_null() {
            return &[];
        }
        // SAFETY: the linker lays out that many entries there, and they are constant.
        unsafe { slice::from_raw_parts(self.modules, self.module_count as usize) }
    }

    /// The start of the region.
    pub(crate) fn region(&self) -> *mut u8 {
        self.region.cast_mut().cast()
    }

    /// Its length in bytes, whole pages.
    pub(crate) fn region_size(&self) -> usize {
        if self.abi_version == ABI_VERSION { self.region_size as usize } else { 0 }
    }

    /// Whether the image is a shared library, which may be unloaded.
    pub(crate) fn is_library(&self) -> bool {
        self.flags & LIBRARY != 0
    }

    /// Whether modules have tables with keys.
    pub(crate) fn has_keys(&self) -> bool {
        self.flags & KEYS != 0
    }

    /// The addresses in the region of the arrays that threads find by a word of their own, in the order of the words.
    pub(crate) fn bases(&self) -> impl Iterator<Item = usize> + use<'_> {
        let own = |module: &&Module| module.threads & u64::from(OWN_BASE) != 0;
        self.modules().iter().filter(own).map(|module| self.region as usize + module.offset as usize)
    }

    /// Where the modules' counters are in a slot.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + Clone {
        self.modules().iter().map(Module::place).filter(|place| place.is_within(self.region_size))
    }
}

/// Where a module's counters are in a slot.
pub(crate) fn range(place: &Place) -> Range<usize> {
    let range = place.range();
    range.start as usize..range.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_never_leaves_the_region() {
        static REGION: [u64; 4] = [0; 4];
        let places = |offset, counters| {
            let modules = Box::leak(Box::new([Module { id: [0; 16], offset, counters, threads: 0 }]));
            Image::new(&REGION, modules, false).places().count()
        };
        assert_eq!(places(8, 3), 1);
        assert_eq!([places(8, 4), places(4, 1), places(u64::MAX - 7, 1), places(0, u64::MAX / 4)], [0; 4]);
    }
}
