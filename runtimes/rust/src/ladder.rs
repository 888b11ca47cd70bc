//! One ladder, ready to be looked up: no allocation, no lock.

pub(crate) mod meaning;
mod overload;
mod rows;
mod rule;
mod setting;
mod sharing;

use std::sync::Arc;

use crate::controller::Controller;
use crate::counters::Counters;
use crate::error::{Error, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::Outside;
use crate::numbers::PPM;
use meaning::{check_ladder, check_scaled, core_unit_of};
pub use overload::Overload;
use rows::{table_of, Table};
pub use rule::Rule;
pub use setting::{Lane, RungSetting};
pub use sharing::Sharing;

/// What a load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAxis {
    /// Requests that have arrived and not left, waiting ones included.
    InSystem,
    /// Arrivals in thousandths of a request per second.
    Rate,
}

/// Whether a request may start that has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It may start.
    Now,
    /// Look up again in so many microseconds, and at every arrival and exit.
    WaitUs(u64),
    /// It starts when a request exits.
    OnExit,
}

/// `start` concerns requests that have not started; `rung` is an index into `rungs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Answer {
    pub start: Start,
    pub rung: usize,
}

/// Boosted requests cost less than `below_ppm` in all, in cost unit number `unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Boost {
    pub unit: usize,
    pub below_ppm: i64,
}

/// The loads that a ladder was compiled for, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Guard {
    pub min_load: u64,
    pub max_load: u64,
    /// Whether requests stay on the first rung at other loads; else the nearest row applies.
    pub is_first_rung_outside: bool,
}

/// What the requests of a class get as they age.
#[derive(Debug)]
pub struct Ladder {
    load_axis: LoadAxis,
    request_class: Option<String>,
    cost_units: Vec<String>,
    rungs: Vec<String>,
    settings: Vec<RungSetting>,
    rules: Vec<Rule>,
    quantum_us: i64,
    boost: Option<Boost>,
    overload: Overload,
    sharing: Sharing,
    longest_delay_us: u64,
    last_climb_us: u64,
    core_unit: Vec<usize>,
    move_us: Vec<i64>,
    core_count: Vec<i64>,

    controller: Option<Arc<Controller>>,
    counters: Arc<Counters>,
    guard: Guard,
    loads_above_min: u64,
    /// All bits, or none.
    counts_waiting: u64,
    table: Table,
}

impl Ladder {
    /// Under what the controller puts out at that moment, if there is one.
    #[inline]
    pub fn lookup(&self, load: u64, waited_us: u64, executed_us: u64) -> Answer {
        self.count_outside(load);
        self.peek(load, waited_us, executed_us)
    }

    /// The same for a schedule that looks what a request would get: it counts nothing.
    #[inline]
    pub(crate) fn peek(&self, load: u64, waited_us: u64, executed_us: u64) -> Answer {
        let output_ppm = self.controller.as_ref().map_or(PPM, |held| held.output_ppm());
        self.answer(load, waited_us, executed_us, output_ppm as u64)
    }

    /// With ages of climbs scaled by `output_ppm` millionths, 0 to 1,000,000.
    pub fn lookup_scaled(
        &self,
        load: u64,
        waited_us: u64,
        executed_us: u64,
        output_ppm: u64,
    ) -> Result<Answer> {
        if output_ppm > PPM as u64 {
            return Err(Error::InvalidArgument("the output must be 0 to 1,000,000"));
        }
        self.count_outside(load);
        Ok(self.answer(load, waited_us, executed_us, output_ppm))
    }

    #[inline]
    pub(crate) fn count_outside(&self, load: u64) {
        if load.wrapping_sub(self.guard.min_load) > self.loads_above_min {
            self.counters.count_outside();
        }
    }

    /// What a load counts.
    pub fn load_axis(&self) -> LoadAxis {
        self.load_axis
    }

    /// The class of requests that it is for; none: all without a ladder of their own.
    pub fn request_class(&self) -> Option<&str> {
        self.request_class.as_deref()
    }

    /// What rungs cost.
    pub fn cost_units(&self) -> &[String] {
        &self.cost_units
    }

    /// Ways to run a request, for people.
    pub fn rungs(&self) -> &[String] {
        &self.rungs
    }

    /// What each rung is.
    pub fn settings(&self) -> &[RungSetting] {
        &self.settings
    }

    /// What the server must do beyond the look-up.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The time between two ticks of a request.
    pub fn quantum_us(&self) -> i64 {
        self.quantum_us
    }

    /// The limit of boosting, with the rule for it.
    pub fn boost(&self) -> Option<Boost> {
        self.boost
    }

    /// Requests that the server refuses, degrades or cuts off; none without a rule for it.
    pub fn overload(&self) -> Overload {
        self.overload
    }

    /// Requests that must wait or release threads or cores because of the used amount; none without
    /// a rule for it.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// The loads it was compiled for.
    pub fn guard(&self) -> Guard {
        self.guard
    }

    /// The longest time that a request waits in any row.
    pub fn longest_delay_us(&self) -> u64 {
        self.longest_delay_us
    }

    /// The latest age at which any row climbs.
    pub fn last_climb_us(&self) -> u64 {
        self.last_climb_us
    }

    /// Of rungs that are cores: by rung the cost unit of its core. Empty for other rungs.
    pub fn core_unit(&self) -> &[usize] {
        &self.core_unit
    }

    /// Of rungs that are cores: how long a climb to each takes. Empty for other rungs.
    pub fn move_us(&self) -> &[i64] {
        &self.move_us
    }

    /// Of rungs that are cores: by cost unit their number, 0 for power. Empty for other rungs.
    pub fn core_count(&self) -> &[i64] {
        &self.core_count
    }

    #[inline]
    fn answer(&self, load: u64, waited_us: u64, executed_us: u64, output_ppm: u64) -> Answer {
        let row = self.table.row_at(load);
        let mut age_us = executed_us.saturating_add(waited_us & self.counts_waiting);
        if output_ppm != PPM as u64 {
            age_us = unscaled_us(age_us, output_ppm);
        }
        let left_us = row.delay_us.saturating_sub(waited_us);
        let start = match (left_us, row.is_on_exit) {
            (0, false) => Start::Now,
            (0, true) => Start::OnExit,
            _ => Start::WaitUs(left_us),
        };
        Answer { start, rung: self.table.rung_at(row, age_us) as usize }
    }
}

/// No age in a policy is as late.
const EVER_US: u64 = 1 << 53;

/// The last age as written that has come at `age_us`, all being scaled by z and rounded down:
/// floor(a z) <= t exactly if a z < t + 1; at z = 0 every climb has come.
fn unscaled_us(age_us: u64, output_ppm: u64) -> u64 {
    const UNIT: u64 = PPM as u64;
    if output_ppm == 0 || age_us >= EVER_US {
        return age_us.max(EVER_US);
    }
    let (whole, rest) = ((age_us + 1) / output_ppm, (age_us + 1) % output_ppm);
    if whole > EVER_US / UNIT {
        return EVER_US;
    }
    // No product leaves 64 bits: floor(((t + 1) 10^6 - 1) / z), in two parts.
    if rest > 0 {
        whole * UNIT + (rest * UNIT - 1) / output_ppm
    } else {
        whole * UNIT - 1
    }
}

impl Ladder {
    pub(crate) fn read(
        form: &policy::Ladder<'_>,
        controller: Option<Arc<Controller>>,
        counters: Arc<Counters>,
    ) -> Result<Self> {
        let rules: Vec<Rule> = form.rules().iter().filter_map(Rule::of).collect();
        check_ladder(form, &rules)?;
        if controller.is_some() {
            check_scaled(form)?;
        }
        let guard = guard_of(form);
        let has_cores = rules.contains(&Rule::CorePerRequest);
        let is_rate = form.load_axis() == policy::LoadAxis::RATE;
        let boost = form
            .boost()
            .map(|boost| Boost { unit: boost.unit() as usize, below_ppm: boost.below_ppm() });
        Ok(Self {
            load_axis: if is_rate { LoadAxis::Rate } else { LoadAxis::InSystem },
            request_class: form.request_class().map(str::to_owned),
            cost_units: form.cost_units().iter().map(|unit| unit.name().to_owned()).collect(),
            rungs: form.rungs().iter().map(|rung| rung.name().to_owned()).collect(),
            settings: form.rungs().iter().map(|rung| RungSetting::of(&rung)).collect(),
            quantum_us: form.quantum_us(),
            boost,
            overload: Overload::read(form, rules.contains(&Rule::AgeFromArrival)),
            sharing: Sharing::read(form, rules.contains(&Rule::AgeFromArrival)),
            longest_delay_us: form.rows().iter().map(|row| row.delay_us()).max().unwrap_or(0),
            last_climb_us: form.climbs().iter().map(|climb| climb.age_us()).max().unwrap_or(0),
            core_unit: if has_cores { core_units(form)? } else { Vec::new() },
            move_us: if has_cores { moves_us(form) } else { Vec::new() },
            core_count: if has_cores { core_counts(form) } else { Vec::new() },
            controller,
            counters,
            guard,
            loads_above_min: last_inside(form, guard) - guard.min_load,
            counts_waiting: if rules.contains(&Rule::AgeFromArrival) { u64::MAX } else { 0 },
            table: table_of(form, guard),
            rules,
        })
    }
}

fn guard_of(form: &policy::Ladder<'_>) -> Guard {
    let guard = form.guard();
    Guard {
        min_load: guard.min_load() as u64,
        max_load: guard.max_load() as u64,
        is_first_rung_outside: guard.outside() == Outside::FIRST_RUNG,
    }
}

/// The largest load that is not counted as outside: the last row of a ladder by requests in the system
/// is compiled for all larger loads.
fn last_inside(form: &policy::Ladder<'_>, guard: Guard) -> u64 {
    let rows = form.rows();
    let last_load = rows.get(rows.len() - 1).first_load();
    let is_by_rate = form.load_axis() == policy::LoadAxis::RATE;
    let has_no_end = !is_by_rate && !guard.is_first_rung_outside && last_load <= guard.max_load;
    if has_no_end {
        u64::MAX
    } else {
        guard.max_load
    }
}

fn core_units(form: &policy::Ladder<'_>) -> Result<Vec<usize>> {
    form.rungs().iter().map(|rung| core_unit_of(form, &rung)).collect()
}

fn moves_us(form: &policy::Ladder<'_>) -> Vec<i64> {
    form.rungs().iter().map(|rung| rung.move_us().unwrap_or(0)).collect()
}

fn core_counts(form: &policy::Ladder<'_>) -> Vec<i64> {
    let units = form.cost_units();
    units.iter().map(|unit| unit.capacity_ppm().unwrap_or(0) / PPM).collect()
}
