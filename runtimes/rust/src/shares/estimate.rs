//! The model of a machine: recursive least squares with forgetting, in stated double arithmetic.
//!
//! Each operation is rounded to a double, to the nearest; the language fuses none.

use super::cap::Cap;

/// A machine with a target, and what is remembered of it.
#[derive(Clone, Debug)]
pub struct Served {
    /// That of the machine.
    pub name: String,
    /// Work per second.
    pub target: f64,
    /// The estimate of its model, in units of its target.
    pub a: f64,
    /// See `a`.
    pub b: f64,
    /// The last a and b that were believed.
    pub believed: (f64, f64),
    /// Steps in a row with too little, and below the target.
    pub short_steps: i64,
    first: (f64, f64),
    covariance: Covariance,
    /// Of the last ticks, as many as a step has, in a ring.
    pub(super) levels: Vec<f64>,
    /// Throughput relative to the target, now.
    pub(super) level: f64,
    /// At the last step.
    pub(super) level_before: Option<f64>,
    /// What the model was off at the last step.
    pub(super) missed: f64,
    /// Since the last at which it had no request waiting.
    pub(super) busy_ticks: i64,
    pub(super) cap: Cap,
}

#[derive(Clone, Copy, Debug)]
struct Covariance {
    aa: f64,
    ab: f64,
    bb: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Forgetting {
    pub factor: f64,
    pub first_covariance: f64,
    pub least_b: f64,
}

impl Served {
    pub(super) fn new(
        name: String,
        target_milli: i64,
        (first_a_ppm, first_b_milli): (i64, i64),
        first_covariance: f64,
    ) -> Self {
        let (a, b) = (quotient(first_a_ppm, 1_000_000), quotient(first_b_milli, target_milli));
        Self {
            name,
            target: quotient(target_milli, 1_000),
            a,
            b,
            believed: (a, b),
            short_steps: 0,
            first: (a, b),
            covariance: Covariance { aa: first_covariance, ab: 0.0, bb: first_covariance },
            levels: Vec::new(),
            level: 0.0,
            level_before: None,
            missed: 0.0,
            busy_ticks: 0,
            cap: Cap::new((1.0 - a) / b),
        }
    }

    /// Cap of its share if its throughput does not follow its share, else the whole host.
    pub fn cap_ppm(&self) -> i64 {
        self.cap.ppm
    }

    /// Begins the estimate with the first model.
    pub(super) fn begin(&mut self, first_covariance: f64) {
        (self.a, self.b) = self.first;
        self.believed = self.first;
        self.covariance = Covariance { aa: first_covariance, ab: 0.0, bb: first_covariance };
    }

    /// Whether the model that is believed needs more than the host for the target.
    pub(super) fn needs_more(&self, host: f64) -> bool {
        1.0 - self.believed.0 > self.believed.1 * host
    }

    /// One more sample, in this order of operations. x, y: the level a lag ago and now; u: the mean
    /// share since.
    pub(super) fn estimate(&mut self, forgetting: &Forgetting, x: f64, u: f64, y: f64) {
        let Covariance { mut aa, mut ab, mut bb } = self.covariance;
        let h_a = aa * x + ab * u;
        let h_b = ab * x + bb * u;
        let weight = forgetting.factor + (x * h_a + u * h_b);
        let (k_a, k_b) = (h_a / weight, h_b / weight);
        let error = y - (self.a * x + self.b * u);
        self.a += k_a * error;
        self.b += k_b * error;
        aa -= k_a * h_a;
        ab -= k_a * h_b;
        bb -= k_b * h_b;
        // Without this limit a machine whose share never changes would wind them up.
        if aa + bb <= 2.0 * forgetting.first_covariance * forgetting.factor {
            aa /= forgetting.factor;
            ab /= forgetting.factor;
            bb /= forgetting.factor;
        }
        self.covariance = Covariance { aa, ab, bb };
        if self.a.abs() < 1.0 && self.b > forgetting.least_b {
            self.believed = (self.a, self.b);
        }
    }
}

/// Whole numbers are made doubles before they are divided.
pub(super) fn quotient(dividend: i64, divisor: i64) -> f64 {
    dividend as f64 / divisor as f64
}

/// The smaller of two errors, 0 where they are of two signs: a disturbance that may last.
pub(super) fn common(one: f64, other: f64) -> f64 {
    if one > 0.0 && other > 0.0 {
        one.min(other)
    } else if one < 0.0 && other < 0.0 {
        one.max(other)
    } else {
        0.0
    }
}
