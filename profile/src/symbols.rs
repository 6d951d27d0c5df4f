//! Names the function at an address of a process.
//!
//! The map of the process leads to a file and an offset in it, and the symbols of the file lead to
//! the name. A file that was changed after the run is not used, unless its build-id proves that it
//! is the same. An address without a symbol is named by its offset in its file.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};

use crate::bounded::Bounded;

/// The symbols of the files that were read so far.
#[derive(Default)]
pub struct Symbols {
    files: HashMap<PathBuf, Option<Rc<File>>>,
    /// The number of bytes of all names.
    bytes: usize,
}

/// The maximum number of files that are read, since a profile may name any file of the machine ...
const MOST_FILES: usize = 1000;

/// ... and the number of bytes of names after which no other file is read.
const MOST_BYTES: usize = 1 << 26;

/// The symbols of one file.
struct File {
    /// The time of the last change of its content or its place, in nanoseconds since 1970. The date
    /// of the content alone may be older than the installation of its package.
    changed: u64,
    /// Offset in the file, length in the file, and address of each segment, in ascending order.
    segments: Vec<[u64; 3]>,
    /// The names of functions by address.
    names: BTreeMap<u64, String>,
}

/// The code mappings of a process, in ascending order of address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map(Vec<Mapping>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    file: PathBuf,
}

impl Map {
    /// Parses lines of `/proc/self/maps`. Invalid lines are left out.
    pub fn parse(lines: &[u8]) -> Self {
        let text = String::from_utf8_lossy(lines);
        let mut mappings: Vec<_> = text.lines().filter_map(mapping).collect();
        mappings.sort_by_key(|mapping| mapping.start);
        Self(mappings)
    }

    /// Returns the mapping at an address.
    fn find(&self, address: u64) -> Option<&Mapping> {
        let before = self.0.partition_point(|mapping| mapping.start <= address).checked_sub(1)?;
        self.0.get(before).filter(|mapping| address < mapping.end)
    }
}

fn mapping(line: &str) -> Option<Mapping> {
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let offset = rest.split(' ').nth(1)?;
    let file = rest.get(rest.find('/')?..)?.replace("\\012", "\n");
    let file = file.strip_suffix(" (deleted)").unwrap_or(&file);
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        offset: number(offset)?,
        file: file.into(),
    })
}

impl Symbols {
    /// Returns the name of the code at `address` in a process that ended at `stop`, in nanoseconds
    /// since 1970. `known` returns the present path of a file if that file is certainly the same.
    pub fn name(
        &mut self,
        map: &Map,
        address: u64,
        stop: u64,
        known: impl Fn(&Path) -> Option<PathBuf>,
    ) -> String {
        let Some(mapping) = map.find(address) else {
            return format!("{address:#x}");
        };
        let offset = (address - mapping.start).saturating_add(mapping.offset);
        let known = known(&mapping.file);
        let is_known = known.is_some();
        let path = known.unwrap_or_else(|| mapping.file.clone());
        let file = self.file(path);
        let same = file.filter(|file| is_known || file.changed <= stop);
        let name = same.as_deref().and_then(|file| file.names.get(&file.address(offset)?).cloned());
        name.unwrap_or_else(|| {
            let file = mapping.file.file_name().unwrap_or_default().display().to_string();
            format!("{file}+{offset:#x}")
        })
    }
}

impl Symbols {
    fn file(&mut self, path: PathBuf) -> Option<Rc<File>> {
        if let Some(known) = self.files.get(&path) {
            return known.clone();
        }
        if self.files.len() >= MOST_FILES || self.bytes >= MOST_BYTES {
            return None;
        }
        let file = read(&path).map(Rc::new);
        let names = file.iter().flat_map(|file| file.names.values());
        self.bytes += names.map(String::len).sum::<usize>();
        self.files.insert(path, file.clone());
        file
    }
}

impl File {
    fn address(&self, offset: u64) -> Option<u64> {
        let before =
            self.segments.partition_point(|&[start, ..]| start <= offset).checked_sub(1)?;
        let &[start, length, address] = self.segments.get(before)?;
        (offset - start < length).then(|| address.wrapping_add(offset - start))
    }
}

fn read(path: &Path) -> Option<File> {
    let content = Bounded::open(path).ok()?;
    let metadata = content.file().metadata().ok()?;
    let changed =
        metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec());
    let file = object::File::parse(&content).ok()?;
    let segment = |segment: object::Segment<'_, '_, _>| {
        let (offset, length) = segment.file_range();
        [offset, length, segment.address()]
    };
    let mut segments: Vec<_> =
        file.segments().map(segment).filter(|[_, length, _]| *length > 0).collect();
    segments.sort_unstable();
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        // An undefined symbol may have an address: the entry of the linkage table to which pointers
        // to a function of a library lead in code for a fixed address.
        let is_code = symbol.kind() == SymbolKind::Text && symbol.address() != 0;
        if let Some(name) = symbol.name().ok().filter(|name| is_code && !name.is_empty()) {
            let known = names.entry(symbol.address()).or_insert_with(|| name.into());
            if rank(name) < rank(known) {
                *known = name.into();
            }
        }
    }
    Some(File { changed: u64::try_from(changed).unwrap_or(u64::MAX), segments, names })
}

/// Returns the rank of a name among those of one function. The best name has the fewest leading
/// underscores, then the smallest length.
fn rank(name: &str) -> (usize, usize, &str) {
    let underscores =
        if name.starts_with("_Z") { 0 } else { name.len() - name.trim_start_matches('_').len() };
    (underscores, name.len(), name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_of_the_map_is_read() {
        let map = Map::parse(
            b"1000-3000 r-xp 00000400 fe:00 326279                     /lib/a b.so (deleted)\n\
              nonsense\n-\n",
        );
        let mapping =
            Mapping { start: 0x1000, end: 0x3000, offset: 0x400, file: "/lib/a b.so".into() };
        assert_eq!(map, Map(vec![mapping]));
    }

    #[test]
    fn this_very_function_has_its_name() {
        let map = Map::parse(&fs::read("/proc/self/maps").expect("Linux"));
        let address = demangled_name as *const () as u64;
        let name = Symbols::default().name(&map, address, u64::MAX, |_| None);
        assert!(
            crate::names::demangle(&name).contains("demangled_name")
                || name.contains("demangled_name"),
            "{name}"
        );
    }

    #[inline(never)]
    extern "C" fn demangled_name() {}

    #[test]
    fn a_file_that_changed_after_the_run_tells_nothing_unless_it_is_known() {
        let map = Map::parse(&fs::read("/proc/self/maps").expect("Linux"));
        let address = demangled_name as *const () as u64;
        let mut symbols = Symbols::default();
        assert!(symbols.name(&map, address, 1, |_| None).contains("+0x"));
        assert!(
            symbols.name(&map, address, 1, |path| Some(path.into())).contains("demangled_name")
        );
    }

    #[test]
    fn what_has_no_symbol_is_named_by_its_place() {
        let map = Map::parse(b"1000-3000 r-xp 00000400 fe:00 1 /does/not/exist.so\n");
        let mut symbols = Symbols::default();
        assert_eq!(symbols.name(&map, 0x1010, 0, |_| None), "exist.so+0x410");
        assert_eq!(symbols.name(&map, 0x10, 0, |_| None), "0x10");
    }

    #[test]
    fn the_usual_name_is_taken() {
        let mut names = ["__libc_malloc", "malloc", "__malloc"];
        names.sort_by_key(|name| rank(name));
        assert_eq!(names[0], "malloc");
        assert!(rank("_ZN1a1bEv") < rank("_start"));
    }
}
