//! Fast hash maps for keys that the traced program determines, not an attacker of `pathprof`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map with numbers as keys: addresses, or the numbers of paths and functions.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// A hasher that multiplies by an odd number without a pattern, and mixes the halves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number ^ 0x9e37_79b9_7f4a_7c15)
            * u128::from(0xd6e8_feb8_6659_fd93_u64);
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }
}
