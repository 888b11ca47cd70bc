//! Requests by number. Numbers follow one another, so they need no hash that resists collisions.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map whose keys are numbers of requests.
pub(super) type Numbered<Value> = HashMap<u64, Value, BuildHasherDefault<ByNumber>>;

/// Spreads the bits of a number by a multiplication with 2^64 over the golden ratio.
#[derive(Debug, Default)]
pub(super) struct ByNumber(u64);

impl Hasher for ByNumber {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
