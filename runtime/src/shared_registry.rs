//! The choice of the registry that the images of this process share: the executable's, which
//! libraries find by its `pthread_create`.

use pathformat::descriptor::thread_function as layout;
use process::sys::thread;

use crate::imports::{image, others};
use crate::registry::Registry;

/// The registry of this image, used if it finds no other.
pub(crate) static REGISTRY: Registry = Registry::new();

/// Returns the registry of the process: the executable's, or else this image's own.
pub(crate) fn get() -> &'static Registry {
    match found() {
        OtherRegistry::Registry(registry, _) => registry,
        _ => &REGISTRY,
    }
}

/// Returns true if the registry is this image's.
pub(crate) fn has_own_registry() -> bool {
    !matches!(found(), OtherRegistry::Registry(..))
}

/// Returns the address of code of the executable, if this is a library and the executable has a
/// registry.
pub(crate) fn program_code() -> Option<usize> {
    (!has_own_registry()).then(|| others().create_thread)
}

/// Returns true if the executable has a registry of another version.
pub(crate) fn is_other_runtime() -> bool {
    matches!(found(), OtherRegistry::OtherVersion)
}

/// Returns the distance of the words that the executable lends from the thread pointer.
pub(crate) fn lent_words() -> Option<usize> {
    match found() {
        OtherRegistry::Registry(_, words) => Some(words),
        OtherRegistry::None | OtherRegistry::OtherVersion => None,
    }
}

/// The registry of another image.
enum OtherRegistry {
    /// There is none, or this image is the executable.
    None,
    /// A registry of another version, which must be left alone.
    OtherVersion,
    /// The executable's, and the distance of the words that it lends from the thread pointer.
    Registry(&'static Registry, usize),
}

fn found() -> OtherRegistry {
    let function = others().create_thread;
    let is_aligned = function.is_multiple_of(layout::ALIGNMENT as usize);
    let is_other = image().is_library() && function != 0 && is_aligned;
    // Code that may only be executed cannot be read.
    if !is_other || !thread::is_readable(function + layout::SIGNATURE_OFFSET as usize) {
        return OtherRegistry::None;
    }
    let at = |offset: u64| (function + offset as usize) as *const u8;
    let [registry, words] = [layout::REGISTRY_OFFSET, layout::WORDS_OFFSET].map(at);
    // SAFETY: the bytes can be read, and they are on one page.
    let (signature, distance, words) = unsafe {
        let signature = at(layout::SIGNATURE_OFFSET).cast::<[u8; 16]>().read();
        (signature, registry.cast::<i32>().read(), words.cast::<i32>().read())
    };
    if signature == layout::SIGNATURE {
        // SAFETY: the signature vouches for the distance, and executables are never unloaded.
        let registry = unsafe { &*registry.offset(distance as isize).cast::<Registry>() };
        return OtherRegistry::Registry(registry, words as usize);
    }
    let name = ..layout::SIGNATURE_NAME;
    let is_ours = signature[name] == layout::SIGNATURE[name];
    if is_ours { OtherRegistry::OtherVersion } else { OtherRegistry::None }
}

/// Returns true if threads outside of the registry may be looked for: the registry has every thread
/// that the program creates, or all threads count `together`. A sanitizer's own threads would look
/// like unregistered ones.
pub(crate) fn sees_threads(together: bool) -> bool {
    (!has_own_registry() || !image().is_library() || together) && others().thread_sanitizer == 0
}
