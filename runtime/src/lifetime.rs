//! The entry points at the load of an image, at forks of the process, and at the end of the image.

use core::sync::atomic::{AtomicBool, Ordering};

use process::environment;
use process::lifetime::{build_id, read};
use process::origin::Asker;

use crate::imports::CLibrary;
use crate::{counting, imports, shared_registry};

process::run_at_start_and_end!(start, stop);

/// True if the constructor has run.
static STARTED: AtomicBool = AtomicBool::new(false);

/// True if the C library calls [`end`].
static ENDS_LATER: AtomicBool = AtomicBool::new(false);

/// Runs before the constructors of a program that a loader prepares.
///
/// The C library calls its registered functions in reverse order. It registers the function that
/// runs the destructors of all images after this.
pub(crate) extern "C" fn begin() {
    ENDS_LATER.store(imports::call_at_end(end), Ordering::Relaxed);
}

/// The constructor. A program without a C library may run no constructors, so there the entry calls
/// it (`early.rs`).
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
    let asked = program.map_or(Asker::Alone, Asker::Counted);
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

/// The destructor. Code may run after it: other destructors, those of libraries, functions that
/// they call, and streams that are flushed. It therefore leaves the work to [`end`], if that is
/// called later.
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

/// Runs after all destructors of all images.
extern "C" fn end() {
    if environment::of_image().enabled() {
        counting::end();
    }
}
