//! An access in few bytes, for another thread.
//!
//! What one thread writes and another one reads moves from cache to cache. That takes longer than
//! most of what an analysis does with an access, so that its length matters.

use pathformat::manifest::AccessKind;

use crate::ids::StackId;
use crate::order::item::{CodePlace, MemoryAccess};

/// The kinds of accesses, by their codes.
const KINDS: [AccessKind; 5] = [
    AccessKind::Load,
    AccessKind::Store,
    AccessKind::Update,
    AccessKind::BulkLoad,
    AccessKind::BulkStore,
];

/// The numbers of bits of a kind, and of a size.
const KIND: u32 = 3;
const SIZE: u32 = 13;

/// An access to few bytes: where it is, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SmallAccess {
    /// The address, the size, and the kind.
    bits: u64,
    place: CodePlace,
}

const _: () = assert!(size_of::<SmallAccess>() == 16);

impl SmallAccess {
    /// Returns the access; `None` if it is to many bytes.
    #[inline]
    pub(super) fn of(access: &MemoryAccess) -> Option<Self> {
        let MemoryAccess { address, size, kind, place, .. } = *access;
        let is_small = address >> (u64::BITS - SIZE - KIND) == 0 && size >> SIZE == 0;
        let bits = address << (SIZE + KIND) | size << KIND | kind as u64;
        (is_small && (kind as usize) < KINDS.len()).then_some(Self { bits, place })
    }

    /// Returns the access, without its stack of calls, its tickets, and whether it is atomic.
    #[inline]
    pub(super) fn access(self) -> MemoryAccess {
        let Self { bits, place } = self;
        let kind = (bits & ((1 << KIND) - 1)) as usize;
        MemoryAccess {
            address: bits >> (SIZE + KIND),
            size: bits >> KIND & ((1 << SIZE) - 1),
            kind: KINDS.get(kind).copied().unwrap_or(AccessKind::Fence),
            place,
            is_atomic: false,
            stack: StackId::NONE,
            before: 0,
            after: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::FunctionId;

    #[test]
    fn a_small_access_is_the_same_and_others_are_none() {
        let place = CodePlace { function: FunctionId(7), at: u32::MAX };
        let small = SmallAccess { bits: 0, place }.access();
        for (code, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, code);
            for address in [0, 1, 0x7fff_ffff_ffff, (1 << 48) - 1] {
                for size in [0, 1, 64, 4096, 8191] {
                    let access = MemoryAccess { address, size, kind, ..small };
                    assert_eq!(SmallAccess::of(&access).map(SmallAccess::access), Some(access));
                }
            }
        }
        let fence = MemoryAccess { kind: AccessKind::Fence, ..small };
        for large in [
            MemoryAccess { size: 8192, ..small },
            MemoryAccess { address: 1 << 48, ..small },
            MemoryAccess { address: u64::MAX, ..small },
            fence,
        ] {
            assert_eq!(SmallAccess::of(&large), None);
        }
    }
}
