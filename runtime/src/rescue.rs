//! Lets counting continue when the file of the counters is truncated, or its disk fails. When the
//! record is written the runtime withdraws the pages itself, to notice code that counts even later.
//!
//! The kernel then sends SIGBUS to a thread that touches a missing page. The handler maps other
//! memory there. It handles only the runtime's own memory, and only while the program leaves the
//! signal at its default. Any other SIGBUS ends the program as it would without the runtime. A
//! thread that blocks the signal cannot be helped: the kernel ends the program.

use process::sys::signal::{self, Information};
use process::sys::thread;

use crate::shared_registry;

/// Installs the handler.
pub(crate) fn begin() {
    signal::handle_with(handle);
}

/// Removes the handler, before this code is unloaded.
pub(crate) fn end() {
    signal::forget(handle);
}

/// Returns true if a page that the calling thread touches would be replaced.
pub(crate) fn is_ready() -> bool {
    signal::is_handled_with(handle) && !thread::blocks_bus_errors()
}

extern "C" fn handle(_: u32, information: &Information) {
    signal::react(information, |address| shared_registry::get().rescue(address));
}
