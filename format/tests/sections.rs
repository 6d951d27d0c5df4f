//! Records in a section: their limits, and their modules.

use pathformat::ModuleId;
use pathformat::record::{HEAD_LENGTH, Records, padding, write};
use pathformat::wire::Error;

const STORED: [&[u8]; 3] = [b"hello", b"eight by", b"x"];

fn section() -> Vec<u8> {
    let record =
        |(id, stored): (u8, &&[u8])| write(ModuleId([id; 16]), 1, [id.into(), 3], 99, stored);
    (1..).zip(&STORED).flat_map(record).collect()
}

/// Returns the number of sound records in these bytes, and the number of errors behind them.
fn found(bytes: &[u8]) -> (usize, usize) {
    let (sound, errors): (Vec<_>, Vec<_>) = Records::new(bytes).partition(Result::is_ok);
    (sound.len(), errors.len())
}

#[test]
fn records_begin_at_multiples_of_eight() {
    for length in 0..=24 {
        let record = write(ModuleId([1; 16]), 0, [0, 0], 0, &vec![7; length]);
        assert_eq!(record.len(), (HEAD_LENGTH + length).next_multiple_of(8));
        assert_eq!(padding(length), length.next_multiple_of(8) - length);
        assert!(record[HEAD_LENGTH + length..].iter().all(|&byte| byte == 0));
    }
}

#[test]
fn heads_and_stored_bytes_come_back() {
    let section = section();
    for (number, (record, stored)) in Records::new(&section).zip(STORED).enumerate() {
        let record = record.expect("sound");
        let id = number as u8 + 1;
        assert_eq!((record.head.flags, record.head.id), (1, ModuleId([id; 16])));
        assert_eq!(
            (record.head.counters, record.head.keys, record.head.raw_length),
            (id.into(), 3, 99)
        );
        assert_eq!((record.head.stored_length, record.stored), (stored.len() as u64, stored));
        assert_eq!(record.verify(), Ok(()));
    }
    assert_eq!(found(&section), (3, 0));
}

#[test]
fn a_section_that_is_cut_has_the_records_before_the_cut_and_one_error() {
    let section = section();
    // The offsets at which the records begin, and at which the stored bytes of each end. Missing
    // zeros of the padding do no harm.
    let begins = [0, 80, 160];
    let ends = [77, 160, 233];
    assert_eq!(section.len(), 240);
    for length in 0..section.len() {
        let sound = ends.iter().filter(|&&end| end <= length).count();
        let in_middle =
            begins.iter().zip(&ends).any(|(&begin, &end)| begin < length && length < end);
        assert_eq!(found(&section[..length]), (sound, in_middle.into()), "at {length}");
    }
}

#[test]
fn zeros_behind_the_records_are_none() {
    for zeros in [1, 7, 8, 100] {
        assert_eq!(found(&[section(), vec![0; zeros]].concat()), (3, 0));
        assert_eq!(found(&vec![0; zeros]), (0, 0));
    }
    assert_eq!(found(&[section(), vec![0, 1]].concat()), (3, 1));
    let mut reader = Records::new(&[1; HEAD_LENGTH]);
    assert_eq!(reader.next().expect("an error").unwrap_err(), Error::BadMagic);
    assert!(reader.next().is_none(), "nothing behind an error is believed");
}

#[test]
fn a_module_and_its_keys_have_each_other() {
    for last in [0, 1, 0x7f, 0x80, 0xff] {
        let mut id = ModuleId([7; 16]);
        id.0[15] = last;
        assert_ne!(id.keys(), id);
        assert_eq!(id.keys().keys(), id);
        assert_eq!(id.keys().0[..15], id.0[..15]);
    }
}

#[test]
fn every_function_up_to_2_to_the_24_has_a_word_of_its_own() {
    let id = ModuleId([0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(id.function_word(0), Some(0xffee_ddcc_bb00_0000));
    assert_eq!(id.function_word((1 << 24) - 1), Some(0xffee_ddcc_bbff_ffff));
    assert_eq!(id.function_word(1 << 24), None);
    assert_eq!(id.function_word(usize::MAX), None);
}

#[test]
fn an_id_says_what_it_is_when_it_is_debugged() {
    assert_eq!(format!("{:?}", ModuleId([0x0a; 16])), format!("module {}", "0a".repeat(16)));
}
