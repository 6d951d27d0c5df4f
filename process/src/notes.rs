//! The ELF notes of an image, as its program headers say where they are in memory.

use core::ops::Range;
use core::slice;

use linux_raw_sys::elf_uapi::{PT_LOAD, PT_NOTE};
pub use linux_raw_sys::elf_uapi::{elf64_hdr as FileHead, elf64_phdr as Segment};

/// The kind of a note with a build-id; the kernel's headers leave it out.
const NT_GNU_BUILD_ID: u32 = 3;

/// Parts of notes begin at multiples of this.
const ALIGNMENT: usize = 4;

/// The addresses at which a segment is loaded, if it is.
pub fn loaded(segment: &Segment) -> Option<Range<usize>> {
    let start = segment.p_vaddr as usize;
    (segment.p_type == PT_LOAD).then_some(start..start.wrapping_add(segment.p_memsz as usize))
}

/// A note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// Which of its owner's kinds of note it is.
    pub kind: u32,
    /// Whose it is, with the NUL that closes the name.
    pub owner: &'a [u8],
    /// What it says.
    pub content: &'a [u8],
}

/// How far the image is from the addresses in its file whose mapped file head this is; 0 if it has
/// none.
///
/// # Safety
/// As for [`build_id_of`].
pub unsafe fn displacement_of(head: *const FileHead) -> usize {
    // SAFETY: the caller vouches for it.
    unsafe { image_of(head) }.map_or(0, |(displacement, _)| displacement)
}

/// The build-id of the image whose mapped file head this is; empty if it has none.
///
/// # Safety
/// `head` must be null or the start of an image, mapped as its program headers say for as long as
/// the result is used.
pub unsafe fn build_id_of(head: *const FileHead) -> &'static [u8] {
    // SAFETY: the caller vouches for it; notes are in a loaded segment, at the same distance from
    // the head as in the addresses.
    unsafe {
        image_of(head)
            .map_or(&[], |(displacement, segments)| build_id(notes(displacement, segments)))
    }
}

/// How far an image is from the addresses in its file, and its segments.
///
/// # Safety
/// As for [`build_id_of`].
unsafe fn image_of(head: *const FileHead) -> Option<(usize, &'static [Segment])> {
    // SAFETY: a non-null head is mapped, as the caller vouches.
    let file = unsafe { head.as_ref() }?;
    if !file.e_ident.starts_with(b"\x7fELF\x02")
        || usize::from(file.e_phentsize) != size_of::<Segment>()
    {
        return None;
    }
    // SAFETY: the linker defines the symbol of the head only if the program headers are mapped
    // behind it.
    let segments = unsafe {
        slice::from_raw_parts(
            head.byte_add(file.e_phoff as usize).cast::<Segment>(),
            usize::from(file.e_phnum),
        )
    };
    let first =
        segments.iter().find(|segment| segment.p_type == PT_LOAD && segment.p_offset == 0)?;
    Some(((head as usize).wrapping_sub(first.p_vaddr as usize), segments))
}

/// The content of the first note with a build-id; empty if there is none.
pub fn build_id<'a>(mut notes: impl Iterator<Item = Note<'a>>) -> &'a [u8] {
    let found = notes.find(|note| note.kind == NT_GNU_BUILD_ID && note.owner == b"GNU\0");
    found.map_or(&[], |note| note.content)
}

/// The notes of an image that is moved from its addresses by `base`.
///
/// # Safety
/// The image must be mapped as its program headers say for as long as the result is used.
pub unsafe fn notes<'a>(
    base: usize,
    segments: &'a [Segment],
) -> impl Iterator<Item = Note<'a>> + Clone {
    segments.iter().filter(|segment| segment.p_type == PT_NOTE).flat_map(move |segment| {
        let start = base.wrapping_add(segment.p_vaddr as usize) as *const u8;
        // SAFETY: the caller vouches for it.
        let bytes = unsafe { slice::from_raw_parts(start, segment.p_memsz as usize) };
        in_segment(bytes)
    })
}

/// The notes of a segment. Their parts begin at multiples of four; what is wider aligned has zeros
/// before it. A segment does not tell which notes those are: mold puts both kinds into one.
fn in_segment(bytes: &[u8]) -> impl Iterator<Item = Note<'_>> + Clone {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        while let Some(behind) = rest.strip_prefix(&[0; ALIGNMENT]) {
            rest = behind;
        }
        let (note, behind) = first(rest)?;
        rest = behind;
        Some(note)
    })
}

/// The first note, and what follows it.
fn first(bytes: &[u8]) -> Option<(Note<'_>, &[u8])> {
    let word =
        |at: usize| bytes.get(at..at + 4)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let (name_size, size, kind) = (word(0)?, word(4)?, word(8)?);
    let owner = bytes.get(12..12 + name_size as usize)?;
    let start = (12 + owner.len()).next_multiple_of(ALIGNMENT);
    let content = bytes.get(start..start + size as usize)?;
    let behind =
        bytes.get((start + content.len()).next_multiple_of(ALIGNMENT)..).unwrap_or_default();
    Some((Note { kind, owner, content }, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], content: &[u8], align: usize) -> Vec<u8> {
        let mut bytes =
            [name.len() as u32, content.len() as u32, kind].map(u32::to_le_bytes).concat();
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
        let id = unsafe { build_id_of(&raw const HEAD) };
        assert!([0, 8, 16, 20].contains(&id.len()), "{id:?}");
        // SAFETY: null is allowed.
        assert!(unsafe { build_id_of(core::ptr::null()) }.is_empty());
    }

    #[test]
    fn the_build_id_is_found_among_other_notes() {
        for aligns in [[4; 3], [8; 3], [8, 4, 4], [4, 8, 4]] {
            let mut notes = note(1, b"GNU\0", &[9; 16], aligns[0]);
            notes.extend(note(3, b"Go\0", b"not this one", aligns[1]));
            notes.extend(note(3, b"GNU\0", &[1, 2, 3], aligns[2]));
            assert_eq!(build_id(in_segment(&notes)), [1, 2, 3], "{aligns:?}");
        }
    }

    #[test]
    fn damaged_notes_have_no_build_id() {
        let notes = note(3, b"GNU\0", &[7; 20], 4);
        for length in 0..notes.len() {
            assert_eq!(in_segment(&notes[..length]).next(), None, "cut at {length}");
        }
        assert_eq!(in_segment(&[0xff; 64]).next(), None);
    }
}
