//! The task graph of a trace for people: work and span, the critical path, the number of tasks that
//! ran at once, and the waits of threads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use counts::model::Count;
use pathformat::manifest::Location;
use profile::escape::terminal;
use trace::ids::{FunctionId, TaskId, ThreadId};
use trace::order::item::{Actions, CodePlace};
use trace::order::releases::Link;
use trace::order::source::threads;
use trace::steps::program::Program;
use trace::task_analysis::TaskAnalysis;
use trace::tasks::graph::{TaskEnd, TaskKind};
use trace::tasks::hot::Heat;
use trace::tasks::imbalance::Meeting;
use trace::tasks::span::Span;

use crate::show::document::{Document, Fact, Remark};
use crate::show::durations::duration;
use crate::show::notation::base_name;
use crate::show::path_flow;
use crate::show::rows::{left_out, traced_function};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};
use crate::show::traced_paths::{PathsOfFunction, by_function};
use crate::task_graph::{self, EndNames, TaskGraphReport};

/// Returns the task graph, with at most `top` rows in a table (0: all).
pub fn document<'a>(report: &TaskGraphReport<'a>, top: usize) -> Document<'a> {
    let mut remarks = Vec::new();
    if report.analysis.tasks.missing > 0 {
        let places = plural(report.analysis.tasks.missing as usize, "place");
        remarks.push(Remark::warning(format!(
            "records are missing in {places}: tasks and edges are missing, too"
        )));
    }
    if report.analysis.tasks.graph.left_out > 0 {
        remarks.push(Remark::warning("the graph is too large: its end is left out"));
    }
    Document { heading: heading(report), tables: tables(report, top, top), remarks }
}

/// Returns the tables of a task graph, with at most `top` rows in each, and `most_paths` in that of
/// paths (0: all).
pub(crate) fn tables<'a>(
    report: &TaskGraphReport<'a>,
    top: usize,
    most_paths: usize,
) -> Vec<Table<'a>> {
    vec![
        functions(report, top),
        paths(report, most_paths),
        tasks(report, top),
        levels(report),
        locks(report, top),
        locked_functions(report, top),
        waits(report, top),
        barriers(report, top),
        episodes(report, top),
    ]
}

fn heading(report: &TaskGraphReport<'_>) -> Vec<Fact> {
    let graph = &report.analysis.tasks.graph;
    let number = |number: u64| grouped(number.into());
    let mut kinds: HashMap<TaskKind, usize> = HashMap::new();
    let mut all = Actions::default();
    for (id, task) in graph.tasks() {
        *kinds.entry(graph.kind(id)).or_default() += 1;
        all.add(&task.actions);
    }
    let kinds: Vec<_> = TaskKind::ALL
        .into_iter()
        .filter_map(|kind| {
            Some(format!("{} {}", grouped(*kinds.get(&kind)? as Count), kind.name()))
        })
        .collect();
    let speed = |span: &Span| {
        if span.span == 0 {
            return "–".into();
        }
        let tenths = u128::from(span.work) * 10 / u128::from(span.span);
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    // Another run may take its locks in another order, which gives another graph.
    let is_lock = |way: &[TaskId]| match *way {
        [from, to] => graph.edges_to(to).any(|edge| edge == (Link::Lock, from)),
        _ => false,
    };
    let order = |span: &Span| match span.way.windows(2).any(is_lock) {
        true => ", with locks taken in this order",
        false => "",
    };
    let (time, instructions) =
        (&report.analysis.tasks.by_time, &report.analysis.tasks.by_instructions);
    vec![
        Fact::new("trace", terminal(&report.trace.path.to_string_lossy()).into_owned()),
        Fact::new(
            "tasks",
            format!(
                "{} of {}: {}; {} edges",
                grouped(graph.len() as Count),
                plural(report.analysis.tasks.threads as usize, "thread"),
                kinds.join(", "),
                grouped(graph.edge_count() as Count)
            ),
        ),
        Fact::new(
            "done",
            format!(
                "{} paths, {} basic blocks, {} instructions, {} accesses to {} bytes",
                number(all.paths),
                number(all.blocks),
                number(all.instructions),
                number(all.accesses),
                number(all.bytes)
            ),
        ),
        Fact::new(
            "time",
            format!(
                "work {}, span {} in {}: at most {} times as fast{}",
                duration(time.work),
                duration(time.span),
                plural(time.way.len(), "task"),
                speed(time),
                order(time)
            ),
        ),
        Fact::new(
            "executed",
            format!(
                "work {} instructions, span {} in {}: at most {} times as fast{}",
                number(instructions.work),
                number(instructions.span),
                plural(instructions.way.len(), "task"),
                speed(instructions),
                order(instructions)
            ),
        ),
        Fact::new("parallel", curve(report)),
    ]
}

/// Returns the number of tasks that ran over time, as a line of bars.
fn curve(report: &TaskGraphReport<'_>) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let all = &report.analysis.parallelism;
    let averages: Vec<f64> = (0..all.parts.len()).map(|part| all.average(part)).collect();
    let most = averages.iter().copied().fold(0.0, f64::max);
    if most == 0.0 {
        return "no time is known".into();
    }
    let bar = |average: &f64| BARS[((average / most * 8.0).ceil() as usize).min(8)];
    let bars: String = averages.iter().map(bar).collect();
    format!("{bars}| {most:.1} at the peak, in {}", duration(all.end - all.begin))
}

/// Returns the name of a function.
pub(super) fn name(program: &Program, function: FunctionId) -> String {
    let Some(of) = program.functions.get(function.index()) else { return "?".into() };
    terminal(&of.function.short_name()).into_owned()
}

/// Returns the place where a path ended, in the function whose text is there: it may have been
/// inlined.
fn end(program: &Program, place: CodePlace) -> Cell<'static> {
    if place == CodePlace::NONE {
        return Cell::Unknown;
    }
    let at = program.end_of_path(place);
    let line = at.map(|at| terminal(&format!("{}:{}", base_name(&at.file), at.line)).into_owned());
    let inlined = at.and_then(Location::inlined_function);
    let function =
        inlined.map_or_else(|| name(program, place.function), |of| terminal(of).into_owned());
    Cell::PathEnd { function, line }
}

/// Returns the number of each thread's first stream.
fn streams(report: &TaskGraphReport<'_>) -> Vec<u64> {
    threads(report.trace)
        .iter()
        .map(|streams| streams.first().map_or(0, |stream| stream.number.into()))
        .collect()
}

fn stream(streams: &[u64], thread: ThreadId) -> Cell<'static> {
    streams.get(thread.index()).map_or(Cell::Unknown, |number| Cell::Number((*number).into()))
}

/// Returns the address of a lock or a barrier, and its name.
fn object_cells(address: u64, name: Option<&str>) -> [Cell<'static>; 2] {
    let object = name.map_or(Cell::Unknown, |name| Cell::Text(terminal(name).into_owned()));
    [Cell::Text(format!("{address:#x}")), object]
}

/// Returns where threads wait for each other, and its name.
fn meeting_cells(report: &TaskGraphReport<'_>, meeting: Meeting) -> [Cell<'static>; 2] {
    match meeting {
        Meeting::Barrier(address) => {
            object_cells(address, report.analysis.lock_names.name(address))
        }
        Meeting::Region(place) => {
            let at = report.program.end_of_path(place).map(|at| (base_name(&at.file), at.line));
            let line = at.map(|(file, line)| format!(" {file}:{line}")).unwrap_or_default();
            let begin = format!("{}{}", name(report.program, place.function), terminal(&line));
            [Cell::Text("end of region".into()), Cell::Text(begin)]
        }
    }
}

fn number(number: u64) -> Cell<'static> {
    Cell::Number(number.into())
}

fn table<'a>(
    name: &'static str,
    columns: Vec<Column>,
    rows: impl ExactSizeIterator<Item = Row<'a>>,
    (top, empty): (usize, &str),
) -> Table<'a> {
    let all = rows.len();
    Table {
        name,
        columns,
        rows: rows.take(shown(top, all)).collect(),
        notes: left_out(top, all, &plural(all, "row")).into_iter().collect(),
        empty: empty.into(),
    }
}

/// Returns heats, the greatest first.
fn sorted<K: Ord + Copy>(heats: &HashMap<K, Heat>) -> Vec<(K, Heat)> {
    let mut sorted: Vec<_> = heats.iter().map(|(of, heat)| (*of, *heat)).collect();
    sorted.sort_by(|a, b| b.1.instructions.cmp(&a.1.instructions).then(a.0.cmp(&b.0)));
    sorted
}

fn heat(heat: &Heat, whole: u64) -> [Cell<'static>; 4] {
    [
        Cell::Share { part: heat.instructions.into(), whole: whole.into(), heat: true },
        number(heat.instructions),
        number(heat.time as u64),
        number(heat.count),
    ]
}

fn heat_columns() -> Vec<Column> {
    vec![
        Column::new("share", CellKind::Share),
        Column::new("instructions", CellKind::Number),
        Column::new("time ns", CellKind::Nanoseconds).key("time"),
        Column::new("paths", CellKind::Number),
    ]
}

fn functions(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let mut of: HashMap<FunctionId, Heat> = HashMap::new();
    for ((function, _), heat) in &report.analysis.heats {
        let sum = of.entry(*function).or_default();
        sum.count += heat.count;
        sum.instructions += heat.instructions;
        sum.time += heat.time;
    }
    let whole = of.values().map(|heat| heat.instructions).sum();
    let mut columns = heat_columns();
    columns.push(Column::new("function on the critical path", CellKind::Name).key("function"));
    let rows = sorted(&of).into_iter().map(|(function, of)| {
        let cells = heat(&of, whole).into_iter();
        Row::from(cells.chain([traced_function(report.program, function)]).collect::<Vec<_>>())
    });
    table("critical_functions", columns, rows, (top, "Nothing is on the critical path."))
}

fn paths<'a>(report: &TaskGraphReport<'a>, top: usize) -> Table<'a> {
    let whole = report.analysis.heats.values().map(|heat| heat.instructions).sum();
    let mut columns = heat_columns();
    columns.push(Column::new("function", CellKind::Name));
    columns.push(Column::new("id", CellKind::Number).shown(Visibility::Data));
    columns.push(Column::new("path", CellKind::Flow));
    let sorted = sorted(&report.analysis.heats);
    let seen = sorted.iter().take(shown(top, sorted.len())).map(|row| row.0).collect();
    let mut texts = HashMap::new();
    for PathsOfFunction { function, ids, texts: of } in by_function(report.program, &seen) {
        texts.extend(ids.into_iter().map(|id| (function, id)).zip(path_flow::cells(of)));
    }
    let rows = sorted.into_iter().map(|((function, path), of)| {
        let cells = heat(&of, whole).into_iter();
        let text = texts.remove(&(function, path)).unwrap_or(Cell::Unknown);
        let path = [traced_function(report.program, function), number(path.0), text];
        Row::from(cells.chain(path).collect::<Vec<_>>())
    });
    table("critical_paths", columns, rows, (top, "Nothing is on the critical path."))
}

/// What tasks that end alike did together.
struct Alike {
    end: Option<TaskEnd>,
    count: u64,
    instructions: u64,
    time: u64,
    longest: u64,
    /// How long their threads waited behind them.
    waited: u64,
}

/// Returns the tasks by what ends them.
fn tasks(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let graph = &report.analysis.tasks.graph;
    let names = EndNames::of(report);
    let mut by_name: BTreeMap<usize, Alike> = BTreeMap::new();
    // The last task of each thread, by what ended it and when.
    let mut last: HashMap<ThreadId, (usize, u64)> = HashMap::new();
    for (id, task) in graph.tasks() {
        let end = graph.end(id);
        let name = names.number(graph, id);
        if let Some((before, ended)) = last.insert(task.thread, (name, task.end))
            && let Some(of) = by_name.get_mut(&before)
        {
            of.waited += task.begin.saturating_sub(ended);
        }
        let of = by_name.entry(name).or_insert(Alike {
            end,
            count: 0,
            instructions: 0,
            time: 0,
            longest: 0,
            waited: 0,
        });
        of.count += 1;
        of.instructions += task.actions.instructions;
        of.time += task.duration();
        of.longest = of.longest.max(task.duration());
    }
    let whole: u64 = by_name.values().map(|of| of.instructions).sum();
    let mut alike: Vec<_> = by_name.into_values().collect();
    // Those that came first stay first among equals.
    alike.sort_by_key(|of| (Reverse(of.instructions), Reverse(of.count)));
    let rows = alike.into_iter().map(|of| {
        let share = Cell::Share { part: of.instructions.into(), whole: whole.into(), heat: true };
        let numbers = [of.count, of.instructions, of.time, of.longest, of.waited].map(number);
        let object = of.end.and_then(|end| task_graph::object_name(report.analysis, &end));
        let object = object.map_or(Cell::Nothing, |name| Cell::Text(terminal(&name).into_owned()));
        let by = of.end.map_or_else(|| "running".into(), |end| task_graph::operation_name(&end));
        let place = of.end.map_or(Cell::Unknown, |of| end(report.program, of.place));
        let cells = [share].into_iter().chain(numbers).chain([Cell::Text(by), object, place]);
        Row::from(cells.collect::<Vec<_>>())
    });
    let columns = vec![
        Column::new("share", CellKind::Share),
        Column::new("tasks", CellKind::Number),
        Column::new("instructions", CellKind::Number),
        Column::new("time ns", CellKind::Nanoseconds).key("time"),
        Column::new("longest ns", CellKind::Nanoseconds).key("longest"),
        Column::new("waited ns", CellKind::Nanoseconds).key("waited"),
        Column::new("ended by", CellKind::Text).key("end"),
        Column::new("object", CellKind::Text).stacked(),
        Column::new("ended in", CellKind::PathEnd).key("place"),
    ];
    table("tasks", columns, rows, (top, "There is no task."))
}

fn levels(report: &TaskGraphReport<'_>) -> Table<'static> {
    let whole: u64 = report.analysis.parallelism.levels.iter().sum();
    let rows = report.analysis.parallelism.levels.iter().enumerate().map(|(level, time)| {
        let share = Cell::Share { part: (*time).into(), whole: whole.into(), heat: false };
        Row::from(vec![number(level as u64), number(*time), share])
    });
    let columns = vec![
        Column::new("tasks at once", CellKind::Number).key("tasks"),
        Column::new("time ns", CellKind::Nanoseconds).key("time"),
        Column::new("share", CellKind::Share),
    ];
    table("parallelism", columns, rows, (0, "No time is known."))
}

fn locks(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let locks = task_graph::locks(report.analysis);
    let rows = locks.iter().map(|of| {
        let numbers = [of.taken, of.failed, of.waited, of.wait, of.held].map(number).into_iter();
        let place = of.place.map_or(Cell::Nothing, |place| end(report.program, place));
        let cells = numbers.chain(object_cells(of.address, of.name)).chain([place]);
        Row::from(cells.collect::<Vec<_>>())
    });
    let columns = vec![
        Column::new("taken", CellKind::Number),
        Column::new("failed", CellKind::Number),
        Column::new("waited", CellKind::Number),
        Column::new("wait ns", CellKind::Nanoseconds).key("wait"),
        Column::new("held ns", CellKind::Nanoseconds).key("held"),
        Column::new("lock", CellKind::Text),
        Column::new("object", CellKind::Text).stacked(),
        Column::new("waited most in", CellKind::PathEnd).key("place"),
    ];
    let rows: Vec<_> = rows.collect();
    table("locks", columns, rows.into_iter(), (top, "No lock was taken."))
}

/// Returns what ran with a lock, as shares of all instructions.
fn locked_functions(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let TaskAnalysis { tasks, locked_work, lock_names, .. } = report.analysis;
    let whole = tasks.by_instructions.work;
    let mut work: Vec<_> = locked_work.iter().collect();
    work.sort_by_key(|(of, actions)| (Reverse(actions.instructions), **of));
    let locks: BTreeSet<u64> = work.iter().map(|(of, _)| of.0).collect();
    let mut named: HashMap<&str, usize> = HashMap::new();
    for name in locks.iter().filter_map(|&lock| lock_names.name(lock)) {
        *named.entry(name).or_default() += 1;
    }
    let rows = work.into_iter().map(|(&(lock, function), actions)| {
        let address = format!("{lock:#x}");
        let name = lock_names.name(lock).map(|name| match named.get(name) {
            // Locks may be of one name, as those on the stack are.
            Some(2..) => format!("{address} {}", terminal(name)),
            _ => terminal(name).into_owned(),
        });
        Row::from(vec![
            Cell::Share { part: actions.instructions.into(), whole: whole.into(), heat: true },
            number(actions.instructions),
            number(actions.paths),
            Cell::Text(name.unwrap_or_else(|| address.clone())),
            Cell::Text(address),
            traced_function(report.program, function),
        ])
    });
    let columns = vec![
        Column::new("share", CellKind::Share),
        Column::new("instructions", CellKind::Number),
        Column::new("paths", CellKind::Number),
        Column::new("lock", CellKind::Text),
        Column::new("address", CellKind::Text).shown(Visibility::Data),
        Column::new("function with the lock", CellKind::Name).key("function"),
    ];
    table("locked_functions", columns, rows, (top, "Nothing ran with a lock."))
}

fn waits(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let streams = streams(report);
    let rows = report.analysis.tasks.contention.longest().into_iter().map(|wait| {
        let name = report.analysis.lock_names.name(wait.object);
        let [address, object] = object_cells(wait.object, name);
        Row::from(vec![
            number(report.analysis.tasks.times.nanoseconds(wait.wait)),
            stream(&streams, wait.thread),
            stream(&streams, wait.holder),
            address,
            object,
            end(report.program, wait.place),
            end(report.program, wait.holder_place),
        ])
    });
    let columns = vec![
        Column::new("wait ns", CellKind::Nanoseconds).key("wait"),
        Column::new("stream", CellKind::Stream),
        Column::new("holder", CellKind::Stream),
        Column::new("lock", CellKind::Text),
        Column::new("object", CellKind::Text).stacked(),
        Column::new("waited in", CellKind::PathEnd).key("place"),
        Column::new("taken in", CellKind::PathEnd).key("holder_place").stacked(),
    ];
    let rows: Vec<_> = rows.collect();
    table("longest_waits", columns, rows.into_iter(), (top, "Nobody waited for a lock."))
}

fn barriers(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let streams = streams(report);
    let barriers = task_graph::barriers(report.analysis);
    let rows = barriers.iter().map(|of| {
        let mut last = of.last.clone();
        last.sort_by_key(|&(thread, times)| (Reverse(times), thread));
        let stream = |thread: ThreadId| streams.get(thread.index()).copied();
        let last = last.into_iter().map(|(thread, times)| (stream(thread), times)).collect();
        let numbers = [number(of.episodes), number(of.lost), Cell::Streams(last)].into_iter();
        Row::from(numbers.chain(meeting_cells(report, of.meeting)).collect::<Vec<_>>())
    });
    let columns = vec![
        Column::new("episodes", CellKind::Number),
        Column::new("lost ns", CellKind::Nanoseconds).key("lost"),
        Column::new("most often last", CellKind::Streams).key("last_stream"),
        Column::new("barrier", CellKind::Text),
        Column::new("object", CellKind::Text).stacked(),
    ];
    let rows: Vec<_> = rows.collect();
    table("barriers", columns, rows.into_iter(), (top, "There is no barrier."))
}

fn episodes(report: &TaskGraphReport<'_>, top: usize) -> Table<'static> {
    let streams = streams(report);
    let rows = report.analysis.tasks.imbalance.worst().into_iter().map(|of| {
        let spread = of.last.saturating_sub(of.first);
        let time = |ticks| number(report.analysis.tasks.times.nanoseconds(ticks));
        let [address, object] = meeting_cells(report, of.meeting);
        Row::from(vec![
            time(of.lost),
            time(spread),
            number(of.members.into()),
            stream(&streams, of.last_thread),
            number(of.number),
            address,
            object,
            end(report.program, of.place),
        ])
    });
    let columns = vec![
        Column::new("lost ns", CellKind::Nanoseconds).key("lost"),
        Column::new("spread ns", CellKind::Nanoseconds).key("spread"),
        Column::new("came", CellKind::Number),
        Column::new("last", CellKind::Stream).key("last_stream"),
        Column::new("episode", CellKind::Number),
        Column::new("barrier", CellKind::Text),
        Column::new("object", CellKind::Text).stacked(),
        Column::new("came last in", CellKind::PathEnd).key("place"),
    ];
    let rows: Vec<_> = rows.collect();
    table("episodes", columns, rows.into_iter(), (top, "Nobody waited at a barrier."))
}
