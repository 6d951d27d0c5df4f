//! Reads bitcode before it is linked: whether it has code, and whether the pass has counted it.
//!
//! Both stand in records of the module itself. All else is skipped, block by block. See LLVM's
//! "LLVM Bitcode File Format".

use pathformat::names;

/// The first bytes of bitcode.
const MAGIC: &[u8] = b"BC\xc0\xde";

/// What stands before it in a wrapper, and where that says where the bitcode begins.
const WRAPPER: [u8; 4] = [0xde, 0xc0, 0x17, 0x0b];
const WRAPPER_OFFSET: usize = 8;

/// The block of a module.
const MODULE_BLOCK: u64 = 8;

/// What of it is for thin link-time optimisation.
const THIN_SUMMARY_BLOCK: u64 = 20;

/// Its records: text for the assembler, and a function.
const ASSEMBLY: u64 = 4;
const FUNCTION: u64 = 8;

/// Of the record of a function: where it says that there is only a declaration, and how the
/// function is linked …
const IS_DECLARATION: usize = 4;
const LINKAGE: usize = 5;

/// … which for a copy that is only there to be inlined is this.
const AVAILABLE_EXTERNALLY: u64 = 12;

/// Abbreviations have no more operands, nor modules more abbreviations.
const MOST: usize = 1 << 10;

/// True if these bytes are bitcode.
pub(crate) fn is_bitcode(data: &[u8]) -> bool {
    data.starts_with(MAGIC) || data.starts_with(&WRAPPER)
}

/// The relation of bitcode to the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bitcode {
    /// It has no functions, or cannot be read.
    Empty,
    /// The pass has counted it, and optimisation may join it with others.
    Counted,
    /// The pass has not seen its functions.
    Plain {
        /// True if it stays a unit of its own, as in thin link-time optimisation.
        is_apart: bool,
    },
}

impl Bitcode {
    /// The bitcode in these bytes.
    pub(crate) fn of(data: &[u8]) -> Self {
        let manifest = names::MANIFEST_SECTION.as_bytes();
        match module(data) {
            Some(module)
                if module.assembly.windows(manifest.len()).any(|text| text == manifest) =>
            {
                Self::Counted
            }
            Some(Module { has_code: true, is_apart, .. }) => Self::Plain { is_apart },
            _ => Self::Empty,
        }
    }
}

/// The modules of a file.
#[derive(Default)]
struct Module {
    has_code: bool,
    is_apart: bool,
    assembly: Vec<u8>,
}

fn module(data: &[u8]) -> Option<Module> {
    let start = if data.starts_with(&WRAPPER) {
        let offset = *data.get(WRAPPER_OFFSET..)?.first_chunk()?;
        u32::from_le_bytes(offset) as usize
    } else {
        0
    };
    let mut bits = BitStream { data: data.get(start..)?.strip_prefix(MAGIC)?, at: 0 };
    let mut module = Module::default();
    while let Some(1) = bits.fixed(2) {
        let block = bits.enter()?;
        if block.kind == MODULE_BLOCK {
            module.read(
                BitStream { data: bits.data.get(..block.end / 8)?, at: bits.at },
                block.width,
            )?;
        }
        bits.at = block.end;
    }
    Some(module)
}

impl Module {
    /// Reads the records of a block whose abbreviations have numbers of this width.
    fn read(&mut self, mut bits: BitStream<'_>, width: u32) -> Option<()> {
        let mut abbreviations: Vec<Vec<Operand>> = Vec::new();
        loop {
            match bits.fixed(width)? {
                0 => return Some(()),
                1 => {
                    let block = bits.enter()?;
                    self.is_apart |= block.kind == THIN_SUMMARY_BLOCK;
                    bits.at = block.end;
                }
                2 => {
                    abbreviations.push(bits.abbreviation().filter(|_| abbreviations.len() < MOST)?)
                }
                3 => {
                    let (code, count) = (bits.variable(6)?, bits.variable(6)?);
                    let record =
                        (0..count).map(|_| bits.variable(6)).collect::<Option<Vec<_>>>()?;
                    self.take(code, &record);
                }
                number => {
                    let abbreviation = abbreviations.get(usize::try_from(number).ok()? - 4)?;
                    let record = bits.record(abbreviation)?;
                    let (&code, record) = record.split_first()?;
                    self.take(code, record);
                }
            }
        }
    }

    fn take(&mut self, code: u64, record: &[u64]) {
        let is = |at: usize, value| record.get(at) == Some(&value);
        match code {
            ASSEMBLY => self.assembly.extend(record.iter().map(|&byte| byte as u8)),
            FUNCTION => {
                self.has_code |= is(IS_DECLARATION, 0) && !is(LINKAGE, AVAILABLE_EXTERNALLY);
            }
            _ => {}
        }
    }
}

/// The encoding of a value in an abbreviation.
#[derive(Clone, Copy)]
enum Operand {
    Literal(u64),
    Fixed(u32),
    Variable(u32),
    Array,
    Character,
    Blob,
}

/// The head of a block.
struct Block {
    kind: u64,
    width: u32,
    /// Where it ends, in bits.
    end: usize,
}

/// A stream of bits, which is behind those that were read.
struct BitStream<'a> {
    data: &'a [u8],
    at: usize,
}

impl BitStream<'_> {
    fn fixed(&mut self, width: u32) -> Option<u64> {
        let mut value = 0;
        for bit in 0..width {
            let byte = *self.data.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1).checked_shl(bit)?;
            self.at += 1;
        }
        Some(value)
    }

    fn variable(&mut self, width: u32) -> Option<u64> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let part = self.fixed(width)?;
            let more = 1u64.checked_shl(width - 1)?;
            value |= (part & (more - 1)).checked_shl(shift)?;
            if part & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }

    /// Goes to what is in a block.
    fn enter(&mut self) -> Option<Block> {
        let (kind, width) = (self.variable(8)?, u32::try_from(self.variable(4)?).ok()?);
        self.align();
        let words = usize::try_from(self.fixed(32)?).ok()?;
        Some(Block {
            kind,
            width: width.min(32),
            end: self.at.checked_add(words.checked_mul(32)?)?,
        })
    }

    fn abbreviation(&mut self) -> Option<Vec<Operand>> {
        let count = usize::try_from(self.variable(5)?).ok().filter(|&count| count < MOST)?;
        let mut operands = Vec::with_capacity(count);
        while operands.len() < count {
            if self.fixed(1)? == 1 {
                operands.push(Operand::Literal(self.variable(8)?));
                continue;
            }
            let kind = self.fixed(3)?;
            let width = |bits: &mut Self| {
                let width = u32::try_from(bits.variable(5)?).ok()?;
                (width <= 64).then_some(width)
            };
            operands.push(match kind {
                // A width of nothing stands for 0.
                1 => width(self).map(|width| {
                    if width == 0 { Operand::Literal(0) } else { Operand::Fixed(width) }
                })?,
                2 => width(self).map(|width| {
                    if width < 2 { Operand::Literal(0) } else { Operand::Variable(width) }
                })?,
                3 => Operand::Array,
                4 => Operand::Character,
                5 => Operand::Blob,
                _ => return None,
            });
        }
        Some(operands)
    }

    /// The values of a record, the code first.
    fn record(&mut self, abbreviation: &[Operand]) -> Option<Vec<u64>> {
        let mut values = Vec::new();
        let mut operands = abbreviation.iter().copied();
        while let Some(operand) = operands.next() {
            match operand {
                Operand::Array => {
                    let (count, element) = (self.variable(6)?, operands.next()?);
                    for _ in 0..count {
                        values.push(self.scalar(element)?);
                    }
                }
                Operand::Blob => {
                    let length = usize::try_from(self.variable(6)?).ok()?;
                    self.align();
                    self.at = self.at.checked_add(length.checked_mul(8)?)?;
                    self.align();
                }
                scalar => values.push(self.scalar(scalar)?),
            }
        }
        Some(values)
    }

    fn scalar(&mut self, operand: Operand) -> Option<u64> {
        match operand {
            // An array of nothing but literals could be of any length.
            Operand::Literal(value) if self.at < self.data.len() * 8 => Some(value),
            Operand::Fixed(width) => self.fixed(width),
            Operand::Variable(width) => self.variable(width),
            Operand::Character => self.fixed(6),
            Operand::Literal(_) | Operand::Array | Operand::Blob => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    /// The bitcode of C code, made by clang with these flags.
    fn compiled(code: &str, flags: &[&str]) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a temporary directory");
        fs::write(folder.path().join("a.c"), code).expect("writable");
        let mut clang = Command::new("clang-22");
        clang.args(["-c", "a.c", "-o", "a.o"]).args(flags).current_dir(folder.path());
        assert!(clang.status().is_ok_and(|status| status.success()), "{flags:?}");
        fs::read(folder.path().join("a.o")).expect("compiled")
    }

    #[test]
    fn code_is_plain_unless_the_pass_was_there() {
        let counted = format!("__asm__(\".section {}\\n.text\");", names::MANIFEST_SECTION);
        let function = "int f(int *p) { return p[0] * 2; }";
        for (flags, is_apart) in [
            (&["-flto"][..], false),
            (&["-flto=thin", "-O2", "-g"], true),
            (&["-emit-llvm"], false),
        ] {
            for (code, expected) in [
                (function.to_owned(), Bitcode::Plain { is_apart }),
                (format!("{counted}{function}"), Bitcode::Counted),
                (format!("__asm__(\".text\");{function}"), Bitcode::Plain { is_apart }),
                ("int f(int); int (*g)(int) = f;".into(), Bitcode::Empty),
                ("inline int f(void) { return 1; } int (*g)(void) = f;".into(), Bitcode::Empty),
                ("int x = 1;".into(), Bitcode::Empty),
            ] {
                let data = compiled(&code, flags);
                assert!(is_bitcode(&data), "{flags:?}");
                assert_eq!(Bitcode::of(&data), expected, "{flags:?} {code}");
                for length in 0..data.len().min(600) {
                    Bitcode::of(&data[..length]);
                }
            }
        }
        let data = compiled(function, &["-flto"]);
        let offset = [&WRAPPER[..], &[0, 0, 0, 0, 20, 0, 0, 0], &[0; 8]].concat();
        let wrapped = Bitcode::of(&[&offset, &*data].concat());
        assert_eq!(wrapped, Bitcode::Plain { is_apart: false });
        for damaged in [&b"BC\xc0\xde\xff\xff\xff\xff\xff\xff"[..], &WRAPPER] {
            assert_eq!(Bitcode::of(damaged), Bitcode::Empty);
        }
    }
}
