//! What happens when an image is loaded, and when it ends.

use crate::environment::Environment;
use crate::origin::Asked;
use crate::proc::Library;
use crate::{imports, notes, target};

/// Lets `start` run before the program's own constructors, as `__pathcc_start`, and `stop` after
/// its destructors. Priorities up to 100 are the implementation's. Of those with the same priority
/// the first by name and place runs last. Both are `extern "C"`, without
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

/// The build-id of this image; empty if it has none.
pub fn build_id() -> &'static [u8] {
    // SAFETY: the linker gives the address of this very image's head.
    unsafe { notes::build_id_of(imports::file_head()) }
}

/// How far this image is from the addresses in its file; 0 if the linker does not say.
pub fn displacement() -> usize {
    // SAFETY: as above.
    unsafe { notes::displacement_of(imports::file_head()) }
}

/// Reads how the process was started, and settles where its profile goes. `address` is that of any
/// code of the image.
pub fn read(
    environment: &mut Environment,
    address: usize,
    build_id: &[u8],
    asked: Asked,
    library: &impl Library,
) {
    environment.read(address, build_id, asked, library);
    if environment.enabled() {
        target::settle(environment, imports::chosen_pattern(), library);
    }
}
