//! Races for people: the pairs of places whose accesses have no order.

use profile::escape::terminal;
use trace::file::Trace;
use trace::ids::ThreadId;
use trace::memory::owner_names::OwnerNames;
use trace::memory::owners::Owner;
use trace::memory::race_side::RaceSide;
use trace::memory::races::{Race, Races};
use trace::order::source::threads;
use trace::steps::program::Program;

use crate::show::document::{Document, Fact, Remark};
use crate::show::notation::base_name;
use crate::show::rows::{NO_ACCESSES, left_out};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};

/// Returns the races of a trace, with at most `top` pairs (0: all).
pub fn document(
    trace: &Trace,
    program: &Program,
    races: &Races<'_>,
    top: usize,
) -> Document<'static> {
    let mut pairs: Vec<_> = races.pairs.iter().collect();
    pairs.sort_by(|a, b| b.1.count.cmp(&a.1.count).then(a.0.cmp(b.0)));
    let streams: Vec<u64> = threads(trace)
        .iter()
        .map(|streams| streams.first().map_or(0, |stream| stream.number.into()))
        .collect();
    let all = pairs.len();
    let names = OwnerNames::of(trace, program);
    let object = |race: &Race| {
        let owner = races.owners.owner(race.object.owner);
        if !race.object.is_sure || *owner == Owner::Unknown {
            return [Cell::Unknown, Cell::Nothing];
        }
        let offset = race.address.wrapping_sub(race.object.start);
        let offset = owner.has_offsets().then_some(Cell::Number(offset.into()));
        let name = terminal(&names.name(owner)).into_owned();
        [Cell::Text(name), offset.unwrap_or(Cell::Nothing)]
    };
    let row = |(pair, race): (&(RaceSide, RaceSide), &Race)| {
        let stream = |thread: ThreadId| {
            streams.get(thread.index()).map_or(Cell::Unknown, |of| Cell::Number((*of).into()))
        };
        let [name, offset] = object(race);
        Row::from(vec![
            Cell::Number(race.count.into()),
            stream(race.threads.0),
            stream(race.threads.1),
            Cell::Text(format!("{:#x}", race.address)),
            name,
            offset,
            Cell::Text(side(program, &pair.0)),
            Cell::Text(side(program, &pair.1)),
        ])
    };
    let table = Table {
        name: "races",
        columns: vec![
            Column::new("races", CellKind::Number),
            Column::new("stream", CellKind::Number),
            Column::new("other", CellKind::Number).key("other_stream"),
            Column::new("address", CellKind::Text),
            Column::new("object", CellKind::Text).stacked(),
            Column::new("offset", CellKind::Number),
            Column::new("one access", CellKind::Text).key("access"),
            Column::new("the other one", CellKind::Text).key("other_access").stacked(),
        ],
        rows: pairs.into_iter().take(shown(top, all)).map(row).collect(),
        notes: left_out(top, all, &plural(all, "pair")).into_iter().collect(),
        empty: if races.has_accesses { "No two accesses race." } else { NO_ACCESSES }.into(),
    };
    let mut remarks = Vec::new();
    if races.missing > 0 {
        let places = plural(races.missing as usize, "place");
        remarks.push(Remark::warning(format!(
            "records are missing in {places}: races may be missing, or be none"
        )));
    }
    Document {
        heading: vec![
            Fact::new("trace", terminal(&trace.path.to_string_lossy()).into_owned()),
            Fact::new(
                "races",
                format!("{} between {}", grouped(races.count.into()), plural(all, "pair")),
            ),
        ],
        tables: vec![table],
        remarks,
    }
}

/// Returns an access in words.
fn side(program: &Program, side: &RaceSide) -> String {
    let what = match (side.is_atomic, side.writes) {
        (false, false) => "read",
        (false, true) => "write",
        (true, false) => "atomic read",
        (true, true) => "atomic write",
    };
    let place = match program.location_of(side.place) {
        Some(at) => format!("{} {}:{}", at.function, base_name(&at.file), at.line),
        None => "?".into(),
    };
    format!("{what} {}", terminal(&place))
}
