//! What the programs agree on: bytes, layouts, names and numbers.
//!
//! Everything is little-endian; `docs/format.md` has the pictures. The crate knows nothing of
//! graphs (that is `paths`), of files, or of LLVM. Without the feature `alloc` it is what the
//! runtime needs: it neither allocates nor panics on any input.
//!
//! * [`names`] sections and symbols, `interposed` the functions that traced programs replace
//! * [`settings`] modes, stages and kinds of threads
//! * [`wire`] integers and checksums
//! * [`record`] how the manifest of a unit travels in an object
//! * [`manifest`] what is known of a unit
//! * [`messages`] the functions of MPI that traces tell
//! * [`note`] how an array of counters is found in an image that another linker made
//! * [`descriptor`] what the linker tells the runtime of an image
//! * [`files`] what the files of runs are called
//! * [`raw`] the counters of a process while it runs
//! * [`profile`] what is known of runs
//! * [`trace`] the paths and the memory accesses of a process in their order
//! * [`glob`] how names of files and functions are chosen
//! * [`part`] where the traced part of a run begins
//! * [`weights`] what a second compilation wants to know
//! * [`variables`] which environment variables are read
//! * [`tree`] which files are installed
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;

pub mod descriptor;
pub mod files;
#[cfg(feature = "glob")]
pub mod glob;
mod interposed;
#[cfg(any(feature = "alloc", test))]
pub mod manifest;
pub mod messages;
pub mod note;
pub mod part;
pub mod profile;
pub mod raw;
pub mod record;
pub mod settings;
pub mod trace;
pub mod tree;
pub mod variables;
#[cfg(any(feature = "alloc", test))]
pub mod weights;
pub mod wire;

pub use record::ModuleId;
pub use wire::Error;

/// Version of the manifest record and its payload. Any other version is refused with a message.
pub const MANIFEST_VERSION: u32 = 13;

/// Version of the profile file. Any other version is refused with a message.
pub const PROFILE_VERSION: u32 = 6;

/// Version of the raw file. Any other version is refused with a message.
pub const RAW_VERSION: u32 = 4;

/// Version of the trace file. Any other version is refused with a message.
pub const TRACE_VERSION: u32 = 6;

/// Names that are agreed between the pass (which emits them) and the linker (which defines them).
pub mod names {
    use crate::{signal_functions, synchronisation_functions};

    /// The names in a list of functions.
    macro_rules! names_in {
        ($($operation:ident $takes:expr, $returns:ident: $($name:literal)+;)+) => {
            [$($($name,)+)+]
        };
        ($($name:literal)+) => { [$($name),+] };
    }

    /// Section of an object, and of a linked image, that holds manifest records. It is part of what
    /// is loaded, so that no tool strips it; nobody reads it at run time.
    pub const MANIFEST_SECTION: &str = ".pathcc.manifest";

    /// Section of a linked image with a word for each instrumented function that is in it: the
    /// first five bytes of the module's id, most significant first, and then the function's index
    /// in the manifest in 24 bits.
    pub const FUNCTIONS_SECTION: &str = ".pathcc.functions";

    /// Section of a linked image with the variables from whose addresses those of accesses are
    /// computed. Each has three words: that of a function, as above; which of the variables of the
    /// function it is, from 0; and how far it is from this third word.
    pub const VARIABLES_SECTION: &str = ".pathcc.variables";

    /// Section of an image that `ld.pathld` linked: the table of its modules.
    pub const MODULES_SECTION: &str = ".pathcc.modules";

    /// A module's counter array is called this followed by its [`ModuleId`](crate::ModuleId) in
    /// hexadecimal. Names of definitions that objects hold have a dot in them: libtool lists the
    /// symbols of objects, and takes those that C can name for the program's own.
    pub const COUNTERS_PREFIX: &str = "__pathcc.counters.";

    /// A counter array starts at a multiple of so many bytes, and so does each copy of it. So two
    /// arrays never share a cache line.
    pub const ARRAY_ALIGNMENT: u32 = 64;

    /// The thread-local word that the runtime sets: how far a thread's copy of the counters is from
    /// the region. Executables have it, and libraries with code that has words of its own; any
    /// other library is lent one.
    pub const DELTA: &str = "__pathcc_delta";

    /// Where that word is, as its distance from the thread pointer. Code that may be part of a
    /// library reads it before the word.
    pub const PLACE: &str = "__pathcc_place";

    /// What such code of a module calls [`PLACE`]: this followed by its
    /// [`ModuleId`](crate::ModuleId). A module that is not in the region keeps one to itself, which
    /// stays [`NOWHERE`].
    pub const PLACE_PREFIX: &str = "__pathcc.place.";

    /// A place that is 0 in every thread: the third of four words that glibc keeps for compilers'
    /// transactional memory (`__private_tm` in `tcbhead_t`, whose layout is part of its ABI), of
    /// which they use two.
    pub const NOWHERE: u64 = 0x60;

    /// The thread-local words that an executable lends to libraries.
    pub const LENT: &str = "__pathcc_lent";

    /// How many there are.
    pub const LENT_COUNT: usize = 256;

    /// The thread-local word of a module of code that is for executables alone: where its array is
    /// in this thread. Called this followed by the module's id. The words of an image stand behind
    /// [`DELTA`], in the order of its modules.
    pub const BASE_PREFIX: &str = "__pathcc.base.";

    /// The image descriptor that the linker generates and the runtime reads
    /// ([`descriptor`](crate::descriptor)).
    pub const IMAGE: &str = "__pathcc_image";

    /// The runtime's anchor: the generated module refers to it so that the static library is linked
    /// in.
    pub const RUNTIME: &str = "__pathcc_runtime";

    /// The runtime's function that creates a registered thread.
    pub const CREATE_THREAD: &str = "__pathcc_create_thread";

    /// The runtime's function that ends the process in place of `_exit`.
    pub const LEAVE: &str = "__pathcc_leave";

    /// The runtime's function that a program calls before its constructors, so that its record is
    /// written after all that runs at its end.
    pub const BEGIN: &str = "__pathcc_begin";

    /// The function that tells how far [`DELTA`] is from the thread pointer. The linker makes it,
    /// so that an image whose modules do not need the word has no thread-local variable; then it
    /// tells 0.
    pub const DELTA_OFFSET: &str = "__pathcc_delta_offset";

    /// What the images of a process share: the executable's.
    pub const REGISTRY: &str = "__pathcc_registry";

    /// Functions that an instrumented executable defines in place of the C library's.
    pub const THREAD_FUNCTIONS: [&str; 2] = ["pthread_create", "thrd_create"];

    /// Functions of the C library that end a process at once, which an instrumented executable
    /// defines in their place.
    pub const EXIT_FUNCTIONS: [&str; 2] = ["_exit", "_Exit"];

    /// The functions of the block log, in the order of their events: a function is entered, a block
    /// is executed, a path ends. Only code of mode [`Log`](crate::settings::Mode::Log) calls them.
    pub const LOG_FUNCTIONS: [&str; 3] =
        ["__pathcc_log_enter", "__pathcc_log_block", "__pathcc_log_end"];

    /// The two thread-local words of traced code: where the next record starts, and from which
    /// address on the chunk is full ([`RESERVE`](crate::trace::RESERVE)). Both are 0 at first.
    /// While code runs that records, the first is in a register, and the word is out of date.
    pub const TRACE_WORDS: &str = "__pathcc.trace.words";

    /// What traced code calls when its chunk is full. It takes nothing, gives the place of the next
    /// record in a chunk that has room, and sets the second of the thread's words. It changes no
    /// register but `rax`, `r11` and the flags (LLVM's `preserve_allcc`). An object's own one gives
    /// memory that nobody reads.
    pub const TRACE_ROOM: &str = "__pathcc.trace.room";

    /// The word from which atomic accesses and operations that synchronise take their tickets: how
    /// many were taken. Images share it as they share the words.
    pub const TRACE_TICKETS: &str = "__pathcc.trace.tickets";

    /// The function of a unit that records that memory was allocated or freed.
    pub const TRACE_ALLOCATED: &str = "__pathcc.trace.allocated";

    /// The function by which traced code records the call of a function of MPI. It takes the
    /// [number](crate::messages) and 0 before the call, and gives the time in ticks; behind the
    /// call it takes that time in place of 0.
    pub const TRACE_MESSAGE: &str = "__pathcc.trace.message";

    /// The function of the runtime of traces that does it.
    pub const TRACE_MESSAGE_RUNTIME: &str = "__pathcc_trace_message";

    /// The anchor of the runtime of traces.
    pub const TRACE_RUNTIME: &str = "__pathcc_trace_runtime";

    /// The functions by which a program says what of it is traced. Those of `pathcc/trace.h` do
    /// nothing, and the linker defines others in their place. The number of each tells
    /// [`TRACE_SWITCH`] whether a part begins.
    pub const REGION_FUNCTIONS: [&str; 2] = ["pathcc_trace_end", "pathcc_trace_begin"];

    /// What the counters are called of entries of functions that begin a traced part, in front of
    /// the function's symbol.
    pub const ENTERED_PREFIX: &str = "__pathcc.entered.";

    /// The function of a unit that steps them.
    pub const ENTERED: &str = "__pathcc.entered";

    /// What these call, with their number.
    pub const TRACE_SWITCH: &str = "__pathcc_trace_switch";

    /// Functions of the C library that install handlers of signals, which a traced executable
    /// defines in their place.
    pub const SIGNAL_FUNCTIONS: [&str; signal_functions!(names_in).len()] =
        signal_functions!(names_in);

    /// The function of the runtime of traces that does so for all of them.
    pub const TRACE_SIGNAL: &str = "__pathcc_trace_signal";

    /// Functions of the C library by which threads and processes wait for each other, which a
    /// traced executable defines in their place.
    pub const SYNCHRONISATION_FUNCTIONS: [&str; synchronisation_functions!(names_in).len()] =
        synchronisation_functions!(names_in);

    /// The function of the runtime of traces that does so for all of them. It takes what they take,
    /// at most four words, and as the fifth the number of the function in that list.
    pub const TRACE_SYNCHRONISE: &str = "__pathcc_trace_synchronise";

    /// What the runtime library of OpenMP asks for a tool, which a traced executable defines.
    pub const OPENMP_TOOL: &str = "ompt_start_tool";

    /// The function of the runtime of traces that answers.
    pub const TRACE_OPENMP: &str = "__pathcc_trace_openmp";

    /// The section of the region that holds all counter arrays of an image; page-aligned and
    /// padded.
    pub const REGION_SECTION: &str = ".bss.__pathcc_region";

    /// Where profiles go, if the build says so: a pattern that a NUL closes. Every object that says
    /// so has one.
    pub const PROFILE: &str = "__pathcc.profile";

    /// What resolvers of ifuncs call first, since they run before there are thread-local variables.
    /// The linker makes it; in an object it does nothing.
    pub const EARLY: &str = "__pathcc.early";

    /// The runtime's function that makes the thread-local words of the calling thread.
    pub const PREPARE_THREAD: &str = "__pathcc_prepare_thread";

    /// Where a program starts that no dynamic linker prepares.
    pub const ENTRY: &str = "__pathcc_entry";
}
