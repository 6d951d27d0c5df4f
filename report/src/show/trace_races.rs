//! Races for people: the pairs of places whose accesses have no order, those that only the turns of
//! locks ordered, and locks that are taken in turns that may block.

use std::collections::{BTreeMap, HashSet};

use profile::escape::terminal;
use trace::file::Trace;
use trace::ids::{FunctionId, StackId, ThreadId};
use trace::memory::owner_names::OwnerNames;
use trace::memory::owners::Owner;
use trace::memory::race_side::RaceSide;
use trace::memory::races::{Between, Pairs, Race};
use trace::order::item::CodePlace;
use trace::order::source::threads;
use trace::order::unrecorded::Unrecorded;
use trace::race_analysis::RaceAnalysis;
use trace::steps::program::Program;
use trace::tasks::lock_orders::LockOrder;

use crate::show::document::{Document, Fact, Remark};
use crate::show::notation::base_name;
use crate::show::rows::{NO_ACCESSES, left_out};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};
use crate::suppressions::Suppressions;

/// Which races are shown.
#[derive(Clone, Debug, Default)]
pub struct RaceChoice {
    /// The functions of which one side must be; all if there are none.
    pub functions: Option<HashSet<FunctionId>>,
    /// The globs of objects, of which one must match; all if there are none.
    pub objects: Vec<String>,
    /// What is not told.
    pub suppressions: Suppressions,
    /// The number of pairs that are shown of each kind, 0 for all.
    pub top: usize,
    /// True if the stacks of calls are shown.
    pub calls: bool,
}

/// What is shown of races, and how many there are of what was chosen.
pub struct RacePage {
    /// The page.
    pub document: Document<'static>,
    /// The number of pairs that race.
    pub pairs: usize,
    /// The number of pairs that only the turns of locks ordered, and of cycles of locks.
    pub possible: usize,
}

/// A row of a table of races.
#[derive(Clone, Debug)]
struct Pair {
    race: Race,
    object: Option<String>,
    offset: Option<u64>,
    /// What could order its sides.
    ordered_by: &'static str,
}

/// The sides of a row as text, and its object.
type PairKey = (String, String, Option<String>);

/// What all rows need.
struct Context<'a> {
    program: &'a Program,
    analysis: &'a RaceAnalysis<'a>,
    names: OwnerNames<'a>,
    choice: &'a RaceChoice,
    streams: Vec<u64>,
}

/// Returns the races of a trace, as far as they are chosen.
pub fn page(
    trace: &Trace,
    program: &Program,
    analysis: &RaceAnalysis<'_>,
    choice: &RaceChoice,
) -> RacePage {
    let streams = threads(trace)
        .iter()
        .map(|streams| streams.first().map_or(0, |stream| stream.number.into()))
        .collect();
    let names = OwnerNames::of(trace, program);
    let context = Context { program, analysis, names, choice, streams };
    let (pairs, hidden) = context.rows(&analysis.races.pairs);
    let (possible, more_hidden) = context.rows(&analysis.races.possible);
    let (cycles, hidden_cycles) = context.cycles();
    let all: u64 = pairs.iter().map(|(_, pair)| pair.race.count).sum();
    let nothing = if analysis.races.has_accesses { "No two accesses race." } else { NO_ACCESSES };
    let mut document = Document {
        heading: vec![
            Fact::new("trace", terminal(&trace.path.to_string_lossy()).into_owned()),
            Fact::new(
                "races",
                format!("{} between {}", grouped(all.into()), plural(pairs.len(), "pair")),
            ),
        ],
        tables: vec![context.table("races", &pairs, nothing.into())],
        remarks: Vec::new(),
    };
    if choice.calls {
        document.tables.extend(context.call_table("calls", &pairs));
    }
    if !possible.is_empty() {
        document.tables.push(context.table("possible", &possible, String::new()));
        if choice.calls {
            document.tables.extend(context.call_table("possible_calls", &possible));
        }
        document.remarks.push(Remark::note(
            "what is possible was ordered by the turns in which threads took locks: in another run \
             they may take them the other way round",
        ));
    }
    if !cycles.is_empty() {
        document.tables.push(context.cycle_table(&cycles));
        document.remarks.push(Remark::note(
            "threads that take locks in a cycle may wait for each other for ever",
        ));
    }
    let suppressed = hidden + more_hidden;
    if suppressed + hidden_cycles > 0 {
        let pairs = (suppressed > 0).then(|| plural(suppressed, "pair"));
        let cycles = (hidden_cycles > 0).then(|| plural(hidden_cycles, "cycle"));
        let what: Vec<String> = pairs.into_iter().chain(cycles).collect();
        document.remarks.push(Remark::note(format!("suppressed: {}", what.join(", "))));
    }
    document.remarks.extend(analysis.unrecorded.map(|what| Remark::warning(unrecorded(what))));
    if analysis.races.missing > 0 {
        let places = plural(analysis.races.missing as usize, "place");
        document.remarks.push(Remark::warning(format!(
            "records are missing in {places}: races may be missing, or be none"
        )));
    }
    RacePage { document, pairs: pairs.len(), possible: possible.len() + cycles.len() }
}

/// Returns what it means that the order of threads is not recorded.
fn unrecorded(what: Unrecorded) -> &'static str {
    match what {
        Unrecorded::Threads => {
            "nothing is recorded of how these threads wait for each other (as in a static program, \
             or in a program that is not traced itself): what is ordered is shown as a race, too"
        }
        Unrecorded::OpenMp => {
            "nothing is recorded of OpenMP (another tool went first, or its library reports \
             nothing): what it orders is shown as a race, too"
        }
    }
}

/// Returns what could order the sides of a race, one of which may be atomic.
fn ordered_by(race: &Race, is_atomic: bool) -> &'static str {
    match race.between {
        _ if is_atomic => "atomic accesses on both sides",
        Between::Iterations => "a reduction, atomic or critical; a barrier between loops",
        Between::Tasks => "depend, taskwait or taskgroup",
        Between::Team => "a barrier, atomic or critical",
        Between::Threads => "a common lock, a join or atomics",
    }
}

impl Context<'_> {
    /// Returns the rows of races that are chosen, those with the most races first, and the number
    /// of pairs that are suppressed. A library that was opened several times has one row.
    fn rows(&self, pairs: &Pairs) -> (Vec<(PairKey, Pair)>, usize) {
        let mut rows: BTreeMap<PairKey, Pair> = BTreeMap::new();
        let mut suppressed = HashSet::new();
        for ((first, second), race) in pairs {
            let functions = [first.place.function, second.place.function];
            let is_wanted = |of: &HashSet<FunctionId>| functions.iter().any(|at| of.contains(at));
            let (object, offset) = self.object(race);
            let matches =
                |glob: &String| glob_match::glob_match(glob, object.as_deref().unwrap_or("?"));
            if !self.choice.functions.as_ref().is_none_or(is_wanted)
                || !(self.choice.objects.is_empty() || self.choice.objects.iter().any(matches))
            {
                continue;
            }
            let key = (self.side(first), self.side(second), object.clone());
            let mut names = self.words(first.place);
            names.extend(self.words(second.place));
            names.extend(object.clone());
            if self.choice.suppressions.has_race(&names) {
                suppressed.insert(key);
                continue;
            }
            let row = rows.entry(key);
            let ordered_by = ordered_by(race, first.is_atomic || second.is_atomic);
            let none_yet = Race { count: 0, ..*race };
            let pair = row.or_insert(Pair { race: none_yet, object, offset, ordered_by });
            pair.race.count += race.count;
        }
        let mut rows: Vec<_> = rows.into_iter().collect();
        rows.sort_by(|a, b| b.1.race.count.cmp(&a.1.race.count).then(a.0.cmp(&b.0)));
        (rows, suppressed.len())
    }

    /// Returns the name of the object of a race, and the offset in it.
    fn object(&self, race: &Race) -> (Option<String>, Option<u64>) {
        let owner = self.analysis.races.owners.owner(race.object.owner);
        if !race.object.is_sure || *owner == Owner::Unknown {
            return (None, None);
        }
        let offset = race.address.wrapping_sub(race.object.start);
        let offset = owner.has_offsets().then_some(offset);
        (Some(terminal(&self.names.name(owner)).into_owned()), offset)
    }

    fn table(
        &self,
        name: &'static str,
        pairs: &[(PairKey, Pair)],
        empty: String,
    ) -> Table<'static> {
        let row = |((first, second, _), pair): &(PairKey, Pair)| {
            let object = pair.object.clone().map_or(Cell::Unknown, Cell::Text);
            let offset = pair.offset.map_or(Cell::Nothing, |offset| Cell::Number(offset.into()));
            let offset = if pair.object.is_some() { offset } else { Cell::Nothing };
            Row::from(vec![
                Cell::Number(pair.race.count.into()),
                self.stream(pair.race.threads.0),
                self.stream(pair.race.threads.1),
                Cell::Text(format!("{:#x}", pair.race.address)),
                object,
                offset,
                Cell::Text(first.clone()),
                Cell::Text(second.clone()),
                Cell::Text(pair.ordered_by.into()),
            ])
        };
        let (top, all) = (self.choice.top, pairs.len());
        Table {
            name,
            columns: vec![
                Column::new(name, CellKind::Number).key("races"),
                Column::new("stream", CellKind::Number),
                Column::new("other", CellKind::Number).key("other_stream"),
                Column::new("address", CellKind::Text),
                Column::new("object", CellKind::Text).stacked(),
                Column::new("offset", CellKind::Number),
                Column::new("one access", CellKind::Text).key("access"),
                Column::new("the other one", CellKind::Text).key("other_access").stacked(),
                Column::new("could be ordered by", CellKind::Text).key("ordered_by").stacked(),
            ],
            rows: pairs.iter().take(shown(top, all)).map(row).collect(),
            notes: left_out(top, all, &plural(all, "pair")).into_iter().collect(),
            empty,
        }
    }

    /// Returns the stacks of calls of the first race of each pair, the innermost function first;
    /// nothing if there are no pairs.
    fn call_table(&self, name: &'static str, pairs: &[(PairKey, Pair)]) -> Option<Table<'static>> {
        let (top, all) = (self.choice.top, pairs.len());
        let shown = (1u64..).zip(pairs.iter().take(shown(top, all)));
        let rows = shown.flat_map(|(number, (_, pair))| {
            let (one, other) = pair.race.stacks;
            [("one", one), ("other", other)].into_iter().flat_map(move |(side, stack)| {
                self.callers(stack).into_iter().map(move |caller| {
                    let side = Cell::Text(side.into());
                    Row::from(vec![Cell::Number(number.into()), side, Cell::Text(caller)])
                })
            })
        });
        let rows: Vec<Row<'static>> = rows.collect();
        (!pairs.is_empty()).then(|| Table {
            name,
            columns: vec![
                Column::new("pair", CellKind::Number),
                Column::new("access", CellKind::Text),
                Column::new("called at", CellKind::Text).key("called_at").stacked(),
            ],
            rows,
            notes: Vec::new(),
            empty: "No traced function called these.".into(),
        })
    }

    /// Returns where the functions on a stack were called, the innermost one first.
    fn callers(&self, stack: StackId) -> Vec<String> {
        let calls = &self.analysis.calls;
        let frames: Vec<_> = calls.frames(stack).collect();
        let called = frames
            .windows(2)
            .map(|two| self.at(CodePlace { function: two[1].function, at: two[0].call }));
        called.collect()
    }

    /// Returns the cycles of locks that are not suppressed, and the number of the others. Cycles at
    /// the same places are one.
    fn cycles(&self) -> (Vec<&[LockOrder]>, usize) {
        let (mut cycles, mut suppressed): (Vec<&[LockOrder]>, _) = (Vec::new(), 0);
        let mut known = HashSet::new();
        for cycle in &self.analysis.lock_orders.cycles {
            let places: Vec<_> =
                cycle.iter().map(|of| (self.at(of.has.1), self.at(of.takes.1))).collect();
            if !known.insert(places) {
                continue;
            }
            let mut names = Vec::new();
            for order in cycle {
                names.extend(self.words(order.has.1));
                names.extend(self.words(order.takes.1));
                names.extend(self.analysis.lock_names.name(order.has.0).map(str::to_owned));
            }
            if self.choice.suppressions.has_deadlock(&names) {
                suppressed += 1;
            } else {
                cycles.push(cycle);
            }
        }
        (cycles, suppressed)
    }

    fn cycle_table(&self, cycles: &[&[LockOrder]]) -> Table<'static> {
        let lock = |address: u64| {
            let name = self.analysis.lock_names.name(address);
            let name = name.map(|name| terminal(name).into_owned());
            Cell::Text(name.unwrap_or_else(|| format!("{address:#x}")))
        };
        let (top, all) = (self.choice.top, cycles.len());
        let rows = (1u64..)
            .zip(cycles.iter().take(shown(top, all)))
            .flat_map(|(number, cycle)| cycle.iter().map(move |order| (number, order)));
        Table {
            name: "lock_orders",
            columns: vec![
                Column::new("cycle", CellKind::Number),
                Column::new("stream", CellKind::Number),
                Column::new("has lock", CellKind::Text).key("has").stacked(),
                Column::new("taken at", CellKind::Text).key("has_place"),
                Column::new("takes lock", CellKind::Text).key("takes").stacked(),
                Column::new("at", CellKind::Text).key("takes_place"),
            ],
            rows: rows
                .map(|(number, order)| {
                    Row::from(vec![
                        Cell::Number(number.into()),
                        self.stream(order.thread),
                        lock(order.has.0),
                        Cell::Text(self.at(order.has.1)),
                        lock(order.takes.0),
                        Cell::Text(self.at(order.takes.1)),
                    ])
                })
                .collect(),
            notes: left_out(top, all, &plural(all, "cycle")).into_iter().collect(),
            empty: String::new(),
        }
    }

    fn stream(&self, thread: ThreadId) -> Cell<'static> {
        let stream = self.streams.get(thread.index());
        stream.map_or(Cell::Unknown, |of| Cell::Number((*of).into()))
    }

    /// Returns the function and the line in which a path ended.
    fn at(&self, place: CodePlace) -> String {
        let at = self.program.end_of_path(place);
        let text = at.map(|at| format!("{} {}:{}", at.function, base_name(&at.file), at.line));
        terminal(&text.unwrap_or_else(|| "?".into())).into_owned()
    }

    /// Returns the names of the function and the file of a place, of an access or of the end of a
    /// path.
    fn words(&self, place: CodePlace) -> Vec<String> {
        let of = self.program.functions.get(place.function.index());
        let mut words: Vec<String> =
            of.map(|of| of.function.demangled.clone()).into_iter().collect();
        for at in [self.program.location_of(place), self.program.end_of_path(place)] {
            words.extend(
                at.into_iter().flat_map(|at| [at.function.to_string(), at.file.to_string()]),
            );
        }
        words
    }

    /// Returns an access in words.
    fn side(&self, side: &RaceSide) -> String {
        let what = match (side.is_atomic, side.writes) {
            (false, false) => "read",
            (false, true) => "write",
            (true, false) => "atomic read",
            (true, true) => "atomic write",
        };
        let place = match self.program.location_of(side.place) {
            Some(at) => format!("{} {}:{}", at.function, base_name(&at.file), at.line),
            None => match self.program.functions.get(side.place.function.index()) {
                Some(of) => of.function.demangled.clone(),
                None => "?".into(),
            },
        };
        format!("{what} {}", terminal(&place))
    }
}
