//! Initialisation when an image is loaded, and code that runs when it ends.

use crate::environment::Environment;
use crate::origin::Asker;
use crate::proc::Library;
use crate::{imports, notes, target};

/// Runs `start` before the program's own constructors, as `__pathcc_start`, and `stop` after its
/// destructors. Priorities up to 100 are reserved for the implementation. Among functions of one
/// priority, the first by name and place runs last. Both functions are `extern "C"`, without
/// arguments.
#[macro_export]
macro_rules! run_at_start_and_end {
    ($start:path, $stop:path) => {
        ::core::arch::global_asm!(
            ".pushsection .text.__pathcc_start, \"ax\", @progbits",
            "__pathcc_start:",
            "endbr64",
            "jmp {start}",
            "__pathcc_stop:",
            "endbr64",
            "jmp {stop}",
            ".popsection",
            ".pushsection .init_array.00001, \"aw\", @init_array",
            ".p2align 3",
            ".quad __pathcc_start",
            ".popsection",
            ".pushsection .fini_array.0, \"aw\", @fini_array",
            ".p2align 3",
            ".quad __pathcc_stop",
            ".popsection",
            start = sym $start,
            stop = sym $stop,
        );
    };
}

/// Returns the build-id of this image; empty if it has none.
pub fn build_id() -> &'static [u8] {
    // SAFETY: the linker defines the symbol as the head of this image.
    unsafe { notes::build_id_of(imports::file_head()) }
}

/// Returns the distance of this image from the addresses in its file; 0 if the linker does not
/// define the head of the file.
pub fn displacement() -> usize {
    // SAFETY: as above.
    unsafe { notes::displacement_of(imports::file_head()) }
}

/// Reads how the process was started, except [from which processes it
/// descends](crate::origin::Origin::read_descent), and settles the path of its profile. `address`
/// is that of any code of the image.
pub fn read(
    environment: &mut Environment,
    address: usize,
    build_id: &[u8],
    asked: Asker,
    library: &impl Library,
) {
    environment.read(address, build_id, asked, library);
    if environment.enabled() {
        target::settle(environment, imports::chosen_pattern(), library);
    }
}
