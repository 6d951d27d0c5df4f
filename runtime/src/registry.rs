//! The registry of a process: its threads, and the images that count in it.
//!
//! Every image has its own runtime, but only an executable sees threads begin (`threads.rs`). The
//! registry is therefore that of the executable if the executable is instrumented. Libraries find
//! it behind `pthread_create` (`shared_registry.rs`). In any other program each library has its own
//! registry, which knows only the thread that loaded the library.
//!
//! The end of a thread is noticed when its slot is needed, since the kernel then no longer knows
//! the thread. All that a thread does while it ends, such as running destructors of thread-local
//! variables, is thus still counted in its slot.

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ptr;

use process::sys;
use process::sys::stack::Stack;
use process::sys::thread::{self, Lock};

mod shared;

pub(crate) use shared::{ENDED, ENDING, Member, Shared};

/// The time that a process that leaves waits for the lock, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

/// The stack for this image's work under the lock of a registry.
pub(crate) static STACK: Stack = Stack::new();

/// The threads and images of a process. All-zero bytes are an empty registry.
#[repr(C)]
pub(crate) struct Registry {
    lock: Lock,
    /// The thread that forks now and holds the lock for that, and the number of its requests.
    forking: UnsafeCell<(u32, u32)>,
    shared: UnsafeCell<Shared>,
}

// The layout for other runtimes, as in `registry/shared.rs`.
const _: () = assert!(offset_of!(Registry, forking) == 4 && offset_of!(Registry, shared) == 16);

// SAFETY: every access holds the lock.
unsafe impl Sync for Registry {}

impl Registry {
    /// Returns a registry without threads or images.
    pub(crate) const fn new() -> Self {
        Self {
            lock: Lock::new(),
            forking: UnsafeCell::new((0, 0)),
            shared: UnsafeCell::new(Shared::new()),
        }
    }

    /// Calls `use_registry` under the lock. Signals are blocked meanwhile, since a handler may
    /// start threads too. The caller may have little of its stack left.
    pub(crate) fn with<T>(&self, use_registry: impl FnOnce(&mut Shared) -> T) -> T {
        let mask = thread::block_signals();
        let nested = self.is_forking();
        if !nested {
            self.lock.acquire();
        }
        // SAFETY: the thread that holds the lock is alone.
        let result = STACK.run(|| use_registry(unsafe { &mut *self.shared.get() }));
        if !nested {
            self.lock.release();
        }
        thread::restore_signals(mask);
        result
    }

    /// Replaces a lost page of a raw file by other memory, if the address is in one. A signal
    /// handler calls this, so it does not take the lock: the thread that it interrupts may hold it.
    pub(crate) fn rescue(&self, address: usize) -> bool {
        self.members()
            .any(|(image, member)| member.rescue.is_some_and(|rescue| rescue(image, address)))
    }

    /// Makes all images write their counts, when hardly anything else of the program will run.
    /// `is_heard` is true if a later count raises a signal that the runtime handles.
    pub(crate) fn end(&self, is_heard: bool) {
        self.with(|shared| {
            if is_heard {
                shared.ending = ENDED;
            }
            shared.leave();
        });
    }

    /// Makes all images write their counts, before the process leaves. It may be called anywhere.
    pub(crate) fn leave(&self) {
        // A child of vfork shares the memory of its parent, which goes on.
        // SAFETY: an aligned word, which only a fork changes.
        let process = unsafe { ptr::read_volatile(&raw const (*self.shared.get()).process) };
        if process != sys::process() {
            return;
        }
        let mask = thread::block_signals();
        // A handler of SIGBUS may have interrupted the code that has the lock. It would wait for
        // ever.
        let nested = self.is_forking();
        if nested || self.lock.acquire_within(PATIENCE) {
            // SAFETY: the thread that holds the lock is alone.
            STACK.run(|| unsafe { &mut *self.shared.get() }.leave());
            if !nested {
                self.lock.release();
            }
        }
        thread::restore_signals(mask);
    }

    /// Returns the images, without the lock.
    fn members(&self) -> impl Iterator<Item = (*mut Member, &Member)> {
        // SAFETY: an aligned word.
        let mut next = unsafe { ptr::read_volatile(&raw const (*self.shared.get()).images) };
        core::iter::from_fn(move || {
            // SAFETY: images are in the list while they are loaded.
            let member = unsafe { next.as_ref() }?;
            Some((core::mem::replace(&mut next, member.next), member))
        })
    }

    /// Returns true if this thread holds the lock because it forks.
    fn is_forking(&self) -> bool {
        // SAFETY: only the holder of the lock sets this word to its own number. Other threads read
        // another number.
        unsafe { ptr::read_volatile(&raw const (*self.forking.get()).0) == thread::current() }
    }

    /// Takes the lock before a fork, so that no thread holds it that the child will lack. Every
    /// image calls it.
    pub(crate) fn before_fork(&self) {
        if !self.is_forking() {
            self.lock.acquire();
            // SAFETY: the thread that holds the lock is alone.
            unsafe { (*self.forking.get()).0 = thread::current() };
        }
        // SAFETY: as above.
        unsafe { (*self.forking.get()).1 += 1 };
    }

    /// Passes the lock, in a forked child, to this thread, which has another number than in the
    /// parent.
    pub(crate) fn in_child(&self) {
        // SAFETY: the lock is held since `before_fork`, and no other thread is left.
        unsafe { (*self.forking.get()).0 = thread::current() };
    }

    /// Releases the lock after a fork, in the parent and in the child, at the call of the last
    /// image.
    pub(crate) fn after_fork(&self) {
        // SAFETY: the lock is held since `before_fork`, by the only thread that gets here.
        let forking = unsafe { &mut *self.forking.get() };
        forking.1 = forking.1.saturating_sub(1);
        if forking.1 == 0 {
            forking.0 = 0;
            self.lock.release();
        }
    }
}
