//! The last latencies of a server, and the step of a controller at each end of an epoch.

use crate::controller::Controller;
use crate::numbers::PPM;

#[derive(Debug)]
pub(crate) struct LatencyWindow {
    latencies_us: Vec<u64>,
    sorted: Vec<u64>,
    completed: u64,
    arrived: u64,
    stepped_ns: u64,
}

impl LatencyWindow {
    pub(crate) fn new(controller: &Controller, now_ns: u64) -> Self {
        let size = controller.window_requests() as usize;
        Self {
            latencies_us: Vec::with_capacity(size),
            sorted: Vec::with_capacity(size),
            completed: 0,
            arrived: 0,
            stepped_ns: now_ns,
        }
    }

    pub(crate) fn count_arrival(&mut self) {
        self.arrived += 1;
    }

    pub(crate) fn count_exit(&mut self, controller: &Controller, latency_ns: u64, now_ns: u64) {
        let (latency_us, size) = ((latency_ns + 500) / 1_000, controller.window_requests() as u64);
        if self.completed < size {
            self.latencies_us.push(latency_us);
        } else {
            self.latencies_us[(self.completed % size) as usize] = latency_us;
        }
        self.completed += 1;
        if self.completed.is_multiple_of(controller.epoch_requests() as u64) {
            let passed_us = ((now_ns - self.stepped_ns) / 1_000).max(1);
            let tail_us = self.tail_us(controller.percentile_ppm() as u64);
            controller.step(tail_us, self.arrived * 1_000_000_000 / passed_us);
            self.arrived = 0;
            self.stepped_ns = now_ns;
        }
    }

    fn tail_us(&mut self, percentile_ppm: u64) -> u64 {
        self.sorted.clone_from(&self.latencies_us);
        self.sorted.sort_unstable();
        let rank = (percentile_ppm * self.sorted.len() as u64).div_ceil(PPM as u64);
        self.sorted[rank as usize - 1]
    }
}
