//! The table of executed paths, the hottest first.

use std::collections::{BTreeSet, HashMap};

use counts::listed_paths::ListedPath;
use counts::model::{Count, Function, Path, Report};
use counts::path_text::Notation;
use counts::{path_ranks, select};

use crate::show::document::Remark;
use crate::show::options::Options;
use crate::show::path_flow;
use crate::show::rows::{self, NO_MATCH, Names, hidden, left_out, order, share};
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};

/// Returns the executed paths, and the remarks on them.
pub(crate) fn table<'a>(report: &'a Report, options: &Options) -> (Table<'a>, Vec<Remark>) {
    let chosen = select::functions(report, &options.filter);
    let functions = &chosen.functions;
    let paths = select::paths(functions, options.sort);
    let rows = &paths[..shown(options.top, paths.len())];
    let names = Names::of(report, &rows.iter().map(|(function, _)| *function).collect::<Vec<_>>());
    let whole = report.executed();
    let mut sum: Count = 0;
    let numbered = numbered_paths(report, options, rows);
    let row = |(at, (&(function, path), of)): (usize, (&(&Function, &Path), NumberedPath<'a>))| {
        let part = path.executed();
        sum = sum.saturating_add(part);
        let mut cells = vec![
            Cell::Rank(at + 1),
            Cell::Number(path.count),
            Cell::Share { part, whole, heat: true },
            Cell::Share { part: sum, whole, heat: false },
            Cell::Number(part),
        ];
        let NumberedPath { rank, text } = of;
        let mut named = names.cells(function);
        if let Some(Cell::Name(name)) = named.first_mut() {
            name.suffix = format!("#{rank}");
        }
        cells.extend(named);
        cells.extend([Cell::Rank(rank), Cell::Text(path.id.to_string()), text]);
        Row::from(cells)
    };
    let numbers = [
        Column::new("#", CellKind::Rank).key("rank"),
        Column::new("count", CellKind::Number),
        Column::new("share", CellKind::Share),
        Column::new("sum", CellKind::Share).key("share_sum"),
        Column::new("instructions", CellKind::Number).shown(Visibility::Data),
    ];
    let texts = [
        Column::new("number", CellKind::Rank).shown(Visibility::Data),
        Column::new("id", CellKind::Text).shown(Visibility::Data),
        Column::new("path", CellKind::Flow),
    ];
    let named = plural(paths.len(), "executed path");
    let notes = [left_out(options.top, paths.len(), &named), hidden(&chosen, whole)];
    let meaning = format!("{}; {}", order(options.sort, "count"), share(report));
    let table = Table {
        name: "paths",
        columns: numbers.into_iter().chain(rows::columns()).chain(texts).collect(),
        rows: rows.iter().zip(numbered).enumerate().map(row).collect(),
        notes: notes.into_iter().flatten().chain([meaning]).collect(),
        empty: if functions.is_empty() && !options.filter.functions.is_empty() {
            NO_MATCH
        } else {
            "No path was executed."
        }
        .into(),
    };
    (table, no_lines(rows, options).into_iter().collect())
}

/// The number and the text of a path.
struct NumberedPath<'a> {
    /// Its number among the executed paths of its function.
    rank: usize,
    /// Its text.
    text: Cell<'a>,
}

/// Returns the paths in words.
fn numbered_paths<'a>(
    report: &'a Report,
    options: &Options,
    rows: &[(&'a Function, &'a Path)],
) -> Vec<NumberedPath<'a>> {
    let listed = |&(function, path): &(&'a Function, &'a Path)| {
        let wording = options.wording(report, function);
        ListedPath { function, path, wording }
    };
    let list: Vec<_> = rows.iter().map(listed).collect();
    let texts = path_flow::of_list(&list);
    let mut ranks = HashMap::new();
    let rank = |of: &ListedPath<'a>| {
        let of_function = ranks
            .entry(std::ptr::from_ref(of.function))
            .or_insert_with(|| path_ranks::ranks(of.function));
        of_function.get(&of.path.id).copied().unwrap_or_default()
    };
    let ranks = list.iter().map(rank).collect::<Vec<_>>().into_iter();
    ranks.zip(texts).map(|(rank, text)| NumberedPath { rank, text }).collect()
}

fn no_lines(rows: &[(&Function, &Path)], options: &Options) -> Option<Remark> {
    let without = rows.iter().map(|(function, _)| function).filter(|of| !of.has_lines());
    let without: BTreeSet<_> = without.map(|of| (of.image, of.module, &of.shape.name)).collect();
    let functions = plural(without.len(), "function");
    let text = "without debug information, shown as basic blocks (bb0 …); compile with -g to see \
                source lines";
    (!without.is_empty() && options.notation == Notation::Lines)
        .then(|| Remark::note(format!("{functions} {text}")))
}
