//! The machine code that pathld adds to images, as the assembler translated `assembly/*.s`.
//!
//! Each function is a module with its `CODE`. Its operands that are not known yet are constants of
//! the module, each a [`Field`] of four bytes.

use anyhow::Result;
use object::RelocationFlags;
use object::elf::RelocationType;
use object::write::{Object, Relocation, SectionId, SymbolId};

include!(concat!(env!("OUT_DIR"), "/assembly.rs"));

/// The length of a field.
const LENGTH: usize = 4;

/// An operand of an instruction, which ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Where it starts in the code.
    pub(crate) offset: usize,
    r_type: RelocationType,
    addend: i64,
}

impl Field {
    const fn new(offset: usize, r_type: u32, addend: i64) -> Self {
        Self { offset, r_type: RelocationType(r_type), addend }
    }

    /// Where the instruction ends.
    pub(crate) const fn end(self) -> usize {
        self.offset + LENGTH
    }

    /// Lets the linker fill in the field of code that starts at `start` of a section.
    pub(crate) fn refer(
        self,
        object: &mut Object<'_>,
        section: SectionId,
        start: u64,
        symbol: SymbolId,
    ) -> Result<()> {
        let flags = RelocationFlags::Elf { r_type: self.r_type };
        let offset = start + self.offset as u64;
        let relocation = Relocation { offset, symbol, addend: self.addend, flags };
        Ok(object.add_relocation(section, relocation)?)
    }

    /// Fills in the field with a number.
    pub(crate) fn set(self, code: &mut [u8], value: u32) {
        code[self.offset..self.end()].copy_from_slice(&value.to_le_bytes());
    }

    /// The number in the field; `None` if the code is too short.
    pub(crate) fn get(self, code: &[u8]) -> Option<i32> {
        code.get(self.offset..)?.first_chunk().copied().map(i32::from_le_bytes)
    }

    /// Puts instructions in the place of the one that the field ends.
    pub(crate) fn replace_instruction(self, code: &mut [u8], instructions: &[u8]) {
        code[self.end() - instructions.len()..self.end()].copy_from_slice(instructions);
    }
}
