//! Puts the runtime's entry before that of a program which no dynamic linker prepares.
//!
//! Such a program begins without a thread pointer, and may count or be traced before the C library
//! sets one (`process/src/entry.rs`). A runtime's entry is in every executable, and goes on to
//! wherever the word beside it says. So nothing has to be known of how the program's own entry was
//! chosen: by an option, by a script or by default. What cannot be read is left as it is.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use object::LittleEndian;
use object::elf::{ET_DYN, ET_EXEC, FileHeader64, PT_INTERP, PT_LOAD, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};

use crate::content::content;

/// The signatures before the words: of the runtime that counts, and of that of traces, which is
/// entered if there is no other. The last byte that is not 0 is the version.
const SIGNATURES: [[u8; 16]; 2] = [*b"pathcc entry\x01\0\0\0", *b"pathcc traces\x01\0\0"];

/// The signature stands at a multiple of this.
const ALIGNMENT: u64 = 8;

/// Behind the signature stand the distance to the runtime's entry from here, …
const ENTRY: u64 = 16;

/// … whether the entry is to call the constructor, as four bytes, and as eight the distance from
/// there to the program's own.
const WORDS: u64 = 20;

/// Where a header says where a program begins.
const ENTRY_IN_HEADER: u64 = 24;

/// Bytes to write into an image, with their offsets.
type Changes = [(u64, Vec<u8>); 2];

/// Changes the entry of the program at `path` if it needs that. `alone` says that no C library was
/// linked in, which would call constructors.
///
/// # Errors
/// It cannot be written.
pub(crate) fn put_before(path: &Path, alone: bool) -> io::Result<()> {
    let changes = content(path).ok().and_then(|data| changes(&data, alone));
    let Some(changes) = changes else { return Ok(()) };
    let file = OpenOptions::new().write(true).open(path)?;
    changes.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
}

fn changes(data: &[u8], alone: bool) -> Option<Changes> {
    let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
    let segments = head.program_headers(LittleEndian, data).ok()?;
    let kind = head.e_type(LittleEndian);
    let prepared = segments.iter().any(|segment| segment.p_type(LittleEndian) == PT_INTERP);
    let own = head.e_entry(LittleEndian);
    if prepared || own == 0 || !(kind == ET_EXEC || kind == ET_DYN) {
        return None;
    }
    let places = |signature: &[u8; 16]| -> Vec<_> {
        segments.iter().filter_map(|segment| find(segment, data, signature)).collect()
    };
    let found = SIGNATURES.iter().map(places).find(|found| !found.is_empty())?;
    let [(place, address)] = found[..] else { return None };
    let distance =
        data.get((place + ENTRY) as usize..)?.first_chunk().copied().map(i32::from_le_bytes)?;
    let entry = (address + ENTRY).wrapping_add_signed(distance.into());
    // A static-pie is relocated by its own code, which the constructor cannot wait for.
    let starts = u32::from(alone && kind == ET_EXEC);
    let words = [&starts.to_le_bytes()[..], &own.wrapping_sub(entry).to_le_bytes()].concat();
    Some([(place + WORDS, words), (ENTRY_IN_HEADER, entry.to_le_bytes().to_vec())])
}

/// Where a signature is in a segment: in the file and in memory.
fn find(
    segment: &ProgramHeader64<LittleEndian>,
    data: &[u8],
    signature: &[u8; 16],
) -> Option<(u64, u64)> {
    if segment.p_type(LittleEndian) != PT_LOAD {
        return None;
    }
    let bytes = segment.data(LittleEndian, data).ok()?;
    let start = segment.p_vaddr(LittleEndian);
    let first = start.next_multiple_of(ALIGNMENT) - start;
    let is_there =
        |&at: &u64| bytes.get(at as usize..).is_some_and(|rest| rest.starts_with(signature));
    let at = (first..bytes.len() as u64).step_by(ALIGNMENT as usize).find(is_there)?;
    Some((segment.p_offset(LittleEndian) + at, start + at))
}
