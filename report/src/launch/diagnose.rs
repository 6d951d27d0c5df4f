//! Explains why a program that ran left no profile.
//!
//! The reasons follow from how the program ended and from what its image looks like.

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use profile::arrays;
use profile::image;
use profile::uncounted::Uncounted;

use crate::launch::lookup::find_program;

/// Why nothing was written down although `pathprof run` started it.
pub const NOT_LENT: &str = "\
    Here it did not help: the runtime cannot be lent to a program that is linked statically, that \
    needs the address sanitizer's library, or that has more rights than its user; and it loses the \
    counts of a program that is killed or executes another one.";

/// The reasons that apply, as whole sentences.
pub fn explain(program: &OsStr, status: ExitStatus) -> String {
    let mut text =
        format!("{} wrote no profile, nor did a program that it started.", program.display());
    if let Some(signal) = status.signal() {
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("unknown");
        text += &format!(" It was ended by signal {signal} ({name}).");
    }
    text + " "
        + &find_program(program)
            .map_or_else(|| "Its image was not found.".into(), |path| reason(&path))
}

fn reason(path: &Path) -> String {
    match Uncounted::of(path) {
        Some(why @ Uncounted::NotCompiled) => format!(
            "{} With --preload, what it loads and starts counts wherever that was compiled with \
             pathcc.",
            why.text(path)
        ),
        Some(why @ Uncounted::OtherLinker) => format!("{} {NOT_LENT}", why.text(path)),
        Some(why) => why.text(path),
        None => match image::traces(path) {
            Err(error) => format!("Its image cannot be looked at: {error:#}."),
            Ok(_) if arrays::is_traced(path) => format!(
                "{} is traced (-fpath-mode=trace): it writes traces instead of profiles. \
                 `pathprof trace run` runs it and says where they are.",
                path.display()
            ),
            Ok(_) => format!(
                "{} is instrumented as it should be. It may be set-user-id, have no place to write \
                 to, or have been started through something that sets PATHCC_PROFILE (off writes \
                 nothing); `pathprof doctor` looks for reasons.",
                path.display()
            ),
        },
    }
}
