//! Finds whose functions allocate memory in an image.
//!
//! A traced executable defines the allocator's functions, each of which hands on to the one that it
//! hides. That must not change which allocator a program has: a linker takes no member of an
//! archive for a symbol that is defined already, and may leave out a shared library that nothing
//! needs any more. Of two weak functions it takes the first. So the functions are defined only if
//! the C library's allocator is the only one.

use std::path::{Path, PathBuf};

use object::read::archive::{ArchiveFile, ArchiveSymbol};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectKind, ObjectSymbol};
use rayon::prelude::*;

use crate::content::content;

/// The symbol that every allocator has.
const ALLOCATES: &str = "malloc";

/// With this the names of clang's callbacks begin, which no path ends at. They may allocate while
/// the place of the next record is in a register.
const CALLBACK: &str = "__sanitizer_cov_";

/// The symbols of libraries whose allocator is not another one: the C library, and the loader.
const OF_C_LIBRARY: &str = "__libc_start_main";
const OF_LOADER: &str = "_rtld_global";

/// Whose functions allocate memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    /// Those of the shared C library alone.
    CLibrary,
    /// Those of another library, or nobody knows.
    Other,
}

/// The part that a file has in an allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Nothing,
    CLibrary,
    Allocator,
}

impl Allocator {
    /// Returns the allocator of an image that is linked from these files.
    pub(crate) fn of(files: &[PathBuf]) -> Self {
        let parts: Vec<Part> = files.par_iter().map(|file| part(file)).collect();
        let is_alone = parts.contains(&Part::CLibrary) && !parts.contains(&Part::Allocator);
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
        Ok(file) if calls_back(file.symbols()) => Part::Allocator,
        Ok(file) if defines(file.symbols(), ALLOCATES) => Part::Allocator,
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

/// Returns the part of an archive, by its index. Linkers look into one without an index themselves,
/// if it is not empty.
fn of_archive(data: &[u8]) -> Part {
    let Ok(archive) = ArchiveFile::parse(data) else { return Part::Allocator };
    let may_allocate = match archive.symbols() {
        Ok(Some(mut symbols)) => {
            let allocates = |symbol: ArchiveSymbol<'_>| symbol.name() == ALLOCATES.as_bytes();
            symbols.any(|symbol| symbol.map_or(true, allocates))
        }
        Ok(None) => archive.members().next().is_some(),
        Err(_) => true,
    };
    if may_allocate { Part::Allocator } else { Part::Nothing }
}

fn of_library(file: &ElfFile64<'_, LittleEndian>) -> Part {
    let defines = |wanted| defines(file.dynamic_symbols(), wanted);
    match () {
        () if calls_back(file.dynamic_symbols()) => Part::Allocator,
        () if !defines(ALLOCATES) || defines(OF_LOADER) => Part::Nothing,
        () if defines(OF_C_LIBRARY) => Part::CLibrary,
        () => Part::Allocator,
    }
}
