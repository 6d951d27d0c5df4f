//! The parts of a run that are recorded.
//!
//! The program begins and ends a part (`pathcc/trace.h`), and the run itself is one unless a
//! variable or an image decides otherwise. Paths are recorded while there is at least one part.
//! While there is none, a thread's paths go to memory of its own that is never read, a small piece
//! of it again and again, and the place in the file is kept for later.
//!
//! A thread changes its words itself, because another thread could not without slowing down each
//! path. The thread that begins or ends a part does it at once. Another thread does it when it
//! synchronises or asks for room. What happens before the end of the last part is thus recorded,
//! and what happens after it is not, in the order of the program's synchronisation.
//!
//! Synchronisation is always recorded, since the order in a part depends on what happened before.

use core::mem::{size_of, take};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pathformat::trace::{LONGEST_RECORD, RecordKind};

use crate::block::{Block, STATE, Stream, ThreadState, Words};
use crate::file::CHUNK;

/// The offset from a thread's state to the memory that is never read.
const UNREAD: usize = STATE;

/// The length of its part in use, so that it stays in the processor's nearest cache.
const UNREAD_USED: usize = 8 << 10;

const _: () = {
    assert!(UNREAD + UNREAD_USED + LONGEST_RECORD < CHUNK);
};

/// The number of parts that have begun and not ended. The run is one.
static PARTS: AtomicU32 = AtomicU32::new(1);

/// True if no image can end the part of the run, because an image has done so or a variable
/// decides.
static IS_DECIDED: AtomicBool = AtomicBool::new(false);

/// Begins the run. It is a part if the user has `said` so. Otherwise the first image decides, and
/// the others when they are loaded: an image that waits begins its parts itself.
pub(crate) fn begin_run(said: Option<bool>, waits: bool) {
    let is_part = said.unwrap_or(!waits);
    IS_DECIDED.store(said.is_some() || waits, Ordering::Relaxed);
    if !is_part {
        PARTS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Ends the part of the run when an image that waits is loaded. Returns false if the image has no
/// influence on it.
pub(crate) fn end_run() -> bool {
    let ends = !IS_DECIDED.swap(true, Ordering::Relaxed);
    if ends {
        switch(false);
    }
    ends
}

/// Begins or ends a part. An end without a beginning has no effect.
pub(crate) fn switch(begins: bool) {
    let change = |parts: u32| if begins { parts.checked_add(1) } else { parts.checked_sub(1) };
    let _ = PARTS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
}

/// Returns true if paths are recorded.
pub(crate) fn is_recorded() -> bool {
    PARTS.load(Ordering::Relaxed) != 0
}

/// Returns the words of a thread whose paths are not recorded.
fn unread(state: &ThreadState) -> Words {
    let next = (&raw const *state).addr() + UNREAD;
    Words { next, limit: next + UNREAD_USED }
}

/// Returns true if the paths of a thread with these words are not recorded.
fn is_unread(state: &ThreadState, words: Words) -> bool {
    (unread(state).next..(&raw const *state).addr() + CHUNK).contains(&words.next)
}

/// Writes a mark that gives the reason why paths are missing. Returns the place behind it.
///
/// # Safety
/// The place must be in a chunk of the thread's that has room.
pub(crate) unsafe fn mark(place: usize, kind: RecordKind) -> usize {
    // SAFETY: the caller vouches for it.
    unsafe { (place as *mut u32).write_unaligned(kind.word(0)) };
    place + size_of::<u32>()
}

/// Serves a thread that asks for room. Returns the place of its next record if that is to be
/// written without another chunk.
pub(crate) fn room(state: &mut ThreadState, words: &mut Words) -> Option<usize> {
    let was_unread = is_unread(state, *words);
    let unread = unread(state);
    let stream = state.current().0;
    stream.is_off |= u32::from(was_unread);
    if !is_recorded() && stream.must_write == 0 {
        if !was_unread {
            // The length of its chunk in use may be in a register only.
            stream.kept = Words::default();
        }
        *words = unread;
        return Some(words.next);
    }
    if was_unread {
        // There must be room for any record.
        let kept = take(&mut stream.kept);
        if kept.next.saturating_add(LONGEST_RECORD) < kept.limit {
            go_on(stream, words, kept);
            return Some(words.next);
        }
    }
    None
}

/// Goes on at a place with room.
fn go_on(stream: &mut Stream, words: &mut Words, kept: Words) {
    *words = kept;
    if stream.is_off != 0 && words.next < words.limit {
        stream.is_off = 0;
        // SAFETY: the place is in a chunk of the stream, which is not full.
        words.next = unsafe { mark(words.next, RecordKind::Off) };
    }
}

/// Directs the paths of a stream, or an event, to the file again.
fn resume(state: &mut ThreadState, words: &mut Words) {
    if is_unread(state, *words) {
        let has_ended = words.next != unread(state).next;
        let stream = state.current().0;
        stream.is_off |= u32::from(has_ended);
        let kept = take(&mut stream.kept);
        go_on(stream, words, kept);
    }
}

/// Directs the paths of a stream to the memory that is never read.
fn pause(state: &mut ThreadState, words: &mut Words) {
    if !is_unread(state, *words) {
        let kept = *words;
        *words = unread(state);
        state.current().0.kept = kept;
    }
}

impl Block {
    /// Returns the state of the thread and its words, unless the words belong to a handler without
    /// a stream.
    fn with_room(&mut self) -> Option<(&mut ThreadState, &mut Words)> {
        // SAFETY: null, or the thread's own memory.
        let state = unsafe { self.state.as_mut() }.filter(|state| state.beyond == 0)?;
        Some((state, &mut self.words))
    }

    /// Returns the place of the next record, if the thread stays in the memory that is never read.
    /// Nothing is shared with other threads then.
    pub(crate) fn stay(&mut self) -> Option<usize> {
        let (state, words) = self.with_room()?;
        if is_recorded() || !is_unread(state, *words) { None } else { room(state, words) }
    }

    /// Updates the words of the thread to whether its paths are recorded. The words must hold the
    /// place of its next record, and no signal may interrupt.
    pub(crate) fn obey(&mut self) {
        if let Some((state, words)) = self.with_room() {
            if is_recorded() { resume(state, words) } else { pause(state, words) }
        }
    }

    /// Updates the thread at its next path, after a handler has ended. The place of its next record
    /// may be in a register only.
    pub(crate) fn obey_soon(&mut self) {
        if let Some((state, words)) = self.with_room()
            && is_unread(state, *words) == is_recorded()
        {
            words.limit = 0;
        }
    }

    /// Prepares for an event, whether or not paths are recorded. Returns true if
    /// [`end_event`](Self::end_event) has to follow.
    pub(crate) fn begin_event(&mut self) -> bool {
        let is_recorded = is_recorded();
        let Some((state, words)) = self.with_room() else { return false };
        resume(state, words);
        if !is_recorded {
            state.current().0.must_write = 1;
        }
        !is_recorded
    }

    /// Ends the event.
    pub(crate) fn end_event(&mut self) {
        if let Some((state, words)) = self.with_room() {
            state.current().0.must_write = 0;
            pause(state, words);
        }
    }

    /// Returns the place of the thread's next record in the file.
    pub(crate) fn place(&mut self) -> usize {
        let words = self.words;
        let state = self.with_room().map(|(state, _)| state);
        let kept =
            state.filter(|state| is_unread(state, words)).map(|state| state.current().0.kept);
        kept.unwrap_or(words).next
    }
}

#[cfg(test)]
mod tests;
