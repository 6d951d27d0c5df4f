//! The files of an installed tree. Programs find their siblings by these paths, relative to the
//! tree's root.
//!
//! The list itself is `tree.txt`, from which `scripts/copy-tree` lays out and installs a tree. So
//! programs search only for files that are installed.

/// The list.
const LIST: &str = include_str!("tree.txt");

/// The linker that wraps the real one.
pub const LINKER: &str = "bin/ld.pathld";

/// The compiler plugin: a link to a file that is named after its content.
pub const PLUGIN: &str = "lib/pathcc/libpathpass.so";

/// The runtime.
pub const RUNTIME: &str = "lib/pathcc/libpathrt.a";

/// The replacement of the C library's functions that create threads, in static executables.
pub const THREADS: &str = "lib/pathcc/libpathrt-threads.a";

/// The library that is loaded into a program at its start, for images that another linker made.
pub const PRELOAD: &str = "lib/pathcc/libpathrt.so";

/// The directory of headers for programs.
pub const INCLUDE: &str = "include";

/// The program that reads profiles. No build needs it.
pub const READER: &str = "bin/pathprof";

/// The kind of file of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An executable file.
    Program,
    /// A link to a file beside it.
    Link,
    /// A link to a library that is named after its content.
    Plugin,
    /// A static library.
    Archive,
    /// A shared library that programs load.
    Library,
    /// A file that build systems and other programs read.
    Data,
    /// A folder of files that people and shells read, with all that is below it.
    Folder,
}

/// A file of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The kind of the file.
    pub kind: Kind,
    /// The path, relative to the root.
    pub path: &'static str,
}

/// Returns all files of a tree.
pub fn entries() -> impl Iterator<Item = Entry> {
    LIST.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let kind = match words.next()? {
            "program" => Kind::Program,
            "link" => Kind::Link,
            "plugin" => Kind::Plugin,
            "archive" => Kind::Archive,
            "library" => Kind::Library,
            "data" => Kind::Data,
            "folder" => Kind::Folder,
            _ => return None,
        };
        Some(Entry { kind, path: words.next()? })
    })
}

/// Returns the files that compiling and linking need.
pub fn needed_to_build() -> impl Iterator<Item = Entry> {
    entries().filter(|entry| {
        matches!(entry.kind, Kind::Program | Kind::Plugin | Kind::Archive) && entry.path != READER
    })
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_line_of_the_list_is_understood() {
        let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(lines.count(), entries().count());
    }

    #[test]
    fn what_programs_look_for_is_in_the_list() {
        let found = |path: &str| entries().find(|entry| entry.path == path).map(|entry| entry.kind);
        assert_eq!([LINKER, READER].map(found), [Some(Kind::Program); 2]);
        assert_eq!(found(PLUGIN), Some(Kind::Plugin));
        assert_eq!([RUNTIME, THREADS].map(found), [Some(Kind::Archive); 2]);
        assert_eq!(found(PRELOAD), Some(Kind::Library));
        let needed: Vec<_> = needed_to_build().map(|entry| entry.path).collect();
        assert_eq!(needed, ["bin/pathcc", LINKER, PLUGIN, RUNTIME, THREADS]);
    }
}
