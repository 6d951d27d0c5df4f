//! The definitions that the programs share: bytes, layouts, names and numbers.
//!
//! Everything is little-endian; `docs/format.md` has the pictures. The crate does not deal with
//! graphs (see `paths`), files, or LLVM. Without the feature `alloc` it has what the runtime needs:
//! it neither allocates nor panics on any input.
//!
//! * [`names`] sections and symbols, `interposed` the functions that traced programs replace
//! * [`settings`] modes, stages and kinds of threads
//! * [`wire`] integers and checksums
//! * [`record`] the record that holds the manifest of a unit in an object
//! * [`manifest`] the description of a unit
//! * [`code_map`] the addresses of counted machine code
//! * [`messages`] the functions of MPI that traces record
//! * [`note`] the notes that locate counter arrays in an image that another linker made
//! * [`descriptor`] the descriptor of an image, which the linker writes for the runtime
//! * [`log_event`] what machine code reports to the block log
//! * [`files`] the names of the files of runs
//! * [`raw`] the counters of a process while it runs, [`standing`] those of one after the other
//! * [`profile`] the records of runs
//! * [`label`] the user's name for what a process does
//! * [`trace`] the paths and the memory accesses of a process in their order
//! * [`glob`] globs on names of files and functions
//! * [`part`] the traced part of a run
//! * [`weights`] the weights of edges for a second compilation
//! * [`variables`] the environment variables
//! * [`tree`] the installed files
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "alloc", test))]
extern crate alloc;

#[cfg(any(feature = "alloc", test))]
pub mod code_map;
pub mod descriptor;
pub mod files;
#[cfg(feature = "glob")]
pub mod glob;
mod interposed;
pub mod label;
pub mod log_event;
#[cfg(any(feature = "alloc", test))]
pub mod manifest;
pub mod messages;
pub mod note;
pub mod part;
pub mod profile;
pub mod raw;
pub mod record;
pub mod settings;
pub mod standing;
pub mod trace;
pub mod tree;
pub mod variables;
#[cfg(any(feature = "alloc", test))]
pub mod weights;
pub mod wire;

pub use record::ModuleId;
pub use wire::Error;

/// Version of the manifest record and its payload. Any other version is refused with a message.
pub const MANIFEST_VERSION: u32 = 16;

/// Version of the profile file. Any other version is refused with a message.
pub const PROFILE_VERSION: u32 = 6;

/// Version of the raw file. Any other version is refused with a message.
pub const RAW_VERSION: u32 = 6;

/// Version of the trace file. Any other version is refused with a message.
pub const TRACE_VERSION: u32 = 8;

/// Names that the pass emits and the linker defines.
pub mod names {
    use crate::{allocation_functions, signal_functions, synchronisation_functions};

    /// The names in a list of functions.
    macro_rules! names_in {
        ($($form:ident: $($name:literal)+;)+) => { [$($($name,)+)+] };
        ($($operation:ident $takes:expr, $returns:ident: $($name:literal)+;)+) => {
            [$($($name,)+)+]
        };
        ($($name:literal)+) => { [$($name),+] };
    }

    /// Section of an object, and of a linked image, that holds manifest records. It is loaded, so
    /// that no tool strips it, but it is not read at run time.
    pub const MANIFEST_SECTION: &str = ".pathcc.manifest";

    /// Section of a linked image with a word for each instrumented function in the image: the first
    /// five bytes of the module's id, most significant first, and then the function's index in the
    /// manifest in 24 bits.
    pub const FUNCTIONS_SECTION: &str = ".pathcc.functions";

    /// Section of a linked image with the variables from whose addresses those of accesses are
    /// computed. Each has three words: that of a function, as above; the index of the variable
    /// among those of the function, from 0; and its distance from this third word.
    pub const VARIABLES_SECTION: &str = ".pathcc.variables";

    /// Section of an object, and of a linked image, with the map of code that is counted at the
    /// stage `machine` (see `code_map`).
    pub const CODE_SECTION: &str = ".pathcc.code";

    /// Section of an image that `ld.pathld` linked: the table of its modules.
    pub const MODULES_SECTION: &str = ".pathcc.modules";

    /// Prefix of the name of a module's counter array, followed by its
    /// [`ModuleId`](crate::ModuleId) in hexadecimal. Names that objects define contain a dot:
    /// libtool lists the symbols of objects, and takes those that are valid names in C for the
    /// program's own.
    pub const COUNTERS_PREFIX: &str = "__pathcc.counters.";

    /// Alignment of a counter array and of each of its copies, in bytes. So two arrays never share
    /// a cache line.
    pub const ARRAY_ALIGNMENT: u32 = 64;

    /// The thread-local word that the runtime sets: the distance of a thread's copy of the counters
    /// from the region. Executables have it, and libraries whose code has its own words; any other
    /// library is lent one.
    pub const DELTA: &str = "__pathcc_delta";

    /// The distance of that word from the thread pointer. Code that may be part of a library reads
    /// it before the word.
    pub const PLACE: &str = "__pathcc_place";

    /// Prefix of the name of [`PLACE`] in such code of a module, followed by its
    /// [`ModuleId`](crate::ModuleId). A module outside of the region has its own, which stays
    /// [`NOWHERE`].
    pub const PLACE_PREFIX: &str = "__pathcc.place.";

    /// A place that is 0 in every thread: the third of four words that glibc keeps for compilers'
    /// transactional memory (`__private_tm` in `tcbhead_t`, whose layout is part of its ABI), of
    /// which they use two.
    pub const NOWHERE: u64 = 0x60;

    /// The thread-local words that an executable lends to libraries.
    pub const LENT: &str = "__pathcc_lent";

    /// The number of words in [`LENT`].
    pub const LENT_COUNT: usize = 256;

    /// Prefix of the name of a module's thread-local word, followed by the module's id: the place
    /// of its array in this thread. Only code for executables has such a word. The words of an
    /// image follow [`DELTA`], in the order of its modules.
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
    /// written after all code that runs at its end.
    pub const BEGIN: &str = "__pathcc_begin";

    /// The function that returns the distance of [`DELTA`] from the thread pointer. The linker
    /// makes it, so that an image whose modules do not need the word has no thread-local variable;
    /// then it returns 0.
    pub const DELTA_OFFSET: &str = "__pathcc_delta_offset";

    /// The executable's registry, which the images of a process share.
    pub const REGISTRY: &str = "__pathcc_registry";

    /// Functions that an instrumented executable defines in place of the C library's.
    pub const THREAD_FUNCTIONS: [&str; 2] = ["pthread_create", "thrd_create"];

    /// Functions of the C library that end a process at once, which an instrumented executable
    /// defines in their place.
    pub const EXIT_FUNCTIONS: [&str; 2] = ["_exit", "_Exit"];

    /// The functions of the block log, by their events: a function is entered, a block is executed,
    /// a path ends. Only code of mode [`Log`](crate::settings::Mode::Log) calls them.
    pub const LOG_FUNCTIONS: [&str; 3] =
        ["__pathcc_log_enter", "__pathcc_log_block", "__pathcc_log_end"];

    /// The function of the block log that machine code calls with a
    /// [`LogEvent`](crate::log_event::LogEvent) on the stack.
    pub const LOG_MACHINE: &str = "__pathcc_log_machine";

    /// The common block of traced code: that of all threads that have none of their own
    /// ([`trace_block`](crate::descriptor::trace_block)). A block begins with two words: the
    /// address of the next record, and the address from which on the chunk is full
    /// ([`RESERVE`](crate::trace::RESERVE)). While recording code runs, the first is in a register,
    /// and the word is out of date. The second word of the common block is always 0.
    pub const TRACE_BLOCK: &str = "__pathcc.trace.block";

    /// The thread-local word of traced code: the distance from [`TRACE_BLOCK`] to the thread's own
    /// block, 0 as long as it has none. It is all that a library needs of the little thread-local
    /// memory that there is for libraries that are opened.
    pub const TRACE_DISTANCE: &str = "__pathcc.trace.distance";

    /// The function that traced code calls when its chunk is full. It takes no arguments, returns
    /// the address of the next record in a chunk that has room, and sets the second of the thread's
    /// words. The thread may have another block then. It changes no register but `rax`, `r11` and
    /// the flags (LLVM's `preserve_allcc`). The definition in an object returns memory that is
    /// never read.
    pub const TRACE_ROOM: &str = "__pathcc.trace.more";

    /// The word from which atomic accesses and operations that synchronise take their tickets: the
    /// number of tickets taken. Images share it as they share the block.
    pub const TRACE_TICKETS: &str = "__pathcc.trace.tickets";

    /// The variables that the images of a process share.
    pub const SHARED_BY_TRACED_IMAGES: [&str; 3] = [TRACE_BLOCK, TRACE_DISTANCE, TRACE_TICKETS];

    /// The function of a unit that records that memory was allocated or freed.
    pub const TRACE_ALLOCATED: &str = "__pathcc.trace.allocation";

    /// The function by which traced code records the call of a function of MPI. Before the call, it
    /// takes the [number](crate::messages) and 0, records that the call begins, and returns the
    /// time in ticks. After the call, it takes that time in place of 0.
    pub const TRACE_MESSAGE: &str = "__pathcc.trace.message";

    /// The function of the runtime of traces that records the call.
    pub const TRACE_MESSAGE_RUNTIME: &str = "__pathcc_trace_message";

    /// The anchor of the runtime of traces.
    pub const TRACE_RUNTIME: &str = "__pathcc_trace_runtime";

    /// The functions by which a program selects its traced parts. Those of `pathcc/trace.h` do
    /// nothing, and the linker defines others in their place. [`TRACE_SWITCH`] takes the index of
    /// the function: 1 if a part begins.
    pub const REGION_FUNCTIONS: [&str; 2] = ["pathcc_trace_end", "pathcc_trace_begin"];

    /// The functions by which a program names what it counts from here on, writes what it has
    /// counted, and forgets it. Those of `pathcc/profile.h` do nothing, and the linker defines
    /// others in their place. [`LABEL`] takes their argument, and the index of the function.
    pub const LABEL_FUNCTIONS: [&str; 3] = ["pathcc_label", "pathcc_dump", "pathcc_reset"];

    /// The runtime's function that [`LABEL_FUNCTIONS`] call.
    pub const LABEL: &str = "__pathcc_label";

    /// The functions that let another context go on, perhaps one of another thread: those of the C
    /// library, of Boost, and of libraries of coroutines.
    pub const SWITCHING_FUNCTIONS: [&str; 6] = [
        "swapcontext",
        "setcontext",
        "jump_fcontext",
        "ontop_fcontext",
        "co_switch",
        "coro_transfer",
    ];

    /// Prefix of the name of a counter of entries, followed by the symbol of a function that begins
    /// a traced part.
    pub const ENTERED_PREFIX: &str = "__pathcc.entered.";

    /// The function of a unit that steps these counters.
    pub const ENTERED: &str = "__pathcc.entered";

    /// The function that [`REGION_FUNCTIONS`] call, with their index.
    pub const TRACE_SWITCH: &str = "__pathcc_trace_switch";

    /// Functions of the C library that install handlers of signals, which a traced executable
    /// defines in their place.
    pub const SIGNAL_FUNCTIONS: [&str; signal_functions!(names_in).len()] =
        signal_functions!(names_in);

    /// The function of the runtime of traces that serves all of [`SIGNAL_FUNCTIONS`].
    pub const TRACE_SIGNAL: &str = "__pathcc_trace_signal";

    /// Functions of the C library by which threads and processes wait for each other, which a
    /// traced executable defines in their place.
    pub const SYNCHRONISATION_FUNCTIONS: [&str; synchronisation_functions!(names_in).len()] =
        synchronisation_functions!(names_in);

    /// The function of the runtime of traces that serves all of [`SYNCHRONISATION_FUNCTIONS`]. It
    /// takes their arguments, at most four words, and as the fifth the number of the function in
    /// that list.
    pub const TRACE_SYNCHRONISE: &str = "__pathcc_trace_synchronise";

    /// Functions of the C library that allocate and free memory, which a traced executable defines
    /// in their place, so that the calls of code that is not traced are recorded.
    pub const ALLOCATION_FUNCTIONS: [&str; allocation_functions!(names_in).len()] =
        allocation_functions!(names_in);

    /// The function of the runtime of traces that serves all of [`ALLOCATION_FUNCTIONS`], called as
    /// [`TRACE_SYNCHRONISE`] is.
    pub const TRACE_ALLOCATE: &str = "__pathcc_trace_allocate";

    /// The function by which the runtime library of OpenMP finds a tool. A traced executable
    /// defines it.
    pub const OPENMP_TOOL: &str = "ompt_start_tool";

    /// The function of the runtime of traces that implements it.
    pub const TRACE_OPENMP: &str = "__pathcc_trace_openmp";

    /// The section of the region that holds all counter arrays of an image; page-aligned and
    /// padded.
    pub const REGION_SECTION: &str = ".bss.__pathcc_region";

    /// The pattern of the names of profiles, closed by a NUL, if the build gives one. Every object
    /// of such a build has it.
    pub const PROFILE: &str = "__pathcc.profile";

    /// The function that resolvers of ifuncs call first, since they run before thread-local
    /// variables exist. The linker makes it; in an object it does nothing.
    pub const EARLY: &str = "__pathcc.early";

    /// The runtime's function that makes the thread-local words of the calling thread.
    pub const PREPARE_THREAD: &str = "__pathcc_prepare_thread";

    /// The entry point of a program that no dynamic linker prepares.
    pub const ENTRY: &str = "__pathcc_entry";

    /// The same of a program that is traced and does not count.
    pub const TRACE_ENTRY: &str = "__pathcc_trace_entry";

    /// The function of the runtime of traces that makes room for a record. It keeps all registers
    /// but two.
    pub const TRACE_GIVE_ROOM: &str = "__pathcc_trace_give_room";
}
