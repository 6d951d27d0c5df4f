//! Reads the manifest records of objects, archives and linked images. Only the heads count here:
//! they show which counter arrays there must be.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::LittleEndian;
use object::elf::{EM_X86_64, ET_DYN, ET_EXEC, ET_REL, FileHeader64};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader};
use pathformat::raw::{
    CHANGES_LABEL, IN_SEGMENT, MOVES_POINTER, OWN_BASE, TRACED, USES_SEGMENT, WAITS,
};
use pathformat::record::{Head, Records};
use pathformat::settings::Threads;
use pathformat::{Error, MANIFEST_VERSION, ModuleId, names};
use rayon::prelude::*;

use crate::args::{CommandLine, Input};
use crate::bitcode::{Bitcode, is_bitcode};
use crate::content::{Content, content};
use crate::inputs::Locator;
use crate::{discard, restored, script};

/// No module has more: the array would fill the address space.
const MOST_COUNTERS: u64 = 1 << 40;

/// Where `-ffat-lto-objects` puts bitcode.
const FAT_BITCODE_SECTION: &[u8] = b".llvm.lto";

/// An instrumented module that needs a counter array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Module {
    /// Which module.
    pub(crate) id: ModuleId,
    /// Length of its array.
    pub(crate) counters: u64,
    /// The number of keys behind the counters.
    pub(crate) keys: u64,
    /// The way in which its threads count.
    pub(crate) threads: Threads,
    /// True if it finds its array by a thread-local word of its own.
    pub(crate) own_base: bool,
    /// True if it finds its array by segment `%gs`.
    pub(crate) in_segment: bool,
    /// True if its code uses that segment for itself.
    pub(crate) uses_segment: bool,
    /// True if its code may give threads other thread pointers.
    pub(crate) moves_pointer: bool,
    /// True if it is traced: of its array, only the first word is used.
    pub(crate) traced: bool,
    /// True if it says itself where recording begins.
    pub(crate) waits: bool,
    /// True if its code changes the label under which the process counts.
    pub(crate) changes_label: bool,
}

/// The modules and other facts of the inputs of a link, or of its output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ScanResult {
    /// The instrumented modules in order of appearance, each once.
    pub(crate) modules: Vec<Module>,
    /// Records that could not be read.
    pub(crate) damaged: Vec<DamagedRecord>,
    /// True if there is bitcode, whose modules show only after the link.
    pub(crate) bitcode: bool,
    /// True if there is bitcode beside machine code, in an object of `-ffat-lto-objects`.
    pub(crate) fat_bitcode: bool,
    /// True if some of the bitcode has functions that the pass has not seen.
    pub(crate) plain_bitcode: bool,
    /// True if some of that is joined with other bitcode.
    pub(crate) joined_bitcode: bool,
    /// True if the pass has counted some of the bitcode.
    pub(crate) counted_bitcode: bool,
    /// True if there is a shared library.
    pub(crate) shared: bool,
    /// True if a library that may be a shared one was not found.
    pub(crate) unseen: bool,
    /// Objects and archives with modules.
    pub(crate) counted: Vec<PathBuf>,
    /// Those in which symbols of ours were changed after they were compiled.
    pub(crate) changed: Vec<PathBuf>,
    /// The linker script that throws away what counting needs.
    pub(crate) discarding: Option<PathBuf>,
    /// The files of the inputs of the command line.
    pub(crate) inputs: Vec<Option<PathBuf>>,
    /// These files and all that they name, in no order.
    pub(crate) files: Vec<PathBuf>,
}

/// A record that cannot be used, and those behind it in the same section.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DamagedRecord {
    /// The file, with the member of an archive in parentheses.
    place: String,
    error: Error,
}

impl fmt::Display for DamagedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.place;
        match self.error {
            Error::BadVersion(found) => write!(
                f,
                "{place}: compiled by another version of pathcc (manifest version {found}, this \
                 pathld reads {MANIFEST_VERSION}); its paths are not counted; compile it again"
            ),
            error => write!(
                f,
                "{place}: the section {} is damaged: {error}; its paths are not counted; compile \
                 it again",
                names::MANIFEST_SECTION
            ),
        }
    }
}

impl ScanResult {
    fn take_bitcode(&mut self, bitcode: Bitcode) {
        self.plain_bitcode |= matches!(bitcode, Bitcode::Plain { .. });
        self.joined_bitcode |= bitcode == Bitcode::Plain { is_apart: false };
        self.counted_bitcode |= bitcode == Bitcode::Counted;
    }

    /// True if a module finds its array by segment `%gs`.
    pub(crate) fn counts_in_segment(&self) -> bool {
        self.modules.iter().any(|module| module.in_segment)
    }

    /// Joins findings in order; each module stays where it appeared first. It has a word of its own
    /// if one of its objects needs that.
    fn join(all: impl IntoIterator<Item = ScanResult>) -> ScanResult {
        let mut joined = ScanResult::default();
        let mut places = HashMap::new();
        for found in all {
            for module in found.modules {
                let place = *places.entry(module.id).or_insert(joined.modules.len());
                match joined.modules.get_mut(place) {
                    Some(known) => {
                        known.own_base |= module.own_base;
                        known.in_segment |= module.in_segment;
                        known.uses_segment |= module.uses_segment;
                        known.moves_pointer |= module.moves_pointer;
                    }
                    None => joined.modules.push(module),
                }
            }
            joined.damaged.extend(found.damaged);
            joined.bitcode |= found.bitcode;
            joined.fat_bitcode |= found.fat_bitcode;
            joined.plain_bitcode |= found.plain_bitcode;
            joined.joined_bitcode |= found.joined_bitcode;
            joined.counted_bitcode |= found.counted_bitcode;
            joined.shared |= found.shared;
            joined.counted.extend(found.counted);
            joined.changed.extend(found.changed);
            joined.discarding = joined.discarding.or(found.discarding);
            joined.unseen |= found.unseen;
        }
        joined
    }
}

/// Everything among the inputs of a command line. What cannot be opened is left for the real linker
/// to report.
///
/// Thin archives and scripts name other files, which are looked at in their turn, each file once,
/// whatever it is called and whoever names it: so archives and scripts that name each other in
/// circles come to an end.
pub(crate) fn scan_inputs(line: &CommandLine) -> ScanResult {
    let locator = Locator::new(line);
    let located: Vec<_> = line.inputs.par_iter().map(|input| locator.file(input)).collect();
    let may_be_shared = |input: &Input| matches!(input, Input::Library { static_only: false, .. });
    let unseen = line
        .inputs
        .iter()
        .zip(&located)
        .any(|(input, file)| file.is_none() && may_be_shared(input));
    let mut files: Vec<PathBuf> = located.iter().flatten().cloned().collect();
    let (mut paths, mut containers) = (HashSet::new(), HashSet::new());
    let mut all = Vec::new();
    while !files.is_empty() {
        files.retain(|file| paths.insert(file.clone()));
        let mut looked: Vec<InspectedFile> = files.par_iter().map(|file| look(file)).collect();
        looked.retain(|looked| match looked {
            InspectedFile::Scanned(_) => true,
            InspectedFile::Container(container) => containers.insert(container.content.identity),
        });
        let opened: Vec<_> = looked.into_par_iter().map(|looked| looked.open(&locator)).collect();
        files.clear();
        for (found, named) in opened {
            all.push(found);
            files.extend(named);
        }
    }
    let mut found = ScanResult::join(all);
    found.unseen = unseen;
    found.inputs = located;
    found.files = paths.into_iter().collect();
    found.bitcode |= found.fat_bitcode && line.takes_fat_bitcode;
    found
}

/// A file that was looked at.
enum InspectedFile {
    /// All that is in it.
    Scanned(ScanResult),
    /// It holds or names others.
    Container(Container),
}

/// An archive, or what may be a script.
struct Container {
    path: PathBuf,
    content: Content,
}

fn look(path: &Path) -> InspectedFile {
    match content(path) {
        Err(_) => InspectedFile::Scanned(ScanResult::default()),
        Ok(data) if data.starts_with(b"\x7fELF") || is_bitcode(&data) => {
            InspectedFile::Scanned(scan_object(&data, path, || path.display().to_string()))
        }
        Ok(content) => InspectedFile::Container(Container { path: path.to_owned(), content }),
    }
}

impl InspectedFile {
    /// What is in it, and the files that it names.
    fn open(self, locator: &Locator) -> (ScanResult, Vec<PathBuf>) {
        match self {
            InspectedFile::Scanned(found) => (found, Vec::new()),
            InspectedFile::Container(Container { path, content }) => {
                if content.starts_with(b"!<arch>\n") || content.starts_with(b"!<thin>\n") {
                    return scan_archive(&path, &content);
                }
                let directory = path.parent().unwrap_or(Path::new(""));
                let names = script::inputs(&content).into_iter();
                let named =
                    names.filter_map(|name| locator.named_in_script(&name, directory)).collect();
                let discarding = discard::is_in(&content).then_some(path);
                (ScanResult { discarding, ..ScanResult::default() }, named)
            }
        }
    }
}

/// The modules in the bytes of a linked image; `None` if they are none that can be read.
pub(crate) fn scan_image(data: &[u8], path: &Path) -> Option<ScanResult> {
    let kind = FileHeader64::<LittleEndian>::parse(data).ok()?.e_type(LittleEndian);
    (kind == ET_EXEC || kind == ET_DYN).then(|| scan_sections(data, &path.display().to_string()))
}

/// What is in the members of an archive, and the files that it names instead of holding them.
fn scan_archive(path: &Path, data: &[u8]) -> (ScanResult, Vec<PathBuf>) {
    let Ok(archive) = ArchiveFile::parse(data) else { return Default::default() };
    let members: Vec<_> = archive.members().map_while(Result::ok).collect();
    let (thin, whole): (Vec<_>, Vec<_>) = members.iter().partition(|member| member.is_thin());
    let scanned: Vec<ScanResult> = whole
        .par_iter()
        .map(|member| {
            let place =
                || format!("{}({})", path.display(), OsStr::from_bytes(member.name()).display());
            member
                .data(data)
                .map_or_else(|_| ScanResult::default(), |data| scan_object(data, path, place))
        })
        .collect();
    let directory = path.parent().unwrap_or(Path::new(""));
    let named =
        thin.iter().map(|member| directory.join(OsStr::from_bytes(member.name()))).collect();
    (ScanResult::join(scanned), named)
}

/// An object that a file is or holds, or something else of which nothing is counted.
fn scan_object(data: &[u8], file: &Path, place: impl Fn() -> String) -> ScanResult {
    if is_bitcode(data) {
        let mut found = ScanResult { bitcode: true, ..ScanResult::default() };
        found.take_bitcode(Bitcode::of(data));
        return found;
    }
    let head = FileHeader64::<LittleEndian>::parse(data).ok();
    let kind = head.filter(|head| head.e_machine(LittleEndian) == EM_X86_64);
    match kind.map(|head| head.e_type(LittleEndian)) {
        Some(ET_REL) => {
            let mut found = scan_sections(data, &place());
            if !found.modules.is_empty() {
                found.counted.push(file.to_owned());
                found.changed.extend(restored::is_changed(data).then(|| file.to_owned()));
            }
            found
        }
        Some(ET_DYN) => ScanResult { shared: true, ..ScanResult::default() },
        _ => ScanResult::default(),
    }
}

fn scan_sections(data: &[u8], place: &str) -> ScanResult {
    let mut found = ScanResult::default();
    let Ok(sections) = FileHeader64::<LittleEndian>::parse(data)
        .and_then(|head| head.sections(LittleEndian, data))
    else {
        return found;
    };
    let name = names::MANIFEST_SECTION.as_bytes();
    let fat_bitcode = sections
        .iter()
        .find(|section| sections.section_name(LittleEndian, section) == Ok(FAT_BITCODE_SECTION));
    if let Some(section) = fat_bitcode {
        found.fat_bitcode = true;
        let content = section.data(LittleEndian, data).unwrap_or_default();
        found.take_bitcode(Bitcode::of(content));
    }
    // Sections do not share bytes, so that together they are no larger than the file.
    let mut left = data.len();
    for section in
        sections.iter().filter(|section| sections.section_name(LittleEndian, section) == Ok(name))
    {
        let records = section.data(LittleEndian, data).unwrap_or_default();
        let Some(rest) = left.checked_sub(records.len()) else {
            let error = Error::Invalid("its sections overlap");
            found.damaged.push(DamagedRecord { place: place.to_owned(), error });
            break;
        };
        left = rest;
        for record in Records::new(records) {
            match record {
                Ok(record)
                    if record.head.counters.saturating_add(record.head.keys) > MOST_COUNTERS =>
                {
                    let error = Error::Invalid("it claims more counters than fit in memory");
                    found.damaged.push(DamagedRecord { place: place.to_owned(), error });
                }
                Ok(record) => found.modules.push(module(&record.head)),
                Err(error) => found.damaged.push(DamagedRecord { place: place.to_owned(), error }),
            }
        }
    }
    ScanResult::join([found])
}

fn module(head: &Head) -> Module {
    let has = |flag| head.flags & flag != 0;
    let threads = Threads::from_code(head.flags);
    Module {
        id: head.id,
        counters: head.counters,
        keys: head.keys,
        threads,
        own_base: has(OWN_BASE),
        in_segment: has(IN_SEGMENT),
        uses_segment: has(USES_SEGMENT),
        moves_pointer: has(MOVES_POINTER),
        traced: has(TRACED),
        waits: has(WAITS),
        changes_label: has(CHANGES_LABEL),
    }
}
