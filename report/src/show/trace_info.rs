//! The contents of a trace: its program, the amount of work of each thread, and the missing parts.

use std::os::unix::ffi::OsStrExt;

use counts::model::Count;
use jiff::tz::TimeZone;
use pathformat::profile::CUT;
use profile::escape::terminal;
use profile::image::build_id_in_words;
use trace::file::{Stream, Trace};
use trace::steps::program::{KnownImage, Program};
use trace::steps::totals::Totals;

use crate::shell;
use crate::show::command_line::CommandLine;
use crate::show::document::{Document, Fact, Remark};
use crate::show::heading::time;
use crate::show::rows::left_out;
use crate::show::style::{grouped, percent, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};

/// The remark on a trace with missing records whose places are unknown.
pub const PARTIAL: &str = "partial: records are missing: there was no room for them, or this is \
     a part of another trace";

/// Returns the contents of a trace of a program, whose streams have these totals, with at most
/// `top` streams in the table (0: all) and times in a zone.
pub fn document(
    trace: &Trace,
    program: &Program,
    totals: &[Totals],
    top: usize,
    zone: &TimeZone,
) -> Document<'static> {
    let all = sum(totals);
    Document {
        heading: heading(trace, program, &all, zone),
        tables: vec![streams(trace, totals, top)],
        remarks: missing(trace, totals),
    }
}

/// Returns the sum of all streams, without their gaps.
fn sum(totals: &[Totals]) -> Totals {
    let mut all = Totals::default();
    for of in totals {
        all.chunks += of.chunks;
        all.bytes += of.bytes;
        all.compressed += of.compressed;
        all.unpacked += of.unpacked;
        all.packed += of.packed;
        all.paths += of.paths;
        all.accesses += of.accesses;
        all.recorded += of.recorded;
        all.events += of.events;
        all.lost += of.lost;
        all.off += of.off;
        all.gap_count += of.gap_count;
    }
    all
}

fn heading(trace: &Trace, program: &Program, all: &Totals, zone: &TimeZone) -> Vec<Fact> {
    let run = &trace.run;
    let number = |number: u64| grouped(number.into());
    let words = shell::words(run.command_line.iter().map(|word| word.as_bytes()));
    let rest = format!("(pid {}, in {})", run.pid, terminal(&run.directory));
    let place = terminal(&trace.path.to_string_lossy()).into_owned();
    let host =
        if run.host.is_empty() { String::new() } else { format!(" on {}", terminal(&run.host)) };
    let mut facts = vec![
        Fact::new("trace", format!("{place}, {} bytes", number(trace.length))),
        Fact::of_command("run", CommandLine(words), &rest),
        Fact::new("when", format!("{}{host}", time(run.start, zone))),
    ];
    facts.extend(program.images.iter().map(image));
    let threads = trace.streams.iter().filter(|stream| stream.interrupts.is_none()).count();
    let handlers = trace.streams.len() - threads;
    let mut of = plural(threads, "thread");
    if handlers > 0 {
        of += &format!(" and {}", plural(handlers, "signal handler"));
    }
    facts.push(Fact::new(
        "paths",
        format!("{} paths with {} accesses, of {of}", number(all.paths), number(all.accesses)),
    ));
    let rest = all.bytes.saturating_sub(all.recorded);
    facts.push(Fact::new(
        "bytes",
        format!(
            "{} used: {} for each path and {} for each access",
            number(all.bytes),
            ratio(rest, all.paths),
            ratio(all.recorded, all.accesses)
        ),
    ));
    if all.compressed > 0 {
        let saved = all.unpacked.saturating_sub(all.packed);
        facts.push(Fact::new(
            "zstd",
            format!(
                "{} of {} are compressed: {} bytes in place of {}, {} are saved",
                number(all.compressed),
                plural(usize::try_from(all.chunks).unwrap_or(usize::MAX), "chunk"),
                number(all.packed),
                number(all.unpacked),
                percent(saved.into(), all.unpacked.into()),
            ),
        ));
    }
    let used = trace
        .header
        .saturating_add(all.bytes.saturating_sub(all.unpacked))
        .saturating_add(all.packed)
        .saturating_add(trace.process.chunks.len() as u64 * trace.chunk_size);
    let unused = trace.length.saturating_sub(used);
    facts.push(Fact::new(
        "unused",
        format!(
            "{} bytes, {} of the file; {} bytes are on the disk",
            number(unused),
            percent(unused.into(), trace.length.into()),
            number(trace.on_disk)
        ),
    ));
    facts
}

fn image(image: &KnownImage) -> Fact {
    let loaded = &image.loaded;
    let path = loaded.path.to_string_lossy();
    let known = match &image.place {
        None => "its paths are unknown".into(),
        Some(_) => plural(image.functions, "traced function"),
    };
    Fact::new(
        "image",
        format!("{} {}, {known}", terminal(&path), build_id_in_words(&loaded.build_id)),
    )
}

/// Returns a number with one decimal.
fn ratio(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".into();
    }
    let tenths = (u128::from(part) * 10 + u128::from(whole) / 2) / u128::from(whole);
    format!("{}.{}", grouped(tenths / 10), tenths % 10)
}

fn streams(trace: &Trace, totals: &[Totals], top: usize) -> Table<'static> {
    let all = trace.streams.len();
    let row = |(stream, totals): (&Stream, &Totals)| {
        let interrupts = match stream.interrupts {
            Some(other) => Cell::Number(other.0.into()),
            None => Cell::Nothing,
        };
        let numbers = [
            totals.chunks,
            totals.bytes,
            totals.paths,
            totals.accesses,
            totals.events,
            totals.gap_count,
        ];
        let of =
            [Cell::Number(stream.number.0.into()), Cell::Number(stream.thread.into()), interrupts];
        let numbers = numbers.map(|number| Cell::Number(Count::from(number)));
        Row::from(of.into_iter().chain(numbers).collect::<Vec<_>>())
    };
    Table {
        name: "streams",
        columns: vec![
            Column::new("stream", CellKind::Number),
            Column::new("thread", CellKind::Number),
            Column::new("interrupts", CellKind::Number),
            Column::new("chunks", CellKind::Number),
            Column::new("bytes", CellKind::Number),
            Column::new("paths", CellKind::Number),
            Column::new("accesses", CellKind::Number),
            Column::new("events", CellKind::Number),
            Column::new("gaps", CellKind::Number),
        ],
        rows: trace.streams.iter().zip(totals).take(shown(top, all)).map(row).collect(),
        notes: left_out(top, all, &plural(all, "stream")).into_iter().collect(),
        empty: "No path has ended.".into(),
    }
}

/// Returns the remarks on missing parts.
fn missing(trace: &Trace, totals: &[Totals]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if trace.run.incomplete {
        remarks.push(Remark::warning(
            "incomplete: the process was killed, left in another way that nobody notices, or still \
             runs; paths that had not ended are missing",
        ));
    }
    if trace.run.partial {
        remarks.push(Remark::warning(PARTIAL));
    }
    // The file grows by whole chunks.
    if !trace.length.saturating_sub(trace.header).is_multiple_of(trace.chunk_size) {
        remarks.push(Remark::warning(
            "cut: the file ends in the middle of a chunk, as one does that was copied in part; the \
             records behind its end are missing",
        ));
    }
    if trace.run.marks & CUT != 0 {
        remarks
            .push(Remark::warning("cut: the file was emptied or could not be written meanwhile"));
    }
    if trace.run.forked {
        remarks.push(Remark::note(
            "forked: the process is a fork; activations that its parent began are unknown",
        ));
    }
    let off = totals.iter().map(|totals| totals.off).sum::<u64>();
    if off > 0 {
        let often = if off == 1 { "once".into() } else { format!("{} times", grouped(off.into())) };
        remarks.push(Remark::note(format!(
            "off: recording was off {often}; the paths that ended meanwhile are missing"
        )));
    }
    for (stream, totals) in trace.streams.iter().zip(totals) {
        for gap in &totals.gaps {
            remarks.push(Remark::warning(format!("stream {}: {gap}", stream.number)));
        }
        let more = totals.gap_count - totals.gaps.len() as u64;
        if more > 0 {
            let more = grouped(more.into());
            remarks.push(Remark::warning(format!("stream {}: {more} more gaps", stream.number)));
        }
    }
    remarks
}
