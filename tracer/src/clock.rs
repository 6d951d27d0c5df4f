//! The clock of events: the processor's counter if it always runs at one speed, otherwise the
//! monotonic clock.

use core::arch::x86_64::{__cpuid, _rdtsc};
use core::sync::atomic::{AtomicU8, Ordering};

use pathformat::trace::Clock;
use process::sys;

/// The states of the processor's counter.
const UNKNOWN: u8 = 0;
const STEADY: u8 = 1;
const OTHER: u8 = 2;

static COUNTER: AtomicU8 = AtomicU8::new(UNKNOWN);

/// The leaf of `cpuid` with the properties of the counter, and the bit for "always at one speed".
const POWER_LEAF: u32 = 0x8000_0007;
const INVARIANT: u32 = 1 << 8;

/// The first of the leaves of this kind, which holds the number of the last one.
const EXTENDED: u32 = 0x8000_0000;

fn is_steady() -> bool {
    match COUNTER.load(Ordering::Relaxed) {
        UNKNOWN => {
            let steady =
                __cpuid(EXTENDED).eax >= POWER_LEAF && __cpuid(POWER_LEAF).edx & INVARIANT != 0;
            COUNTER.store(if steady { STEADY } else { OTHER }, Ordering::Relaxed);
            steady
        }
        known => known == STEADY,
    }
}

/// Returns the time in ticks.
pub(crate) fn ticks() -> u64 {
    if is_steady() {
        // SAFETY: every processor of this kind has the counter.
        unsafe { _rdtsc() }
    } else {
        sys::monotonic()
    }
}

/// Returns the time of both clocks.
pub(crate) fn now() -> Clock {
    Clock { ticks: ticks().into(), time: sys::monotonic().into() }
}
