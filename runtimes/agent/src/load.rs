//! The load of a server on the axis of a ladder: requests in the system, or arrivals per second.

use std::collections::VecDeque;

use tailc_runtime::{Ladder, LoadAxis};

use crate::cores::Seen;

/// Arrivals are counted over this time.
const WINDOW_NS: u64 = 10_000_000_000;
/// Until this time after the start, the highest compiled rate applies.
const FIRST_NS: u64 = 1_000_000_000;
/// Times at which the count is remembered.
const SAMPLE_NS: u64 = 100_000_000;
const MRPS_PER_RPNS: u128 = 1_000_000_000_000;

/// Counts of arrivals, and the state to make them.
#[derive(Debug, Default)]
pub struct Load {
    samples: VecDeque<(u64, u64)>,
    /// By core, the start of the request that ran at the last tick.
    started_ns: Vec<Option<u64>>,
    starts: u64,
}

impl Load {
    /// The load now.
    pub fn of(&mut self, ladder: &Ladder, seen: &Seen) -> u64 {
        match ladder.load_axis() {
            LoadAxis::InSystem => seen.in_system(),
            LoadAxis::Rate => {
                self.count(seen);
                self.rate_mrps().unwrap_or(ladder.guard().max_load)
            }
        }
    }

    /// As the server counts arrivals, or else as the agent sees requests start.
    fn count(&mut self, seen: &Seen) {
        let started_ns: Vec<Option<u64>> =
            seen.cores.iter().map(|core| core.running.map(|one| one.started_ns)).collect();
        let is_new = |(core, now): (usize, &Option<u64>)| {
            now.is_some() && self.started_ns.get(core) != Some(now)
        };
        self.starts += started_ns.iter().enumerate().filter(|pair| is_new(*pair)).count() as u64;
        self.started_ns = started_ns;
        let arrivals: u64 = seen.cores.iter().map(|core| core.arrivals).sum();
        let count = if arrivals > 0 { arrivals } else { self.starts };
        let now = (seen.now_ns, count);
        match self.samples.len() {
            // The last one moves until it is a whole sample after the one before.
            n if n >= 2 && self.samples[n - 1].0 - self.samples[n - 2].0 < SAMPLE_NS => {
                self.samples[n - 1] = now;
            }
            _ => self.samples.push_back(now),
        }
        while self.samples.len() > 2 && now.0 - self.samples[1].0 >= WINDOW_NS {
            self.samples.pop_front();
        }
    }

    fn rate_mrps(&self) -> Option<u64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let passed_ns = last.0 - first.0;
        let count = u128::from(last.1.saturating_sub(first.1));
        (passed_ns >= FIRST_NS).then(|| (count * MRPS_PER_RPNS / u128::from(passed_ns)) as u64)
    }
}
