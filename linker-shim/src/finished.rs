//! A finished image, of which some bytes are changed.
//!
//! The linker lays out an image; what is changed afterwards keeps its length.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use object::LittleEndian;
use object::elf::{
    FileHeader64, PT_LOAD, ProgramHeader64, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS, SectionHeader64,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use pathformat::ModuleId;
use pathformat::descriptor::Module;
use zerocopy::FromBytes;

use crate::early;

/// Bytes to write into an image, with their offsets.
pub(crate) type Changes = Vec<(u64, Vec<u8>)>;

/// Makes changes.
///
/// # Errors
/// The file cannot be written to the end.
pub(crate) fn write(file: &File, changes: &Changes) -> io::Result<()> {
    changes.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
}

/// The error for an image that is not laid out as ours are.
pub(crate) fn unexpected() -> io::Error {
    io::Error::other("it is not laid out as expected")
}

/// Where the array of each module is in the region of the image in these bytes, by the table of
/// modules; `None` if the image has none.
pub(crate) fn arrays(data: &[u8]) -> Option<Vec<(ModuleId, u64)>> {
    let image = Image::parse(data)?;
    let early = image.early()?;
    let array = |index| {
        let Module { id, offset, .. } = image.read(entry(&early, index))?;
        Some((ModuleId(id), early.region + offset))
    };
    (0..u64::from(early.count)).map(array).collect()
}

/// Where an entry of the table of modules is.
pub(crate) fn entry(early: &early::ResolvedOperands, index: u64) -> u64 {
    early.modules + index * size_of::<Module>() as u64
}

/// The segments of an image, and its sections of code.
pub(crate) struct Image<'a> {
    data: &'a [u8],
    segments: &'a [ProgramHeader64<LittleEndian>],
    /// With their addresses. A segment that may be executed can have data, too, in which any bytes
    /// may stand.
    pub(crate) code: Vec<(u64, &'a [u8])>,
}

impl<'a> Image<'a> {
    /// Reads the headers; `None` if they are not as expected.
    pub(crate) fn parse(data: &'a [u8]) -> Option<Self> {
        let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let sections = head.sections(LittleEndian, data).ok()?;
        let is_code = |section: &&SectionHeader64<LittleEndian>| {
            let flags = section.sh_flags(LittleEndian);
            let is_stored = section.sh_type(LittleEndian) == SHT_PROGBITS;
            is_stored && flags.contains(SHF_ALLOC | SHF_EXECINSTR)
        };
        let content = |section: &SectionHeader64<LittleEndian>| {
            Some((section.sh_addr(LittleEndian), section.data(LittleEndian, data).ok()?))
        };
        let code = sections.iter().filter(is_code).filter_map(content).collect();
        Some(Self { data, segments: head.program_headers(LittleEndian, data).ok()?, code })
    }

    fn loaded(&self) -> impl Iterator<Item = &'a ProgramHeader64<LittleEndian>> {
        self.segments.iter().filter(|segment| segment.p_type(LittleEndian) == PT_LOAD)
    }

    /// The function that has the addresses of the words.
    pub(crate) fn early(&self) -> Option<early::ResolvedOperands> {
        self.code.iter().find_map(|(address, code)| early::find(code, *address))
    }

    /// The code that changes if at each address `instead` gives what takes the place of what stands
    /// there.
    pub(crate) fn code_with(
        &self,
        instead: impl Fn(&[u8], u64) -> Option<Vec<u8>>,
    ) -> Option<Changes> {
        let mut changes = Changes::new();
        for &(address, code) in &self.code {
            let new = |at: usize| Some((at, instead(&code[at..], address + at as u64)?));
            let mut changed = None;
            for (at, bytes) in (0..code.len()).filter_map(new) {
                let changed = changed.get_or_insert_with(|| code.to_vec());
                changed.get_mut(at..at + bytes.len())?.copy_from_slice(&bytes);
            }
            let start = self.place(address)?.start;
            changes.extend(changed.map(|code| (start, code)));
        }
        Some(changes)
    }

    /// From an address to the end of its segment in the file.
    pub(crate) fn place(&self, address: u64) -> Option<Range<u64>> {
        self.loaded().find_map(|segment| {
            let (start, length) = (segment.p_vaddr(LittleEndian), segment.p_filesz(LittleEndian));
            let offset = segment.p_offset(LittleEndian);
            let inside = address.checked_sub(start).filter(|&inside| inside < length)?;
            Some(offset + inside..offset + length)
        })
    }

    /// The value at an address.
    pub(crate) fn read<T: FromBytes>(&self, address: u64) -> Option<T> {
        let place = self.place(address)?;
        let bytes = self.data.get(place.start as usize..place.end as usize)?;
        T::read_from_prefix(bytes).ok().map(|(value, _)| value)
    }
}
