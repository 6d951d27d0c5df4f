//! The manifest of a module: what opens it, the identity that follows from it, and how it gets into the object.
//!
//! It goes into the object as module-level assembly, because only that makes a section that passes through `ld -r`, archives and
//! link-time optimisation whatever becomes of the code. The section is allocated, since `llvm-strip` and `eu-strip` remove what is not,
//! and retained (`SHF_GNU_RETAIN`), since nothing refers to it. It is compressed here, once, so that no later
//! program has to copy more than bytes.

use std::fmt::Write;

use inkwell::module::Module;
use pathformat::manifest::Manifest;
use pathformat::raw::{MOVES_POINTER, OWN_BASE};
use pathformat::{ModuleId, names, record};

use crate::debug_info;
use crate::llvm;
use crate::options::{Base, Options};

/// Level of compression: higher ones cost more than the bytes they save.
const LEVEL: i32 = 3;

/// Named metadata that says that a module is instrumented already.
const MARK: &str = "pathcc";

/// What the manifest says before it is attached, and what follows from it.
pub(crate) struct Written {
    pub(crate) content: Vec<u8>,
    pub(crate) id: ModuleId,
    pub(crate) counters: u64,
    pub(crate) keys: u64,
}

impl Written {
    /// Without counters.
    pub(crate) fn of(manifest: &Manifest, code: u64) -> Self {
        let content = manifest.content();
        let id = identity(&content, code);
        Self { content, id, counters: 0, keys: 0 }
    }
}

/// Whether an earlier run of the pass has instrumented `module`.
pub(crate) fn is_present(module: &Module<'_>) -> bool {
    module.get_global_metadata_size(MARK) > 0
}

/// A manifest with everything but the functions.
pub(crate) fn begin(module: &Module<'_>, options: &Options) -> Manifest {
    Manifest {
        source: module.get_source_file_name().to_string_lossy().into_owned(),
        directory: debug_info::directory(module),
        producer: format!("pathcc {}", env!("CARGO_PKG_VERSION")),
        mode: options.mode,
        stage: options.stage,
        threads: options.threads,
        limit: options.limit,
        functions: Vec::new(),
    }
}

/// The identity of a module: a hash of its manifest's content and of its code. What is counted, and how threads count, is
/// left out, so that a block log and a profile of the same code name the same module.
fn identity(content: &[u8], code: u64) -> ModuleId {
    ModuleId(xxhash_rust::xxh3::xxh3_128_with_seed(content, code).to_le_bytes())
}

/// Puts the manifest, whose content is encoded already, into the object that `module` becomes, and marks the module as
/// done.
pub(crate) fn attach(module: &Module<'_>, manifest: &Manifest, written: Written, options: &Options) {
    let (own_base, moves_pointer) = (options.base == Base::Word, options.moves_pointer);
    let payload = manifest.seal(written.content);
    let stored = zstd::bulk::compress(&payload, LEVEL).expect("compressing into memory does not fail");
    let threads = manifest.threads;
    let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
    let flags = threads.code() | flag(OWN_BASE, own_base) | flag(MOVES_POINTER, moves_pointer);
    let record = record::write(written.id, flags, [written.counters, written.keys], payload.len(), &stored);
    llvm::append_assembly(module, &assembly(&record));
    let node = module.get_context().metadata_node(&[]);
    module.add_global_metadata(MARK, &node).expect("a node can be added");
}

/// Assembly that puts `bytes` into the manifest section.
fn assembly(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 + 200);
    let _ = writeln!(text, "\t.pushsection {},\"aR\",@progbits\n\t.p2align 3", names::MANIFEST_SECTION);
    for line in bytes.chunks(512) {
        text.push_str("\t.ascii \"");
        for &byte in line {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => {
                    let digit = |shift: u8| char::from(b'0' + (byte >> shift & 7));
                    text.extend(['\\', digit(6), digit(3), digit(0)]);
                }
            }
        }
        text.push_str("\"\n");
    }
    text.push_str("\t.popsection\n");
    text
}

#[cfg(test)]
mod tests {
    use pathformat::settings::Mode;

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
