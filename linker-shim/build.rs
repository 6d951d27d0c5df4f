//! Assembles the files of `assembly` and writes what `src/assembly.rs` includes: a module for each
//! file, and in it one for each function with its code and its fields.
//!
//! A field is the operand that refers to an undefined symbol, and is named like it. What the
//! assembler writes as the field's relocation stands in the table. Absolute symbols of a file
//! become constants.
//!
//! `LLVM_SYS_221_PREFIX` names the LLVM whose clang assembles, as it does for the pass.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use object::read::elf::{ElfFile64, ElfSymbol64};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolKind,
    SymbolSection,
};

/// The files, which are in `assembly`.
const FILES: [&str; 5] = ["delta_offset", "early", "labels", "threads", "traces"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=assembly");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let modules = FILES.map(|name| {
        let object = out.join(name).with_extension("o");
        assemble(&Path::new("assembly").join(name).with_extension("s"), &object);
        let object = fs::read(object).expect("clang wrote the object");
        format!("pub(crate) mod {name} {{\n{}}}\n", module(&object))
    });
    fs::write(out.join("assembly.rs"), modules.concat()).expect("OUT_DIR can be written");
}

fn assemble(file: &Path, object: &Path) {
    let prefix =
        env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from);
    let clang = prefix.join("bin/clang");
    let status = Command::new(&clang)
        // Not every linker knows the relocations of instructions that it may change.
        .args(["--target=x86_64-linux-gnu", "-Wa,-mrelax-relocations=no", "-c", "-o"])
        .args([object, file])
        .status();
    let status = status
        .unwrap_or_else(|error| panic!("{}: {error}; is clang-22 installed?", clang.display()));
    assert!(status.success(), "{} cannot be assembled", file.display());
}

/// The functions and constants of an object, as Rust.
fn module(object: &[u8]) -> String {
    let file = ElfFile64::<Endianness>::parse(object).expect("clang writes an object");
    let item = |symbol: ElfSymbol64<'_, '_>| {
        let name = symbol.name().expect("a symbol has a name");
        match (symbol.kind(), symbol.section()) {
            (SymbolKind::Text, _) => Some(function(name, &file, &symbol)),
            (_, SymbolSection::Absolute) => {
                let value = symbol.address();
                Some(format!("pub(crate) const {name}: u64 = {value};\n"))
            }
            _ => None,
        }
    };
    file.symbols().filter_map(item).collect()
}

fn function(name: &str, file: &ElfFile64<'_>, symbol: &ElfSymbol64<'_, '_>) -> String {
    let section = symbol.section_index().expect("a function is in a section");
    let section = file.section_by_index(section).expect("the object has the section");
    let range = symbol.address()..symbol.address() + symbol.size();
    let code = section.data_range(range.start, symbol.size());
    let code = code.expect("a section has data").expect("a function is in its section");
    let fields = section.relocations().filter(|(offset, _)| range.contains(offset));
    let fields = fields.map(|(offset, relocation)| {
        let RelocationTarget::Symbol(target) = relocation.target() else {
            panic!("{name}: a field refers to a symbol");
        };
        let target = file.symbol_by_index(target).expect("the object has the symbol");
        assert!(target.is_undefined(), "{name}: a field refers to an undefined symbol");
        let target = target.name().expect("a symbol has a name").to_uppercase();
        let RelocationFlags::Elf { r_type } = relocation.flags() else {
            panic!("{name}: the object is one of ELF");
        };
        let (offset, kind, addend) = (offset - range.start, r_type.0, relocation.addend());
        format!("pub(crate) const {target}: Field = Field::new({offset}, {kind}, {addend});\n")
    });
    let fields = fields.collect::<String>();
    let (uses, length) = ("use crate::assembly::Field;", code.len());
    let uses = if fields.is_empty() { "" } else { uses };
    format!(
        "pub(crate) mod {name} {{\n{uses}\n\
         pub(crate) const CODE: [u8; {length}] = {code:?};\n{fields}}}\n"
    )
}
