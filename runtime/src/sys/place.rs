//! What stands at a path.

use core::ffi::CStr;
use core::marker::PhantomData;

use super::call::{call, checked};

const GETCWD: usize = 79;
const MKDIR: usize = 83;
const READLINK: usize = 89;
const NEWFSTATAT: usize = 262;
const UNLINKAT: usize = 263;
const FACCESSAT: usize = 269;
const AT_FDCWD: usize = -100isize as usize;
const AT_SYMLINK_NOFOLLOW: usize = 0x100;
const W_OK_X_OK: usize = 2 | 1;
const S_IFMT: u32 = 0o170_000;
const S_IFDIR: u32 = 0o040_000;

/// A name in a directory, or a path.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Descriptor of the directory.
    pub(super) directory: usize,
    /// Address of the name.
    pub(super) name: usize,
    owner: PhantomData<&'a CStr>,
}

impl<'a> From<&'a CStr> for Place<'a> {
    fn from(path: &'a CStr) -> Self {
        Self { directory: AT_FDCWD, name: path.as_ptr() as usize, owner: PhantomData }
    }
}

impl<'a> Place<'a> {
    /// A name in the directory with this descriptor, which stays open.
    pub(super) fn inside(folder: usize, name: &'a CStr) -> Self {
        Self { directory: folder, ..Self::from(name) }
    }

    /// Whether the directory is open.
    pub(crate) fn is_inside(&self) -> bool {
        self.directory != AT_FDCWD
    }
}

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Identity([u64; 2]);

impl Identity {
    /// That of no file.
    pub(crate) const NONE: Self = Self([0; 2]);
}

/// A `struct stat` of x86-64, of which mode, size, device and number are looked at.
#[repr(C)]
pub(super) struct Status([u64; 18]);

impl Status {
    pub(super) fn new() -> Self {
        Self([0; 18])
    }

    /// `st_dev` and `st_ino`, at the start.
    pub(super) fn identity(&self) -> Identity {
        Identity([self.0[0], self.0[1]])
    }

    /// `st_nlink`, at byte 16.
    pub(super) fn links(&self) -> u64 {
        self.0[2]
    }

    /// `st_mode`, at byte 24.
    pub(super) fn mode(&self) -> u32 {
        self.0[3] as u32
    }

    /// `st_uid`, at byte 28.
    fn owner(&self) -> u32 {
        (self.0[3] >> 32) as u32
    }

    /// `st_size`, at byte 48.
    pub(super) fn size(&self) -> u64 {
        self.0[6]
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing, or nothing that we may see.
    Nothing,
    /// A directory.
    Directory {
        /// Whose it is.
        owner: u32,
        /// Whether everybody may put files there.
        open: bool,
    },
    /// Anything else.
    Other,
}

pub(super) fn look(place: Place<'_>, flags: usize) -> Option<Status> {
    let mut status = Status::new();
    let arguments = [place.directory, place.name, &raw mut status as usize, flags, 0, 0];
    // SAFETY: the name ends with a NUL and `status` has the size of a `struct stat`.
    (unsafe { call(NEWFSTATAT, arguments) } == 0).then_some(status)
}

fn kind_with(place: Place<'_>, flags: usize) -> Kind {
    let Some(status) = look(place, flags) else { return Kind::Nothing };
    match status.mode() & S_IFMT {
        S_IFDIR => Kind::Directory { owner: status.owner(), open: status.mode() & 0o002 != 0 },
        _ => Kind::Other,
    }
}

/// What a path names, symbolic links followed.
pub(crate) fn kind(path: &CStr) -> Kind {
    kind_with(path.into(), 0)
}

/// What tells what a path names from everything else.
pub(crate) fn identity(path: &CStr) -> Identity {
    identity_with(path.into(), 0)
}

/// The same of what stands at the place itself.
pub(crate) fn identity_of(place: Place<'_>) -> Identity {
    identity_with(place, AT_SYMLINK_NOFOLLOW)
}

fn identity_with(place: Place<'_>, flags: usize) -> Identity {
    look(place, flags).map_or(Identity::NONE, |status| status.identity())
}

/// What stands at the path itself.
pub(crate) fn kind_of_entry(place: Place<'_>) -> Kind {
    kind_with(place, AT_SYMLINK_NOFOLLOW)
}

/// Whether the process may make files in a directory.
pub(crate) fn may_write_in(directory: &CStr) -> bool {
    // SAFETY: the path ends with a NUL.
    unsafe { call(FACCESSAT, [AT_FDCWD, directory.as_ptr() as usize, W_OK_X_OK, 0, 0, 0]) == 0 }
}

/// Removes a file, if it is there.
pub(crate) fn unlink(place: Place<'_>) {
    // SAFETY: the name ends with a NUL.
    unsafe { call(UNLINKAT, [place.directory, place.name, 0, 0, 0, 0]) };
}

/// Makes a directory, if it is not there.
pub(crate) fn make_directory(path: &CStr) {
    // SAFETY: the path ends with a NUL.
    unsafe { call(MKDIR, [path.as_ptr() as usize, 0o777, 0, 0, 0, 0]) };
}

/// Writes the current directory to the front of `buffer`; its length without the NUL.
pub(crate) fn current_directory(buffer: &mut [u8]) -> Option<usize> {
    // SAFETY: the buffer is writable for its whole length.
    let length = unsafe { call(GETCWD, [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0]) };
    // The kernel says "(unreachable)/…" for a directory outside of the root.
    checked(length)
        .ok()
        .filter(|_| buffer.first() == Some(&b'/'))
        .map(|length| length.saturating_sub(1))
}

/// Writes the target of a symbolic link to the front of `buffer`; its length, unless it filled the
/// buffer.
pub(crate) fn read_link(path: &CStr, buffer: &mut [u8]) -> Option<usize> {
    let (start, capacity) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the path ends with a NUL and the buffer is writable for its whole length.
    let length = unsafe { call(READLINK, [path.as_ptr() as usize, start, capacity, 0, 0, 0]) };
    checked(length).ok().filter(|&length| length < capacity)
}
