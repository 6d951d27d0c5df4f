//! The table of executed instructions: LLVM's, by class and opcode, for the program, each function
//! or each block.
//!
//! The instructions of a block ran as often as the block, so their counts cost a run nothing. They
//! are those of the intermediate code where the pass ran (see `-fpath-stage=`), not those of the
//! processor. A block that a call in it left for good counts in full.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Result, Write};

use comfy_table::CellAlignment::{Left, Right};
use owo_colors::OwoColorize;
use pathformat::manifest::VECTOR;

use crate::analyse::model::{Count, Function, PHI, Report};
use crate::show::style::{grouped, left_out, percent, print, shown, table};

/// What an instruction is for. The order is that of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `load`
    Load,
    /// `store`
    Store,
    /// Read-modify-write, compare-and-swap, fences.
    Atomic,
    /// `mul`
    Multiply,
    /// `fmul`, and the intrinsics that multiply and add.
    FloatMultiply,
    /// Quotients and remainders, whole or not.
    Divide,
    /// Other arithmetic of whole numbers, comparison included.
    Integer,
    /// Other arithmetic of floating-point numbers.
    Float,
    /// From one type to another.
    Convert,
    /// `getelementptr` and `alloca`.
    Address,
    /// `br`, `switch`, `indirectbr`.
    Branch,
    /// Calls of functions.
    Call,
    /// `ret`, `resume`, `unreachable`.
    Leave,
    /// Anything on vectors.
    Vector,
    /// Calls of LLVM's intrinsics, which mostly become a few instructions.
    Intrinsic,
    /// Anything else: `select`, `freeze`, parts of structures, assembly.
    Other,
}

impl Class {
    /// The class of an opcode as the manifest has it.
    pub fn of(opcode: &str) -> Self {
        match opcode {
            _ if opcode.starts_with(VECTOR) => Self::Vector,
            "load" => Self::Load,
            "store" => Self::Store,
            "atomicrmw" | "cmpxchg" | "fence" => Self::Atomic,
            "mul" => Self::Multiply,
            "fmul" | "llvm.fmuladd" | "llvm.fma" => Self::FloatMultiply,
            "udiv" | "sdiv" | "urem" | "srem" | "fdiv" | "frem" => Self::Divide,
            "add" | "sub" | "shl" | "lshr" | "ashr" | "and" | "or" | "xor" | "icmp" => {
                Self::Integer
            }
            "fadd" | "fsub" | "fneg" | "fcmp" => Self::Float,
            "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp"
            | "sitofp" | "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast" => {
                Self::Convert
            }
            "getelementptr" | "alloca" => Self::Address,
            "br" | "switch" | "indirectbr" => Self::Branch,
            "call" | "invoke" | "callbr" => Self::Call,
            "ret" | "resume" | "unreachable" => Self::Leave,
            _ if opcode.starts_with("llvm.") => Self::Intrinsic,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
            Self::Multiply => "integer multiply",
            Self::FloatMultiply => "float multiply",
            Self::Divide => "divide",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Convert => "convert",
            Self::Address => "address",
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Leave => "leave",
            Self::Vector => "vector",
            Self::Intrinsic => "intrinsic",
            Self::Other => "other",
        })
    }
}

/// Executed instructions by class and opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mix<'a>(BTreeMap<(Class, &'a str), Count>);

impl<'a> Mix<'a> {
    /// What one block executed.
    pub fn of_block(function: &'a Function, block: usize) -> Self {
        let mut mix = Self::default();
        mix.add(function, block);
        mix
    }

    /// What these functions executed.
    pub fn of(functions: impl IntoIterator<Item = &'a Function>) -> Self {
        let mut mix = Self::default();
        for function in functions {
            (0..function.shape.blocks.len()).for_each(|block| mix.add(function, block));
        }
        mix
    }

    /// All instructions.
    pub fn total(&self) -> Count {
        self.0.values().fold(0, |sum: Count, &count| sum.saturating_add(count))
    }

    /// Those of one class.
    pub fn of_class(&self, class: Class) -> Count {
        self.0
            .range((class, "")..)
            .take_while(|((of, _), _)| *of == class)
            .fold(0, |sum: Count, (_, &count)| sum.saturating_add(count))
    }

    fn add(&mut self, function: &'a Function, block: usize) {
        let times = function.block_counts[block];
        for (opcode, count) in &function.shape.blocks[block].opcodes {
            if times > 0 && !PHI.contains(&opcode.as_ref()) {
                let sum = self.0.entry((Class::of(opcode), opcode)).or_default();
                *sum = sum.saturating_add(times.saturating_mul((*count).into()));
            }
        }
    }
}

/// What a row of the table is.
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

/// The classes that have a column where a row is a function or a block, and the heads of their
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

/// Writes what `functions` executed, in so many rows at most (0: all).
///
/// # Errors
/// Those of `out`.
pub fn write(
    report: &Report,
    functions: &[&Function],
    rows: Rows,
    top: usize,
    out: &mut impl Write,
) -> Result<()> {
    let all = Mix::of(report.with_blocks());
    let table = match rows {
        Rows::Program => program(&Mix::of(functions.iter().copied()), all.total()),
        Rows::Functions => {
            let mixes =
                functions.iter().map(|&function| (function.demangled.clone(), Mix::of([function])));
            columns("function", mixes.collect(), top, out)?
        }
        Rows::Blocks => {
            let blocks = functions.iter().flat_map(|&function| {
                let name = move |block| format!("{} bb{block}", function.demangled);
                (0..function.shape.blocks.len())
                    .map(move |block| (name(block), Mix::of_block(function, block)))
            });
            columns("block", blocks.collect(), top, out)?
        }
    };
    print(&table, out)?;
    writeln!(out)
}

fn program(mix: &Mix<'_>, total: Count) -> comfy_table::Table {
    let mut table =
        table(&[("class", Left), ("opcode", Left), ("executed", Right), ("share", Right)]);
    let mut last = None;
    for (&(class, opcode), &count) in &mix.0 {
        if last != Some(class) {
            let sum = mix.of_class(class);
            table.add_row([
                class.bold().to_string(),
                String::new(),
                grouped(sum).bold().to_string(),
                percent(sum, total),
            ]);
            last = Some(class);
        }
        table.add_row([String::new(), opcode.into(), grouped(count), percent(count, total)]);
    }
    let sum = mix.total();
    table.add_row([
        "all".bold().to_string(),
        String::new(),
        grouped(sum).bold().to_string(),
        percent(sum, total),
    ]);
    table
}

fn columns(
    title: &str,
    mut mixes: Vec<(String, Mix<'_>)>,
    top: usize,
    out: &mut impl Write,
) -> Result<comfy_table::Table> {
    mixes.retain(|(_, mix)| mix.total() > 0);
    mixes.sort_by_cached_key(|(name, mix)| (std::cmp::Reverse(mix.total()), name.clone()));
    let shown = shown(top, mixes.len());
    left_out(shown, mixes.len(), &grouped(mixes.len() as Count), out)?;
    let numbers = COLUMNS.map(|(_, title)| (title, Right));
    let mut table = table(&[&[(title, Left), ("all", Right)][..], &numbers].concat());
    for (name, mix) in mixes.into_iter().take(shown) {
        let counts = COLUMNS.map(|(class, _)| grouped(mix.of_class(class)));
        table.add_row([&[name, grouped(mix.total())][..], &counts].concat());
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn text(rows: Rows) -> String {
        let report = sample::report();
        let functions: Vec<_> = report.counted().collect();
        let mut out = Vec::new();
        write(&report, &functions, rows, 3, &mut out).expect("in memory");
        anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
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
