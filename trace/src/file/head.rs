//! Reads the head of a chunk.

use pathformat::trace::{CHUNK_HEAD, ChunkHead, PROCESS};
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

/// Decodes the head of a chunk; `None` if the chunk was never begun.
///
/// # Errors
/// The head is one that no program writes.
pub(super) fn of(bytes: &[u8; CHUNK_HEAD]) -> Result<Option<ChunkHead>, &'static str> {
    let head = ChunkHead::read_from_bytes(bytes).map_err(|_| "it has no head")?;
    if head.stream == 0 {
        return Ok(None);
    }
    if head.reserved.iter().any(|word| *word != U32::ZERO) {
        return Err("its head has bytes that mean nothing");
    }
    let interrupts = head.interrupts;
    if interrupts == head.stream || (head.stream == PROCESS && interrupts != 0) {
        return Err("its stream interrupts itself");
    }
    Ok(Some(head))
}
