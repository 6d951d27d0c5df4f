//! What stands at a path.

use core::ffi::CStr;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use linux_raw_sys::general::{
    __NR_faccessat, __NR_getcwd, __NR_mkdir, __NR_newfstatat, __NR_readlink, __NR_unlinkat,
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, S_IFDIR, S_IFMT, S_IWOTH, W_OK, X_OK, stat,
};

use super::call::{call, checked};

/// A name in a directory, or a path.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Descriptor of the directory.
    pub(super) directory: usize,
    /// Address of the name.
    pub(super) name: usize,
    owner: PhantomData<&'a CStr>,
}

impl<'a> From<&'a CStr> for Place<'a> {
    fn from(path: &'a CStr) -> Self {
        Self { directory: AT_FDCWD as usize, name: path.as_ptr() as usize, owner: PhantomData }
    }
}

impl<'a> Place<'a> {
    /// A name in the directory with this descriptor, which stays open.
    pub(super) fn inside(folder: usize, name: &'a CStr) -> Self {
        Self { directory: folder, ..Self::from(name) }
    }

    /// Whether the directory is open.
    pub fn is_inside(&self) -> bool {
        self.directory != AT_FDCWD as usize
    }
}

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Identity([u64; 2]);

impl Identity {
    /// That of no file.
    pub const NONE: Self = Self([0; 2]);

    /// That of a file with this status.
    pub(super) fn of(status: &stat) -> Self {
        Self([status.st_dev, status.st_ino])
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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

pub(super) fn look(place: Place<'_>, flags: u32) -> Option<stat> {
    let mut status = MaybeUninit::<stat>::zeroed();
    let arguments =
        [place.directory, place.name, status.as_mut_ptr() as usize, flags as usize, 0, 0];
    // SAFETY: the name ends with a NUL, `status` is what the kernel fills, and zeros are a value.
    unsafe { (call(__NR_newfstatat, arguments) == 0).then(|| status.assume_init()) }
}

fn kind_with(place: Place<'_>, flags: u32) -> Kind {
    let Some(status) = look(place, flags) else { return Kind::Nothing };
    match status.st_mode & S_IFMT {
        S_IFDIR => Kind::Directory { owner: status.st_uid, open: status.st_mode & S_IWOTH != 0 },
        _ => Kind::Other,
    }
}

/// What a path names, symbolic links followed.
pub fn kind(path: &CStr) -> Kind {
    kind_with(path.into(), 0)
}

/// What tells what a path names from everything else.
pub fn identity(path: &CStr) -> Identity {
    identity_with(path.into(), 0)
}

/// The same of what stands at the place itself.
pub fn identity_of(place: Place<'_>) -> Identity {
    identity_with(place, AT_SYMLINK_NOFOLLOW)
}

fn identity_with(place: Place<'_>, flags: u32) -> Identity {
    look(place, flags).map_or(Identity::NONE, |status| Identity::of(&status))
}

/// What stands at the path itself.
pub fn kind_of_entry(place: Place<'_>) -> Kind {
    kind_with(place, AT_SYMLINK_NOFOLLOW)
}

/// Whether the process may make files in a directory.
pub fn may_write_in(directory: &CStr) -> bool {
    // SAFETY: the path ends with a NUL.
    unsafe {
        call(
            __NR_faccessat,
            [AT_FDCWD as usize, directory.as_ptr() as usize, (W_OK | X_OK) as usize, 0, 0, 0],
        ) == 0
    }
}

/// Removes a file, if it is there.
pub fn unlink(place: Place<'_>) {
    // SAFETY: the name ends with a NUL.
    unsafe { call(__NR_unlinkat, [place.directory, place.name, 0, 0, 0, 0]) };
}

/// Makes a directory, if it is not there.
pub fn make_directory(path: &CStr) {
    // SAFETY: the path ends with a NUL.
    unsafe { call(__NR_mkdir, [path.as_ptr() as usize, 0o777, 0, 0, 0, 0]) };
}

/// Writes the current directory to the front of `buffer`; its length without the NUL.
pub fn current_directory(buffer: &mut [u8]) -> Option<usize> {
    // SAFETY: the buffer is writable for its whole length.
    let length =
        unsafe { call(__NR_getcwd, [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0]) };
    // The kernel says "(unreachable)/…" for a directory outside of the root.
    checked(length)
        .ok()
        .filter(|_| buffer.first() == Some(&b'/'))
        .map(|length| length.saturating_sub(1))
}

/// Writes the target of a symbolic link to the front of `buffer`; its length, unless it filled the
/// buffer.
pub fn read_link(path: &CStr, buffer: &mut [u8]) -> Option<usize> {
    let (start, capacity) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the path ends with a NUL and the buffer is writable for its whole length.
    let length = unsafe { call(__NR_readlink, [path.as_ptr() as usize, start, capacity, 0, 0, 0]) };
    checked(length).ok().filter(|&length| length < capacity)
}
