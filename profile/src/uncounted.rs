//! Determines why a file leaves no profile, from its kind and the way it was built.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use pathformat::names;

use crate::{image, open};

/// The text that follows the name of an image with counters that pathld did not link.
pub const UNLINKED: &str = "\
    was compiled with pathcc and linked by another linker, so that nobody writes down what it \
    counts unless `pathprof run` starts it. Link it with pathcc or pathc++, too: in CMake as \
    CMAKE_C_COMPILER and CMAKE_CXX_COMPILER, or as the launcher of both compiler and linker; for \
    cargo with RUSTFLAGS=-Clinker=pathcc; for pip and Python's packages with CC=pathcc CXX=pathc++ \
    LDSHARED='pathcc -shared'; for Go with CC=pathcc and -ldflags='-linkmode=external \
    -extld=pathcc'; for node-gyp with CC=pathcc CXX=pathc++ LINK=pathc++; or give any clang \
    -fuse-ld=pathld.";

/// The text in libtool's wrapper scripts between the name of the script and the path of the
/// program.
const WRAPPER: &str = " - temporary wrapper script for ";

/// The number of bytes of a script that are examined.
const BEGINNING: u64 = 1 << 12;

/// The reason why a file leaves no profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// The file is a script.
    Script,
    /// The file is a script of libtool, which starts this program.
    Wrapper(PathBuf),
    /// The file was not compiled with pathcc.
    NotCompiled,
    /// The file is an object that is not linked yet.
    Object,
    /// Another linker made the file.
    OtherLinker,
}

impl Uncounted {
    /// Returns the reason why the file at `path` leaves no profile; `None` if it is a complete
    /// image, or neither an image nor a script.
    pub fn of(path: &Path) -> Option<Self> {
        if let Some(beginning) = script(path) {
            let program = beginning.lines().find_map(|line| Some(line.split_once(WRAPPER)?.1));
            let program = program.map(|program| wrapped(path, Path::new(program.trim())));
            return Some(program.map_or(Self::Script, Self::Wrapper));
        }
        match image::traces(path).ok()? {
            image::Traces { manifest: false, .. } => Some(Self::NotCompiled),
            image::Traces { linked: false, .. } if is_object(path) => Some(Self::Object),
            image::Traces { linked: false, .. } => Some(Self::OtherLinker),
            _ => None,
        }
    }

    /// Returns the reason in whole sentences.
    pub fn text(&self, path: &Path) -> String {
        let place = path.display();
        match self {
            Self::Script => format!(
                "{place} is no ELF image but a script: only instrumented programs that it starts \
                 write profiles. Name one of them."
            ),
            Self::Wrapper(program) => format!(
                "{place} is a wrapper script of libtool, which starts {0}: name {0}.",
                program.display()
            ),
            Self::NotCompiled => format!(
                "{place} has no section {}: it was not compiled with pathcc (CC=pathcc \
                 CXX=pathc++), or that section was removed.",
                names::MANIFEST_SECTION
            ),
            Self::Object => format!(
                "{place} is an object that is not linked yet: name the program or the library that \
                 it becomes a part of."
            ),
            Self::OtherLinker => format!("{place} {UNLINKED}"),
        }
    }
}

/// Returns the beginning of a script; `None` if the file is not a script.
fn script(path: &Path) -> Option<String> {
    let mut beginning = Vec::new();
    open::regular(path).ok()?.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    let is_script = beginning.starts_with(b"#!");
    is_script.then(|| String::from_utf8_lossy(&beginning).into_owned())
}

/// Returns true if a file is a relocatable ELF object.
fn is_object(path: &Path) -> bool {
    const TYPE: usize = 16;
    let mut start = [0; TYPE + 2];
    open::regular(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && start.starts_with(b"\x7fELF")
        && u16::from_le_bytes([start[TYPE], start[TYPE + 1]]) == object::elf::ET_REL.0
}

/// Returns the program that a wrapper starts, which is in a directory beside it. If libtool linked
/// the program again to run it in place, that is the newer one called `lt-…`.
fn wrapped(wrapper: &Path, program: &Path) -> PathBuf {
    let program = wrapper.with_file_name("").join(program);
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let linked_again = program.with_file_name(format!("lt-{name}"));
    let time = |path: &Path| fs::metadata(path).and_then(|data| data.modified()).ok();
    if time(&linked_again) > time(&program) { linked_again } else { program }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapper_names_its_program() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| fs::write(at(name), text).expect("writable");
        fs::create_dir(at(".libs")).expect("writable");
        write(
            "jq",
            "#! /bin/bash\n\n# src/jq - temporary wrapper script for .libs/jq\n# by libtool\n",
        );
        write("other", "#!/bin/sh\nexec true\n");
        write("text", "no script");
        let of = |name: &str| Uncounted::of(&at(name));
        assert_eq!(of("jq"), Some(Uncounted::Wrapper(at(".libs/jq"))));
        let object = [&b"\x7fELF"[..], &[0; 12], &[1, 0]].concat();
        fs::write(at("object"), object).expect("writable");
        assert_eq!(
            ["object", "text", "none"].map(|name| is_object(&at(name))),
            [true, false, false]
        );
        write(".libs/jq", "");
        assert_eq!(of("jq"), Some(Uncounted::Wrapper(at(".libs/jq"))));
        write(".libs/lt-jq", "");
        fs::File::options()
            .append(true)
            .open(at(".libs/jq"))
            .and_then(|file| file.set_modified(std::time::SystemTime::UNIX_EPOCH))
            .expect("a time");
        assert_eq!(of("jq"), Some(Uncounted::Wrapper(at(".libs/lt-jq"))));
        assert_eq!(of("other"), Some(Uncounted::Script));
        assert_eq!((of("text"), of("none"), of(".libs")), (None, None, None));
        assert_eq!(Uncounted::of(Path::new("/bin/true")), Some(Uncounted::NotCompiled));
        assert_eq!(
            Uncounted::Wrapper(".libs/jq".into()).text(Path::new("jq")),
            "jq is a wrapper script of libtool, which starts .libs/jq: name .libs/jq."
        );
    }
}
