//! The environment variables that `pathcc`, `pathld` and `pathprof` read, and how each of them is
//! read.
//!
//! One rule holds for all: a variable that is empty is as if it were not set. `docs/environment.md`
//! has the table.

/// A switch: pathcc is plain clang, and pathld the plain linker.
pub const DISABLE: &str = "PATHCC_DISABLE";

/// A switch: pathcc prints what it would run, and runs nothing of it.
pub const DRY_RUN: &str = "PATHCC_DRYRUN";

/// A program: the compiler of C and C++ to use instead of the one that is looked for.
pub const CLANG: &str = "PATHCC_CLANG";

/// A program: that of Fortran.
pub const FLANG: &str = "PATHCC_FLANG";

/// A file: the configuration to use instead of the nearest `pathcc.toml`. [`NOTHING`] means none.
pub const CONFIG: &str = "PATHCC_CONFIG";

/// A number: how many compile jobs may run at once; 1 leaves several sources to clang alone.
pub const JOBS: &str = "PATHCC_JOBS";

/// A program: the linker behind pathld.
pub const REAL_LINKER: &str = "PATHLD_REAL";

/// A pattern: where the profile of a program goes; [`NOTHING`] means that none is written.
pub const PROFILE: &str = "PATHCC_PROFILE";

/// A switch: whether the trace of a program begins when the program does, as it does unless this is
/// off. Else it begins where the program says so.
pub const TRACE: &str = "PATHCC_TRACE";

/// A method: how the trace of a program is compressed while it is written ([`compresses`]).
pub const TRACE_COMPRESS: &str = "PATHCC_TRACE_COMPRESS";

/// What stands for Zstandard where a variable names a method of compression.
pub const ZSTD: &[u8] = b"zstd";

/// A directory: the user's state, by the XDG base directory specification.
pub const STATE_HOME: &str = "XDG_STATE_HOME";

/// A directory: the user's home.
pub const HOME: &str = "HOME";

/// A number: how many MiB a profile may have before pathprof sums its older starts; 0 is any
/// number.
pub const PROFILE_LIMIT: &str = "PATHCC_PROFILE_LIMIT";

/// Says who has set [`REAL_LINKER`], so that a value of ours that leaked into a later pathcc is
/// known as such; the user's own value is kept.
pub const REAL_LINKER_BY: &str = "PATHLD_REAL_BY";

/// Says that pathcc links, and knows itself whether anything counts. Only for pathld.
pub const LINKED_BY: &str = "PATHLD_CALLED_BY";

/// How many times pathld has called itself through other linkers. Only for pathld itself.
pub const LINKER_DEPTH: &str = "PATHLD_DEPTH";

/// Set while a compiler is asked for its version, so that one that leads back to pathcc cannot
/// loop. Only for pathcc itself.
pub const ASKING: &str = "PATHCC_ASKING_VERSION";

/// What stands for "none" where a variable names a file.
pub const NOTHING: &[u8] = b"off";

/// The words that turn a switch off, as doing nothing would. Every other word turns it on.
const OFF: [&[u8]; 4] = [b"0", b"no", NOTHING, b"false"];

/// A variable's value, unless it is empty.
pub fn given<T: AsRef<[u8]>>(value: Option<T>) -> Option<T> {
    value.filter(|value| !value.as_ref().is_empty())
}

/// Whether a switch is on.
pub fn is_on(value: Option<&[u8]>) -> bool {
    given(value).is_some_and(|value| !OFF.iter().any(|word| word.eq_ignore_ascii_case(value)))
}

/// Whether a switch is on, if anything is said about it.
pub fn switch(value: Option<&[u8]>) -> Option<bool> {
    given(value).map(|_| is_on(value))
}

/// Whether a method of compression is chosen: Zstandard, or none, as if nothing is said. `None` if
/// there is no method of this name.
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
