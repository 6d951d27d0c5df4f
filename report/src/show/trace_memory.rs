//! The memory that a trace touches, for people: its owners, its reuse, and the threads that share
//! it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use profile::escape::terminal;
use trace::file::{Stream, Trace};
use trace::ids::{FunctionId, ThreadId};
use trace::memory::owner_names::OwnerNames;
use trace::memory::owners::OwnerId;
use trace::memory::sharing::{DataFlow, SharedLine};
use trace::memory::uses::{MemoryTotals, Uses};
use trace::order::item::CodePlace;
use trace::order::source::threads;
use trace::steps::program::Program;

use crate::show::document::{Document, Fact, Remark};
use crate::show::notation::base_name;
use crate::show::rows::{NO_ACCESSES, left_out, traced_function};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};

/// The size in bytes of the cache that is shown for each object and function.
const CACHE: u64 = 32 << 10;

/// The time that a line takes from one core to another one, in nanoseconds: between 30 and 150 on
/// the processors of today.
const MOVE: u64 = 70;

/// The most streams that are named at a place.
const MOST_STREAMS: usize = 4;

/// The use of memory in a trace.
struct MemoryReport<'a> {
    program: &'a Program,
    uses: &'a Uses<'a>,
    /// The number of the stream of each thread.
    streams: Vec<u32>,
    names: OwnerNames<'a>,
}

/// Returns the use of memory in a trace, with at most `top` rows in a table (0: all).
pub fn document(
    trace: &Trace,
    program: &Program,
    uses: &Uses<'_>,
    top: usize,
) -> Document<'static> {
    let number = |of: &Vec<&Stream>| of.first().map_or(0, |stream| stream.number.0);
    let streams = threads(trace).iter().map(number).collect();
    let report = MemoryReport { program, uses, streams, names: OwnerNames::of(trace, program) };
    let mut remarks = Vec::new();
    if uses.missing > 0 {
        let places = plural(uses.missing as usize, "place");
        remarks.push(Remark::warning(format!(
            "records are missing in {places}: accesses and owners are missing, too"
        )));
    }
    let all = &uses.all;
    let number = |number: u64| grouped(number.into());
    Document {
        heading: vec![
            Fact::new("trace", terminal(&trace.path.to_string_lossy()).into_owned()),
            Fact::new(
                "reads",
                format!("{} of {} bytes", number(all.reads), number(all.bytes_read)),
            ),
            Fact::new(
                "writes",
                format!("{} of {} bytes", number(all.writes), number(all.bytes_written)),
            ),
            Fact::new(
                "footprint",
                format!(
                    "{} bytes in {} lines of {} bytes and {} pages",
                    number(all.bytes),
                    number(all.lines),
                    number(uses.selection.line),
                    number(all.pages)
                ),
            ),
        ],
        tables: vec![
            report.objects(top),
            report.functions(top),
            report.distances(),
            report.communication(top),
            report.lines(top),
        ],
        remarks,
    }
}

impl MemoryReport<'_> {
    fn objects(&self, top: usize) -> Table<'static> {
        let mut rows: Vec<_> = self.uses.by_owner.iter().collect();
        rows.sort_by_key(|(id, of)| (Reverse(of.reads + of.writes), **id));
        let all = rows.len();
        let row = |(id, of): (&OwnerId, &MemoryTotals)| {
            let mut cells = self.touched(of);
            let (blocks, bytes) = self.uses.owners.allocated_by(*id);
            cells.push(if blocks > 0 { Cell::Number(blocks.into()) } else { Cell::Nothing });
            cells.push(if blocks > 0 { Cell::Number(bytes.into()) } else { Cell::Nothing });
            cells.push(Cell::Text(self.owner(*id)));
            Row::from(cells)
        };
        let mut columns = columns();
        columns.push(Column::new("blocks", CellKind::Number));
        columns.push(Column::new("allocated", CellKind::Number).shown(Visibility::Data));
        columns.push(Column::new("object", CellKind::Text));
        Table {
            name: "objects",
            columns,
            rows: rows.into_iter().take(shown(top, all)).map(row).collect(),
            notes: left_out(top, all, &plural(all, "object")).into_iter().collect(),
            empty: if self.uses.selection.is_all() { NO_ACCESSES } else { "Nothing was accessed." }
                .into(),
        }
    }

    fn functions(&self, top: usize) -> Table<'static> {
        let mut rows: Vec<_> = self.uses.by_function.iter().collect();
        rows.sort_by_key(|(id, of)| (Reverse(of.reads + of.writes), **id));
        let all = rows.len();
        let row = |(id, of): (&FunctionId, &MemoryTotals)| {
            let mut cells = self.touched(of);
            cells.push(traced_function(self.program, *id));
            Row::from(cells)
        };
        let mut columns = columns();
        columns.push(Column::new("function", CellKind::Name));
        Table {
            name: "functions",
            columns,
            rows: rows.into_iter().take(shown(top, all)).map(row).collect(),
            notes: left_out(top, all, &plural(all, "function")).into_iter().collect(),
            empty: "Nothing was accessed.".into(),
        }
    }

    fn touched(&self, of: &MemoryTotals) -> Vec<Cell<'static>> {
        // The largest cache with a power of two of lines that has no more bytes.
        let power = (CACHE / self.uses.selection.line).max(1).ilog2() as usize;
        let misses = of.distances.misses(power);
        [of.reads, of.writes, of.bytes_read, of.bytes_written, of.bytes, of.lines, of.pages, misses]
            .map(|number| Cell::Number(number.into()))
            .into()
    }

    fn distances(&self) -> Table<'static> {
        let histogram = &self.uses.all.distances;
        let all = histogram.all();
        let row = |at: usize| {
            let distance = match at {
                0 => "0".into(),
                1 => "1".into(),
                _ => format!("{}-{}", 1u64 << (at - 1), (1u128 << at) - 1),
            };
            let misses = histogram.misses(at);
            Row::from(vec![
                Cell::Text(distance),
                Cell::Number(histogram.parts[at].into()),
                Cell::Number((1u128 << at) * u128::from(self.uses.selection.line)),
                Cell::Number(misses.into()),
                Cell::Share { part: misses.into(), whole: all.into(), heat: false },
            ])
        };
        let first = grouped(histogram.first.into());
        Table {
            name: "distances",
            columns: vec![
                Column::new("other lines", CellKind::Text).key("distance"),
                Column::new("accesses", CellKind::Number),
                Column::new("cache", CellKind::Number).key("cache_bytes"),
                Column::new("misses", CellKind::Number),
                Column::new("ratio", CellKind::Share).key("miss_ratio"),
            ],
            rows: (0..histogram.len()).map(row).collect(),
            notes: vec![format!(
                "other lines: that a thread touched since it touched the line; {first} first touches \
                 have none; misses: in a fully associative LRU cache of so many bytes"
            )],
            empty: "No line was touched again.".into(),
        }
    }

    fn communication(&self, top: usize) -> Table<'static> {
        let mut rows: Vec<_> = self.uses.sharing.flows.iter().collect();
        rows.sort_by_key(|(way, bytes)| (Reverse(**bytes), **way));
        let all = rows.len();
        let row = |(way, bytes): (&DataFlow, &u64)| {
            let DataFlow { writer, reader, owner } = way;
            Row::from(vec![
                Cell::Number((*bytes).into()),
                self.stream(writer.0),
                self.stream(reader.0),
                Cell::Text(self.place(writer.1)),
                Cell::Text(self.place(reader.1)),
                Cell::Text(self.owner(*owner)),
            ])
        };
        Table {
            name: "communication",
            columns: vec![
                Column::new("bytes", CellKind::Number),
                Column::new("from", CellKind::Number).key("writer_stream"),
                Column::new("to", CellKind::Number).key("reader_stream"),
                Column::new("written", CellKind::Text),
                Column::new("read", CellKind::Text),
                Column::new("object", CellKind::Text),
            ],
            rows: rows.into_iter().take(shown(top, all)).map(row).collect(),
            notes: left_out(top, all, &plural(all, "way")).into_iter().collect(),
            empty: "No thread read what another one wrote.".into(),
        }
    }

    fn lines(&self, top: usize) -> Table<'static> {
        let lines = self.uses.sharing.lines();
        let mut rows: Vec<_> = lines.into_iter().collect();
        let moves = |of: &SharedLine| of.possible_moves().max(of.false_sharing + of.true_sharing);
        rows.sort_by_key(|(line, of)| (Reverse(moves(of)), Reverse(of.false_sharing), *line));
        let all = rows.len();
        let row = |(line, of): (u64, &SharedLine)| {
            let mut places: BTreeMap<String, BTreeSet<ThreadId>> = BTreeMap::new();
            for (thread, place, writes) in &of.places {
                let access = if *writes { "write" } else { "read" };
                let text = format!("{access} {}", self.place(*place));
                places.entry(text).or_default().insert(*thread);
            }
            let places = places
                .into_iter()
                .map(|(text, threads)| format!("{text} by {}", self.named_streams(&threads)));
            let places = places.chain(of.may_have_more_places().then(|| "…".into()));
            let threads: BTreeSet<ThreadId> = of
                .places
                .iter()
                .map(|of| of.0)
                .chain(of.contended.iter().map(|of| of.thread))
                .collect();
            Row::from(vec![
                Cell::Number(moves(of).into()),
                Cell::Number((moves(of).saturating_mul(MOVE)).into()),
                Cell::Number(of.false_sharing.into()),
                Cell::Number(of.true_sharing.into()),
                Cell::Number(threads.len() as u128),
                Cell::Text(format!("{:#x}", line * self.uses.selection.line)),
                Cell::Text(self.owner(of.owner)),
                Cell::Text(places.collect::<Vec<_>>().join("; ")),
            ])
        };
        Table {
            name: "shared lines",
            columns: vec![
                Column::new("moves ≤", CellKind::Number).key("moves"),
                Column::new("moves ns", CellKind::Nanoseconds).key("moves_time"),
                Column::new("false ≥", CellKind::Number).key("false_sharing"),
                Column::new("true ≥", CellKind::Number).key("true_sharing"),
                Column::new("threads", CellKind::Number),
                Column::new("line", CellKind::Text).key("address"),
                Column::new("object", CellKind::Text).stacked(),
                Column::new("accesses", CellKind::Text),
            ],
            rows: rows.into_iter().take(shown(top, all)).map(row).collect(),
            notes: left_out(top, all, &plural(all, "line"))
                .into_iter()
                .chain((all > 0).then(|| {
                    format!(
                        "moves ≤: of the line between threads, if those took turns where nothing \
                         orders them; moves ns: {MOVE} ns each; false ≥, true ≥: moves by false \
                         and by true sharing if each thread did as much at once as it could; by: \
                         streams, of which each is a thread"
                    )
                }))
                .collect(),
            empty: "No line went from thread to thread.".into(),
        }
    }

    fn stream(&self, thread: ThreadId) -> Cell<'static> {
        self.streams.get(thread.index()).map_or(Cell::Unknown, |of| Cell::Number((*of).into()))
    }

    /// Returns the streams of some threads in words, or their number if they are many.
    fn named_streams(&self, threads: &BTreeSet<ThreadId>) -> String {
        if threads.len() > MOST_STREAMS {
            return plural(threads.len(), "stream");
        }
        let number = |thread: &ThreadId| {
            self.streams.get(thread.index()).map_or_else(|| "?".into(), u32::to_string)
        };
        threads.iter().map(number).collect::<Vec<_>>().join(", ")
    }

    fn place(&self, place: CodePlace) -> String {
        match self.program.location_of(place) {
            Some(at) => terminal(&format!("{}:{}", base_name(&at.file), at.line)).into_owned(),
            None => "?".into(),
        }
    }

    fn owner(&self, id: OwnerId) -> String {
        terminal(&self.names.name(self.uses.owners.owner(id))).into_owned()
    }
}

fn columns() -> Vec<Column> {
    let number = |title| Column::new(title, CellKind::Number);
    vec![
        number("reads"),
        number("writes"),
        number("read bytes").key("bytes_read").shown(Visibility::Data),
        number("written bytes").key("bytes_written").shown(Visibility::Data),
        number("bytes"),
        number("lines"),
        number("pages").shown(Visibility::Data),
        number("miss 32K").key("misses_32k"),
    ]
}
