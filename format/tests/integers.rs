//! Integers, checksums and errors against their definitions.

use pathformat::wire::{Checksummed, Error, Reader, Sink, checksum};

const TOO_LONG: Error = Error::Invalid("a variable-length integer exceeds 64 bits");

fn varint(value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.put_varint(value);
    bytes
}

/// Returns nine times the first byte, which has the continuation bit, and then the tenth.
fn ten_bytes(first: u8, tenth: u8) -> Vec<u8> {
    [vec![first; 9], vec![tenth]].concat()
}

#[test]
fn variable_length_integers_are_leb128() {
    let known: [(u64, &[u8]); 6] = [
        (0, &[0]),
        (1, &[1]),
        (127, &[0x7f]),
        (128, &[0x80, 1]),
        (300, &[0xac, 2]),
        (624_485, &[0xe5, 0x8e, 0x26]),
    ];
    for (value, bytes) in known {
        assert_eq!(varint(value), bytes, "{value}");
        assert_eq!(Reader::new(bytes).varint(), Ok(value));
    }
    assert_eq!(varint(u64::MAX), ten_bytes(0xff, 1));
}

#[test]
fn the_tenth_byte_holds_one_bit() {
    assert_eq!(Reader::new(&ten_bytes(0x80, 1)).varint(), Ok(1 << 63));
    assert_eq!(Reader::new(&ten_bytes(0xff, 1)).varint(), Ok(u64::MAX));
    assert_eq!(Reader::new(&ten_bytes(0x80, 0)).varint(), Ok(0));
    for tenth in [2, 3, 0x40, 0x7f, 0x82] {
        assert_eq!(Reader::new(&ten_bytes(0x80, tenth)).varint(), Err(TOO_LONG), "{tenth}");
    }
    let eleven = [vec![0x80; 10], vec![0]].concat();
    assert_eq!(Reader::new(&eleven).varint(), Err(TOO_LONG));
}

#[test]
fn every_power_of_two_and_its_neighbours_come_back() {
    for power in 0..64 {
        for value in [(1u64 << power) - 1, 1 << power, (1 << power) + 1] {
            let bytes = varint(value);
            let bits = 64 - value.leading_zeros();
            assert_eq!(bytes.len() as u32, bits.max(1).div_ceil(7), "{value}");
            let mut reader = Reader::new(&bytes);
            assert_eq!((reader.varint(), reader.rest()), (Ok(value), &[][..]));
            let narrow = u32::try_from(value)
                .map_err(|_| Error::Invalid("an index or line exceeds 32 bits"));
            assert_eq!(Reader::new(&bytes).varint32(), narrow);
        }
    }
}

#[test]
fn signed_integers_alternate_around_zero() {
    let known =
        [(0, 0), (-1, 1), (1, 2), (-2, 3), (2, 4), (i64::MAX, u64::MAX - 1), (i64::MIN, u64::MAX)];
    for (value, coded) in known {
        let mut bytes = Vec::new();
        bytes.put_signed(value);
        assert_eq!(bytes, varint(coded), "{value}");
        assert_eq!(Reader::new(&bytes).signed(), Ok(value));
    }
}

#[test]
fn a_count_is_at_most_what_follows() {
    assert_eq!(Reader::new(&[2, 0, 0]).count(), Ok(2));
    assert_eq!(Reader::new(&[3, 0, 0]).count(), Err(Error::Truncated));
    assert_eq!(Reader::new(&[2, 7, 8, 9]).bytes(), Ok(&[7, 8][..]));
}

/// The values that the authors of xxHash publish for these texts.
#[test]
fn the_checksum_is_xxhash64() {
    let known: [(&[u8], u64); 3] = [
        (b"", 0xef46_db37_51d8_e999),
        (b"a", 0xd24e_c4f1_a98c_6e5b),
        (b"abc", 0x44bc_2cf5_ad77_0999),
    ];
    for (text, sum) in known {
        assert_eq!(checksum(text), sum);
        let mut bytes = Vec::new();
        let mut sink = Checksummed::new(&mut bytes);
        text.iter().for_each(|byte| sink.put(&[*byte]));
        sink.finish();
        assert_eq!(bytes, [text, &sum.to_le_bytes()].concat());
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let said = [
        (Error::Truncated, "it ends in the middle of a value (truncated?)"),
        (Error::BadMagic, "it does not start with the expected magic number"),
        (Error::BadVersion(9), "it has format version 9, which this program cannot read"),
        (Error::BadChecksum, "its checksum does not match its content"),
        (Error::Invalid("a word"), "a word"),
    ];
    for (error, text) in said {
        assert_eq!(error.to_string(), text);
    }
}
