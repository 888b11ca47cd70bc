//! How much of a host each virtual machine gets, by what those with a target get done.

mod cap;
mod estimate;
mod meaning;

use std::mem::replace;

use crate::error::{Error, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::ShareLaw;
use crate::numbers::PPM;
use cap::{CapRule, Limits, Measured, Mode};
pub use estimate::Served;
use estimate::{common, quotient, Forgetting};
use meaning::check_shares;

/// A machine on the host; without a target it gets what is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Not empty.
    pub name: String,
    /// Thousandths of a unit of work per second.
    pub target_milli: Option<i64>,
}

/// What is remembered of a host. Those of a policy are as at first: clone them, and tick the clone.
#[derive(Clone, Debug)]
pub struct Shares {
    observes: bool,
    window_us: i64,
    estimate_us: i64,
    step_us: i64,
    enforce_us: i64,
    limits: Limits,
    shortage_steps: i64,
    cap: Option<CapRule>,
    pole: f64,
    forgetting: Forgetting,
    /// Ticks of a step, of the first full window, and until now.
    lag: i64,
    full: i64,
    ticks: i64,
    /// Ticks with work waiting before throughput says anything of the share.
    sample: i64,
    machines: Vec<Machine>,
    served: Vec<Served>,
    granted_ppm: Vec<i64>,
    granted_before_ppm: Vec<i64>,
}

impl Shares {
    /// The new `granted_ppm`, by machine; to be called once in `estimate_us`.
    ///
    /// `throughput`: of each machine of `served` [work/s], its mean over the last `window_us`, or since
    /// the start while that is shorter. One that is negative or no number is an invalid argument.
    pub fn tick(&mut self, throughput: &[f64]) -> Result<&[i64]> {
        self.tick_busy(throughput, |_| true)
    }

    /// `tick` where the host knows how many requests of each machine of `served` wait now. Of a
    /// machine of which it does not, it reports any number above 0.
    pub fn tick_waiting(&mut self, throughput: &[f64], waiting: &[u64]) -> Result<&[i64]> {
        if waiting.len() != self.served.len() {
            let why = "waiting requests must be numbers, 0 or more, for each machine with a target";
            return Err(Error::InvalidArgument(why));
        }
        self.tick_busy(throughput, |i| waiting[i] > 0)
    }

    fn tick_busy(&mut self, throughput: &[f64], is_busy: impl Fn(usize) -> bool) -> Result<&[i64]> {
        const LARGEST_LEVEL: f64 = 1000.0; // more counts as that
        let is_measured = throughput.iter().all(|work_per_s| *work_per_s >= 0.0);
        if throughput.len() != self.served.len() || !is_measured {
            let why = "throughputs must be numbers, 0 or more, one for each machine with a target";
            return Err(Error::InvalidArgument(why));
        }
        self.ticks += 1;
        let slot = (self.ticks - 1) % self.lag;
        let since = slot + 1;
        let now_ppm = self.of_served(&self.granted_ppm);
        let before_ppm = self.of_served(&self.granted_before_ppm);
        for (i, one) in self.served.iter_mut().enumerate() {
            let level = (throughput[i] / one.target).min(LARGEST_LEVEL);
            one.busy_ticks = if is_busy(i) { one.busy_ticks + 1 } else { 0 };
            let is_sample = one.cap.mode == Mode::Free && one.busy_ticks >= self.sample;
            if is_sample && self.ticks >= self.full.saturating_add(self.lag) {
                let shares = since * now_ppm[i] + (self.lag - since) * before_ppm[i];
                let mean = quotient(shares, self.lag * PPM);
                one.estimate(&self.forgetting, one.levels[slot as usize], mean, level);
            }
            if slot as usize == one.levels.len() {
                one.levels.push(level);
            }
            one.levels[slot as usize] = level;
            one.level = level;
        }
        if self.ticks % self.lag == 0 && self.ticks >= self.full {
            self.step(&now_ppm);
        }
        Ok(&self.granted_ppm)
    }

    /// Of each machine of `served`, whether a lasting shortage means that its target is too high.
    ///
    /// Under a policy with caps, a machine that was capped after a trial; and where one that is short
    /// needs more than the whole host, only such machines.
    pub fn cannot_meet(&self) -> Vec<bool> {
        let is_short = |one: &Served| one.short_steps >= self.shortage_steps;
        if self.cap.is_none() {
            return self.served.iter().map(is_short).collect();
        }
        let host = quotient(self.limits.host_ppm, PPM);
        let is_cause = |one: &Served| is_short(one) && one.needs_more(host);
        let has_cause = self.served.iter().any(is_cause);
        let is_named = |one: &Served| {
            one.cap.mode >= Mode::Capped || if has_cause { is_cause(one) } else { is_short(one) }
        };
        self.served.iter().map(is_named).collect()
    }

    /// What each machine gets.
    pub fn granted_ppm(&self) -> &[i64] {
        &self.granted_ppm
    }

    /// All machines of the host.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// Those with a target, in the order of `machines`.
    pub fn served(&self) -> &[Served] {
        &self.served
    }

    /// Throughput is a mean over it.
    pub fn window_us(&self) -> i64 {
        self.window_us
    }

    /// How often to tick.
    pub fn estimate_us(&self) -> i64 {
        self.estimate_us
    }

    /// How often shares are decided.
    pub fn step_us(&self) -> i64 {
        self.step_us
    }

    /// How often a scheduler enforces them.
    pub fn enforce_us(&self) -> i64 {
        self.enforce_us
    }

    /// What all machines get together at most.
    pub fn host_ppm(&self) -> i64 {
        self.limits.host_ppm
    }

    /// What each machine with a target is given at least.
    pub fn least_ppm(&self) -> i64 {
        self.limits.least_ppm
    }

    /// New shares for all machines; `had_ppm` is what those served have had.
    fn step(&mut self, had_ppm: &[i64]) {
        let asked: Vec<i64> =
            (0..self.served.len()).map(|i| self.asked_ppm(i, had_ppm[i])).collect();
        let granted_ppm = self.shared_out(&asked);
        self.granted_before_ppm = replace(&mut self.granted_ppm, granted_ppm);
        let given = self.of_served(&self.granted_ppm);
        for (i, one) in self.served.iter_mut().enumerate() {
            let is_below = one.level < 1.0;
            if is_below && (given[i] < asked[i] || given[i] == self.limits.host_ppm) {
                one.short_steps += 1;
            } else if !(is_below && one.cap.is_tested()) {
                one.short_steps = 0;
            }
        }
    }

    /// The share of a machine by its law or cap; sets its `level_before` to the level of this step.
    fn asked_ppm(&mut self, i: usize, had_ppm: i64) -> i64 {
        let share = quotient(had_ppm, PPM);
        let one = &mut self.served[i];
        let ran_out = one.busy_ticks < self.full;
        if ran_out {
            // At its target at least: it has no more work to do.
            one.level = one.level.max(1.0);
        }
        if let Some(rule) = &self.cap {
            let is_met = one.level >= 1.0 && one.level_before.is_some_and(|before| before >= 1.0);
            let is_short = one.short_steps > 0;
            let now = Measured { level: one.level, had_ppm, is_met, is_short };
            if one.cap.step(rule, now) {
                one.begin(self.forgetting.first_covariance);
            }
        }
        let request = if ran_out {
            one.missed = 0.0;
            share.min((1.0 - one.believed.0) / one.believed.1)
        } else {
            self.request(i, share)
        };
        let one = &mut self.served[i];
        one.level_before = Some(one.level);
        if one.cap.mode == Mode::Free {
            self.limits.asked_ppm(request)
        } else {
            one.cap.ppm
        }
    }

    /// The share by the control law, before limits are applied.
    fn request(&mut self, i: usize, share: f64) -> f64 {
        let one = &mut self.served[i];
        let ((a, b), before) = (one.believed, one.level_before);
        let missed = before.map_or(0.0, |before| one.level - (a * before + b * share));
        let lasting = common(missed, replace(&mut one.missed, missed));
        if self.observes {
            return (((1.0 - self.pole) + (self.pole - a) * one.level) - lasting) / b;
        }
        let gain = (1.0 - self.pole) / b;
        let error_before = before.map_or(0.0, |before| 1.0 - before);
        (share + gain * (1.0 - one.level)) - (a * gain) * error_before
    }

    fn shared_out(&self, asked_ppm: &[i64]) -> Vec<i64> {
        let mut given = self.cut(asked_ppm).into_iter();
        let left = self.limits.host_ppm - asked_ppm.iter().sum::<i64>();
        let others = (self.machines.len() - asked_ppm.len()) as i64;
        let rest = if others > 0 { left.max(0) / others } else { 0 };
        let share = |machine: &Machine| match machine.target_milli {
            Some(_) => given.next().unwrap_or(0),
            None => rest,
        };
        self.machines.iter().map(share).collect()
    }

    /// The requested shares; if their sum exceeds the host, in proportion to them, with the minimum
    /// for each.
    fn cut(&self, asked_ppm: &[i64]) -> Vec<i64> {
        let mut among: i64 = asked_ppm.iter().sum();
        let Limits { least_ppm, host_ppm } = self.limits;
        let mut rest = host_ppm;
        if among <= host_ppm {
            return asked_ppm.to_vec();
        }
        let mut has_least = vec![false; asked_ppm.len()];
        loop {
            let part = |(asked, least): (&i64, &bool)| {
                if *least {
                    self.limits.least_ppm
                } else {
                    asked * rest / among
                }
            };
            let parts: Vec<i64> = asked_ppm.iter().zip(&has_least).map(part).collect();
            let mut is_cut = false;
            for (i, part) in parts.iter().enumerate() {
                if *part < least_ppm {
                    is_cut = true;
                    has_least[i] = true;
                    among -= asked_ppm[i];
                    rest -= least_ppm;
                }
            }
            if !is_cut {
                return parts;
            }
        }
    }

    fn of_served(&self, granted_ppm: &[i64]) -> Vec<i64> {
        let pairs = self.machines.iter().zip(granted_ppm);
        pairs.filter(|(machine, _)| machine.target_milli.is_some()).map(|(_, ppm)| *ppm).collect()
    }

    pub(crate) fn read(form: &policy::Shares<'_>) -> Result<Self> {
        check_shares(form)?;
        let (window_us, estimate_us) = (form.window_us(), form.estimate_us());
        let mut shares = Self {
            observes: form.law() == ShareLaw::OBSERVER,
            window_us,
            estimate_us,
            step_us: form.step_us(),
            enforce_us: form.enforce_us(),
            limits: Limits { least_ppm: form.least_ppm(), host_ppm: form.host_ppm() },
            shortage_steps: form.shortage_steps(),
            cap: CapRule::read(form),
            pole: quotient(form.pole_ppm(), PPM),
            forgetting: Forgetting {
                factor: quotient(form.forgetting_ppm(), PPM),
                first_covariance: form.first_covariance() as f64,
                least_b: quotient(form.least_b_ppm(), PPM),
            },
            lag: form.step_us() / estimate_us,
            full: window_us / estimate_us + i64::from(window_us % estimate_us > 0),
            ticks: 0,
            sample: 0,
            machines: Vec::new(),
            served: Vec::new(),
            granted_ppm: Vec::new(),
            granted_before_ppm: Vec::new(),
        };
        shares.sample = shares.full.max(shares.lag);
        shares.read_machines(form);
        Ok(shares)
    }

    fn read_machines(&mut self, form: &policy::Shares<'_>) {
        for machine in form.machines() {
            let (name, target_milli) = (machine.name().to_owned(), machine.target_milli());
            if let Some(target_milli) = target_milli {
                let first = (machine.first_a_ppm(), machine.first_b_milli());
                let covariance = self.forgetting.first_covariance;
                let mut one = Served::new(name.clone(), target_milli, first, covariance);
                one.busy_ticks = self.sample;
                one.cap.begin(Mode::Free, self.limits.host_ppm, 0);
                self.served.push(one);
            }
            self.machines.push(Machine { name, target_milli });
        }
        let asked: Vec<i64> =
            self.served.iter().map(|one| self.limits.asked_ppm((1.0 - one.a) / one.b)).collect();
        self.granted_ppm = self.shared_out(&asked);
        self.granted_before_ppm = self.granted_ppm.clone();
    }
}
