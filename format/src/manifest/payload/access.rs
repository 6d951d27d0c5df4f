//! The encoding of accesses to memory in a payload.

use super::body::{Source, Writer, code, decoded};
use crate::manifest::{Access, AccessKind, Address, Block, Stride, Tickets};
use crate::wire::{Error, Result, Sink};

impl Access {
    pub(super) fn encode(&self, to: &mut Writer) {
        to.put_varint(code(&AccessKind::ALL, &self.kind));
        to.put_varint(self.size);
        to.put_varint(code(&Tickets::ALL, &self.tickets));
        to.put_optional(self.location);
        match self.address {
            Address::Recorded => to.put_varint(0),
            Address::None => to.put_varint(2),
            Address::Variable { variable, by } => {
                to.put_varint(4);
                to.put_varint(variable.into());
                to.put_u64(by as u64);
            }
            Address::Offset { block, access, by } => {
                to.put_varint(1);
                to.put_varint(block.into());
                to.put_varint(access.into());
                to.put_u64(by as u64);
            }
            Address::Moving { block, access, by, header, stride } => {
                to.put_varint(3);
                to.put_varint(block.into());
                to.put_varint(access.into());
                to.put_u64(by as u64);
                to.put_varint(header.into());
                match stride {
                    Stride::Constant(bytes) => {
                        to.put_varint(0);
                        to.put_u64(bytes as u64);
                    }
                    Stride::Recorded { block, access } => {
                        to.put_varint(1);
                        to.put_varint(block.into());
                        to.put_varint(access.into());
                    }
                }
            }
        }
    }

    /// Reads an access of a function with `locations` locations.
    pub(super) fn decode(from: &mut Source<'_>, locations: usize) -> Result<Self> {
        let kind = decoded(&AccessKind::ALL, from.reader.varint()?, "a kind of access is unknown")?;
        let size = from.reader.varint()?;
        let tickets =
            decoded(&Tickets::ALL, from.reader.varint()?, "tickets of an access are unknown")?;
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
            3 => Address::Moving {
                block: from.reader.varint32()?,
                access: from.reader.varint32()?,
                by: from.reader.u64()? as i64,
                header: from.reader.varint32()?,
                stride: stride(from)?,
            },
            4 => Address::Variable {
                variable: from.reader.varint32()?,
                by: from.reader.u64()? as i64,
            },
            _ => return Err(Error::Invalid("where an address comes from is unknown")),
        };
        Ok(Self { kind, size, address, tickets, location })
    }
}

fn stride(from: &mut Source<'_>) -> Result<Stride> {
    Ok(match from.reader.varint()? {
        0 => Stride::Constant(from.reader.u64()? as i64),
        1 => Stride::Recorded { block: from.reader.varint32()?, access: from.reader.varint32()? },
        _ => return Err(Error::Invalid("a stride is unknown")),
    })
}

/// Returns true if each computed address is based on an access that exists.
pub(super) fn are_sound(blocks: &[Block]) -> bool {
    let exists = |block: u32, access: u32| {
        blocks.get(block as usize).is_some_and(|block| (access as usize) < block.accesses.len())
    };
    blocks.iter().flat_map(|block| &block.accesses).all(|access| match access.address {
        Address::Recorded | Address::None | Address::Variable { .. } => true,
        Address::Offset { block, access, .. } => exists(block, access),
        Address::Moving { block, access, header, stride, .. } => {
            let is_stride_sound = match stride {
                Stride::Constant(_) => true,
                Stride::Recorded { block, access } => exists(block, access),
            };
            exists(block, access) && (header as usize) < blocks.len() && is_stride_sound
        }
    })
}
