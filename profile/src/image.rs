//! Reads the parts of an executable or shared library that profiles need: its build-id and its
//! manifests.
//!
//! An image with debug information may be large. So only the necessary sections are read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use object::{CompressionFormat, Object, ObjectSection, ObjectSymbol, SectionKind};
use pathformat::manifest::Manifest;
use pathformat::raw::{IN_SEGMENT, TRACED};
use pathformat::record::{Record, Records};
use pathformat::settings::Threads;
use pathformat::wire::Allowance;
use pathformat::{ModuleId, descriptor, names};
use rayon::prelude::*;
use zerocopy::FromBytes;

use crate::bounded::Bounded;

/// The number of bytes of memory that manifests may take. Those of sqlite take 32 times their
/// compressed length, 13 times that of the stripped image.
const PLENTY: u64 = 224 << 20;

/// In an image that is longer than this ...
const LONG: u64 = 10_000_000;

/// ... they may also take this many times the rest of its length.
const TIMES: u64 = 64;

/// The binary logarithm of the largest window of a compressed payload.
const WINDOW: u32 = 23;

/// Device and inode of a file: the same for all its names.
pub type FileId = (u64, u64);

/// The instrumentation of an image.
#[derive(Clone, Debug, Default)]
pub struct Instrumentation {
    /// The identity of the file.
    pub file: FileId,
    /// The build-id; empty if the image has none.
    pub build_id: Vec<u8>,
    /// Its instrumented modules, each once.
    pub modules: Vec<Module>,
    /// The words of the instrumented functions in the image; `None` if the image does not list
    /// them.
    pub functions: Option<HashSet<u64>>,
    /// The addresses in the file of the variables that the addresses of accesses are relative to,
    /// by the word of the function and the number of the variable.
    pub variables: HashMap<(u64, u32), u64>,
    /// The functions by which it lets code go on in another thread, if there is code that goes on
    /// counting where it began: it read the address of its counters before.
    pub switches: Vec<String>,
}

impl Instrumentation {
    /// Returns true if function number `index` of a module may be in the image. The linker may have
    /// dropped it.
    pub fn has_function(&self, module: ModuleId, index: usize) -> bool {
        let Some(functions) = &self.functions else { return true };
        module.function_word(index).is_none_or(|word| functions.contains(&word))
    }

    /// Returns the variables that function number `index` of a module names: their addresses in the
    /// file, by their numbers.
    pub fn variables_of(&self, module: ModuleId, index: usize) -> HashMap<u32, u64> {
        let Some(word) = module.function_word(index) else { return HashMap::new() };
        let known = |number: u32| Some((number, *self.variables.get(&(word, number))?));
        (0..).map_while(known).collect()
    }
}

/// The reason for missing counts of a module whose counters are not those of the image.
pub const APART: &str =
    "a tool made its symbols local after it was compiled, so that it counts where nobody reads";

/// A module of an image.
#[derive(Clone, Debug)]
pub struct Module {
    /// The identity of the module.
    pub id: ModuleId,
    /// The length of its counter array.
    pub counters: u64,
    /// The number of keys of its tables.
    pub keys: u64,
    /// The manifest that the pass wrote.
    pub manifest: Manifest,
}

/// The properties of an image's instrumentation that are visible without decoding it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traces {
    /// The image has a manifest section.
    pub manifest: bool,
    /// The image has the table of modules that pathld makes.
    pub linked: bool,
    /// The image needs the address sanitizer's library, which ends a program unless it is loaded
    /// first.
    pub needs_first: bool,
}

/// Returns the build-id of the image at `path`; empty if it has none.
///
/// # Errors
/// There is no image.
pub fn build_id(path: &Path) -> Result<Vec<u8>> {
    let cache = open(path)?;
    let file = parse(path, &cache)?;
    Ok(file.build_id().ok().flatten().unwrap_or_default().to_vec())
}

/// Reads the image at `path`.
///
/// # Errors
/// The file is unusable. Each text begins with the path, and says what to do.
pub fn read(path: &Path) -> Result<Instrumentation> {
    let cache = open(path)?;
    let file = parse(path, &cache)?;
    let build_id = file.build_id().ok().flatten().unwrap_or_default().to_vec();
    let Some(section) = file.section_by_name(names::MANIFEST_SECTION) else {
        bail!(
            "{}: this image has no section {}: it was not compiled with pathcc, or that \
             section was removed; give the image as it was linked with --image PATH",
            path.display(),
            names::MANIFEST_SECTION
        );
    };
    if section.kind() == SectionKind::UninitializedData {
        bail!(
            "{}: this file has only the debug information of an image; give the image itself with \
             --image PATH",
            path.display()
        );
    }
    let damaged = |why: &dyn std::fmt::Display| {
        anyhow!(
            "{}: section {} is damaged: {why}; link the program again",
            path.display(),
            names::MANIFEST_SECTION
        )
    };
    let compression = section.compressed_file_range().map(|range| range.format);
    if !matches!(compression, Ok(CompressionFormat::None)) {
        return Err(damaged(&"it is compressed as a whole, which pathld never does"));
    }
    let content = section.data().map_err(|_| damaged(&"it reaches beyond the end of the file"))?;
    let records = Records::new(content)
        .collect::<pathformat::wire::Result<Vec<_>>>()
        .map_err(|error| damaged(&error))?;
    let mut seen = BTreeSet::new();
    let distinct: Vec<_> =
        records.into_iter().filter(|record| seen.insert(record.head.id)).collect();
    let allowance = Allowance::new(
        cache.length().saturating_sub(LONG).saturating_mul(TIMES).saturating_add(PLENTY),
    );
    let counted = counted_modules(&file);
    let modules = distinct
        .par_iter()
        .map(|record| {
            let module = module(record, &allowance)
                .map_err(|error| damaged(&format!("module {}: {error:#}", record.head.id)))?;
            let is_counted = counted.as_ref().is_none_or(|counted| counted.contains(&module.id));
            Ok(if is_counted { module } else { module.apart() })
        })
        .collect::<Result<_>>()?;
    let id = cache.file().metadata().map(|data| (data.dev(), data.ino())).unwrap_or_default();
    let (functions, variables) = (functions(&file), variables(&file).unwrap_or_default());
    let switches = switches(&file);
    Ok(Instrumentation { file: id, build_id, modules, functions, variables, switches })
}

impl Module {
    /// Marks all functions as uncounted, since the counters are not those of the image.
    fn apart(mut self) -> Self {
        let functions = self.manifest.functions.into_iter();
        self.manifest.functions = functions.map(|function| function.uncounted(APART)).collect();
        self
    }

    /// Returns true if its counters are not those of the image.
    pub fn is_apart(&self) -> bool {
        let mut reasons = self.manifest.functions.iter().map(|of| of.skipped.as_deref());
        reasons.any(|reason| reason == Some(APART))
    }
}

/// Returns the modules that have counters; `None` if pathld did not link the image.
fn counted_modules<'a>(file: &object::File<'a, &'a Bounded>) -> Option<HashSet<ModuleId>> {
    Some(entries(file)?.map(|entry| ModuleId(entry.id)).collect())
}

/// Returns the modules in the table that pathld makes; `None` if there is none.
fn entries<'a>(
    file: &object::File<'a, &'a Bounded>,
) -> Option<impl Iterator<Item = descriptor::Module>> {
    let content = file.section_by_name(names::MODULES_SECTION)?.data().ok()?;
    let entries = content.chunks_exact(size_of::<descriptor::Module>());
    Some(entries.filter_map(|bytes| descriptor::Module::read_from_bytes(bytes).ok()))
}

/// Returns the functions by which an image lets code go on in another thread, in order, if it has
/// modules that keep the address of a thread's counters. Code that finds them by a segment does
/// not, nor does code that counts atomically.
fn switches<'a>(file: &object::File<'a, &'a Bounded>) -> Vec<String> {
    let keeps_address = |entry: descriptor::Module| {
        let flags = entry.threads as u32;
        let is_exact = Threads::from_code(flags) == Threads::Exact;
        is_exact && entry.counters > 0 && flags & (IN_SEGMENT | TRACED) == 0
    };
    if !entries(file).is_some_and(|mut entries| entries.any(keeps_address)) {
        return Vec::new();
    }
    let symbols = file.dynamic_symbols().chain(file.symbols());
    let names = symbols.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    // Some linkers add the version: `swapcontext@GLIBC_2.2.5`.
    let plain = names.map(|name| name.split('@').next().unwrap_or_default().to_owned());
    let found = plain.filter(|name| names::SWITCHING_FUNCTIONS.contains(&name.as_str()));
    found.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the words of the functions in an image.
fn functions<'a>(file: &object::File<'a, &'a Bounded>) -> Option<HashSet<u64>> {
    let content = file.section_by_name(names::FUNCTIONS_SECTION)?.data().ok()?;
    Some(content.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// Returns the addresses of the variables of an image. Invalid entries are left out.
fn variables<'a>(file: &object::File<'a, &'a Bounded>) -> Option<HashMap<(u64, u32), u64>> {
    let section = file.section_by_name(names::VARIABLES_SECTION)?;
    let content = section.data().ok()?;
    let words: Vec<_> =
        content.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let entry = |(at, [function, number, distance]): (usize, &[u64; 3])| {
        let place = section.address().wrapping_add(8 * (3 * at as u64 + 2));
        Some(((*function, u32::try_from(*number).ok()?), place.wrapping_add(*distance)))
    };
    Some(words.as_chunks::<3>().0.iter().enumerate().filter_map(entry).collect())
}

/// Looks for traces of instrumentation in the image at `path`.
///
/// # Errors
/// The file cannot be read or is not ELF.
pub fn traces(path: &Path) -> Result<Traces> {
    let cache = open(path)?;
    let file = parse(path, &cache)?;
    let has = |name| file.section_by_name(name).is_some_and(|section| section.size() > 0);
    let needs_first = file
        .dynamic_symbols()
        .any(|symbol| symbol.is_undefined() && symbol.name() == Ok("__asan_init"));
    Ok(Traces {
        manifest: has(names::MANIFEST_SECTION),
        linked: has(names::MODULES_SECTION),
        needs_first,
    })
}

/// Opens the image at `path`.
///
/// # Errors
/// There is no such file, or it cannot be read.
pub(crate) fn open(path: &Path) -> Result<Bounded> {
    let place = path.display();
    Bounded::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            anyhow!(
                "{place}: no such image; say where it is now with --image PATH or --image-dir DIR"
            )
        }
        io::ErrorKind::IsADirectory => anyhow!("{place}: this is a directory, not an ELF image"),
        _ => anyhow!("{place}: cannot read this image: {error}"),
    })
}

/// Parses the sections of an image.
///
/// # Errors
/// The file is not ELF.
pub(crate) fn parse<'a>(path: &Path, cache: &'a Bounded) -> Result<object::File<'a, &'a Bounded>> {
    object::File::parse(cache).map_err(|_| {
        anyhow!(
            "{}: not an ELF file; give the executable or shared library that ran",
            path.display()
        )
    })
}

/// Decodes the module of a record, within the memory that `allowance` permits.
///
/// # Errors
/// The record is not valid.
pub fn module(record: &Record<'_>, allowance: &Allowance) -> Result<Module> {
    record.verify()?;
    let head = record.head;
    allowance
        .take(head.raw_length)
        .with_context(|| format!("its payload has {} bytes", head.raw_length))?;
    let mut payload =
        Vec::with_capacity(usize::try_from(head.raw_length).unwrap_or_default().saturating_add(1));
    // The frame, too, states the memory that it needs. Frames of the pass never need more than
    // this.
    let decoder = zstd::stream::read::Decoder::new(record.stored).and_then(|mut decoder| {
        decoder.window_log_max(WINDOW)?;
        Ok(decoder)
    });
    decoder
        .and_then(|decoder| {
            decoder.take(head.raw_length.saturating_add(1)).read_to_end(&mut payload)
        })
        .context("its payload cannot be decompressed")?;
    if payload.len() as u64 != head.raw_length {
        bail!("its payload has not the {} bytes that its head promises", head.raw_length);
    }
    Ok(Module {
        id: head.id,
        counters: head.counters,
        keys: head.keys,
        manifest: Manifest::decode_within(&payload, allowance)?,
    })
}

/// Formats bytes in hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a build-id for messages.
pub fn build_id_in_words(bytes: &[u8]) -> String {
    if bytes.is_empty() { "no build-id".into() } else { format!("build-id {}", hexadecimal(bytes)) }
}
