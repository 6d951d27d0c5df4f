//! Writes events into the stream of the calling thread, and takes tickets.
//!
//! An event can be completed as long as it is the last record of its stream.
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
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::block::Block;
use crate::written::Written;

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
    #[link_name = "__pathcc.trace.more"]
    fn give_room() -> usize;

    /// Lets other threads have the memory of the calling thread, which ends.
    #[link_name = "__pathcc_trace_end_thread"]
    fn give_memory_away();
}

/// Lets other threads have the memory of the calling thread, whose last event is written. It may
/// still record paths.
pub(crate) fn end_thread() {
    // SAFETY: the thread is in no path, so that the place of its next record is in its words.
    unsafe { give_memory_away() }
}

impl Written {
    /// Returns the payload of the event, if it is of this type and still the last record of the
    /// stream. The memory of a full chunk is used again for the next one.
    pub(crate) fn payload<'a, T: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned>(
        self,
    ) -> Option<&'a mut T> {
        if self == Self::NONE || self != Self::last() {
            return None;
        }
        let start = self.behind.checked_sub(size_of::<T>())?;
        // SAFETY: the thread's own memory, which it has just filled with as many bytes. Nothing is
        // written there until the next record.
        unsafe { ptr::with_exposed_provenance_mut::<T>(start).as_mut() }
    }

    /// Returns the end of the last record.
    fn last() -> Self {
        // SAFETY: the thread's own memory.
        let block = unsafe { &mut *Block::own() };
        // SAFETY: null, or the thread's own memory.
        let state = unsafe { block.state.as_mut() };
        let chunks = state.map_or(0, |state| state.current().0.chunks);
        Self { behind: block.place(), chunks }
    }
}

/// Returns the payload of the last record of the stream, if that is an event of this kind.
pub(crate) fn last<T: FromBytes>(kind: RecordKind) -> Option<T> {
    // SAFETY: the thread's own memory.
    let words = unsafe { (*Block::own()).words };
    // A thread without room has no records.
    let start = words.next.checked_sub(size_of::<u32>() + size_of::<T>())?;
    if words.limit == 0 {
        return None;
    }
    // SAFETY: the thread's own memory: its records, and in front of them the head of a chunk, or
    // the thread's block and state, which are longer than the payload.
    unsafe {
        let word = ptr::with_exposed_provenance::<u32>(start).read_unaligned();
        let payload = ptr::with_exposed_provenance::<T>(start + size_of::<u32>());
        (word == kind.word(size_of::<T>() as u32)).then(|| payload.read_unaligned())
    }
}

/// Writes an event.
pub(crate) fn write<T: IntoBytes + Immutable>(kind: RecordKind, payload: &T) -> Written {
    // SAFETY: the thread's own memory. A thread without a stream asks for one first, which decides
    // whether its paths are recorded.
    let is_alone = unsafe {
        if (*Block::own()).state.is_null() {
            give_room();
        }
        (*Block::own()).begin_event()
    };
    // SAFETY: the thread's own memory. The places are in its chunk, which has more room than an
    // event takes wherever a record may start.
    unsafe {
        let mut block = Block::own();
        let mut at = (&raw const (*block).words.next).read_volatile();
        if at >= (&raw const (*block).words.limit).read_volatile() {
            at = give_room();
            block = Block::own();
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
        (&raw mut (*block).words.next).write_volatile(next);
        if is_alone {
            (*block).end_event();
        }
    }
    Written::last()
}
