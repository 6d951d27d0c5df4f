//! What llvm-mca predicts of paths: cycles, what limits them, and where the predicted cycles of a
//! program are.
//!
//! An estimate: llvm-mca repeats a path as if it were a loop, all that is read is in the nearest
//! cache, and every branch is predicted.

use std::fmt::Write;

use counts::model::{Count, Function, Path, Report};
use owo_colors::OwoColorize;

use crate::show::path_page::Page;
use crate::show::rows::{self, Names, left_out};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};

/// What is predicted of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Cycles of one execution.
    pub cycles: f64,
    /// Its micro-operations.
    pub micro_operations: f64,
    /// Instructions that were analysed.
    pub analysed: usize,
    /// Calls that were left out.
    pub calls: usize,
    /// Instructions that llvm-mca does not know, and leaves out.
    pub unknown: usize,
    /// The least cycles that the units of the processor need.
    pub throughput: f64,
    /// The share of cycles in which instructions wait for a result, and for a unit.
    pub waits: Waits,
    /// The processor.
    pub processor: String,
}

/// The share of the cycles in which more waits, by reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waits {
    /// For results in registers.
    pub registers: f64,
    /// For results in memory.
    pub memory: f64,
    /// For units of the processor.
    pub units: f64,
    /// The unit that is waited for most.
    pub unit: Option<String>,
}

/// What is said of every prediction.
pub const ESTIMATE: &str = "an estimate: it knows no caches and no branches that are predicted \
                            wrong, repeats each path as if it were a loop, and leaves out calls";

/// A path with what is predicted of it.
pub struct Predicted<'a> {
    /// The function.
    pub function: &'a Function,
    /// The path.
    pub path: &'a Path,
    /// The number of the path among the executed ones of the function.
    pub rank: usize,
    /// What is predicted.
    pub prediction: Prediction,
}

impl Predicted<'_> {
    /// Returns the cycles of all executions.
    fn cycles(&self) -> Count {
        let cycles = self.prediction.cycles * self.path.count as f64;
        if cycles.is_finite() { cycles.round() as Count } else { 0 }
    }
}

/// Returns what is predicted of one path as text with styles.
pub fn text(page: &Page<'_>, prediction: &Prediction) -> String {
    let mut text = page.heading();
    let Prediction { cycles, micro_operations, analysed, throughput, processor, .. } = prediction;
    let all = (cycles * page.path.count as f64).round() as Count;
    let mut fact = |label: &str, value: String| {
        let _ = writeln!(text, "  {} {value}", format!("{label:<13}").dimmed());
    };
    fact("processor", processor.clone());
    fact("cycles", format!("{cycles:.2} for one execution, {} for all", grouped(all)));
    let rate = if *cycles > 0.0 { *analysed as f64 / cycles } else { 0.0 };
    fact("instructions", format!("{analysed}, {rate:.2} for each cycle"));
    fact("uops", format!("{micro_operations:.2}"));
    fact("throughput", format!("{throughput:.2} cycles if nothing waits for results"));
    fact("bottleneck", bottleneck(&prediction.waits));
    if prediction.calls > 0 {
        let calls = plural(prediction.calls, "call");
        fact("left out", format!("{calls}: callees have paths of their own"));
    }
    if prediction.unknown > 0 {
        let unknown = plural(prediction.unknown, "instruction");
        fact("left out", format!("{unknown} that llvm-mca does not know"));
    }
    let _ = writeln!(text, "{}", ESTIMATE.dimmed());
    text
}

/// Returns what limits a path, in words.
fn bottleneck(waits: &Waits) -> String {
    let percent = |share: f64| format!("{:.0} % of the cycles", 100.0 * share);
    let reasons = [
        (waits.registers, "for results in registers".to_owned()),
        (waits.memory, "for results in memory".to_owned()),
        (
            waits.units,
            match &waits.unit {
                Some(unit) => format!("for units of the processor, most for {unit}"),
                None => "for units of the processor".to_owned(),
            },
        ),
    ];
    let mut reasons: Vec<_> = reasons.into_iter().filter(|(share, _)| *share >= 0.005).collect();
    reasons.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let reasons: Vec<_> =
        reasons.iter().map(|(share, what)| format!("{what} in {}", percent(*share))).collect();
    match reasons.is_empty() {
        true => "none: nothing waits".into(),
        false => format!("waits {}", reasons.join("; ")),
    }
}

/// Returns the table of the paths with the most predicted cycles, in at most `top` rows (0: all).
/// `beyond` has the number of executed paths that were not analysed.
pub fn table(
    report: &Report,
    mut paths: Vec<Predicted<'_>>,
    beyond: usize,
    top: usize,
) -> Table<'static> {
    let whole: Count = paths.iter().fold(0, |sum, path| sum.saturating_add(path.cycles()));
    paths
        .sort_by_key(|of| (std::cmp::Reverse(of.cycles()), of.function.demangled.clone(), of.rank));
    let all = paths.len();
    let rows = &paths[..shown(top, all)];
    let names = Names::of(report, &rows.iter().map(|row| row.function).collect::<Vec<_>>());
    let mut sum: Count = 0;
    let row = |(at, row): (usize, &Predicted<'_>)| {
        let part = row.cycles();
        sum = sum.saturating_add(part);
        let mut cells = vec![
            Cell::Rank(at + 1),
            Cell::Number(part),
            Cell::Share { part, whole, heat: true },
            Cell::Share { part: sum, whole, heat: false },
            Cell::Number(row.path.count),
            Cell::Text(format!("{:.2}", row.prediction.cycles)),
            Cell::Number(row.prediction.analysed as Count),
        ];
        cells.extend(names.cells(row.function));
        cells.push(Cell::Text(format!("#{}", row.rank)));
        Row::from(cells)
    };
    let numbers = [
        Column::new("#", CellKind::Rank).key("rank"),
        Column::new("cycles", CellKind::Number),
        Column::new("share", CellKind::Share),
        Column::new("sum", CellKind::Share).key("share_sum"),
        Column::new("count", CellKind::Number),
        Column::new("each", CellKind::Text).key("cycles_each"),
        Column::new("instructions", CellKind::Number).shown(Visibility::Always),
    ];
    let path = Column::new("path", CellKind::Text);
    let processor = paths.first().map_or("", |of| of.prediction.processor.as_str());
    let beyond = (beyond > 0)
        .then(|| format!("not analysed: {} that executed less", plural(beyond, "path")));
    let notes = left_out(top, all, &plural(all, "path")).into_iter().chain(beyond).chain([
        format!("in order of predicted cycles, on {processor}; share: of all predicted cycles"),
        ESTIMATE.to_owned(),
    ]);
    Table {
        name: "cycles",
        columns: numbers.into_iter().chain(rows::columns()).chain([path]).collect(),
        rows: rows.iter().enumerate().map(row).collect(),
        notes: notes.collect(),
        empty: "No path of machine code was executed.".into(),
    }
}
