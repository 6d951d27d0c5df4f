//! The registry of a process: its threads, and the images that count in it.
//!
//! Every image has its own runtime, but only an executable sees threads begin (`threads.rs`). So
//! the registry is that of the executable if the executable is instrumented. Libraries find it
//! behind `pthread_create` (`shared_registry.rs`). In any other program each library has its own
//! registry, which knows only the thread that loaded the library.
//!
//! The end of a thread is noticed when its slot is needed: the kernel no longer knows the thread.
//! So whatever a thread does while it ends, such as running destructors of thread-local variables,
//! is still counted in its slot.

use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ptr;

use process::sys;
use process::sys::stack::Stack;
use process::sys::thread::{self, Lock};

mod shared;

pub(crate) use shared::{ENDED, ENDING, Member, Shared};

/// How long a process that leaves waits for the lock, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

/// Where the work of this image is done that needs the lock of a registry.
pub(crate) static STACK: Stack = Stack::new();

/// The threads and images of a process. Zeros are a registry without any.
#[repr(C)]
pub(crate) struct Registry {
    lock: Lock,
    /// The thread that forks now and holds the lock for that, and how often it has asked.
    forking: UnsafeCell<(u32, u32)>,
    shared: UnsafeCell<Shared>,
}

// What other runtimes read and write, as in `registry/shared.rs`.
const _: () = assert!(offset_of!(Registry, forking) == 4 && offset_of!(Registry, shared) == 16);

// SAFETY: everything is reached through the lock.
unsafe impl Sync for Registry {}

impl Registry {
    /// A registry without threads or images.
    pub(crate) const fn new() -> Self {
        Self {
            lock: Lock::new(),
            forking: UnsafeCell::new((0, 0)),
            shared: UnsafeCell::new(Shared::new()),
        }
    }

    /// Calls `use_registry` while nobody else has it. Signals wait meanwhile, since a handler may
    /// start threads too. The caller may have little of its stack left.
    pub(crate) fn with<T>(&self, use_registry: impl FnOnce(&mut Shared) -> T) -> T {
        let mask = thread::block_signals();
        let nested = self.is_forking();
        if !nested {
            self.lock.acquire();
        }
        // SAFETY: whoever holds the lock is alone.
        let result = STACK.run(|| use_registry(unsafe { &mut *self.shared.get() }));
        if !nested {
            self.lock.release();
        }
        thread::restore_signals(mask);
        result
    }

    /// Puts other memory where a page of a raw file was lost, if the address is in one. A signal
    /// handler calls this, so the lock is not asked for: whoever has it may be the one that is
    /// interrupted.
    pub(crate) fn rescue(&self, address: usize) -> bool {
        self.members()
            .any(|(image, member)| member.rescue.is_some_and(|rescue| rescue(image, address)))
    }

    /// Lets all images write what they counted, when hardly anything else of the program will run.
    /// `is_heard` says whether the runtime hears of what does.
    pub(crate) fn end(&self, is_heard: bool) {
        self.with(|shared| {
            if is_heard {
                shared.ending = ENDED;
            }
            shared.leave();
        });
    }

    /// Lets all images write what they counted, before the process leaves. It may be called
    /// anywhere.
    pub(crate) fn leave(&self) {
        // A child of vfork has the memory of its parent, which goes on.
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
            // SAFETY: whoever holds the lock is alone.
            STACK.run(|| unsafe { &mut *self.shared.get() }.leave());
            if !nested {
                self.lock.release();
            }
        }
        thread::restore_signals(mask);
    }

    /// The images. Asks for no lock.
    fn members(&self) -> impl Iterator<Item = (*mut Member, &Member)> {
        // SAFETY: an aligned word.
        let mut next = unsafe { ptr::read_volatile(&raw const (*self.shared.get()).images) };
        core::iter::from_fn(move || {
            // SAFETY: images are in the list while they are loaded.
            let member = unsafe { next.as_ref() }?;
            Some((core::mem::replace(&mut next, member.next), member))
        })
    }

    /// Whether this thread holds the lock because it forks.
    fn is_forking(&self) -> bool {
        // SAFETY: a word that only the holder of the lock sets to its own number; others read some
        // other number.
        unsafe { ptr::read_volatile(&raw const (*self.forking.get()).0) == thread::current() }
    }

    /// Before a fork: takes the lock, so that no thread has it that the child will lack. Every
    /// image asks for it.
    pub(crate) fn before_fork(&self) {
        if !self.is_forking() {
            self.lock.acquire();
            // SAFETY: whoever holds the lock is alone.
            unsafe { (*self.forking.get()).0 = thread::current() };
        }
        // SAFETY: as above.
        unsafe { (*self.forking.get()).1 += 1 };
    }

    /// In a forked child: the lock is this thread's, which has another number than in the parent.
    pub(crate) fn in_child(&self) {
        // SAFETY: the lock is held since `before_fork`, and no other thread is left.
        unsafe { (*self.forking.get()).0 = thread::current() };
    }

    /// After a fork, in the parent and in the child: the last image that asked gives the lock back.
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
