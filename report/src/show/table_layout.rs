//! The places of the cells of a table, and the width of each column.
//!
//! The first of these layouts that fits is taken: cells beside each other; places below names, and
//! other cells below those before them if their columns stack; texts below numbers; each number
//! behind the title of its column.

use unicode_width::UnicodeWidthStr;

use crate::show::cell_text::plain;
use crate::show::table::{CellKind, Table, Visibility};

/// The gap between two columns.
pub(crate) const GAP: usize = 2;

/// Columns whose cells are below each other.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The indices of the columns.
    pub(crate) columns: Vec<usize>,
    /// The largest width of the columns; `None` if it is unlimited.
    pub(crate) width: Option<usize>,
    /// True if they hold numbers.
    pub(crate) is_number: bool,
}

/// The places of the cells of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// The slots beside each other.
    pub(crate) slots: Vec<Slot>,
    /// The columns below the slots, each on lines of its own.
    pub(crate) below: Vec<usize>,
    /// True if each number is behind the title of its column.
    pub(crate) as_record: bool,
}

impl Layout {
    /// Returns the layout of a table in this width.
    pub(crate) fn of(table: &Table<'_>, width: Option<usize>) -> Self {
        let is_section = |at: &usize| table.columns[*at].shown == Visibility::Section;
        let shown: Vec<_> = table.seen().into_iter().filter(|at| !is_section(at)).collect();
        let slot = |columns: Vec<usize>| Slot {
            is_number: table.columns[columns[0]].kind.is_number(),
            columns,
            width: None,
        };
        let beside: Vec<_> = shown.iter().map(|&at| slot(vec![at])).collect();
        let Some(width) = width else { return Self { slots: beside, ..Self::default() } };
        let natural: Vec<_> = (0..table.columns.len()).map(|at| natural(table, at)).collect();
        let arranged = |slots: &[Slot], least| arrange(table, slots, &natural, width, least);
        let below = stacked(table, &beside);
        let fitting = arranged(&beside, false).or_else(|| arranged(&below, true));
        if let Some(slots) = fitting {
            return Self { slots, ..Self::default() };
        }
        let is_number = |at: &usize| table.columns[*at].kind.is_number();
        let (numbers, below): (Vec<_>, Vec<_>) = shown.into_iter().partition(is_number);
        let numbers: Vec<_> = numbers.into_iter().map(|at| slot(vec![at])).collect();
        match arranged(&numbers, false) {
            Some(slots) => Self { slots, below, as_record: false },
            None => Self { slots: numbers, below, as_record: true },
        }
    }
}

/// Returns the same slots with each place, and each column that stacks, below the cell before it.
fn stacked(table: &Table<'_>, slots: &[Slot]) -> Vec<Slot> {
    let kind = |slot: &Slot| table.columns[slot.columns[0]].kind;
    let mut joined: Vec<Slot> = Vec::new();
    for slot in slots {
        match joined.last_mut() {
            Some(above)
                if table.columns[slot.columns[0]].stacks
                    || (kind(slot) == CellKind::SourceLine && kind(above) == CellKind::Name) =>
            {
                above.columns.extend(&slot.columns);
            }
            _ => joined.push(slot.clone()),
        }
    }
    joined
}

/// Returns the width of a column if nothing is shortened.
fn natural(table: &Table<'_>, at: usize) -> usize {
    let cells = table.rows.iter().map(|row| plain(&row.cells[at]).width());
    cells.chain([table.columns[at].title.width()]).max().unwrap_or_default()
}

/// Returns the slots beside each other if they fit: all at their natural widths, or, if `narrow`,
/// texts at their least legible width, which then grow by turns.
fn arrange(
    table: &Table<'_>,
    slots: &[Slot],
    natural: &[usize],
    width: usize,
    narrow: bool,
) -> Option<Vec<Slot>> {
    let widest = |slot: &Slot| slot.columns.iter().map(|&at| natural[at]).max().unwrap_or_default();
    // The least legible width of a text, and the rate at which it grows.
    let needs = |slot: &Slot| match table.columns[slot.columns[0]].kind {
        kind if kind.is_number() => (usize::MAX, 0),
        CellKind::Name => (20, 2),
        CellKind::SourceLine => (14, 1),
        CellKind::Flow => (30, 3),
        _ => (24, 2),
    };
    let title = |slot: &Slot| table.columns[slot.columns[0]].title.width();
    let least = |slot: &Slot| needs(slot).0.max(title(slot)).min(widest(slot));
    let mut widths: Vec<_> =
        slots.iter().map(|slot| if narrow { least(slot) } else { widest(slot) }).collect();
    let taken = widths.iter().sum::<usize>() + GAP * slots.len().saturating_sub(1);
    let mut left = width.checked_sub(taken)?;
    while left > 0 {
        let growing = (0..slots.len()).filter(|&at| widths[at] < widest(&slots[at]));
        // The slot with the least width for its weight is next.
        let Some(next) = growing.min_by_key(|&at| widths[at] * 6 / needs(&slots[at]).1) else {
            break;
        };
        widths[next] += 1;
        left -= 1;
    }
    let with_width = |(slot, width): (&Slot, usize)| Slot { width: Some(width), ..slot.clone() };
    Some(slots.iter().zip(widths).map(with_width).collect())
}
