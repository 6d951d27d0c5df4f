//! The entries of directories.

use core::ffi::CStr;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use linux_raw_sys::general::{
    __NR_faccessat, __NR_getcwd, __NR_mkdir, __NR_newfstatat, __NR_readlink, __NR_renameat2,
    __NR_unlinkat, AT_FDCWD, AT_SYMLINK_NOFOLLOW, RENAME_NOREPLACE, S_IFDIR, S_IFMT, S_IWOTH, W_OK,
    X_OK, stat,
};

use super::call::{call, checked};

/// A name in a directory, or a path.
#[derive(Clone, Copy)]
pub struct FilePlace<'a> {
    /// The descriptor of the directory.
    pub(super) directory: usize,
    /// The address of the name.
    pub(super) name: usize,
    owner: PhantomData<&'a CStr>,
}

impl<'a> From<&'a CStr> for FilePlace<'a> {
    fn from(path: &'a CStr) -> Self {
        Self { directory: AT_FDCWD as usize, name: path.as_ptr() as usize, owner: PhantomData }
    }
}

impl<'a> FilePlace<'a> {
    /// Returns the place of a name in the directory with this descriptor, which stays open.
    pub(super) fn inside(folder: usize, name: &'a CStr) -> Self {
        Self { directory: folder, ..Self::from(name) }
    }

    /// Returns true if the place is in an open directory.
    pub fn is_inside(&self) -> bool {
        self.directory != AT_FDCWD as usize
    }
}

/// The device and the number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Identity([u64; 2]);

impl Identity {
    /// The identity of no file.
    pub const NONE: Self = Self([0; 2]);

    /// Returns the identity of a file with this status.
    pub(super) fn of(status: &stat) -> Self {
        Self([status.st_dev, status.st_ino])
    }
}

/// The kind of the entry at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Nothing, or nothing that the process may see.
    Nothing,
    /// A directory.
    Directory {
        /// The user who owns it.
        owner: u32,
        /// True if every user may create files in it.
        open: bool,
    },
    /// Anything else.
    Other,
}

pub(super) fn look(place: FilePlace<'_>, flags: u32) -> Option<stat> {
    let mut status = MaybeUninit::<stat>::zeroed();
    let arguments =
        [place.directory, place.name, status.as_mut_ptr() as usize, flags as usize, 0, 0];
    // SAFETY: the name ends with a NUL, the kernel fills `status`, and zeros are a value.
    unsafe { (call(__NR_newfstatat, arguments) == 0).then(|| status.assume_init()) }
}

fn kind_with(place: FilePlace<'_>, flags: u32) -> FileKind {
    let Some(status) = look(place, flags) else { return FileKind::Nothing };
    match status.st_mode & S_IFMT {
        S_IFDIR => {
            FileKind::Directory { owner: status.st_uid, open: status.st_mode & S_IWOTH != 0 }
        }
        _ => FileKind::Other,
    }
}

/// Returns the kind of the entry at a path. Symbolic links are followed.
pub fn kind(path: &CStr) -> FileKind {
    kind_with(path.into(), 0)
}

/// Returns the identity of the file at a path. Symbolic links are followed.
pub fn identity(path: &CStr) -> Identity {
    identity_with(path.into(), 0)
}

/// Returns the identity of the entry itself. Symbolic links are not followed.
pub fn identity_of(place: FilePlace<'_>) -> Identity {
    identity_with(place, AT_SYMLINK_NOFOLLOW)
}

fn identity_with(place: FilePlace<'_>, flags: u32) -> Identity {
    look(place, flags).map_or(Identity::NONE, |status| Identity::of(&status))
}

/// Returns the kind of the entry itself. Symbolic links are not followed.
pub fn kind_of_entry(place: FilePlace<'_>) -> FileKind {
    kind_with(place, AT_SYMLINK_NOFOLLOW)
}

/// Returns true if the process may create files in a directory.
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
pub fn unlink(place: FilePlace<'_>) {
    // SAFETY: the name ends with a NUL.
    unsafe { call(__NR_unlinkat, [place.directory, place.name, 0, 0, 0, 0]) };
}

/// Gives a file another name, which must be free. Returns false if that is not possible.
pub fn rename_to_free(from: FilePlace<'_>, to: FilePlace<'_>) -> bool {
    let flags = RENAME_NOREPLACE as usize;
    let arguments = [from.directory, from.name, to.directory, to.name, flags, 0];
    // SAFETY: the names end with a NUL.
    unsafe { call(__NR_renameat2, arguments) == 0 }
}

/// Makes a directory, if it does not exist.
pub fn make_directory(path: &CStr) {
    // SAFETY: the path ends with a NUL.
    unsafe { call(__NR_mkdir, [path.as_ptr() as usize, 0o777, 0, 0, 0, 0]) };
}

/// Writes the current directory to the front of `buffer`. Returns its length without the NUL.
pub fn current_directory(buffer: &mut [u8]) -> Option<usize> {
    // SAFETY: the buffer is writable for its whole length.
    let length =
        unsafe { call(__NR_getcwd, [buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0, 0]) };
    // The kernel returns "(unreachable)/…" for a directory outside of the root.
    checked(length)
        .ok()
        .filter(|_| buffer.first() == Some(&b'/'))
        .map(|length| length.saturating_sub(1))
}

/// Writes the target of a symbolic link to the front of `buffer`. Returns its length, or `None` if
/// it fills the buffer.
pub fn read_link(path: &CStr, buffer: &mut [u8]) -> Option<usize> {
    let (start, capacity) = (buffer.as_mut_ptr() as usize, buffer.len());
    // SAFETY: the path ends with a NUL and the buffer is writable for its whole length.
    let length = unsafe { call(__NR_readlink, [path.as_ptr() as usize, start, capacity, 0, 0, 0]) };
    checked(length).ok().filter(|&length| length < capacity)
}
