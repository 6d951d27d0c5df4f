//! The class of an instruction of the machine, by LLVM's name for it: `ADD64rm` adds to a register
//! what a register and memory hold (`llvm/lib/Target/X86/X86InstrInfo.td`).
//!
//! An instruction that computes with what it loads counts as what it computes.

use super::Class;

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
pub(super) fn class(name: &str) -> Option<Class> {
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
            ("PADDQrr", Class::Vector),
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
            assert_eq!(class(name), Some(expected), "{name}");
        }
        assert_eq!(class("extractvalue"), None);
    }
}
