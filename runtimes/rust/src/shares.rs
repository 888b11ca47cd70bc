//! How much of a host each virtual machine gets, by what those with a target get done.

mod estimate;
mod meaning;

use std::mem::replace;

use crate::error::{Error, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::ShareLaw;
use crate::numbers::PPM;
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
    least_ppm: i64,
    host_ppm: i64,
    shortage_steps: i64,
    pole: f64,
    forgetting: Forgetting,
    /// Ticks of a step, of the first full window, and until now.
    lag: i64,
    full: i64,
    ticks: i64,
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
        const LARGEST_LEVEL: f64 = 1000.0; // more counts as that
        let is_measured = throughput.iter().all(|work_per_s| *work_per_s >= 0.0);
        if throughput.len() != self.served.len() || !is_measured {
            let why = "a throughput is a number, not negative, for each machine served";
            return Err(Error::InvalidArgument(why));
        }
        self.ticks += 1;
        let slot = (self.ticks - 1) % self.lag;
        let since = slot + 1;
        let now_ppm = self.of_served(&self.granted_ppm);
        let before_ppm = self.of_served(&self.granted_before_ppm);
        for (i, one) in self.served.iter_mut().enumerate() {
            let level = (throughput[i] / one.target).min(LARGEST_LEVEL);
            if self.ticks >= self.full.saturating_add(self.lag) {
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

    /// Of each machine of `served`, whether a lasting shortage tells of too high a target.
    pub fn cannot_meet(&self) -> Vec<bool> {
        self.served.iter().map(|one| one.short_steps >= self.shortage_steps).collect()
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
        self.host_ppm
    }

    /// What each machine with a target is given at least.
    pub fn least_ppm(&self) -> i64 {
        self.least_ppm
    }

    /// New shares for all machines; `had_ppm` is what those served have had.
    fn step(&mut self, had_ppm: &[i64]) {
        let asked: Vec<i64> = (0..self.served.len())
            .map(|i| {
                let request = self.request(i, quotient(had_ppm[i], PPM));
                self.asked_ppm(request)
            })
            .collect();
        let granted_ppm = self.shared_out(&asked);
        self.granted_before_ppm = replace(&mut self.granted_ppm, granted_ppm);
        let given = self.of_served(&self.granted_ppm);
        for (i, one) in self.served.iter_mut().enumerate() {
            let is_limited = given[i] < asked[i] || given[i] == self.host_ppm;
            let is_short = is_limited && one.level < 1.0;
            one.short_steps = if is_short { one.short_steps + 1 } else { 0 };
            one.level_before = Some(one.level);
        }
    }

    /// The share that the law asks for, whatever can be had.
    fn request(&mut self, i: usize, share: f64) -> f64 {
        let one = &mut self.served[i];
        let (a, b) = one.believed;
        if self.observes {
            let before = one.level_before;
            let missed = before.map_or(0.0, |before| one.level - (a * before + b * share));
            let lasting = common(missed, replace(&mut one.missed, missed));
            return (((1.0 - self.pole) + (self.pole - a) * one.level) - lasting) / b;
        }
        let gain = (1.0 - self.pole) / b;
        let error_before = one.level_before.map_or(0.0, |before| 1.0 - before);
        (share + gain * (1.0 - one.level)) - (a * gain) * error_before
    }

    fn asked_ppm(&self, request: f64) -> i64 {
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

    fn shared_out(&self, asked_ppm: &[i64]) -> Vec<i64> {
        let mut given = self.cut(asked_ppm).into_iter();
        let left = self.host_ppm - asked_ppm.iter().sum::<i64>();
        let others = (self.machines.len() - asked_ppm.len()) as i64;
        let rest = if others > 0 { left.max(0) / others } else { 0 };
        let share = |machine: &Machine| match machine.target_milli {
            Some(_) => given.next().unwrap_or(0),
            None => rest,
        };
        self.machines.iter().map(share).collect()
    }

    /// What is asked; where that is more than the host in proportion, the least at least.
    fn cut(&self, asked_ppm: &[i64]) -> Vec<i64> {
        let mut among: i64 = asked_ppm.iter().sum();
        let mut rest = self.host_ppm;
        if among <= self.host_ppm {
            return asked_ppm.to_vec();
        }
        let mut has_least = vec![false; asked_ppm.len()];
        loop {
            let part = |(asked, least): (&i64, &bool)| {
                if *least {
                    self.least_ppm
                } else {
                    asked * rest / among
                }
            };
            let parts: Vec<i64> = asked_ppm.iter().zip(&has_least).map(part).collect();
            let mut is_cut = false;
            for (i, part) in parts.iter().enumerate() {
                if *part < self.least_ppm {
                    is_cut = true;
                    has_least[i] = true;
                    among -= asked_ppm[i];
                    rest -= self.least_ppm;
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
            least_ppm: form.least_ppm(),
            host_ppm: form.host_ppm(),
            shortage_steps: form.shortage_steps(),
            pole: quotient(form.pole_ppm(), PPM),
            forgetting: Forgetting {
                factor: quotient(form.forgetting_ppm(), PPM),
                first_covariance: form.first_covariance() as f64,
                least_b: quotient(form.least_b_ppm(), PPM),
            },
            lag: form.step_us() / estimate_us,
            full: window_us / estimate_us + i64::from(window_us % estimate_us > 0),
            ticks: 0,
            machines: Vec::new(),
            served: Vec::new(),
            granted_ppm: Vec::new(),
            granted_before_ppm: Vec::new(),
        };
        shares.read_machines(form);
        Ok(shares)
    }

    fn read_machines(&mut self, form: &policy::Shares<'_>) {
        for machine in form.machines() {
            let (name, target_milli) = (machine.name().to_owned(), machine.target_milli());
            if let Some(target_milli) = target_milli {
                self.served.push(Served::new(
                    name.clone(),
                    target_milli,
                    machine.first_a_ppm(),
                    machine.first_b_milli(),
                    self.forgetting.first_covariance,
                ));
            }
            self.machines.push(Machine { name, target_milli });
        }
        let asked: Vec<i64> =
            self.served.iter().map(|one| self.asked_ppm((1.0 - one.a) / one.b)).collect();
        self.granted_ppm = self.shared_out(&asked);
        self.granted_before_ppm = self.granted_ppm.clone();
    }
}
