//! State of an image that the runtime protects by other means than Rust's locks.

use core::cell::UnsafeCell;

/// State that is changed only where nobody else can be using it.
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: see above; the places that change it say why they are alone.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    /// The state at first.
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The state, to be changed.
    ///
    /// # Safety
    /// Nobody else may be using it.
    #[allow(clippy::mut_from_ref, reason = "whoever calls it vouches for being alone")]
    pub unsafe fn get(&self) -> &mut T {
        // SAFETY: the caller vouches for it.
        unsafe { &mut *self.0.get() }
    }
}
