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

/// Whether the C library calls [`end`], or ours of the names of `_exit`.
static ENDS_LATER: AtomicBool = AtomicBool::new(false);

/// Before the constructors of a program that a loader prepares.
///
/// What a C library is told to call at the end it calls in reverse order. It tells itself what runs
/// the destructors of all images, after this.
pub(crate) extern "C" fn begin() {
    ENDS_LATER.store(imports::call_at_end(end), Ordering::Relaxed);
}

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

/// The destructor. Code may run after it: other destructors, those of libraries, what they call,
/// and streams that are written out. So it leaves the work to what is called later, if there is
/// that.
extern "C" fn stop() {
    if !environment::of_image().enabled() {
        return;
    }
    let ends_later = imports::others().static_exit != 0 || ENDS_LATER.load(Ordering::Relaxed);
    if ends_later && !imports::image().is_library() {
        counting::begin_end();
    } else {
        counting::stop(environment::of_image());
    }
}

/// After all destructors of all images.
extern "C" fn end() {
    if environment::of_image().enabled() {
        counting::end();
    }
}
