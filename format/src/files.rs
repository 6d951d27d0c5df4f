//! The names of the files of runs.
//!
//! The runtime makes these names, and the report searches for them.

/// The default pattern of a profile's name: a file beside the program.
pub const BESIDE_PROGRAM: &[u8] = b"%f.pathprof";

/// The pattern of a profile's name in a directory that is given instead of a pattern.
pub const IN_DIRECTORY: &[u8] = b"%e.pathprof";

/// The pattern of a profile's name below the directory for a user's state, which is used if there
/// may be none beside the program.
pub const IN_STATE: &[u8] = b"/pathprof/%e-%b/%e.pathprof";

/// The directory of all profiles below the directory for a user's state.
pub const STATE: &str = "pathprof";

/// The extension of profiles, unless a pattern has another one.
pub const EXTENSION: &str = "pathprof";

/// The prefix of the name of a raw file, which `*` does not match: removing or emptying all files
/// of a directory does not affect counters in use. The name of the profile follows, and behind dots
/// the process, possibly with `-NUMBER`, and [`RAW`].
pub const HIDDEN: &str = ".";

/// The extension of raw files.
pub const RAW: &str = "raw";

/// What stands in the name of a [standing](crate::standing) raw file in place of the process. A
/// digest in sixteen hexadecimal digits, `-` and a number follow.
pub const STANDING: &str = "standing-";

/// The extension of a block log, in place of [`EXTENSION`].
pub const LOG: &str = "pathlog";

/// The extension of a trace, in place of [`EXTENSION`]. The process's number precedes it, possibly
/// with `-NUMBER`: a trace is of one process.
pub const TRACE: &str = "pathtrace";

/// The directory for a user's state below the home, unless
/// [`STATE_HOME`](crate::variables::STATE_HOME) names another one.
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
