//! How much slower requests are next to batch work, from counters: the `dynamic` of Elfen at run time.
//!
//! A request that shares its core for a time loses the part s of it, by the policy. The agent compares the
//! instructions per cycle of shared ticks with those of ticks alone. Where it finds a loss of s', the time
//! counts as much as s' / s of it.

use tailc_runtime::{Ladder, Lane};

use crate::cores::{Core, Running};
use crate::events::Counts;

const PPM: i64 = 1_000_000;
/// Weight of a tick in the running mean of ticks without batch work.
const WEIGHT: f64 = 1.0 / 16.0;

/// Measurements of one core.
#[derive(Debug)]
pub struct Interference {
    /// The loss of shared time by the policy; none: its requests lose nothing.
    expected: Option<f64>,
    lanes: Vec<LaneCounts>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LaneCounts {
    before: Option<(u64, Counts)>,
    running: Option<Running>,
    /// Instructions per cycle of requests alone.
    alone: Option<f64>,
    /// The last loss of shared time.
    loss: Option<f64>,
}

impl Interference {
    /// Takes the expected loss from the speeds of the rungs of a ladder.
    pub fn of(ladder: &Ladder, cores: usize) -> Self {
        Self { expected: expected(ladder), lanes: vec![LaneCounts::default(); cores] }
    }

    /// Takes the expected loss from another ladder, and keeps the measurements.
    pub fn reload(&mut self, ladder: &Ladder) {
        self.expected = expected(ladder);
    }

    /// What to add to the age of the running request for the time since the last tick, in which its core
    /// was in that lane; none: neither shared nor alone. Only a request that ran all this time is measured.
    pub fn charge_ns(&mut self, at: usize, core: &Core, lane: Option<Lane>, now_ns: u64) -> i64 {
        let known = &mut self.lanes[at];
        let before = std::mem::replace(&mut known.before, core.counts.map(|now| (now_ns, now)));
        let ran = std::mem::replace(&mut known.running, core.running);
        let (Some((before_ns, before)), Some(counts)) = (before, core.counts) else { return 0 };
        let is_same = ran.zip(core.running).is_some_and(|(a, b)| a.started_ns == b.started_ns);
        let Some(per_cycle) = counts.since(before).per_cycle().filter(|_| is_same) else {
            return 0;
        };
        match (lane, known.alone, self.expected) {
            (Some(Lane::Alone), alone, _) => {
                known.alone =
                    Some(alone.map_or(per_cycle, |mean| mean + WEIGHT * (per_cycle - mean)));
                0
            }
            (Some(Lane::Shared), Some(alone), Some(expected)) if alone > 0.0 => {
                let loss = (1.0 - per_cycle / alone).max(0.0);
                known.loss = Some(loss);
                ((now_ns - before_ns) as f64 * (loss / expected - 1.0)).round() as i64
            }
            _ => 0,
        }
    }

    /// The last loss of each core that has one.
    pub fn losses(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.lanes.iter().enumerate().filter_map(|(core, lane)| Some((core, lane.loss?)))
    }
}

fn expected(ladder: &Ladder) -> Option<f64> {
    let mut shared = ladder.settings().iter().filter(|rung| rung.lane == Some(Lane::Shared));
    let loss_ppm = PPM - shared.next()?.speed_ppm;
    (loss_ppm > 0).then_some(loss_ppm as f64 / PPM as f64)
}
