//! The block log, with which the tests check the counters. Code compiled with `-pathcc-mode=log`
//! calls it for every basic block. It is slow and simple.
//!
//! The file is named like the profile, with `.pathlog` in place of `.pathprof`. It is a sequence of
//! 16-byte little-endian records, where a frame is one activation of a function:
//!
//! ```text
//!  0        8      12      16
//!  | frame  | kind | value  |     kind 0: the frame is entered, value = index of the function in its module;
//!  |      module id         |             followed by a record that holds the module's id
//!                                 kind 1: a block is executed, value = its index
//!                                 kind 2: the frame ends, value = 0
//! ```
//!
//! The records of one frame are in order. The records of different frames may be mixed, except for
//! the pair of kind 0. A frame without a record of kind 2 was still active, or was left by
//! `longjmp`. A frame without kind 0 was entered before a fork, by the parent. A process that is
//! killed loses the records in the buffer, unless the profile's name ends in `.now.pathprof`: then
//! each record is written at once.

use core::cell::UnsafeCell;
use core::hint;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use pathformat::ModuleId;
use pathformat::files;
use pathformat::log_event::LogEvent;

use process::environment::Environment;
use process::pattern;
use process::sys::{self, File};
use process::target;
use process::text::Path;

use crate::activations::{Activations, Function};

/// One record, or the module id after it.
pub(crate) type Record = [u8; 16];

/// The number of records in the buffer: 1 MiB.
const CAPACITY: usize = 1 << 16;

/// The number of bits that count in a frame's number. The bits above distinguish images and
/// processes that share a file.
const COUNTING_BITS: u32 = 36;

/// The kind of a record.
#[derive(Clone, Copy)]
enum RecordKind {
    Enter = 0,
    Block = 1,
    End = 2,
}

fn record(frame: u64, kind: RecordKind, value: u32) -> Record {
    let mut record = [0; 16];
    record[..8].copy_from_slice(&frame.to_le_bytes());
    record[8..12].copy_from_slice(&(kind as u32).to_le_bytes());
    record[12..].copy_from_slice(&value.to_le_bytes());
    record
}

/// The log of an image in one process. It lies in memory that the kernel zeroes in a forked child,
/// so a child starts with an empty buffer, no lock held and no file. All-zero bytes are a valid
/// value.
struct Log {
    /// True while a thread uses the rest.
    locked: AtomicBool,
    /// The number of frames that were entered.
    frames: u64,
    /// The file, once it is needed.
    file: Option<File>,
    /// The number of records in the buffer.
    length: usize,
    buffer: [Record; CAPACITY],
    path: Path,
    scratch: Path,
}

static LOG: AtomicPtr<Log> = AtomicPtr::new(ptr::null_mut());

/// True after the program has ended. Later records are written at once.
static ENDED: AtomicBool = AtomicBool::new(false);

/// Calls `use_log` with the log, under its lock. Signals are blocked meanwhile, since a handler may
/// log too.
fn with_log<T>(use_log: impl FnOnce(&mut Log) -> T) -> Option<T> {
    let mask = sys::thread::block_signals();
    let result = log().map(|log| {
        // SAFETY: the mapping stays for ever; this field is only used as an atomic.
        let locked = unsafe { &(*log).locked };
        while locked.swap(true, Ordering::Acquire) {
            hint::spin_loop();
        }
        // SAFETY: the thread that holds the lock is alone.
        let result = use_log(unsafe { &mut *log });
        locked.store(false, Ordering::Release);
        result
    });
    sys::thread::restore_signals(mask);
    result
}

/// Returns the log, which is mapped at its first use.
fn log() -> Option<*mut Log> {
    let known = LOG.load(Ordering::Acquire);
    if !known.is_null() {
        return Some(known);
    }
    let fresh = sys::mapping::map_wiped_on_fork(size_of::<Log>())?.cast::<Log>().as_ptr();
    match LOG.compare_exchange(ptr::null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(fresh),
        Err(faster) => Some(faster),
    }
}

impl Log {
    fn append(&mut self, environment: &Environment, records: &[Record]) {
        if self.length + records.len() > CAPACITY {
            self.flush(environment);
        }
        for &record in records {
            if let Some(place) = self.buffer.get_mut(self.length) {
                *place = record;
                self.length += 1;
            }
        }
        if self.file.is_none() && environment.enabled() {
            self.file = self.open(environment);
        }
        if ENDED.load(Ordering::Relaxed) || is_written_at_once(&self.path) {
            self.flush(environment);
        }
    }

    /// Writes the buffer to the file, or drops the records if there is no place for it.
    fn flush(&mut self, environment: &Environment) {
        if self.file.is_none() && self.length > 0 && environment.enabled() {
            self.file = self.open(environment);
        }
        if let Some(file) = &self.file {
            file.write_all(self.buffer.get(..self.length).unwrap_or_default().as_flattened());
        }
        self.length = 0;
    }

    fn open(&mut self, environment: &Environment) -> Option<File> {
        if !target::resolve(environment, 1, &mut self.path, &mut self.scratch) {
            return None;
        }
        rename_profile(&mut self.path);
        let place = environment.origin.place(&mut self.path)?;
        File::append(place).ok().map(|(file, _)| file)
    }
}

/// Turns the name of a profile into that of a log.
fn rename_profile(path: &mut Path) {
    path.truncate(pattern::stem_length(path.as_bytes()));
    path.push(b'.');
    path.push_all(files::LOG.as_bytes());
}

/// Returns true if each record of the log of this name is to be written at once.
fn is_written_at_once(path: &Path) -> bool {
    path.as_bytes().ends_with(b".now.pathlog")
}

/// Returns the number of a frame, which no other frame has in this process or in others that may
/// share its file.
fn frame_number(count: u64) -> u64 {
    let image = &raw const LOG as u64 >> 4;
    let salt = (image ^ u64::from(sys::process()).wrapping_mul(0x9e37_79b9))
        & ((1 << (64 - COUNTING_BITS)) - 1);
    salt << COUNTING_BITS | count
}

/// Records that a function is entered. Returns the number of its frame.
pub(crate) fn enter(environment: &Environment, module: &Record, function: u32) -> u64 {
    let entered = with_log(|log| {
        log.frames += 1;
        let frame = frame_number(log.frames);
        log.append(environment, &[record(frame, RecordKind::Enter, function), *module]);
        frame
    });
    entered.unwrap_or(0)
}

/// Records that a block of a frame is executed.
pub(crate) fn block(environment: &Environment, frame: u64, block: u32) {
    with_log(|log| log.append(environment, &[record(frame, RecordKind::Block, block)]));
}

/// Records that a frame ends.
pub(crate) fn end(environment: &Environment, frame: u64) {
    with_log(|log| log.append(environment, &[record(frame, RecordKind::End, 0)]));
}

/// What machine code reports. It pushes the four words.
#[repr(C)]
pub(crate) struct MachineEvent {
    /// A [`LogEvent`] in the lowest two bits, and the number of a block above them.
    event: u64,
    /// The index of the function in its module's manifest.
    function: u64,
    module: Record,
}

/// The activations of the functions that report so, for whoever holds the log.
struct Held(UnsafeCell<Activations>);

// SAFETY: only who holds the lock of the log uses it.
unsafe impl Sync for Held {}

static ACTIVATIONS: Held = Held(UnsafeCell::new(Activations::new()));

/// Records an event of machine code whose stack pointer stands at `stack`.
pub(crate) fn machine(environment: &Environment, event: &MachineEvent, stack: usize) {
    let thread = sys::thread::pointer();
    let function = Function { module: ModuleId(event.module), index: event.function as u32 };
    let block = (event.event >> LogEvent::BITS) as u32;
    with_log(|log| {
        // SAFETY: this thread holds the lock.
        let activations = unsafe { &mut *ACTIVATIONS.0.get() };
        match LogEvent::of(event.event) {
            LogEvent::Enter => {
                log.frames += 1;
                let frame = frame_number(log.frames);
                activations.enter(thread, stack, function, frame);
                let entered = record(frame, RecordKind::Enter, function.index);
                log.append(environment, &[entered, event.module]);
            }
            LogEvent::Block => {
                if let Some(frame) = activations.frame(thread, stack, function) {
                    log.append(environment, &[record(frame, RecordKind::Block, block)]);
                }
            }
            LogEvent::End => {
                if let Some(frame) = activations.frame(thread, stack, function) {
                    log.append(environment, &[record(frame, RecordKind::End, 0)]);
                }
            }
            LogEvent::Leave => {
                if let Some(frame) = activations.frame(thread, stack, function) {
                    log.append(environment, &[record(frame, RecordKind::End, 0)]);
                }
                activations.leave(thread, stack, function);
            }
        }
    });
}

/// Ends the log with the program.
pub(crate) fn finish(environment: &Environment) {
    ENDED.store(true, Ordering::Relaxed);
    with_log(|log| log.flush(environment));
}

#[cfg(test)]
mod tests {
    use std::fs;

    use process::origin::Asker;
    use process::proc::NoLibrary;

    use super::*;

    #[test]
    fn records_arrive_in_order_of_each_frame() {
        let root = std::env::temp_dir().join(format!("pathrt-log-{}", std::process::id()));
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        let mut environment = Box::new(Environment::new());
        let address = &raw const LOG as usize;
        environment.read(address, &[], Asker::Counted(address), &NoLibrary);
        environment.origin.pattern.fill(|_| None);
        environment.origin.pattern.push_all(root.as_os_str().as_encoded_bytes());
        environment.origin.pattern.push_all(b"/test.pathprof");

        const FRAMES: usize = 1000;
        const BLOCKS: u32 = 100;
        let environment = &*environment;
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for _ in 0..FRAMES / 4 {
                        let frame = enter(environment, &[thread; 16], 7);
                        (0..BLOCKS).for_each(|index| block(environment, frame, index));
                        end(environment, frame);
                    }
                });
            }
        });
        finish(environment);

        let bytes = fs::read(root.join("test.pathlog")).expect("written");
        let (records, rest) = bytes.as_chunks::<16>();
        assert!(rest.is_empty());
        assert_eq!(records.len(), FRAMES * (BLOCKS as usize + 3));
        let mut frames = std::collections::HashMap::<u64, Vec<[u32; 2]>>::new();
        let mut records = records.iter();
        while let Some(record) = records.next() {
            let word = |at: usize| {
                u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]])
            };
            let frame = u64::from(word(0)) | u64::from(word(4)) << 32;
            frames.entry(frame).or_default().push([word(8), word(12)]);
            if word(8) == RecordKind::Enter as u32 {
                let module = records.next().expect("a pair");
                assert!(module[0] < 4 && module.iter().all(|byte| byte == &module[0]));
            }
        }
        let mut expected = vec![[0, 7]];
        expected.extend((0..BLOCKS).map(|index| [1, index]));
        expected.push([2, 0]);
        assert_eq!(frames.len(), FRAMES);
        assert!(frames.values().all(|records| *records == expected));
        fs::remove_dir_all(root).expect("ours");
    }

    #[test]
    fn a_log_is_named_like_the_profile() {
        for (profile, log) in [("/a/x.pathprof", "/a/x.pathlog"), ("/a/x", "/a/x.pathlog")] {
            let mut path = Path::new();
            path.push_all(profile.as_bytes());
            rename_profile(&mut path);
            assert_eq!(path.as_bytes(), log.as_bytes());
            assert!(!is_written_at_once(&path));
        }
        let mut path = Path::new();
        path.push_all(b"/a/7.now.pathprof");
        assert!(!is_written_at_once(&path));
        rename_profile(&mut path);
        assert!(is_written_at_once(&path));
    }
}
