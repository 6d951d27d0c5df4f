//! Writes the model as JSON, schema `pathprof/1`.
//!
//! Counts are exact integers of any size. Path ids and numbers of possible paths are decimal
//! strings, since many readers of JSON hold numbers as floating point. Unknown values are `null`.
//! Names are exact, and invisible characters in them are [escaped](escape::Json).
//!
//! Functions are written one by one, so that the whole text is never in memory.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;

use counts::model::{CallSite, Count, Function, Image, Path, Report, Run, instructions};
use pathformat::manifest::{Exit, Linkage, Location, Outcome, Pattern, PatternShape};
use pathformat::profile::{CUT, ENDED, OTHER_RUNTIME, RUNNING, UNSURE};
use profile::escape;
use profile::image::hexadecimal;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::schema;

/// Writes `report`, with line breaks and indentation if `pretty` is true.
///
/// # Errors
/// The errors of `out`.
pub fn write(report: &Report, pretty: bool, out: impl Write) -> serde_json::Result<()> {
    let out = escape::Json(out);
    if pretty {
        serde_json::to_writer_pretty(out, &Document(report))
    } else {
        serde_json::to_writer(out, &Document(report))
    }
}

struct Document<'a>(&'a Report);

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", schema::REPORT)?;
        map.serialize_entry("mode", report.common(|module| module.mode.name()))?;
        map.serialize_entry("stage", report.common(|module| module.stage.name()))?;
        map.serialize_entry("images", &List(|| report.images.iter().map(image)))?;
        let processes = report.processes();
        map.serialize_entry("profiles", &List(|| report.runs.iter().zip(&processes).map(profile)))?;
        map.serialize_entry(
            "functions",
            &List(|| report.functions.iter().map(|of| function(report, of))),
        )?;
        map.serialize_entry(
            "dropped",
            &List(|| report.dropped.iter().map(|of| function(report, of))),
        )?;
        map.end()
    }
}

/// A list that serialises the items of an iterator one at a time.
struct List<F>(F);

impl<F: Fn() -> I, I: IntoIterator<Item: Serialize>> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[derive(Serialize)]
struct ImageEntry<'a> {
    path: String,
    build_id: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    switches: &'a [String],
}

fn image(image: &Image) -> ImageEntry<'_> {
    ImageEntry {
        path: image.path.display().to_string(),
        build_id: hexadecimal(&image.build_id),
        switches: &image.switches,
    }
}

#[derive(Serialize)]
struct ProfileEntry<'a> {
    path: String,
    image: usize,
    process: usize,
    pid: u32,
    parent: u32,
    host: &'a str,
    directory: &'a str,
    command_line: Vec<Cow<'a, str>>,
    start_ns: u64,
    stop_ns: u64,
    incomplete: bool,
    unregistered_threads: bool,
    forked: bool,
    partial: bool,
    #[serde(skip_serializing_if = "is_one")]
    runs: usize,
    #[serde(skip_serializing_if = "is_not")]
    cut: bool,
    #[serde(skip_serializing_if = "is_not")]
    unsure: bool,
    #[serde(skip_serializing_if = "is_not")]
    other_runtime: bool,
    #[serde(skip_serializing_if = "is_not")]
    unwritten: bool,
    #[serde(skip_serializing_if = "is_not")]
    running: bool,
}

/// Returns true for a mark that is left out, as in most profiles.
fn is_not(flag: &bool) -> bool {
    !flag
}

/// Returns true for a number of runs that is left out, since the record is not a sum.
fn is_one(count: &usize) -> bool {
    *count == 1
}

fn profile<'a>((run, process): (&'a Run, &usize)) -> ProfileEntry<'a> {
    ProfileEntry {
        path: run.profile.display().to_string(),
        image: run.image,
        process: *process,
        pid: run.pid,
        parent: run.parent(),
        host: &run.host,
        directory: &run.directory,
        command_line: run.command_line.iter().map(|word| word.to_string_lossy()).collect(),
        start_ns: run.start,
        stop_ns: run.stop,
        incomplete: run.incomplete,
        unregistered_threads: run.unregistered_threads,
        forked: run.forked,
        partial: run.partial,
        runs: run.count,
        cut: run.marks & CUT != 0,
        unsure: run.marks & UNSURE != 0,
        other_runtime: run.marks & OTHER_RUNTIME != 0,
        unwritten: run.marks & ENDED != 0,
        running: run.marks & RUNNING != 0,
    }
}

#[derive(Serialize)]
struct FunctionEntry<'a, B, E, P> {
    name: &'a str,
    demangled: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    image: usize,
    module: &'a str,
    directory: &'a str,
    linkage: &'static str,
    possible_paths: String,
    beyond_table: Option<Count>,
    entries: Count,
    interrupted: Count,
    instructions: Count,
    skipped: Option<&'a str>,
    blocks: B,
    edges: E,
    patterns: Vec<PatternEntry<'a>>,
    indirect_calls: Vec<SiteEntry<'a>>,
    paths: P,
}

fn function<'a>(report: &'a Report, function: &'a Function) -> impl Serialize + use<'a> {
    let shape = &function.shape;
    let module = &report.modules[function.module];
    FunctionEntry {
        name: &shape.name,
        demangled: &function.demangled,
        file: Some(shape.file.as_str()).filter(|file| !file.is_empty()),
        line: Some(shape.line).filter(|&line| line != 0),
        image: function.image,
        module: &module.source,
        directory: &module.directory,
        linkage: match shape.linkage {
            Linkage::External => "external",
            Linkage::Internal => "internal",
            Linkage::Inline => "inline",
            Linkage::Weak => "weak",
            Linkage::Copy => "copy",
        },
        possible_paths: function.num_paths().to_string(),
        beyond_table: shape.uncut.as_ref().map(|_| function.beyond_table),
        entries: function.entries,
        interrupted: function.interrupted,
        instructions: function.executed(),
        skipped: shape.skipped.as_deref(),
        blocks: List(move || {
            let own = own_locations(function);
            (0..shape.blocks.len()).map(move |id| block(function, id, &own))
        }),
        patterns: shape.patterns.iter().map(pattern).collect(),
        indirect_calls: function.sites.iter().map(|of| site(function, of)).collect(),
        edges: List(move || (0..shape.edges.len()).map(move |index| edge(function, index))),
        paths: List(move || function.paths.iter().map(path)),
    }
}

#[derive(Serialize)]
struct PatternEntry<'a> {
    shape: &'static str,
    blocks: &'a [u32],
    saved: &'a [u32],
}

fn pattern(pattern: &Pattern) -> PatternEntry<'_> {
    let shape = match pattern.shape {
        PatternShape::Diamond => "diamond",
        PatternShape::HalfDiamond => "half-diamond",
        PatternShape::Jump => "jump",
        PatternShape::Exits => "exits",
    };
    PatternEntry { shape, blocks: &pattern.blocks, saved: &pattern.saved }
}

#[derive(Serialize)]
struct SiteEntry<'a> {
    block: u32,
    call: u32,
    line: Option<u32>,
    targets: Vec<TargetEntry<'a>>,
    others: Count,
}

#[derive(Serialize)]
struct TargetEntry<'a> {
    name: &'a str,
    count: Count,
}

fn site<'a>(function: &'a Function, site: &'a CallSite) -> SiteEntry<'a> {
    let call = &function.shape.blocks[site.block as usize].calls[site.call as usize];
    SiteEntry {
        block: site.block,
        call: site.call,
        line: call.location.map(|index| function.shape.locations[index as usize].line),
        targets: site
            .targets
            .iter()
            .map(|(name, count)| TargetEntry { name, count: *count })
            .collect(),
        others: site.others,
    }
}

#[derive(Serialize)]
struct BlockEntry<'a, L, O> {
    id: usize,
    name: &'a str,
    lines: Vec<u32>,
    count: Option<Count>,
    counter: bool,
    instructions: u64,
    opcodes: O,
    calls: Vec<&'a str>,
    exit: Option<&'static str>,
    locations: L,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    ir: &'a [String],
}

fn block<'a>(function: &'a Function, id: usize, own: &[u32]) -> impl Serialize + use<'a> {
    let block = &function.shape.blocks[id];
    BlockEntry {
        id,
        name: &block.name,
        lines: own_lines(function, &block.locations, own),
        count: function.knows(id).then_some(function.block_counts[id]),
        counter: function.shape.counted_blocks.contains(&(id as u32)),
        instructions: instructions(&block.opcodes),
        opcodes: Opcodes(&block.opcodes),
        calls: block.calls.iter().map(|call| call.callee.as_str()).collect(),
        exit: block.exit.map(|exit| match exit {
            Exit::Return => "return",
            Exit::Unwind => "unwind",
            Exit::NoReturn => "noreturn",
        }),
        locations: List(|| {
            block.locations.iter().map(|&index| location(&function.shape.locations[index as usize]))
        }),
        ir: &block.ir,
    }
}

/// Returns for each location the one in the function's own text. Inlined code is at the line of its
/// call.
fn own_locations(function: &Function) -> Vec<u32> {
    let locations = &function.shape.locations;
    let mut own: Vec<u32> = Vec::with_capacity(locations.len());
    for (index, location) in (0..).zip(locations) {
        // A call comes before the code that was inlined there.
        let call = location.inlined_at.and_then(|call| own.get(call as usize).copied());
        own.push(call.unwrap_or(index));
    }
    own
}

/// Returns the lines of the function's own file, once each, in order.
fn own_lines(function: &Function, locations: &[u32], own: &[u32]) -> Vec<u32> {
    let mut lines = Vec::new();
    let mut seen = HashSet::new();
    for &index in locations {
        let location = &function.shape.locations[own[index as usize] as usize];
        let is_own = location.line != 0 && location.file == function.shape.file;
        if is_own && seen.insert(location.line) {
            lines.push(location.line);
        }
    }
    lines
}

struct Opcodes<'a>(&'a [(Cow<'static, str>, u32)]);

impl Serialize for Opcodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(opcode, count)| (opcode, count)))
    }
}

#[derive(Serialize)]
struct LocationEntry<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    function: &'a str,
    inlined: bool,
}

fn location(location: &Location) -> LocationEntry<'_> {
    LocationEntry {
        file: &location.file,
        line: location.line,
        column: location.column,
        function: &location.function,
        inlined: location.inlined_at.is_some(),
    }
}

#[derive(Serialize)]
struct EdgeEntry<'a> {
    from: u32,
    to: u32,
    count: Option<Count>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cases: Option<&'a [i64]>,
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opcodes: Option<Opcodes<'a>>,
}

fn edge(function: &Function, index: usize) -> EdgeEntry<'_> {
    let edge = &function.shape.edges[index];
    let own = Some(edge.opcodes.as_slice()).filter(|opcodes| !opcodes.is_empty());
    EdgeEntry {
        from: edge.from,
        to: edge.to,
        count: function.edge_counts[index],
        outcome: match edge.outcome {
            Outcome::Jump => "jump",
            Outcome::True => "true",
            Outcome::False => "false",
            Outcome::Cases(_) => "cases",
            Outcome::Default => "default",
            Outcome::Normal => "normal",
            Outcome::Unwind => "unwind",
            Outcome::Indirect => "indirect",
            Outcome::Suspended => "suspended",
            Outcome::Resumed => "resumed",
            Outcome::Destroyed => "destroyed",
        },
        cases: match &edge.outcome {
            Outcome::Cases(values) => Some(values),
            _ => None,
        },
        cut: edge.cut.is_some(),
        instructions: own.map(instructions),
        opcodes: own.map(Opcodes),
    }
}

#[derive(Serialize)]
struct PathEntry<'a> {
    id: String,
    count: Count,
    start: &'static str,
    end: &'static str,
    instructions: u64,
    blocks: &'a [u32],
}

fn path(path: &Path) -> PathEntry<'_> {
    PathEntry {
        id: path.id.to_string(),
        count: path.count,
        start: path.start.key(),
        end: path.end.key(),
        instructions: path.instructions,
        blocks: &path.blocks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn the_whole_document() {
        let mut out = Vec::new();
        write(&sample::report(), true, &mut out).expect("memory does not fail");
        insta::assert_snapshot!("json", String::from_utf8(out).expect("JSON is text"));
    }

    #[test]
    fn counts_beyond_64_bits_stay_exact() {
        let mut loaded = sample::counted_image();
        loaded.modules[0].counts.insert(7, Count::from(u64::MAX) * 3);
        let mut out = Vec::new();
        write(&counts::decode::decode(vec![loaded], &()).0, false, &mut out)
            .expect("memory does not fail");
        let text = String::from_utf8(out).expect("JSON is text");
        assert!(text.contains(r#""id":"7","count":55340232221128654845,"start":"loop""#), "{text}");
    }
}
