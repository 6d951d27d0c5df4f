//! The slots of an image: a copy of its region for each thread.
//!
//! Slot 0 is the region itself. The others come in chunks that double in size: chunk *c* holds the
//! slots 2^c … 2^(c+1)−1, one mapping and one part of the raw file. The memory is therefore at most
//! twice what the threads need that are alive at once. A slot never moves, since running code holds
//! its address.

use core::ptr::{self, NonNull};

use pathformat::raw::PAGE;
use process::sys::mapping::{self, At};
use process::sys::{self, File, OpenError, apart};

use crate::counters::{self, PageMap, Source, Window};
use crate::image::Image;
use crate::raw::RawFile;

/// The largest number of chunks, enough for two million threads.
pub(crate) const CHUNKS: usize = 21;

/// The largest part of a limited address space that a chunk takes, as a divisor, so that the
/// program does not lack it.
pub(crate) const ADDRESS_SPACE_PART: u64 = 64;

/// An offset that no raw file reaches.
const BEYOND: u64 = 1 << 40;

/// The number of a slot, the same in every image of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    /// The region itself, in which unregistered threads count.
    pub(crate) const REGION: Self = Self(0);

    /// The slot of the first thread.
    pub(crate) const FIRST: Self = Self(1);

    /// Returns the chunk of a slot other than the region, and the slot's index in it.
    pub(crate) fn place(self) -> (usize, usize) {
        let chunk = self.0.max(1).ilog2();
        (chunk as usize, (self.0.max(1) - (1 << chunk)) as usize)
    }
}

/// The memory of a chunk.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// The start of its first slot; null if it is not mapped.
    start: *mut u8,
    /// True if the raw file keeps it.
    kept: bool,
    /// True if no thread was given a slot in it since the process forked. Then the file does not
    /// keep it either.
    idle: bool,
}

/// The slots of one image.
pub(crate) struct Slots {
    region: *mut u8,
    size: usize,
    /// True if the raw file keeps the region itself.
    region_kept: bool,
    /// True if pages of the file were lost.
    cut: bool,
    chunks: [Chunk; CHUNKS],
    pub(crate) raw: RawFile,
}

impl Slots {
    /// Returns the state without slots, which is all zeros.
    pub(crate) const fn new() -> Self {
        let none = Chunk { start: ptr::null_mut(), kept: false, idle: false };
        let chunks = [none; CHUNKS];
        Self {
            region: ptr::null_mut(),
            size: 0,
            region_kept: false,
            cut: false,
            chunks,
            raw: RawFile::none(),
        }
    }

    /// Takes over the region of an image.
    pub(crate) fn adopt(&mut self, image: &Image) {
        self.region = image.region();
        self.size = image.region_size();
    }

    /// Returns the length of a slot in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns the start of a slot, if it is mapped.
    pub(crate) fn address(&self, slot: Slot) -> Option<NonNull<u8>> {
        if slot == Slot::REGION {
            return NonNull::new(self.region);
        }
        let (chunk, index) = slot.place();
        let start = self.chunks.get(chunk).map_or(ptr::null_mut(), |chunk| chunk.start);
        // This only computes an address. The code that uses it has checked that the chunk is
        // mapped.
        NonNull::new(start)
            .map(|start| start.map_addr(|start| start.saturating_add(index * self.size)))
    }

    /// Returns true if the raw file keeps a slot.
    pub(crate) fn is_kept(&self, slot: Slot) -> bool {
        slot == Slot::REGION && self.region_kept
            || slot != Slot::REGION
                && self.chunks.get(slot.place().0).is_some_and(|chunk| chunk.kept)
    }

    /// Returns true if threads may have counts that are in no file.
    pub(crate) fn has_private(&self) -> bool {
        let is_private = |chunk: &Chunk| !chunk.start.is_null() && !chunk.kept && !chunk.idle;
        self.cut || !self.region_kept || self.chunks.iter().any(is_private)
    }

    /// Returns true if pages of the file were lost.
    pub(crate) fn was_cut(&self) -> bool {
        self.cut
    }

    /// Records a cut of the file, even if no page was missed.
    pub(crate) fn look_for_cuts(&mut self) {
        self.cut |= self.raw.is_damaged();
    }

    /// Returns true if an address is in a part that the file keeps.
    pub(crate) fn has_kept(&self, address: usize) -> bool {
        self.kept_part(address & !(PAGE as usize - 1)).is_some()
    }

    /// Returns the part that the file keeps and that contains a page: its start, its length and its
    /// first slot.
    fn kept_part(&self, page: usize) -> Option<(*mut u8, usize, u64)> {
        let region = (self.region, self.size, self.region_kept, 0);
        let chunks = (0..CHUNKS).map(|number| {
            let chunk = self.chunks.get(number);
            let start = chunk.map_or(ptr::null_mut(), |chunk| chunk.start);
            (
                start,
                self.chunk_length(number).unwrap_or(0),
                chunk.is_some_and(|chunk| chunk.kept),
                1 << number,
            )
        });
        let within = |&(start, length, kept, _): &(*mut u8, usize, bool, u64)| {
            kept && page.wrapping_sub(start as usize) < length
        };
        let found = [region].into_iter().chain(chunks).find(within);
        found.map(|(start, length, _, slot)| (start, length, slot))
    }

    /// Withdraws the memory that the file keeps: a count in it raises a signal from now on. Only
    /// this process is affected, though others may have the file mapped.
    pub(crate) fn withdraw(&mut self) {
        let Ok(file) = self.raw.open() else { return };
        let region = (self.region, self.size, self.region_kept);
        let chunks = (0..CHUNKS).filter_map(|number| {
            let chunk = self.chunks.get(number)?;
            Some((chunk.start, self.chunk_length(number)?, chunk.kept))
        });
        for (start, length, kept) in [region].into_iter().chain(chunks) {
            if let Some(start) = NonNull::new(start).filter(|_| kept) {
                mapping::map_file(At::Over(start), length, &file, BEYOND);
            }
        }
    }

    /// Replaces a lost page of the file by other memory, if the address is in a part that the file
    /// keeps. A signal handler calls this, at any point of the program.
    pub(crate) fn rescue(&mut self, address: usize) -> bool {
        let page = address & !(PAGE as usize - 1);
        if let Some(flags) = self.raw.has_flags_at(address) {
            self.cut = true;
            return mapping::map_private(At::Over(flags), PAGE as usize).is_some();
        }
        let Some((start, length, slot)) = self.kept_part(page) else { return false };
        let distance = page - start as usize;
        // The pages behind one that the file does not reach are not in the file either.
        let reached = self.raw.reaches(self.raw.offset(slot, self.size as u64) + distance as u64);
        let lost = if reached { PAGE as usize } else { length - distance };
        self.cut = true;
        NonNull::new(page as *mut u8)
            .is_some_and(|page| mapping::map_private(At::Over(page), lost).is_some())
    }

    /// Returns the distance of the counters of a thread with this slot from the region; 0 if the
    /// slot is not mapped.
    pub(crate) fn delta(&self, slot: Slot) -> usize {
        self.address(slot)
            .map_or(0, |start| (start.as_ptr() as usize).wrapping_sub(self.region as usize))
    }

    /// Maps the chunk of a slot, if it is not mapped yet and there is room for it. A thread is
    /// about to use the slot.
    pub(crate) fn prepare(&mut self, slot: Slot, file: Option<&File>) {
        let (number, _) = slot.place();
        let Some(length) = self.chunk_length(number) else { return };
        let enough = length as u64 <= sys::address_space_limit() / ADDRESS_SPACE_PART;
        let Some(&known) = self.chunks.get(number).filter(|_| enough) else { return };
        if !known.start.is_null() && !known.idle {
            return;
        }
        let opened = if file.is_none() { self.raw.open() } else { Err(OpenError::Other) };
        if matches!(opened, Err(OpenError::Limit)) && apart::run(&mut || self.prepare(slot, None)) {
            return;
        }
        let file = file.or(opened.as_ref().ok());
        // After the file has grown again the loss of a part of it cannot be seen.
        self.cut |= file.is_some_and(|file| self.raw.is_cut(file));
        let chunk = match NonNull::new(known.start) {
            None => self.map_chunk(number, At::Anywhere, length, file),
            Some(start) => self.keep_chunk(number, start, length, file),
        };
        if let (Some(place), Some(chunk)) = (self.chunks.get_mut(number), chunk) {
            *place = chunk;
        }
        file.inspect(|file| self.raw.note_length(file));
    }

    /// Makes the file keep a chunk of private memory from now on, with the counts in it.
    fn keep_chunk(
        &self,
        number: usize,
        start: NonNull<u8>,
        length: usize,
        file: Option<&File>,
    ) -> Option<Chunk> {
        let private = Chunk { start: start.as_ptr(), kept: false, idle: false };
        let offset = self.raw.offset(1 << number, self.size as u64);
        let Some(file) = file.filter(|file| self.raw.make_room(file, offset, length as u64)) else {
            return Some(private);
        };
        let (map, mut window) = (PageMap::open(), Window::new());
        let mut source = Source::Memory(&map, &mut window);
        let is_standing = self.raw.block().is_some();
        let write = |at, count: u64| {
            // What is in a standing file must not be in memory as well, if that is not mapped.
            if file.add_at(count, offset + at as u64) && is_standing {
                // SAFETY: the chunk is mapped, and no thread counts in it yet.
                unsafe { counters::add(start, at, count.wrapping_neg()) };
            }
        };
        // SAFETY: the chunk is mapped for its whole length.
        unsafe { counters::visit(start, 0..length, &mut source, write) };
        let kept = mapping::map_file(At::Over(start), length, file, offset).is_some();
        Some(Chunk { kept, ..private })
    }

    fn chunk_length(&self, number: usize) -> Option<usize> {
        self.size.checked_shl(number as u32).filter(|length| length >> number == self.size)
    }

    /// Maps a chunk, from the file if that is possible.
    fn map_chunk(
        &self,
        number: usize,
        at: At,
        length: usize,
        file: Option<&File>,
    ) -> Option<Chunk> {
        let offset = self.raw.offset(1 << number, self.size as u64);
        let from_file = |file: &File| {
            let room = self.raw.make_room(file, offset, length as u64);
            room.then(|| mapping::map_file(at, length, file, offset)).flatten()
        };
        match file.and_then(from_file) {
            Some(start) => Some(Chunk { start: start.as_ptr(), kept: true, idle: false }),
            None => {
                let chunk =
                    |start: NonNull<u8>| Chunk { start: start.as_ptr(), kept: false, idle: false };
                mapping::map_private(at, length).map(chunk)
            }
        }
    }

    /// Makes the file keep the region from now on. Earlier counts must have been moved away.
    pub(crate) fn keep_region(&mut self, file: &File) -> bool {
        let offset = self.raw.offset(0, self.size as u64);
        let room = NonNull::new(self.region)
            .filter(|_| self.raw.make_room(file, offset, self.size as u64));
        let mapped =
            room.and_then(|region| mapping::map_file(At::Over(region), self.size, file, offset));
        self.region_kept = mapped.is_some();
        self.raw.note_length(file);
        self.region_kept
    }

    /// Unmaps all slots but the region. No thread may count in them any more.
    pub(crate) fn unmap(&mut self) {
        for number in 0..CHUNKS {
            let length = self.chunk_length(number).unwrap_or(0);
            if let Some(place) = self.chunks.get_mut(number)
                && let Some(start) = NonNull::new(place.start)
            {
                place.start = ptr::null_mut();
                // SAFETY: it was mapped here, and no code uses it.
                unsafe { mapping::unmap(start, length) };
            }
        }
    }

    /// Starts again from zero at the same addresses, in a forked child. The file keeps only the
    /// region and the chunk of `slot`. Nothing may count meanwhile.
    pub(crate) fn start_again(&mut self, slot: Slot, file: Option<&File>) {
        (self.region_kept, self.cut) = (false, false);
        if !file.is_some_and(|file| self.keep_region(file))
            && let Some(region) = NonNull::new(self.region)
        {
            mapping::map_private(At::Over(region), self.size);
        }
        for number in 0..CHUNKS {
            let start = self.chunks.get(number).and_then(|chunk| NonNull::new(chunk.start));
            if let (Some(start), Some(length)) = (start, self.chunk_length(number)) {
                let used = slot != Slot::REGION && slot.place().0 == number;
                let again = self.map_chunk(number, At::Over(start), length, file.filter(|_| used));
                if let (Some(place), Some(again)) = (self.chunks.get_mut(number), again) {
                    *place = Chunk { idle: !used, ..again };
                }
            }
        }
        file.inspect(|file| self.raw.note_length(file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_lie_in_chunks_that_double() {
        let places: Vec<_> = (1..9).map(|slot| Slot(slot).place()).collect();
        assert_eq!(places, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3), (3, 0)]);
    }

    #[test]
    fn a_slot_is_a_copy_of_its_own() {
        let region = mapping::map_private(At::Anywhere, 8192).expect("memory");
        let mut slots = Slots { region: region.as_ptr(), size: 8192, ..Slots::new() };
        assert_eq!((slots.delta(Slot::FIRST), slots.delta(Slot::REGION)), (0, 0));
        for slot in 1..8 {
            slots.prepare(Slot(slot), None);
        }
        for slot in 0..8 {
            let start = slots.address(Slot(slot)).expect("mapped").as_ptr();
            assert_eq!(
                start as usize,
                (region.as_ptr() as usize).wrapping_add(slots.delta(Slot(slot)))
            );
            assert!(!slots.is_kept(Slot(slot)));
            // SAFETY: the slot is mapped for its whole length.
            unsafe { ptr::write_bytes(start, slot as u8, 8192) };
        }
        for slot in 0..8 {
            let start = slots.address(Slot(slot)).expect("mapped").as_ptr();
            // SAFETY: as above.
            let bytes = unsafe { core::slice::from_raw_parts(start, 8192) };
            assert!(bytes.iter().all(|&byte| byte == slot as u8), "slot {slot}");
        }
        slots.start_again(Slot(2), None);
        for slot in 0..8 {
            let start = slots.address(Slot(slot)).expect("still mapped").as_ptr();
            // SAFETY: as above.
            assert_eq!(unsafe { start.read() }, 0);
        }
        assert!(slots.address(Slot(8)).is_none());
    }
}
