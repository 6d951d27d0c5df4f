//! The counters of an image, from the linker's description.

use core::ops::Range;
use core::{ptr, slice};

use pathformat::ModuleId;
use pathformat::descriptor::{ABI_VERSION, CHANGES_LABEL, Descriptor, KEYS, LIBRARY, Module};
use pathformat::raw::{ArrayPlace, IN_SEGMENT, OWN_BASE};
use pathformat::settings::Threads;

/// The descriptor of an image. All fields are constant once the image is relocated.
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct Image(Descriptor);

/// Returns the place of a module's counters, for a raw file.
fn place(module: &Module) -> ArrayPlace {
    ArrayPlace {
        id: ModuleId(module.id),
        offset: module.offset,
        counters: module.counters,
        threads: Threads::from_code(module.threads as u32),
    }
}

impl Image {
    /// Creates the description of a region that no linker laid out.
    #[cfg(any(test, feature = "preload"))]
    pub(crate) fn new(region: *const [u64], modules: &'static [Module], has_keys: bool) -> Self {
        Self(Descriptor {
            abi_version: ABI_VERSION,
            module_count: modules.len() as u32,
            region: region.cast::<u64>().expose_provenance(),
            region_size: region.len() as u64 * 8,
            modules: modules.as_ptr().expose_provenance(),
            flags: if has_keys { KEYS } else { 0 },
        })
    }

    /// Returns the modules; none if another version of the linker made the descriptor.
    pub(crate) fn modules(&self) -> &[Module] {
        let Descriptor { abi_version, module_count, modules, .. } = self.0;
        if abi_version != ABI_VERSION || modules == 0 {
            return &[];
        }
        // SAFETY: the linker lays out `module_count` entries there, and they are constant.
        unsafe {
            slice::from_raw_parts(ptr::with_exposed_provenance(modules), module_count as usize)
        }
    }

    /// Returns the start of the region.
    pub(crate) fn region(&self) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.0.region)
    }

    /// Returns the length of the region in bytes, a whole number of pages.
    pub(crate) fn region_size(&self) -> usize {
        if self.0.abi_version == ABI_VERSION { self.0.region_size as usize } else { 0 }
    }

    /// Returns true if the image is a shared library, which may be unloaded.
    pub(crate) fn is_library(&self) -> bool {
        self.0.flags & LIBRARY != 0
    }

    /// Returns true if modules have tables with keys.
    pub(crate) fn has_keys(&self) -> bool {
        self.0.flags & KEYS != 0
    }

    /// Returns true if processes of the image may count in each other's files, as far as the image
    /// decides it. Keys are those of one process. What a process counted before it changes its
    /// label is not known apart in such a file.
    pub(crate) fn may_stand(&self) -> bool {
        self.0.flags & (KEYS | CHANGES_LABEL) == 0
    }

    /// Returns the addresses in the region of the arrays that threads find by a word of their own,
    /// in the order of the words.
    pub(crate) fn bases(&self) -> impl Iterator<Item = usize> + use<'_> {
        let own = |module: &&Module| module.threads & u64::from(OWN_BASE) != 0;
        self.modules().iter().filter(own).map(|module| self.0.region + module.offset as usize)
    }

    /// Returns true if there are modules that find their arrays by segment `%gs`.
    pub(crate) fn uses_segment(&self) -> bool {
        self.modules().iter().any(|module| module.threads & u64::from(IN_SEGMENT) != 0)
    }

    /// Returns the places of the modules' counters in a slot.
    pub(crate) fn places(&self) -> impl Iterator<Item = ArrayPlace> + Clone {
        self.modules().iter().map(place).filter(|place| place.is_within(self.0.region_size))
    }

    /// Returns the same places. With each place of keys, which are no counts, comes that of the
    /// counters to which they belong.
    pub(crate) fn places_and_keys(&self) -> impl Iterator<Item = (ArrayPlace, Option<ArrayPlace>)> {
        let mut places = self.places().peekable();
        core::iter::from_fn(move || {
            let place = places.next()?;
            // Keys stand before the module that they belong to.
            let counters = places.peek().copied().filter(|next| next.id.keys() == place.id);
            Some((place, counters))
        })
    }
}

/// Returns the range of a module's counters in a slot.
pub(crate) fn range(place: &ArrayPlace) -> Range<usize> {
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
            let modules =
                Box::leak(Box::new([Module { id: [0; 16], offset, counters, threads: 0 }]));
            Image::new(&REGION, modules, false).places().count()
        };
        assert_eq!(places(8, 3), 1);
        assert_eq!(
            [places(8, 4), places(4, 1), places(u64::MAX - 7, 1), places(0, u64::MAX / 4)],
            [0; 4]
        );
    }
}
