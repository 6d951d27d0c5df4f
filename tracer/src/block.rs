//! The thread-local memory of traced code and of the tracer.

use core::mem::offset_of;
#[cfg(panic = "abort")]
use core::ptr;

use pathformat::descriptor::trace_block;

use crate::owners::Owner;

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
}

/// Stands for a handler for which there is no stream.
const NONE: usize = usize::MAX;

/// The memory of a thread.
#[repr(C)]
pub(crate) struct Block {
    pub(crate) words: Words,
    runtime: usize,
    /// Which stream is in use: 0, or one more than the level of a handler.
    pub(crate) used: usize,
    /// The thread's own stream, and those of handlers.
    pub(crate) streams: [Stream; HANDLERS + 1],
    /// Of each handler's stream, the frame of the handler that uses it, or 0, and the stream that
    /// was in use when it began.
    handlers: [(usize, usize); HANDLERS],
    /// How many handlers are running for which there was no stream.
    pub(crate) beyond: usize,
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

    /// The stream that is in use, and the number of the one that it interrupts.
    pub(crate) fn current(&mut self) -> (&mut Stream, u32) {
        let used = self.used.min(HANDLERS);
        let before = used.checked_sub(1).and_then(|at| self.handlers.get(at));
        let interrupted = before.and_then(|&(_, before)| self.streams.get(before));
        let interrupted = interrupted.map_or(0, |stream| stream.number);
        (&mut self.streams[used], interrupted)
    }

    /// A handler begins, whose frame is at this address: another stream is in use. Gives what tells
    /// [`end_handler`](Self::end_handler) which.
    pub(crate) fn begin_handler(&mut self, frame: usize) -> usize {
        // Handlers whose frames are not above were left, unless this one has a stack of its own; then they
        // keep their streams for longer.
        for (at, handler) in self.handlers.iter_mut().enumerate() {
            if handler.0 <= frame && at + 1 != self.used {
                handler.0 = 0;
            }
        }
        let before = self.used;
        let is_free =
            |&(at, handler): &(usize, &(usize, usize))| handler.0 == 0 && at + 1 != before;
        let Some((at, _)) = self.handlers.iter().enumerate().find(is_free) else {
            if self.beyond == 0 {
                self.streams[before.min(HANDLERS)].words = self.words;
            }
            self.beyond += 1;
            self.words = Words::default();
            return NONE;
        };
        self.handlers[at] = (frame, before);
        self.streams[before].words = self.words;
        self.used = at + 1;
        self.words = self.streams[at + 1].words;
        at
    }

    /// A handler ends.
    pub(crate) fn end_handler(&mut self, level: usize) {
        let Some(handler) = self.handlers.get_mut(level) else {
            self.beyond = self.beyond.saturating_sub(1);
            if self.beyond == 0 {
                self.words = self.streams[self.used.min(HANDLERS)].words;
            }
            return;
        };
        let before = handler.1;
        handler.0 = 0;
        // What it had begun and left goes on elsewhere.
        if self.used <= HANDLERS {
            self.streams[self.used].words = self.words;
        }
        self.used = before.min(HANDLERS);
        self.words = self.streams[self.used].words;
    }
}
