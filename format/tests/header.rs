//! The header of a raw file and the sums over its slots.

use pathformat::ModuleId;
use pathformat::label::ROOM;
use pathformat::profile::{
    CUT, DENIED, ENDED, FORKED, Head, INCOMPLETE, PARTIAL, UNREGISTERED_THREADS,
};
use pathformat::raw::{
    ArrayPlace, FLAGS_OFFSET, Header, MOVES_POINTER, OWN_BASE, PAGE, SHARED, Sums, write_header,
};
use pathformat::settings::Threads;
use pathformat::wire::{Error, checksum};

const SENSELESS: Error = Error::Invalid("the sizes in its header make no sense");

fn place(id: u8, offset: u64, counters: u64, threads: Threads) -> ArrayPlace {
    ArrayPlace { id: ModuleId([id; 16]), offset, counters, threads }
}

/// Returns a header without the padding behind it, and the size that it states. The image has a
/// name of this length.
fn header(flags: u32, region: u64, name: usize, places: &[ArrayPlace]) -> (Vec<u8>, u64) {
    let image = vec![b'x'; name];
    let head = Head { flags, pid: 7, image: &image, ..Head::default() };
    let mut bytes = Vec::new();
    let size = write_header(&mut bytes, &head, region, None, places.iter().copied());
    (bytes, size)
}

/// Returns a header with what stands behind it up to this size.
fn padded(bytes: &[u8], size: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().max(size as usize), 0);
    bytes
}

/// Returns the header with another size and region, and the checksum that matches them.
fn forged(mut bytes: Vec<u8>, size: u64, region: u64) -> Vec<u8> {
    bytes[16..24].copy_from_slice(&size.to_le_bytes());
    bytes[24..32].copy_from_slice(&region.to_le_bytes());
    let end = bytes.len() - 8;
    let sum = checksum(&bytes[16..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn the_flags_of_a_running_process_are_told() {
    assert_eq!(SHARED, 0x8000_0000);
    let all = UNREGISTERED_THREADS | FORKED | PARTIAL | CUT;
    let running = [0, UNREGISTERED_THREADS, FORKED, PARTIAL, CUT, all]
        .map(|flags| (flags, flags | INCOMPLETE));
    // The record of a process that ended normally is complete, whatever the other flags are.
    let ended = [ENDED, ENDED | DENIED, ENDED | all].map(|flags| (flags, flags));
    let forced = [INCOMPLETE, all | INCOMPLETE].map(|flags| (flags, flags));
    let wrong = [(ENDED | INCOMPLETE, ENDED)];
    for (flags, told) in running.into_iter().chain(ended).chain(forced).chain(wrong) {
        for shared in [0, SHARED] {
            let (bytes, size) = header(flags | shared, PAGE, 1, &[]);
            let bytes = padded(&bytes, size);
            let at = FLAGS_OFFSET as usize;
            assert_eq!(bytes[at..at + 4], (flags | shared).to_le_bytes());
            assert_eq!(Header::decode(&bytes).expect("sound").head.flags, told);
        }
    }
}

#[test]
fn how_threads_count_has_a_number() {
    let known = [(0, Threads::Exact), (1, Threads::Single), (2, Threads::Atomic)];
    for (code, threads) in known {
        assert_eq!(threads.code(), code);
        assert_eq!(Threads::from_code(code), threads);
        for flags in [OWN_BASE, MOVES_POINTER, OWN_BASE | MOVES_POINTER] {
            assert_eq!(Threads::from_code(code | flags), threads);
        }
        let (bytes, size) = header(0, PAGE, 1, &[place(1, 0, 1, threads)]);
        assert_eq!(
            Header::decode(&padded(&bytes, size)).expect("sound").places,
            [place(1, 0, 1, threads)]
        );
    }
    assert_eq!(Threads::from_code(3), Threads::Exact);
}

#[test]
fn an_array_may_end_where_the_region_does() {
    assert!(place(1, 0, 512, Threads::Exact).is_within(PAGE));
    assert!(place(1, 8, 511, Threads::Exact).is_within(PAGE));
    assert!(place(1, PAGE, 0, Threads::Exact).is_within(PAGE));
    assert!(!place(1, 8, 512, Threads::Exact).is_within(PAGE));
    assert!(!place(1, 4, 1, Threads::Exact).is_within(PAGE));
    assert!(!place(1, 8, u64::MAX / 8, Threads::Exact).is_within(PAGE));
    assert_eq!(place(1, 24, 3, Threads::Exact).range(), 24..48);
}

#[test]
fn a_header_is_as_long_as_the_pages_that_it_fills() {
    let (short, _) = header(0, PAGE, 200, &[]);
    let exact = 200 + (PAGE - ROOM) as usize - short.len();
    for (name, size) in
        [(1, PAGE), (exact, PAGE), (exact + 1, 2 * PAGE), (exact + PAGE as usize, 2 * PAGE)]
    {
        let (bytes, said) = header(0, PAGE, name, &[]);
        assert_eq!(
            (said, (bytes.len() as u64 + ROOM).next_multiple_of(PAGE)),
            (size, size),
            "{name}"
        );
        assert_eq!(Header::decode(&padded(&bytes, size)).expect("sound").size, size);
    }
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    let (short, _) = header(0, PAGE, 200, &[]);
    let exact = 200 + (PAGE - ROOM) as usize - short.len();
    let (full, _) = header(0, PAGE, exact, &[]);
    let decoded = |bytes: &[u8], size, region| {
        let forged = forged(bytes.to_vec(), size, region);
        Header::decode(&padded(&forged, size)).map(|header| (header.size, header.region_size))
    };
    for (size, region) in [(PAGE, PAGE), (2 * PAGE, PAGE), (PAGE, 3 * PAGE)] {
        assert_eq!(decoded(&full, size, region), Ok((size, region)));
    }
    let wrong = [(0, PAGE), (PAGE + 8, PAGE), (PAGE, 0), (PAGE, 8), (PAGE, PAGE - 8), (8, 8)];
    for (size, region) in wrong {
        assert_eq!(decoded(&full, size, region), Err(SENSELESS), "{size} {region}");
    }
    // A header that is a few bytes longer than it states.
    for longer in 1..=16 {
        let (bytes, _) = header(0, PAGE, exact + longer, &[]);
        assert_eq!(decoded(&bytes, PAGE, PAGE), Err(SENSELESS), "{longer}");
    }
}

#[test]
fn pieces_of_the_slots_may_come_in_any_order() {
    let region = 2 * PAGE;
    let places = [place(1, 0, 4, Threads::Exact), place(2, PAGE + 64, 8, Threads::Atomic)];
    let (mut bytes, size) = header(0, region, 1, &places);
    bytes.resize((size + 3 * region) as usize, 0);
    // Slot, offset and count. The last two add up to 0, as where a child inherited a path in flight
    // of its parent.
    let counts = [
        (1, 8, 5),
        (2, 8, 6),
        (1, 24, 7),
        (0, PAGE + 72, 1),
        (2, PAGE + 120, 2),
        (1, 0, 1),
        (2, 0, u64::MAX),
    ];
    for (slot, offset, count) in counts {
        let at = (size + slot * region + offset) as usize;
        bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(count));
    }
    let (header, modules) = Header::decode_all(&bytes).expect("sound");
    let found: Vec<_> = modules
        .iter()
        .map(|module| (module.id.0[0], module.counters, module.counts.clone()))
        .collect();
    assert_eq!(found, [(1, 4, vec![(1, 11), (3, 7)]), (2, 8, vec![(1, 1), (7, 2)])]);
    assert_eq!(header.head.flags, INCOMPLETE);

    let mut sums = Sums::default();
    for (index, piece) in
        bytes.chunks(24).enumerate().rev().filter(|(index, _)| index * 24 >= size as usize)
    {
        sums.add(&header, index as u64 * 24, piece);
    }
    // The first piece begins before the header ends.
    let first = (size as usize).next_multiple_of(24);
    sums.add(&header, size, &bytes[size as usize..first]);
    assert_eq!(sums.finish(&mut header.clone()), modules);
}
