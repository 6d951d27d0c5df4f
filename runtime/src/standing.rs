//! Standing raw files, which one process takes after the other (`format/src/standing.rs`).
//!
//! Most of what a short process would pay for its counters is not counting. A file is created,
//! gets its room on the disk, is read at the end and removed, and each page that is new to the file
//! costs three times a page that was there. A standing file is only locked and mapped. The lock
//! stays with the mapping, and goes with it: at the end, when the process is killed, when it
//! executes another program, and, in a forked child, when other memory is mapped over it.
//!
//! An image begins with a file for each process, so that each can be shown by itself. If sixteen
//! processes have written their records to a profile within a second, the last of them leaves a
//! standing file ([`make_ready`]). Those that start later take it, or make another one while others
//! have it ([`take`]). If none was taken for ten seconds, each process has its own file again.
//!
//! A forked child often executes another program, and then writes no record. It takes a standing
//! file if its parent has one, or has forked sixteen children within a second ([`Forks`]).

use core::mem::offset_of;
use core::ptr::{self, NonNull};

use linux_raw_sys::general::BTRFS_SUPER_MAGIC;
use pathformat::RAW_VERSION;
use pathformat::descriptor::Module;
use pathformat::label;
use pathformat::profile::{ENDING, Front, Head, RunId, length_before};
use pathformat::raw::{self, PAGE, STANDING, label_offset};
use pathformat::standing::{Block, MOST_FILES, MOST_STARTS, READY, Run};
use process::environment::Environment;
use process::pattern::{self, Keeping};
use process::sys::mapping::{self, At};
use process::sys::{self, File, FilePlace, FileSystem, Locked, Made, Names, OpenError};
use process::target;
use process::text::Path;

use crate::collected::Collected;
use crate::creation::{Room, create_free};
use crate::image::Image;
use crate::label::write_label;

/// The number of processes that show that an image is started often, ...
const MANY: u32 = 16;

/// ... if they ended within this time, in nanoseconds, ...
const SHORT: u64 = 1_000_000_000;

/// ... and the largest number of records that are read to find them.
const MOST_RECORDS: u32 = 4 * MANY;

/// The largest size of all standing files of an image together. The first file may be larger.
const MOST_BYTES: u64 = 1 << 30;

/// A file system that never writes a page to its old place needs this much free space. Without
/// room for a page that is written again, the kernel ends the program.
const ROOM_TO_COPY: u64 = 1 << 30;

/// A standing file that another process has is marked as taken again after this time.
const REMARKED: u64 = READY / 4;

/// The last forks of a process.
#[derive(Clone, Copy)]
pub(crate) struct Forks {
    /// The time of the first one that is counted.
    since: u64,
    number: u32,
}

impl Forks {
    /// No forks. It is all zeros.
    pub(crate) const NONE: Self = Self { since: 0, number: 0 };

    /// Counts a fork.
    pub(crate) fn add(&mut self) {
        let now = sys::now();
        if self.since.abs_diff(now) > SHORT {
            *self = Self { since: now, number: 0 };
        }
        self.number += 1;
    }

    /// Returns true if the process forks often.
    pub(crate) fn are_many(&self) -> bool {
        self.number >= MANY
    }
}

/// A standing file that this process has taken. Its lock is ours as long as anything of it is
/// mapped.
pub(crate) struct Taken {
    pub(crate) file: File,
    pub(crate) header_size: u64,
    pub(crate) length: u64,
    pub(crate) block: NonNull<Block>,
    /// The run of this process in it.
    pub(crate) run: RunId,
}

/// What a process wants of a standing file.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) image: &'a Image,
    /// The label of what the process counts.
    pub(crate) label: &'a [u8],
    /// True if the process is one of many that were forked.
    pub(crate) is_one_of_many: bool,
}

impl Wanted<'_> {
    fn layout(&self) -> u64 {
        let (build_id, modules) =
            (self.environment.build_id.as_bytes(), Module::bytes(self.image.modules()));
        let region_size = self.image.region_size() as u64;
        let label = label::kept(self.label);
        raw::layout(build_id, self.environment.forked(), label, region_size, modules)
    }
}

/// Returns true if processes of this image may count in each other's files. Their profile must have
/// one name, and the image must be known by more than its path.
pub(crate) fn is_possible(environment: &Environment) -> bool {
    let origin = &environment.origin;
    origin.keeping != Keeping::Single
        && !environment.build_id.as_bytes().is_empty()
        && !pattern::names_process(origin.pattern.as_bytes())
}

/// Returns true if the records in front of `end` show that the image is started often.
pub(crate) fn is_started_often(environment: &Environment, profile: &File, end: u64) -> bool {
    if environment.origin.keeping == Keeping::Standing {
        return true;
    }
    let now = sys::now();
    let (mut end, mut last, mut processes) = (end, sys::process(), 1);
    for _ in 0..MOST_RECORDS {
        let ending = end.checked_sub(ENDING as u64).and_then(|at| bytes_at(profile, at));
        let start = ending.and_then(|ending| end.checked_sub(length_before(ending)));
        let start = start.filter(|&start| start < end);
        let front = start.and_then(|start| Some((start, front(profile, start)?)));
        let Some((start, front)) = front else { return false };
        if front.stop < now.saturating_sub(SHORT) {
            return false;
        }
        // The images of a process write one behind the other.
        processes += u32::from(front.pid != last);
        if processes == MANY {
            return true;
        }
        (last, end) = (front.pid, start);
    }
    false
}

/// Returns the bytes at an offset of a profile, whole words of them; `None` if it ends before.
fn bytes_at<const N: usize>(profile: &File, offset: u64) -> Option<[u8; N]> {
    let mut words = [0u64; Front::LENGTH / 8];
    let wanted = words.get_mut(..N / 8)?;
    let is_read = profile.read_words_at(wanted, offset) == wanted.len();
    let bytes = words.map(u64::to_le_bytes);
    bytes.as_flattened().first_chunk().copied().filter(|_| is_read)
}

/// Returns the front of the record at an offset of a profile.
fn front(profile: &File, offset: u64) -> Option<Front> {
    Front::of(&bytes_at(profile, offset)?)
}

/// Returns true if a standing file belongs to a profile; `None` if the profile cannot be read.
fn belongs(block: NonNull<Block>, environment: &Environment, profile: &mut Path) -> Option<bool> {
    let file = File::open_entry(environment.origin.place(profile)?);
    let first = match file {
        Ok(file) => front(&file, 0).map(|front| front.run),
        Err(OpenError::Missing) => Some(RunId::NONE),
        Err(_) => None,
    };
    // SAFETY: as in `Standing::map`.
    let anchors = unsafe { ptr::read_volatile(&raw const (*block.as_ptr()).anchors) };
    let is_of = Block::is_of(&anchors, first.unwrap_or(RunId::NONE));
    (is_of || first.is_some()).then_some(is_of)
}

/// Takes a standing file, if the image has any that stand ready, or if the process is one of many.
/// Writes its path to `path`.
pub(crate) fn take(wanted: Wanted<'_>, room: &mut Room, path: &mut Path) -> Option<Taken> {
    let Wanted { environment, image, is_one_of_many, .. } = wanted;
    if !target::resolve(environment, 1, &mut room.scratch, path) {
        return None;
    }
    let layout = wanted.layout();
    let now = sys::now();
    let mut is_ready = is_one_of_many || environment.origin.keeping == Keeping::Standing;
    let mut marked: Option<Standing> = None;
    for number in 0..most_files(image) {
        target::standing_name(&room.scratch, layout, number, path);
        let place = environment.origin.place(path)?;
        let file = match File::open_to_change(place) {
            Ok(file) => file,
            Err(OpenError::Missing) if is_ready => make(wanted, layout, number, room, path)?,
            Err(_) => return None,
        };
        match file.lock() {
            Locked::Yes => {}
            Locked::Busy => {
                marked = if is_ready && marked.is_some() { marked } else { Standing::of(file) };
                is_ready |= marked.as_ref().is_some_and(|marked| marked.was_taken_since(now));
                if !is_ready {
                    return None;
                }
                continue;
            }
            Locked::Never => return None,
        }
        // A file of that name may be something else.
        let found = Standing::of(file).and_then(|found| Some((found.sound(image)?, found)));
        let Some((made, found)) = found else { continue };
        is_ready |= found.was_taken_since(now);
        if !is_ready {
            return None;
        }
        let Some(taken) = found.map(&made, layout) else { continue };
        let mut is_ours = || belongs(taken.block, environment, &mut room.scratch);
        match is_ours() {
            Some(true) => {}
            // Another profile may have taken the place of the one that was looked at.
            Some(false) if is_ours() == Some(false) => {
                remove(environment, path, &taken);
                return None;
            }
            _ => {
                taken.unmap();
                return None;
            }
        }
        if taken.starts() >= MOST_STARTS {
            taken.unmap();
            continue;
        }
        taken.begin(environment, now);
        if let Some(marked) = marked.filter(|marked| marked.last + REMARKED < now) {
            marked.mark(now);
        }
        return Some(taken);
    }
    None
}

/// Makes sure that the next process of the image finds a standing file.
pub(crate) fn make_ready(wanted: Wanted<'_>, room: &mut Room, path: &mut Path) {
    let Wanted { environment, image, .. } = wanted;
    if !target::resolve(environment, 1, &mut room.scratch, path) {
        return;
    }
    let layout = wanted.layout();
    for number in 0..most_files(image) {
        target::standing_name(&room.scratch, layout, number, path);
        let Some(place) = environment.origin.place(path) else { return };
        match File::open_to_change(place) {
            Ok(file) => {
                let found = Standing::of(file);
                if let Some(found) = found.filter(|found| found.sound(image).is_some()) {
                    return found.mark(sys::now());
                }
            }
            Err(OpenError::Missing) => {
                return drop(make(wanted, layout, number, room, path));
            }
            Err(_) => return,
        }
    }
}

/// Returns the largest number of standing files of an image. Each has at least two slots.
fn most_files(image: &Image) -> u32 {
    let all = MOST_BYTES / (image.region_size() as u64).saturating_mul(2).max(1);
    u32::try_from(all).unwrap_or(MOST_FILES).clamp(1, MOST_FILES)
}

/// Makes a standing file with the path `path` for the profile in `room`, and returns it locked.
///
/// It is made under another name, since other processes take what has its name.
fn make(
    wanted: Wanted<'_>,
    layout: u64,
    number: u32,
    room: &mut Room,
    path: &mut Path,
) -> Option<File> {
    let Wanted { environment, image, label, .. } = wanted;
    // As long as its lock is ours, nobody puts another profile in its place.
    let profile = environment.origin.place(&mut room.scratch)?;
    let held = File::open_entry(profile).ok().filter(|held| held.lock() == Locked::Yes)?;
    let is_there = held.identity() == Some(sys::identity_of(profile))
        && held.file_system().is_some_and(|system| system.keeps_pages());
    let anchor = front(&held, 0).filter(|_| is_there)?.run;
    let run = environment.run.of_child(number, u64::MAX);
    if anchor == RunId::NONE || run == RunId::NONE {
        return None;
    }
    let file = create_free(environment, &room.scratch, path).ok()?;
    let (names, flags) = (Names::new(), STANDING);
    let own = environment.head(&names, 0, 0);
    let head = Head { flags, run, command_line: &[], ancestors: &[], ..own };
    let mut header = Collected::new(&mut room.buffer);
    let region = image.region_size() as u64;
    let size = raw::write_header(&mut header, &head, region, None, image.places());
    let is_written = size <= sys::file_size_limit()
        && file.lock() == Locked::Yes
        && header.bytes().is_some_and(|bytes| file.write_all(bytes))
        && file.allocate(0, size)
        && write_block(&file, size - PAGE, anchor, layout)
        && (label.is_empty()
            || label_offset(size, true).is_some_and(|at| write_label(&file, at, label, 0)));
    drop(header);
    room.other.copy(path);
    target::standing_name(&room.scratch, layout, number, path);
    let from = environment.origin.place(&mut room.other)?;
    let renamed = is_written
        && environment.origin.place(path).is_some_and(|to| sys::rename_to_free(from, to));
    if !renamed {
        sys::unlink(from);
    }
    renamed.then_some(file)
}

/// Writes the block of a new file.
fn write_block(file: &File, offset: u64, anchor: RunId, layout: u64) -> bool {
    let Some(made) = file.made() else { return false };
    let place = |at: usize| offset + at as u64;
    let birth = [made.birth.inode, made.birth.seconds, made.birth.nanoseconds];
    let words = birth.iter().zip((offset_of!(Block, file)..).step_by(8));
    file.write_at(&anchor.0, place(offset_of!(Block, anchors)))
        && words.fold(true, |done, (word, at)| done && file.write_at(&word.to_bytes(), place(at)))
        && file.write_at(&sys::now().to_le_bytes(), place(offset_of!(Block, last)))
        && file.write_at(&layout.to_le_bytes(), place(offset_of!(Block, layout)))
}

/// Removes a standing file, which is locked.
fn remove(environment: &Environment, path: &mut Path, taken: &Taken) {
    let is_one = |place: FilePlace<'_>| taken.file.identity() == Some(sys::identity_of(place));
    environment.origin.place(path).filter(|place| is_one(*place)).inspect(|place| {
        sys::unlink(*place);
    });
    taken.unmap();
}

/// A file with the name of a standing one.
struct Standing {
    file: File,
    header_size: u64,
    region_size: u64,
    last: u64,
}

impl Standing {
    /// Reads what a file says of itself; `None` if it is not standing.
    fn of(file: File) -> Option<Self> {
        let mut words = [0; 4];
        let read = file.read_words_at(&mut words, 0);
        let [magic, version_and_flags, header_size, region_size] = words;
        let (version, flags) = (version_and_flags as u32, (version_and_flags >> 32) as u32);
        let is_standing = magic == u64::from_le_bytes(raw::MAGIC)
            && version == RAW_VERSION
            && flags & STANDING != 0
            && header_size.is_multiple_of(PAGE);
        let mut last = [0];
        let place = header_size.checked_sub(PAGE)? + offset_of!(Block, last) as u64;
        let is_read = read == words.len() && file.read_words_at(&mut last, place) == 1;
        let [last] = last;
        (is_standing && is_read).then_some(Self { file, header_size, region_size, last })
    }

    /// Returns true if a process took the file so short a time ago that another one may.
    fn was_taken_since(&self, now: u64) -> bool {
        self.last.abs_diff(now) < READY
    }

    /// Records that a process has just taken a file of the image.
    fn mark(&self, now: u64) {
        let place = self.header_size - PAGE + offset_of!(Block, last) as u64;
        if place + 8 <= sys::file_size_limit() {
            self.file.write_at(&now.to_le_bytes(), place);
        }
    }

    /// Returns what is known of the file, if nobody but this user can write to it, it has one name,
    /// and its disk has room.
    fn sound(&self, image: &Image) -> Option<Made> {
        let region_size = image.region_size() as u64;
        let has_room = |system: FileSystem| {
            let copies = system.kind == u64::from(BTRFS_SUPER_MAGIC);
            system.keeps_pages()
                && system.free / 2 >= region_size
                && (!copies || system.free >= ROOM_TO_COPY)
        };
        let is_ours = |made: &Made| {
            made.owner == sys::user()
                && made.mode & 0o077 == 0
                && made.links == 1
                && made.length >= self.header_size
        };
        let made = self.file.made().filter(is_ours)?;
        let fits = region_size == self.region_size && self.file.file_system().is_some_and(has_room);
        fits.then_some(made)
    }

    /// Maps the block; `None` if the file is a copy, was cut, or has other counters.
    fn map(self, made: &Made, layout: u64) -> Option<Taken> {
        let offset = self.header_size - PAGE;
        let block = mapping::map_file(At::Anywhere, PAGE as usize, &self.file, offset)?.cast();
        let (header_size, length) = (self.header_size, made.length);
        // The identity of a file stands in front of the facts of its run.
        let run = RunId(bytes_at(&self.file, raw::RUN_OFFSET)?);
        let mut taken = Taken { file: self.file, header_size, length, block, run };
        // SAFETY: the block is mapped for its whole length. Any bits are a value of its fields.
        let (birth, known) = unsafe {
            let block = taken.block.as_ptr();
            let birth = ptr::read_volatile(&raw const (*block).file);
            (birth, ptr::read_volatile(&raw const (*block).layout).get())
        };
        if birth != made.birth || known != layout || reserved(block) > length {
            taken.unmap();
            return None;
        }
        taken.run = run.of_child(0, taken.starts() + 1);
        Some(taken)
    }
}

impl Taken {
    /// Gives up the block. The lock goes with the file.
    fn unmap(&self) {
        // SAFETY: it was mapped for this value, which the caller drops.
        unsafe { mapping::unmap(self.block.cast(), PAGE as usize) };
    }

    fn starts(&self) -> u64 {
        // SAFETY: as in `Standing::map`.
        unsafe { ptr::read_volatile(&raw const (*self.block.as_ptr()).starts).get() }
    }

    /// Records that a run begins.
    fn begin(&self, environment: &Environment, now: u64) {
        let origin = &environment.origin;
        let starts = self.starts() + 1;
        let block = self.block.as_ptr();
        let arguments = origin.arguments.as_bytes();
        let run = Run::new(sys::process(), origin.time, origin.process_start, arguments);
        // SAFETY: the block is mapped and locked. The place is one of a run.
        unsafe {
            let place = (&raw mut (*block).runs).cast::<Run>().add(Block::place(starts));
            ptr::write_volatile(place, run);
            if starts == 1 {
                ptr::write_volatile(&raw mut (*block).first, origin.time.into());
            }
            ptr::write_volatile(&raw mut (*block).last, now.into());
            ptr::write_volatile(&raw mut (*block).starts, starts.into());
        }
    }
}

/// Records that the run of this process has ended in the normal way.
pub(crate) fn end(block: NonNull<Block>, environment: &Environment, room: &mut Room) {
    let at = block.as_ptr();
    // SAFETY: the block is mapped and locked. The place is one of a run.
    unsafe {
        let starts = ptr::read_volatile(&raw const (*at).starts).get();
        let run = (&raw mut (*at).runs).cast::<Run>().add(Block::place(starts));
        ptr::write_volatile(&raw mut (*run).stop, sys::now().into());
        let ends = ptr::read_volatile(&raw const (*at).ends).get() + 1;
        ptr::write_volatile(&raw mut (*at).ends, ends.into());
    }
    // If the profile was removed meanwhile, the file has the only counts of this run.
    if target::resolve(environment, 1, &mut room.scratch, &mut room.other)
        && belongs(block, environment, &mut room.scratch) == Some(false)
    {
        // SAFETY: as above.
        unsafe { ptr::write_volatile(&raw mut (*at).anchors, [RunId::NONE.0; 2]) };
    }
}

/// Returns the offset up to which the disk has room for the file.
pub(crate) fn reserved(block: NonNull<Block>) -> u64 {
    // SAFETY: as in `Standing::map`.
    unsafe { ptr::read_volatile(&raw const (*block.as_ptr()).reserved).get() }
}

/// Records up to which offset the disk has room for the file.
pub(crate) fn set_reserved(block: NonNull<Block>, end: u64) {
    // SAFETY: as above, and the block is locked.
    unsafe { ptr::write_volatile(&raw mut (*block.as_ptr()).reserved, end.into()) };
}
