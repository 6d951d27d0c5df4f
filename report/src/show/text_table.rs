//! Writes a table as text.
//!
//! With a width no line is wider. Without one each row is one complete line, and the padding of a
//! column is limited so that one long cell does not move all others.

use owo_colors::OwoColorize;
use unicode_width::UnicodeWidthStr;

use crate::show::cell_text::{lines, linked, plain, wrapped};
use crate::show::fitted_names;
use crate::show::style::visible_width;
use crate::show::table::{Cell, Row, Table, Visibility};
use crate::show::table_layout::{GAP, Layout, Slot};

/// The destination of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// The largest number of columns of a line; `None` if it is unlimited.
    pub width: Option<usize>,
    /// True if files are linked.
    pub links: bool,
}

/// The indent of the lines below the numbers of a row.
const INDENT: usize = 4;
/// The longest cell that counts for the padding of a column without a width. A longer cell moves
/// what is behind it.
const LONGEST_PAD: usize = 40;

/// Adds the rows of a table, below the titles of its columns.
pub(crate) fn write(table: &Table<'_>, screen: Screen, out: &mut String) {
    let layout = Layout::of(table, screen.width);
    let mut text = Text { table, screen, cells: Vec::new(), pads: Vec::new(), layout, out };
    text.cells = text.fitted();
    text.pads = text.layout.slots.iter().map(|slot| text.pad(slot)).collect();
    text.titles();
    let mut section = None;
    for at in 0..table.rows.len() {
        text.section(at, &mut section);
        if text.layout.as_record { text.record(at) } else { text.row(at) }
    }
}

/// A table whose cells are fitted into a layout.
struct Text<'a> {
    table: &'a Table<'a>,
    screen: Screen,
    layout: Layout,
    /// The lines of each cell, by row and column.
    cells: Vec<Vec<Vec<String>>>,
    /// The width of each slot, as far as it is padded.
    pads: Vec<usize>,
    out: &'a mut String,
}

impl Text<'_> {
    /// Returns the lines of each cell that is shown.
    fn fitted(&self) -> Vec<Vec<Vec<String>>> {
        let mut cells: Vec<_> =
            self.table.rows.iter().map(|row| vec![Vec::new(); row.cells.len()]).collect();
        let slots = self.layout.slots.iter();
        let beside = slots.flat_map(|slot| slot.columns.iter().map(|&at| (at, slot.width)));
        let room = self.screen.width.map(|width| width.saturating_sub(INDENT).max(1));
        for (at, width) in beside.chain(self.layout.below.iter().map(|&at| (at, room))) {
            for (lines, row) in self.column(at, width).into_iter().zip(&mut cells) {
                row[at] = lines;
            }
        }
        cells
    }

    /// Returns the lines of the cells of one column.
    fn column(&self, at: usize, width: Option<usize>) -> Vec<Vec<String>> {
        let rows = &self.table.rows;
        let of_cell =
            |cell: &_| if let Cell::Name(name) = cell { Some(name.clone()) } else { None };
        let names: Vec<_> = rows.iter().filter_map(|row| of_cell(&row.cells[at])).collect();
        let mut names = fitted_names::fit(&names.iter().collect::<Vec<_>>(), width).into_iter();
        let mut above = None;
        let mut column = Vec::with_capacity(rows.len());
        for row in rows {
            let cell = &row.cells[at];
            let mut of_cell = lines(cell, width, self.screen.links);
            if let Cell::Name(name) = cell {
                let paint = |line: String| line.cyan().to_string();
                let painted = names.next().unwrap_or_default().into_iter().map(paint);
                of_cell = painted
                    .map(|line| linked(&line, name.link.as_ref(), self.screen.links))
                    .collect();
            }
            if row.is_sum {
                of_cell.iter_mut().for_each(|line| *line = line.bold().to_string());
            }
            let text = Some((self.section_of(row), plain(cell)));
            if self.table.columns[at].shown == Visibility::OnChange && above == text {
                of_cell = vec![String::new()];
            }
            above = text;
            column.push(of_cell);
        }
        column
    }

    /// Returns the width of a slot.
    fn pad(&self, slot: &Slot) -> usize {
        let ends = self.screen.width.is_some() || slot.is_number;
        let most = if ends { usize::MAX } else { LONGEST_PAD };
        let lines = self.cells.iter().flat_map(|row| slot.columns.iter().flat_map(|&at| &row[at]));
        let widths = lines.map(|line| visible_width(line)).filter(|&wide| wide <= most);
        let titles = self.titles_of(slot).map(UnicodeWidthStr::width);
        widths.chain(titles).max().unwrap_or_default()
    }

    /// Returns the titles above a slot: that of its first column, and of those that stack.
    fn titles_of(&self, slot: &Slot) -> impl Iterator<Item = &'static str> {
        let columns = slot.columns.iter().map(|&at| &self.table.columns[at]);
        columns.enumerate().filter(|(at, of)| *at == 0 || of.stacks).map(|(_, of)| of.title)
    }

    /// Adds the titles, and on a screen a line below them.
    fn titles(&mut self) {
        if self.layout.as_record {
            return;
        }
        let title = |at: usize| self.table.columns[at].title.bold().to_string();
        let bold = |title: &str| title.bold().to_string();
        let slots = self.layout.slots.iter().map(|slot| self.titles_of(slot).map(bold).collect());
        let slots = slots.collect();
        let below: Vec<_> = self.layout.below.iter().map(|&at| title(at)).collect();
        self.beside(slots);
        if !below.is_empty() {
            self.line(&format!("{:INDENT$}{}", "", below.join(", ")));
        }
        if let Some(width) = self.screen.width {
            let wide = self.pads.iter().sum::<usize>() + GAP * self.pads.len().saturating_sub(1);
            self.line(&"─".repeat(wide.min(width)).dimmed().to_string());
        }
    }

    /// Returns the text of the line above a row, if it has one.
    fn section_of(&self, row: &Row<'_>) -> Option<String> {
        let mut cells = self.table.columns.iter().zip(&row.cells);
        cells.find(|(column, _)| column.shown == Visibility::Section).map(|(_, cell)| plain(cell))
    }

    /// Adds the line above a row, if it has one that differs from that of the row before.
    fn section(&mut self, at: usize, last: &mut Option<String>) {
        let Some(section) = self.section_of(&self.table.rows[at]) else { return };
        if last.as_ref() == Some(&section) {
            return;
        }
        if last.is_some() {
            self.line("");
        }
        for line in wrapped(&section, self.screen.width) {
            self.line(&line.bold().to_string());
        }
        *last = Some(section);
    }

    /// Adds a row.
    fn row(&mut self, at: usize) {
        let row = &self.cells[at];
        let slot = |slot: &Slot| slot.columns.iter().flat_map(|&at| row[at].clone()).collect();
        let slots = self.layout.slots.iter().map(slot).collect();
        let below: Vec<_> = self.layout.below.iter().flat_map(|&at| row[at].clone()).collect();
        self.beside(slots);
        for line in below.iter().filter(|line| visible_width(line) > 0) {
            self.line(&format!("{:INDENT$}{line}", ""));
        }
    }

    /// Adds a row whose numbers do not fit beside each other: its texts, and below them each number
    /// behind its title.
    fn record(&mut self, at: usize) {
        let row = &self.cells[at];
        let texts = self.layout.below.iter().flat_map(|&at| row[at].clone());
        let texts = texts.filter(|text| visible_width(text) > 0).enumerate();
        let mut lines: Vec<_> =
            texts.map(|(at, text)| format!("{:1$}{text}", "", INDENT * at.min(1))).collect();
        let room = self.screen.width.unwrap_or(usize::MAX);
        let mut line = String::new();
        for &at in self.layout.slots.iter().flat_map(|slot| &slot.columns) {
            let item = format!("{} {}", self.table.columns[at].title.dimmed(), row[at].join(" "));
            if !line.is_empty() && visible_width(&line) + GAP + visible_width(&item) > room {
                lines.push(std::mem::take(&mut line));
            }
            line += &format!("{:1$}{item}", "", if line.is_empty() { INDENT } else { GAP });
        }
        lines.push(line);
        lines.iter().for_each(|line| self.line(line));
    }

    /// Adds cells of several lines beside each other. All but the last in a line are padded.
    fn beside(&mut self, slots: Vec<Vec<String>>) {
        for at in 0..slots.iter().map(Vec::len).max().unwrap_or_default() {
            let (mut line, mut column, mut start) = (String::new(), 0, 0);
            for ((cell, of), &pad) in slots.iter().zip(&self.layout.slots).zip(&self.pads) {
                let text = cell.get(at).map_or("", String::as_str);
                let wide = visible_width(text);
                let blank = if of.is_number { pad.saturating_sub(wide) } else { 0 };
                if wide > 0 {
                    // A cell that is too wide moves the cells behind it.
                    let gap = if column == 0 { 0 } else { GAP };
                    let from = (start + blank).max(column + gap);
                    line += &format!("{:1$}{text}", "", from - column);
                    column = from + wide;
                }
                start += pad + GAP;
            }
            self.line(&line);
        }
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }
}
