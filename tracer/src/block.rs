//! The thread-local memory of traced code and of the tracer.

use core::mem::offset_of;
#[cfg(panic = "abort")]
use core::ptr;

use pathformat::descriptor::trace_block;

use crate::owners::Owner;
use crate::waits::Waits;

/// How many signal handlers may interrupt each other in a thread, each with a stream of its own.
/// The records of those beyond are lost.
pub(crate) const HANDLERS: usize = 4;

/// Where records go: the two words of traced code. Zeros say that there is no room.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Where the next record starts, unless it is in a register.
    pub(crate) next: usize,
    /// From where on the chunk is full.
    pub(crate) limit: usize,
}

/// A stream of records. Zeros are one that has not begun.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stream {
    /// Its words, while another stream of the thread is in use.
    pub(crate) words: Words,
    /// How many chunks of the file it has had.
    pub(crate) chunks: u64,
    /// Its number, 0 if it has none yet.
    pub(crate) number: u32,
    /// Its chunk among those that are mapped.
    pub(crate) owner: Owner,
    /// Whether records were lost since its last chunk.
    pub(crate) lost: u32,
    /// Its place in the file, while paths are not recorded.
    pub(crate) kept: Words,
    /// Whether paths ended that were not recorded, and nothing says so yet.
    pub(crate) is_off: u32,
    /// Whether it needs room although paths are not recorded.
    pub(crate) must_write: u32,
}

/// Stands for a handler for which there is no stream.
const NO_STREAM: usize = usize::MAX;

/// Stands for a handler that interrupts a thread without streams: it has those of the thread.
const NO_STATE: usize = usize::MAX - 1;

/// The thread-local memory of a thread. It is small, since there is little room for that of
/// libraries that are opened.
#[repr(C)]
pub(crate) struct Block {
    pub(crate) words: Words,
    runtime: usize,
    /// The rest, once the thread has asked for room.
    pub(crate) state: *mut State,
}

/// What else is known of a thread. Zeros are a valid value.
pub(crate) struct State {
    /// This memory among what is mapped.
    pub(crate) owner: Owner,
    /// Which stream is in use: 0, or one more than the level of a handler.
    used: usize,
    /// The thread's own stream, and those of handlers.
    pub(crate) streams: [Stream; HANDLERS + 1],
    /// Of each handler's stream, the frame of the handler that uses it, or 0, and the stream that
    /// was in use when it began.
    handlers: [(usize, usize); HANDLERS],
    /// How many handlers are running for which there was no stream.
    pub(crate) beyond: usize,
    /// Its number among those that the process created, or 0.
    pub(crate) thread: u64,
    /// What it waits for, as OpenMP tells.
    pub(crate) waits: Waits,
}

const _: () = {
    assert!(size_of::<Block>() <= trace_block::SIZE as usize);
    assert!(offset_of!(Block, runtime) == trace_block::RUNTIME_OFFSET as usize);
};

impl Block {
    /// That of the calling thread.
    #[cfg(panic = "abort")]
    pub(crate) fn own() -> *mut Self {
        let block: usize;
        // SAFETY: reads a constant of the image and the thread's own pointer.
        unsafe {
            core::arch::asm!(
                "movq __pathcc.trace.words@GOTTPOFF(%rip), {block}",
                "addq %fs:0, {block}",
                block = out(reg) block,
                options(att_syntax, nostack, pure, readonly),
            );
        }
        ptr::with_exposed_provenance_mut(block)
    }

    /// The table of the tracer that the words belong to; 0 before the C library has begun.
    pub(crate) fn runtime(&self) -> usize {
        self.runtime
    }

    /// A handler begins, whose frame is at this address: another stream is in use. Gives what tells
    /// [`end_handler`](Self::end_handler) which.
    pub(crate) fn begin_handler(&mut self, frame: usize) -> usize {
        // SAFETY: null, or the thread's own memory.
        let Some(state) = (unsafe { self.state.as_mut() }) else { return NO_STATE };
        state.begin_handler(frame, &mut self.words)
    }

    /// A handler ends.
    pub(crate) fn end_handler(&mut self, level: usize) {
        // SAFETY: as above.
        if let Some(state) = unsafe { self.state.as_mut() }
            && level != NO_STATE
        {
            state.end_handler(level, &mut self.words);
        }
    }
}

impl State {
    /// The stream that is in use, and the number of the one that it interrupts.
    pub(crate) fn current(&mut self) -> (&mut Stream, u32) {
        let used = self.used.min(HANDLERS);
        let before = used.checked_sub(1).and_then(|at| self.handlers.get(at));
        let interrupted = before.and_then(|&(_, before)| self.streams.get(before));
        let interrupted = interrupted.map_or(0, |stream| stream.number);
        (&mut self.streams[used], interrupted)
    }

    /// What has memory of this thread.
    pub(crate) fn owners(&self) -> [Owner; HANDLERS + 2] {
        let mut owners = [self.owner; HANDLERS + 2];
        for (owner, stream) in owners.iter_mut().skip(1).zip(&self.streams) {
            *owner = stream.owner;
        }
        owners
    }

    fn begin_handler(&mut self, frame: usize, words: &mut Words) -> usize {
        // Handlers whose frames are not above were left, unless this one has a stack of its own:
        // then they keep their streams for longer.
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
        // A handler that it interrupted may have been left to here.
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

    fn state() -> State {
        State {
            owner: Owner::NONE,
            used: 0,
            streams: Default::default(),
            handlers: Default::default(),
            beyond: 0,
            thread: 0,
            waits: Waits::NONE,
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
