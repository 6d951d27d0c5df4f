//! The build-id in the ELF notes of the image that this copy of the runtime is linked into.

use core::slice;

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const NT_GNU_BUILD_ID: u32 = 3;

/// The head of an ELF file, as far as it is looked at.
#[repr(C)]
pub(crate) struct FileHead {
    magic: [u8; 16],
    types: [u32; 2],
    entry: u64,
    segments_offset: u64,
    sections_offset: u64,
    flags: u32,
    head_size: u16,
    segment_size: u16,
    segment_count: u16,
}

/// An entry of the program header table.
#[repr(C)]
struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    physical: u64,
    file_size: u64,
    memory_size: u64,
    align: u64,
}

/// The build-id of the image whose mapped file head this is; empty if it has none.
///
/// # Safety
/// `head` must be null or the start of this very image, mapped as its program headers say.
pub(crate) unsafe fn build_id(head: *const FileHead) -> &'static [u8] {
    // SAFETY: a non-null head is mapped for as long as this code is.
    let Some(file) = (unsafe { head.as_ref() }) else { return &[] };
    if !file.magic.starts_with(b"\x7fELF\x02") || usize::from(file.segment_size) != size_of::<Segment>() {
        return &[];
    }
    // SAFETY: the linker defines the symbol of the head only if the program headers are mapped behind it.
    let segments = unsafe {
        slice::from_raw_parts(
            head.byte_add(file.segments_offset as usize).cast::<Segment>(),
            usize::from(file.segment_count),
        )
    };
    let Some(first) = segments.iter().find(|segment| segment.kind == PT_LOAD && segment.offset == 0) else {
        return &[];
    };
    for notes in segments.iter().filter(|segment| segment.kind == PT_NOTE) {
        // SAFETY: notes are in a loaded segment, at the same distance from the head as in the addresses.
        let bytes = unsafe {
            let start = head.byte_offset(notes.address.wrapping_sub(first.address) as isize);
            slice::from_raw_parts(start.cast::<u8>(), notes.memory_size as usize)
        };
        if let Some(id) = build_id_note(bytes, notes.align) {
            return id;
        }
    }
    &[]
}

/// The content of the build-id note among the notes of a segment.
fn build_id_note(mut notes: &[u8], align: u64) -> Option<&[u8]> {
    let align = if align == 8 { 8 } else { 4 };
    let word = |bytes: &[u8], at: usize| bytes.get(at..at + 4)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    loop {
        let (name_size, size, kind) = (word(notes, 0)?, word(notes, 4)?, word(notes, 8)?);
        let content = (12 + name_size as usize).next_multiple_of(align);
        let end = content + size as usize;
        if kind == NT_GNU_BUILD_ID && notes.get(12..12 + name_size as usize)? == b"GNU\0" {
            return notes.get(content..end);
        }
        notes = notes.get(end.next_multiple_of(align)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], content: &[u8], align: usize) -> Vec<u8> {
        let mut bytes = [name.len() as u32, content.len() as u32, kind].map(u32::to_le_bytes).concat();
        bytes.extend(name);
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        bytes.extend(content);
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        bytes
    }

    #[test]
    fn the_notes_of_this_program_are_found() {
        unsafe extern "C" {
            #[link_name = "__ehdr_start"]
            static HEAD: FileHead;
        }
        // SAFETY: the linker defines the symbol as the head of this program.
        let id = unsafe { build_id(&raw const HEAD) };
        assert!([0, 8, 16, 20].contains(&id.len()), "{id:?}");
        // SAFETY: null is allowed.
        assert!(unsafe { build_id(core::ptr::null()) }.is_empty());
    }

    #[test]
    fn the_build_id_is_found_among_other_notes() {
        for align in [4, 8] {
            let mut notes = note(1, b"GNU\0", &[9; 16], align);
            notes.extend(note(3, b"Go\0", b"not this one", align));
            notes.extend(note(3, b"GNU\0", &[1, 2, 3], align));
            assert_eq!(build_id_note(&notes, align as u64), Some(&[1, 2, 3][..]));
        }
    }

    #[test]
    fn damaged_notes_have_no_build_id() {
        let notes = note(3, b"GNU\0", &[7; 20], 4);
        for length in 0..notes.len() {
            assert_eq!(build_id_note(&notes[..length], 4), None, "cut at {length}");
        }
        assert_eq!(build_id_note(&[0xff; 64], 4), None);
    }
}
