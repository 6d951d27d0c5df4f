//! The table of executed instructions: LLVM's, by class and opcode, for the program, each function
//! or each block.
//!
//! The instructions of a block ran as often as the block or an edge, so they take no time in a run.
//! They are instructions of the intermediate code at the stage of the pass (see `-fpath-stage=`),
//! or at the stage `machine` those of the processor. A block that a call in it left for good counts
//! in full.

use std::collections::BTreeMap;

use counts::model::{Count, Function, PHI, Ran, Report};
use counts::select::Chosen;

pub use crate::show::instruction_class::Class;
use crate::show::rows::{self, NO_MATCH, Names, hidden, left_out, not_of_mode, share};
use crate::show::style::{plural, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility};

/// Executed instructions by class and opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mix<'a>(BTreeMap<(Class, &'a str), Count>);

impl<'a> Mix<'a> {
    /// Returns the instructions that each block of a function executed.
    pub fn of_blocks(function: &'a Function) -> Vec<Self> {
        let mut mixes = vec![Self::default(); function.shape.blocks.len()];
        for ran in function.ran() {
            if let Some(mix) = mixes.get_mut(ran.block) {
                mix.add(ran);
            }
        }
        mixes
    }

    /// Returns the instructions that these functions executed.
    pub fn of(functions: impl IntoIterator<Item = &'a Function>) -> Self {
        let mut mix = Self::default();
        functions.into_iter().flat_map(Function::ran).for_each(|ran| mix.add(ran));
        mix
    }

    /// Returns the number of all instructions.
    pub fn total(&self) -> Count {
        self.0.values().fold(0, |sum: Count, &count| sum.saturating_add(count))
    }

    /// Returns the number of instructions of one class.
    pub fn of_class(&self, class: Class) -> Count {
        self.0
            .range((class, "")..)
            .take_while(|((of, _), _)| *of == class)
            .fold(0, |sum: Count, (_, &count)| sum.saturating_add(count))
    }

    fn add(&mut self, ran: Ran<'a>) {
        for (opcode, count) in ran.opcodes.iter().filter(|_| ran.count > 0) {
            if !PHI.contains(&opcode.as_ref()) {
                let sum = self.0.entry((Class::of(opcode), opcode)).or_default();
                *sum = sum.saturating_add(ran.count.saturating_mul((*count).into()));
            }
        }
    }
}

/// The kind of row in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// A class and an opcode of it.
    #[default]
    Program,
    /// A function.
    Functions,
    /// A basic block.
    Blocks,
}

/// The classes that have a column where a row is a function or a block, with the titles of the
/// columns.
const COLUMNS: [(Class, &str); 10] = [
    (Class::Load, "load"),
    (Class::Store, "store"),
    (Class::Multiply, "mul"),
    (Class::FloatMultiply, "fmul"),
    (Class::Divide, "div"),
    (Class::Integer, "integer"),
    (Class::Float, "float"),
    (Class::Branch, "branch"),
    (Class::Call, "call"),
    (Class::Vector, "vector"),
];

/// Returns the instructions that the chosen functions executed, in at most `top` rows (0: all).
pub fn table(report: &Report, chosen: &Chosen<'_>, rows: Rows, top: usize) -> Table<'static> {
    let functions = &chosen.functions;
    let mut table = match rows {
        // The table of the program is always complete.
        Rows::Program => program(&Mix::of(functions.iter().copied()), report),
        Rows::Functions => {
            let mixes = functions.iter().map(|&function| (function, None, Mix::of([function])));
            by_class(report, "functions", mixes.collect(), top)
        }
        Rows::Blocks => {
            let blocks = functions.iter().flat_map(|&function| {
                let mixes = Mix::of_blocks(function).into_iter().enumerate();
                mixes.map(move |(block, mix)| (function, Some(block), mix))
            });
            by_class(report, "blocks", blocks.collect(), top)
        }
    };
    if report.with_blocks().next().is_none() {
        return Table { notes: Vec::new(), empty: not_of_mode(report, "Instructions"), ..table };
    }
    table.notes.extend(hidden(chosen, report.executed()));
    table.empty =
        if functions.is_empty() { NO_MATCH } else { "No instruction was executed." }.into();
    table
}

fn program(mix: &Mix<'_>, report: &Report) -> Table<'static> {
    let whole = Mix::of(report.with_blocks()).total();
    let cells = |class: String, opcode: &str, count: Count| {
        vec![
            Cell::Text(class),
            Cell::Text(opcode.into()),
            Cell::Number(count),
            Cell::Share { part: count, whole, heat: false },
        ]
    };
    let sum = |title: String, count: Count| Row { cells: cells(title, "", count), is_sum: true };
    let mut rows = Vec::new();
    let mut last = None;
    for (&(class, opcode), &count) in &mix.0 {
        if last != Some(class) {
            rows.push(sum(class.to_string(), mix.of_class(class)));
            last = Some(class);
        }
        rows.push(Row::from(cells(class.to_string(), opcode, count)));
    }
    if last.is_some() {
        rows.push(sum("all".into(), mix.total()));
    }
    Table {
        name: "opcodes",
        columns: vec![
            Column::new("class", CellKind::Text).shown(Visibility::OnChange),
            Column::new("opcode", CellKind::Text),
            Column::new("executed", CellKind::Number),
            Column::new("share", CellKind::Share),
        ],
        rows,
        notes: vec![format!("in order of class; {}", share(report))],
        empty: String::new(),
    }
}

/// A function or a block of it, and the instructions that it executed.
type Mixed<'a> = (&'a Function, Option<usize>, Mix<'a>);

fn by_class(
    report: &Report,
    name: &'static str,
    mut mixes: Vec<Mixed<'_>>,
    top: usize,
) -> Table<'static> {
    mixes.retain(|(_, _, mix)| mix.total() > 0);
    mixes.sort_by_cached_key(|(function, block, mix)| {
        (std::cmp::Reverse(mix.total()), function.demangled.clone(), *block)
    });
    let all = mixes.len();
    mixes.truncate(shown(top, all));
    let names =
        Names::of(report, &mixes.iter().map(|(function, ..)| *function).collect::<Vec<_>>());
    let row = |(function, block, mix): &Mixed<'_>| {
        let counts = COLUMNS.map(|(class, _)| Cell::Number(mix.of_class(class)));
        let mut cells = vec![Cell::Number(mix.total())];
        cells.extend(counts);
        cells.extend(names.cells(function));
        cells.extend(block.map(|block| Cell::Text(format!("bb{block}"))));
        Row::from(cells)
    };
    let numbers = ["all"].into_iter().chain(COLUMNS.map(|(_, title)| title));
    let block = (name == "blocks").then_some(Column::new("block", CellKind::Text));
    let thing = name.strip_suffix('s').unwrap_or(name);
    Table {
        name,
        rows: mixes.iter().map(row).collect(),
        columns: numbers
            .map(|title| Column::new(title, CellKind::Number))
            .chain(rows::columns())
            .chain(block)
            .collect(),
        notes: left_out(top, all, &plural(all, thing))
            .into_iter()
            .chain([
                "in order of executed instructions; all: those of classes without a column, too"
                    .into(),
            ])
            .collect(),
        empty: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use counts::model::Counting;
    use pathformat::settings::Mode;

    use super::*;
    use crate::sample;

    fn text(rows: Rows) -> String {
        let report = sample::report();
        let chosen = Chosen { functions: report.counted().collect(), ..Chosen::default() };
        sample::text_of(table(&report, &chosen, rows, 3))
    }

    #[test]
    fn a_mode_without_instructions_is_named() {
        let mut report = sample::report();
        report.functions.iter_mut().for_each(|of| of.counting = Counting::Calls);
        report.modules.iter_mut().for_each(|module| module.mode = Mode::Calls);
        for rows in [Rows::Program, Rows::Functions, Rows::Blocks] {
            let text = sample::text_of(table(&report, &Chosen::default(), rows, 3));
            let said = "Instructions are not counted in mode calls (see -fpath-mode=).\n";
            assert_eq!(text, said);
        }
    }

    #[test]
    fn by_class_and_opcode() {
        insta::assert_snapshot!(text(Rows::Program));
    }

    #[test]
    fn by_function() {
        insta::assert_snapshot!(text(Rows::Functions));
    }

    #[test]
    fn by_block() {
        insta::assert_snapshot!(text(Rows::Blocks));
    }

    #[test]
    fn the_mix_of_everything_is_what_was_executed() {
        let report = sample::report();
        assert_eq!(Mix::of(report.counted()).total(), report.executed());
    }

    #[test]
    fn vectors_and_intrinsics_are_classes_of_their_own() {
        assert_eq!(Class::of("vector load"), Class::Vector);
        assert_eq!(Class::of("llvm.fmuladd"), Class::FloatMultiply);
        assert_eq!(Class::of("llvm.memcpy"), Class::Intrinsic);
        assert_eq!(Class::of("invoke"), Class::Call);
        assert_eq!(Class::of("asm"), Class::Other);
    }
}
