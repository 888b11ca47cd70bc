//! The controller: once an epoch from a measured tail to what scales ages or a bound.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{require, Result};
use crate::generated::tailc::policy;
use crate::numbers::PPM;

/// What a controller's output scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actuator {
    /// The ages of climbs of ladders.
    ClimbAges,
    /// The bound of a tail table.
    LatencyBound,
}

/// Gains from a rate on, in units of 2^-`fraction_bits` per microsecond of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Gains {
    pub first_rate_mrps: u64,
    pub kp: i64,
    pub ki: i64,
    pub kd: i64,
}

/// What a server steps once in `epoch_requests` completions, and what it remembers.
///
/// The tail is that of the last `window_requests` latencies, at `percentile_ppm`. Any thread may step,
/// one after the other, and any may look up meanwhile.
#[derive(Debug)]
pub struct Controller {
    acts_on: Actuator,
    percentile_ppm: i64,
    target_us: i64,
    epoch_requests: i64,
    window_requests: i64,
    fraction_bits: i64,
    least: i64,
    most: i64,
    gains: Vec<Gains>,
    remembered: Mutex<Remembered>,
    output_ppm: AtomicI64,
}

#[derive(Debug)]
struct Remembered {
    output: i64,
    /// Errors of the last step and the one before.
    errors_us: Option<(i64, i64)>,
}

const LARGEST_ERROR_US: i64 = (1 << 31) - 1;

impl Controller {
    /// The new `output_ppm`, after an epoch with that tail and that rate of arrivals [thousandths of a
    /// request per second].
    pub fn step(&self, measured_us: u64, rate_mrps: u64) -> i64 {
        let measured_us = i64::try_from(measured_us).unwrap_or(i64::MAX);
        let error_us = (self.target_us - measured_us).max(-LARGEST_ERROR_US);
        let mut remembered = self.remembered();
        let (before_us, earlier_us) = remembered.errors_us.unwrap_or((error_us, error_us));
        let Gains { kp, ki, kd, .. } = self.gains_at(rate_mrps);
        let moved = kp * (error_us - before_us)
            + ki * error_us
            + kd * (error_us - 2 * before_us + earlier_us);
        remembered.output = (remembered.output + moved).min(self.most).max(self.least);
        remembered.errors_us = Some((error_us, before_us));
        let half = 1 << (self.fraction_bits - 1);
        let output_ppm = (remembered.output * PPM + half) >> self.fraction_bits;
        self.output_ppm.store(output_ppm, Ordering::Relaxed);
        output_ppm
    }

    /// What ages of climbs, or the bound of a tail table, are scaled by, in millionths.
    #[inline]
    pub fn output_ppm(&self) -> i64 {
        self.output_ppm.load(Ordering::Relaxed)
    }

    /// The same exactly, in units of 2^-`fraction_bits`.
    pub fn output(&self) -> i64 {
        self.remembered().output
    }

    /// What the output scales.
    pub fn acts_on(&self) -> Actuator {
        self.acts_on
    }

    /// So many millionths of the latencies should be at most the target.
    pub fn percentile_ppm(&self) -> i64 {
        self.percentile_ppm
    }

    /// What the tail should be.
    pub fn target_us(&self) -> i64 {
        self.target_us
    }

    /// Completions from one step to the next.
    pub fn epoch_requests(&self) -> i64 {
        self.epoch_requests
    }

    /// Latencies that are measured at a step.
    pub fn window_requests(&self) -> i64 {
        self.window_requests
    }

    /// The unit of outputs and gains is 2 to the minus this.
    pub fn fraction_bits(&self) -> i64 {
        self.fraction_bits
    }

    /// By arrival rate, ascending, the first from 0.
    pub fn gains(&self) -> &[Gains] {
        &self.gains
    }

    fn gains_at(&self, rate_mrps: u64) -> Gains {
        let after = self.gains.partition_point(|row| row.first_rate_mrps <= rate_mrps);
        self.gains[after - 1]
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn read(form: &policy::Controller<'_>) -> Result<Self> {
        let acts_on = check(form)?;
        let fraction_bits = form.fraction_bits();
        let fixed_point = |share_ppm: i64| (share_ppm << fraction_bits) / PPM;
        let gains = form.gains().iter().map(|row| Gains {
            first_rate_mrps: row.first_rate_mrps() as u64,
            kp: row.kp(),
            ki: row.ki(),
            kd: row.kd(),
        });
        let output = fixed_point(form.first_ppm());
        Ok(Self {
            acts_on,
            percentile_ppm: form.percentile_ppm(),
            target_us: form.target_us(),
            epoch_requests: form.epoch_requests(),
            window_requests: form.window_requests(),
            fraction_bits,
            least: fixed_point(form.least_ppm()),
            most: fixed_point(form.most_ppm()),
            gains: gains.collect(),
            remembered: Mutex::new(Remembered { output, errors_us: None }),
            output_ppm: AtomicI64::new(form.first_ppm()),
        })
    }
}

fn check(form: &policy::Controller<'_>) -> Result<Actuator> {
    const MOST_TARGET_US: i64 = (1 << 31) - 1;
    const MOST_WINDOW: i64 = 1_000_000;
    let is_bound = form.acts_on() == policy::Actuator::LATENCY_BOUND;
    require(
        is_bound || form.acts_on() == policy::Actuator::CLIMB_AGES,
        "unknown value of `acts_on`",
    )?;
    let is_percentile = 0 < form.percentile_ppm() && form.percentile_ppm() < PPM;
    require(is_percentile, "`percentile_ppm` must be 1 to 999,999")?;
    require(
        0 < form.target_us() && form.target_us() <= MOST_TARGET_US,
        "`target_us` must be 1 to 2^31 - 1",
    )?;
    let (epoch, window) = (form.epoch_requests(), form.window_requests());
    require(
        0 < epoch && epoch <= window && window <= MOST_WINDOW,
        "`window_requests` must be `epoch_requests` to 1,000,000",
    )?;
    let outputs = [0, form.least_ppm(), form.first_ppm(), form.most_ppm()];
    let largest = if is_bound { 2 * PPM } else { PPM };
    require(
        outputs.is_sorted() && form.most_ppm() <= largest,
        "`least_ppm` <= `first_ppm` <= `most_ppm` must be 0 to 1,000,000 (a bound: 2,000,000)",
    )?;
    require((21..=40).contains(&form.fraction_bits()), "`fraction_bits` must be 21 to 40")?;
    check_gains(form)?;
    Ok(if is_bound { Actuator::LatencyBound } else { Actuator::ClimbAges })
}

fn check_gains(form: &policy::Controller<'_>) -> Result<()> {
    const LARGEST_GAIN: i64 = 1 << 29;
    let mut before = None;
    for row in form.gains() {
        let rate = row.first_rate_mrps();
        require(before.is_some() || rate == 0, "`first_rate_mrps` of the first gains must be 0")?;
        require(before < Some(rate), "`first_rate_mrps` must increase from gains to gains")?;
        before = Some(rate);
        require(
            [row.kp(), row.ki(), row.kd()]
                .iter()
                .all(|gain| gain.unsigned_abs() <= LARGEST_GAIN as u64),
            "`kp`, `ki` and `kd` must be -2^29 to 2^29",
        )?;
    }
    require(before.is_some(), "`first_rate_mrps` of the first gains must be 0")
}
