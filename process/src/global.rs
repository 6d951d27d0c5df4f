//! State of an image that the runtime protects by means other than Rust's locks.

use core::cell::UnsafeCell;

/// State that is changed only where no other code can be using it.
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: see above. Each place that changes the state states why it is alone.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    /// Creates the state with its first value.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// Returns the state, to be changed.
    ///
    /// # Safety
    /// No other code may be using it.
    #[allow(clippy::mut_from_ref, reason = "whoever calls it vouches for being alone")]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller vouches for it.
        unsafe { &mut *self.0.get() }
    }
}
