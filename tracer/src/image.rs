//! A traced image: its arrays, and its event in a trace, by which the report finds it.

use core::{ptr, slice};

use pathformat::descriptor::{ABI_VERSION, Descriptor, LIBRARY, Module};
use pathformat::raw::{TRACED, WAITS};
use pathformat::trace::{NUMBERS, RecordKind, array_word};

/// The largest length of a path in an event, which is the kernel's limit.
const PATH: usize = 4096;

/// The largest number of bytes of an event.
pub(crate) const EVENT: usize = 4 + 4 + 8 + 1 + 255 + PATH;

/// The description of an image for the tracer of the process. It is all zeros at first.
#[repr(C)]
pub(crate) struct Image {
    /// The next one in the tracer's list.
    pub(crate) next: *mut Image,
    descriptor: *const Descriptor,
    displacement: usize,
    build_id: [usize; 2],
    path: [usize; 2],
    /// The first of its numbers.
    pub(crate) first: u32,
}

impl Image {
    /// An image without a description.
    pub(crate) const NONE: Self = Self {
        next: ptr::null_mut(),
        descriptor: ptr::null(),
        displacement: 0,
        build_id: [0; 2],
        path: [0; 2],
        first: 0,
    };

    /// Describes an image whose descriptor and texts stay where they are.
    pub(crate) fn describe(
        &mut self,
        descriptor: &'static Descriptor,
        displacement: usize,
        build_id: &'static [u8],
        path: &'static [u8],
    ) {
        let text = |text: &[u8]| [text.as_ptr().expose_provenance(), text.len()];
        (self.descriptor, self.displacement) = (descriptor, displacement);
        (self.build_id, self.path) = (text(build_id), text(path));
    }

    fn descriptor(&self) -> Option<&Descriptor> {
        // SAFETY: null, or the descriptor of an image that is loaded.
        unsafe { self.descriptor.as_ref() }
            .filter(|descriptor| descriptor.abi_version == ABI_VERSION)
    }

    /// Returns true if the image may be unloaded.
    pub(crate) fn is_library(&self) -> bool {
        self.descriptor().is_some_and(|descriptor| descriptor.flags & LIBRARY != 0)
    }

    /// Returns the arrays of traced modules.
    fn modules(&self) -> impl Iterator<Item = &Module> {
        let modules = self.descriptor().map_or(&[][..], |descriptor| {
            let first: *const Module = ptr::with_exposed_provenance(descriptor.modules);
            // SAFETY: the linker lays out `module_count` entries there, and they are constant.
            unsafe { slice::from_raw_parts(first, descriptor.module_count as usize) }
        });
        modules
            .iter()
            .filter(|module| module.threads & u64::from(TRACED) != 0 && module.counters > 0)
    }

    /// Returns true if the image itself begins recording.
    pub(crate) fn waits(&self) -> bool {
        self.modules().any(|module| module.threads & u64::from(WAITS) != 0)
    }

    /// Returns the number of numbers that the image takes.
    pub(crate) fn numbers(&self) -> u64 {
        self.modules().map(|module| module.offset / 8 + module.counters).max().unwrap_or(0)
    }

    /// Writes the numbers of the arrays into them, from the image's first number on.
    pub(crate) fn set_numbers(&self) {
        let region = self.descriptor().map_or(0, |descriptor| descriptor.region);
        for module in self.modules() {
            let number = self.first.wrapping_add((module.offset / 8) as u32);
            let place = ptr::with_exposed_provenance_mut::<u64>(region + module.offset as usize);
            // SAFETY: this is the first word of an array of the image.
            unsafe { place.write_volatile(array_word(number, module.counters)) };
        }
    }

    /// Gives the image numbers that no other image of the process has.
    pub(crate) fn hide(&mut self) {
        self.first = (NUMBERS.saturating_sub(self.numbers())) as u32;
        self.set_numbers();
    }

    /// Writes the event that describes the image. Returns its length.
    pub(crate) fn event(&self, event: &mut [u8; EVENT]) -> usize {
        // SAFETY: these are texts of an image that is loaded, from its description.
        let text = |[start, length]: [usize; 2], most: usize| unsafe {
            slice::from_raw_parts(ptr::with_exposed_provenance(start), length.min(most))
        };
        let [build_id, path] = if self.descriptor.is_null() {
            [&[][..]; 2]
        } else {
            [text(self.build_id, 255), text(self.path, PATH)]
        };
        let length = 4 + 8 + 1 + build_id.len() + path.len();
        let parts = [
            &RecordKind::Image.word(length as u32).to_le_bytes()[..],
            &self.first.to_le_bytes(),
            &(self.displacement as u64).to_le_bytes(),
            &[build_id.len() as u8],
            build_id,
            path,
        ];
        let mut end = 0;
        for part in parts {
            if let Some(place) = event.get_mut(end..end + part.len()) {
                place.copy_from_slice(part);
                end += part.len();
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_learn_their_numbers() {
        let region = Box::leak(Box::new([0u64; 64]));
        let module = |offset, counters, threads| Module { id: [1; 16], offset, counters, threads };
        let traced = u64::from(TRACED);
        let modules = Box::leak(Box::new([
            module(0, 8, 0),
            module(64, 3, traced),
            module(128, 0, traced),
            module(128, 40, traced | 1),
        ]));
        let descriptor = Box::leak(Box::new(Descriptor {
            abi_version: ABI_VERSION,
            module_count: modules.len() as u32,
            region: region.as_mut_ptr().expose_provenance(),
            region_size: 64,
            modules: modules.as_ptr().expose_provenance(),
            flags: LIBRARY,
        }));
        let mut image = Image::NONE;
        assert_eq!((image.numbers(), image.is_library()), (0, false));
        image.describe(descriptor, 0x1000, &[7; 20], b"/bin/demo");
        assert_eq!((image.numbers(), image.is_library()), (56, true));
        assert!(!image.waits());
        image.first = 100;
        image.set_numbers();
        let [first, second] = [array_word(108, 3), array_word(116, 40)];
        assert_eq!([region[0], region[8], region[9], region[16]], [0, first, 0, second]);
        let mut event = [0; EVENT];
        let length = image.event(&mut event);
        let expected = [
            &[42 << 1 | 1, 0, 0, 0x81, 100, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 20][..],
            &[7; 20],
            b"/bin/demo",
        ];
        assert_eq!(event[..length], expected.concat());
    }
}
