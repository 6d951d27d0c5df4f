//! Finds the kind of image that a link makes.
//!
//! The kind decides where the C library is, and so how threads are created. No single option says
//! it: one linker reads the last of several options, another any of them, and a third what the
//! libraries turn out to be. So the inputs show what is to be expected, and the image shows what
//! the linker has made of the whole line.

use object::LittleEndian;
use object::elf::{DF_1_PIE, DT_FLAGS_1, DT_NEEDED, ET_EXEC, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};

use crate::args::CommandLine;
use crate::scan::ScanResult;

/// A kind of image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageKind {
    /// A program that needs shared libraries.
    Executable,
    /// A program that brings all its libraries.
    Static,
    /// A shared library.
    Library,
}

/// The kind of image that this command line, with these inputs, is likely to make.
pub(crate) fn expected(line: &CommandLine, found: &ScanResult) -> ImageKind {
    if line.makes_library {
        ImageKind::Library
    } else if found.shared || found.unseen && !line.ends_static {
        ImageKind::Executable
    } else {
        ImageKind::Static
    }
}

/// The kind of an image. `expected` decides where the image alone does not show it. `None` if it is
/// no image.
pub(crate) fn of_image(data: &[u8], expected: ImageKind) -> Option<ImageKind> {
    let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
    let segments = head.program_headers(LittleEndian, data).ok()?;
    let dynamic = segments
        .iter()
        .find_map(|segment| segment.dynamic(LittleEndian, data).ok().flatten())
        .unwrap_or_default();
    let value = |tag| {
        let entry = dynamic.iter().find(|entry| entry.tag(LittleEndian) == tag);
        entry.map(|entry| entry.val(LittleEndian))
    };
    let is_pie = value(DT_FLAGS_1).is_some_and(|flags| flags & DF_1_PIE.0 != 0);
    let is_program = is_pie || head.e_type(LittleEndian) == ET_EXEC;
    Some(match () {
        () if expected == ImageKind::Library && !is_program => ImageKind::Library,
        () if value(DT_NEEDED).is_some() => ImageKind::Executable,
        () => ImageKind::Static,
    })
}
