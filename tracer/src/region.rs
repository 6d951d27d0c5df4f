//! Which part of a run is recorded.
//!
//! The program says when a part begins and ends (`pathcc/trace.h`), and the run itself is one
//! unless a variable or an image says otherwise. Paths are recorded while there is at least one.
//! While there is none, a thread's paths go to memory of its own that nobody reads, a small piece
//! of it again and again, and the place in the file is kept for later.
//!
//! A thread changes its words itself: nobody else could without slowing down each path. The one
//! that says so does it at once, and another one when it synchronises or asks for room. So what
//! happens before the end of the last part is recorded, and what happens after it is not, by the
//! order that the synchronisation of the program gives.
//!
//! What synchronises is recorded all the time, since the order of a part depends on what was
//! before.

use core::mem::{size_of, take};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pathformat::trace::{Kind, LONGEST_RECORD};

use crate::block::{Block, State, Stream, Words};
use crate::file::CHUNK;

/// Where the memory that nobody reads stands behind a thread's state.
const UNREAD: usize = 4096;

/// How much of it is used, so that it stays in the processor's nearest cache.
const UNREAD_USED: usize = 8 << 10;

const _: () = {
    assert!(size_of::<State>() <= UNREAD);
    assert!(UNREAD + UNREAD_USED + LONGEST_RECORD < CHUNK);
};

/// How many more parts were begun than ended. The run is one.
static PARTS: AtomicU32 = AtomicU32::new(1);

/// Whether no image can end the part that the run is: one has done so, or a variable decides.
static IS_DECIDED: AtomicBool = AtomicBool::new(false);

/// The run begins. It is a part if the user has `said` so. Otherwise the first image decides, and
/// the others when they are loaded: those that wait say themselves where a part begins.
pub(crate) fn begin_run(said: Option<bool>, waits: bool) {
    let is_part = said.unwrap_or(!waits);
    IS_DECIDED.store(said.is_some() || waits, Ordering::Relaxed);
    if !is_part {
        PARTS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An image is loaded that waits. The part ends that the run is; false if it had no say in that.
pub(crate) fn end_run() -> bool {
    let ends = !IS_DECIDED.swap(true, Ordering::Relaxed);
    if ends {
        switch(false);
    }
    ends
}

/// A part begins or ends. An end without a beginning is none.
pub(crate) fn switch(begins: bool) {
    let change = |parts: u32| if begins { parts.checked_add(1) } else { parts.checked_sub(1) };
    let _ = PARTS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change);
}

/// Whether paths are recorded.
pub(crate) fn is_recorded() -> bool {
    PARTS.load(Ordering::Relaxed) != 0
}

/// The words of a thread whose paths are not recorded.
fn unread(state: &State) -> Words {
    let next = (&raw const *state).addr() + UNREAD;
    Words { next, limit: next + UNREAD_USED }
}

/// Whether the paths of a thread with these words go where nobody reads them.
fn is_unread(state: &State, words: Words) -> bool {
    (unread(state).next..(&raw const *state).addr() + CHUNK).contains(&words.next)
}

/// Puts where it is said why paths are missing.
///
/// # Safety
/// The place is in a chunk of the thread's that has room.
pub(crate) unsafe fn mark(place: usize, kind: Kind) -> usize {
    // SAFETY: the caller's.
    unsafe { (place as *mut u32).write_unaligned(kind.word(0)) };
    place + size_of::<u32>()
}

/// Serves a thread that asks for room: gives the place of its next record if that has to be
/// written without another chunk.
pub(crate) fn room(state: &mut State, words: &mut Words) -> Option<usize> {
    let was_unread = is_unread(state, *words);
    let unread = unread(state);
    let stream = state.current().0;
    stream.is_off |= u32::from(was_unread);
    if !is_recorded() && stream.must_write == 0 {
        if !was_unread {
            // How much of its chunk is in use only a register may say.
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

/// Goes on where there is room.
fn go_on(stream: &mut Stream, words: &mut Words, kept: Words) {
    *words = kept;
    if stream.is_off != 0 && words.next < words.limit {
        stream.is_off = 0;
        // SAFETY: that is a chunk of the stream's, which is not full.
        words.next = unsafe { mark(words.next, Kind::Off) };
    }
}

/// The paths of a stream go to the file again, or an event does.
fn resume(state: &mut State, words: &mut Words) {
    if is_unread(state, *words) {
        let has_ended = words.next != unread(state).next;
        let stream = state.current().0;
        stream.is_off |= u32::from(has_ended);
        let kept = take(&mut stream.kept);
        go_on(stream, words, kept);
    }
}

/// The paths of a stream go where nobody reads them.
fn pause(state: &mut State, words: &mut Words) {
    if !is_unread(state, *words) {
        let kept = *words;
        *words = unread(state);
        state.current().0.kept = kept;
    }
}

impl Block {
    /// What is known of the thread, unless its words have nothing to do with it.
    fn with_room(&mut self) -> Option<(&mut State, &mut Words)> {
        // SAFETY: null, or the thread's own memory.
        let state = unsafe { self.state.as_mut() }.filter(|state| state.beyond == 0)?;
        Some((state, &mut self.words))
    }

    /// The place of the next record, if the thread stays where nobody reads. Nothing is shared with
    /// other threads then.
    pub(crate) fn stay(&mut self) -> Option<usize> {
        let (state, words) = self.with_room()?;
        if is_recorded() || !is_unread(state, *words) { None } else { room(state, words) }
    }

    /// The thread looks whether its paths are recorded. Its words say where its next record goes,
    /// and no signal interrupts.
    pub(crate) fn obey(&mut self) {
        if let Some((state, words)) = self.with_room() {
            if is_recorded() { resume(state, words) } else { pause(state, words) }
        }
    }

    /// A handler has ended. The thread looks whether its paths are recorded where its next path
    /// begins: only a register may say where its next record goes.
    pub(crate) fn obey_soon(&mut self) {
        if let Some((state, words)) = self.with_room()
            && is_unread(state, *words) == is_recorded()
        {
            words.limit = 0;
        }
    }

    /// An event is to be written, whether or not paths are recorded. Says whether
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

    /// It is written.
    pub(crate) fn end_event(&mut self) {
        if let Some((state, words)) = self.with_room() {
            state.current().0.must_write = 0;
            pause(state, words);
        }
    }

    /// Where the thread's stream has its next record in the file.
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
