//! Which registry the images of this process share: the executable's, which is found by its `pthread_create`.

use pathformat::names::{REGISTRY_SIGNATURE, REGISTRY_SIGNATURE_NAME};

use crate::imports::{image, others};
use crate::registry::Registry;
use crate::sys::thread;

/// The `pthread_create` that `linker-shim/src/threads.rs` writes, with a signature behind its entry, starts at a multiple of this, so that so many bytes can be read wherever it is.
const ALIGNMENT: usize = 64;

/// The registry that this image has if it finds no other.
pub(crate) static REGISTRY: Registry = Registry::new();

/// The registry of the process: the executable's, or else this image's own.
pub(crate) fn get() -> &'static Registry {
    match found() {
        Found::Registry(registry, _) => registry,
        _ => &REGISTRY,
    }
}

/// Whether that is this image's.
pub(crate) fn has_own_registry() -> bool {
    !matches!(found(), Found::Registry(..))
}

/// The address of code of the executable, if this is a library and the executable has a registry.
pub(crate) fn program_code() -> Option<usize> {
    (!has_own_registry()).then(|| others().create_thread)
}

/// Whether the executable has a registry that this runtime does not understand.
pub(crate) fn is_other_runtime() -> bool {
    matches!(found(), Found::OtherVersion)
}

/// How far the words that the executable lends are from the thread pointer.
pub(crate) fn lent_words() -> Option<usize> {
    match found() {
        Found::Registry(_, words) => Some(words),
        Found::None | Found::OtherVersion => None,
    }
}

/// The registry of another image.
enum Found {
    /// There is none, or this image is the executable.
    None,
    /// One of another version, which must be left alone.
    OtherVersion,
    /// The executable's, and how far the words that it lends are from the thread pointer.
    Registry(&'static Registry, usize),
}

fn found() -> Found {
    let function = others().create_thread;
    let is_other = image().is_library() && function != 0 && function.is_multiple_of(ALIGNMENT);
    // Code that may only be executed does not tell.
    if !is_other || !thread::is_readable(function + 16) {
        return Found::None;
    }
    // SAFETY: it can be read, and these bytes are on one page.
    let (signature, [distance, words]) = unsafe {
        let place = (function + 16) as *const u8;
        (place.cast::<[u8; 16]>().read(), place.add(16).cast::<[i32; 2]>().read())
    };
    if signature == REGISTRY_SIGNATURE {
        // SAFETY: the signature vouches for the distance, and executables are never unloaded.
        let registry = unsafe { &*(((function + 32) as isize + distance as isize) as *const Registry) };
        return Found::Registry(registry, words as usize);
    }
    let ours = signature[..REGISTRY_SIGNATURE_NAME] == REGISTRY_SIGNATURE[..REGISTRY_SIGNATURE_NAME];
    if ours { Found::OtherVersion } else { Found::None }
}

/// Whether a thread that is not registered in the registry may have counted where others do: there every thread is registered that the
/// program creates, or all threads count `together`. A sanitizer's own threads would look so.
pub(crate) fn sees_threads(together: bool) -> bool {
    (!has_own_registry() || !image().is_library() || together) && others().thread_sanitizer == 0
}
