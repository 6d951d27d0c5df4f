//! Makes a record of the counts in memory, and appends it to the profile in one write, so that a
//! reader never sees half of it.
//!
//! The counts of all threads are summed in memory of our own first. If there is none, each slot
//! becomes modules of its own in the record, and the reader sums them.

use core::ops::Range;
use core::ptr::NonNull;

use pathformat::profile::{
    CUMULATIVE, CUT, Head, INCOMPLETE, ProfileWriter, RunId, SEGMENT, UNREGISTERED_THREADS,
};
use pathformat::settings::Threads;
use pathformat::wire::Sink;
use process::environment::Environment;
use process::sys::{self, File, Names, OpenError};
use process::target;
use process::text::Path;

use crate::append::{Refusal, append};
use crate::collected::{BUFFER, Collected};
use crate::counters::{self, PageMap, Source, Window};
use crate::image::{self, Image};
use crate::label::read_label;
use crate::ledger::Ledger;
use crate::segments::Portion;
use crate::slots::{Slot, Slots};
use crate::standing;

/// The scratch space for writing. It is kept off the stack, since the thread that calls `exit` may
/// have little of its stack left.
pub(crate) struct Room {
    /// The path of the profile.
    path: Path,
    scratch: Path,
    window: Window,
    buffer: [u8; BUFFER],
}

impl Room {
    /// Creates empty space.
    pub(crate) const fn new() -> Self {
        let [path, scratch] = [Path::new(), Path::new()];
        Self { path, scratch, window: Window::new(), buffer: [0; BUFFER] }
    }
}

/// The counts to be written.
pub(crate) struct Counts<'a> {
    pub(crate) image: &'a Image,
    pub(crate) slots: &'a mut Slots,
    /// One more than the highest slot that a thread ever had.
    pub(crate) used: u32,
    /// The places of code in the process, if keys are addresses.
    pub(crate) map: Option<&'a [u8]>,
    /// True if registered threads may have counted in the region itself.
    pub(crate) shared: bool,
    /// [`UNREGISTERED_THREADS`], if that is already known.
    pub(crate) flags: u32,
    /// True if processes of the image may count in each other's files.
    pub(crate) may_stand: bool,
    /// The part of the counts that is written.
    pub(crate) portion: Portion<'a>,
}

/// The number of other names that are tried if the file with the profile's name cannot be appended
/// to.
const MOST_NAMES: u32 = 1000;

/// The number of words of a file that are read at a time.
const WORDS: usize = 256;

/// The reason why nothing was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Nothing can be written.
    Open(OpenError),
    /// Another process has appended a segment meanwhile.
    Stale,
}

/// Appends a portion of the counts of this process to its profile, those of a standing file
/// excepted. A file with the profile's name that is no profile stays as it is. Adds to the ledger
/// what a segment has. Returns true if the image [is started often](standing::is_started_often).
pub(crate) fn profile(
    environment: &Environment,
    counts: Counts<'_>,
    room: &mut Room,
) -> Result<bool, Failed> {
    counts.slots.look_for_cuts();
    let raw = counts.slots.raw.open().ok();
    let label = counts.slots.raw.label_offset();
    let map = PageMap::open();
    let Room { path, scratch, window, buffer } = room;
    window.forget();
    let raw = raw.as_ref();
    let mut summed = Summed { slots: counts.slots, raw, map: &map, window };
    let region_is_empty = summed.is_empty(Slot::REGION);
    let flags = marks(&counts, &mut summed, region_is_empty);
    let first = if region_is_empty { Slot::FIRST } else { Slot::REGION };
    let slots = first.0..counts.used.max(1);
    let ledger = counts.portion.ledger;
    // A single slot needs no sums.
    let needs_sums = slots.len() > 1 || ledger.is_some();
    let sums = if needs_sums { summed.sums(slots.clone(), &counts.portion) } else { None };
    let mut record = Collected::new(buffer);
    put_profile(environment, &counts, flags, (slots, sums), &mut summed, &mut record);
    let bytes = record.bytes().filter(|_| sums.is_some() || counts.portion.number == 0);
    let foreign = counts.portion.foreign;
    let is_cumulative = counts.portion.flags & CUMULATIVE != 0;
    // Readers look for the segments of a run in one profile.
    let most_names = if ledger.is_some() || is_cumulative { 1 } else { MOST_NAMES };
    let is_current = || {
        // All counts are right whatever stands before them.
        let found = raw.filter(|_| !is_cumulative).zip(label);
        let found = found.and_then(|(raw, offset)| read_label(raw, offset));
        found.is_none_or(|label| label.foreign.get() == foreign)
    };
    let places = (path, scratch);
    let result = match bytes {
        Some(bytes) => {
            let how = (counts.may_stand, most_names);
            append_record(environment, bytes, how, is_current, places)
        }
        None => Err(Failed::Open(OpenError::Other)),
    };
    match (sums, ledger) {
        (Some(sums), Some(_)) => {
            if result.is_ok() {
                note(counts.image, sums);
            }
            sums.clear();
        }
        // A library may be loaded and unloaded often.
        (Some(sums), None) => sums.unmap(),
        (None, _) => {}
    }
    result
}

/// Adds all counts of this process to the ledger, which is empty. Returns false without memory.
pub(crate) fn note_all(counts: Counts<'_>, room: &mut Room) -> bool {
    let raw = counts.slots.raw.open().ok();
    let (map, window) = (PageMap::open(), &mut room.window);
    window.forget();
    let mut summed = Summed { slots: counts.slots, raw: raw.as_ref(), map: &map, window };
    let slots = Slot::REGION.0..counts.used.max(1);
    let Some(ledger) = counts.portion.ledger else { return false };
    ledger.begin(None);
    let is_whole = summed.add_all(ledger, slots, counts.portion.run.is_some());
    if is_whole {
        ledger.note_all();
    }
    ledger.clear();
    is_whole
}

fn append_record(
    environment: &Environment,
    bytes: &[u8],
    (may_stand, most_names): (bool, u32),
    is_current: impl Fn() -> bool,
    (path, scratch): (&mut Path, &mut Path),
) -> Result<bool, Failed> {
    for number in 1..=most_names {
        if !target::resolve(environment, number, path, scratch) {
            break;
        }
        match append(&environment.origin, path, bytes, &is_current) {
            Err(Refusal::Taken) => {}
            Err(Refusal::Failed(error)) => return Err(Failed::Open(error)),
            Err(Refusal::Stale) => return Err(Failed::Stale),
            Ok((file, before)) => {
                let may_stand = number == 1 && may_stand;
                return Ok(may_stand && standing::is_started_often(environment, &file, before));
            }
        }
    }
    Err(Failed::Open(OpenError::Other))
}

/// Returns the flags of the record.
fn marks(counts: &Counts<'_>, summed: &mut Summed<'_>, region_is_empty: bool) -> u32 {
    let mut flags = counts.flags;
    if !counts.shared && !region_is_empty && summed.counts_in_region(counts.image) {
        flags |= UNREGISTERED_THREADS;
    }
    flags | if summed.slots.was_cut() { CUT } else { 0 }
}

fn put_profile(
    environment: &Environment,
    counts: &Counts<'_>,
    flags: u32,
    (slots, sums): (Range<u32>, Option<Ledger>),
    summed: &mut Summed<'_>,
    sink: &mut impl Sink,
) {
    let portion = &counts.portion;
    let is_segment = portion.number > 0;
    let names = Names::new();
    let whole = environment.head(&names, flags, sys::now());
    let run = portion.run.unwrap_or(whole.run);
    // What is known of the run stands once, in the record of the rest.
    let open = if portion.run.is_none() { INCOMPLETE } else { 0 };
    let short = Head {
        flags: whole.flags | SEGMENT | open,
        run,
        command_line: &[],
        ancestors: &[],
        ..whole
    };
    let mut writer = ProfileWriter::new(sink, if is_segment { &short } else { &whole });
    // Without memory for sums the reader has to subtract the segments.
    let lacks_sums = sums.is_none() && portion.ledger.is_some();
    let cumulative = portion.flags | if lacks_sums { CUMULATIVE } else { 0 };
    let is_named = is_segment || cumulative != 0 || !portion.label.is_empty();
    if is_named && run != RunId::NONE {
        let flags = whole.flags | cumulative;
        writer.part(&[run.segment(portion.number)], flags, portion.label);
    }
    if let Some(lines) = counts.map {
        writer.map(lines);
    }
    match sums {
        Some(sums) => {
            let mut source = Source::Pages(sums.changed());
            // SAFETY: the memory is as long as a slot.
            unsafe { put_modules(&mut writer, counts.image, sums.sums(), &mut source, is_segment) };
        }
        None => {
            slots.map(Slot).for_each(|slot| summed.put_slot(&mut writer, counts.image, slot));
        }
    }
    writer.finish();
}

/// A reader of the slots of an image.
struct Summed<'a> {
    slots: &'a Slots,
    raw: Option<&'a File>,
    map: &'a PageMap,
    window: &'a mut Window,
}

impl Summed<'_> {
    /// Returns a slot's memory, if there is any, and the source of its touched pages.
    fn slot(&mut self, slot: Slot) -> Option<(NonNull<u8>, Source<'_>)> {
        let start = self.slots.address(slot)?;
        if self.slots.raw.block().is_some() {
            // What is in the file is there for good, whoever counted it.
            return match (self.slots.is_kept(slot), self.slots.was_cut()) {
                (true, false) => None,
                (true, true) => Some((start, Source::Private(self.map, self.window))),
                (false, _) => Some((start, Source::Memory(self.map, self.window))),
            };
        }
        if self.slots.was_cut() {
            return Some((start, Source::Memory(PageMap::NONE, self.window)));
        }
        if !self.slots.is_kept(slot) {
            return Some((start, Source::Memory(self.map, self.window)));
        }
        let offset = self.slots.raw.offset(slot.0.into(), self.slots.size() as u64);
        let holes = self.raw.and_then(|raw| Source::file(raw, offset));
        Some((start, holes.unwrap_or(Source::Memory(PageMap::NONE, self.window))))
    }

    fn visit(&mut self, slot: Slot, range: Range<usize>, visit: impl FnMut(usize, u64)) {
        if let Some((start, mut source)) = self.slot(slot) {
            // SAFETY: a slot is mapped while its image is loaded.
            unsafe { counters::visit(start, range, &mut source, visit) };
        }
    }

    /// Returns true if the region itself has counts of modules whose threads count elsewhere.
    fn counts_in_region(&mut self, image: &Image) -> bool {
        let mut found = false;
        for place in image.places().filter(|place| place.threads == Threads::Exact) {
            self.visit(Slot::REGION, image::range(&place), |_, _| found = true);
        }
        found
    }

    fn is_empty(&mut self, slot: Slot) -> bool {
        let mut empty = true;
        self.visit(slot, 0..self.slots.size(), |_, _| empty = false);
        empty
    }

    /// Adds some slots, or all that is in the file. Returns false if the file cannot be read.
    fn add_all(&mut self, sums: Ledger, slots: Range<u32>, is_of_file: bool) -> bool {
        if is_of_file {
            return self.add_file_to(sums).is_some();
        }
        slots.map(Slot).for_each(|slot| self.add_to(sums, slot));
        true
    }

    /// Adds all that is in the file: earlier processes may have had more slots than this one. It is
    /// read, not mapped, since another process may cut it.
    fn add_file_to(&mut self, sums: Ledger) -> Option<()> {
        let size = self.slots.size() as u64;
        let first = self.slots.raw.offset(0, size);
        let raw = self.raw?;
        let length = raw.length()?;
        let mut words = [0u64; WORDS];
        let mut next = first;
        while let Some(data) = raw.next_data(next).filter(|&data| data < length) {
            let end = raw.next_hole(data).unwrap_or(length).min(length);
            next = data & !7;
            while next < end {
                let read = raw.read_words_at(&mut words, next);
                let left = ((end - next).div_ceil(8) as usize).min(WORDS);
                if read == 0 {
                    return None;
                }
                for (&count, at) in
                    words.iter().zip((next - first..).step_by(8)).take(read.min(left))
                {
                    if count != 0 {
                        sums.add((at % size) as usize, count);
                    }
                }
                next += read.min(left) as u64 * 8;
            }
        }
        Some(())
    }

    /// Returns a ledger, the given one if there is any, whose next segment has the sums of some
    /// slots, or of the file, without the counts of earlier ones; `None` if there is no memory for
    /// it, or the file cannot be read.
    fn sums(&mut self, slots: Range<u32>, portion: &Portion<'_>) -> Option<Ledger> {
        let (ledger, is_of_file) = (portion.ledger, portion.run.is_some());
        let sums = ledger.or_else(|| Ledger::map(self.slots.size()))?;
        let single = (slots.len() == 1 && !is_of_file).then_some(slots.start);
        if sums.begin(single) {
            self.add_growth_to(sums, Slot(slots.start));
            return Some(sums);
        }
        if self.add_all(sums, slots, is_of_file) {
            sums.subtract();
            return Some(sums);
        }
        match ledger {
            Some(ledger) => ledger.clear(),
            None => sums.unmap(),
        }
        None
    }

    fn add_growth_to(&mut self, sums: Ledger, slot: Slot) {
        if let Some((start, mut source)) = self.slot(slot) {
            source.know(sums.noted());
            // SAFETY: a slot is mapped while its image is loaded.
            unsafe { sums.add_growth(start, &mut source) };
        }
    }

    fn add_to(&mut self, sums: Ledger, slot: Slot) {
        self.visit(slot, 0..self.slots.size(), |offset, count| sums.add(offset, count));
    }

    fn put_slot(&mut self, writer: &mut ProfileWriter<'_, impl Sink>, image: &Image, slot: Slot) {
        if let Some((start, mut source)) = self.slot(slot) {
            // SAFETY: a slot is mapped while its image is loaded.
            unsafe { put_modules(writer, image, start, &mut source, false) };
        }
    }
}

/// Notes in a ledger what a segment of an image has.
fn note(image: &Image, ledger: Ledger) {
    let mut source = Source::Pages(ledger.changed());
    for (place, _) in image.places_and_keys().filter(|(_, of_keys)| of_keys.is_none()) {
        let note = |offset, count| {
            if is_in_segment(count) {
                ledger.note(offset, count);
            }
        };
        // SAFETY: the sums are as long as a slot.
        unsafe { counters::visit(ledger.sums(), image::range(&place), &mut source, note) };
    }
}

/// Returns true if a count is part of a segment. One that went down since the last segment is not.
fn is_in_segment(count: u64) -> bool {
    count.cast_signed() > 0
}

/// Writes the modules of an image from memory that is laid out like a slot.
///
/// # Safety
/// The memory must be as long as a slot.
unsafe fn put_modules(
    writer: &mut ProfileWriter<'_, impl Sink>,
    image: &Image,
    start: NonNull<u8>,
    source: &mut Source<'_>,
    is_segment: bool,
) {
    for (place, of_keys) in image.places_and_keys() {
        if let Some(counters) = of_keys.filter(|_| is_segment) {
            let mut is_empty = true;
            let look = |_, count| is_empty &= !is_in_segment(count);
            // SAFETY: places are within a slot.
            unsafe { counters::visit(start, image::range(&counters), source, look) };
            if is_empty {
                continue;
            }
        }
        let mut module = writer.module(place.id, place.counters);
        let base = place.offset as usize;
        let put = |offset: usize, count| {
            if of_keys.is_some() || !is_segment || is_in_segment(count) {
                module.counter(((offset - base) / 8) as u64, count);
            }
        };
        // SAFETY: places are within a slot.
        unsafe { counters::visit(start, image::range(&place), source, put) };
        module.finish();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pathformat::profile::{self, Profile};

    use super::*;
    use pathformat::descriptor::Module;

    #[repr(align(4096))]
    struct Region([u64; 1024]);

    /// Returns a region with counts. It is written, as counters are: the kernel may drop a page of
    /// constants that was only read, and its page map lacks that page then.
    fn region() -> &'static Region {
        let mut region = Box::new(Region([0; 1024]));
        region.0[1] = 5;
        region.0[511] = 6;
        region.0[520] = u64::MAX;
        Box::leak(region)
    }

    static MODULES: [Module; 3] = [
        Module { id: [1; 16], offset: 0, counters: 512, threads: 0 },
        Module { id: [2; 16], offset: 4096, counters: 9, threads: 0 },
        Module { id: [3; 16], offset: 4096, counters: 1_000_000, threads: 0 },
    ];

    fn environment(directory: &std::path::Path) -> Box<Environment> {
        let mut environment = Box::new(Environment::new());
        environment.image.push_all(b"/bin/demo");
        environment.origin.directory.push_all(directory.as_os_str().as_encoded_bytes());
        environment.origin.arguments.push_all(b"demo\0-x\0");
        environment.origin.pattern.push_all(b"out/%e.pathprof");
        environment.build_id.push_all(&[0xab; 20]);
        environment.origin.time = 7;
        environment
    }

    /// Writes a profile. Returns the names in its directory and the bytes of the profile.
    fn written(
        environment: &Environment,
        root: &std::path::Path,
        shared: bool,
    ) -> (Vec<String>, Vec<u8>) {
        let image = Image::new(&region().0, &MODULES, false);
        let mut slots = Slots::new();
        slots.adopt(&image);
        slots.prepare(Slot::FIRST, None);
        let first = slots.address(Slot::FIRST).expect("mapped");
        // SAFETY: the slot is as long as the region.
        unsafe { counters::add(first, 8, 10) };
        let counts = Counts {
            image: &image,
            slots: &mut slots,
            used: 2,
            map: Some(b"lines"),
            shared,
            flags: 0,
            may_stand: false,
            portion: Portion::whole(b""),
        };
        profile(environment, counts, &mut Box::new(Room::new())).expect("written");
        let entries = fs::read_dir(root.join("out")).expect("made");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("entry").file_name().into_string().expect("ASCII")
        };
        let mut names: Vec<_> = entries.map(name).collect();
        names.sort();
        let bytes = fs::read(root.join("out/demo.pathprof")).expect("written");
        (names, bytes)
    }

    #[test]
    fn a_record_is_appended_whole() {
        let root = std::env::temp_dir().join(format!("pathrt-write-{}", std::process::id()));
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        let environment = environment(&root);
        let (names, bytes) = written(&environment, &root, false);
        assert_eq!(names, ["demo.pathprof"]);
        let profile = Profile::decode(&bytes).expect("sound");
        let system = Names::new();
        let expected = environment.head(&system, UNREGISTERED_THREADS, profile.head.stop);
        assert_eq!(profile.head, expected);
        let [part] = &profile.parts[..] else { panic!("one run: {profile:?}") };
        assert_eq!(
            (&part.runs[..], part.flags),
            (&[expected.identity()][..], UNREGISTERED_THREADS)
        );
        assert_eq!(part.map.as_deref(), Some(&b"lines"[..]));
        // The third module does not fit in the region and is left out.
        let module = |id, counters, counts: &[(u64, u64)]| profile::Module {
            id: pathformat::ModuleId([id; 16]),
            counters,
            counts: counts.to_vec(),
        };
        assert_eq!(
            part.modules,
            [module(1, 512, &[(1, 15), (511, 6)]), module(2, 9, &[(8, u64::MAX)])]
        );
        // Where all threads count in the region, its counts are no sign of unknown threads. An
        // older record is never replaced.
        let (names, both) = written(&environment, &root, true);
        assert_eq!(names, ["demo.pathprof"]);
        let second = both.strip_prefix(&bytes[..]).expect("still there");
        assert_eq!(Profile::decode(second).expect("sound").head.flags, 0);
        // A file that is no profile stays.
        fs::write(root.join("out/demo.pathprof"), "a text").expect("writable");
        let (names, text) = written(&environment, &root, true);
        assert_eq!(names, ["demo-2.pathprof", "demo.pathprof"]);
        assert_eq!(text, b"a text");
        fs::remove_dir_all(root).expect("ours");
    }
}
