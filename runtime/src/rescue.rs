//! Counting goes on when the file with the counters is cut while the program runs, or its disk
//! fails: the kernel then sends SIGBUS to whoever touches a page that is gone, and other memory is
//! put there.
//!
//! The handler is only for memory of ours, and only there as long as the program handles the signal
//! by default. Any other SIGBUS ends the program as it would without us. A thread that blocks the
//! signal cannot be helped: the kernel ends the program.

use crate::shared_registry;
use crate::sys::signal::{self, Information};

/// Takes care of the signal.
pub(crate) fn begin() {
    signal::handle_with(handle);
}

/// Leaves it to the program, before this code is unloaded.
pub(crate) fn end() {
    signal::forget(handle);
}

extern "C" fn handle(_: u32, information: &Information) {
    let sent = information.code <= 0;
    if !sent && shared_registry::get().rescue(information.address) {
        return;
    }
    // Whoever made the kernel send it makes it again.
    signal::reset();
    if sent {
        signal::send_again();
    }
}
