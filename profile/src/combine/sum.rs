//! Sums the counts of several runs of one image.
//!
//! All counters are added, whatever their meaning. Entries and frames in flight are sums of
//! counters (`analyse/entries.rs`), so those of the sum are those of all runs.
//!
//! Runs are added only if their counts have the same meaning. They are kept apart by their flags,
//! by the label that the user gave them, by the keys of tables, which are addresses of one process,
//! and by the possibility that they will still be completed. The sum does not depend on the order
//! of the runs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::unix::ffi::OsStrExt;

use pathformat::ModuleId;
use pathformat::profile::{Ancestor, Head, MERGED, Module, Part, Profile, RunId};

use crate::modules::add;
use crate::record_content::RecordContent;
use crate::segments;

/// The separator between the names of machines in a sum.
const SEPARATOR: &str = ", ";

/// The sum of any number of records of one image.
#[derive(Debug, Default)]
pub struct Sum {
    first: Option<First>,
    /// The names of the machines of all runs.
    hosts: BTreeSet<Vec<u8>>,
    stop: u64,
    parts: BTreeMap<Key, Summed>,
}

/// The run that began first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct First {
    start: u64,
    run: RunId,
    pid: u32,
    process_start: u64,
    ancestors: Vec<Ancestor>,
    build_id: Vec<u8>,
    image: Vec<u8>,
    command_line: Vec<u8>,
    directory: Vec<u8>,
    host: Vec<u8>,
}

/// The properties that parts must share to be summed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    label: Vec<u8>,
    flags: u32,
    /// The first run of a part that is not summed with others.
    alone: Option<RunId>,
}

/// The sum of several parts.
#[derive(Debug, Default)]
struct Summed {
    runs: BTreeSet<RunId>,
    map: Option<Vec<u8>>,
    /// The counts, by position in the record, identity and length. The position is 0 except in
    /// parts with keys, where keys precede the module that they belong to.
    modules: BTreeMap<(usize, ModuleId, u64), Vec<(u64, u64)>>,
}

impl Sum {
    /// Adds a record. Parts without a label get `label`.
    pub fn add(&mut self, file: RecordContent, label: &[u8]) {
        let mut command_line = Vec::new();
        for argument in &file.run.command_line {
            command_line.extend(argument.as_bytes());
            command_line.push(0);
        }
        let host = file.run.host.clone();
        let runs = file.parts.iter().flat_map(|part| &part.runs);
        let first = First {
            start: file.run.start,
            run: file.run.id,
            pid: file.run.pid,
            process_start: if segments::count(runs) == 1 { file.run.process_start } else { 0 },
            ancestors: file.run.ancestors,
            build_id: file.build_id,
            image: file.image.as_os_str().as_bytes().to_vec(),
            command_line,
            directory: file.run.directory.into_bytes(),
            host: file.run.host.into_bytes(),
        };
        if self.first.as_ref().is_none_or(|known| first < *known) {
            self.first = Some(first);
        }
        // A sum has the names of the machines of all its runs.
        let hosts = host.split(SEPARATOR).filter(|host| !host.is_empty());
        self.hosts.extend(hosts.map(|host| host.as_bytes().to_vec()));
        self.stop = self.stop.max(file.run.stop);
        // Segments of a run that goes on are not summed with others either.
        let waiting = file.parts.iter().filter(|part| part.may_end());
        let open: HashSet<_> = waiting.flat_map(|part| &part.runs).map(RunId::family).collect();
        for mut part in file.parts {
            if part.label.is_empty() {
                part.label = label.to_vec();
            }
            part.modules.retain(|module| !module.counts.is_empty());
            let has_keys = has_keys(&part);
            let is_open = part.runs.iter().any(|run| open.contains(&run.family()));
            let summed = self.parts.entry(Key::of(&part, has_keys || is_open)).or_default();
            summed.runs.extend(&part.runs);
            summed.map = part.map.filter(|_| has_keys);
            for (at, module) in part.modules.into_iter().enumerate() {
                let place = if has_keys { at } else { 0 };
                add(
                    summed.modules.entry((place, module.id, module.counters)).or_default(),
                    module.counts,
                );
            }
        }
    }

    /// Returns the path of the image when it ran.
    pub fn image(&self) -> &[u8] {
        self.first.as_ref().map_or(b"", |first| &first.image)
    }

    /// Returns the build-id of the image; empty if it has none.
    pub fn build_id(&self) -> &[u8] {
        self.first.as_ref().map_or(&[], |first| &first.build_id)
    }

    /// Returns the runs that were added.
    pub fn runs(&self) -> impl Iterator<Item = RunId> + '_ {
        self.parts.values().flat_map(|part| part.runs.iter().copied())
    }

    /// Encodes the record.
    pub fn encode(&self) -> Vec<u8> {
        let Some(first) = &self.first else { return Vec::new() };
        let runs = self.parts.values().flat_map(|part| &part.runs);
        let merged = if segments::count(runs) > 1 { MERGED } else { 0 };
        let hosts: Vec<_> = self.hosts.iter().map(Vec::as_slice).collect();
        let hosts = hosts.join(SEPARATOR.as_bytes());
        let head = Head {
            flags: self.parts.keys().fold(merged, |flags, key| flags | key.flags),
            pid: first.pid,
            start: first.start,
            stop: self.stop,
            process_start: if merged == 0 { first.process_start } else { 0 },
            ancestors: &first.ancestors,
            run: first.run,
            build_id: &first.build_id,
            image: &first.image,
            command_line: &first.command_line,
            directory: &first.directory,
            host: if merged == 0 { &first.host } else { &hosts },
        };
        type Modules<'a> = (&'a (usize, ModuleId, u64), &'a Vec<(u64, u64)>);
        let module = |(&(_, id, counters), counts): Modules<'_>| Module {
            id,
            counters,
            counts: counts.clone(),
        };
        let part = |(key, summed): (&Key, &Summed)| Part {
            runs: summed.runs.iter().copied().collect(),
            flags: key.flags,
            label: key.label.clone(),
            map: summed.map.clone(),
            modules: summed.modules.iter().map(module).collect(),
        };
        Profile { head, parts: self.parts.iter().map(part).collect() }.encode()
    }
}

impl Key {
    fn of(part: &Part, is_alone: bool) -> Self {
        let alone = part.runs.first().copied().filter(|_| is_alone);
        Self { label: part.label.clone(), flags: part.flags & !MERGED, alone }
    }
}

/// Returns true if tables counted something, so that the part has keys of one process.
fn has_keys(part: &Part) -> bool {
    let ids: BTreeSet<_> = part.modules.iter().map(|module| module.id).collect();
    ids.iter().any(|id| ids.contains(&id.keys()))
}
