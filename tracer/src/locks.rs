//! Who holds which lock of OpenMP.
//!
//! The library says that a lock was given back when others can have it already. The ticket of who
//! gave it back must be smaller than that of who takes it next. So the next one waits until the
//! library has said so, which follows at once; but not for ever, since nothing else makes sure that
//! it does.

use core::hint;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use process::sys;

/// The most locks that are known.
const LOCKS: usize = 4096;

/// So often a thread looks whether the former holder is heard of, and from when on it lets others
/// run meanwhile.
const PATIENCE: usize = 20_000;
const SPINS: usize = 200;

/// A lock.
struct Lock {
    /// What the library calls it, 0 if none is here yet.
    name: AtomicU64,
    /// The thread that holds it, or 0.
    holder: AtomicUsize,
}

static KNOWN: [Lock; LOCKS] =
    [const { Lock { name: AtomicU64::new(0), holder: AtomicUsize::new(0) } }; LOCKS];

/// The lock of this name; `None` if there are too many.
fn find(name: u64) -> Option<&'static Lock> {
    let start = (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
    let mut places = (0..LOCKS).map(|step| &KNOWN[(start + step) % LOCKS]);
    places.find(|lock| {
        let claimed = lock.name.compare_exchange(0, name, Ordering::Relaxed, Ordering::Relaxed);
        claimed.is_ok() || claimed == Err(name)
    })
}

/// This thread has taken a lock; comes back when the former holder was heard of.
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

/// This thread has given a lock back; says whether that is known before the next one has it.
pub(crate) fn given_back(name: u64, thread: usize) -> bool {
    find(name).is_some_and(|lock| {
        lock.holder.compare_exchange(thread, 0, Ordering::Release, Ordering::Relaxed).is_ok()
    })
}
