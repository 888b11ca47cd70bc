//! Claims of rubik policies with separate tables: every entry, by convolution of the sample.
//!
//! Work is counted in B buckets of equal width between the least and the most of the sample, and a
//! request of bucket k counts as least + k width, its upper edge. If the running request has done w,
//! its work is that of the buckets whose smallest request is larger than w, or of the last one. With
//! the work S of each request behind it, entry i is the least c with
//!
//!     P[S_0 - w + S_1 + .. + S_i > c] <= 1 - beta,
//!
//! the largest over the w of a row: its start, and the smallest request of each bucket within it.
//! From a stated position on, the sum is a Gaussian with the mean and variance of the buckets. No
//! entry is below the one before it. The table is whole numbers, rounded up.

use crate::artifact::Artifact;
use crate::claims::{Claims, MICRO};
use crate::inputs::percentile_rank;
use crate::json::Json;
use crate::profile::Profile;

const PPM: i128 = 1_000_000;
/// Rows begin at the octiles.
const ROWS: i128 = 8;
/// Probabilities within this of a limit count as the limit.
const CLOSE: f64 = 1e-12;
/// What a compile has at most; more would take hours.
const MOST_BUCKETS: i128 = 1_024;
const MOST_POSITIONS: i128 = 256;
/// Of the requests that are longer than any measured one.
const MOST_CYCLES: i128 = 1 << 43;
const MOST_MEMORY_NS: i128 = (1 << 53) - 1;

pub fn check(artifact: &Artifact, profile: &Profile, claims: &mut Claims) -> Result<(), String> {
    let method = artifact.evidence()?.text("method")?;
    if method != "separate" {
        claims.cannot_check(format!(
            "the table: its method is `{method}`; only the published tables (`separate`) are checked"
        ));
        return Ok(());
    }
    let table = artifact.form("tail-table")?;
    if table.member("transition").is_some() {
        claims.cannot_check("the table: entries with the cost of a change of frequency");
        return Ok(());
    }
    let clock_khz = artifact.required_setting("clock_khz")?;
    let (mut cycles, mut memory_ns) = (Vec::new(), Vec::new());
    for request in &profile.requests {
        let memory = request.memory_ns.ok_or("the profile has no memory times")?;
        let compute_ns = i128::from(request.demand_ns - memory);
        let weight = i128::from(request.weight);
        cycles.push(((compute_ns * clock_khz + PPM / 2) / PPM, weight));
        memory_ns.push((i128::from(memory), weight));
    }
    check_settings(artifact, table, claims)?;
    check_controller(artifact, claims)?;
    check_alone(artifact, table, profile, &cycles, claims)?;
    for (name, sample, most) in
        [("cycles", cycles, MOST_CYCLES), ("memory_ns", memory_ns, MOST_MEMORY_NS)]
    {
        check_moments(artifact, name, &sample, claims)?;
        let expected = Expected::of(sample, artifact)?;
        expected.check(name, table.list(name)?, most, claims)?;
    }
    Ok(())
}

fn check_settings(artifact: &Artifact, table: &Json, claims: &mut Claims) -> Result<(), String> {
    let place = "the table";
    let percentile_ppm = artifact.required_setting("percentile_ppm")?;
    claims.equal("percentile_ppm", place, table.number("percentile_ppm")?, percentile_ppm);
    claims.equal(
        "bound_us",
        place,
        table.number("bound_us")?,
        artifact.required_setting("bound_us")?,
    );
    let slo = artifact.policy.list("slos")?.first().ok_or("the policy has no SLO")?;
    claims.equal("percentile_ppm", "the SLO", slo.number("percentile_ppm")?, percentile_ppm);
    claims.equal("latency_us", "the SLO", slo.number("latency_us")?, table.number("bound_us")?);
    Ok(())
}

/// The controller has the percentile of the SLO and a target within the bound; gains are settings.
fn check_controller(artifact: &Artifact, claims: &mut Claims) -> Result<(), String> {
    let Ok(controller) = artifact.form("controller") else {
        return Ok(());
    };
    let (place, percentile_ppm) = ("the controller", artifact.required_setting("percentile_ppm")?);
    claims.equal("percentile_ppm", place, controller.number("percentile_ppm")?, percentile_ppm);
    let most = artifact.required_setting("bound_us")? * MICRO;
    claims.at_most("target_us", place, controller.number("target_us")?, most);
    Ok(())
}

/// The percentile of a request alone at the highest frequency.
fn check_alone(
    artifact: &Artifact,
    table: &Json,
    profile: &Profile,
    cycles: &[(i128, i128)],
    claims: &mut Claims,
) -> Result<(), String> {
    let highest = table.list("levels")?.last().ok_or("the table has no levels")?;
    let highest_khz = highest.number("frequency_khz")?;
    let mut times: Vec<(i128, i128)> = profile
        .requests
        .iter()
        .zip(cycles)
        .map(|(request, (cycles, weight))| {
            let compute_ns = (cycles * PPM + highest_khz - 1) / highest_khz;
            (compute_ns + i128::from(request.memory_ns.unwrap_or(0)), *weight)
        })
        .collect();
    times.sort_unstable();
    let rank =
        percentile_rank(artifact.required_setting("percentile_ppm")?, profile.total_weight());
    let mut counted = 0;
    let at_rank = times.iter().find(|(_, weight)| {
        counted += weight;
        counted >= rank
    });
    let least_us = (at_rank.expect("the rank is that of a request").0 + 999) / 1_000;
    claims.equal("least_us", "the evidence", artifact.required_setting("least_us")?, least_us);
    Ok(())
}

fn check_moments(
    artifact: &Artifact,
    name: &str,
    sample: &[(i128, i128)],
    claims: &mut Claims,
) -> Result<(), String> {
    let total: i128 = sample.iter().map(|(_, weight)| weight).sum();
    let sum: i128 = sample.iter().map(|(work, weight)| work * weight).sum();
    let mean = sum as f64 / total as f64;
    let squares: f64 =
        sample.iter().map(|(work, weight)| (*work as f64 - mean).powi(2) * *weight as f64).sum();
    let micro = |value: f64| (value * MICRO as f64) as i128;
    let claimed = |what: &str| artifact.required_setting(&format!("{what}_{name}"));
    claims.rounded("mean of a request", name, claimed("mean")?, micro(mean));
    let deviation = (squares / total as f64).sqrt();
    claims.rounded("deviation of a request", name, claimed("deviation")?, micro(deviation));
    Ok(())
}

/// The histogram of a sample, and what a table of it must contain.
struct Expected {
    least: i128,
    most: i128,
    buckets: i128,
    /// Probability and smallest value of each bucket; None: it is empty.
    share: Vec<f64>,
    smallest: Vec<Option<i128>>,
    exceeded: f64,
    quantile: f64,
    convolved: usize,
}

impl Expected {
    fn of(mut sample: Vec<(i128, i128)>, artifact: &Artifact) -> Result<Expected, String> {
        sample.sort_unstable();
        let buckets = artifact.required_setting("buckets")?;
        let (least, most) = (sample[0].0, sample[sample.len() - 1].0);
        if least == most {
            return Err("tables of equal work are not checked".into());
        }
        let convolved = artifact.required_setting("positions_convolved")?;
        if !(2..=MOST_BUCKETS).contains(&buckets) || !(0..=MOST_POSITIONS).contains(&convolved) {
            return Err(format!(
                "tables of more than {MOST_BUCKETS} buckets or {MOST_POSITIONS} positions are not \
                 checked"
            ));
        }
        let total: i128 = sample.iter().map(|(_, weight)| weight).sum();
        let mut counted = vec![0; buckets as usize];
        let mut smallest = vec![None; buckets as usize];
        for (work, weight) in &sample {
            let range = most - least;
            let bucket = (((work - least) * (buckets - 1) + range - 1) / range) as usize;
            counted[bucket] += weight;
            smallest[bucket].get_or_insert(*work);
        }
        let percentile_ppm = artifact.required_setting("percentile_ppm")?;
        Ok(Expected {
            least,
            most,
            buckets,
            share: counted.iter().map(|count| *count as f64 / total as f64).collect(),
            smallest,
            exceeded: 1.0 - percentile_ppm as f64 / 1e6 + CLOSE,
            quantile: percentile_ppm as f64 / 1e6,
            convolved: convolved as usize,
        })
    }

    fn check(
        &self,
        name: &str,
        rows: &[Json],
        most: i128,
        claims: &mut Claims,
    ) -> Result<(), String> {
        let starts = self.starts();
        let place = format!("the rows of {name}");
        claims.equal("number of rows", &place, rows.len() as i128, starts.len() as i128 + 1);
        if rows.len() != starts.len() + 1 {
            return Ok(());
        }
        let positions = rows[0].list("left")?.len();
        if positions as i128 > MOST_POSITIONS {
            return Err(format!("tables of more than {MOST_POSITIONS} positions are not checked"));
        }
        claims.judge("positions", &place, positions > 0, "there are no entries");
        let sums = self.sums();
        for (number, row) in rows.iter().enumerate() {
            let place = format!("row {number} of {name}");
            let left = row.numbers("left")?;
            claims.equal("positions", &place, left.len() as i128, positions as i128);
            let from = row.number("from_elapsed")?;
            let Some(start) = starts.get(number) else {
                claims.equal("from_elapsed", &place, from, self.most + 1);
                for entry in left {
                    claims.equal("entries of unknown work", &place, entry, most);
                }
                continue;
            };
            claims.equal("from_elapsed", &place, from, *start);
            let end = starts.get(number + 1).copied().unwrap_or(self.most);
            let mut floor = 0;
            for (position, claimed) in left.into_iter().enumerate() {
                let of_case = |elapsed: i128| self.entry_micro(position, elapsed, &sums);
                let largest = self.cases(*start, end).into_iter().map(of_case).max();
                floor = floor.max(largest.expect("a row has a case"));
                let place = format!("position {position} in {place}");
                claims.rounded_up("entries", &place, claimed, floor.min(most * MICRO));
            }
        }
        Ok(())
    }

    /// Work at which rows begin: 0, and the smallest request of the bucket of each octile.
    fn starts(&self) -> Vec<i128> {
        let mut starts = vec![0];
        for octile in 1..ROWS {
            let mut sum = 0.0;
            let reached = self.share.iter().position(|share| {
                sum += share;
                sum >= octile as f64 / ROWS as f64 - CLOSE
            });
            let start = reached.and_then(|bucket| self.smallest[bucket]).unwrap_or(self.most);
            if start < self.most && !starts.contains(&start) {
                starts.push(start);
            }
        }
        starts
    }

    /// Elapsed work of which an entry is the worst: nothing between two of them is worse.
    fn cases(&self, start: i128, end: i128) -> Vec<i128> {
        let within = |work: &&i128| **work > start && **work < end;
        let smallest = self.smallest.iter().flatten().filter(within).copied();
        [start].into_iter().chain(smallest).collect()
    }

    /// P[M > t] of the sum M of the bucket numbers of i requests, for each i and t from 0 on.
    fn sums(&self) -> Vec<Vec<f64>> {
        let mut law = vec![1.0];
        let mut all = Vec::new();
        for _ in 0..self.convolved {
            let mut above: Vec<f64> = vec![0.0; law.len()];
            for place in (1..law.len()).rev() {
                above[place - 1] = above[place] + law[place];
            }
            all.push(above);
            let mut next = vec![0.0; law.len() + self.share.len() - 1];
            for (place, of_sum) in law.iter().enumerate() {
                for (bucket, of_one) in self.share.iter().enumerate() {
                    next[place + bucket] += of_sum * of_one;
                }
            }
            law = next;
        }
        all
    }

    /// Buckets of demand in which the running request can be after the elapsed work.
    fn possible(&self, elapsed: i128) -> Vec<usize> {
        let is_above = |bucket: &usize| self.smallest[*bucket].is_some_and(|least| least > elapsed);
        let above: Vec<usize> = (0..self.share.len()).filter(is_above).collect();
        if above.is_empty() {
            vec![self.share.len() - 1]
        } else {
            above
        }
    }

    fn entry_micro(&self, position: usize, elapsed: i128, sums: &[Vec<f64>]) -> i128 {
        let possible = self.possible(elapsed);
        let total: f64 = possible.iter().map(|bucket| self.share[*bucket]).sum();
        match sums.get(position) {
            Some(above) => {
                let buckets = self.least_sum(&possible, self.exceeded * total, above);
                let whole = (position as i128 + 1) * self.least - elapsed;
                whole * MICRO + buckets * (self.most - self.least) * MICRO / (self.buckets - 1)
            }
            None => self.gaussian_micro(position, elapsed, &possible, total),
        }
    }

    /// The least t with P[K_0 + M > t] within `allowed`, both not yet divided by the probability of
    /// `possible`.
    fn least_sum(&self, possible: &[usize], allowed: f64, above: &[f64]) -> i128 {
        let exceeded = |t: usize| -> f64 {
            let of_bucket = |bucket: &usize| {
                let rest =
                    if *bucket > t { 1.0 } else { above.get(t - bucket).copied().unwrap_or(0.0) };
                self.share[*bucket] * rest
            };
            possible.iter().map(of_bucket).sum()
        };
        let (mut low, mut high) = (0, above.len() + self.share.len());
        while low < high {
            let middle = (low + high) / 2;
            if exceeded(middle) <= allowed {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low as i128
    }

    fn gaussian_micro(
        &self,
        position: usize,
        elapsed: i128,
        possible: &[usize],
        total: f64,
    ) -> i128 {
        let all: Vec<usize> = (0..self.share.len()).collect();
        let (first, spread) = self.moments(possible, total);
        let (mean, variance) = self.moments(&all, 1.0);
        let deviation = (spread + position as f64 * variance).sqrt();
        let z = (normal_quantile(self.quantile) * 1e6).ceil() / 1e6;
        let value = first - elapsed as f64 + position as f64 * mean + z * deviation;
        (value * MICRO as f64) as i128
    }

    fn moments(&self, buckets: &[usize], total: f64) -> (f64, f64) {
        let width = (self.most - self.least) as f64 / (self.buckets - 1) as f64;
        let edge = |bucket: &usize| self.least as f64 + *bucket as f64 * width;
        let mean = buckets.iter().map(|b| self.share[*b] * edge(b)).sum::<f64>() / total;
        let square = |b: &usize| self.share[*b] * (edge(b) - mean).powi(2);
        (mean, buckets.iter().map(square).sum::<f64>() / total)
    }
}

/// By bisection of the complementary error function.
fn normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if normal_share(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The share of the normal distribution below z: its series (Marsaglia, 2004).
fn normal_share(z: f64) -> f64 {
    let (mut sum, mut term, mut factor) = (z, z, 1.0);
    while term.abs() > 1e-18 && factor < 1000.0 {
        factor += 2.0;
        term *= z * z / factor;
        sum += term;
    }
    0.5 + sum * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{normal_quantile, Expected};

    /// Work 0 or 10 with equal probability, in two buckets.
    fn coin(exceeded: f64) -> Expected {
        Expected {
            least: 0,
            most: 10,
            buckets: 2,
            share: vec![0.5, 0.5],
            smallest: vec![Some(0), Some(10)],
            exceeded,
            quantile: 0.95,
            convolved: 3,
        }
    }

    #[test]
    fn the_sum_of_three_coins_is_binomial() {
        // The running request is long, since it has work; two more are long with 1/4.
        let entry = |exceeded: f64| coin(exceeded).entry_micro(2, 0, &coin(exceeded).sums());
        assert_eq!(entry(0.24), 30_000_000);
        assert_eq!(entry(0.25), 20_000_000);
        assert_eq!(entry(0.75), 10_000_000);
    }

    #[test]
    fn the_normal_quantile_is_that_of_tables() {
        assert!((normal_quantile(0.95) - 1.644_853_626_951).abs() < 1e-9);
        assert!((normal_quantile(0.999) - 3.090_232_306_168).abs() < 1e-8);
    }
}
