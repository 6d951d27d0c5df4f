//! Changes how the code of a finished image reads its thread-local words.
//!
//! A word is read where a function is entered, by two instructions: one loads the word's distance
//! from the thread pointer, the other loads the word. Only so can an object be part of an
//! executable and of a library. In an executable linkers have made the distance a constant, and two
//! things can be done:
//!
//! * **Words are read at once**, by one instruction in place of the two.
//! * **Words are taken away** where threads may have other thread pointers than the C library gave
//!   them. Code that gives them one counts without words, by atomic additions
//!   (`pass/src/options.rs`), but what it calls is compiled elsewhere. The address of the array
//!   takes the place of the two instructions, or 0, by which the array is moved. Then all threads
//!   count in the region, and the table of modules says so. Code that was compiled for executables
//!   and linked into a library stays as it is.

use std::fs::OpenOptions;
use std::io;
use std::mem::offset_of;
use std::path::Path;

use pathformat::descriptor::Module;
use pathformat::raw::OWN_BASE;
use pathformat::settings::Threads;

use crate::content::content;
use crate::finished::{self, Changes, Image, entry, write};

/// The length of `lea array(%rip), %r`, and of `mov $distance, %r`.
const FIRST: usize = 7;

/// A prefix that changes nothing but the length of an instruction on 64 bits.
const DATA16: u8 = 0x66;

/// Takes the words away from the code of the executable at `path`.
///
/// # Errors
/// It cannot be read or written, or it is not as expected.
pub(crate) fn take_away(path: &Path) -> io::Result<()> {
    let changes = Image::parse(&content(path)?).and_then(|image| without_words(&image));
    let changes = changes.ok_or_else(finished::unexpected)?;
    write(&OpenOptions::new().write(true).open(path)?, &changes)
}

/// Lets the code of the executable at `path` read its words at once, if linkers have made their
/// distances constants. A file that cannot be opened, as `/dev/null`, stays as it is.
///
/// # Errors
/// It cannot be written to the end.
pub(crate) fn read_at_once(path: &Path) -> io::Result<()> {
    let Ok(data) = content(path) else { return Ok(()) };
    let changes = Image::parse(&data).and_then(|image| with_words_at_once(&image));
    match (changes, OpenOptions::new().write(true).open(path)) {
        (Some(changes), Ok(file)) => write(&file, &changes),
        _ => Ok(()),
    }
}

/// Where code finds a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordLocation {
    /// Its distance from the thread pointer.
    Constant(i32),
    /// A variable at this address.
    Variable(u64),
}

/// A word that code loads, and the address that replaces it.
struct Word {
    place: WordLocation,
    /// The address of the array, if the word has that.
    array: Option<u64>,
}

fn without_words(image: &Image<'_>) -> Option<Changes> {
    let early = image.early()?;
    let mut changes = Changes::new();
    let mut words = vec![Word { place: WordLocation::Variable(early.place), array: None }];
    let mut distance = early.distance;
    for index in 0..u64::from(early.count) {
        let entry = entry(&early, index);
        let Module { offset, threads, .. } = image.read(entry)?;
        let own = threads & u64::from(OWN_BASE) != 0;
        if own && let Some(distance) = &mut distance {
            *distance += 8;
            let array = Some(early.region + offset);
            words.push(Word { place: WordLocation::Constant(*distance), array });
        }
        if Threads::from_code(threads as u32) == Threads::Exact && (!own || distance.is_some()) {
            let single = u64::from(Threads::Single.code()).to_le_bytes().to_vec();
            changes.push((image.place(entry + offset_of!(Module, threads) as u64)?.start, single));
        }
    }
    changes.extend(image.code_with(|code, address| without_word(code, address, &words))?);
    Some(changes)
}

fn with_words_at_once(image: &Image<'_>) -> Option<Changes> {
    let early = image.early()?;
    let first = early.distance?;
    let mut last = first;
    for index in 0..u64::from(early.count) {
        let Module { threads, .. } = image.read(entry(&early, index))?;
        last = last.checked_add(if threads & u64::from(OWN_BASE) != 0 { 8 } else { 0 })?;
    }
    let is_word = |distance: i32| (first..=last).contains(&distance) && (distance - first) % 8 == 0;
    image.code_with(|code, _| word_at_once(code, is_word))
}

/// The two instructions that read a word.
pub(crate) struct Reading {
    place: WordLocation,
    /// The register that both load, without the bit that a prefix holds.
    register: u8,
    /// The bit of the register that a prefix holds.
    high: bool,
    /// The length of the two in bytes.
    length: usize,
}

impl Reading {
    /// The instructions, if `code` at this address begins with them.
    pub(crate) fn parse(code: &[u8], address: u64) -> Option<Self> {
        let (&[rex, opcode, operand], rest) = code.split_first_chunk()?;
        let (high, register) = match (rex, opcode, operand) {
            (0x48 | 0x49, 0xc7, 0xc0..=0xc7) => (rex == 0x49, operand & 7),
            (0x48 | 0x4c, 0x8b, _) if operand & 0xc7 == 5 => (rex == 0x4c, operand >> 3),
            _ => return None,
        };
        let (&number, rest) = rest.split_first_chunk()?;
        let number = i32::from_le_bytes(number);
        let next = address + FIRST as u64;
        let place = match opcode {
            0xc7 => WordLocation::Constant(number),
            _ => WordLocation::Variable(next.wrapping_add_signed(number.into())),
        };
        // Two registers cannot be a base without more bytes.
        let both = register << 3 | register;
        let second: &[u8] = match register {
            4 => &[both, 0x24],
            5 => &[0x40 | both, 0],
            _ => &[both],
        };
        let prefix = [0x64, if high { 0x4d } else { 0x48 }, 0x8b];
        let is_it = rest.starts_with(&prefix) && rest[prefix.len()..].starts_with(second);
        let length = FIRST + prefix.len() + second.len();
        is_it.then_some(Self { place, register, high, length })
    }

    /// `lea 0(%rip), %r` in their place, which gives an address that is still to be filled in.
    pub(crate) fn with_address(&self) -> Vec<u8> {
        let first = [if self.high { 0x4c } else { 0x48 }, 0x8d, self.register << 3 | 5];
        self.alone(first)
    }

    /// `mov $0, %r` in their place.
    pub(crate) fn with_nothing(&self) -> Vec<u8> {
        self.alone([if self.high { 0x49 } else { 0x48 }, 0xc7, 0xc0 | self.register])
    }

    /// An instruction whose number is 0, and one that does nothing.
    fn alone(&self, first: [u8; 3]) -> Vec<u8> {
        let nothing: &[u8] =
            if self.length == 11 { &[0x0f, 0x1f, 0x40, 0] } else { &[0x0f, 0x1f, 0x44, 0, 0] };
        [&first[..], &[0; 4], nothing].concat()
    }
}

/// The replacement of the two instructions, if `code` at this address begins with them.
fn without_word(code: &[u8], address: u64, words: &[Word]) -> Option<Vec<u8>> {
    let reading = Reading::parse(code, address)?;
    let word = words.iter().find(|word| word.place == reading.place)?;
    let Some(array) = word.array else { return Some(reading.with_nothing()) };
    let mut code = reading.with_address();
    let distance = i32::try_from(array.wrapping_sub(address + FIRST as u64) as i64).ok()?;
    code[FIRST - 4..FIRST].copy_from_slice(&distance.to_le_bytes());
    Some(code)
}

/// The one instruction that takes the place of the two, if `code` begins with them.
fn word_at_once(code: &[u8], is_word: impl Fn(i32) -> bool) -> Option<Vec<u8>> {
    let Reading { place: WordLocation::Constant(distance), register, high, length } =
        Reading::parse(code, 0)?
    else {
        return None;
    };
    // `mov %fs:distance, %r`
    let load = [0x64, if high { 0x4c } else { 0x48 }, 0x8b, register << 3 | 4, 0x25];
    let length = length.checked_sub(load.len() + 4)?;
    let whole = [&vec![DATA16; length][..], &load, &distance.to_le_bytes()].concat();
    is_word(distance).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_instructions_are_replaced_in_every_register() {
        let constant = Word { place: WordLocation::Constant(-16), array: Some(0x5000) };
        let words = [constant, Word { place: WordLocation::Variable(0x2000), array: None }];
        let code = |bytes: &[u8]| without_word(bytes, 0x1000, &words);
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

    #[test]
    fn one_instruction_reads_a_word_into_every_register() {
        let code = |bytes: &[u8]| word_at_once(bytes, |distance| distance == -16);
        // What an assembler makes of `data16 data16 mov %fs:-16, %rbx`, and of the others.
        let rbx = [0x48, 0xc7, 0xc3, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x1b];
        let distance = [0xf0, 0xff, 0xff, 0xff];
        let load = |bytes: &[u8]| Some([bytes, &distance].concat());
        assert_eq!(code(&rbx), load(&[0x66, 0x66, 0x64, 0x48, 0x8b, 0x1c, 0x25]));
        let rbp = [0x48, 0xc7, 0xc5, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x6d, 0];
        assert_eq!(code(&rbp), load(&[0x66, 0x66, 0x66, 0x64, 0x48, 0x8b, 0x2c, 0x25]));
        let r12 = [0x49, 0xc7, 0xc4, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x4d, 0x8b, 0x24, 0x24];
        assert_eq!(code(&r12), load(&[0x66, 0x66, 0x66, 0x64, 0x4c, 0x8b, 0x24, 0x25]));
        let r9 = [0x49, 0xc7, 0xc1, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x4d, 0x8b, 0x09];
        assert_eq!(code(&r9), load(&[0x66, 0x66, 0x64, 0x4c, 0x8b, 0x0c, 0x25]));
        // Another distance, another register, and a variable with the distance.
        assert_eq!(code(&[&rbx[..3], &[0xe0], &rbx[4..]].concat()), None);
        assert_eq!(code(&[&rbx[..10], &[0x03]].concat()), None);
        let variable = [0x48, 0x8b, 0x1d, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x1b];
        assert_eq!(code(&variable), None);
    }
}
