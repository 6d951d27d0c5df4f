//! The table of labels, and that of the labels under which a path was executed.

use compare::labels::LabelRow;
use counts::model::Count;
use profile::escape::terminal;

use crate::show::rows::left_out;
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table};

/// The name of what has no label.
const NONE: &str = "(none)";

/// Where labels come from.
const MEANING: &str = "a label is what pathcc_label(), PATHCC_LABEL, `pathprof label` or \
     `pathprof merge --label` called it; \"only here\" counts the paths that no other label has";

/// Returns the labels in at most `top` rows (0: all), those with the most paths of their own first.
pub fn table(mut labels: Vec<LabelRow>, top: usize) -> Table<'static> {
    labels.sort_by(|one, other| {
        let rank = |row: &LabelRow| (row.own_paths, row.paths);
        rank(other).cmp(&rank(one)).then_with(|| one.label.cmp(&other.label))
    });
    let number = shown(top, labels.len());
    let whole: Count = labels.iter().map(|row| row.instructions).sum();
    let row = |(at, row): (usize, &LabelRow)| {
        Row::from(vec![
            Cell::Rank(at + 1),
            Cell::Number(row.runs as Count),
            Cell::Number(row.functions as Count),
            Cell::Number(row.paths as Count),
            Cell::Number(row.own_paths as Count),
            Cell::Number(row.instructions),
            Cell::Share { part: row.instructions, whole, heat: true },
            Cell::Text(name(&row.label)),
        ])
    };
    Table {
        name: "labels",
        columns: vec![
            Column::new("#", CellKind::Rank).key("rank"),
            Column::new("runs", CellKind::Number),
            Column::new("functions", CellKind::Number),
            Column::new("paths", CellKind::Number),
            Column::new("only here", CellKind::Number).key("only_here"),
            Column::new("instructions", CellKind::Number),
            Column::new("share", CellKind::Share),
            Column::new("label", CellKind::Text),
        ],
        rows: labels.iter().take(number).enumerate().map(row).collect(),
        notes: left_out(top, labels.len(), &plural(labels.len(), "label"))
            .into_iter()
            .chain([MEANING.into()])
            .collect(),
        empty: "Nothing was counted.".into(),
    }
}

/// Returns the labels under which a path was executed, with the number of times, in at most `top`
/// rows (0: all), the most frequent first. `path` is its name.
pub fn of_path(mut labels: Vec<(String, Count)>, path: &str, top: usize) -> Table<'static> {
    labels.retain(|&(_, count)| count > 0);
    labels.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    let number = shown(top, labels.len());
    let whole: Count = labels.iter().map(|(_, count)| count).sum();
    let row = |(at, (label, count)): (usize, &(String, Count))| {
        Row::from(vec![
            Cell::Rank(at + 1),
            Cell::Number(*count),
            Cell::Share { part: *count, whole, heat: true },
            Cell::Text(name(label)),
        ])
    };
    Table {
        name: "labels",
        columns: vec![
            Column::new("#", CellKind::Rank).key("rank"),
            Column::new("count", CellKind::Number),
            Column::new("share", CellKind::Share),
            Column::new("label", CellKind::Text),
        ],
        rows: labels.iter().take(number).enumerate().map(row).collect(),
        notes: left_out(top, labels.len(), &plural(labels.len(), "label"))
            .into_iter()
            .chain([format!("the labels under which {path} was executed, and how often")])
            .collect(),
        empty: format!("{path} was executed under no label."),
    }
}

fn name(label: &str) -> String {
    if label.is_empty() { NONE.into() } else { terminal(label).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn row(label: &str, paths: usize, own_paths: usize) -> LabelRow {
        LabelRow { label: label.into(), runs: 1, functions: 2, paths, own_paths, instructions: 50 }
    }

    #[test]
    fn labels_with_paths_of_their_own_come_first() {
        let rows = vec![row("", 9, 0), row("parses\x1b[0m", 7, 0), row("fails", 3, 2)];
        insta::assert_snapshot!(sample::text_of(table(rows, 0)));
    }

    #[test]
    fn the_labels_of_a_path_are_listed() {
        let labels = vec![("a".into(), 1), ("b".into(), 0), ("c".into(), 3)];
        insta::assert_snapshot!(sample::text_of(of_path(labels, "parse#2", 1)));
        let text = sample::text_of(of_path(Vec::new(), "parse#2", 0));
        assert!(text.contains("parse#2 was executed under no label."), "{text}");
    }
}
