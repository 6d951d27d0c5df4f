//! The rows of tables that have a function in each row: its name, its place, and how wide both may
//! be.

use std::io::{Result, Write};

use comfy_table::CellAlignment;
use owo_colors::OwoColorize;

use crate::analyse::model::{Function, Path, Report};
use crate::escape::terminal;
use crate::read::names;
use crate::show::notation::base_name;
use crate::show::options::Options;
use crate::show::path_layout::visible_width;
use crate::show::style::{elide, label};

/// A row of a table before it is fitted.
pub(crate) struct Row<'a> {
    /// Rank, counts and shares.
    pub(crate) numbers: Vec<String>,
    /// The name of the function.
    pub(crate) name: String,
    /// The function.
    pub(crate) function: &'a Function,
    /// The path, in a table of paths.
    pub(crate) path: Option<&'a Path>,
}

/// Says why there is no table.
///
/// # Errors
/// Those of `out`.
pub(crate) fn nothing(options: &Options, chosen: &[&Function], out: &mut impl Write) -> Result<()> {
    match &options.function {
        Some(glob) if chosen.is_empty() => {
            writeln!(out, "No counted function matches `{}`.\n", terminal(glob))
        }
        _ => writeln!(out, "No path was executed.\n"),
    }
}

/// Where the function is: `main.c:10`, and its image if there are several.
pub(crate) fn place(report: &Report, function: &Function) -> String {
    let module = &report.modules[function.module];
    let mut place = match (function.shape.file.as_str(), function.shape.line) {
        ("", _) => base_name(&module.source).to_string(),
        (file, line) => format!("{}:{line}", base_name(file)),
    };
    if report.images.len() > 1 {
        let image = &report.images[function.image].path;
        place += &format!(" in {}", base_name(&image.to_string_lossy()));
    }
    place
}

/// The name of the function, shortened unless full names are asked for.
pub(crate) fn name(function: &Function, options: &Options) -> String {
    if options.full_names {
        function.demangled.clone()
    } else {
        label(&function.demangled, names::short(&function.shape))
    }
}

/// Adds a function's name and place: below each other where width is short, otherwise as two cells.
pub(crate) fn push_name(cells: &mut Vec<String>, name: &str, place: &str, width: Option<usize>) {
    let name = elide(name, width).cyan().to_string();
    let place = elide(place, width).dimmed().to_string();
    match width {
        Some(_) => cells.push(format!("{name}\n{place}")),
        None => cells.extend([name, place]),
    }
}

/// Width of the columns of numbers, padding included.
pub(crate) fn columns_width(columns: &[(&str, CellAlignment)], rows: &[Row<'_>]) -> usize {
    let widest = |column: usize, title: &str| {
        let cells =
            rows.iter().filter_map(|row| row.numbers.get(column)).map(|cell| visible_width(cell));
        cells.chain([title.chars().count()]).max().unwrap_or_default()
    };
    let numbers = rows.first().map_or(0, |row| row.numbers.len());
    let widths = columns
        .iter()
        .take(numbers)
        .enumerate()
        .map(|(column, (title, _))| widest(column, title) + 2);
    widths.sum::<usize>().saturating_sub(1)
}

/// How wide the column of names may be: what the longest name needs, but leave the path more than
/// half of the rest.
pub(crate) fn names_width(width: usize, taken: usize, rows: &[Row<'_>]) -> usize {
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
    let rest = width.saturating_sub(taken);
    longest.clamp(12, 48).min((rest * 2 / 5).max(12))
}
