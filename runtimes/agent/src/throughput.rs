//! The mean throughput over the last ticks, from a counter that is read at each of them.

use std::collections::VecDeque;

/// Readings of one counter, newest last.
#[derive(Debug)]
pub struct Throughput {
    ticks: usize,
    readings: VecDeque<(u64, f64)>,
    /// What the counter had when it began again from 0, in all.
    before_resets: f64,
    last: f64,
}

impl Throughput {
    /// Of a window of `ticks` ticks.
    pub fn over(ticks: usize) -> Self {
        Self { ticks, readings: VecDeque::with_capacity(ticks + 2), before_resets: 0.0, last: 0.0 }
    }

    /// Adds a reading. A counter that is smaller than before has begun again from 0.
    pub fn add(&mut self, now_ns: u64, count: f64) {
        if count < self.last {
            self.before_resets += self.last;
        }
        self.last = count;
        self.readings.push_back((now_ns, self.before_resets + count));
        self.shorten();
    }

    /// Goes on with another window, and with the readings that it has.
    pub fn resize(&mut self, ticks: usize) {
        self.ticks = ticks;
        self.shorten();
    }

    fn shorten(&mut self) {
        let excess = self.readings.len().saturating_sub(self.ticks + 1);
        self.readings.drain(..excess);
    }

    /// Forgets all readings.
    pub fn clear(&mut self) {
        self.readings.clear();
    }

    /// Units per second over the window, or since the first reading while that is shorter; none
    /// before the second reading.
    pub fn per_s(&self) -> Option<f64> {
        let (&(first_ns, first), &(last_ns, last)) =
            (self.readings.front()?, self.readings.back()?);
        let passed_ns = last_ns.checked_sub(first_ns).filter(|passed| *passed > 0)?;
        Some((last - first) * 1e9 / passed_ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK_NS: u64 = 50_000_000;

    #[test]
    fn it_is_the_mean_over_the_window() {
        let mut throughput = Throughput::over(2);
        assert_eq!(throughput.per_s(), None);
        for (tick, count, per_s) in
            [(0, 5.0, None), (1, 10.0, Some(100.0)), (2, 30.0, Some(250.0)), (3, 30.0, Some(200.0))]
        {
            throughput.add(tick * TICK_NS, count);
            assert_eq!(throughput.per_s(), per_s, "tick {tick}");
        }
    }

    #[test]
    fn another_window_goes_on_with_the_readings() {
        let mut throughput = Throughput::over(4);
        for (tick, count) in [0.0, 5.0, 15.0, 30.0].into_iter().enumerate() {
            throughput.add(tick as u64 * TICK_NS, count);
        }
        throughput.resize(1);
        assert_eq!(throughput.per_s(), Some(300.0));
        throughput.resize(2);
        throughput.add(4 * TICK_NS, 50.0);
        assert_eq!(throughput.per_s(), Some(350.0));
    }

    #[test]
    fn a_counter_that_begins_again_goes_on() {
        let mut throughput = Throughput::over(4);
        throughput.add(0, 1_000.0);
        throughput.add(TICK_NS, 5.0);
        assert_eq!(throughput.per_s(), Some(100.0));
    }
}
