//! Execution times of the requests of a profile under a schedule, and their sums by rung.
//!
//! With k the rung on which request r ends, v_i the time on rung i and s_i its speed,
//!
//!     T_r = sum over i < k of v_i  +  (x_r - sum over i < k of s_i v_i) / s_k
//!
//! (Haque et al., ASPLOS 2015, eq. 1). Every time is rounded down to a femtosecond, once a request.

use crate::profile::{Profile, SPEED_ONE};

/// Femtoseconds on each rung but the last; None: a request stays until it ends.
pub type Stays = [Option<i128>];

pub struct Execution {
    /// Total time of all requests on each rung, weights counted.
    total_on_fs: Vec<i128>,
    total_weight: i128,
    /// Time of each request and its weight.
    times: Vec<(i128, i128)>,
}

impl Execution {
    pub fn of(profile: &Profile, stays: &Stays) -> Execution {
        let mut total_on_fs = vec![0; stays.len() + 1];
        let mut times = Vec::with_capacity(profile.requests.len());
        for request in &profile.requests {
            let weight = i128::from(request.weight);
            let (rung, before, last) = stretches(request.demand_fs, &request.speeds, stays);
            let finished = stays[..rung].iter().map(|stay| stay.unwrap_or(0));
            for (total, stay) in total_on_fs.iter_mut().zip(finished) {
                *total += weight * stay;
            }
            total_on_fs[rung] += weight * last;
            times.push((before + last, weight));
        }
        Execution { total_on_fs, total_weight: profile.total_weight(), times }
    }

    /// The time of request number `rank` [fs], counted from 1 in ascending order.
    pub fn time_at(&self, rank: i128) -> i128 {
        let mut times = self.times.clone();
        if self.total_weight == times.len() as i128 {
            return times.select_nth_unstable(rank as usize - 1).1 .0;
        }
        times.sort_unstable();
        let mut counted = 0;
        let reached = times.iter().find(|(_, weight)| {
            counted += weight;
            counted >= rank
        });
        reached.expect("the rank is that of a request").0
    }

    /// The mean time of a request [fs].
    pub fn mean_fs(&self) -> i128 {
        self.total_on_fs.iter().sum::<i128>() / self.total_weight
    }

    /// The mean over requests of their cost times time [millionths of the cost unit, fs].
    pub fn cost_time(&self, cost_ppm: &[i128]) -> i128 {
        let of_rung = |(total, cost): (&i128, &i128)| {
            total / self.total_weight * cost + total % self.total_weight * cost / self.total_weight
        };
        self.total_on_fs.iter().zip(cost_ppm).map(of_rung).sum()
    }
}

/// The rung on which a request ends, its time on those before, and its time on that one.
fn stretches(demand_fs: i128, speeds: &[i128], stays: &Stays) -> (usize, i128, i128) {
    // Work is in femtoseconds of 10^-12.
    let mut left = demand_fs * SPEED_ONE;
    let mut before = 0;
    for (rung, stay) in stays.iter().enumerate() {
        let Some(stay) = stay else {
            return (rung, before, left / speeds[rung]);
        };
        match stay.checked_mul(speeds[rung]) {
            Some(work) if work < left => left -= work,
            _ => return (rung, before, left / speeds[rung]),
        }
        before += stay;
    }
    (stays.len(), before, left / speeds[stays.len()])
}

#[cfg(test)]
mod tests {
    use super::Execution;
    use crate::profile::Profile;

    const MS: i128 = 1_000_000_000_000;

    #[test]
    fn two_requests_that_climb_from_one_thread_to_three() {
        // docs/few-to-many.md: 50 and 150 ms, speed-ups 1, 1.5 and 2, one thread for 50 ms.
        let text = "demand_ms,weight,speedup_1,speedup_2,speedup_3\n50,1,1,1.5,2\n150,1,1,1.5,2\n";
        let profile = Profile::parse(text).unwrap();
        let execution = Execution::of(&profile, &[Some(50 * MS), Some(0)]);
        assert_eq!([1, 2].map(|rank| execution.time_at(rank)), [50 * MS, 100 * MS]);
        assert_eq!(execution.mean_fs(), 75 * MS);
        assert_eq!(execution.cost_time(&[1_000_000, 2_000_000, 3_000_000]), 125 * MS * 1_000_000);
    }

    #[test]
    fn a_request_that_never_leaves_a_rung_ends_there() {
        let profile = Profile::parse("demand_ms,weight,speedup_1,speedup_2\n8,1,2,4\n").unwrap();
        assert_eq!(Execution::of(&profile, &[None]).time_at(1), 4 * MS);
    }
}
