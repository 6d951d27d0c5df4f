//! The holders of the locks of OpenMP.
//!
//! The library reports the release of a lock when another thread can have it already. The ticket of
//! the thread that released it must be smaller than that of the thread that takes it next. The next
//! one therefore waits for the library's report, which follows at once. It does not wait for ever,
//! since nothing else guarantees the report.

use core::hint;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use process::sys;

/// The largest number of known locks.
const LOCKS: usize = 4096;

/// The number of times that a thread checks for the report of the former holder, and the number
/// after which it lets other threads run meanwhile.
const PATIENCE: usize = 20_000;
const SPINS: usize = 200;

/// A lock.
struct Lock {
    /// The library's name for it, 0 for a free entry.
    name: AtomicU64,
    /// The thread that holds it, or 0.
    holder: AtomicUsize,
}

static KNOWN: [Lock; LOCKS] =
    [const { Lock { name: AtomicU64::new(0), holder: AtomicUsize::new(0) } }; LOCKS];

/// Returns the lock of this name; `None` if there are too many.
fn find(name: u64) -> Option<&'static Lock> {
    let start = (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
    let mut places = (0..LOCKS).map(|step| &KNOWN[(start + step) % LOCKS]);
    places.find(|lock| {
        let claimed = lock.name.compare_exchange(0, name, Ordering::Relaxed, Ordering::Relaxed);
        claimed.is_ok() || claimed == Err(name)
    })
}

/// Records that this thread has taken a lock. Returns when the former holder's release was
/// reported.
pub(crate) fn taken(name: u64, thread: usize) {
    let Some(lock) = find(name) else { return };
    for turn in 0..PATIENCE {
        let free = lock.holder.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed);
        if free.is_ok() {
            return;
        }
        if turn < SPINS {
            hint::spin_loop();
        } else {
            sys::thread::let_others_run();
        }
    }
    lock.holder.store(thread, Ordering::Relaxed);
}

/// Records that this thread has released a lock. Returns true if that is recorded before the next
/// thread has it.
pub(crate) fn given_back(name: u64, thread: usize) -> bool {
    find(name).is_some_and(|lock| {
        lock.holder.compare_exchange(thread, 0, Ordering::Release, Ordering::Relaxed).is_ok()
    })
}
