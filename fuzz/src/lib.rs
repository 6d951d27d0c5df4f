//! What pathprof reads, for libFuzzer: `fuzz/run` builds this with coverage and links it with
//! clang. `PATHFUZZ` names the kind of input: manifest, section, profile, raw,
//! image or trace.

use std::env;
use std::path::PathBuf;
use std::slice;
use std::sync::OnceLock;

use pathprof::bytes;

/// The function that libFuzzer calls.
///
/// # Safety
/// libFuzzer passes the start of `length` readable bytes.
#[allow(unsafe_code, reason = "libFuzzer calls a C function of this name")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn LLVMFuzzerTestOneInput(start: *const u8, length: usize) -> i32 {
    static KIND: OnceLock<String> = OnceLock::new();
    // SAFETY: the caller vouches for it; the start of no bytes may be null.
    let input = if length == 0 { &[] } else { unsafe { slice::from_raw_parts(start, length) } };
    match KIND.get_or_init(|| env::var("PATHFUZZ").unwrap_or_default()).as_str() {
        "manifest" => bytes::manifest(input),
        "section" => bytes::section(input),
        "profile" => bytes::profile(input),
        "raw" => bytes::raw(input),
        "image" => bytes::image(input, &file()),
        "trace" => bytes::trace(input, &file()),
        other => panic!("PATHFUZZ={other} is no kind of input"),
    }
    0
}

/// The file for what is read from one.
fn file() -> PathBuf {
    env::temp_dir().join(format!("pathfuzz-{}", std::process::id()))
}
