//! The accesses of a trace that miss in caches, for people, by function and by line.

use std::collections::BTreeMap;

use profile::escape::terminal;
use trace::file::Trace;
use trace::ids::FunctionId;
use trace::memory::cache::Layout;
use trace::memory::simulation::{Misses, Simulation, Use};
use trace::steps::program::Program;

use crate::show::document::{Document, Fact, Remark};
use crate::show::notation::base_name;
use crate::show::rows::{NO_ACCESSES, left_out, traced_function};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, SourceLine, Table};

/// Returns the effect of caches on the accesses of a trace, with at most `top` rows in a table (0:
/// all).
pub fn document(
    trace: &Trace,
    program: &Program,
    simulation: &Simulation,
    layouts: [Layout; 2],
    top: usize,
) -> Document<'static> {
    let mut functions: BTreeMap<FunctionId, Use> = BTreeMap::new();
    let mut lines: BTreeMap<(FunctionId, &str, u32), Use> = BTreeMap::new();
    let mut all = Use::default();
    for (place, of) in &simulation.places {
        all.add(of);
        functions.entry(place.function).or_default().add(of);
        let at = program.location_of(*place).map_or(("", 0), |at| (at.file.as_str(), at.line));
        lines.entry((place.function, at.0, at.1)).or_default().add(of);
    }
    let name = |function: FunctionId| traced_function(program, function);
    let place = |file: &str, line: u32| {
        if file.is_empty() {
            return Cell::Unknown;
        }
        let text = format!("{}:{line}", base_name(file));
        Cell::SourceLine(SourceLine { file: file.into(), line, text, ..SourceLine::default() })
    };
    let functions = functions.into_iter().map(|(of, uses)| (uses, vec![name(of)]));
    let lines =
        lines.into_iter().map(|((of, file, line), uses)| (uses, vec![place(file, line), name(of)]));
    let function = Column::new("function", CellKind::Name);
    let tables = vec![
        table("functions", &[function], functions.collect(), top),
        table(
            "lines",
            &[Column::new("line", CellKind::SourceLine).key("place"), function],
            lines.collect(),
            top,
        ),
    ];
    let mut remarks = Vec::new();
    if simulation.missing > 0 {
        let places = plural(simulation.missing as usize, "place");
        remarks.push(Remark::warning(format!(
            "records are missing in {places}: accesses are missing, too"
        )));
    }
    let mut heading =
        vec![Fact::new("trace", terminal(&trace.path.to_string_lossy()).into_owned())];
    for (label, layout) in [("first", layouts[0]), ("last", layouts[1])] {
        heading.push(Fact::new(
            label,
            format!(
                "{} bytes, {} ways, lines of {} bytes",
                grouped(layout.size.into()),
                grouped(layout.ways.into()),
                grouped(layout.line.into())
            ),
        ));
    }
    for (label, of) in [("reads", all.reads), ("writes", all.writes)] {
        let Misses { accesses, first, last } = of;
        heading.push(Fact::new(
            label,
            format!(
                "{}; {} miss in the first level, {} in the last one, too",
                grouped(accesses.into()),
                grouped(first.into()),
                grouped(last.into())
            ),
        ));
    }
    Document { heading, tables, remarks }
}

fn table(
    name: &'static str,
    places: &[Column],
    mut rows: Vec<(Use, Vec<Cell<'static>>)>,
    top: usize,
) -> Table<'static> {
    let number = |title, key| Column::new(title, CellKind::Number).key(key);
    let mut columns = vec![
        number("reads", "reads"),
        number("miss", "read_misses"),
        number("last", "read_misses_last"),
        number("writes", "writes"),
        number("miss", "write_misses"),
        number("last", "write_misses_last"),
    ];
    columns.extend(places);
    // Equal rows stay in the order of their places.
    rows.sort_by_key(|(of, _)| std::cmp::Reverse(of.first()));
    let all = rows.len();
    let row = |(of, places): (Use, Vec<Cell<'static>>)| {
        let Use { reads, writes } = of;
        let numbers =
            [reads.accesses, reads.first, reads.last, writes.accesses, writes.first, writes.last];
        let mut cells: Vec<_> = numbers.map(|number| Cell::Number(number.into())).into();
        cells.extend(places);
        Row::from(cells)
    };
    Table {
        name,
        columns,
        rows: rows.into_iter().take(shown(top, all)).map(row).collect(),
        notes: left_out(top, all, &plural(all, name.trim_end_matches('s'))).into_iter().collect(),
        empty: NO_ACCESSES.into(),
    }
}
