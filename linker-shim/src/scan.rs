//! Reads the manifest records of objects, archives and linked images. Only the heads count here: they tell which
//! counter arrays there must be.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::LittleEndian;
use object::elf::{EM_X86_64, ET_DYN, ET_EXEC, ET_REL, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};
use pathformat::raw::{OWN_BASE, Threads};
use pathformat::record::{Head, Records};
use pathformat::{Error, MANIFEST_VERSION, ModuleId, names};
use rayon::prelude::*;

use crate::args::{CommandLine, Input};
use crate::content::content;
use crate::inputs::Locator;
use crate::script;

/// Scripts that name scripts are followed so far.
const DEEPEST_SCRIPT: usize = 3;

/// No module has more: the array would fill the address space.
const MOST_COUNTERS: u64 = 1 << 40;

/// An instrumented module that needs a counter array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// Which module.
    pub(crate) id: ModuleId,
    /// Length of its array.
    pub(crate) counters: u64,
    /// How many keys follow the counters.
    pub(crate) keys: u64,
    /// How its threads count.
    pub(crate) threads: Threads,
    /// Whether it finds its array by a thread-local word of its own.
    pub(crate) own_base: bool,
}

/// What the inputs of a link, or its output, contain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The instrumented modules in order of appearance, each once.
    pub(crate) modules: Vec<Module>,
    /// Records that could not be read.
    pub(crate) damaged: Vec<Damaged>,
    /// Whether there is bitcode, whose modules show only after the link.
    pub(crate) bitcode: bool,
}

/// A record that cannot be used, and those behind it in the same section.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Damaged {
    /// The file, with the member of an archive in parentheses.
    place: String,
    error: Error,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match self.error {
            Error::BadVersion(found) => write!(
                f,
                "{place}: compiled by another version of pathcc (manifest version {found}, this pathld reads \
                 {MANIFEST_VERSION}); its paths are not counted; compile it again"
            ),
            error => write!(
                f,
                "{place}: the section {} is damaged: {error}; its paths are not counted; compile it again",
                names::MANIFEST_SECTION
            ),
        }
    }
}

impl Found {
    /// Joins findings in order; each module stays where it appeared first. It has a word of its own if one of its objects
    /// needs that.
    fn join(all: impl IntoIterator<Item = Found>) -> Found {
        let mut joined = Found::default();
        let mut places = HashMap::new();
        for found in all {
            for module in found.modules {
                let place = *places.entry(module.id).or_insert(joined.modules.len());
                match joined.modules.get_mut(place) {
                    Some(known) => known.own_base |= module.own_base,
                    None => joined.modules.push(module),
                }
            }
            joined.damaged.extend(found.damaged);
            joined.bitcode |= found.bitcode;
        }
        joined
    }
}

/// Everything among the inputs of a command line. What cannot be opened is left for the real linker to report.
pub(crate) fn scan_inputs(line: &CommandLine) -> Found {
    let locator = Locator::new(line);
    let scanned: Vec<Found> = line
        .inputs
        .par_iter()
        .map(|input: &Input| locator.file(input).map_or_else(Found::default, |path| scan_file(&path, &locator, 0)))
        .collect();
    Found::join(scanned)
}

/// The modules of a linked image; `None` if it is not an image that can be read.
pub(crate) fn scan_image(path: &Path) -> Option<Found> {
    let data = content(path).ok()?;
    let kind = FileHeader64::<LittleEndian>::parse(&*data).ok()?.e_type(LittleEndian);
    (kind == ET_EXEC || kind == ET_DYN).then(|| scan_sections(&data, &path.display().to_string()))
}

fn scan_file(path: &Path, locator: &Locator, depth: usize) -> Found {
    let Ok(data) = content(path) else { return Found::default() };
    if data.starts_with(b"!<arch>\n") || data.starts_with(b"!<thin>\n") {
        return scan_archive(path, &data, locator, depth);
    }
    if data.starts_with(b"\x7fELF") || is_bitcode(&data) {
        return scan_object(&data, || path.display().to_string());
    }
    if depth >= DEEPEST_SCRIPT {
        return Found::default();
    }
    let directory = path.parent().unwrap_or(Path::new(""));
    let named = script::inputs(&data).into_iter().filter_map(|name| locator.named_in_script(&name, directory));
    Found::join(named.map(|path| scan_file(&path, locator, depth + 1)))
}

fn is_bitcode(data: &[u8]) -> bool {
    data.starts_with(b"BC\xc0\xde") || data.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}

fn scan_archive(path: &Path, data: &[u8], locator: &Locator, depth: usize) -> Found {
    let Ok(archive) = ArchiveFile::parse(data) else { return Found::default() };
    let members: Vec<_> = archive.members().map_while(Result::ok).collect();
    let scanned: Vec<Found> = members
        .par_iter()
        .map(|member| {
            let name = OsStr::from_bytes(member.name());
            if member.is_thin() {
                let place = path.parent().unwrap_or(Path::new("")).join(PathBuf::from(name));
                return if depth < DEEPEST_SCRIPT { scan_file(&place, locator, depth + 1) } else { Found::default() };
            }
            let place = || format!("{}({})", path.display(), name.display());
            member.data(data).map_or_else(|_| Found::default(), |data| scan_object(data, place))
        })
        .collect();
    Found::join(scanned)
}

/// An object, or something else of which nothing is counted.
fn scan_object(data: &[u8], place: impl Fn() -> String) -> Found {
    if is_bitcode(data) {
        return Found { bitcode: true, ..Found::default() };
    }
    match FileHeader64::<LittleEndian>::parse(data) {
        Ok(head) if head.e_type(LittleEndian) == ET_REL && head.e_machine(LittleEndian) == EM_X86_64 => {
            scan_sections(data, &place())
        }
        _ => Found::default(),
    }
}

fn scan_sections(data: &[u8], place: &str) -> Found {
    let mut found = Found::default();
    let Ok(sections) = FileHeader64::<LittleEndian>::parse(data).and_then(|head| head.sections(LittleEndian, data))
    else {
        return found;
    };
    let name = names::MANIFEST_SECTION.as_bytes();
    for section in sections.iter().filter(|section| sections.section_name(LittleEndian, section) == Ok(name)) {
        let records = section.data(LittleEndian, data).unwrap_or_default();
        for record in Records::new(records) {
            match record {
                Ok(record) if record.head.counters.saturating_add(record.head.keys) > MOST_COUNTERS => {
                    let error = Error::Invalid("it claims more counters than fit in memory");
                    found.damaged.push(Damaged { place: place.to_owned(), error });
                }
                Ok(record) => found.modules.push(module(&record.head)),
                Err(error) => found.damaged.push(Damaged { place: place.to_owned(), error }),
            }
        }
    }
    Found::join([found])
}

fn module(head: &Head) -> Module {
    let own_base = head.flags & OWN_BASE != 0;
    Module { id: head.id, counters: head.counters, keys: head.keys, threads: Threads::from_code(head.flags), own_base }
}
