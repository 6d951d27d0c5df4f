//! The map of machine code that is counted: at which addresses a function has the code of its nodes
//! and edges, and which of it counts.
//!
//! The section [`CODE_SECTION`](crate::names::CODE_SECTION) has a run for each function, and more
//! than one if the function is in several sections. A run is a sequence of marks, each with its
//! distance from the one before. The input is not trusted.

use alloc::vec::Vec;

use crate::wire::{Error, Reader, Result};

/// The code of a function, or the part of it that is in one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The word of the function ([`FUNCTIONS_SECTION`](crate::names::FUNCTIONS_SECTION)).
    pub word: u64,
    /// Its parts, in the order of their addresses. What is between them is no code of the function,
    /// such as the bytes that align it.
    pub parts: Vec<Part>,
}

/// A part of the code of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first address in the image.
    pub start: u64,
    /// The address behind its last byte.
    pub end: u64,
    /// The block that it is of; or, from the number of blocks on, the edge.
    pub owner: u32,
    /// True if it counts; false if it is of the program.
    pub counts: bool,
}

/// What begins at a mark, as its last two bits. The C++ side of the pass has the same list
/// (`pass/cpp/code_map.h`).
const BEGINS: u64 = 0;
const OURS: u64 = 1;
const PROGRAM: u64 = 2;

/// Reads the content of the section, which is at `address` in the image.
///
/// # Errors
/// Anything that is no map.
pub fn decode(bytes: &[u8], address: u64) -> Result<Vec<Run>> {
    let mut from = Reader::new(bytes);
    let mut runs = Vec::new();
    while !from.rest().is_empty() {
        let before = bytes.len() - from.rest().len();
        runs.push(run(&mut from, address.wrapping_add(before as u64))?);
    }
    Ok(runs)
}

/// Reads the run at `place`.
fn run(from: &mut Reader<'_>, place: u64) -> Result<Run> {
    let (word, distance) = (from.u64()?, from.u64()?);
    let mut address = place.wrapping_add(8).wrapping_add(distance);
    // Each mark has at least two bytes but for the first one.
    let marks = from.count()?;
    let mut parts: Vec<Part> = Vec::new();
    let (mut owner, mut counts) = (None, false);
    for at in 0..marks {
        let distance = if at == 0 { 0 } else { from.varint()? };
        let next = address.checked_add(distance);
        let next = next.ok_or(Error::Invalid("code is behind the last address"))?;
        if let Some(owner) = owner
            && next > address
        {
            parts.push(Part { start: address, end: next, owner, counts });
        }
        address = next;
        let mark = from.varint()?;
        match mark & 3 {
            BEGINS => {
                let number = u32::try_from(mark >> 2);
                owner = Some(number.map_err(|_| Error::Invalid("a block's number is too large"))?);
                counts = false;
            }
            OURS => counts = true,
            PROGRAM => counts = false,
            _ => owner = None,
        }
    }
    if owner.is_some() {
        return Err(Error::Invalid("code has no end"));
    }
    Ok(Run { word, parts })
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::wire::Sink;

    /// Where the section is.
    const PLACE: u64 = 0x9000;

    /// Returns a run at `place` with these marks: a distance, a number and what begins.
    fn encoded(word: u64, place: u64, start: u64, marks: &[(u64, u64)]) -> Vec<u8> {
        let mut to = Vec::new();
        to.put_u64(word);
        to.put_u64(start.wrapping_sub(place + 8));
        to.put_varint(marks.len() as u64);
        for (at, &(distance, mark)) in marks.iter().enumerate() {
            if at > 0 {
                to.put_varint(distance);
            }
            to.put_varint(mark);
        }
        to
    }

    fn sample() -> Vec<u8> {
        let first = [(0, 0), (0, OURS), (4, PROGRAM), (300, 1 << 2), (2, 3), (14, 9 << 2), (1, 3)];
        let mut bytes = encoded(7, PLACE, 0x1000, &first);
        bytes.extend(encoded(8, PLACE + bytes.len() as u64, 0x3000, &[(0, 0), (5, 3)]));
        bytes
    }

    fn part(start: u64, end: u64, owner: u32, counts: bool) -> Part {
        Part { start, end, owner, counts }
    }

    #[test]
    fn code_is_where_the_marks_say() {
        let first = vec![
            part(0x1000, 0x1004, 0, true),
            part(0x1004, 0x1130, 0, false),
            part(0x1130, 0x1132, 1, false),
            part(0x1140, 0x1141, 9, false),
        ];
        let second = vec![part(0x3000, 0x3005, 0, false)];
        let expected = vec![Run { word: 7, parts: first }, Run { word: 8, parts: second }];
        assert_eq!(decode(&sample(), PLACE), Ok(expected));
        assert_eq!(decode(&[], PLACE), Ok(vec![]));
    }

    #[test]
    fn what_is_no_map_is_an_error() {
        let bytes = sample();
        let whole = encoded(8, PLACE, 0x3000, &[(0, 0), (5, 3)]).len();
        for length in (1..bytes.len()).filter(|length| length + whole != bytes.len()) {
            assert!(decode(&bytes[..length], PLACE).is_err(), "at {length}");
        }
        assert!(decode(&encoded(7, PLACE, u64::MAX, &[(0, 0), (1, 3)]), PLACE).is_err());
        assert!(decode(&encoded(7, PLACE, 0, &[(0, 0), (1, PROGRAM)]), PLACE).is_err());
        assert!(decode(&encoded(7, PLACE, 0, &[(0, 0), (u64::MAX, 3), (1, 3)]), PLACE).is_err());
    }

    #[test]
    fn damaged_bytes_never_panic() {
        let bytes = sample();
        for at in 0..bytes.len() {
            for flip in [1, 0x40, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = decode(&damaged, PLACE);
            }
        }
    }
}
