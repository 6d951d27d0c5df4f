//! The table of executed machine instructions by function: those of the program, and those that
//! count.
//!
//! They are those of the image: unlike in the manifest, a branch may be turned so that code that
//! counts comes first.

use counts::machine_code::Executed;
use counts::model::{Count, Function, Report};

use crate::show::rows::{self, Names, left_out};
use crate::show::style::{grouped, plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};

/// Returns the functions that executed most, in at most `top` rows (0: all).
pub fn table(
    report: &Report,
    mut functions: Vec<(&Function, Executed)>,
    top: usize,
) -> Table<'static> {
    functions.retain(|(_, executed)| *executed != Executed::default());
    functions.sort_by_cached_key(|(function, executed)| {
        (std::cmp::Reverse(executed.program), function.demangled.clone())
    });
    let all = functions.len();
    let total = |of: fn(&Executed) -> Count| -> Count {
        functions.iter().fold(0, |sum, (_, executed)| sum.saturating_add(of(executed)))
    };
    let whole = total(|of| of.program);
    let (counting, unknown) = (total(|of| of.counting), total(|of| of.unknown));
    let shown_rows = &functions[..shown(top, all)];
    let names =
        Names::of(report, &shown_rows.iter().map(|(function, _)| *function).collect::<Vec<_>>());
    let mut sum: Count = 0;
    let row = |(function, executed): &(&Function, Executed)| {
        let part = executed.program;
        sum = sum.saturating_add(part);
        let mut cells = vec![
            Cell::Number(part),
            Cell::Share { part, whole, heat: true },
            Cell::Share { part: sum, whole, heat: false },
            Cell::Number(executed.counting),
            Cell::Number(executed.unknown),
        ];
        cells.extend(names.cells(function));
        Row::from(cells)
    };
    let numbers = [
        Column::new("instructions", CellKind::Number),
        Column::new("share", CellKind::Share),
        Column::new("sum", CellKind::Share).key("share_sum"),
        Column::new("counting", CellKind::Number),
        Column::new("unknown", CellKind::Number).shown(match unknown {
            0 => Visibility::Data,
            _ => Visibility::Always,
        }),
    ];
    let meaning = format!(
        "in order of instructions; share: of all {} machine instructions of counted code; \
         counting: {} more that count; with a rep prefix, all rounds are one",
        grouped(whole),
        grouped(counting)
    );
    let doubt = (unknown > 0).then(|| {
        "unknown: at most so many more, behind the first of two branches to one block".to_owned()
    });
    Table {
        name: "machine_instructions",
        columns: numbers.into_iter().chain(rows::columns()).collect(),
        rows: shown_rows.iter().map(row).collect(),
        notes: left_out(top, all, &plural(all, "function"))
            .into_iter()
            .chain([meaning])
            .chain(doubt)
            .collect(),
        empty: "No machine code was executed.".into(),
    }
}
