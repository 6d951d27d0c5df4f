//! The class of an instruction: LLVM's by its opcode, or the machine's by LLVM's name for it.
//!
//! `ADD64rm` adds to a register what a register and memory hold
//! (`llvm/lib/Target/X86/X86InstrInfo.td`). An instruction of the machine that computes with what
//! it loads counts as what it computes.

use std::fmt;

use pathformat::manifest::VECTOR;

/// The class of an instruction. The order is that of the tables.
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
    /// Quotients and remainders of whole or floating-point numbers.
    Divide,
    /// Other arithmetic of whole numbers, comparison included.
    Integer,
    /// Other arithmetic of floating-point numbers.
    Float,
    /// Conversions from one type to another.
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
    /// Returns the class of an opcode of the manifest: LLVM's, or of machine code.
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
            _ => of_machine(opcode).unwrap_or(Self::Other),
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

/// Beginnings of names in the order in which they are tried, with their classes.
const BEGINNINGS: [(&str, Class); 40] = [
    ("CALL", Class::Call),
    ("TLS_addr", Class::Call),
    ("TAILJMP", Class::Leave),
    ("RET", Class::Leave),
    ("TRAP", Class::Leave),
    ("JCC", Class::Branch),
    ("JMP", Class::Branch),
    ("LOCK", Class::Atomic),
    ("XCHG", Class::Atomic),
    ("XADD", Class::Atomic),
    ("CMPXCHG", Class::Atomic),
    ("MFENCE", Class::Atomic),
    ("LEA", Class::Address),
    ("POP64", Class::Load),
    ("PUSH64", Class::Store),
    ("DIV", Class::Divide),
    ("IDIV", Class::Divide),
    ("IMUL", Class::Multiply),
    ("MULX", Class::Multiply),
    ("MULSS", Class::FloatMultiply),
    ("MULSD", Class::FloatMultiply),
    ("MUL", Class::Multiply),
    ("FMADD", Class::FloatMultiply),
    ("FMSUB", Class::FloatMultiply),
    ("CVT", Class::Convert),
    ("MOVSX", Class::Convert),
    ("MOVZX", Class::Convert),
    ("CDQ", Class::Convert),
    ("CQO", Class::Convert),
    ("CWD", Class::Convert),
    ("ADC", Class::Integer),
    ("CMP", Class::Integer),
    ("TEST", Class::Integer),
    ("SET", Class::Integer),
    ("CMOV", Class::Integer),
    ("BT", Class::Integer),
    ("NEG", Class::Integer),
    ("NOT", Class::Integer),
    ("INC", Class::Integer),
    ("DEC", Class::Integer),
];

/// Words of arithmetic, which a size follows.
const ARITHMETIC: [&str; 12] =
    ["ADD", "SUB", "AND", "OR", "XOR", "SHL", "SHR", "SAR", "ROL", "ROR", "SBB", "ANDN"];

/// Returns the class of an instruction; `None` if its name tells none.
fn of_machine(name: &str) -> Option<Class> {
    // A `V` begins the names of those with three operands.
    let plain = name.strip_prefix('V').unwrap_or(name);
    let is_packed = ["PS", "PD"]
        .iter()
        .any(|kind| plain.find(kind).is_some_and(|at| at > 2 && !plain.starts_with("CVT")));
    let is_whole_vector =
        plain.starts_with('P') && !plain.starts_with("PUSH") && !plain.starts_with("POP")
            || plain.starts_with("MOVDQ");
    let is_scalar = plain.contains("SSr") || plain.contains("SDr");
    let begins = BEGINNINGS.iter().find(|(start, _)| plain.starts_with(start));
    match () {
        () if is_packed || is_whole_vector => Some(Class::Vector),
        () if plain.starts_with("MOV") && (name.ends_with("mr") || name.ends_with("mi"))
            || name.starts_with("MOV64mi32") =>
        {
            Some(Class::Store)
        }
        () if plain.starts_with("MOV")
            && !plain.starts_with("MOVSX")
            && (name.ends_with("rm") || name.ends_with("rm_alt")) =>
        {
            Some(Class::Load)
        }
        () if begins.is_some() => begins.map(|&(_, class)| class),
        () if is_scalar => Some(Class::Float),
        () if ARITHMETIC.iter().any(|word| {
            let rest = plain.strip_prefix(word);
            rest.is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
        }) =>
        {
            Some(Class::Integer)
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_classes() {
        let known = [
            ("MOV64rm", Class::Load),
            ("MOVSDrm_alt", Class::Load),
            ("MOV32mr", Class::Store),
            ("MOV64mi32", Class::Store),
            ("MOVZX32rm8", Class::Convert),
            ("ADD64rm", Class::Integer),
            ("VADDSDrr", Class::Float),
            ("VMULPDrm", Class::Vector),
            ("PANDrr", Class::Vector),
            ("PUSH64r", Class::Store),
            ("POP64r", Class::Load),
            ("IMUL64rr", Class::Multiply),
            ("MULSDrr", Class::FloatMultiply),
            ("JCC_1", Class::Branch),
            ("CALL64pcrel32", Class::Call),
            ("LEA64r", Class::Address),
            ("LOCK_INC64m", Class::Atomic),
            ("RET64", Class::Leave),
        ];
        for (name, expected) in known {
            assert_eq!(of_machine(name), Some(expected), "{name}");
        }
        assert_eq!(of_machine("extractvalue"), None);
    }
}
