//! The environment variables that `pathcc`, `pathld` and `pathprof` read, and the form of each.
//!
//! An empty variable is always equivalent to an unset one. `docs/environment.md` has the table.

/// A switch: pathcc is plain clang, and pathld the plain linker.
pub const DISABLE: &str = "PATHCC_DISABLE";

/// A switch: pathcc prints the commands that it would run, and runs none of them.
pub const DRY_RUN: &str = "PATHCC_DRYRUN";

/// A program: the compiler of C and C++ to use instead of searching for one.
pub const CLANG: &str = "PATHCC_CLANG";

/// A program: the compiler of Fortran.
pub const FLANG: &str = "PATHCC_FLANG";

/// A file: the configuration to use instead of the nearest `pathcc.toml`. [`NOTHING`] means none.
pub const CONFIG: &str = "PATHCC_CONFIG";

/// A number: the maximum number of parallel compile jobs; 1 leaves several sources to clang alone.
pub const JOBS: &str = "PATHCC_JOBS";

/// A program: the linker behind pathld.
pub const REAL_LINKER: &str = "PATHLD_REAL";

/// A pattern: the file name of the profile of a program; [`NOTHING`] means that none is written.
pub const PROFILE: &str = "PATHCC_PROFILE";

/// A text: the [label](crate::label) under which a program counts at first.
pub const LABEL: &str = "PATHCC_LABEL";

/// Returns the word in front of a pattern, and the pattern. Without such a word, returns an empty
/// one.
pub fn split_pattern(value: &[u8]) -> (&'static [u8], &[u8]) {
    let with = |word: &'static [u8]| Some((word, value.strip_prefix(word)?));
    with(STANDING).or_else(|| with(SINGLE)).unwrap_or((b"", value))
}

/// In front of such a pattern: the processes of an image take standing raw files from the second
/// one on.
pub const STANDING: &[u8] = b"standing:";

/// In front of such a pattern: each process has a raw file of its own.
pub const SINGLE: &[u8] = b"single:";

/// A switch: the trace of a program begins with the program unless this is off. If it is off, the
/// trace begins where the program requests it.
pub const TRACE: &str = "PATHCC_TRACE";

/// A method: the compression of a program's trace while it is written ([`compresses`]).
pub const TRACE_COMPRESS: &str = "PATHCC_TRACE_COMPRESS";

/// The word for Zstandard where a variable names a method of compression.
pub const ZSTD: &[u8] = b"zstd";

/// A directory: the user's state, by the XDG base directory specification.
pub const STATE_HOME: &str = "XDG_STATE_HOME";

/// A directory: the user's home.
pub const HOME: &str = "HOME";

/// A number: the maximum size of a profile in MiB before pathprof sums its older starts; 0 is no
/// limit.
pub const PROFILE_LIMIT: &str = "PATHCC_PROFILE_LIMIT";

/// The origin of [`REAL_LINKER`], so that a value that pathcc set is recognised if it leaks into a
/// later pathcc; the user's own value is kept.
pub const REAL_LINKER_BY: &str = "PATHLD_REAL_BY";

/// Set if pathcc runs the linker, and so decides itself if anything counts. Only for pathld.
pub const LINKED_BY: &str = "PATHLD_CALLED_BY";

/// The number of times that pathld has called itself through other linkers. Only for pathld itself.
pub const LINKER_DEPTH: &str = "PATHLD_DEPTH";

/// Set while a compiler is run for its version, so that a compiler that leads back to pathcc cannot
/// loop. Only for pathcc itself.
pub const ASKING: &str = "PATHCC_ASKING_VERSION";

/// The word for "none" where a variable names a file.
pub const NOTHING: &[u8] = b"off";

/// The words that turn a switch off, as an unset variable does. Every other word turns it on.
const OFF: [&[u8]; 4] = [b"0", b"no", NOTHING, b"false"];

/// Returns a variable's value, unless it is empty.
pub fn given<T: AsRef<[u8]>>(value: Option<T>) -> Option<T> {
    value.filter(|value| !value.as_ref().is_empty())
}

/// Returns true if a switch is on.
pub fn is_on(value: Option<&[u8]>) -> bool {
    given(value).is_some_and(|value| !OFF.iter().any(|word| word.eq_ignore_ascii_case(value)))
}

/// Returns the state of a switch, or `None` if it is not set.
pub fn switch(value: Option<&[u8]>) -> Option<bool> {
    given(value).map(|_| is_on(value))
}

/// Returns true if the method of compression is Zstandard, and false if there is none, which is the
/// default. `None` if no method has this name.
pub fn compresses(value: Option<&[u8]>) -> Option<bool> {
    match value {
        Some(word) if word.eq_ignore_ascii_case(ZSTD) => Some(true),
        word => (!is_on(word)).then_some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_of_compression_is_known_or_not() {
        for (word, chosen) in [
            (Some("zstd"), Some(true)),
            (Some("ZSTD"), Some(true)),
            (Some("no"), Some(false)),
            (Some("off"), Some(false)),
            (Some(""), Some(false)),
            (None, Some(false)),
            (Some("zst"), None),
            (Some("zstd9"), None),
            (Some("1"), None),
        ] {
            assert_eq!(compresses(word.map(str::as_bytes)), chosen, "{word:?}");
        }
    }

    #[test]
    fn a_switch_is_on_unless_it_says_otherwise() {
        for word in ["1", "yes", "on", "true", "2", "y", " "] {
            assert!(is_on(Some(word.as_bytes())), "{word}");
        }
        for word in ["", "0", "no", "off", "false", "No", "OFF"] {
            assert!(!is_on(Some(word.as_bytes())), "{word}");
        }
        assert!(!is_on(None));
        assert_eq!([None, Some(&b""[..])].map(switch), [None, None]);
        assert_eq!(
            [b"1".as_slice(), b"off"].map(|word| switch(Some(word))),
            [Some(true), Some(false)]
        );
    }

    #[test]
    fn an_empty_variable_is_none() {
        assert_eq!(given(Some("")), None);
        assert_eq!(given(Some("x")), Some("x"));
        assert_eq!(given(None::<&str>), None);
    }
}
