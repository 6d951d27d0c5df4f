//! What happens when an image is loaded, when the process forks, and when the image ends.

use core::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(feature = "log"))]
use crate::counting;
use crate::environment::{self, Environment};
#[cfg(feature = "log")]
use crate::log;
use crate::origin::Asked;
#[cfg(not(feature = "log"))]
use crate::shared_registry;
use crate::{imports, notes, target};

/// Whether the constructor has run.
static STARTED: AtomicBool = AtomicBool::new(false);

/// The constructor. A program without a C library may not know of constructors, so there the entry
/// calls it (`early.rs`).
pub(crate) extern "C" fn start() {
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: no other code of this image runs before its first constructor has returned.
    let environment = unsafe { environment::change() };
    // SAFETY: the linker gives the address of this very image's head.
    let build_id = unsafe { notes::build_id_of(imports::file_head()) };
    // An address of code, since the pages of zeroed data belong to no file.
    let address = start as *const () as usize;
    #[cfg(feature = "log")]
    read(environment, address, build_id, Asked::Counted(address));
    #[cfg(not(feature = "log"))]
    {
        let registry = shared_registry::get();
        let program = if imports::image().is_library() {
            shared_registry::program_code()
        } else {
            Some(address)
        };
        let asked = program.map_or(Asked::Alone, Asked::Counted);
        registry.with(|shared| {
            if shared.origin.is_known() {
                environment.join(&mut shared.origin, address, build_id);
            } else {
                read(environment, address, build_id, asked);
                shared.origin.copy(&environment.origin);
            }
        });
        if environment.enabled() {
            counting::start(environment);
        }
    }
}

/// Reads how the process was started, and settles where its profile goes.
fn read(environment: &mut Environment, address: usize, build_id: &[u8], asked: Asked) {
    environment.read(address, build_id, asked);
    if environment.enabled() {
        target::settle(environment, imports::chosen_pattern());
    }
}

/// The destructor.
pub(crate) extern "C" fn stop() {
    #[cfg(feature = "log")]
    log::finish(environment::of_image());
    #[cfg(not(feature = "log"))]
    if environment::of_image().enabled() {
        counting::stop(environment::of_image());
    }
}
