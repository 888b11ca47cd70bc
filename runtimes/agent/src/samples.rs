//! Durations that were measured several times.

use std::fmt;

/// Sorted nanoseconds, at least one.
#[derive(Clone, Debug)]
pub struct Samples(Vec<u64>);

impl Samples {
    /// None: nothing was measured.
    pub fn of(mut durations_ns: Vec<u64>) -> Option<Self> {
        durations_ns.sort_unstable();
        (!durations_ns.is_empty()).then_some(Self(durations_ns))
    }

    /// The value at place ceil(p n) of n, with p in percent.
    pub fn percentile_ns(&self, percent: usize) -> u64 {
        let place = (percent * self.0.len()).div_ceil(100).max(1);
        self.0[place - 1]
    }

    /// The 99th percentile in whole microseconds, rounded up and at least 1, as specs take times.
    pub fn p99_us(&self) -> u64 {
        self.percentile_ns(99).div_ceil(1_000).max(1)
    }
}

impl fmt::Display for Samples {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |percent| self.percentile_ns(percent) as f64 / 1e3;
        write!(to, "median {:.1} us, p99 {:.1} us, of {}", us(50), us(99), self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let samples = Samples::of((1..=200).rev().map(|n| n * 500).collect()).unwrap();
        assert_eq!(samples.percentile_ns(50), 50_000);
        assert_eq!(samples.percentile_ns(99), 99_000);
        assert_eq!(samples.p99_us(), 99);
        assert_eq!(samples.to_string(), "median 50.0 us, p99 99.0 us, of 200");
    }

    #[test]
    fn a_time_for_a_spec_is_rounded_up() {
        assert_eq!(Samples::of(vec![1]).unwrap().p99_us(), 1);
        assert_eq!(Samples::of(vec![2_001]).unwrap().p99_us(), 3);
        assert!(Samples::of(Vec::new()).is_none());
    }
}
