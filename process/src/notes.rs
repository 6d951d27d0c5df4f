//! The ELF notes of an image: in memory, at the addresses in its program headers, or in its file.

use core::ops::Range;
use core::slice;

use linux_raw_sys::elf_uapi::{PT_LOAD, PT_NOTE};
pub use linux_raw_sys::elf_uapi::{elf64_hdr as FileHead, elf64_phdr as Segment};

use crate::sys::File;

/// The number of words in the head of a file.
const HEAD_WORDS: usize = size_of::<FileHead>() / size_of::<u64>();

/// The largest number of words that are read of a section or segment of notes in a file.
const LONGEST_NOTES: usize = 128;

/// The type of a section with notes, which the kernel's headers leave out.
const SHT_NOTE: u32 = 7;

/// The type of a note with a build-id, which the kernel's headers leave out.
const NT_GNU_BUILD_ID: u32 = 3;

/// The alignment of the parts of notes.
const ALIGNMENT: usize = 4;

/// Returns the addresses at which a segment is loaded, if it is.
pub fn loaded(segment: &Segment) -> Option<Range<usize>> {
    let start = segment.p_vaddr as usize;
    (segment.p_type == PT_LOAD).then_some(start..start.wrapping_add(segment.p_memsz as usize))
}

/// A note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note<'a> {
    /// The type of the note, one of its owner's types.
    pub kind: u32,
    /// The owner, with the NUL that closes the name.
    pub owner: &'a [u8],
    /// The content.
    pub content: &'a [u8],
}

/// Returns the distance of an image from the addresses in its file; 0 if it has no mapped head.
/// `head` is the mapped head of its file.
///
/// # Safety
/// As for [`build_id_of`].
pub unsafe fn displacement_of(head: *const FileHead) -> usize {
    // SAFETY: the caller vouches for it.
    unsafe { image_of(head) }.map_or(0, |(displacement, _)| displacement)
}

/// Returns the build-id of an image; empty if it has none. `head` is the mapped head of its file.
///
/// # Safety
/// `head` must be null or the start of an image, mapped as its program headers say for as long as
/// the result is used.
pub unsafe fn build_id_of(head: *const FileHead) -> &'static [u8] {
    // SAFETY: the caller vouches for it. Notes are in a loaded segment, at the same distance from
    // the head as in the addresses.
    unsafe {
        image_of(head)
            .map_or(&[], |(displacement, segments)| build_id(notes(displacement, segments)))
    }
}

/// Returns true if the kernel executed the file of an image: `headers` is where the kernel says
/// that the program headers of the executed file are.
///
/// # Safety
/// As for [`build_id_of`].
pub unsafe fn is_executed(head: *const FileHead, headers: u64) -> bool {
    // SAFETY: the caller vouches for it.
    unsafe { image_of(head) }.is_some_and(|(_, segments)| segments.as_ptr() as u64 == headers)
}

/// Returns the addresses from the head of an image to its end; none if it has no mapped head.
///
/// # Safety
/// As for [`build_id_of`].
pub unsafe fn place_of(head: *const FileHead) -> Range<usize> {
    // SAFETY: the caller vouches for it.
    let Some((displacement, segments)) = (unsafe { image_of(head) }) else { return 0..0 };
    let ends = segments.iter().filter_map(loaded).map(|of| displacement.wrapping_add(of.end));
    head as usize..ends.max().unwrap_or_default()
}

/// Returns the distance of an image from the addresses in its file, and its segments.
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

/// Returns the content of the first note with a build-id; empty if there is none.
pub fn build_id<'a>(mut notes: impl Iterator<Item = Note<'a>>) -> &'a [u8] {
    let found = notes.find(|note| note.kind == NT_GNU_BUILD_ID && note.owner == b"GNU\0");
    found.map_or(&[], |note| note.content)
}

/// Returns the entry point of the image in a file, as an address in the file; `None` if the file is
/// no image.
pub fn entry_in_file(file: &File) -> Option<u64> {
    let words = head_of(file)?;
    Some(words[3])
}

/// Returns the words of the head of the image in a file.
fn head_of(file: &File) -> Option<[u64; HEAD_WORDS]> {
    let mut words = [0; HEAD_WORDS];
    file.read_words_at(&mut words, 0);
    words[0].to_le_bytes().starts_with(b"\x7fELF\x02").then_some(words)
}

/// Writes the build-id of the image in a file to the front of `buffer`, cut if the buffer is too
/// short. Returns its length, or `None` if the file is no image. The build-id is found by the
/// program headers, or else by the sections, since a linker script may leave out the headers.
pub fn build_id_in_file(file: &File, buffer: &mut [u8]) -> Option<usize> {
    let words = head_of(file)?;
    // `e_phoff`, `e_shoff`; `e_phentsize`, `e_phnum`, `e_shentsize` and `e_shnum`.
    let halves = [words[6], words[7]].map(|word| word.to_le_bytes());
    let half = |at: usize| {
        let pair = halves.as_flattened().get(at..at + 2).and_then(|pair| pair.first_chunk());
        pair.map_or(0, |pair| u16::from_le_bytes(*pair))
    };
    let headers =
        Table { start: words[4], entry: half(6), count: half(8), kind: PT_NOTE, bit: 0, place: 1 };
    let sections = Table {
        start: words[5],
        entry: half(10),
        count: half(12),
        kind: SHT_NOTE,
        bit: 32,
        place: 3,
    };
    let found = headers.build_id(file, buffer).or_else(|| sections.build_id(file, buffer));
    Some(found.unwrap_or(0))
}

/// A table in a file, some entries of which describe notes.
struct Table {
    /// The offset of its start.
    start: u64,
    /// The length of an entry.
    entry: u16,
    /// The number of entries.
    count: u16,
    /// The type of the entries for notes, and its first bit in the first word of an entry.
    kind: u32,
    bit: u32,
    /// The index of the word with the place of the notes.
    place: usize,
}

/// The index of the word with the number of bytes, in the entries of both tables.
const SIZE: usize = 4;

impl Table {
    /// Writes the first build-id in the notes to the front of `buffer`. Returns its length.
    fn build_id(&self, file: &File, buffer: &mut [u8]) -> Option<usize> {
        (0..u64::from(self.count)).find_map(|index| {
            let mut entry = [0; SIZE + 1];
            file.read_words_at(&mut entry, self.start.wrapping_add(index * u64::from(self.entry)));
            let word = |at: usize| entry.get(at).copied().unwrap_or_default();
            if (word(0) >> self.bit) as u32 != self.kind {
                return None;
            }
            let mut content = [0; LONGEST_NOTES];
            let read = file.read_words_at(&mut content, word(self.place));
            let length = (word(SIZE) as usize).min(read * size_of::<u64>());
            let content = content.map(u64::to_ne_bytes);
            let found = build_id(in_segment(content.as_flattened().get(..length)?));
            let length = found.len().min(buffer.len());
            buffer.get_mut(..length)?.copy_from_slice(found.get(..length)?);
            (length > 0).then_some(length)
        })
    }
}

/// Returns the loaded notes of an image that is moved from its addresses by `base`.
///
/// # Safety
/// The image must be mapped as its program headers say for as long as the result is used.
pub unsafe fn notes<'a>(
    base: usize,
    segments: &'a [Segment],
) -> impl Iterator<Item = Note<'a>> + Clone {
    let of_notes = segments.iter().filter(|segment| segment.p_type == PT_NOTE);
    of_notes.filter_map(|segment| address(segment, segments)).flat_map(move |(address, length)| {
        let start = base.wrapping_add(address) as *const u8;
        // SAFETY: the bytes are in a loaded segment, for which the caller vouches.
        in_segment(unsafe { slice::from_raw_parts(start, length) })
    })
}

/// Returns the address in the file at which a segment's bytes are loaded, and their number; `None`
/// if they are not loaded. The segment's own address is not used: `strip -R` writes zero there when
/// it removes the first note of several.
fn address(segment: &Segment, segments: &[Segment]) -> Option<(usize, usize)> {
    segments.iter().filter(|loaded| loaded.p_type == PT_LOAD).find_map(|loaded| {
        let within = segment.p_offset.checked_sub(loaded.p_offset)?;
        let is_loaded = within.checked_add(segment.p_filesz)? <= loaded.p_filesz;
        let address = loaded.p_vaddr.wrapping_add(within) as usize;
        is_loaded.then_some((address, segment.p_filesz as usize))
    })
}

/// Iterates over the notes of a segment. Their parts begin at multiples of four; a note with a
/// wider alignment has zeros before it. A segment does not state the alignment of its notes: mold
/// puts both kinds into one.
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

/// Returns the first note, and the bytes that follow it.
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
    fn the_notes_of_a_file_are_found_by_headers_or_sections() {
        unsafe extern "C" {
            #[link_name = "__ehdr_start"]
            static HEAD: FileHead;
        }
        // SAFETY: as above.
        let id = unsafe { build_id_of(&raw const HEAD) };
        let own = std::env::current_exe().expect("Linux has /proc");
        let mut bytes = std::fs::read(own).expect("readable");
        let copy = std::env::temp_dir().join(format!("pathrt-notes-{}", std::process::id()));
        let found = |bytes: &[u8]| {
            std::fs::write(&copy, bytes).expect("writable");
            let path = std::ffi::CString::new(copy.as_os_str().as_encoded_bytes()).expect("a path");
            let mut buffer = [0; 64];
            let length = build_id_in_file(&File::open(&path).expect("there"), &mut buffer);
            length.map(|length| buffer[..length].to_vec())
        };
        assert_eq!(found(&bytes).as_deref(), Some(id));
        // Without program headers, and then without sections.
        bytes[56..58].fill(0);
        assert_eq!(found(&bytes).as_deref(), Some(id));
        bytes[60..62].fill(0);
        assert_eq!(found(&bytes).as_deref(), Some(&[][..]));
        assert_eq!(found(b"#!/bin/sh"), None);
        assert_eq!(found(b""), None);
        std::fs::remove_file(copy).expect("ours");
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
    fn notes_are_where_their_bytes_are_loaded() {
        let mut image = vec![0; 0x100];
        image.extend(note(3, b"GNU\0", &[1, 2, 3, 4], 4));
        let length = image.len() as u64 - 0x100;
        let segment = |p_type, p_offset, p_vaddr, size| Segment {
            p_type,
            p_flags: 0,
            p_offset,
            p_vaddr,
            p_paddr: 0,
            p_filesz: size,
            p_memsz: size,
            p_align: 4,
        };
        // The file from 0x1000 on is at address 0x400000, which is moved to the start of `image`.
        let base = (image.as_ptr() as usize).wrapping_sub(0x40_0000);
        let found = |offset, address, size, loaded| {
            let segments = [
                segment(PT_NOTE, offset, address, size),
                segment(PT_LOAD, 0x1000, 0x40_0000, loaded),
            ];
            // SAFETY: the loaded bytes are in `image`.
            build_id(unsafe { notes(base, &segments) }).to_vec()
        };
        for address in [0x40_0100, 0] {
            assert_eq!(found(0x1100, address, length, 0x100 + length), [1, 2, 3, 4]);
            // Before, behind and beyond the loaded bytes.
            assert_eq!(found(0x100, address, length, 0x100 + length), []);
            assert_eq!(found(0x2100, address, length, 0x100 + length), []);
            assert_eq!(found(0x1100, address, u64::MAX, 0x100 + length), []);
            assert_eq!(found(0x1100, address, length, 0xff + length), []);
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
