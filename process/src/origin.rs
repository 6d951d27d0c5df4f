//! The start of the process.
//!
//! The first image reads it, and all later images take it from the registry, since the program may
//! overwrite its environment and change its directory, its root and its user.

use pathformat::profile::{Ancestor, FORKED, UNSURE};

use crate::ancestry::Ancestry;
use crate::auxiliary::{self, Vector};
use crate::pattern::{self, Keeping};
use crate::proc::{self, Library, Status, Variables};
use crate::sys::kept::Kept;
use crate::sys::{self, File, FilePlace, Identity, OpenError};
use crate::text::{LabelText, Path, Text, directory_length};

/// The state of an [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Recording {
    /// Not read yet. Its value is 0.
    Unknown = 0,
    /// Nothing is written.
    Off = 1,
    /// Profiles are written.
    On = 2,
}

/// The image for which the origin is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// An image of a program with counters, which has code at this address.
    Counted(usize),
    /// A library in a program without counters, which may have run for a while.
    Alone,
}

/// The state at the start. All-zero bytes are an origin that was not read yet.
#[repr(C)]
pub struct Origin {
    state: Recording,
    /// The process to which the times belong.
    process: u32,
    /// Nanoseconds since 1970.
    pub time: u64,
    /// The time at which the kernel started the process, in clock ticks since boot; 0 if unknown,
    /// or not read yet ([`Origin::read_descent`]).
    pub process_start: u64,
    /// [`FORKED`] and [`UNSURE`].
    pub flags: u32,
    /// The raw files in which the process counts.
    pub keeping: Keeping,
    /// The process that forked this one, while its ancestors have not been read; 0 if that is not
    /// known.
    parent: u32,
    /// True if the ancestors were read.
    has_descent: bool,
    /// The ancestors of the process.
    pub ancestry: Ancestry,
    /// The root directory.
    root: Identity,
    /// The directory of the profiles, and its path with a slash at the end.
    folder: Kept,
    folder_path: Path,
    /// The pattern of the profile's name.
    pub pattern: Path,
    /// The path of the program, empty if it has no counters.
    pub program: Path,
    /// The current directory, empty if unknown.
    pub directory: Path,
    /// The arguments, each closed by a NUL, cut after 64 KiB.
    pub arguments: Text<65536>,
    /// The label under which the process counts; empty if it has none.
    pub label: LabelText,
}

impl Origin {
    /// Returns an origin that was not read yet.
    pub const fn new() -> Self {
        Self {
            state: Recording::Unknown,
            process: 0,
            time: 0,
            process_start: 0,
            flags: 0,
            keeping: Keeping::AsNeeded,
            parent: 0,
            has_descent: false,
            ancestry: Ancestry::NONE,
            root: Identity::NONE,
            folder: Kept::NONE,
            folder_path: Path::new(),
            pattern: Path::new(),
            program: Path::new(),
            directory: Path::new(),
            arguments: Text::new(),
            label: Text::new(),
        }
    }

    /// Returns true if the origin was read.
    pub fn is_known(&self) -> bool {
        self.state != Recording::Unknown
    }

    /// Returns true if profiles are to be written.
    pub fn enabled(&self) -> bool {
        self.state == Recording::On
    }

    /// Reads everything.
    pub fn read(
        &mut self,
        asked: Asker,
        vector: &Result<Vector, OpenError>,
        library: &impl Library,
        line: &mut Path,
    ) {
        self.state = Recording::Off;
        self.process = sys::process();
        if auxiliary::is_privileged(vector) {
            return;
        }
        let mut variables = Variables {
            pattern: &mut self.pattern,
            label: &mut self.label,
            directory: line,
            sane: true,
        };
        let known = variables.read_process(library);
        let sane = variables.sane;
        if !known && !sane {
            variables.read_library(library);
        }
        let (keeping, length) = pattern::keeping(self.pattern.as_bytes());
        self.keeping = keeping;
        self.pattern.cut_front(length);
        if self.pattern.overflowed() || pattern::is_off(self.pattern.as_bytes()) {
            return;
        }
        self.state = Recording::On;
        self.time = sys::now();
        self.directory.fill(sys::current_directory);
        self.root = sys::identity(c"/");
        if let Ok(arguments) = File::open(c"/proc/self/cmdline") {
            self.arguments.fill(|buffer| Some(proc::read_up_to(&arguments, buffer)));
        }
        // The shell sets PWD to the directory in which it starts the program.
        let elsewhere = !self.pattern.as_bytes().is_empty()
            && !pattern::is_absolute(self.pattern.as_bytes())
            && line.as_bytes().starts_with(b"/")
            && line.as_path().is_some_and(|path| sys::identity(path) != sys::identity(c"."));
        if asked == Asker::Alone && (!sane || elsewhere) {
            self.flags |= UNSURE;
        }
    }

    /// Makes sure that nothing is written.
    pub fn turn_off(&mut self) {
        self.state = Recording::Off;
    }

    #[cfg(test)]
    pub(crate) fn turn_on(&mut self) {
        self.state = Recording::On;
    }

    /// Copies what another image has read.
    pub fn copy(&mut self, known: &Self) {
        self.state = known.state;
        self.process = known.process;
        self.keeping = known.keeping;
        self.follow(known);
        self.root = known.root;
        self.share_folder(known);
        self.pattern.copy(&known.pattern);
        self.program.copy(&known.program);
        self.directory.copy(&known.directory);
        self.arguments.copy(&known.arguments);
        self.label.copy(&known.label);
    }

    /// Copies the values that change in a forked child.
    pub fn follow(&mut self, known: &Self) {
        self.process = known.process;
        (self.time, self.process_start, self.flags) =
            (known.time, known.process_start, known.flags);
        (self.parent, self.has_descent) = (known.parent, known.has_descent);
        self.ancestry = known.ancestry;
    }

    /// Reads the process's own values again if it has forked since they were read.
    pub fn notice_fork(&mut self) {
        if self.process != sys::process() {
            if self.has_descent {
                // The parent may have ended by now.
                self.ancestry.descend(Ancestor::new(self.process, self.process_start));
                self.read_start();
            } else {
                self.parent = self.process;
            }
            self.process = sys::process();
            self.flags |= FORKED;
            self.time = sys::now();
        }
    }

    /// Reads when the process was started and from which processes it descends, if that is not
    /// known yet. It is costly, and not needed where the counts are added to those of others.
    pub fn read_descent(&mut self) {
        if !core::mem::replace(&mut self.has_descent, true) {
            let status = self.read_start();
            let parent = if self.parent == 0 { sys::parent() } else { self.parent };
            self.ancestry.read(parent, status.as_ref());
        }
    }

    fn read_start(&mut self) -> Option<Status> {
        let status = Status::own();
        // Without /proc it is the time at which the fork was noticed, the same for all images.
        self.process_start = status.map_or_else(sys::ticks_since_boot, |status| status.start);
        status
    }

    /// Keeps the directory of a file open.
    pub fn keep_folder(&mut self, file: &Path) {
        let length = directory_length(file.as_bytes());
        if !self.folder.is_none() || length == 0 {
            return;
        }
        self.folder_path.clear();
        self.folder_path.push_all(file.as_bytes().get(..length).unwrap_or_default());
        if let Some(Ok(folder)) = self.folder_path.as_path().map(File::open_folder) {
            self.folder = Kept::keep(&folder);
        }
    }

    /// Uses the directory that another image has kept open.
    pub fn share_folder(&mut self, known: &Self) {
        self.folder = known.folder.same();
        self.folder_path.copy(&known.folder_path);
    }

    /// Closes the directory.
    pub fn forget_folder(&mut self) {
        self.folder.close();
    }

    /// Returns the place to which a path leads: in the directory that was kept open, or from the
    /// root, if the root has not changed.
    pub fn place<'a>(&self, path: &'a mut Path) -> Option<FilePlace<'a>> {
        let known = self.folder_path.as_bytes().len();
        let kept = path.as_bytes().starts_with(self.folder_path.as_bytes())
            && !path.as_bytes().get(known..).unwrap_or_default().contains(&b'/');
        if kept && let Some(folder) = self.folder.file() {
            return path.as_path_from(known).map(|name| folder.inside(name));
        }
        (self.root == Identity::NONE || sys::identity(c"/") == self.root)
            .then(|| path.as_path().map(FilePlace::from))?
    }
}
