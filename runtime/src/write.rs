//! Writes the profile: through a buffer to a temporary file beside the final one, which then takes its name. So
//! nobody ever sees half a profile under a profile's name.

use pathformat::ModuleId;
use pathformat::profile::{Head, ProfileWriter};
use pathformat::wire::Sink;

use crate::counters::{PageMap, Pages};
use crate::environment::Environment;
use crate::image::Image;
use crate::sys::{self, File, Names, OpenError};
use crate::target;
use crate::text::Path;

const BUFFER: usize = 4096;

/// The room that writing needs. It is kept off the stack, since whoever calls `exit` may have little of that.
pub(crate) struct Room {
    /// Final name of the profile.
    path: Path,
    /// Its name until it is complete.
    temporary: Path,
    pages: Pages,
    buffer: [u8; BUFFER],
}

impl Room {
    /// Empty room.
    pub(crate) const fn new() -> Self {
        Self { path: Path::new(), temporary: Path::new(), pages: Pages::new(), buffer: [0; BUFFER] }
    }
}

/// Collects bytes and writes them in large pieces; after the first failure it only pretends.
struct FileSink<'a> {
    file: File,
    buffer: &'a mut [u8; BUFFER],
    filled: usize,
    /// How much may still be written: beyond the limit a signal would end the program.
    allowed: u64,
    failed: bool,
}

impl<'a> FileSink<'a> {
    fn new(file: File, buffer: &'a mut [u8; BUFFER]) -> Self {
        Self { file, buffer, filled: 0, allowed: sys::file_size_limit(), failed: false }
    }

    fn flush(&mut self) {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        match self.allowed.checked_sub(bytes.len() as u64) {
            Some(left) if !self.failed => {
                self.allowed = left;
                self.failed = !self.file.write_all(bytes);
            }
            _ => self.failed = true,
        }
        self.filled = 0;
    }

    /// Writes what is left; whether everything arrived.
    fn finish(mut self) -> bool {
        self.flush();
        !self.failed
    }
}

impl Sink for FileSink<'_> {
    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.filled == BUFFER {
                self.flush();
            }
            if let Some(place) = self.buffer.get_mut(self.filled) {
                *place = byte;
                self.filled += 1;
            }
        }
    }
}

/// Writes the profile of this process, or nothing.
pub(crate) fn profile(environment: &Environment, image: &Image, room: &mut Room) {
    if !target::resolve(environment, &mut room.path, &mut room.temporary) {
        return;
    }
    let Some(file) = create_beside(&room.path, &mut room.temporary) else { return };
    let mut sink = FileSink::new(file, &mut room.buffer);
    put_profile(environment, image, &mut room.pages, &mut sink);
    let complete = sink.finish();
    let (Some(from), Some(to)) = (room.temporary.as_path(), room.path.as_path()) else { return };
    if complete {
        // Renaming over an older profile would make ext4 write the data to disk at once, which takes ten times as long
        // as everything else here.
        sys::unlink(to);
    }
    if !complete || !sys::rename(from, to) {
        sys::unlink(from);
    }
}

fn put_profile(environment: &Environment, image: &Image, pages: &mut Pages, sink: &mut impl Sink) {
    let names = Names::new();
    let head = Head {
        flags: 0,
        pid: sys::process(),
        parent: sys::parent(),
        start: environment.time,
        stop: sys::now(),
        process_start: 0,
        build_id: environment.build_id.as_bytes(),
        image: environment.image.as_bytes(),
        command_line: environment.arguments.as_bytes(),
        directory: environment.directory.as_bytes(),
        host: names.host(),
    };
    let map = PageMap::open();
    let mut writer = ProfileWriter::new(sink, &head);
    for module in image.modules() {
        if let Some(array) = image.array(module) {
            let mut counters = writer.module(ModuleId(module.id), module.counters);
            // SAFETY: the region is part of the image, which is mapped while its code runs.
            unsafe { pages.visit(&map, array, module.counters, |index, count| counters.counter(index, count)) };
            counters.finish();
        }
    }
    writer.finish();
}

/// Creates a file that did not exist in the directory of `path`, under a name that is short whatever `path` is.
fn create_beside(path: &Path, temporary: &mut Path) -> Option<File> {
    temporary.clear();
    temporary.push_all(path.as_bytes());
    let directory = target::directory_length(path.as_bytes());
    // Processes in different containers may have one number and one directory; they hardly share a nanosecond.
    for attempt in 0..8 {
        temporary.truncate(directory);
        temporary.push_all(b".pathprof-");
        temporary.push_decimal(sys::process());
        temporary.push(b'-');
        temporary.push_hexadecimal(&(sys::now() + attempt).to_be_bytes());
        match File::create(temporary.as_path()?) {
            Ok(file) => return Some(file),
            Err(OpenError::Exists) => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::image::Module;

    struct Bytes(Vec<u8>);

    impl Sink for Bytes {
        fn put(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
    }

    #[repr(align(4096))]
    struct Region([u64; 1024]);

    static REGION: Region = {
        let mut region = [0; 1024];
        region[1] = 5;
        region[511] = 6;
        region[520] = u64::MAX;
        Region(region)
    };
    static MODULES: [Module; 3] = [
        Module { id: [1; 16], offset: 0, counters: 512 },
        Module { id: [2; 16], offset: 4096, counters: 9 },
        Module { id: [3; 16], offset: 4096, counters: 1_000_000 },
    ];

    fn environment(directory: &std::path::Path) -> Box<Environment> {
        let mut environment = Box::new(Environment::new());
        environment.image.push_all(b"/bin/demo");
        environment.directory.push_all(directory.as_os_str().as_encoded_bytes());
        environment.arguments.push_all(b"demo\0-x\0");
        environment.pattern.push_all(b"out/%e.pathprof");
        environment.build_id.push_all(&[0xab; 20]);
        environment.time = 7;
        environment
    }

    #[test]
    fn a_profile_is_written_whole_and_alone() {
        let root = std::env::temp_dir().join(format!("pathrt-write-{}", std::process::id()));
        fs::create_dir_all(&root).expect("the temporary directory is writable");
        let image = Image::new(&REGION.0, &MODULES);
        let mut room = Box::new(Room::new());
        // Twice: an older profile is replaced.
        for _ in 0..2 {
            profile(&environment(&root), &image, &mut room);
        }
        let names: Vec<_> = fs::read_dir(root.join("out")).expect("made").map(|entry| entry.expect("entry")).collect();
        assert_eq!(names.len(), 1);
        let bytes = fs::read(root.join("out/demo.pathprof")).expect("written");
        let stop = u64::from_le_bytes(bytes[32..40].try_into().expect("eight bytes"));
        assert!(stop > 7);
        let names = Names::new();
        let head = Head {
            flags: 0,
            pid: std::process::id(),
            parent: std::os::unix::process::parent_id(),
            start: 7,
            stop,
            process_start: 0,
            build_id: &[0xab; 20],
            image: b"/bin/demo",
            command_line: b"demo\0-x\0",
            directory: root.as_os_str().as_encoded_bytes(),
            host: names.host(),
        };
        let mut expected = Bytes(Vec::new());
        let mut writer = ProfileWriter::new(&mut expected, &head);
        // The third module does not fit in the region and is left out.
        for (id, length, counts) in [(1, 512, &[(1, 5), (511, 6)][..]), (2, 9, &[(8, u64::MAX)])] {
            let mut module = writer.module(ModuleId([id; 16]), length);
            counts.iter().for_each(|&(index, count)| module.counter(index, count));
            module.finish();
        }
        writer.finish();
        assert_eq!(bytes, expected.0);
        fs::remove_dir_all(root).expect("ours");
    }

    #[test]
    fn a_full_device_is_noticed() {
        let file = File::append(c"/dev/full").expect("Linux has it");
        let mut buffer = [0; BUFFER];
        let mut sink = FileSink::new(file, &mut buffer);
        sink.put(&[0; 3 * BUFFER]);
        assert!(!sink.finish());
    }

    #[test]
    fn the_limit_of_file_sizes_is_kept() {
        let mut buffer = [0; BUFFER];
        let file = File::append(c"/dev/null").expect("Linux has it");
        let mut sink = FileSink { allowed: 5000, ..FileSink::new(file, &mut buffer) };
        sink.put(&[0; 5000]);
        assert_eq!(sink.allowed, 5000 - BUFFER as u64);
        sink.put(&[0; 5000]);
        assert!(!sink.finish());
    }
}
