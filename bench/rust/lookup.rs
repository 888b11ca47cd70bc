//! One look-up in Rust, and opening a policy: `lookup FILE LOADS AGE_US`.
//!
//! Prints nanoseconds per look-up: of independent queries, of the same queries to a policy whose
//! file is watched, and of queries that each wait for the answer before. Then prints microseconds to
//! open the policy from bytes, to hash them, and to open the file. Queries are drawn beforehand: loads
//! below LOADS, ages below AGE_US.

use std::env::args;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tailc_runtime::{Options, Policy, Watched};

/// Many short rounds: on a busy machine some are left alone.
const REPEATS: usize = 400;
const QUERIES: usize = 16_384;
const OPENINGS: usize = 20;

/// The least nanoseconds of a call of `work`, which makes `calls` of them.
fn least_ns(calls: usize, mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        let begun = Instant::now();
        work();
        least = least.min(begun.elapsed().as_nanos() as f64 / calls as f64);
    }
    least
}

/// So that no call is left out.
fn keep<T>(value: T) {
    black_box(value);
}

/// Loads and ages, by SplitMix64.
fn drawn(loads: u64, ages_us: u64) -> Vec<(u64, u64)> {
    let mut state: u64 = 1;
    let mut below = |limit: u64| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    };
    (0..QUERIES).map(|_| (below(loads), below(ages_us))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let [path, loads, ages_us] = &arguments[..] else {
        return Err("usage: lookup FILE LOADS AGE_US".into());
    };
    let policy = Policy::open(path)?;
    let ladder = policy.ladder()?;
    let queries = drawn(loads.parse()?, ages_us.parse()?);
    let apart_ns = least_ns(QUERIES, || {
        let answers = queries.iter().map(|(load, age_us)| ladder.lookup(*load, 0, *age_us).rung);
        black_box(answers.sum::<usize>());
    });
    let watched = Watched::open(path, Options::new())?;
    let _checking = watched.check_every(Duration::from_secs(1))?;
    let rung_at = |load: u64, age_us: u64| -> usize {
        watched.current().ladder().map_or(0, |ladder| ladder.lookup(load, 0, age_us).rung)
    };
    let watched_ns = least_ns(QUERIES, || {
        let answers = queries.iter().map(|(load, age_us)| rung_at(*load, *age_us));
        black_box(answers.sum::<usize>());
    });
    let chained_ns = least_ns(QUERIES, || {
        let mut rung = 0;
        for (load, age_us) in &queries {
            // No policy has as many rungs, which the compiler does not know.
            rung = ladder.lookup(*load, 0, age_us + (rung as u64 >> 31)).rung;
        }
        black_box(rung);
    });
    let bytes = fs::read(path)?;
    let open = || Options::new().open_bytes(&bytes).map(|policy| policy.generation());
    let bytes_ns = least_ns(OPENINGS, || (0..OPENINGS).for_each(|_| keep(open())));
    let hash = || Sha256::digest(black_box(&bytes));
    let hash_ns = least_ns(OPENINGS, || (0..OPENINGS).for_each(|_| keep(hash())));
    let file = || Policy::open(path).map(|policy| policy.generation());
    let file_ns = least_ns(OPENINGS, || (0..OPENINGS).for_each(|_| keep(file())));
    let us = [bytes_ns, hash_ns, file_ns].map(|ns| ns / 1e3);
    print!("{apart_ns:.2} {watched_ns:.2} {chained_ns:.2} ");
    println!("{:.2} {:.2} {:.2}", us[0], us[1], us[2]);
    Ok(())
}
