//! The design sample of a policy: a request with its demand and speed-ups in each line.
//!
//! `tailc split --profile` writes it. Each number has all its digits, so that times are computed
//! from what the compiler had, and the digest from whole nanoseconds and millionths.

use crate::decimal::scaled;
use crate::digest::Hasher;
use crate::part::part_of;

/// Demands are in femtoseconds: 10^12 in a millisecond.
const DEMAND_DIGITS: i32 = 12;
/// Speeds are in units of 10^-12.
const SPEED_DIGITS: i32 = 12;
pub const SPEED_ONE: i128 = 1_000_000_000_000;

const FS_PER_NS: i128 = 1_000_000;
const SPEED_PER_PPM: i128 = 1_000_000;

const DIGEST_HEAD: &[u8] = b"tailc demand profile 1\n";
const NS_PER_MS: f64 = 1e6;
const PPM: f64 = 1e6;
const MOST_DEMAND_FS: i128 = 1 << 70;
const MOST_SPEED: i128 = 1 << 60;

#[derive(Clone, Debug)]
pub struct Request {
    pub demand_fs: i128,
    pub demand_ns: i64,
    pub weight: i64,
    pub memory_ns: Option<i64>,
    pub speeds: Vec<i128>,
    pub speeds_ppm: Vec<i64>,
}

/// Requests in the order of the digest, so by demand.
#[derive(Debug)]
pub struct Profile {
    pub requests: Vec<Request>,
}

impl Profile {
    pub fn parse(text: &str) -> Result<Profile, String> {
        let mut lines = text.lines().enumerate();
        let columns: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').collect();
        let has_memory = columns.get(2) == Some(&"memory_ms");
        let fixed = 2 + usize::from(has_memory);
        let speedups = columns.get(fixed..).unwrap_or(&[]);
        let are_named =
            speedups.iter().enumerate().all(|(d, n)| *n == format!("speedup_{}", d + 1));
        if columns.get(..2) != Some(&["demand_ms", "weight"]) || speedups.is_empty() || !are_named {
            return Err("line 1: expected the columns demand_ms,weight[,memory_ms],speedup_1,... \
                        that `tailc split --profile` writes"
                .into());
        }
        let mut requests = Vec::new();
        for (place, line) in lines {
            let cells: Vec<&str> = line.split(',').collect();
            let request = (cells.len() == columns.len()).then(|| request(&cells, has_memory));
            let fault = || {
                format!("line {}: not a request with {} numbers above 0", place + 1, columns.len())
            };
            requests.push(request.flatten().ok_or_else(fault)?);
        }
        if requests.is_empty() {
            return Err("there are no requests".into());
        }
        requests.sort_by(|a, b| order(a).cmp(&order(b)));
        Ok(Profile { requests })
    }

    /// SHA-256 of demands, weights, memory times and speed-ups as whole numbers.
    pub fn digest(&self) -> String {
        let mut hasher = Hasher::default();
        hasher.add(DIGEST_HEAD);
        for request in &self.requests {
            hasher.add(&request.demand_ns.to_le_bytes());
        }
        for request in &self.requests {
            hasher.add(&request.weight.to_le_bytes());
        }
        for memory_ns in self.requests.iter().filter_map(|request| request.memory_ns) {
            hasher.add(&memory_ns.to_le_bytes());
        }
        for speed_ppm in self.requests.iter().flat_map(|request| &request.speeds_ppm) {
            hasher.add(&speed_ppm.to_le_bytes());
        }
        hasher.hex()
    }

    /// The same requests with demands in whole nanoseconds and speeds in whole millionths.
    pub fn in_whole_units(&self) -> Profile {
        let whole = |request: &Request| Request {
            demand_fs: i128::from(request.demand_ns) * FS_PER_NS,
            speeds: request.speeds_ppm.iter().map(|s| i128::from(*s) * SPEED_PER_PPM).collect(),
            ..request.clone()
        };
        Profile { requests: self.requests.iter().map(whole).collect() }
    }

    pub fn total_weight(&self) -> i128 {
        self.requests.iter().map(|request| i128::from(request.weight)).sum()
    }

    /// Mean demand, rounded down to whole nanoseconds.
    pub fn mean_ns(&self) -> i128 {
        let sum: i128 =
            self.requests.iter().map(|r| i128::from(r.demand_ns) * i128::from(r.weight)).sum();
        sum / self.total_weight()
    }

    /// The smallest demand that is at least as large as those of `rank` requests.
    pub fn demand_ns_at(&self, rank: i128) -> i128 {
        let mut counted = 0;
        let reached = self.requests.iter().find(|request| {
            counted += i128::from(request.weight);
            counted >= rank
        });
        i128::from(reached.expect("the rank is that of a request").demand_ns)
    }

    /// Total work over total time at a degree, in 10^-12: the mean speed-up by work.
    pub fn mean_speed_micro_ppm(&self, degree: usize) -> i128 {
        let mut work = 0;
        let mut time = 0;
        for request in &self.requests {
            let weight = i128::from(request.weight);
            work += weight * request.demand_fs;
            time += weight * (request.demand_fs * SPEED_ONE / request.speeds[degree]);
        }
        part_of(work, time, SPEED_ONE)
    }
}

fn request(cells: &[&str], has_memory: bool) -> Option<Request> {
    let demand_fs = scaled(cells[0], DEMAND_DIGITS)?;
    let weight: i64 = cells[1].parse().ok()?;
    let fixed = 2 + usize::from(has_memory);
    let speeds: Option<Vec<i128>> =
        cells[fixed..].iter().map(|c| scaled(c, SPEED_DIGITS)).collect();
    let speeds = speeds?;
    let are_possible = (1..MOST_DEMAND_FS).contains(&demand_fs)
        && weight > 0
        && speeds.iter().all(|speed| (1..MOST_SPEED).contains(speed));
    if !are_possible {
        return None;
    }
    let memory_ns = if has_memory { Some(whole(cells[2], NS_PER_MS)?) } else { None };
    Some(Request {
        demand_fs,
        demand_ns: whole(cells[0], NS_PER_MS)?,
        weight,
        memory_ns,
        speeds,
        speeds_ppm: cells[fixed..].iter().map(|c| whole(c, PPM)).collect::<Option<_>>()?,
    })
}

/// As the digest rounds: in double precision, a half to the even number.
fn whole(text: &str, units: f64) -> Option<i64> {
    let value = text.parse::<f64>().ok()?;
    Some((value * units).round_ties_even() as i64)
}

fn order(request: &Request) -> (i64, i64, Option<i64>, &[i64]) {
    (request.demand_ns, request.weight, request.memory_ns, &request.speeds_ppm)
}

#[cfg(test)]
mod tests {
    use super::Profile;

    const TWO: &str = "demand_ms,weight,speedup_1,speedup_2\n150.0,1,1.0,2.0\n50.0,3,1.0,1.5\n";

    #[test]
    fn requests_are_sorted_and_counted() {
        let profile = Profile::parse(TWO).unwrap();
        assert_eq!(profile.total_weight(), 4);
        assert_eq!(profile.mean_ns(), 75_000_000);
        assert_eq!([3, 4].map(|rank| profile.demand_ns_at(rank)), [50_000_000, 150_000_000]);
        // 300 ms of work take 75 ms and three times 33.333 ms.
        assert_eq!(profile.mean_speed_micro_ppm(1), 1_714_285_714_285);
    }

    #[test]
    fn the_order_of_lines_does_not_change_the_digest() {
        let turned = "demand_ms,weight,speedup_1,speedup_2\n50,3,1,1.5\n150,1,1,2\n";
        let digests = [TWO, turned].map(|text| Profile::parse(text).unwrap().digest());
        assert_eq!(digests[0], digests[1]);
    }

    #[test]
    fn a_fault_has_its_line() {
        for (text, line) in [
            ("demand\n1\n", "line 1"),
            ("demand_ms,weight,speedup_1\n1,1,1\n2,1\n", "line 3"),
            ("demand_ms,weight,speedup_1\n0,1,1\n", "line 2"),
            ("demand_ms,weight,speedup_1\n1,1,-1\n", "line 2"),
        ] {
            assert!(Profile::parse(text).unwrap_err().starts_with(line), "{text}");
        }
        assert!(Profile::parse("demand_ms,weight,speedup_1\n").is_err());
    }
}
