//! The state of the process at its start that the program may change later: the variable with the
//! profile's name, the current directory, the path of the image, the command line.
//!
//! Everything is read from `/proc/self`, because not every C library passes arguments to
//! constructors. Where `/proc` is missing, the runtime goes on with what it has.

use linux_raw_sys::auxvec::{AT_ENTRY, AT_HWCAP2, AT_PHDR};
use pathformat::profile::{FORKED, Head, RunId};
use pathformat::raw::PAGE;

use crate::auxiliary::Vector;
use crate::global::Global;
use crate::origin::{Asker, Origin};
use crate::pattern;
use crate::proc::{Library, cut_deleted, for_each_byte, mapped_path, unescape};
use crate::sys::{self, File, Names, OpenError};
use crate::text::{Path, Text};
use crate::{imports, notes};

/// The bit of `AT_HWCAP2` that is set if programs may execute `wrgsbase`
/// (`arch/x86/include/uapi/asm/hwcap2.h` in Linux).
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// The state at the start.
pub struct Environment {
    /// The part that is common to all images of the process.
    pub origin: Origin,
    /// The path of the image that this copy of the runtime is linked into, empty if unknown.
    pub image: Path,
    /// The build-id of that image, empty if it has none, cut after 64 bytes.
    pub build_id: Text<65>,
    /// The identity of this run.
    pub run: RunId,
    /// True if an instruction sets the base of a segment, as far as was read.
    pub sets_segments: bool,
    /// Scratch space for a line of a file of `/proc`.
    line: Text<4352>,
    /// Scratch space for a path.
    scratch: Path,
}

impl Environment {
    /// Returns an environment that was not read yet, with which nothing is written. It consists of
    /// zeros, so that it takes no room in a file.
    pub const fn new() -> Self {
        let [image, scratch] = [Path::new(), Path::new()];
        let (origin, build_id) = (Origin::new(), Text::new());
        let (run, line) = (RunId::NONE, Text::new());
        Self { origin, image, build_id, run, sets_segments: false, line, scratch }
    }

    /// Returns true if profiles are to be written.
    pub fn enabled(&self) -> bool {
        self.origin.enabled()
    }

    /// Reads everything. `address` is that of any code of the image.
    pub fn read(&mut self, address: usize, build_id: &[u8], asked: Asker, library: &impl Library) {
        let vector = Vector::read(library);
        self.origin.read(asked, &vector, library, &mut self.scratch);
        let features = vector.as_ref().ok().and_then(|vector| vector.get(AT_HWCAP2));
        self.sets_segments = features.is_some_and(|features| features & HWCAP2_FSGSBASE != 0);
        let program = match asked {
            Asker::Counted(program) => Some(program),
            Asker::Alone => None,
        };
        self.read_images(address, program, build_id, vector.ok().as_ref());
    }

    /// Returns the path of the program, or of the image if the program has no counters.
    pub fn program(&self) -> &[u8] {
        let program = self.origin.program.as_bytes();
        if program.is_empty() { self.image.as_bytes() } else { program }
    }

    /// Copies what another image has read, and reads the rest.
    pub fn join(&mut self, known: &mut Origin, address: usize, build_id: &[u8]) {
        known.notice_fork();
        self.origin.copy(known);
        self.read_images(address, None, build_id, None);
    }

    /// Forgets which image the environment belongs to.
    pub fn clear(&mut self) {
        self.image.clear();
        self.build_id.clear();
        self.run = RunId::NONE;
    }

    /// Returns true if the process is a fork of one that counted.
    pub fn forked(&self) -> bool {
        self.origin.flags & FORKED != 0
    }

    /// Takes over, in a forked child, the values of its own.
    pub fn fork(&mut self, origin: &Origin) {
        self.origin.follow(origin);
        self.run = self.run.of_child(sys::process(), self.origin.time);
    }

    /// Does the same in a forked child for which no fork handler has run.
    pub fn notice_fork(&mut self) {
        self.origin.notice_fork();
        self.run = self.run.of_child(sys::process(), self.origin.time);
    }

    /// Begins a new run after the record was written.
    pub fn go_on(&mut self) {
        self.run = self.run.of_child(sys::process(), sys::now());
    }

    /// Returns the description of the process and the image for a profile.
    pub fn head<'a>(&'a self, names: &'a Names, flags: u32, stop: u64) -> Head<'a> {
        Head {
            flags: flags | self.origin.flags,
            pid: sys::process(),
            start: self.origin.time,
            stop,
            process_start: self.origin.process_start,
            ancestors: self.origin.ancestry.as_slice(),
            run: self.run,
            build_id: self.build_id.as_bytes(),
            image: self.image.as_bytes(),
            command_line: self.origin.arguments.as_bytes(),
            directory: self.origin.directory.as_bytes(),
            host: names.host(),
        }
    }

    /// Finds two files: this image, which is mapped at `address`, and the program, which is mapped
    /// at `program`.
    ///
    /// Without `/proc/self/maps` both are the file that the kernel executes, which is the loader if
    /// the loader was called by name. Without any of `/proc` it is the file by whose path the
    /// program was executed. If a path is too long for the kernel, only the name of the file is
    /// known.
    fn read_images(
        &mut self,
        address: usize,
        program: Option<usize>,
        build_id: &[u8],
        vector: Option<&Vector>,
    ) {
        if !self.enabled() {
            return;
        }
        self.run = sys::random().map_or(RunId::NONE, RunId);
        self.build_id.push_all(build_id);
        // The kernel has the name of the file that it executed at hand.
        let headers = vector.and_then(|vector| vector.get(AT_PHDR)).filter(|_| program.is_some());
        // SAFETY: the linker defines the symbol as the head of this image.
        if headers.is_some_and(|at| unsafe { notes::is_executed(imports::file_head(), at) }) {
            self.image.fill(|buffer| sys::read_link(c"/proc/self/exe", buffer));
            cut_deleted(&mut self.image);
            self.origin.program.copy(&self.image);
        }
        let is_missing = self.image.as_bytes().is_empty();
        if let Some(Ok(maps)) = is_missing.then(|| File::open(c"/proc/self/maps")) {
            self.line.clear();
            for_each_byte(&maps, |byte| {
                if byte != b'\n' {
                    self.line.push(byte);
                    return true;
                }
                let wanted =
                    [(Some(address), &mut self.image), (program, &mut self.origin.program)];
                let mut missing = false;
                for (address, path) in wanted {
                    let Some(address) = address.filter(|_| path.as_bytes().is_empty()) else {
                        continue;
                    };
                    match mapped_path(self.line.as_bytes(), address) {
                        Some(found) => unescape(found, path),
                        None => missing = true,
                    }
                }
                self.line.clear();
                missing
            });
        }
        if self.build_id.as_bytes().is_empty()
            && let Some(Ok(file)) = self.image.as_path().map(File::open)
        {
            // The headers with the place of the build-id need not be in memory.
            self.build_id.fill(|buffer| notes::build_id_in_file(&file, buffer));
        }
        let directory = &self.origin.directory;
        let asked_for = [Some(&mut self.image), program.map(|_| &mut self.origin.program)];
        for path in asked_for.into_iter().flatten() {
            if path.as_bytes().is_empty() {
                path.fill(|buffer| sys::read_link(c"/proc/self/exe", buffer));
                cut_deleted(path);
            }
            if let Some(vector) = vector
                && (path.as_bytes().is_empty() || path.overflowed())
            {
                let is_long = path.overflowed();
                self.scratch.clear();
                vector.executed(&mut self.scratch);
                path.clear();
                if is_long {
                    path.push_all(pattern::base_name(self.scratch.as_bytes()));
                } else {
                    put_executed(self.scratch.as_bytes(), directory, vector.get(AT_ENTRY), path);
                }
            }
        }
        if self.image.as_bytes().is_empty() {
            self.image.copy(&self.origin.program);
        }
    }
}

/// Writes the path of the program to `path`, from the path by which it was executed, which may be
/// relative. Leaves `path` empty if it leads to another file: a script is executed by its
/// interpreter. The program was entered at `entry`.
fn put_executed(executed: &[u8], directory: &Path, entry: Option<u64>, path: &mut Path) {
    if !executed.starts_with(b"/") {
        path.push_all(directory.as_bytes());
        path.push(b'/');
    }
    path.push_all(executed.strip_prefix(b"./").unwrap_or(executed));
    // Images are moved by whole pages.
    let in_page = |entry: u64| entry % PAGE;
    let is_program = match path.as_path().map(File::open) {
        Some(Ok(file)) => {
            let in_file = notes::entry_in_file(&file);
            in_file.is_some() && in_file.map(in_page) == entry.map(in_page)
        }
        Some(Err(OpenError::Denied)) => true,
        _ => false,
    };
    if !is_program {
        path.clear();
    }
}

/// The environment of this image.
static OF_IMAGE: Global<Environment> = Global::new(Environment::new());

/// Returns the environment of this image, to be changed.
///
/// # Safety
/// No other code may be using it.
pub unsafe fn change() -> &'static mut Environment {
    // SAFETY: the caller vouches for it.
    unsafe { OF_IMAGE.get() }
}

/// Returns the environment of this image. Only a fork changes it, when no other thread is left.
pub fn of_image() -> &'static Environment {
    // SAFETY: see above.
    unsafe { OF_IMAGE.get() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proc::NoLibrary;

    #[test]
    fn this_process_is_described() {
        let mut environment = Box::new(Environment::new());
        let code = this_process_is_described as *const () as usize;
        environment.read(code, &[1], Asker::Counted(code), &NoLibrary);
        assert!(environment.enabled());
        let program = std::env::current_exe().expect("Linux has /proc");
        assert_eq!(environment.image.as_bytes(), program.as_os_str().as_encoded_bytes());
        assert_eq!(environment.program(), environment.image.as_bytes());
        let directory = std::env::current_dir().expect("tests run somewhere");
        assert_eq!(
            environment.origin.directory.as_bytes(),
            directory.as_os_str().as_encoded_bytes()
        );
        assert!(environment.origin.arguments.as_bytes().ends_with(b"\0"));
        environment.origin.read_descent();
        assert!(environment.origin.process_start > 0);
        assert_ne!(environment.run, RunId::NONE);
    }

    #[test]
    fn every_image_and_every_child_is_a_run_of_its_own() {
        let read = || {
            let mut environment = Box::new(Environment::new());
            let code = this_process_is_described as *const () as usize;
            environment.read(code, &[1], Asker::Counted(code), &NoLibrary);
            environment
        };
        let (mut one, other) = (read(), read());
        let before = one.run;
        let origin = Box::new(Origin::new());
        one.fork(&origin);
        assert!(one.run != before && before != other.run && one.run != other.run);
    }
}
