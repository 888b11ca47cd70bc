//! Replays of a sample at a rate: Poisson arrivals, a percentile with its interval, overload.

use crate::profile::{Profile, SPEED_ONE};
use crate::rank_limits::rank_limits;
use crate::shared_cores::{simulate, Arrival, Outcome, Server};

const NS_PER_S: f64 = 1e9;
const MRPS_PER_RPS: f64 = 1e3;
const PPM: f64 = 1e6;
/// The first requests find an emptier server than the others, and do not count: one in 20.
const WARM_UP: usize = 20;
/// Replays behind an estimate, and bootstrap samples behind its interval.
const REPEATS: usize = 20;
const REPLICATES: usize = 40;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Above 0 and at most 1.
    fn part(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// Requests of a profile, each as often as its weight, in the order of demand.
pub struct Sample<'a> {
    profile: &'a Profile,
    requests: Vec<usize>,
}

impl Sample<'_> {
    pub fn of(profile: &Profile) -> Sample<'_> {
        let places = profile.requests.iter().enumerate();
        let requests =
            places.flat_map(|(place, request)| vec![place; request.weight as usize]).collect();
        Sample { profile, requests }
    }

    /// As many requests, chosen with replacement.
    fn resampled(&self, random: &mut Random) -> Sample<'_> {
        let size = self.requests.len();
        let mut requests: Vec<usize> =
            (0..size).map(|_| self.requests[random.below(size)]).collect();
        requests.sort_unstable();
        Sample { profile: self.profile, requests }
    }

    pub fn arrival(&self, position: usize, at_ns: i64, degrees: &[usize]) -> Arrival {
        let request = &self.profile.requests[self.requests[position]];
        Arrival {
            at_ns,
            work_ns: request.demand_ns as f64,
            speeds: degrees
                .iter()
                .map(|degree| request.speeds[degree - 1] as f64 / SPEED_ONE as f64)
                .collect(),
        }
    }
}

/// Times, and the position of each request in the order of demand.
struct Times(Vec<(i64, usize)>);

impl Times {
    /// Every request of the sample arrives equally often, in random order.
    fn poisson(count: usize, rate_mrps: i128, size: usize, random: &mut Random) -> Times {
        let gap_ns = NS_PER_S * MRPS_PER_RPS / rate_mrps as f64;
        let mut positions: Vec<usize> = Vec::with_capacity(count + size);
        while positions.len() < count {
            let mut round: Vec<usize> = (0..size).collect();
            random.shuffle(&mut round);
            positions.extend(round);
        }
        let mut at_ns = 0.0;
        let mut times = Vec::with_capacity(count);
        for position in positions.into_iter().take(count) {
            at_ns -= gap_ns * random.part().ln();
            times.push((at_ns as i64, position));
        }
        Times(times)
    }

    fn arrivals(&self, sample: &Sample, degrees: &[usize]) -> Vec<Arrival> {
        self.0.iter().map(|(at_ns, place)| sample.arrival(*place, *at_ns, degrees)).collect()
    }
}

/// Replays of a server at a rate, and the percentile of all that counts in them.
pub struct Repeats {
    pub overload: Overload,
    /// Of all replays together; 0 if the server was stopped.
    pub tail_ns: f64,
    /// Standard deviation of the percentile of one replay.
    deviation_ns: f64,
    times: Vec<Times>,
    /// Latencies of each replay.
    counted: Vec<Vec<i64>>,
    /// Those of all, in ascending order.
    all: Vec<i64>,
}

/// How far the percentile may be from that of all requests, as shares of requests in time.
pub struct Interval {
    pub low: f64,
    /// None: the sample is too small for an upper limit.
    pub high: Option<f64>,
    /// What the share of a time may differ between replays, five standard deviations.
    pub noise: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overload {
    Yes,
    No,
    /// Too near to the limits.
    Unclear,
}

impl Repeats {
    /// By how much the percentile of `repeats` other replays may differ, five standard deviations.
    pub fn noise_ns(&self, repeats: i128) -> f64 {
        5.0 * self.deviation_ns * (1.0 / repeats as f64 + 1.0 / REPEATS as f64).sqrt()
    }

    /// The share of all requests that take at most this time.
    pub fn share_within(&self, ns: f64) -> f64 {
        self.all.partition_point(|latency| *latency as f64 <= ns) as f64 / self.all.len() as f64
    }

    fn share_in_time(&self, latencies: &[i64]) -> f64 {
        let in_time = latencies.iter().filter(|latency| **latency as f64 <= self.tail_ns).count();
        in_time as f64 / latencies.len() as f64
    }
}

pub struct Replays<'a> {
    pub sample: &'a Sample<'a>,
    pub rate_mrps: i128,
    pub percentile_ppm: i128,
    /// Arrivals in each.
    pub requests: usize,
    /// Independent requests behind the percentile that is checked.
    pub sample_size: i128,
}

impl Replays<'_> {
    /// The same arrivals for each server.
    pub fn repeats(&self, server: &Server, degrees: &[usize]) -> Repeats {
        let mut random = Random(self.rate_mrps as u64);
        let size = self.sample.requests.len();
        let times: Vec<Times> = (0..REPEATS)
            .map(|_| Times::poisson(self.requests, self.rate_mrps, size, &mut random))
            .collect();
        let outcomes: Vec<Outcome> = times
            .iter()
            .map(|times| simulate(server, &times.arrivals(self.sample, degrees)))
            .collect();
        let overload = overload(&outcomes);
        let counted: Vec<Vec<i64>> = outcomes.iter().map(counted).collect();
        let share = self.share();
        let sorted = |mut latencies: Vec<i64>| {
            latencies.sort_unstable();
            latencies
        };
        let all = sorted(counted.concat());
        let is_complete = counted.iter().all(|latencies| !latencies.is_empty());
        let (tail_ns, deviation_ns) = if is_complete {
            let tails: Vec<f64> =
                counted.iter().map(|one| at_share(&sorted(one.clone()), share)).collect();
            (at_share(&all, share), variance(&tails).sqrt())
        } else {
            (0.0, 0.0)
        };
        Repeats { overload, tail_ns, deviation_ns, times, counted, all }
    }

    /// Limits by the share of requests in time, of which bootstrap samples have the variance.
    ///
    /// docs/verdicts.md has the method. Its last two steps, the degrees of freedom and the skewness,
    /// only widen the interval, and are left out.
    pub fn interval(&self, server: &Server, degrees: &[usize], repeats: &Repeats) -> Interval {
        let mut random = Random(self.rate_mrps as u64 + 1);
        let share = self.share();
        let of_repeats: Vec<f64> =
            repeats.counted.iter().map(|latencies| repeats.share_in_time(latencies)).collect();
        let mut differences = Vec::new();
        for replicate in 0..REPLICATES {
            let sample = self.sample.resampled(&mut random);
            let times = &repeats.times[replicate % REPEATS];
            let outcome = simulate(server, &times.arrivals(&sample, degrees));
            let latencies = counted(&outcome);
            let in_time =
                if latencies.is_empty() { 0.0 } else { repeats.share_in_time(&latencies) };
            differences.push(in_time - of_repeats[replicate % REPEATS]);
        }
        // The stated sample may be a part of this one.
        let part = self.sample_size as f64 / self.sample.requests.len() as f64;
        let of_share = variance(&differences) / part + variance(&of_repeats) / REPEATS as f64;
        let effective =
            (share * (1.0 - share) / of_share).clamp(1.0, self.sample_size as f64).floor();
        let ranks = rank_limits(self.percentile_ppm, effective as i128);
        let limit = |rank: i128| rank as f64 / effective;
        Interval {
            low: limit(ranks.low[0]),
            high: (ranks.high[0] as f64 <= effective).then(|| limit(ranks.high[0])),
            noise: 5.0 * (variance(&of_repeats) / REPEATS as f64).sqrt(),
        }
    }

    pub fn share(&self) -> f64 {
        self.percentile_ppm as f64 / PPM
    }
}

/// Latencies after the warm-up; none if the server was stopped.
fn counted(outcome: &Outcome) -> Vec<i64> {
    outcome.latency_ns[outcome.latency_ns.len() / WARM_UP..].to_vec()
}

/// The order statistic of ascending values that this share reaches.
fn at_share(sorted: &[i64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64 - 1e-6).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1] as f64
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

fn variance(values: &[f64]) -> f64 {
    let middle = mean(values.iter().copied());
    values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// docs/verdicts.md has the limits: 99.5 % of the cores, and 1.5 times as many requests.
fn overload(outcomes: &[Outcome]) -> Overload {
    let usage = mean(outcomes.iter().map(|outcome| outcome.usage));
    let found = [0, 1].map(|half| mean(outcomes.iter().map(|outcome| outcome.found[half])));
    let growth = found[1] / found[0].max(1.0);
    let stopped = outcomes.iter().filter(|outcome| outcome.is_stopped).count();
    match stopped {
        0 if usage < 0.98 && growth < 1.3 => Overload::No,
        0 if usage < 0.999 && growth < 2.0 => Overload::Unclear,
        few if few > 0 && few < REPEATS / 2 => Overload::Unclear,
        _ => Overload::Yes,
    }
}
