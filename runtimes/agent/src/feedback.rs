//! Steps the controller of a policy with the latencies of requests that the agent sees end.

use tailc_runtime::{Controller, Policy};

use crate::cores::{Running, Seen};
use crate::metrics::Exposition;

const NS_PER_US: u64 = 1_000;
const PPM: u64 = 1_000_000;
const MRPS_PER_RPUS: u64 = 1_000_000_000;

/// The last latencies, and what happened since the last step.
#[derive(Debug, Default)]
pub struct Feedback {
    /// By core, the request that ran at the last tick.
    running: Vec<Option<Running>>,
    /// A ring, once it is full.
    latencies_us: Vec<u64>,
    completed: u64,
    starts: u64,
    /// When the last step was, and how many requests had arrived.
    stepped: Option<(u64, u64)>,
}

impl Feedback {
    /// Counts what has ended since the last tick; the times of ends are those of ticks, or of the
    /// start of the request that followed.
    pub fn observe(&mut self, policy: &Policy, seen: &Seen) {
        let Some(controller) = policy.controller() else { return };
        self.running.resize(seen.cores.len(), None);
        let is_new = |(core, before): (usize, &Option<Running>)| {
            let started = |running: &Option<Running>| running.map(|one| one.started_ns);
            let now = &seen.cores[core].running;
            now.is_some() && started(now) != started(before)
        };
        self.starts += self.running.iter().enumerate().filter(|pair| is_new(*pair)).count() as u64;
        let counted: u64 = seen.cores.iter().map(|core| core.arrivals).sum();
        let arrivals = if counted > 0 { counted } else { self.starts };
        self.stepped.get_or_insert((seen.now_ns, arrivals));
        for core in 0..seen.cores.len() {
            let now = seen.cores[core].running;
            let before = std::mem::replace(&mut self.running[core], now);
            let Some(before) = before else { continue };
            if now.is_some_and(|now| now.started_ns == before.started_ns) {
                continue;
            }
            let end_ns = now.map_or(seen.now_ns, |next| next.started_ns.min(seen.now_ns));
            let latency_ns = end_ns.saturating_sub(before.arrived_ns);
            self.complete(controller, latency_ns, seen.now_ns, arrivals);
        }
    }

    fn complete(&mut self, controller: &Controller, latency_ns: u64, now_ns: u64, arrivals: u64) {
        let latency_us = (latency_ns + NS_PER_US / 2) / NS_PER_US;
        let size = controller.window_requests() as u64;
        if self.completed < size {
            self.latencies_us.push(latency_us);
        } else {
            self.latencies_us[(self.completed % size) as usize] = latency_us;
        }
        self.completed += 1;
        if !self.completed.is_multiple_of(controller.epoch_requests() as u64) {
            return;
        }
        let (before_ns, arrived) = self.stepped.replace((now_ns, arrivals)).unwrap_or((0, 0));
        let passed_us = ((now_ns - before_ns) / NS_PER_US).max(1);
        let rate_mrps = arrivals.saturating_sub(arrived) * MRPS_PER_RPUS / passed_us;
        controller.step(self.tail_us(controller.percentile_ppm() as u64), rate_mrps);
    }

    fn tail_us(&self, percentile_ppm: u64) -> u64 {
        let mut sorted = self.latencies_us.clone();
        sorted.sort_unstable();
        let place = (percentile_ppm * sorted.len() as u64).div_ceil(PPM);
        sorted[place as usize - 1]
    }

    /// The output of the controller.
    pub fn expose(policy: &Policy, to: &mut Exposition) {
        if let Some(controller) = policy.controller() {
            let output = controller.output_ppm() as f64 / PPM as f64;
            to.gauge(
                "tailc_agent_controller_output_ratio",
                "What scales ages or the bound.",
                output,
            );
        }
    }
}
