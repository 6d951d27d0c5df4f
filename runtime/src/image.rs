//! The descriptor of an image's counters, as the linker made it.
//!
//! Must match `linker-shim/src/module.rs`, which writes the descriptor.

use core::slice;

/// The layout version that this runtime reads.
const ABI_VERSION: u32 = 1;

/// Describes the counters of an image. All fields are constant once the image is relocated.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Image {
    abi_version: u32,
    module_count: u32,
    region: *const u64,
    region_size: u64,
    modules: *const Module,
    reserved: u64,
}

/// One counter array in the region.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Module {
    /// Which module.
    pub(crate) id: [u8; 16],
    /// Where its array starts, in bytes from the start of the region; a multiple of eight.
    pub(crate) offset: u64,
    /// Length of the array in counters.
    pub(crate) counters: u64,
}

impl Image {
    /// Describes a region in a test's memory.
    #[cfg(test)]
    pub(crate) fn new(region: &'static [u64], modules: &'static [Module]) -> Self {
        Self {
            abi_version: ABI_VERSION,
            module_count: modules.len() as u32,
            region: region.as_ptr(),
            region_size: size_of_val(region) as u64,
            modules: modules.as_ptr(),
            reserved: 0,
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

    /// The first counter of a module; `None` if the array would leave the region.
    pub(crate) fn array(&self, module: &Module) -> Option<*const u64> {
        let end = module.counters.checked_mul(8)?.checked_add(module.offset)?;
        if end > self.region_size || !module.offset.is_multiple_of(8) {
            return None;
        }
        // SAFETY: the offset lies within the region, as just checked.
        Some(unsafe { self.region.byte_add(module.offset as usize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_never_leaves_the_region() {
        static REGION: [u64; 4] = [0; 4];
        let image = Image::new(&REGION, &[]);
        let array = |offset, counters| image.array(&Module { id: [0; 16], offset, counters });
        assert!(array(8, 3).is_some());
        assert!(array(8, 4).is_none() && array(4, 1).is_none() && array(u64::MAX - 7, 1).is_none());
        assert!(array(0, u64::MAX / 4).is_none());
    }
}
