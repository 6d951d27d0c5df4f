//! Reads the machine code of an image that is counted at the stage `machine`: the instructions of
//! each block of a function, and which of them count.
//!
//! The image has a map of it ([`code_map`](pathformat::code_map)). Instructions are written as
//! `objdump` writes them, with the names of the image's symbols. Bytes that are no instruction are
//! left out.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Formatter, GasFormatter, Mnemonic, OpKind, Register,
};
use object::{Architecture, Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use pathformat::code_map::{self, Part};
use pathformat::names;

use crate::image;

/// The column of the operands, as `objdump` has it.
const OPERANDS: u32 = 7;

/// Linkers fold functions with the same code into one. So all functions together may have this many
/// times the code of an image.
const SHARED: u64 = 16;

/// The counted code of an image.
pub struct MachineCode {
    /// The parts of each function in the order of their addresses, by the word of the function.
    parts: HashMap<u64, Vec<Part>>,
    /// Address and content of each executable segment.
    segments: Vec<(u64, Vec<u8>)>,
    /// Names of symbols, by address.
    names: BTreeMap<u64, String>,
}

/// An instruction of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its address in the image.
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its text as `objdump` writes it.
    pub text: String,
    /// The same for an assembler, where what it leads to is no number.
    pub assembly: String,
    /// True if it counts; false if it is of the program.
    pub counts: bool,
    /// Where control goes.
    pub flow: Flow,
    /// The address that it leads to, if it names one.
    pub target: Option<u64>,
    /// True if a `rep` prefix may repeat it.
    pub repeats: bool,
}

/// Where control goes behind an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To the next one, or elsewhere.
    Branch,
    /// Elsewhere.
    Jump,
    /// Into a function, and then to the next one.
    Call,
}

impl MachineCode {
    /// Reads the image at `path`.
    ///
    /// # Errors
    /// The image cannot be read, or has no map of its code. Each text begins with the path, and
    /// says what to do.
    pub fn read(path: &Path) -> Result<Self> {
        let place = path.display();
        let cache = image::open(path)?;
        let file = image::parse(path, &cache)?;
        if file.architecture() != Architecture::X86_64 {
            bail!("{place}: this is no image for x86-64, and its instructions are not known");
        }
        let Some(section) = file.section_by_name(names::CODE_SECTION) else {
            bail!(
                "{place}: this image has no section {}: no unit of it was compiled with \
                 -fpath-stage=machine, or that section was removed; give the image as it was \
                 linked with --image PATH",
                names::CODE_SECTION
            );
        };
        let damaged = || format!("{place}: the section {} is damaged", names::CODE_SECTION);
        let content = section.data().map_err(|error| anyhow!(error)).with_context(damaged)?;
        let mut parts: HashMap<u64, Vec<Part>> = HashMap::new();
        for run in code_map::decode(content, section.address()).with_context(damaged)? {
            parts.entry(run.word).or_default().extend(run.parts);
        }
        for parts in parts.values_mut() {
            parts.sort_by_key(|part| (part.start, part.end));
            // The assembly around which it was written may be there several times.
            parts.dedup();
        }
        let is_code = |segment: &object::Segment<'_, '_, _>| segment.permissions().executable();
        let content = |segment: object::Segment<'_, '_, _>| {
            Some((segment.address(), segment.data().ok()?.to_vec()))
        };
        let segments: Vec<(u64, Vec<u8>)> =
            file.segments().filter(is_code).filter_map(content).collect();
        let length = |bytes: u64, (_, segment): &(u64, Vec<u8>)| bytes + segment.len() as u64;
        let length = segments.iter().fold(0, length);
        let mapped = parts.values().flatten();
        let mapped = mapped.fold(0, |sum: u64, of| sum.saturating_add(of.end - of.start));
        if mapped > length.saturating_mul(SHARED) {
            return Err(anyhow!("it maps more code than there is")).with_context(damaged);
        }
        let mut names = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let is_named = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data)
                && symbol.address() != 0;
            if let Some(name) = symbol.name().ok().filter(|name| is_named && !name.is_empty()) {
                names.entry(symbol.address()).or_insert_with(|| name.to_owned());
            }
        }
        Ok(Self { parts, segments, names })
    }

    /// Returns the parts of a function in the order of their addresses; `None` if the image has no
    /// map of it.
    pub fn parts(&self, word: u64) -> Option<&[Part]> {
        self.parts.get(&word).map(Vec::as_slice)
    }

    /// Returns the parts of all functions, in no order.
    pub fn all_parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.values().flatten()
    }

    /// Returns the instructions of a part; `None` if the image does not have its bytes.
    pub fn instructions(&self, part: &Part) -> Option<Vec<Instruction>> {
        let bytes = self.bytes(part.start, part.end)?;
        let mut formatter = formatter();
        let decoder = Decoder::with_ip(64, bytes, part.start, DecoderOptions::NONE);
        let known = decoder.into_iter().filter(|of| !of.is_invalid());
        let instruction = |of: iced_x86::Instruction| {
            let start = (of.ip() - part.start) as usize;
            let repeats = of.has_rep_prefix() || of.has_repne_prefix();
            Instruction {
                address: of.ip(),
                bytes: bytes[start..start + of.len()].to_vec(),
                text: self.text(&mut formatter, &of),
                assembly: assembly(&mut formatter, &of),
                counts: part.counts,
                flow: flow(&of),
                target: is_direct(&of).then(|| of.near_branch_target()),
                repeats: repeats && of.is_string_instruction(),
            }
        };
        Some(known.map(instruction).collect())
    }

    fn bytes(&self, start: u64, end: u64) -> Option<&[u8]> {
        self.segments.iter().find_map(|(address, bytes)| {
            let first = usize::try_from(start.checked_sub(*address)?).ok()?;
            bytes.get(first..usize::try_from(end.checked_sub(*address)?).ok()?)
        })
    }

    fn text(&self, formatter: &mut GasFormatter, of: &iced_x86::Instruction) -> String {
        if is_direct(of) {
            let mut mnemonic = String::new();
            formatter.format_mnemonic(of, &mut mnemonic);
            let target = of.near_branch_target();
            return format!("{mnemonic:<6} {target:x}{}", self.name(target));
        }
        let mut text = formatted(formatter, of);
        if of.memory_base() == Register::RIP {
            let target = of.memory_displacement64();
            text += &format!("        # {target:x}{}", self.name(target));
        }
        text
    }

    /// Returns the symbol at an address or before it: ` <main+0x20>`.
    fn name(&self, address: u64) -> String {
        match self.names.range(..=address).next_back() {
            Some((&at, name)) if at == address => format!(" <{name}>"),
            Some((&at, name)) => format!(" <{name}+{:#x}>", address - at),
            None => String::new(),
        }
    }
}

/// Writes instructions as `objdump` does.
fn formatter() -> GasFormatter {
    let mut formatter = GasFormatter::new();
    let options = formatter.options_mut();
    options.set_first_operand_char_index(OPERANDS);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_branch_leading_zeros(false);
    options.set_displacement_leading_zeros(false);
    options.set_rip_relative_addresses(true);
    options.set_always_show_scale(true);
    options.set_space_after_operand_separator(false);
    formatter
}

/// True if it leads to an address that it names.
fn is_direct(of: &iced_x86::Instruction) -> bool {
    matches!(of.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64)
}

fn assembly(formatter: &mut GasFormatter, of: &iced_x86::Instruction) -> String {
    if is_direct(of) {
        let mut text = String::new();
        formatter.format_mnemonic(of, &mut text);
        return text + " 0";
    }
    formatted(formatter, of)
}

fn formatted(formatter: &mut GasFormatter, of: &iced_x86::Instruction) -> String {
    let mut text = String::new();
    formatter.format(of, &mut text);
    // A scale is shown without an index, too.
    text.replace(",)", ")")
}

fn flow(of: &iced_x86::Instruction) -> Flow {
    match of.flow_control() {
        FlowControl::Next | FlowControl::XbeginXabortXend => Flow::Next,
        FlowControl::ConditionalBranch => Flow::Branch,
        FlowControl::Call | FlowControl::IndirectCall => Flow::Call,
        FlowControl::Interrupt if of.mnemonic() == Mnemonic::Syscall => Flow::Next,
        FlowControl::Interrupt
        | FlowControl::Exception
        | FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Return => Flow::Jump,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an image with this code at 0x1000, where `main` is.
    fn image(code: &[u8]) -> MachineCode {
        MachineCode {
            parts: HashMap::new(),
            segments: vec![(0x1000, code.to_vec())],
            names: BTreeMap::from([(0x1000, "main".into()), (0x3000, "table".into())]),
        }
    }

    fn texts(code: &[u8]) -> Vec<String> {
        let end = 0x1000 + code.len() as u64;
        let part = Part { start: 0x1000, end, owner: 0, counts: false };
        let found = image(code).instructions(&part).expect("its bytes are there");
        found.into_iter().map(|of| of.text).collect()
    }

    #[test]
    fn instructions_read_as_objdump_writes_them() {
        let code = [
            &[0x55][..],
            &[0x48, 0x8d, 0x05, 0xf8, 0x1f, 0, 0],
            &[0x48, 0x8b, 0x44, 0xc8, 0x10],
            &[0x65, 0x48, 0xff, 0x04, 0x25, 8, 0, 0, 0],
            &[0xf3, 0xaa],
            &[0x75, 0xe6],
            &[0xe8, 0xe1, 0xff, 0xff, 0xff],
            &[0xc3],
        ];
        let expected = [
            "push   %rbp",
            "lea    0x1ff8(%rip),%rax        # 3000 <table>",
            "mov    0x10(%rax,%rcx,8),%rax",
            "incq   %gs:0x8",
            "rep stos %al,(%rdi)",
            "jne    1000 <main>",
            "call   1000 <main>",
            "ret",
        ];
        let found = texts(&code.concat());
        let found: Vec<_> = found.iter().map(|text| text.replace("%es:", "")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn control_goes_where_instructions_say() {
        let code = [&[0x75, 0x02][..], &[0xeb, 0x00], &[0xe8, 0, 0, 0, 0], &[0xf3, 0xab], &[0xc3]];
        let code = code.concat();
        let part = Part { start: 0x1000, end: 0x1000 + code.len() as u64, owner: 0, counts: true };
        let found = image(&code).instructions(&part).expect("its bytes are there");
        let flows: Vec<_> = found.iter().map(|of| of.flow).collect();
        assert_eq!(flows, [Flow::Branch, Flow::Jump, Flow::Call, Flow::Next, Flow::Jump]);
        let targets: Vec<_> = found.iter().map(|of| of.target).collect();
        assert_eq!(targets, [Some(0x1004), Some(0x1004), Some(0x1009), None, None]);
        let repeats: Vec<_> = found.iter().map(|of| of.repeats).collect();
        assert_eq!(repeats, [false, false, false, true, false]);
        assert!(found.iter().all(|of| of.counts));
    }

    #[test]
    fn bytes_that_are_not_there_have_no_instructions() {
        let part = |start, end| Part { start, end, owner: 0, counts: false };
        for part in [part(0xfff, 0x1001), part(0x1000, 0x1002), part(0x1001, 0x1000)] {
            assert_eq!(image(&[0x90]).instructions(&part), None);
        }
        assert_eq!(texts(&[0x0f]), [""; 0]);
    }
}
