//! What happens when an image is loaded, when the process forks, and when the image ends.

use core::sync::atomic::{AtomicBool, Ordering};

use process::environment;
use process::lifetime::{build_id, read};
use process::origin::Asked;

use crate::imports::CLibrary;
use crate::{counting, imports, shared_registry};

process::run_at_start_and_end!(start, stop);

/// Whether the constructor has run.
static STARTED: AtomicBool = AtomicBool::new(false);

/// The constructor. A program without a C library may not know of constructors, so there the entry
/// calls it (`early.rs`).
extern "C" fn start() {
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: no other code of this image runs before its first constructor has returned.
    let environment = unsafe { environment::change() };
    let build_id = build_id();
    // An address of code, since the pages of zeroed data belong to no file.
    let address = start as *const () as usize;
    let registry = shared_registry::get();
    let program =
        if imports::image().is_library() { shared_registry::program_code() } else { Some(address) };
    let asked = program.map_or(Asked::Alone, Asked::Counted);
    registry.with(|shared| {
        if shared.origin.is_known() {
            environment.join(&mut shared.origin, address, build_id);
        } else {
            read(environment, address, build_id, asked, &CLibrary);
            shared.origin.copy(&environment.origin);
        }
    });
    if environment.enabled() {
        counting::start(environment);
    }
}

/// The destructor.
extern "C" fn stop() {
    if environment::of_image().enabled() {
        counting::stop(environment::of_image());
    }
}
