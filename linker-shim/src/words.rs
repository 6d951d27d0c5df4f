//! Takes the thread-local words away from the code of an image in which threads may have other
//! thread pointers than the C library gave them.
//!
//! Code that gives them one counts without words, by atomic additions (`pass/src/options.rs`). What
//! it calls is compiled elsewhere, and reads a word where each function is entered, by two
//! instructions: one loads the word's distance from the thread pointer, which linkers have made a
//! constant unless the code may be part of a library; the other loads the word. In the finished
//! image the address of the array takes their place, or 0, by which the array is moved. Then all
//! threads count in the region, and the table of modules says so. Code that was compiled for
//! executables and linked into a library stays as it is.

use std::fs::OpenOptions;
use std::io;
use std::mem::offset_of;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use object::LittleEndian;
use object::elf::{FileHeader64, PF_X, PT_LOAD, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use pathformat::descriptor::Module;
use pathformat::raw::OWN_BASE;
use pathformat::settings::Threads;
use zerocopy::FromBytes;

use crate::content::content;
use crate::early;

/// `lea array(%rip), %r`, like `mov $distance, %r`, has so many bytes.
const FIRST: usize = 7;

/// What is to be written into an image, and where.
type Changes = Vec<(u64, Vec<u8>)>;

/// Changes the executable at `path`.
///
/// # Errors
/// It cannot be read or written, or it is not as expected.
pub(crate) fn take_away(path: &Path) -> io::Result<()> {
    let data = content(path)?;
    let changes =
        changes(&data).ok_or_else(|| io::Error::other("it is not laid out as expected"))?;
    let file = OpenOptions::new().write(true).open(path)?;
    changes.iter().try_for_each(|(at, bytes)| file.write_all_at(bytes, *at))
}

/// What tells where a word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Its distance from the thread pointer.
    Constant(i32),
    /// A variable at this address.
    Variable(u64),
}

/// What code loads, and what it shall have instead.
struct Word {
    place: Place,
    /// The address of the array, if the word has that.
    array: Option<u64>,
}

fn changes(data: &[u8]) -> Option<Changes> {
    let image = Image::parse(data)?;
    let early = image.code().find_map(|(address, code)| early::find(code, address))?;
    let mut changes = Changes::new();
    let mut words = vec![Word { place: Place::Variable(early.place), array: None }];
    let mut distance = early.distance;
    for index in 0..u64::from(early.count) {
        let entry = early.modules + index * size_of::<Module>() as u64;
        let Module { offset, threads, .. } = image.read(entry)?;
        let own = threads & u64::from(OWN_BASE) != 0;
        if own && let Some(distance) = &mut distance {
            *distance += 8;
            let array = Some(early.region + offset);
            words.push(Word { place: Place::Constant(*distance), array });
        }
        if Threads::from_code(threads as u32) == Threads::Exact && (!own || distance.is_some()) {
            let single = u64::from(Threads::Single.code()).to_le_bytes().to_vec();
            changes.push((image.place(entry + offset_of!(Module, threads) as u64)?.start, single));
        }
    }
    for (address, code) in image.code() {
        let start = image.place(address)?.start;
        let found = (0..code.len())
            .filter_map(|at| Some((at, instead(code.get(at..)?, address + at as u64, &words)?)));
        changes.extend(found.map(|(at, bytes)| (start + at as u64, bytes)));
    }
    Some(changes)
}

/// What is to take the place of the two instructions, if `code` at this address begins with them.
fn instead(code: &[u8], address: u64, words: &[Word]) -> Option<Vec<u8>> {
    let (&[rex, opcode, operand], rest) = code.split_first_chunk()?;
    let (&number, rest) = rest.split_first_chunk()?;
    let number = i32::from_le_bytes(number);
    let next = address + FIRST as u64;
    let (high, register, place) = match (rex, opcode, operand) {
        (0x48 | 0x49, 0xc7, 0xc0..=0xc7) => (rex == 0x49, operand & 7, Place::Constant(number)),
        (0x48 | 0x4c, 0x8b, _) if operand & 0xc7 == 5 => {
            (rex == 0x4c, operand >> 3, Place::Variable(next.wrapping_add_signed(number.into())))
        }
        _ => return None,
    };
    let word = words.iter().find(|word| word.place == place)?;
    // Two registers cannot be a base without more bytes.
    let both = register << 3 | register;
    let second: &[u8] = match register {
        4 => &[both, 0x24],
        5 => &[0x40 | both, 0],
        _ => &[both],
    };
    let prefix = [0x64, if high { 0x4d } else { 0x48 }, 0x8b];
    if !rest.starts_with(&[&prefix, second].concat()) {
        return None;
    }
    let nothing: &[u8] =
        if second.len() == 1 { &[0x0f, 0x1f, 0x40, 0] } else { &[0x0f, 0x1f, 0x44, 0, 0] };
    let (first, number) = match word.array {
        Some(array) => {
            let distance = i32::try_from(array.wrapping_sub(next) as i64).ok()?;
            ([if high { 0x4c } else { 0x48 }, 0x8d, register << 3 | 5], distance)
        }
        None => ([if high { 0x49 } else { 0x48 }, 0xc7, 0xc0 | register], 0),
    };
    Some([&first[..], &number.to_le_bytes(), nothing].concat())
}

/// The segments of an image.
struct Image<'a> {
    data: &'a [u8],
    segments: &'a [ProgramHeader64<LittleEndian>],
}

impl<'a> Image<'a> {
    fn parse(data: &'a [u8]) -> Option<Self> {
        let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
        Some(Self { data, segments: head.program_headers(LittleEndian, data).ok()? })
    }

    fn loaded(&self) -> impl Iterator<Item = &'a ProgramHeader64<LittleEndian>> {
        self.segments.iter().filter(|segment| segment.p_type(LittleEndian) == PT_LOAD)
    }

    /// Code, with its address.
    fn code(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let code = self.loaded().filter(|segment| segment.p_flags(LittleEndian).contains(PF_X));
        code.filter_map(|segment| {
            Some((segment.p_vaddr(LittleEndian), segment.data(LittleEndian, self.data).ok()?))
        })
    }

    /// From an address to the end of its segment in the file.
    fn place(&self, address: u64) -> Option<Range<u64>> {
        self.loaded().find_map(|segment| {
            let (start, length) = (segment.p_vaddr(LittleEndian), segment.p_filesz(LittleEndian));
            let offset = segment.p_offset(LittleEndian);
            let inside = address.checked_sub(start).filter(|&inside| inside < length)?;
            Some(offset + inside..offset + length)
        })
    }

    /// What stands at an address.
    fn read<T: FromBytes>(&self, address: u64) -> Option<T> {
        let place = self.place(address)?;
        let bytes = self.data.get(place.start as usize..place.end as usize)?;
        T::read_from_prefix(bytes).ok().map(|(value, _)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_instructions_are_replaced_in_every_register() {
        let constant = Word { place: Place::Constant(-16), array: Some(0x5000) };
        let words = [constant, Word { place: Place::Variable(0x2000), array: None }];
        let code = |bytes: &[u8]| instead(bytes, 0x1000, &words);
        // What an assembler makes of `mov $-16, %rbx; mov %fs:(%rbx), %rbx` and so on, and of what
        // takes their place.
        let rbx = [0x48, 0xc7, 0xc3, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x1b];
        assert_eq!(code(&rbx), Some(vec![0x48, 0x8d, 0x1d, 0xf9, 0x3f, 0, 0, 0x0f, 0x1f, 0x40, 0]));
        let rbp = [0x48, 0xc7, 0xc5, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x6d, 0];
        assert_eq!(
            code(&rbp),
            Some(vec![0x48, 0x8d, 0x2d, 0xf9, 0x3f, 0, 0, 0x0f, 0x1f, 0x44, 0, 0])
        );
        let r12 = [0x49, 0xc7, 0xc4, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x4d, 0x8b, 0x24, 0x24];
        assert_eq!(
            code(&r12),
            Some(vec![0x4c, 0x8d, 0x25, 0xf9, 0x3f, 0, 0, 0x0f, 0x1f, 0x44, 0, 0])
        );
        let r9 = [0x49, 0xc7, 0xc1, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x4d, 0x8b, 0x09];
        assert_eq!(code(&r9), Some(vec![0x4c, 0x8d, 0x0d, 0xf9, 0x3f, 0, 0, 0x0f, 0x1f, 0x40, 0]));
        // `mov 0x2000, %r13; mov %fs:(%r13), %r13`, where all registers become 0.
        let r13 = [0x4c, 0x8b, 0x2d, 0xf9, 0x0f, 0, 0, 0x64, 0x4d, 0x8b, 0x6d, 0];
        assert_eq!(code(&r13), Some(vec![0x49, 0xc7, 0xc5, 0, 0, 0, 0, 0x0f, 0x1f, 0x44, 0, 0]));
        let rdi = [0x48, 0x8b, 0x3d, 0xf9, 0x0f, 0, 0, 0x64, 0x48, 0x8b, 0x3f];
        assert_eq!(code(&rdi), Some(vec![0x48, 0xc7, 0xc7, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0]));
        // Another register, another distance, and too few bytes.
        assert_eq!(code(&[&rbx[..10], &[0x03]].concat()), None);
        assert_eq!(code(&[&rbx[..3], &[0xe0], &rbx[4..]].concat()), None);
        assert_eq!(code(&rbx[..10]), None);
    }
}
