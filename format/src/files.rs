//! What the files of runs are called.
//!
//! The runtime makes these names, and the report looks for them.

/// The pattern of a profile's name if none is given: a file beside the program.
pub const BESIDE_PROGRAM: &[u8] = b"%f.pathprof";

/// The pattern of its name in a directory that is given instead of a pattern.
pub const IN_DIRECTORY: &[u8] = b"%e.pathprof";

/// The pattern of its name below the directory for a user's state, where a profile stands if there
/// may be none beside the program.
pub const IN_STATE: &[u8] = b"/pathprof/%e-%b/%e.pathprof";

/// The directory below that for a user's state that holds all profiles there.
pub const STATE: &str = "pathprof";

/// What the names of profiles end in behind a dot, unless a pattern says otherwise.
pub const EXTENSION: &str = "pathprof";

/// What the name of a raw file begins with, so that `*` does not mean it: whoever empties or
/// removes all files of a directory does not hit counters that are in use. The name of the profile
/// follows, and behind dots the process, perhaps with `-NUMBER`, and [`RAW`].
pub const HIDDEN: &str = ".";

/// What the names of raw files end in behind a dot.
pub const RAW: &str = "raw";

/// What the name of a block log ends in behind a dot, in place of [`EXTENSION`].
pub const LOG: &str = "pathlog";

/// What the name of a trace ends in behind a dot, in place of [`EXTENSION`]. Before it stands the
/// process's number, perhaps with `-NUMBER`: a trace is of one process.
pub const TRACE: &str = "pathtrace";

/// The directory for a user's state below the home, unless
/// [`STATE_HOME`](crate::variables::STATE_HOME) has another one.
pub const STATE_IN_HOME: &str = ".local/state";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_the_extension_of_profiles() {
        for pattern in [BESIDE_PROGRAM, IN_DIRECTORY, IN_STATE] {
            assert!(pattern.ends_with(EXTENSION.as_bytes()));
        }
        assert_eq!(IN_STATE.split(|&byte| byte == b'/').nth(1), Some(STATE.as_bytes()));
    }
}
