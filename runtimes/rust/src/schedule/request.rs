//! A request in the system.

use std::sync::Arc;

use super::RequestTimes;
use crate::ladder::{Ladder, Rule};
use crate::policy::Policy;

#[derive(Debug)]
pub(super) struct Request {
    pub(super) class: Option<String>,
    pub(super) policy: Arc<Policy>,
    pub(super) ladder: usize,
    pub(super) arrived_ns: u64,
    pub(super) started_ns: u64,
    pub(super) waited_us: u64,
    pub(super) load_at_start: u64,
    pub(super) tick_ns: Option<u64>,
    pub(super) cut_ns: Option<u64>,
    /// None while it waits.
    pub(super) rung: Option<usize>,
    pub(super) core: Option<usize>,
    /// On its core since, and the time below the last rung that its core had when it started.
    pub(super) since_ns: u64,
    pub(super) spent_ns: u64,
    /// Threads times time on earlier rungs, since when it has its rung, and by how much ticks were
    /// late.
    pub(super) granted_ns: u64,
    pub(super) rung_ns: u64,
    pub(super) late_ns: u64,
    pub(super) is_boosted: bool,
    pub(super) has_given_up: bool,
}

impl Request {
    /// Threads of its rung, 1 if the rung does not determine them.
    pub(super) fn threads(&self) -> usize {
        self.ladder().settings()[self.rung.unwrap_or(0)].threads.unwrap_or(1) as usize
    }

    pub(super) fn granted_until(&self, now_ns: u64) -> u64 {
        self.granted_ns + (now_ns - self.rung_ns) * self.threads() as u64
    }

    pub(super) fn ladder(&self) -> &Ladder {
        super::ladder_in(&self.policy, self.ladder)
    }

    pub(super) fn has(&self, rule: Rule) -> bool {
        self.ladder().rules().contains(&rule)
    }

    pub(super) fn cost_ppm(&self, unit: usize) -> i64 {
        let rung = &self.ladder().settings()[self.rung.unwrap_or(0)];
        rung.cost_ppm[unit]
    }

    /// Its times, if it exits now and its threads worked for `thread_ns` in all.
    pub(super) fn times(&self, now_ns: u64, thread_ns: u64) -> RequestTimes {
        let overdue_ns = self.tick_ns.map_or(0, |tick_ns| now_ns.saturating_sub(tick_ns));
        RequestTimes {
            arrival_us: self.arrived_ns / 1_000,
            wait_us: (self.started_ns - self.arrived_ns) / 1_000,
            run_us: (now_ns - self.started_ns) / 1_000,
            thread_us: thread_ns / 1_000,
            granted_us: self.granted_until(now_ns) / 1_000,
            late_us: (self.late_ns + overdue_ns) / 1_000,
        }
    }
}
