//! Modules whose arrays are not in the region of an image, although the image has them.
//!
//! Objects whose symbols a tool has made local, and whose names it has taken away, count in arrays
//! of their own that nobody reads. The notes of arrays have their addresses.

use object::LittleEndian;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use pathformat::ModuleId;
use pathformat::note::{self, Array};

use crate::finished;

/// The modules of an image that `ld.pathld` linked whose counters are elsewhere than it put them.
pub(crate) fn of_image(data: &[u8]) -> Vec<ModuleId> {
    let arrays = finished::arrays(data).unwrap_or_default();
    let is_elsewhere = |note: &Array| {
        arrays.iter().any(|&(id, address)| id == note.id && address != note.address as u64)
    };
    notes(data).into_iter().filter(is_elsewhere).map(|note| note.id).collect()
}

/// The content of the notes of arrays.
fn notes(data: &[u8]) -> Vec<Array> {
    let head = note::head(note::Kind::Array);
    let sections = FileHeader64::<LittleEndian>::parse(data)
        .and_then(|head| head.sections(LittleEndian, data))
        .unwrap_or_default();
    let mut found = Vec::new();
    for section in sections.iter() {
        let is_it = sections.section_name(LittleEndian, section) == Ok(note::SECTION.as_bytes());
        let content = section.data(LittleEndian, data).unwrap_or_default();
        let places = (0..content.len()).step_by(note::ALIGNMENT as usize).filter(|_| is_it);
        found.extend(places.filter_map(|at| {
            let behind = content[at..].strip_prefix(&head)?;
            let address = section.sh_addr(LittleEndian) + (at + head.len()) as u64;
            Array::decode(behind, usize::try_from(address).ok()?)
        }));
    }
    found
}
