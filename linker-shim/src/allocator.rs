//! Finds whose functions allocate memory in an image.
//!
//! A traced executable defines the allocator's functions, each of which hands on to the one that it
//! hides. That must not change which allocator a program has: a linker takes no member of an
//! archive for a symbol that is defined already, and may leave out a shared library that nothing
//! needs any more. Of two weak functions it takes the first. So the functions are defined only if
//! the C library's allocator is the only one.
//!
//! Nor are they defined where clang's callbacks may allocate in the middle of a path: the place of
//! the next record is in a register then.

use std::path::{Path, PathBuf};

use object::read::archive::{ArchiveFile, ArchiveSymbol};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectKind, ObjectSymbol};
use rayon::prelude::*;

use crate::content::content;

/// The symbol that every allocator has.
const ALLOCATES: &str = "malloc";

/// The prefix of the names of clang's callbacks. No path ends at a call of one.
const CALLBACK: &str = "__sanitizer_cov_";

/// The symbols of libraries whose allocator is not another one: the C library, and the loader.
const OF_C_LIBRARY: &str = "__libc_start_main";
const OF_LOADER: &str = "_rtld_global";

/// Whose functions allocate memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    /// Those of the shared C library alone.
    CLibrary,
    /// Those of something else, or calls of them cannot be recorded.
    Other,
}

/// What a file means for the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It does not matter.
    Nothing,
    /// It is the C library.
    CLibrary,
    /// It has another allocator or callbacks, or cannot be judged.
    Hinders,
}

impl Allocator {
    /// Returns the allocator of an image that is linked from these files.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        let parts: Vec<Part> = files.par_iter().map(|file| part(file)).collect();
        let is_alone = parts.contains(&Part::CLibrary) && !parts.contains(&Part::Hinders);
        if is_alone { Self::CLibrary } else { Self::Other }
    }
}

fn part(path: &Path) -> Part {
    let Ok(data) = content(path) else { return Part::Nothing };
    if data.starts_with(b"!<") {
        return of_archive(&data);
    }
    match ElfFile64::<LittleEndian>::parse(&*data) {
        Ok(file) if file.kind() == ObjectKind::Dynamic => of_library(&file),
        Ok(file) if calls_back(file.symbols()) => Part::Hinders,
        Ok(file) if defines(file.symbols(), ALLOCATES) => Part::Hinders,
        _ => Part::Nothing,
    }
}

fn defines<'data, S: ObjectSymbol<'data>>(
    mut symbols: impl Iterator<Item = S>,
    wanted: &str,
) -> bool {
    symbols.any(|symbol| symbol.is_definition() && symbol.name() == Ok(wanted))
}

fn calls_back<'data, S: ObjectSymbol<'data>>(mut symbols: impl Iterator<Item = S>) -> bool {
    symbols.any(|symbol| symbol.name().is_ok_and(|name| name.starts_with(CALLBACK)))
}

/// Judges an archive by its index. Linkers look into one without an index themselves,
/// if it is not empty.
fn of_archive(data: &[u8]) -> Part {
    let Ok(archive) = ArchiveFile::parse(data) else { return Part::Hinders };
    let may_allocate = match archive.symbols() {
        Ok(Some(mut symbols)) => {
            let allocates = |symbol: ArchiveSymbol<'_>| symbol.name() == ALLOCATES.as_bytes();
            symbols.any(|symbol| symbol.map_or(true, allocates))
        }
        Ok(None) => archive.members().next().is_some(),
        Err(_) => true,
    };
    if may_allocate { Part::Hinders } else { Part::Nothing }
}

fn of_library(file: &ElfFile64<'_, LittleEndian>) -> Part {
    let defines = |wanted| defines(file.dynamic_symbols(), wanted);
    match () {
        () if calls_back(file.dynamic_symbols()) => Part::Hinders,
        () if !defines(ALLOCATES) || defines(OF_LOADER) => Part::Nothing,
        () if defines(OF_C_LIBRARY) => Part::CLibrary,
        () => Part::Hinders,
    }
}
