//! The memory of each thread, for traced code and for the tracer.
//!
//! A thread finds its block by a thread-local word, which is all that an image has of such memory:
//! glibc has only some 1,600 bytes for libraries that are opened. The word is 0 at first, and even
//! before the C library has begun: then it leads to the common block, in which there is never room.

use core::mem::{offset_of, size_of};
#[cfg(panic = "abort")]
use core::ptr;
use core::ptr::NonNull;

use pathformat::descriptor::trace_block;

use crate::owners::Owner;
use crate::regions::Regions;
use crate::waits::Waits;

/// The number of signal handlers that may interrupt each other in a thread, each with a stream of
/// its own. The records of further ones are lost.
pub(crate) const HANDLERS: usize = 4;

/// The destination of records: the two words of traced code. Zeros mean that there is no room.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// The address of the next record, unless it is in a register.
    pub(crate) next: usize,
    /// The address from which on the chunk is full.
    pub(crate) limit: usize,
}

/// A stream of records. All-zero bytes are a stream that has not begun.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// The words of the stream, while another stream of the thread is in use.
    pub(crate) words: Words,
    /// The number of chunks of the file that it has had.
    pub(crate) chunks: u64,
    /// Its number, 0 if it has none yet.
    pub(crate) number: u32,
    /// Its chunk in the list of mapped chunks.
    pub(crate) owner: Owner,
    /// True if records were lost since its last chunk.
    pub(crate) lost: u32,
    /// Its place in the file, while paths are not recorded.
    pub(crate) kept: Words,
    /// True if unrecorded paths have ended, and no record of the stream marks that yet.
    pub(crate) is_off: u32,
    /// True if it needs room although paths are not recorded.
    pub(crate) must_write: u32,
}

/// The level of a handler for which there is no stream.
const NO_STREAM: usize = usize::MAX;

/// The level of a handler that interrupts a thread without streams. The handler uses those of the
/// thread.
const NO_STATE: usize = usize::MAX - 1;

/// The block of a thread, or that of all threads that have none of their own.
#[repr(C)]
pub(crate) struct Block {
    pub(crate) words: Words,
    /// In the common block, the distance from there to the tracer's table; 0 if `ld.pathld` has
    /// not linked the image whose block it is.
    runtime: usize,
    /// The rest of the thread's memory; null in the common block.
    pub(crate) state: *mut ThreadState,
}

/// Where a thread finds its block.
#[derive(Clone, Copy)]
pub(crate) struct ThreadBlock {
    /// The thread-local word: the distance of the thread's block from the common one.
    distance: *mut usize,
    common: *mut Block,
}

/// The state of a thread, which lies at the start of its memory, with the block behind it. All-zero
/// bytes are a valid value.
pub(crate) struct ThreadState {
    /// This memory in the list of mapped chunks.
    pub(crate) owner: Owner,
    /// The stream in use: 0 for the thread's own, or one more than the level of a handler.
    used: usize,
    /// The thread's own stream, and those of handlers.
    pub(crate) streams: [Stream; HANDLERS + 1],
    /// For each handler's stream, the frame of the handler that uses it, or 0, and the stream that
    /// was in use when the handler began.
    handlers: [(usize, usize); HANDLERS],
    /// The number of running handlers without a stream.
    pub(crate) beyond: usize,
    /// True while calls of the allocator by code that is not traced are not recorded.
    pub(crate) is_quiet: u32,
    /// The number of the thread among those that the process created, or 0.
    pub(crate) thread: u64,
    /// The waits of the thread that OpenMP reports, and those for messages.
    pub(crate) waits: Waits,
    /// The parallel regions that it has begun.
    pub(crate) regions: Regions,
}

const _: () = {
    assert!(size_of::<Block>() == trace_block::SIZE as usize);
    assert!(offset_of!(Block, runtime) == trace_block::RUNTIME_OFFSET as usize);
    assert!(size_of::<ThreadState>() <= BLOCK);
};

/// The length of the part of a thread's memory that the state and the block take.
pub(crate) const STATE: usize = 4096;

/// The offset of the block in a thread's memory.
const BLOCK: usize = STATE - size_of::<Block>();

impl ThreadBlock {
    /// Returns where the calling thread finds its block.
    #[cfg(panic = "abort")]
    pub(crate) fn own() -> Self {
        let (distance, common): (usize, usize);
        // SAFETY: reads constants of the image and the thread's own pointer.
        unsafe {
            core::arch::asm!(
                "movq __pathcc.trace.distance@GOTTPOFF(%rip), {distance}",
                "addq %fs:0, {distance}",
                "movq __pathcc.trace.block@GOTPCREL(%rip), {common}",
                distance = out(reg) distance,
                common = out(reg) common,
                options(att_syntax, nostack, pure, readonly),
            );
        }
        Self {
            distance: ptr::with_exposed_provenance_mut(distance),
            common: ptr::with_exposed_provenance_mut(common),
        }
    }

    /// Returns the thread's block.
    pub(crate) fn block(self) -> *mut Block {
        // SAFETY: the thread's own word. A handler may have changed it.
        let distance = unsafe { self.distance.read_volatile() };
        self.common.wrapping_byte_add(distance)
    }

    /// Returns the thread's state, if it has any.
    pub(crate) fn state<'a>(self) -> Option<&'a mut ThreadState> {
        // SAFETY: null, or the thread's own memory, which is only unmapped when it has ended.
        unsafe { (*self.block()).state.as_mut() }
    }

    /// Leads the thread to the block in the memory that begins with this state.
    pub(crate) fn lead_to(self, state: NonNull<ThreadState>) {
        let block = state.as_ptr().wrapping_byte_add(BLOCK).cast::<Block>();
        // SAFETY: the thread's memory, which is longer, and its own word.
        unsafe {
            (*block).state = state.as_ptr();
            self.distance.write_volatile(block.addr().wrapping_sub(self.common.addr()));
        }
    }

    /// Leaves the thread without a block of its own.
    pub(crate) fn leave(self) {
        // SAFETY: the thread's own word.
        unsafe { self.distance.write_volatile(0) };
    }

    /// Returns the address of the tracer's table that belongs to the blocks of the process; `None`
    /// if it is not known.
    pub(crate) fn runtime(self) -> Option<usize> {
        // SAFETY: a constant.
        let distance = unsafe { (*self.common).runtime };
        (distance != 0).then(|| self.common.addr().wrapping_add(distance))
    }
}

impl Block {
    /// Returns the block of the calling thread.
    #[cfg(panic = "abort")]
    pub(crate) fn own() -> *mut Self {
        ThreadBlock::own().block()
    }

    /// Selects whether calls of the allocator by code that is not traced are left out.
    pub(crate) fn set_quiet(&mut self, is_quiet: bool) {
        // SAFETY: null, or the thread's own memory.
        if let Some(state) = unsafe { self.state.as_mut() } {
            state.is_quiet = is_quiet.into();
        }
    }

    /// Switches to another stream at the start of a handler, whose frame is at this address.
    /// Returns the level for [`end_handler`](Self::end_handler).
    pub(crate) fn begin_handler(&mut self, frame: usize) -> usize {
        // SAFETY: null, or the thread's own memory.
        let Some(state) = (unsafe { self.state.as_mut() }) else { return NO_STATE };
        state.begin_handler(frame, &mut self.words)
    }

    /// Switches back at the end of a handler.
    pub(crate) fn end_handler(&mut self, level: usize) {
        // SAFETY: as above.
        if let Some(state) = unsafe { self.state.as_mut() }
            && level != NO_STATE
        {
            state.end_handler(level, &mut self.words);
        }
    }
}

impl ThreadState {
    /// Returns the state of the calling thread, once it has a stream.
    #[cfg(panic = "abort")]
    pub(crate) fn own<'a>() -> Option<&'a mut Self> {
        ThreadBlock::own().state()
    }

    /// Returns the stream in use, and the number of the stream that it interrupts.
    pub(crate) fn current(&mut self) -> (&mut Stream, u32) {
        let used = self.used.min(HANDLERS);
        let before = used.checked_sub(1).and_then(|at| self.handlers.get(at));
        let interrupted = before.and_then(|&(_, before)| self.streams.get(before));
        let interrupted = interrupted.map_or(0, |stream| stream.number);
        (&mut self.streams[used], interrupted)
    }

    /// Returns true if a handler runs, whether or not it has a stream.
    pub(crate) fn is_in_handler(&self) -> bool {
        self.used != 0 || self.beyond != 0
    }

    /// Returns the owners of all chunks of this thread.
    pub(crate) fn owners(&self) -> [Owner; HANDLERS + 2] {
        let mut owners = [self.owner; HANDLERS + 2];
        for (owner, stream) in owners.iter_mut().skip(1).zip(&self.streams) {
            *owner = stream.owner;
        }
        owners
    }

    fn begin_handler(&mut self, frame: usize, words: &mut Words) -> usize {
        // Handlers with frames that are not above this one were left, unless this one has a stack
        // of its own: then they keep their streams for longer.
        for (at, handler) in self.handlers.iter_mut().enumerate() {
            if handler.0 <= frame && at + 1 != self.used {
                handler.0 = 0;
            }
        }
        let before = self.used.min(HANDLERS);
        let is_free =
            |&(at, handler): &(usize, &(usize, usize))| handler.0 == 0 && at + 1 != before;
        let Some((at, _)) = self.handlers.iter().enumerate().find(is_free) else {
            if self.beyond == 0 {
                self.streams[before].words = *words;
            }
            self.beyond += 1;
            *words = Words::default();
            return NO_STREAM;
        };
        self.handlers[at] = (frame, before);
        self.streams[before].words = *words;
        self.used = at + 1;
        *words = self.streams[at + 1].words;
        at
    }

    fn end_handler(&mut self, level: usize, words: &mut Words) {
        let used = self.used.min(HANDLERS);
        let Some(handler) = self.handlers.get_mut(level) else {
            self.beyond = self.beyond.saturating_sub(1);
            if self.beyond == 0 {
                *words = self.streams[used].words;
            }
            return;
        };
        handler.0 = 0;
        // A handler that it interrupted may have been left to this point.
        self.streams[used].words = *words;
        self.used = handler.1.min(HANDLERS);
        *words = self.streams[self.used].words;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(next: usize) -> Words {
        Words { next, limit: next + 1 }
    }

    fn state() -> ThreadState {
        ThreadState {
            owner: Owner::NONE,
            used: 0,
            streams: Default::default(),
            handlers: Default::default(),
            beyond: 0,
            is_quiet: 0,
            thread: 0,
            waits: Waits::NONE,
            regions: Regions::NONE,
        }
    }

    #[test]
    fn handlers_have_words_of_their_own() {
        let (mut state, mut now) = (state(), words(100));
        let outer = state.begin_handler(0x900, &mut now);
        assert_eq!((now, state.current().1), (Words::default(), 0));
        now = words(200);
        let inner = state.begin_handler(0x800, &mut now);
        assert_eq!(now, Words::default());
        now = words(300);
        state.end_handler(inner, &mut now);
        assert_eq!(now, words(200));
        now = words(210);
        state.end_handler(outer, &mut now);
        assert_eq!(now, words(100));
        state.begin_handler(0x900, &mut now);
        assert_eq!(now, words(210));
    }

    #[test]
    fn levels_that_were_left_are_free_again() {
        let (mut state, mut now) = (state(), words(100));
        let mut seen = Vec::new();
        for turn in 0..10 {
            seen.push(state.begin_handler(0x900, &mut now));
            now = words(1000 + turn);
        }
        assert_eq!(seen, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn handlers_beyond_the_last_level_write_nowhere() {
        let (mut state, mut now) = (state(), words(100));
        let mut begun = Vec::new();
        for turn in 0..7 {
            let level = state.begin_handler(0x900 - turn, &mut now);
            let has_stream = level != NO_STREAM;
            assert!(has_stream || now == Words::default());
            now = words(if has_stream { turn } else { 7777 });
            begun.push(level);
        }
        assert_eq!(begun, [0, 1, 2, 3, NO_STREAM, NO_STREAM, NO_STREAM]);
        for (turn, level) in begun.into_iter().enumerate().rev() {
            state.end_handler(level, &mut now);
            let expected = match turn {
                5.. => words(7777),
                0 => words(100),
                _ => words(turn.min(4) - 1),
            };
            assert_eq!(now, expected, "{turn}");
        }
    }
}
