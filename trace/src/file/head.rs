//! Reads the head of a chunk.

use pathformat::trace::{CHUNK_HEAD, ChunkHead, PROCESS, SHORT};
use zerocopy::FromBytes;
use zerocopy::little_endian::U32;

/// Decodes the head of a chunk that is not part of another; `None` if the chunk was never begun.
///
/// # Errors
/// The head is one that no program writes.
pub(super) fn of(bytes: &[u8; CHUNK_HEAD]) -> Result<Option<ChunkHead>, &'static str> {
    let head = of_any(bytes)?;
    if head.is_some_and(|head| head.length != U32::ZERO) {
        return Err("its head says that it is short");
    }
    Ok(head)
}

/// Decodes the head of a short chunk, for which another one has this many bytes left; `None` behind
/// the last one.
///
/// # Errors
/// As for [`of`].
pub(super) fn of_short(
    bytes: &[u8; CHUNK_HEAD],
    left: u64,
) -> Result<Option<ChunkHead>, &'static str> {
    let Some(head) = of_any(bytes)? else { return Ok(None) };
    if [PROCESS, SHORT].contains(&head.stream.get()) || head.frame != U32::ZERO {
        return Err("a short chunk in it has the head of another kind");
    }
    if head.length == U32::ZERO || u64::from(head.length.get()) + CHUNK_HEAD as u64 > left {
        return Err("a short chunk in it has no such length");
    }
    Ok(Some(head))
}

/// Decodes the head of a chunk that may be part of another; `None` if it was never begun.
///
/// # Errors
/// As for [`of`].
pub(super) fn of_any(bytes: &[u8; CHUNK_HEAD]) -> Result<Option<ChunkHead>, &'static str> {
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
