//! Caps of machines whose throughput does not follow their share, one step after another.

use super::estimate::quotient;
use crate::generated::tailc::policy;
use crate::numbers::PPM;

/// What is done to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Mode {
    Free,
    Trial,
    Capped,
    Probe,
}

/// What one machine may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub least_ppm: i64,
    pub host_ppm: i64,
}

impl Limits {
    /// A share cut to these, in whole millionths rounded down.
    pub(super) fn asked_ppm(self, request: f64) -> i64 {
        let ppm = request * PPM as f64;
        if ppm >= self.host_ppm as f64 {
            return self.host_ppm;
        }
        // Also where it is no number.
        if ppm > self.least_ppm as f64 {
            ppm as i64
        } else {
            self.least_ppm
        }
    }
}

/// When a machine whose throughput does not follow its share gets a cap.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapRule {
    steps: i64,
    probe_steps: i64,
    factor_ppm: i64,
    /// Steps after which a window still has throughput of the share before.
    settling: i64,
    limits: Limits,
}

impl CapRule {
    pub(super) fn read(form: &policy::Shares<'_>) -> Option<Self> {
        form.cap().map(|cap| Self {
            steps: cap.steps(),
            probe_steps: cap.probe_steps(),
            factor_ppm: PPM + cap.headroom_ppm(),
            settling: (form.window_us() - 1) / form.step_us(),
            limits: Limits { least_ppm: form.least_ppm(), host_ppm: form.host_ppm() },
        })
    }

    /// The share that the first model needs for the level, and the headroom.
    fn with_headroom_ppm(&self, need: f64, level: f64) -> i64 {
        let factor = quotient(self.factor_ppm, PPM);
        self.limits.asked_ppm(factor * (level * need))
    }
}

/// The cap of one machine, and what is measured to decide on the next.
#[derive(Clone, Debug)]
pub(super) struct Cap {
    pub mode: Mode,
    /// The cap of the machine; the whole host while its share is determined by the law.
    pub ppm: i64,
    /// The share that the first model needs for the target.
    need: f64,
    /// Steps that count in this mode, below 0 while none does.
    count: i64,
    levels: f64,
    shares_ppm: i64,
    /// Means over the steps of the mode before.
    level_before: f64,
    share_before: f64,
}

/// A machine at a step, and the share that it had.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    pub level: f64,
    pub had_ppm: i64,
    /// At its target at this step and the last.
    pub is_met: bool,
    /// Short of share at the last step, and below its target.
    pub is_short: bool,
}

impl Cap {
    pub(super) fn new(need: f64) -> Self {
        Self {
            mode: Mode::Free,
            ppm: PPM,
            need,
            count: 0,
            levels: 0.0,
            shares_ppm: 0,
            level_before: 0.0,
            share_before: 0.0,
        }
    }

    pub(super) fn begin(&mut self, mode: Mode, ppm: i64, count: i64) {
        (self.mode, self.ppm, self.count) = (mode, ppm, count);
        (self.levels, self.shares_ppm) = (0.0, 0);
    }

    /// Whether the machine is in a trial, or settles after a test of its share.
    pub(super) fn is_tested(&self) -> bool {
        self.mode == Mode::Trial || self.count < 0
    }

    /// Whether a trial begins.
    pub(super) fn step(&mut self, rule: &CapRule, now: Measured) -> bool {
        let is_low = now.is_short && now.level < 1.0;
        let has_too_much = is_low && now.had_ppm > rule.with_headroom_ppm(self.need, now.level);
        if now.is_met {
            self.begin(Mode::Free, rule.limits.host_ppm, 0);
        } else if self.count < 0 {
            self.count += 1;
        } else if self.mode == Mode::Free && !has_too_much {
            self.begin(Mode::Free, rule.limits.host_ppm, 0);
        } else {
            self.count += 1;
            self.levels += now.level;
            self.shares_ppm += now.had_ppm;
            let lasts = if self.mode == Mode::Capped { rule.probe_steps } else { rule.steps };
            return self.count >= lasts && self.decide(rule);
        }
        false
    }

    /// Begins the mode after one that is over; whether that is a trial.
    fn decide(&mut self, rule: &CapRule) -> bool {
        let Limits { least_ppm, host_ppm } = rule.limits;
        let target_ppm = rule.limits.asked_ppm(self.need);
        let now = (self.levels / self.count as f64, quotient(self.shares_ppm, self.count * PPM));
        let before = (self.level_before, self.share_before);
        (self.level_before, self.share_before) = now;
        let (low, high) = if self.mode == Mode::Probe { (before, now) } else { (now, before) };
        match self.mode {
            Mode::Free => {
                let trial_ppm = self.shares_ppm * PPM / (self.count * rule.factor_ppm);
                self.begin(Mode::Trial, trial_ppm.max(least_ppm), -rule.settling);
                return true;
            }
            Mode::Capped => {
                let raised_ppm = self.ppm * rule.factor_ppm / PPM;
                let probe_ppm = raised_ppm.max(target_ppm * PPM / rule.factor_ppm);
                self.begin(Mode::Probe, probe_ppm.min(host_ppm), -rule.settling);
            }
            _ if follows(low, high) => self.begin(Mode::Free, host_ppm, -rule.probe_steps),
            _ => {
                let ppm = rule.with_headroom_ppm(self.need, now.0).min(target_ppm);
                self.begin(Mode::Capped, ppm, -rule.settling);
            }
        }
        false
    }
}

/// Whether throughput, of (level, share), changes by more than half of what is proportional to the
/// share.
fn follows(low: (f64, f64), high: (f64, f64)) -> bool {
    low.0 * high.1 < high.0 * (0.5 * (low.1 + high.1))
}
