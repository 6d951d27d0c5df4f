//! Nothing that is read from outside makes pathprof panic or ask for memory without bound:
//! thousands of damaged manifests, profiles, raw files and images, the same in every run. `make
//! fuzz-input` looks for more.

use counts::sample::units as samples;

use pathformat::profile::Head;
use pathformat::raw::{ArrayPlace, write_header};
use pathformat::settings::Threads;
use pathprof::bytes;

/// Calls `read` with each damaged form of some sound bytes: cut, with bits flipped, bytes replaced
/// by extreme ones, parts removed, doubled and exchanged.
fn damaged(sound: &[u8], most: usize, mut read: impl FnMut(&[u8])) {
    read(sound);
    let step = (sound.len() / most).max(1);
    for at in (0..sound.len()).step_by(step) {
        read(&sound[..at]);
        for change in [1, 0x10, 0x80, 0xff] {
            let mut bytes = sound.to_vec();
            bytes[at] ^= change;
            read(&bytes);
        }
        for fill in [0, 0x7f, 0xff] {
            let mut bytes = sound.to_vec();
            let end = (at + 9).min(bytes.len());
            bytes[at..end].fill(fill);
            read(&bytes);
        }
    }
    // A generator of our own, so that every run damages alike.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut dice = |sides: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % sides.max(1) as u64) as usize
    };
    for _ in 0..most {
        let mut bytes = sound.to_vec();
        for _ in 0..1 + dice(4) {
            let (from, to) = (dice(bytes.len()), dice(bytes.len()));
            let length = dice(16).min(bytes.len() - from).min(bytes.len() - to);
            match dice(3) {
                0 => bytes.copy_within(from..from + length, to),
                1 => drop(bytes.splice(from..from + length, std::iter::empty())),
                _ => {
                    let part = bytes[from..from + length].to_vec();
                    drop(bytes.splice(to..to, part));
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        read(&bytes);
    }
}

#[test]
fn manifests() {
    for unit in [samples::main_unit(), samples::util_unit()] {
        damaged(&unit.encode(), 4000, bytes::manifest);
    }
    damaged(&samples::section(), 2000, bytes::section);
}

#[test]
fn profiles() {
    let sound = samples::profile(b"/bin/demo", &[1; 20], 0, samples::counters());
    damaged(&sound, 4000, bytes::profile);
    // The checksum keeps most damage out; behind it lies the reader.
    damaged(&sound, 4000, |bytes| {
        if let Some((content, _)) = bytes.split_last_chunk::<8>() {
            bytes::profile(&[content, &pathformat::wire::checksum(content).to_le_bytes()].concat());
        }
    });
}

#[test]
fn raw_files() {
    let head = Head { pid: 7, image: b"/bin/demo", ..Head::default() };
    let place = |id: u8, offset, threads| ArrayPlace {
        id: pathformat::ModuleId([id; 16]),
        offset,
        counters: 30,
        threads,
    };
    let places = [
        place(1, 0, Threads::Exact),
        place(2, 256, Threads::Single),
        place(3, 512, Threads::Atomic),
    ];
    let mut sound = Vec::new();
    let size = write_header(&mut sound, &head, 4096, Some(b"map"), places.into_iter());
    let header = sound.len();
    sound.resize(size as usize + 3 * 4096, 0);
    for at in (size as usize..sound.len()).step_by(88) {
        sound[at] = 1;
    }
    damaged(&sound, 1500, bytes::raw);
    damaged(&sound[..header], 1500, |bytes| {
        let mut bytes = bytes.to_vec();
        if bytes.len() > 24 {
            let content = bytes.len() - 8;
            let sum = pathformat::wire::checksum(&bytes[16..content]);
            bytes[content..].copy_from_slice(&sum.to_le_bytes());
        }
        bytes.resize(bytes.len().max(size as usize + 3 * 4096), 1);
        bytes::raw(&bytes);
    });
}

#[test]
fn images() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("image");
    let mut object = object::write::Object::new(
        object::BinaryFormat::Elf,
        object::Architecture::X86_64,
        object::Endianness::Little,
    );
    let section =
        object.add_section(Vec::new(), b".pathcc.manifest".to_vec(), object::SectionKind::Other);
    object.append_section_data(section, &samples::section(), 8);
    let functions = object.add_section(
        Vec::new(),
        b".pathcc.functions".to_vec(),
        object::SectionKind::ReadOnlyData,
    );
    object.append_section_data(functions, &[7; 24], 8);
    let sound = object.write().expect("a sound object");
    damaged(&sound, 120, |bytes| bytes::image(bytes, &path));
}
