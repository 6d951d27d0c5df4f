//! Takes segment `%gs` away from the code of a finished image.
//!
//! In an executable, code may count through the segment, whose base leads from the region to the
//! slot of the thread. In three cases the base leads elsewhere. A library has no segment of its
//! own, even if code that was compiled for executables is linked into it. Code that uses the
//! segment for itself sets another base. A thread that the C library creates by itself has the base
//! of the thread that asked for it.
//!
//! The prefix that names the segment then becomes `lock`, which is as long: all threads count in
//! the region, by atomic additions. The table of modules says so.

use std::fs::OpenOptions;
use std::io;
use std::mem::offset_of;
use std::path::Path;

use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSymbol};
use pathformat::descriptor::Module;
use pathformat::raw::IN_SEGMENT;
use pathformat::settings::Threads;

use crate::content::content;
use crate::finished::{self, Changes, Image, entry};

/// The prefix of segment `%gs`.
const GS: u8 = 0x65;

/// The prefix of an atomic instruction.
const LOCK: u8 = 0xf0;

/// Functions by which the C library creates threads that run functions of the program. It calls
/// `pthread_create` by a name of its own, so that the runtime does not hear of them.
const CREATORS: [&str; 11] = [
    "timer_create",
    "mq_notify",
    "aio_read",
    "aio_read64",
    "aio_write",
    "aio_write64",
    "aio_fsync",
    "aio_fsync64",
    "lio_listio",
    "lio_listio64",
    "getaddrinfo_a",
];

/// True if the image in these bytes may create threads of which the runtime does not hear.
pub(crate) fn has_hidden_threads(data: &[u8]) -> bool {
    let Ok(file) = ElfFile64::<LittleEndian>::parse(data) else { return false };
    let mut symbols = file.dynamic_symbols().chain(file.symbols());
    symbols.any(|symbol| {
        let name = symbol.name().unwrap_or_default();
        let name = name.split_once('@').map_or(name, |(name, _)| name);
        CREATORS.contains(&name)
    })
}

/// Lets the code of the image at `path` count by atomic additions where it counted through the
/// segment. A file that cannot be opened, as `/dev/null`, stays as it is.
///
/// # Errors
/// It cannot be written to the end, or it is not as expected.
pub(crate) fn take_away(path: &Path) -> io::Result<()> {
    let Ok(data) = content(path) else { return Ok(()) };
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return Ok(()) };
    let changes = Image::parse(&data).and_then(|image| without_segment(&image));
    finished::write(&file, &changes.ok_or_else(finished::unexpected)?)
}

fn without_segment(image: &Image<'_>) -> Option<Changes> {
    let mut changes = Changes::new();
    for &(address, code) in &image.code {
        let start = image.place(address)?.start;
        changes.extend(prefixes(code).map(|at| (start + at as u64, vec![LOCK])));
    }
    let Some(early) = image.early() else { return Some(changes) };
    for index in 0..u64::from(early.count) {
        let entry = entry(&early, index);
        let Module { threads, .. } = image.read(entry)?;
        if threads & u64::from(IN_SEGMENT) != 0 {
            let atomic = u64::from(Threads::Atomic.code()).to_le_bytes().to_vec();
            changes.push((image.place(entry + offset_of!(Module, threads) as u64)?.start, atomic));
        }
    }
    Some(changes)
}

/// The offsets of the prefixes of instructions that step counters.
fn prefixes(code: &[u8]) -> impl Iterator<Item = usize> + use<'_> {
    // Most code has none; to decode it all would take the time of a link.
    let is_used = code.windows(2).any(|pair| pair[0] == GS && pair[1] & 0xf0 == 0x40);
    let mut decoder = Decoder::new(64, if is_used { code } else { &[] }, DecoderOptions::NONE);
    std::iter::from_fn(move || {
        while decoder.can_decode() {
            let at = decoder.position();
            let instruction = decoder.decode();
            let is_step =
                matches!(instruction.mnemonic(), Mnemonic::Inc | Mnemonic::Dec | Mnemonic::Add);
            if is_step && instruction.op0_kind() == OpKind::Memory && code[at] == GS {
                return Some(at);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_steps_of_counters_lose_the_segment() {
        // `incq %gs:64(%rip)`, `decq %gs:8(%r9)`, `addq %rax, %gs:(%rbx)`, `lea`, then what only
        // looks like one: `movabs` with a number, and a load.
        let steps: [&[u8]; 6] = [
            &[0x65, 0x48, 0xff, 0x05, 0x40, 0, 0, 0],
            &[0x65, 0x49, 0xff, 0x49, 0x08],
            &[0x65, 0x48, 0x01, 0x03],
            &[0x48, 0x8d, 0x05, 0x40, 0, 0, 0],
            &[0x48, 0xb8, 0x65, 0x48, 0xff, 0x05, 0, 0, 0, 0],
            &[0x65, 0x48, 0x8b, 0x03],
        ];
        let code = steps.concat();
        assert_eq!(prefixes(&code).collect::<Vec<_>>(), [0, 8, 13]);
        assert_eq!(prefixes(&[0x90; 9]).count(), 0);
    }
}
