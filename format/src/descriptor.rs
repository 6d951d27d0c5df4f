//! The descriptor of an image: the places of its counters, and their modules.
//!
//! `ld.pathld` writes it, and the runtime reads it once the image is relocated. Its symbol is
//! [`names::IMAGE`](crate::names::IMAGE); its modules are in
//! [`names::MODULES_SECTION`](crate::names::MODULES_SECTION).

use core::mem::offset_of;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Version of the layout. A runtime does not count for a descriptor of another version.
pub const ABI_VERSION: u32 = 3;

/// Flag: the image is a shared library.
pub const LIBRARY: u64 = 1;

/// Flag: modules have keys, so that a profile needs the process's map.
pub const KEYS: u64 = 2;

/// Flag: code of the image changes the label under which the process counts.
pub const CHANGES_LABEL: u64 = 4;

/// Describes the counters of an image, in its layout in memory. The linker writes it in the byte
/// order of the target, which is that of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, Immutable, IntoBytes, KnownLayout)]
pub struct Descriptor {
    /// The version of its layout.
    pub abi_version: u32,
    /// The number of modules.
    pub module_count: u32,
    /// The address of the region that holds all counters; the linker fills it in.
    pub region: usize,
    /// The length of the region in bytes, whole pages.
    pub region_size: u64,
    /// The address of the modules; the linker fills it in.
    pub modules: usize,
    /// [`LIBRARY`], [`KEYS`] and [`CHANGES_LABEL`].
    pub flags: u64,
}

impl Descriptor {
    /// The offset of the address of the region.
    pub const REGION_OFFSET: u64 = offset_of!(Self, region) as u64;

    /// The offset of the address of the modules.
    pub const MODULES_OFFSET: u64 = offset_of!(Self, modules) as u64;
}

/// One array of the region.
#[repr(C)]
#[derive(Clone, Copy, Debug, FromBytes, Immutable, IntoBytes, KnownLayout)]
pub struct Module {
    /// The identity of the module.
    pub id: [u8; 16],
    /// Its offset, in bytes from the start of the region; a multiple of eight.
    pub offset: u64,
    /// Its length in counters.
    pub counters: u64,
    /// The way its threads count, as [`Threads::code`](crate::settings::Threads::code), possibly
    /// with [`OWN_BASE`](crate::raw::OWN_BASE).
    pub threads: u64,
}

impl Module {
    /// Returns the bytes of modules, as they are in the image.
    pub fn bytes(modules: &[Self]) -> &[u8] {
        modules.as_bytes()
    }
}

/// The data behind the entry of an executable's `pthread_create` that pathcc defines. With it,
/// libraries find the registry of the process and the thread-local words that they are lent.
pub mod thread_function {
    /// The alignment of the function, so that all of the data is on its page.
    pub const ALIGNMENT: u64 = 64;

    /// The offset of the signature, in bytes from the entry.
    pub const SIGNATURE_OFFSET: u64 = 16;

    /// The signature. It ends with the version of the data that the images of a process share
    /// (`runtime/src/registry.rs`).
    pub const SIGNATURE: [u8; 16] = *b"pathcc threads\x08\0";

    /// The number of bytes of the signature that are the same in every version.
    pub const SIGNATURE_NAME: usize = 14;

    /// The offset of the distance to the registry: a signed 32-bit number, relative to its own
    /// place.
    pub const REGISTRY_OFFSET: u64 = 32;

    /// The offset of the distance of the lent words from the thread pointer: a signed 32-bit
    /// number.
    pub const WORDS_OFFSET: u64 = 36;
}

/// A thread's block of traced code and of the runtime of traces, and the common one of threads that
/// have none, [`names::TRACE_BLOCK`](crate::names::TRACE_BLOCK). All images of a process that use
/// the common block of one image find its runtime there.
pub mod trace_block {
    /// Its length in bytes.
    pub const SIZE: u64 = 32;

    /// Its alignment in bytes.
    pub const ALIGNMENT: u64 = 16;

    /// The offset, in the common block, of the distance from there to the runtime's table, which is
    /// [`names::TRACE_RUNTIME`](crate::names::TRACE_RUNTIME). An address would be known only once
    /// the image is relocated. The runtime uses the rest, which is 0 at first.
    pub const RUNTIME_OFFSET: u64 = 16;

    /// The offset, in that table, of the distance from there to the function that makes room.
    pub const ROOM_OFFSET: u64 = 8;

    /// The signature at the beginning of the table. It ends with the version of all data that the
    /// images share.
    pub const SIGNATURE: [u8; 8] = *b"traces\x04\0";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_layout() {
        let descriptor = Descriptor {
            abi_version: ABI_VERSION,
            module_count: 7,
            region: 0,
            region_size: 0x1000,
            modules: 0,
            flags: LIBRARY | KEYS,
        };
        let words = [3 | 7 << 32, 0, 0x1000, 0, 3].map(u64::to_le_bytes);
        assert_eq!(descriptor.as_bytes(), words.as_flattened());
        assert_eq!((Descriptor::REGION_OFFSET, Descriptor::MODULES_OFFSET), (8, 24));
        let module = Module { id: [9; 16], offset: 64, counters: 5, threads: 6 };
        let words = [64u64, 5, 6].map(u64::to_le_bytes);
        assert_eq!(module.as_bytes(), [&[9; 16][..], words.as_flattened()].concat());
    }
}
