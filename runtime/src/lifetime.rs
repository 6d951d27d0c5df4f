//! What happens when an image is loaded, and when it ends.

use core::cell::UnsafeCell;
#[cfg(not(feature = "log"))]
use core::sync::atomic::{AtomicBool, Ordering};

use crate::environment::Environment;
#[cfg(feature = "log")]
use crate::log;
#[cfg(not(feature = "log"))]
use crate::write::{self, Room};
use crate::{build_id, entry};

/// State of the constructor and the destructor, which the loader never runs at the same time.
struct Global<T>(UnsafeCell<T>);

// SAFETY: see above; everybody else only reads, and only between the two.
unsafe impl<T> Sync for Global<T> {}

static ENVIRONMENT: Global<Environment> = Global(UnsafeCell::new(Environment::new()));

/// The constructor.
pub(crate) extern "C" fn start() {
    // SAFETY: no other code of this image runs before its first constructor has returned.
    let environment = unsafe { &mut *ENVIRONMENT.0.get() };
    // SAFETY: the linker gives the address of this very image's head.
    let build_id = unsafe { build_id::build_id(entry::file_head()) };
    // An address of code, since the pages of zeroed data belong to no file.
    environment.read(start as *const () as usize, build_id);
}

/// What the constructor found.
pub(crate) fn environment() -> &'static Environment {
    // SAFETY: nobody changes it after the constructor.
    unsafe { &*ENVIRONMENT.0.get() }
}

/// The destructor: writes the profile, once.
#[cfg(not(feature = "log"))]
pub(crate) extern "C" fn stop() {
    static STOPPED: AtomicBool = AtomicBool::new(false);
    static ROOM: Global<Room> = Global(UnsafeCell::new(Room::new()));

    if environment().enabled() && !STOPPED.swap(true, Ordering::Relaxed) {
        // SAFETY: only the first caller gets here.
        let room = unsafe { &mut *ROOM.0.get() };
        write::profile(environment(), entry::image(), room);
    }
}

/// The destructor: writes what is left of the log.
#[cfg(feature = "log")]
pub(crate) extern "C" fn stop() {
    log::finish(environment());
}
