//! Copies of objects in which our symbols are as the pass wrote them.
//!
//! Tools change the symbols of objects before they are linked: `objcopy` makes them local
//! (`--localize-hidden`, `--keep-global-symbol`) or gives them a prefix, and `llvm-link` makes them
//! local (`--internalize`). Then an object counts in its own array, which nobody reads, since
//! linkers do not put ours in the place of what is local. A copy has the names and bindings again,
//! in the same places and of the same length. So an archive stays the same but for these bytes.

use object::LittleEndian;
use object::elf::{
    ET_REL, FileHeader64, GRP_COMDAT, SHT_CREL, SHT_GROUP, SHT_REL, SHT_RELA, SHT_SYMTAB,
    STB_LOCAL, STB_WEAK, STT_SECTION, SectionHeader64, SectionType,
};
use object::read::archive::ArchiveFile;
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{SectionIndex, SymbolIndex};
use pathformat::names;

/// Where fields are in the header of a section …
const LINK: usize = 40;
const INFO: usize = 44;
/// … how long it is, …
const HEADER: usize = 64;

/// … where the binding is in a symbol, and how long that is.
const BINDING: usize = 4;
const SYMBOL: usize = 24;

/// The type of LLVM's list of functions whose addresses matter.
const ADDRESS_SIGNIFICANCE: u32 = 0x6fff_4c03;

/// Where a relocation says which symbol it is about.
const RELOCATION_SYMBOL: usize = 12;

/// Names of ours that have the id of a module behind them.
const WITH_ID: [&str; 3] = [names::COUNTERS_PREFIX, names::PLACE_PREFIX, names::BASE_PREFIX];

/// The others that the linker, or another object, is to define anew.
const WHOLE: [&str; 7] = [
    names::TRACE_BLOCK,
    names::TRACE_DISTANCE,
    names::TRACE_TICKETS,
    names::TRACE_ROOM,
    names::TRACE_MESSAGE,
    names::EARLY,
    names::PROFILE,
];

/// The prefix of all of them.
const START: &[u8] = b"__pathcc.";

/// The length of a module's id in a name.
const ID: usize = 32;

/// True if an object has symbols of ours that were changed.
pub(crate) fn is_changed(object: &[u8]) -> bool {
    Object::parse(object).is_some_and(|object| !object.changed().is_empty())
}

/// A copy of an object or archive with our symbols as they were; `None` if it has none that were
/// changed, or is not laid out as expected.
pub(crate) fn copy(file: &[u8]) -> Option<Vec<u8>> {
    with_objects(file, &|object| Object::parse(object)?.restored())
}

/// A copy of an object, or of an archive, with objects that are `changed` and as long as they were;
/// `None` if none is.
pub(crate) fn with_objects(
    file: &[u8],
    changed: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    if file.starts_with(b"\x7fELF") {
        return changed(file);
    }
    let archive = ArchiveFile::parse(file).ok()?;
    let mut copy = None;
    for member in archive.members().map_while(Result::ok).filter(|member| !member.is_thin()) {
        let (start, length) = member.file_range();
        let range =
            usize::try_from(start).ok()?..usize::try_from(start.checked_add(length)?).ok()?;
        if let Some(changed) = changed(file.get(range.clone())?) {
            copy.get_or_insert_with(|| file.to_vec())[range].copy_from_slice(&changed);
        }
    }
    copy
}

/// Where in a symbol's name one of ours begins, if it ends with one.
fn ours(name: &[u8]) -> Option<usize> {
    let is_id = |id: &[u8]| id.len() == ID && id.iter().all(u8::is_ascii_hexdigit);
    let is_ours = |name: &[u8]| {
        let behind = WITH_ID.iter().find_map(|prefix| name.strip_prefix(prefix.as_bytes()));
        behind.is_some_and(is_id) || WHOLE.iter().any(|whole| whole.as_bytes() == name)
    };
    let at = name.windows(START.len()).position(|window| window == START)?;
    is_ours(&name[at..]).then_some(at)
}

/// A symbol of ours that was changed.
struct ChangedSymbol {
    index: usize,
    /// Where its name begins, behind what was put before it.
    name: usize,
    is_local: bool,
}

/// An object, taken apart.
struct Object<'a> {
    data: &'a [u8],
    /// Where the headers of its sections are.
    headers: usize,
    sections: SectionTable<'a, FileHeader64<LittleEndian>>,
    symbols: SymbolTable<'a, FileHeader64<LittleEndian>>,
}

impl<'a> Object<'a> {
    fn parse(data: &'a [u8]) -> Option<Self> {
        let head = FileHeader64::<LittleEndian>::parse(data).ok()?;
        let headers = usize::try_from(head.e_shoff(LittleEndian)).ok()?;
        let sections = head.sections(LittleEndian, data).ok()?;
        let symbols = sections.symbols(LittleEndian, data, SHT_SYMTAB).ok()?;
        (head.e_type(LittleEndian) == ET_REL).then_some(Self { data, headers, sections, symbols })
    }

    fn changed(&self) -> Vec<ChangedSymbol> {
        let all = self.symbols.iter().enumerate();
        let changed = all.filter_map(|(index, symbol)| {
            let name = ours(symbol.name(LittleEndian, self.symbols.strings()).ok()?)?;
            let is_local = symbol.st_bind() == STB_LOCAL;
            (name > 0 || is_local).then_some(ChangedSymbol { index, name, is_local })
        });
        changed.collect()
    }

    /// The bytes of the object with its symbols as they were. The local ones move behind the other
    /// local symbols, since global ones follow there.
    fn restored(&self) -> Option<Vec<u8>> {
        let changed = self.changed();
        if changed.is_empty() {
            return None;
        }
        let table = self.symbols.section();
        let header = self.sections.section(table).ok()?;
        let first_global = header.sh_info(LittleEndian) as usize;
        let moved: Vec<usize> =
            changed.iter().filter(|symbol| symbol.is_local).map(|symbol| symbol.index).collect();
        let stays = |index: &usize| moved.binary_search(index).is_err();
        let order: Vec<usize> = (0..first_global)
            .filter(stays)
            .chain(moved.iter().copied())
            .chain(first_global..self.symbols.len())
            .collect();
        if order.len() != self.symbols.len() {
            return None;
        }
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| places[old] = new);

        let mut copy = self.data.to_vec();
        let start = usize::try_from(header.sh_offset(LittleEndian)).ok()?;
        permute(&mut copy, self.data, start, SYMBOL, &order)?;
        if let Some(section) = self.extended_indices(table) {
            let start = usize::try_from(section.sh_offset(LittleEndian)).ok()?;
            permute(&mut copy, self.data, start, size_of::<u32>(), &order)?;
        }
        for symbol in &changed {
            let at = start + places[symbol.index] * SYMBOL;
            let name = number(&copy, at)?.checked_add(u32::try_from(symbol.name).ok()?)?;
            put(&mut copy, at, name)?;
            if symbol.is_local {
                let kind = copy.get_mut(at + BINDING)?;
                *kind = *kind & 0xf | STB_WEAK.0 << 4;
            }
        }
        self.follow(&mut copy, table, &moved, &places)?;
        let header = self.header(table);
        put(&mut copy, header + INFO, u32::try_from(first_global - moved.len()).ok()?)?;
        Some(copy)
    }

    /// Changes in a copy what refers to symbols by number: `moved` are global now, and each is at
    /// its new place.
    fn follow(
        &self,
        copy: &mut [u8],
        table: SectionIndex,
        moved: &[usize],
        places: &[usize],
    ) -> Option<()> {
        let whole = self.whole_sections(moved);
        let place = |old: usize| {
            let new = *places.get(whole.get(old).copied().flatten().unwrap_or(old))?;
            u32::try_from(new).ok()
        };
        for (index, section) in self.sections.enumerate() {
            if section.sh_link(LittleEndian) as usize != table.0 {
                continue;
            }
            let start = usize::try_from(section.sh_offset(LittleEndian)).ok()?;
            match section.sh_type(LittleEndian) {
                SHT_REL | SHT_RELA => {
                    let length = usize::try_from(section.sh_entsize(LittleEndian)).ok()?;
                    let size = usize::try_from(section.sh_size(LittleEndian)).ok()?;
                    let count = size.checked_div(length)?;
                    for entry in 0..count {
                        let at = start + entry * length + RELOCATION_SYMBOL;
                        put(copy, at, place(number(copy, at)? as usize)?)?;
                    }
                }
                // Of a variable length.
                SHT_CREL => return None,
                SHT_GROUP => {
                    let signature = section.sh_info(LittleEndian) as usize;
                    put(
                        copy,
                        self.header(index) + INFO,
                        u32::try_from(*places.get(signature)?).ok()?,
                    )?;
                    if moved.contains(&signature) {
                        // Some tools take the mark away together with the name.
                        put(copy, start, number(copy, start)? | GRP_COMDAT.0)?;
                    }
                }
                // It names symbols by number, too. Without this link it says nothing, and linkers
                // take the address of each function for one that matters.
                SectionType(ADDRESS_SIGNIFICANCE) => put(copy, self.header(index) + LINK, 0)?,
                _ => {}
            }
        }
        Some(())
    }

    /// For each symbol of a section that is nothing but one of the `moved` symbols: that one.
    /// Assemblers name the section in place of a local symbol.
    fn whole_sections(&self, moved: &[usize]) -> Vec<Option<usize>> {
        let symbol = |index| self.symbols.symbol(SymbolIndex(index)).ok();
        let section = |index: usize| {
            self.symbols.symbol_section(LittleEndian, symbol(index)?, SymbolIndex(index)).ok()?
        };
        let all = moved.iter().filter_map(|&index| {
            let (symbol, place) = (symbol(index)?, section(index)?);
            let size = self.sections.section(place).ok()?.sh_size(LittleEndian);
            let is_all = symbol.st_value(LittleEndian) == 0 && symbol.st_size(LittleEndian) == size;
            is_all.then_some((place, index))
        });
        let all: Vec<_> = all.collect();
        let of = |(index, symbol): (usize, &_)| {
            let is_section = Sym::st_type(symbol) == STT_SECTION;
            let place = section(index).filter(|_| is_section && !all.is_empty())?;
            all.iter().find(|(whole, _)| *whole == place).map(|&(_, index)| index)
        };
        self.symbols.iter().enumerate().map(of).collect()
    }

    /// The section with those indices of sections that are too large for the table of symbols.
    fn extended_indices(&self, table: SectionIndex) -> Option<&'a SectionHeader64<LittleEndian>> {
        let index = self.symbols.shndx_section();
        self.sections.section(index).ok().filter(|_| index != SectionIndex(0) && index != table)
    }

    /// Where the header of a section is.
    fn header(&self, section: SectionIndex) -> usize {
        self.headers + section.0 * HEADER
    }
}

/// Puts entries of a table that starts at `start`, each of this `length`, in another order.
fn permute(
    copy: &mut [u8],
    data: &[u8],
    start: usize,
    length: usize,
    order: &[usize],
) -> Option<()> {
    for (new, &old) in order.iter().enumerate() {
        let from = data.get(start + old * length..)?.get(..length)?;
        copy.get_mut(start + new * length..)?.get_mut(..length)?.copy_from_slice(from);
    }
    Some(())
}

fn number(data: &[u8], at: usize) -> Option<u32> {
    data.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

fn put(data: &mut [u8], at: usize, number: u32) -> Option<()> {
    *data.get_mut(at..)?.first_chunk_mut()? = number.to_le_bytes();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ours_are_known_with_what_stands_before_them() {
        let id = "0123456789abcdef0123456789abcdef";
        for (name, place) in [
            (format!("__pathcc.counters.{id}"), Some(0)),
            (format!("x___pathcc.base.{id}"), Some(2)),
            ("a__pathcc.trace.block".into(), Some(1)),
            (format!("__pathcc.counters.{id}0"), None),
            (format!("__pathcc.counters.{}", &id[1..]), None),
            ("__pathcc.entered".into(), None),
            ("__pathcc_counters".into(), None),
            (String::new(), None),
        ] {
            assert_eq!(ours(name.as_bytes()), place, "{name}");
        }
    }
}
