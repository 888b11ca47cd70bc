//! The processor time of a thread, which the standard library does not have.

use std::fs::read_to_string;

/// The processor time of this thread [ns], from Linux; none on other systems.
pub(crate) fn thread_time_ns() -> Option<u64> {
    let statistics = read_to_string("/proc/thread-self/schedstat").ok()?;
    statistics.split_ascii_whitespace().next()?.parse().ok()
}
