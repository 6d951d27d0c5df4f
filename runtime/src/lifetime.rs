//! What happens when an image is loaded, when the process forks, and when the image ends.

use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(feature = "log"))]
use crate::counting;
use crate::environment::Environment;
use crate::global::Global;
#[cfg(feature = "log")]
use crate::log;
use crate::origin::Asked;
#[cfg(not(feature = "log"))]
use crate::origin::Origin;
use crate::{entry, notes};

static ENVIRONMENT: Global<Environment> = Global::new(Environment::new());

/// Whether the constructor has run.
static STARTED: AtomicBool = AtomicBool::new(false);

/// The constructor. A program without a C library may not know of constructors, so there the entry calls it (`early.rs`).
pub(crate) extern "C" fn start() {
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: no other code of this image runs before its first constructor has returned.
    let environment = unsafe { ENVIRONMENT.get() };
    // SAFETY: the linker gives the address of this very image's head.
    let build_id = unsafe { notes::build_id_of(entry::file_head()) };
    // An address of code, since the pages of zeroed data belong to no file.
    let address = start as *const () as usize;
    #[cfg(feature = "log")]
    environment.read(address, build_id, Asked::Counted(address), entry::chosen_pattern());
    #[cfg(not(feature = "log"))]
    {
        let hub = entry::hub();
        let program = if entry::image().is_library() { entry::program_code() } else { Some(address) };
        let asked = program.map_or(Asked::Alone, Asked::Counted);
        hub.with(|shared| {
            if shared.origin.is_known() {
                environment.join(&mut shared.origin, address, build_id);
            } else {
                environment.read(address, build_id, asked, entry::chosen_pattern());
                shared.origin.copy(&environment.origin);
            }
        });
        if environment.enabled() {
            counting::start(environment);
        }
    }
}

/// In a forked child: takes over what is its own.
#[cfg(not(feature = "log"))]
pub(crate) fn fork_environment(origin: &Origin) {
    // SAFETY: no other thread is left, and nothing borrowed from it before the fork.
    unsafe { ENVIRONMENT.get() }.fork(origin);
}

/// What the constructor found.
pub(crate) fn environment() -> &'static Environment {
    // SAFETY: only a fork changes it, when no other thread is left.
    unsafe { ENVIRONMENT.get() }
}

/// The destructor.
pub(crate) extern "C" fn stop() {
    #[cfg(feature = "log")]
    log::finish(environment());
    #[cfg(not(feature = "log"))]
    if environment().enabled() {
        counting::stop(environment());
    }
}
