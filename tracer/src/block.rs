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
    unused: u32,
}

/// The memory of a thread.
#[repr(C)]
pub(crate) struct Block {
    pub(crate) words: Words,
    runtime: usize,
    /// Which stream is in use.
    pub(crate) depth: usize,
    /// The thread's own stream, and those of handlers.
    pub(crate) streams: [Stream; HANDLERS + 1],
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

    /// The stream that is in use, and the one that it interrupts.
    pub(crate) fn current(&mut self) -> (&mut Stream, u32) {
        let depth = self.depth.min(HANDLERS);
        let (before, from) = self.streams.split_at_mut(depth);
        let interrupted = before.last().map_or(0, |stream| stream.number);
        (&mut from[0], interrupted)
    }
}
