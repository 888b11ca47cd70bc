//! A lower bound on the objective of every ladder, by weak duality.
//!
//! With G(x) the share of requests with a demand above x, w the demand at the percentile, c_i the
//! cost of rung i, s_i its speed, B the budget and q the load, a ladder that never falls has
//!
//!     v_0 + T = v_0 + integral over [0, w] of dx / s_i(x)         at most the target
//!     q W <= B (v_0 + L),  W = integral of G c_i(x) / s_i(x) dx,  L = integral of G / s_i(x) dx
//!
//! For multipliers beta >= gamma >= 0 of time and of the budget, and a last rung k at the demand w,
//! each sliver dx costs at least (beta + G a_i) dx / s_i for the best rung i up to k below w, and
//! G a_j dx / s_j for the best rung j from k on above w, with
//!
//!     a_i = alpha c_i + gamma (q c_i / B - 1)
//!
//! where alpha is 1 if W is minimised, and 0 if the tail is (beta is 1 then, and the target 0). The
//! wait costs (beta - gamma) v_0 >= 0 and is left out. Less beta times the target, the sum is a
//! lower bound for every ladder with that last rung, whatever the multipliers; the least over k is
//! one for all ladders. Multipliers are searched in floating point; the bound is then added up in
//! whole numbers, rounded down.

use crate::profile::{Profile, SPEED_ONE};

pub struct Problem {
    pub cost_ppm: Vec<i128>,
    /// The load and the budget in millionths; None: the cost of all requests is not limited.
    pub budget: Option<(i128, i128)>,
    pub objective: Objective,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    Tail,
    /// The cost, with the tail at most this long [fs].
    CostWithin(i128),
}

/// Demands that differ, with the number of requests above the one before.
pub struct Slivers {
    width_fs: Vec<i128>,
    above: Vec<i128>,
    total: i128,
    /// Number of slivers up to the demand at the percentile.
    until_tail: usize,
    speeds: Vec<i128>,
    /// Cumulated width and width times share above, in ms, for the search.
    width_sum: Vec<f64>,
    above_sum: Vec<f64>,
}

const FS_PER_MS: f64 = 1e12;

impl Slivers {
    /// None if requests have different speed-ups.
    pub fn of(profile: &Profile, rungs: usize, rank: i128) -> Option<Slivers> {
        let speeds = profile.requests[0].speeds[..rungs].to_vec();
        if profile.requests.iter().any(|request| request.speeds[..rungs] != speeds) {
            return None;
        }
        let total = profile.total_weight();
        let (mut width_fs, mut above) = (Vec::new(), Vec::new());
        let (mut done, mut counted, mut until_tail) = (0, 0, 0);
        let mut by_demand: Vec<_> = profile.requests.iter().collect();
        by_demand.sort_by_key(|request| request.demand_fs);
        for request in by_demand {
            if request.demand_fs > done {
                width_fs.push(request.demand_fs - done);
                above.push(total - counted);
                done = request.demand_fs;
            }
            if counted < rank {
                until_tail = width_fs.len();
            }
            counted += i128::from(request.weight);
        }
        let mut width_sum = vec![0.0];
        let mut above_sum = vec![0.0];
        for (width, count) in width_fs.iter().zip(&above) {
            let width_ms = *width as f64 / FS_PER_MS;
            width_sum.push(width_sum[width_sum.len() - 1] + width_ms);
            let share = *count as f64 / total as f64;
            above_sum.push(above_sum[above_sum.len() - 1] + width_ms * share);
        }
        Some(Slivers { width_fs, above, total, until_tail, speeds, width_sum, above_sum })
    }

    /// The best bound over all multipliers: the tail in fs, or the cost in millionths times fs.
    pub fn bound(&self, problem: &Problem) -> i128 {
        let of_last = |last: usize| {
            let multipliers = self.search(problem, last);
            self.exact(problem, last, multipliers)
        };
        (0..self.speeds.len()).map(of_last).min().expect("a ladder has a rung")
    }

    fn search(&self, problem: &Problem, last: usize) -> (f64, f64) {
        let best_gamma = |beta: f64| match problem.budget {
            Some(_) => {
                highest(0.0, beta, WITHIN, |gamma| self.approximate(problem, last, (beta, gamma)))
            }
            None => 0.0,
        };
        let beta = match problem.objective {
            Objective::Tail => 1.0,
            Objective::CostWithin(_) => {
                let value = |beta: f64| self.approximate(problem, last, (beta, best_gamma(beta)));
                let mut most =
                    problem.cost_ppm.iter().fold(1.0, |most, c| f64::max(most, *c as f64 / 1e6));
                let sections = if problem.budget.is_some() { WITHIN } else { ALONE };
                while value(2.0 * most) > value(most) && most < 1e6 {
                    most *= 2.0;
                }
                highest(0.0, 2.0 * most, sections, value)
            }
        };
        (beta, best_gamma(beta))
    }

    /// The bound in floating point, in ms and whole units of cost.
    fn approximate(&self, problem: &Problem, last: usize, multipliers: (f64, f64)) -> f64 {
        let (beta, _) = multipliers;
        let a = problem.prices(multipliers);
        let speed = |rung: usize| self.speeds[rung] as f64 / SPEED_ONE as f64;
        let lines = |beta: f64| -> Vec<(f64, f64)> {
            (0..a.len()).map(|rung| (beta / speed(rung), a[rung] / speed(rung))).collect()
        };
        let below = self.envelope(&lines(beta)[..=last], 0, self.until_tail);
        let beyond = self.envelope(&lines(0.0)[last..], self.until_tail, self.above.len());
        let target = match problem.objective {
            Objective::Tail => 0.0,
            Objective::CostWithin(target_fs) => target_fs as f64 / FS_PER_MS,
        };
        below + beyond - beta * target
    }

    /// The least of the lines (constant, slope in G), summed over slivers.
    fn envelope(&self, lines: &[(f64, f64)], from: usize, to: usize) -> f64 {
        let mut cuts = vec![from, to];
        for (place, one) in lines.iter().enumerate() {
            for other in &lines[place + 1..] {
                let share = (one.0 - other.0) / (other.1 - one.1);
                if share > 0.0 && share < 1.0 {
                    let count = share * self.total as f64;
                    let cut = self.above.partition_point(|above| *above as f64 > count);
                    cuts.push(cut.clamp(from, to));
                }
            }
        }
        cuts.sort_unstable();
        let of_part = |ends: &[usize]| {
            let width = self.width_sum[ends[1]] - self.width_sum[ends[0]];
            let above = self.above_sum[ends[1]] - self.above_sum[ends[0]];
            let least = lines.iter().map(|line| line.0 * width + line.1 * above);
            least.fold(f64::INFINITY, f64::min)
        };
        cuts.windows(2).filter(|ends| ends[0] < ends[1]).map(of_part).sum()
    }

    /// The bound in whole numbers: fs for the tail, otherwise millionths times fs.
    fn exact(&self, problem: &Problem, last: usize, multipliers: (f64, f64)) -> i128 {
        let beta = (multipliers.0 * FINE).round() as i128;
        let gamma = ((multipliers.1 * FINE).round() as i128).clamp(0, beta);
        let price = |above: i128, rung: usize, beta: i128| {
            let cost = problem.cost_ppm[rung];
            let (load, budget) = problem.budget.unwrap_or((0, 1));
            // All in 1 / FINE: alpha c, and gamma (q c / B - 1), rounded down together.
            let alpha = if problem.objective == Objective::Tail {
                0
            } else {
                cost * (FINE as i128 / 1_000_000)
            };
            let whole = alpha * budget + gamma * (load * cost - budget);
            let limited = if problem.budget.is_none() {
                alpha * above
            } else {
                (whole * above).div_euclid(budget)
            };
            (beta * self.total + limited).div_euclid(self.total)
        };
        let mut sum = 0;
        for (place, (width, above)) in self.width_fs.iter().zip(&self.above).enumerate() {
            let (rungs, beta) = if place < self.until_tail {
                (0..last + 1, beta)
            } else {
                (last..self.speeds.len(), 0)
            };
            let least = rungs.map(|rung| {
                let price = price(*above, rung, beta);
                times_quotient(price, *width, self.speeds[rung])
            });
            sum += least.min().expect("there is a rung on either side of the last");
        }
        match problem.objective {
            Objective::Tail => sum.div_euclid(FINE as i128),
            Objective::CostWithin(target_fs) => {
                (sum - beta * target_fs).div_euclid(FINE as i128 / 1_000_000)
            }
        }
    }
}

/// The price of work `width` at a speed, rounded down.
fn times_quotient(price: i128, width: i128, speed: i128) -> i128 {
    let common = gcd(SPEED_ONE, speed);
    match (price * width).checked_mul(SPEED_ONE / common) {
        Some(product) => product.div_euclid(speed / common),
        // With many digits the time is rounded first.
        None if price < 0 => price * ((width * SPEED_ONE + speed - 1) / speed),
        None => price * (width * SPEED_ONE / speed),
    }
}

fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Sections of a search for one multiplier, 0.618^80 = 2e-17 of its range, and for one of two, 4e-11.
const ALONE: usize = 80;
const WITHIN: usize = 50;
/// Multipliers are whole numbers of 1 / FINE.
const FINE: f64 = 1e12;

impl Problem {
    /// a_i in whole units of cost.
    fn prices(&self, (_, gamma): (f64, f64)) -> Vec<f64> {
        let alpha = if self.objective == Objective::Tail { 0.0 } else { 1.0 };
        let of_budget = |cost: f64| match self.budget {
            Some((load, budget)) => load as f64 * cost / budget as f64 - 1.0,
            None => 0.0,
        };
        let price = |cost: &i128| alpha * *cost as f64 / 1e6 + gamma * of_budget(*cost as f64);
        self.cost_ppm.iter().map(price).collect()
    }
}

/// Where a concave function is highest, by golden sections.
fn highest(mut low: f64, mut high: f64, sections: usize, value: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut of_left, mut of_right) = (value(left), value(right));
    for _ in 0..sections {
        if of_left < of_right {
            (low, left, of_left) = (left, right, of_right);
            right = low + GOLDEN * (high - low);
            of_right = value(right);
        } else {
            (high, right, of_right) = (right, left, of_left);
            left = high - GOLDEN * (high - low);
            of_left = value(left);
        }
    }
    let candidates =
        [(low, value(low)), (high, value(high)), (0.5 * (low + high), value(0.5 * (low + high)))];
    candidates
        .into_iter()
        .fold((0.0, value(0.0)), |best, next| if next.1 > best.1 { next } else { best })
        .0
}

#[cfg(test)]
mod tests {
    use super::{Objective, Problem, Slivers};
    use crate::profile::Profile;

    const MS: i128 = 1_000_000_000_000;

    fn slivers(text: &str, rungs: usize, rank: i128) -> Slivers {
        Slivers::of(&Profile::parse(text).unwrap(), rungs, rank).unwrap()
    }

    #[test]
    fn two_cores_in_closed_form() {
        // One request of 291 ms, cores of speed 1 and 2, power 1 and 3, 200 ms: it climbs at 109 ms.
        let one = slivers("demand_ms,weight,speedup_1,speedup_2\n291,1,1,2\n", 2, 1);
        let objective = Objective::CostWithin(200 * MS);
        let problem = Problem { cost_ppm: vec![1_000_000, 3_000_000], budget: None, objective };
        let energy = 109 + 3 * 91;
        let bound = one.bound(&problem);
        assert!(bound <= energy * MS * 1_000_000);
        assert!(bound > energy * MS * 1_000_000 - MS / 1_000);
    }

    #[test]
    fn the_last_rung_is_kept_to_the_end() {
        // Worked by hand: demands 10, 20, 100, 400, p75, speeds 1, 1.8, 2.2, budget 6 for 6 requests.
        let text = "demand_ms,weight,speedup_1,speedup_2,speedup_3\n\
                    10,1,1,1.8,2.2\n20,1,1,1.8,2.2\n100,1,1,1.8,2.2\n400,1,1,1.8,2.2\n";
        let four = slivers(text, 3, 3);
        let cost_ppm = vec![1_000_000, 2_000_000, 3_000_000];
        let problem =
            Problem { cost_ppm, budget: Some((6, 6_000_000)), objective: Objective::Tail };
        let bound = four.bound(&problem);
        assert!((bound - 100 * MS).abs() < MS / 1_000_000, "{bound}");
    }

    #[test]
    fn the_fastest_rung_bounds_every_tail() {
        let two = slivers("demand_ms,weight,speedup_1,speedup_2\n50,1,1,2\n150,1,1,2\n", 2, 2);
        let cost_ppm = vec![1_000_000, 2_000_000];
        let problem =
            Problem { cost_ppm, budget: Some((1, 100_000_000)), objective: Objective::Tail };
        assert_eq!(two.bound(&problem), 75 * MS);
    }
}
