//! Accesses to memory, as a payload holds them.

use super::body::{Source, Writer, code, decoded};
use crate::manifest::{Access, AccessKind, Address, Block, Tickets};
use crate::wire::{Error, Result, Sink};

const KINDS: [AccessKind; 6] = [
    AccessKind::Load,
    AccessKind::Store,
    AccessKind::Update,
    AccessKind::BulkLoad,
    AccessKind::BulkStore,
    AccessKind::Fence,
];

const TICKETS: [Tickets; 5] =
    [Tickets::None, Tickets::Before, Tickets::After, Tickets::Both, Tickets::Relaxed];

impl Access {
    pub(super) fn encode(&self, to: &mut Writer) {
        to.put_varint(code(&KINDS, &self.kind));
        to.put_varint(self.size);
        to.put_varint(code(&TICKETS, &self.tickets));
        to.put_optional(self.location);
        match self.address {
            Address::Recorded => to.put_varint(0),
            Address::None => to.put_varint(2),
            Address::Offset { block, access, by } => {
                to.put_varint(1);
                to.put_varint(block.into());
                to.put_varint(access.into());
                to.put_u64(by as u64);
            }
        }
    }

    /// Reads an access of a function with so many locations.
    pub(super) fn decode(from: &mut Source<'_>, locations: usize) -> Result<Self> {
        let kind = decoded(&KINDS, from.reader.varint()?, "a kind of access is unknown")?;
        let size = from.reader.varint()?;
        let tickets = decoded(&TICKETS, from.reader.varint()?, "tickets of an access are unknown")?;
        let location = from.optional()?;
        if location.is_some_and(|location| location as usize >= locations) {
            return Err(Error::Invalid("an access's location is out of range"));
        }
        let address = match from.reader.varint()? {
            0 => Address::Recorded,
            1 => Address::Offset {
                block: from.reader.varint32()?,
                access: from.reader.varint32()?,
                by: from.reader.u64()? as i64,
            },
            2 => Address::None,
            _ => return Err(Error::Invalid("where an address comes from is unknown")),
        };
        Ok(Self { kind, size, address, tickets, location })
    }
}

/// Whether each address that is computed comes from an access that exists.
pub(super) fn are_sound(blocks: &[Block]) -> bool {
    let exists = |block: u32, access: u32| {
        blocks.get(block as usize).is_some_and(|block| (access as usize) < block.accesses.len())
    };
    blocks.iter().flat_map(|block| &block.accesses).all(|access| match access.address {
        Address::Recorded | Address::None => true,
        Address::Offset { block, access, .. } => exists(block, access),
    })
}
