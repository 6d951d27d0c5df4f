//! Writes events into the stream of the calling thread, and takes tickets.
//!
//! As long as there is room it takes no lock and blocks no signal. A handler that interrupts has a
//! stream of its own, and the thread's words are unchanged when it has ended. A handler that
//! interrupts a thread without any stream begins that thread's own, and sets the words. Nothing was
//! written before, since a thread without a stream has no room.

use core::arch::asm;
use core::mem::size_of;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use pathformat::trace::RecordKind;
use zerocopy::{Immutable, IntoBytes};

use crate::block::Block;

/// Takes a ticket: a number, from 1, that is unique in the process.
pub(crate) fn ticket() -> u64 {
    let place: usize;
    // SAFETY: reads a constant of the image.
    unsafe {
        asm!(
            "movq __pathcc.trace.tickets@GOTPCREL(%rip), {place}",
            place = out(reg) place,
            options(att_syntax, nostack, pure, readonly),
        );
    }
    // SAFETY: all images of the process change this word by atomic operations only.
    let tickets = unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(place)) };
    tickets.fetch_add(1, Ordering::Relaxed) + 1
}

unsafe extern "C" {
    /// Returns the place of the next record, in a chunk that has room.
    #[link_name = "__pathcc.trace.room"]
    fn give_room() -> usize;
}

/// Writes an event.
pub(crate) fn write<T: IntoBytes + Immutable>(kind: RecordKind, payload: &T) {
    let words = Block::own();
    // SAFETY: the thread's own memory. A thread without a stream asks for one first, which decides
    // whether its paths are recorded.
    let is_alone = unsafe {
        if (*words).state.is_null() {
            give_room();
        }
        (*words).begin_event()
    };
    // SAFETY: the thread's own memory. The places are in its chunk, which has more room than an
    // event takes wherever a record may start.
    unsafe {
        let mut at = (&raw const (*words).words.next).read_volatile();
        if at >= (&raw const (*words).words.limit).read_volatile() {
            at = give_room();
        }
        let record = ptr::with_exposed_provenance_mut::<u8>(at);
        let bytes = payload.as_bytes();
        let content = record.add(size_of::<u32>());
        ptr::copy_nonoverlapping(bytes.as_ptr(), content, bytes.len());
        // The content must be there before the word that describes it: the process may be killed.
        core::sync::atomic::compiler_fence(Ordering::Release);
        record.cast::<u32>().write_unaligned(kind.word(bytes.len() as u32));
        core::sync::atomic::compiler_fence(Ordering::Release);
        let next = at + size_of::<u32>() + bytes.len();
        (&raw mut (*words).words.next).write_volatile(next);
        if is_alone {
            (*words).end_event();
        }
    }
}
