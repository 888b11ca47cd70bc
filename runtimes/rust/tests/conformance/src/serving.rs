//! A server with a log.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use tailc_runtime::{DemandLog, Options, Part, Policy, PublicKey, Scheduler};

use crate::lines::AnyResult;

/// Runs three requests of two parts, each of which uses 3 ms of its thread, and prints the metrics.
pub fn run(policy: &str, key: &str, log: &str) -> AnyResult<bool> {
    let options = if key.is_empty() {
        Options::new()
    } else {
        Options::new().trust(PublicKey::from_pem(key)?)
    };
    let policy: Arc<Policy> = Arc::new(options.open(policy)?);
    let demands = Arc::new(DemandLog::open_with_times(log, 1)?);
    let scheduler = Scheduler::new(policy, 2)?;
    scheduler.log_to(Arc::clone(&demands))?;
    for _ in 0..3 {
        scheduler.run(vec![part(), part()], None)?;
    }
    print!("{}", scheduler.metrics());
    demands.flush()?;
    Ok(true)
}

fn part() -> Part {
    Box::new(|| {
        let end_ns = thread_ns() + 3_000_000;
        while thread_ns() < end_ns {
            black_box((0..10_000).sum::<u64>());
        }
    })
}

fn thread_ns() -> u64 {
    let statistics = std::fs::read_to_string(Path::new("/proc/thread-self/schedstat"));
    let used = statistics.unwrap_or_default();
    used.split_ascii_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(u64::MAX)
}
