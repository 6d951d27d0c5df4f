//! The raw file: where the kernel keeps the counters, whatever ends the process.
//!
//! A write to a page of a mapped file that the disk has no room for kills the program, and so does making a file
//! longer than the process may. So a part of the file is only mapped when it has its room on the disk, or, where that would
//! cost too much, when the disk is far from full. Otherwise the counters stay in private memory: as exact, and lost
//! if the program is killed.
//!
//! No descriptor is kept: programs close what they do not know. The file is opened again by its path when it
//! grows, and left alone if that names another file by then. Its first page stays mapped, for the flags.

use core::mem;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU32, Ordering};

use pathformat::profile::Head;
use pathformat::raw::{self, FLAGS_OFFSET, PAGE, Place};

use crate::environment::Environment;
use crate::sink::{BUFFER, FileSink};
use crate::sys::mapping::{self, At};
use crate::sys::{self, File, Identity, OpenError};
use crate::target;
use crate::text::Path;

/// What follows the profile's name.
const SUFFIX: &[u8] = b".raw";

/// Reserving so much for a program that may run long is always fine.
const SMALL: u64 = 1 << 20;

/// For a forked child it is less, since many of them execute another program and leave the file behind.
const SMALL_FOR_CHILD: u64 = 1 << 18;

/// On a disk with so much free space nothing needs to be reserved ahead ...
const PLENTY: u64 = 1 << 30;

/// ... if it is also so many times what is mapped.
const PLENTY_TIMES: u64 = 64;

/// Reserved room is memory on this file system.
const TMPFS: u64 = 0x0102_1994;

/// A name that is taken belongs to a process that was killed; after so many of them we give up.
const MOST_NAMES: u32 = 1000;

/// A raw file that this process made.
pub(crate) struct RawFile {
    path: Path,
    identity: Identity,
    header_size: u64,
    /// The first page of the file; null if it is not mapped.
    page: *mut u8,
    /// Whether this process is a forked child.
    child: bool,
}

/// Room to work in, kept off the stack.
pub(crate) struct Room {
    scratch: Path,
    buffer: [u8; BUFFER],
}

impl Room {
    /// Empty room.
    pub(crate) const fn new() -> Self {
        Self { scratch: Path::new(), buffer: [0; BUFFER] }
    }
}

impl RawFile {
    /// No file.
    pub(crate) const fn none() -> Self {
        let page = ptr::null_mut();
        Self { path: Path::new(), identity: Identity::NONE, header_size: 0, page, child: false }
    }

    /// Forgets the file.
    pub(crate) fn forget(&mut self) {
        self.identity = Identity::NONE;
        if let Some(page) = NonNull::new(mem::replace(&mut self.page, ptr::null_mut())) {
            // SAFETY: mapped by us, and nobody else uses it.
            unsafe { mapping::unmap(page, PAGE as usize) };
        }
    }

    /// Whether there is a file.
    pub(crate) fn exists(&self) -> bool {
        self.identity != Identity::NONE
    }

    /// Makes the file with its header; gives it open, or `None` if that is not possible.
    pub(crate) fn create(
        &mut self,
        environment: &Environment,
        head: &Head<'_>,
        region_size: u64,
        map: Option<&[u8]>,
        places: impl Iterator<Item = Place> + Clone,
        room: &mut Room,
    ) -> Option<File> {
        self.forget();
        self.child = environment.forked();
        let file = self.create_free_name(environment, room)?;
        let mut sink = FileSink::new(&file, &mut room.buffer);
        self.header_size = raw::write_header(&mut sink, head, region_size, map, places);
        if sink.finish()
            && let Some(identity) = file.identity()
        {
            self.identity = identity;
            let page = mapping::map_file(At::Anywhere, PAGE as usize, &file, 0);
            self.page = page.map_or(ptr::null_mut(), NonNull::as_ptr);
            return Some(file);
        }
        self.path.as_path().inspect(|path| sys::unlink(path));
        None
    }

    fn create_free_name(&mut self, environment: &Environment, room: &mut Room) -> Option<File> {
        for number in 1..MOST_NAMES {
            if !target::resolve(environment, number, &mut self.path, &mut room.scratch) {
                return None;
            }
            self.path.push_all(SUFFIX);
            match File::create(self.path.as_path()?) {
                Ok(file) => return Some(file),
                Err(OpenError::Exists) => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Opens the file again, if it is still at its place.
    pub(crate) fn open(&mut self) -> Option<File> {
        if !self.exists() {
            return None;
        }
        let file = File::open_to_change(self.path.as_path()?).ok()?;
        (file.identity() == Some(self.identity)).then_some(file)
    }

    /// Where slot number `slot` starts in the file.
    pub(crate) fn offset(&self, slot: u64, region_size: u64) -> u64 {
        self.header_size + slot * region_size
    }

    /// Makes sure that a part of the file can be mapped and written without harm.
    pub(crate) fn make_room(&self, file: &File, start: u64, length: u64) -> bool {
        let Some(system) = file.file_system() else { return false };
        if start.saturating_add(length) > sys::file_size_limit() || system.free / 2 < length {
            return false;
        }
        let small = if self.child { SMALL_FOR_CHILD } else { SMALL };
        if length <= small || !(self.child || system.kind == TMPFS) {
            return file.allocate(start, length);
        }
        system.free >= PLENTY.max(length.saturating_mul(PLENTY_TIMES)) && file.set_length(start + length)
    }

    /// Sets flags in the file.
    pub(crate) fn add_flags(&mut self, flags: u32) {
        if let Some(page) = NonNull::new(self.page) {
            // SAFETY: a page of the file, where the flags are an aligned word.
            let word = unsafe { AtomicU32::from_ptr(page.as_ptr().add(FLAGS_OFFSET as usize).cast()) };
            word.fetch_or(flags, Ordering::Relaxed);
        }
    }

    /// Removes the file.
    pub(crate) fn remove(&mut self) {
        if self.open().is_some() {
            self.path.as_path().inspect(|path| sys::unlink(path));
        }
        self.forget();
    }
}
