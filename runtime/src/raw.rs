//! The raw file, in which the kernel keeps the counters even if the process is killed.
//!
//! A write to a page of a mapped file for which the disk has no room kills the program, and so does
//! growing a file beyond the limit of the process. A part of the file is therefore mapped only when
//! it has its room on the disk, or, where that would cost too much, when the disk is far from full.
//! Otherwise the counters stay in private memory: as exact, but lost if the program is killed.
//!
//! Its descriptor is kept (`sys/kept.rs`). Programs may close descriptors that they did not open.
//! Then the file is opened again by its path when it grows, and left alone if the path names
//! another file by then. The page with the flags stays mapped.
//!
//! Another process that cuts the file takes away the pages in which this process counts. No other
//! kind of memory avoids that. Only pages of a file with a name outlive a process that is killed,
//! and the kernel drops the pages of any file that becomes shorter. Files in memory can be sealed
//! against that, but end with the process. System V segments cannot be cut, but belong to no
//! process once it is gone. A second process that copies would be visible to the program. The file
//! is therefore private to its owner, and its name is one that `*` does not match. A process that
//! still loses its pages goes on counting in other memory (`rescue.rs`).

use core::mem::{self, offset_of};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU32, Ordering};

use linux_raw_sys::general::TMPFS_MAGIC;
use pathformat::label::Label;
use pathformat::profile::{Head, RunId};
use pathformat::raw::{self, ArrayPlace, FLAGS_OFFSET, PAGE};
use pathformat::standing::Block;
use process::environment::Environment;
use process::sys::kept::Kept;
use process::sys::mapping::{self, At};
use process::sys::{self, File, Identity, OpenError, apart};
use process::target;
use process::text::Path;

use crate::collected::Collected;
use crate::creation::{Room, create_free};
use crate::image::Image;
use crate::label::{read_label, write_label, write_segments};
use crate::standing;

/// The first word of a raw file.
const MAGIC: u64 = u64::from_le_bytes(raw::MAGIC);

/// The size up to which a program that may run long always reserves room.
const SMALL: u64 = 1 << 20;

/// The size for a forked child, which is smaller, since many children execute another program and
/// leave the file behind.
const SMALL_FOR_CHILD: u64 = 1 << 18;

/// The free space of a disk on which nothing needs to be reserved ahead ...
const PLENTY: u64 = 1 << 30;

/// ... if it is also this multiple of what is mapped.
const PLENTY_TIMES: u64 = 64;

/// A raw file that this process made or took.
pub(crate) struct RawFile {
    path: Path,
    identity: Identity,
    kept: Kept,
    header_size: u64,
    /// The length of the file when it last became longer.
    length: u64,
    /// The page of the file with the flags, its first one or the block of a standing file; null if
    /// it is not mapped.
    page: *mut u8,
    /// True if the file is standing.
    is_standing: bool,
    /// True if it was when it was taken: its header has a block.
    has_block: bool,
    /// The run of this process in a standing file.
    run: RunId,
    /// True if this process is a forked child.
    child: bool,
}

impl RawFile {
    /// Returns the state without a file.
    pub(crate) const fn none() -> Self {
        let page = ptr::null_mut();
        let (path, identity, kept) = (Path::new(), Identity::NONE, Kept::NONE);
        let (child, is_standing, has_block, run) = (false, false, false, RunId::NONE);
        let (header_size, length) = (0, 0);
        Self { path, identity, kept, header_size, length, page, is_standing, has_block, run, child }
    }

    /// Closes the file and forgets it.
    pub(crate) fn forget(&mut self) {
        (self.identity, self.is_standing, self.has_block) = (Identity::NONE, false, false);
        self.kept.close();
        if let Some(page) = NonNull::new(mem::replace(&mut self.page, ptr::null_mut())) {
            // SAFETY: it was mapped here, and no other code uses it.
            unsafe { mapping::unmap(page, PAGE as usize) };
        }
    }

    /// Returns true if there is a file.
    pub(crate) fn exists(&self) -> bool {
        self.identity != Identity::NONE
    }

    /// Returns the block, if the file is standing.
    pub(crate) fn block(&self) -> Option<NonNull<Block>> {
        NonNull::new(self.page).filter(|_| self.is_standing).map(NonNull::cast)
    }

    /// Takes a standing file (`standing.rs`), if there is one, and returns it open.
    pub(crate) fn take(
        &mut self,
        environment: &Environment,
        image: &Image,
        label: &[u8],
        is_one_of_many: bool,
        room: &mut Room,
    ) -> Option<File> {
        self.forget();
        if !standing::is_possible(environment) {
            return None;
        }
        let wanted = standing::Wanted { environment, image, label, is_one_of_many };
        let taken = standing::take(wanted, room, &mut self.path)?;
        (self.child, self.run) = (environment.forked(), taken.run);
        (self.is_standing, self.has_block) = (true, true);
        (self.header_size, self.length) = (taken.header_size, taken.length);
        self.page = taken.block.as_ptr().cast();
        self.identity = taken.file.identity().unwrap_or(Identity::NONE);
        if !apart::is_apart() {
            self.kept = Kept::keep(&taken.file);
        }
        self.add_flags(environment.origin.flags);
        Some(taken.file)
    }

    /// Creates the file with its header, and returns it open.
    pub(crate) fn create(
        &mut self,
        environment: &Environment,
        head: &Head<'_>,
        region_size: u64,
        map: Option<&[u8]>,
        places: impl Iterator<Item = ArrayPlace> + Clone,
        room: &mut Room,
    ) -> Result<File, OpenError> {
        self.forget();
        (self.child, self.length) = (environment.forked(), 0);
        if !target::resolve(environment, 1, &mut room.scratch, &mut self.path) {
            return Err(OpenError::Other);
        }
        let file = create_free(environment, &room.scratch, &mut self.path)?;
        let mut header = Collected::new(&mut room.buffer);
        self.header_size = raw::write_header(&mut header, head, region_size, map, places);
        let fits = self.header_size <= sys::file_size_limit();
        let bytes = header.bytes().filter(|_| fits);
        // The flags are set through a mapping, so all of the page needs its room, not only the part
        // that is written.
        if bytes.is_some_and(|bytes| file.write_all(bytes))
            && file.allocate(0, self.header_size)
            && let Some(identity) = file.identity()
        {
            self.identity = identity;
            let page = mapping::map_file(At::Anywhere, PAGE as usize, &file, 0);
            self.page = page.map_or(ptr::null_mut(), NonNull::as_ptr);
            if !apart::is_apart() {
                self.kept = Kept::keep(&file);
            }
            return Ok(file);
        }
        environment.origin.place(&mut self.path).inspect(|place| sys::unlink(*place));
        Err(OpenError::Other)
    }

    /// Returns the run of this process in a standing file.
    pub(crate) fn standing_run(&self) -> Option<RunId> {
        self.block().map(|_| self.run)
    }

    /// Reads the label of what is counted in the file; `None` if it is standing, or cannot be read.
    pub(crate) fn label(&mut self) -> Option<Label> {
        let offset = self.label_offset()?;
        read_label(&self.open().ok()?, offset)
    }

    /// Returns the offset of the label in the file; `None` if there is no file, or it is standing.
    pub(crate) fn label_offset(&self) -> Option<u64> {
        raw::label_offset(self.header_size, false).filter(|_| self.exists() && !self.has_block)
    }

    /// Writes the label of what is counted from here on, if it changes, and the number of segments
    /// that this process has appended. The header of a standing file does not change.
    pub(crate) fn set_label(&mut self, text: Option<&[u8]>, segments: u32) {
        if let Some(offset) = self.label_offset()
            && let Ok(file) = self.open()
        {
            match text {
                Some(text) => write_label(&file, offset, text, segments),
                None => write_segments(&file, offset, segments),
            };
        }
    }

    /// Returns true if the file is known to have no name any more.
    pub(crate) fn is_removed(&self) -> bool {
        self.kept.file().and_then(|file| file.made()).is_some_and(|made| made.links == 0)
    }

    /// Keeps a standing file that has no name any more as one of this process's own.
    pub(crate) fn own(&mut self) {
        self.is_standing = false;
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file again, if it is still at its path.
    pub(crate) fn open(&mut self) -> Result<File, OpenError> {
        if !self.exists() {
            return Err(OpenError::Other);
        }
        if let Some(file) = self.kept.file() {
            return Ok(file);
        }
        let file = File::open_to_change(self.path.as_path().ok_or(OpenError::Other)?.into())?;
        if file.identity() == Some(self.identity) { Ok(file) } else { Err(OpenError::Other) }
    }

    /// Returns true if the file still reaches to an offset, as far as is known.
    pub(crate) fn reaches(&self, offset: u64) -> bool {
        self.kept.file().and_then(|file| file.length()).is_none_or(|length| length > offset)
    }

    /// Records the length of a file that has grown.
    pub(crate) fn note_length(&mut self, file: &File) {
        self.length = file.length().unwrap_or(self.length);
    }

    /// Returns true if the file has lost its beginning, as when it is emptied, or its end.
    pub(crate) fn is_damaged(&mut self) -> bool {
        self.open().is_ok_and(|file| self.is_cut(&file))
    }

    /// Returns the same for the open file.
    pub(crate) fn is_cut(&self, file: &File) -> bool {
        let mut start = [0];
        let begins = file.read_words_at(&mut start, 0) == 1 && start == [MAGIC];
        self.exists() && (!begins || file.length().is_some_and(|length| length < self.length))
    }

    /// Returns the page with the flags if an address is on it.
    pub(crate) fn has_flags_at(&self, address: usize) -> Option<NonNull<u8>> {
        NonNull::new(self.page)
            .filter(|page| (address.wrapping_sub(page.as_ptr() as usize) as u64) < PAGE)
    }

    /// Returns the offset of a slot in the file.
    pub(crate) fn offset(&self, slot: u64, region_size: u64) -> u64 {
        self.header_size + slot * region_size
    }

    /// Makes sure that a part of the file can be mapped and written without harm.
    pub(crate) fn make_room(&self, file: &File, start: u64, length: u64) -> bool {
        let end = start.saturating_add(length);
        let reserved = self.block().map(|block| (block, standing::reserved(block)));
        let is_there = || file.length().is_some_and(|length| end <= length);
        if reserved.is_some_and(|(_, reserved)| end <= reserved) && is_there() {
            return true;
        }
        let Some(system) = file.file_system() else { return false };
        if end > sys::file_size_limit() || system.free / 2 < length {
            return false;
        }
        let small = if self.child { SMALL_FOR_CHILD } else { SMALL };
        if length <= small || !(self.child || system.kind == u64::from(TMPFS_MAGIC)) {
            let done = file.allocate(start, length);
            if let Some((block, known)) = reserved.filter(|_| done)
                && start <= known.max(self.header_size)
            {
                standing::set_reserved(block, end);
            }
            return done;
        }
        system.free >= PLENTY.max(length.saturating_mul(PLENTY_TIMES)) && file.grow(end)
    }

    /// Sets flags in the file.
    pub(crate) fn add_flags(&mut self, flags: u32) {
        if let Some(page) = NonNull::new(self.page) {
            let offset =
                if self.is_standing { offset_of!(Block, flags) } else { FLAGS_OFFSET as usize };
            // SAFETY: this is a page of the file, where the flags are an aligned word.
            let word = unsafe { AtomicU32::from_ptr(page.as_ptr().add(offset).cast()) };
            word.fetch_or(flags, Ordering::Relaxed);
        }
    }

    /// Removes the file, unless it is standing, or its path names another file by now.
    pub(crate) fn remove(&mut self, environment: &Environment) {
        if self.exists()
            && !self.is_standing
            && let Some(place) = environment.origin.place(&mut self.path)
            && sys::identity_of(place) == self.identity
        {
            sys::unlink(place);
        }
        self.forget();
    }
}
