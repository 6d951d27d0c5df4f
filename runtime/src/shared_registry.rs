//! Which registry the images of this process share: the executable's, which libraries find by its
//! `pthread_create`.

use pathformat::descriptor::thread_function as layout;
use process::sys::thread;

use crate::imports::{image, others};
use crate::registry::Registry;

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
    let is_aligned = function.is_multiple_of(layout::ALIGNMENT as usize);
    let is_other = image().is_library() && function != 0 && is_aligned;
    // Code that may only be executed does not tell.
    if !is_other || !thread::is_readable(function + layout::SIGNATURE_OFFSET as usize) {
        return Found::None;
    }
    let at = |offset: u64| (function + offset as usize) as *const u8;
    let [registry, words] = [layout::REGISTRY_OFFSET, layout::WORDS_OFFSET].map(at);
    // SAFETY: it can be read, and these bytes are on one page.
    let (signature, distance, words) = unsafe {
        let signature = at(layout::SIGNATURE_OFFSET).cast::<[u8; 16]>().read();
        (signature, registry.cast::<i32>().read(), words.cast::<i32>().read())
    };
    if signature == layout::SIGNATURE {
        // SAFETY: the signature vouches for the distance, and executables are never unloaded.
        let registry = unsafe { &*registry.offset(distance as isize).cast::<Registry>() };
        return Found::Registry(registry, words as usize);
    }
    let name = ..layout::SIGNATURE_NAME;
    let is_ours = signature[name] == layout::SIGNATURE[name];
    if is_ours { Found::OtherVersion } else { Found::None }
}

/// Whether a thread that is not registered in the registry may have counted where others do: there
/// every thread is registered that the program creates, or all threads count `together`. A
/// sanitizer's own threads would look so.
pub(crate) fn sees_threads(together: bool) -> bool {
    (!has_own_registry() || !image().is_library() || together) && others().thread_sanitizer == 0
}
