//! The functions that execute another program. What pathld links calls ours in their place
//! (`runtime/static/execute.S`), by the linker's `--wrap`, so that the image writes what it counted.
//!
//! Only those are wrapped that the inputs name: lld gives an image a reference to each function that is
//! wrapped, and the C library on another machine may lack one that nobody calls.

use memchr::memmem;

/// All of them. Must match `scripts/stage`.
const FUNCTIONS: [&str; 9] =
    ["execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat"];

/// Those that a C library may define weakly.
pub(crate) const WEAK_IN_LIBRARIES: [&str; 2] = ["execve", "execvpe"];

/// How names follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// Each with a NUL behind it, in a table of strings, where a name may be the end of another one.
    Closed,
    /// Without anything between them, in bitcode. There a name is found as well where it is the beginning
    /// of another one.
    Joined,
}

/// Some of the functions, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Executing(u16);

impl Executing {
    /// Those whose names are in these bytes.
    pub(crate) fn among(bytes: &[u8], names: Names) -> Self {
        let is_named = |name: &str| {
            let mut text = name.as_bytes().to_vec();
            text.extend((names == Names::Closed).then_some(0));
            memmem::find(bytes, &text).is_some()
        };
        // Few objects name any.
        if memmem::find(bytes, b"exec").is_none() {
            return Self::default();
        }
        Self((0..FUNCTIONS.len()).filter(|&at| is_named(FUNCTIONS[at])).fold(0, |bits, at| bits | 1 << at))
    }

    /// Those of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Their names.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        FUNCTIONS.into_iter().enumerate().filter(move |(at, _)| self.0 & 1 << at != 0).map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_tables_and_in_bitcode() {
        let found = |bytes: &[u8], names| Executing::among(bytes, names).names().collect::<Vec<_>>();
        assert_eq!(found(b"\0main\0execve\0x\0", Names::Closed), ["execve"]);
        // A table may hold a name as the end of another one.
        assert_eq!(found(b"\0my_execl\0", Names::Closed), ["execl"]);
        assert_eq!(found(b"\0execution\0executes\0", Names::Closed), [""; 0]);
        assert_eq!(found(b"mainexecvpx", Names::Joined), ["execv", "execvp"]);
        assert_eq!(found(b"execution", Names::Joined), [""; 0]);
        let [one, other] = [b"execl\0", b"execv\0"].map(|bytes| Executing::among(bytes, Names::Closed));
        assert_eq!(one.and(other).names().collect::<Vec<_>>(), ["execv", "execl"]);
        assert_eq!(found(b"fexecve\0", Names::Closed), ["execve", "fexecve"]);
    }
}
