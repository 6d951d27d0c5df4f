//! Compression of a full chunk, if the program's environment turns it on.
//!
//! Zstandard in C does the work, at its fastest ordinary level. Its only memory is mapped here,
//! once for the process and when the first chunk is full. It runs on a stack of its own, since a
//! handler of signals, or a thread with a small stack, may have no room for it. The holder of the
//! tracer's lock uses it alone.

use core::arch::asm;
use core::ffi::c_int;
use core::ptr::NonNull;
use core::slice;

use process::sys::mapping::{self, At};
use zstd_sys::{
    ZSTD_CCtx, ZSTD_CCtx_setParameter, ZSTD_cParameter, ZSTD_compress2, ZSTD_estimateCCtxSize,
    ZSTD_initStaticCCtx, ZSTD_isError,
};

use crate::file::CHUNK;

/// The level, as measured on traces: higher levels save little and take longer.
const LEVEL: c_int = 1;

/// The size of the stack. Zstandard takes less than 8 KiB of it.
const STACK: usize = 64 << 10;

/// The largest length of a frame. A frame saves at least a page, or the records are written as they
/// are.
const LONGEST_FRAME: usize = CHUNK - pathformat::trace::CHUNK_HEAD - pathformat::raw::PAGE as usize;

/// The compressor. All-zero bytes are one that is off.
pub(crate) struct Compressor {
    /// True if chunks are to be compressed.
    is_wanted: bool,
    tools: Option<Tools>,
}

/// The memory of the encoder: a stack, room for a frame, and its state.
#[derive(Clone, Copy)]
struct Tools {
    memory: NonNull<u8>,
    context: NonNull<ZSTD_CCtx>,
}

/// A call of the encoder, for one frame.
struct Task {
    context: NonNull<ZSTD_CCtx>,
    records: *const u8,
    length: usize,
    frame: *mut u8,
    result: usize,
}

impl Compressor {
    /// Returns a compressor that is off.
    pub(crate) const fn new() -> Self {
        Self { is_wanted: false, tools: None }
    }

    /// Turns the compression of later chunks on or off.
    pub(crate) fn want(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
    }

    /// Returns a frame of the records of a chunk; `None` if they are to be written as they are.
    pub(crate) fn frame(&mut self, records: &[u8]) -> Option<&[u8]> {
        if !self.is_wanted {
            return None;
        }
        let Some(tools) = self.tools.or_else(Tools::new) else {
            // It is not tried again: a shortage of memory lasts for a while.
            self.is_wanted = false;
            return None;
        };
        self.tools = Some(tools);
        // SAFETY: the stack ends there, and the memory of the frame begins.
        let frame = unsafe { tools.memory.add(STACK) };
        let mut task = Task {
            context: tools.context,
            records: records.as_ptr(),
            length: records.len(),
            frame: frame.as_ptr(),
            result: 0,
        };
        // SAFETY: the stack is ours, and the caller uses the compressor alone.
        unsafe { on_stack(frame.as_ptr(), compress, &mut task) };
        // SAFETY: takes a number. One possible error is that the frame would be too long.
        if unsafe { ZSTD_isError(task.result) } != 0 {
            return None;
        }
        // SAFETY: `result` bytes were written there.
        Some(unsafe { slice::from_raw_parts(frame.as_ptr(), task.result) })
    }

    /// Unmaps the memory.
    pub(crate) fn close(&mut self) {
        if let Some(tools) = self.tools.take() {
            // SAFETY: it was mapped here, and no code uses it any more.
            unsafe { mapping::unmap(tools.memory, length()) };
        }
    }
}

/// Returns the number of bytes of the encoder's state.
fn state() -> usize {
    // SAFETY: computes a number.
    unsafe { ZSTD_estimateCCtxSize(LEVEL) }
}

/// Returns the number of bytes that are mapped.
fn length() -> usize {
    STACK + CHUNK + state()
}

impl Tools {
    /// Maps the memory; `None` if there is none.
    fn new() -> Option<Self> {
        let memory = mapping::map_private(At::Anywhere, length())?;
        // SAFETY: the memory is long enough.
        let place = unsafe { memory.add(STACK + CHUNK) };
        // SAFETY: the memory is long enough, begins at a page, and stays until it is unmapped.
        let context = unsafe { ZSTD_initStaticCCtx(place.as_ptr().cast(), state()) };
        let made = NonNull::new(context).filter(|context| {
            // A checksum detects damage.
            let parameters = [
                (ZSTD_cParameter::ZSTD_c_compressionLevel, LEVEL),
                (ZSTD_cParameter::ZSTD_c_checksumFlag, 1),
            ];
            parameters.into_iter().all(|(which, value)| {
                // SAFETY: the encoder was created just now.
                unsafe { ZSTD_isError(ZSTD_CCtx_setParameter(context.as_ptr(), which, value)) == 0 }
            })
        });
        if made.is_none() {
            // SAFETY: it was mapped just now.
            unsafe { mapping::unmap(memory, length()) };
        }
        made.map(|context| Self { memory, context })
    }
}

/// Makes a frame.
extern "C" fn compress(task: &mut Task) {
    // SAFETY: the encoder, the records and the memory of the frame belong to the caller, which
    // waits.
    task.result = unsafe {
        ZSTD_compress2(
            task.context.as_ptr(),
            task.frame.cast(),
            LONGEST_FRAME,
            task.records.cast(),
            task.length,
        )
    };
}

/// Calls a function on another stack.
///
/// # Safety
/// `end` must be the end of memory for a stack, at a multiple of 16, that no other code uses.
unsafe fn on_stack(end: *mut u8, function: extern "C" fn(&mut Task), task: &mut Task) {
    // SAFETY: the function returns, and then the stack is the former one again.
    unsafe {
        asm!(
            "mov r12, rsp",
            "mov rsp, {end}",
            "call {function}",
            "mov rsp, r12",
            end = in(reg) end,
            function = in(reg) function,
            in("rdi") task,
            out("r12") _,
            clobber_abi("C"),
        );
    }
}

/// The functions that Zstandard would call without given memory. `scripts/stage` puts these in the
/// place of `malloc`, `calloc` and `free`, so that no function of the program is called.
#[cfg(panic = "abort")]
mod no_memory {
    use core::ffi::c_void;
    use core::ptr;

    /// Replaces `malloc`.
    #[unsafe(no_mangle)]
    extern "C" fn __pathcc_trace_no_memory() -> *mut c_void {
        ptr::null_mut()
    }

    /// Replaces `calloc`.
    #[unsafe(no_mangle)]
    extern "C" fn __pathcc_trace_no_zeros() -> *mut c_void {
        ptr::null_mut()
    }

    /// Replaces `free`.
    #[unsafe(no_mangle)]
    extern "C" fn __pathcc_trace_no_free(_memory: *mut c_void) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_a_frame_if_that_saves_a_page() {
        let mut compressor = Compressor::new();
        let records: Vec<u8> = (0..CHUNK as u32 - 64).map(|at| (at / 7 % 13) as u8).collect();
        assert_eq!(compressor.frame(&records), None);
        compressor.want(true);
        for _ in 0..2 {
            let frame = compressor.frame(&records).expect("it saves much");
            assert!(frame.len() < CHUNK / 8);
            assert_eq!(zstd::bulk::decompress(frame, CHUNK).expect("sound"), records);
        }
        // Xorshift, of which no part repeats.
        let mut state = 1_u64;
        let noise: Vec<u8> = records
            .iter()
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state as u8
            })
            .collect();
        assert_eq!(compressor.frame(&noise), None);
        assert!(compressor.frame(&records).is_some());
        compressor.close();
        assert!(compressor.frame(&records).is_some());
        compressor.want(false);
        assert_eq!(compressor.frame(&records), None);
    }
}
