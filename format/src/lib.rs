//! The bytes that four programs agree on: the manifest inside an object and the profile of a run.
//!
//! The pass writes a [`manifest`] for every translation unit and puts it into an object section as a
//! [`record`]; the linker reads the records' heads and keeps their bodies; the runtime writes a
//! [`profile`], and while the program runs a [`raw`] file; the report reads all three, and writes [`weights`] for a second compilation. Everything is little-endian; `docs/format.md` has the pictures.
//!
//! The crate knows nothing of graphs (that is `paths`), of files, or of LLVM. Without the feature
//! `alloc` it is what the runtime needs: it neither allocates nor panics on any input.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;

#[cfg(any(feature = "alloc", test))]
pub mod manifest;
pub mod profile;
pub mod raw;
pub mod record;
#[cfg(any(feature = "alloc", test))]
pub mod weights;
pub mod wire;

pub use record::ModuleId;
pub use wire::Error;

/// Version of the manifest record and its payload. Any other version is refused with a message.
pub const MANIFEST_VERSION: u32 = 5;

/// Version of the profile file. Any other version is refused with a message.
pub const PROFILE_VERSION: u32 = 3;

/// Version of the raw file. Any other version is refused with a message.
pub const RAW_VERSION: u32 = 2;

/// Names that are agreed between the pass (which emits them) and the linker (which defines them).
pub mod names {
    /// Section of an object, and of a linked image, that holds manifest records. Not loaded at run time.
    pub const MANIFEST_SECTION: &str = ".pathcc.manifest";

    /// Section of a linked image with a word for each instrumented function that is in it: the first five bytes of the module's
    /// id, most significant first, and then the function's index in the manifest in 24 bits.
    pub const FUNCTIONS_SECTION: &str = ".pathcc.functions";

    /// A module's counter array is called this followed by its [`ModuleId`](crate::ModuleId) in hexadecimal.
    pub const COUNTERS_PREFIX: &str = "__pathcc_counters_";

    /// The thread-local word that the runtime sets: how far a thread's copy of the counters is from the region.
    pub const DELTA: &str = "__pathcc_delta";

    /// The thread-local word that a module moves its array's address by is called this followed by its
    /// [`ModuleId`](crate::ModuleId). For modules in the region it is [`DELTA`]; any other one keeps a word to itself that stays 0.
    pub const DELTA_PREFIX: &str = "__pathcc_delta_";

    /// The thread-local word of a module of code that is for executables alone: where its array is in this thread. Called this
    /// followed by the module's id. The words of an image stand behind [`DELTA`], in the order of its modules.
    pub const BASE_PREFIX: &str = "__pathcc_base_";

    /// The image descriptor that the linker generates and the runtime reads (`linker-shim/src/module.rs`).
    pub const IMAGE: &str = "__pathcc_image";

    /// The runtime's anchor: the generated module refers to it so that the static library is linked in.
    pub const RUNTIME: &str = "__pathcc_runtime";

    /// The runtime's function that creates a registered thread.
    pub const CREATE_THREAD: &str = "__pathcc_create_thread";

    /// The function that tells how far [`DELTA`] is from the thread pointer. The linker makes it, so that an image whose modules do
    /// not need the word has no thread-local variable.
    pub const DELTA_OFFSET: &str = "__pathcc_delta_offset";

    /// What the images of a process share: the executable's.
    pub const HUB: &str = "__pathcc_hub";

    /// Functions that an instrumented executable defines in place of the C library's.
    pub const THREAD_FUNCTIONS: [&str; 2] = ["pthread_create", "thrd_create"];

    /// The section of the region that holds all counter arrays of an image; page-aligned and padded.
    pub const REGION_SECTION: &str = ".bss.__pathcc_region";
}
