//! What the fuzzers call: a function for each kind of input, which does all that is done with its
//! bytes.
//!
//! Each function returns for any bytes, without a panic and with no more memory than the bytes
//! justify.

use std::io;
use std::path::Path;

use counts::counted::{CountedImage, CountedModule};
use counts::decode;
use counts::model::{Image, Run};
use pathformat::ModuleId;
use pathformat::manifest::Manifest;
use pathformat::profile::{Head, Profile};
use pathformat::raw::Header;
use pathformat::record::Records;
use pathformat::settings::Mode;
use pathformat::trace::{CHUNK_HEAD, LONGEST_RECORD, MAGIC, write_header};
use pathformat::wire::Allowance;
use profile::arrays::Array;
use profile::image::{self, Instrumentation, Module};
use profile::machine_code::MachineCode;
use trace::file::Trace;
use trace::file::images::{self, LoadedImage};
use trace::memory::owned::Owned;
use trace::memory::owner_names::OwnerNames;
use trace::steps::program::Program;
use trace::steps::step::{Steps, StreamEntry};
use trace::steps::time::Times;
use trace::steps::totals::Totals;

use crate::export::json;
use crate::export::steps_json::{self, AccessedObjects};
use crate::show::options::Options;
use crate::show::report;
use crate::show::trace_steps::StepWriter;

/// The payload of a manifest, decoded and shown with counts for its first counters.
pub fn manifest(bytes: &[u8]) {
    let Ok(manifest) = Manifest::decode(bytes) else { return };
    assert_eq!(
        Manifest::decode(&manifest.encode()).as_ref(),
        Ok(&manifest),
        "a manifest comes back"
    );
    let counters = manifest
        .functions
        .iter()
        .map(pathformat::manifest::Function::counters)
        .fold(0, u64::saturating_add);
    let mut counted = CountedModule::new(counters, manifest, Vec::new());
    let counts: Vec<_> = (0..counters.min(64))
        .map(|index| (index, index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    counted.add(&counts, &counts, |address| address.to_string());
    let image = Image { path: "image".into(), ..Image::default() };
    let (report, _) = decode::decode(
        vec![CountedImage { image, runs: vec![Run::default()], modules: vec![counted] }],
        &(),
    );
    // A full report of a graph with many edges is long; a few rows go the same ways.
    let options = Options { top: 5, ..Options::default() };
    report::write(&report.clone().into(), &options, &mut Vec::new()).expect("memory does not fail");
    json::write(&report, false, &mut Vec::new()).expect("memory does not fail");
}

/// The content of a manifest section.
pub fn section(bytes: &[u8]) {
    for record in Records::new(bytes).flatten() {
        let _ = image::module(&record, &Allowance::new(1 << 28));
    }
}

/// A profile.
pub fn profile(bytes: &[u8]) {
    if let Ok(profile) = Profile::decode(bytes) {
        assert_eq!(
            Profile::decode(&profile.encode()).as_ref(),
            Ok(&profile),
            "a profile comes back"
        );
    }
}

/// A raw file.
pub fn raw(bytes: &[u8]) {
    let _ = Header::decode_all(bytes);
}

/// An image, which is read from a file.
pub fn image(bytes: &[u8], path: &Path) {
    if std::fs::write(path, bytes).is_ok() {
        let _ = image::read(path);
        let _ = image::traces(path);
        let Ok(code) = MachineCode::read(path) else { return };
        for part in code.all_parts() {
            let _ = code.instructions(part);
        }
    }
}

/// The most steps of a stream that are looked at.
const MOST_STEPS: usize = 100_000;

/// A trace, which is read from a file: the length of a manifest's payload (32 bits), the payload,
/// and then a trace of that unit, with its header or without. The unit's numbers start at 0.
pub fn trace(bytes: &[u8], path: &Path) {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return };
    let length = u32::from_le_bytes(*length) as usize;
    let Some((payload, content)) = rest.split_at_checked(length) else { return };
    let Ok(manifest) = Manifest::decode(payload) else { return };
    let mut file = Vec::new();
    if !content.starts_with(&MAGIC) {
        let chunk = ((CHUNK_HEAD + LONGEST_RECORD) as u64).next_multiple_of(4096);
        let size = write_header(&mut file, &Head::default(), chunk);
        file.resize(usize::try_from(size).unwrap_or_default(), 0);
    }
    file.extend(content);
    if std::fs::write(path, &file).is_err() {
        return;
    }
    let Ok(trace) = Trace::open(path) else { return };
    let times = Times::of(&trace, &images::of(&trace).clocks);
    let program = program_of(Manifest { mode: Mode::Trace, ..manifest });
    let names = OwnerNames::of(&trace, &program);
    let mut writer = StepWriter::new(&program, times, true, &names);
    // A few bytes can tell of as many steps as there are numbers.
    let paths = trace.streams.iter().map(|stream| Totals::of(&trace, &program, stream, &()).paths);
    let is_short = paths.fold(0, u64::saturating_add) < MOST_STEPS as u64;
    let asked = trace.streams.iter().map(|stream| stream.number).collect();
    let owned = is_short.then(|| Owned::of(&trace, &program, &times, &asked, &()));
    for stream in &trace.streams {
        let totals = Totals::of(&trace, &program, stream, &());
        let (mut steps, mut listed) = (0, 0);
        let mut objects = owned.as_ref().map(|owned| owned.stream(stream.number));
        for entry in Steps::new(&trace, &program, stream, &()).take(MOST_STEPS) {
            listed += 1;
            let objects = objects.as_mut().map(|objects| objects.of(&entry));
            let objects = objects.as_deref();
            let touched = AccessedObjects { objects, names: &names };
            let step = match entry {
                StreamEntry::Step(step) => step,
                StreamEntry::Event(event) => {
                    let shown =
                        writer.event(stream, &event, objects.unwrap_or_default(), &mut io::sink());
                    shown.expect("it takes all");
                    let written =
                        steps_json::event(stream, &event, &times, touched, &mut io::sink());
                    written.expect("it takes all");
                    continue;
                }
                StreamEntry::Gap(_) => continue,
            };
            // All of many go the same ways.
            if steps < 100 {
                let shown = writer.step(stream, &step, objects, &mut io::sink());
                shown.expect("it takes all");
                let written =
                    steps_json::step(&program, stream, &step, true, touched, &mut io::sink());
                written.expect("it takes all");
            }
            steps += 1;
        }
        let is_whole = listed < MOST_STEPS;
        assert!(!is_whole || steps == totals.paths, "each path is a step");
    }
}

/// The program of one traced unit.
fn program_of(manifest: Manifest) -> Program {
    let id = ModuleId([1; 16]);
    let functions = manifest.functions.iter();
    let ends = functions.map(|of| of.first_counter.saturating_add(of.num_paths));
    let counters = ends.max().unwrap_or_default();
    let array = Array { id, offset: 0, counters, is_traced: true };
    let modules = vec![Module { id, counters, keys: 0, manifest }];
    let image = Instrumentation { modules, ..Instrumentation::default() };
    let loaded = LoadedImage { first: 0, bias: 0, build_id: Vec::new(), path: "image".into() };
    let mut program = Program::default();
    program.add(loaded, Path::new("image"), &image, &[array]);
    program
}
