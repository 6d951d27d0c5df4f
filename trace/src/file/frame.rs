//! The Zstandard frame that replaces the records of a compressed chunk.

use std::io::{ErrorKind, Read};

use anyhow::{Result, anyhow};
use zstd::stream::read::Decoder;

/// Decompresses a frame of at most `most` bytes of content, and appends it to `out`, which is
/// empty. If the frame is truncated, as `is_cut` states, only its whole blocks are decompressed.
///
/// # Errors
/// The frame is damaged, or has more content.
pub(super) fn unpack(frame: &[u8], most: usize, is_cut: bool, out: &mut Vec<u8>) -> Result<()> {
    let damaged =
        |why: &dyn std::fmt::Display| anyhow!("its compressed records are damaged: {why}");
    let mut decoder = Decoder::with_buffer(frame).map_err(|error| damaged(&error))?.single_frame();
    // The window bounds the memory of the decoder. pathcc writes no frames with a larger one.
    let window = most.max(1 << 10).next_power_of_two().ilog2();
    decoder.window_log_max(window).map_err(|error| damaged(&error))?;
    // One more byte reveals excess content.
    match decoder.take(most as u64 + 1).read_to_end(out) {
        Ok(_) if out.len() > most => Err(damaged(&"they are longer than a chunk")),
        Ok(_) => Ok(()),
        Err(error) if is_cut && error.kind() == ErrorKind::UnexpectedEof => {
            out.truncate(most);
            Ok(())
        }
        Err(error) => Err(damaged(&error)),
    }
}

/// Compresses the records of a chunk into a frame, if that saves a page.
pub fn pack(records: &[u8]) -> Option<Vec<u8>> {
    let mut frame = vec![0; records.len().checked_sub(pathformat::raw::PAGE as usize)?];
    let mut compressor = zstd::bulk::Compressor::new(1).ok()?;
    compressor.include_checksum(true).ok()?;
    // The call fails if the frame would be longer.
    let length = compressor.compress_to_buffer(records, &mut frame[..]).ok()?;
    frame.truncate(length);
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 64 << 10;

    fn records() -> Vec<u8> {
        (0..MOST as u32).map(|at| (at / 11 % 200) as u8 ^ (at % 3) as u8).collect()
    }

    fn unpacked(frame: &[u8], most: usize, is_cut: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        unpack(frame, most, is_cut, &mut out).ok()?;
        Some(out)
    }

    #[test]
    fn frames_are_unpacked() {
        let frame = pack(&records()).expect("it saves a page");
        assert_eq!(unpacked(&frame, MOST, false), Some(records()));
        // Bytes behind the frame are ignored.
        let longer = [&frame[..], &[7; 100]].concat();
        assert_eq!(unpacked(&longer, MOST, false), Some(records()));
    }

    #[test]
    fn damaged_frames_are_refused() {
        let frame = pack(&records()).expect("it saves a page");
        for at in 0..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 0x55;
            let found = unpacked(&damaged, MOST, false);
            assert!(found.is_none_or(|found| found == records()), "byte {at}");
            assert_eq!(unpacked(&frame[..at], MOST, false), None, "cut at {at}");
            assert!(
                unpacked(&frame[..at], MOST, true)
                    .is_none_or(|some| { some.len() <= MOST && records().starts_with(&some) })
            );
        }
        assert_eq!(unpacked(&[], MOST, false), None);
    }

    #[test]
    fn a_frame_never_takes_more_than_a_chunk() {
        let bomb = zstd::bulk::compress(&vec![0; 100 << 20], 1).expect("compressible");
        assert!(bomb.len() < MOST);
        for is_cut in [false, true] {
            assert_eq!(unpacked(&bomb, MOST, is_cut), None);
        }
        let frame = pack(&records()).expect("it saves a page");
        assert_eq!(unpacked(&frame, MOST - 1, false), None);
    }

    #[test]
    fn what_saves_nothing_is_not_packed() {
        let mut state = 1_u64;
        let noise = (0..MOST).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        });
        assert_eq!(pack(&noise.collect::<Vec<_>>()), None);
        assert_eq!(pack(&[1; 10]), None);
    }
}
