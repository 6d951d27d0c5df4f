//! The identity of a unit, and how its manifest gets into the object.
//!
//! It goes into the object as module-level assembly, because only that makes a section that passes
//! through `ld -r`, archives and link-time optimisation whatever becomes of the code. The section
//! is allocated, since `llvm-strip` and `eu-strip` remove what is not, and retained
//! (`SHF_GNU_RETAIN`), since nothing refers to it. It is compressed here, once, so that no later
//! program has to copy more than bytes.

use std::fmt::Write;

use inkwell::module::Module;
use pathformat::raw::{
    CHANGES_LABEL, IN_SEGMENT, MOVES_POINTER, OWN_BASE, TRACED, USES_SEGMENT, WAITS,
};
use pathformat::settings::Mode;
use pathformat::{ModuleId, names, record};

use crate::options::{Addressing, Options};
use crate::read::MARK;

/// Level of compression: higher ones cost more than the bytes they save.
const LEVEL: i32 = 3;

/// The identity of a module: a hash of its manifest's content and of its code. What is counted, and
/// how threads count, is left out, so that a block log and a profile of the same code name the same
/// module.
pub(super) fn identity(content: &[u8], code: u64) -> ModuleId {
    ModuleId(xxhash_rust::xxh3::xxh3_128_with_seed(content, code).to_le_bytes())
}

/// Marks a module as done.
pub(super) fn mark(module: &Module<'_>) {
    let node = module.get_context().metadata_node(&[]);
    module.add_global_metadata(MARK, &node).expect("a node can be added");
}

/// Assembly that puts the manifest of a unit, encoded as `payload`, into its object. `size` has the
/// numbers of counters and of keys.
pub(super) fn text(payload: Vec<u8>, id: ModuleId, size: [u64; 2], options: &Options) -> String {
    let stored = zstd::bulk::compress(&payload, LEVEL);
    let stored = stored.expect("compressing into memory does not fail");
    let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
    let flags = options.threads.code()
        | flag(OWN_BASE, options.addressing == Addressing::Word)
        | flag(IN_SEGMENT, options.addressing == Addressing::Segment)
        | flag(MOVES_POINTER, options.moves_pointer)
        | flag(USES_SEGMENT, options.uses_segment)
        | flag(CHANGES_LABEL, options.changes_label)
        | flag(TRACED, options.mode == Mode::Trace && size[0] > 0)
        | flag(WAITS, options.mode == Mode::Trace && options.part.is_some());
    assembly(&record::write(id, flags, size, payload.len(), &stored))
}

/// Assembly that puts `bytes` into the manifest section.
fn assembly(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 + 200);
    let _ =
        writeln!(text, "\t.pushsection {},\"aR\",@progbits\n\t.p2align 3", names::MANIFEST_SECTION);
    for line in bytes.chunks(512) {
        text.push_str("\t.ascii \"");
        for &byte in line {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                // In assembly among code, these stand for something.
                b'$' | b'{' | b'|' | b'}' => octal(&mut text, byte),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => octal(&mut text, byte),
            }
        }
        text.push_str("\"\n");
    }
    text.push_str("\t.popsection\n");
    text
}

fn octal(text: &mut String, byte: u8) {
    let digit = |shift: u8| char::from(b'0' + (byte >> shift & 7));
    text.extend(['\\', digit(6), digit(3), digit(0)]);
}

#[cfg(test)]
mod tests {
    use pathformat::manifest::Manifest;

    use super::*;

    #[test]
    fn assembly_escapes_what_an_assembler_would_read() {
        let text = assembly(b"a\"\\\0\xff1");
        assert!(text.contains("\t.ascii \"a\\\"\\\\\\000\\3771\"\n"), "{text}");
    }

    #[test]
    fn the_identity_ignores_what_is_counted_but_not_the_code() {
        let manifest = Manifest { source: "a.c".into(), ..Manifest::default() };
        let log = Manifest { mode: Mode::Log, ..manifest.clone() };
        let other = Manifest { source: "b.c".into(), ..manifest.clone() };
        let identity = |manifest: &Manifest, code| identity(&manifest.content(), code);
        assert_eq!(identity(&manifest, 1), identity(&log, 1));
        assert_ne!(identity(&manifest, 1), identity(&manifest, 2));
        assert_ne!(identity(&manifest, 1), identity(&other, 1));
    }
}
