//! What requests lose by rule where a server has more of them than it can serve in time.

use super::Rule;
use crate::error::{require, Result};
use crate::generated::tailc::policy;
use crate::numbers::PPM;

/// Called once at a request's arrival, before the request is counted, and at each of its ticks.
/// Without a rule for it in the ladder, no request is refused, degraded or cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    shed_from: Option<u64>,
    cut_off_us: Option<u64>,
    /// From how many on, and millionths of the work.
    degraded: Option<(u64, u64)>,
    counts_waiting: bool,
}

impl Overload {
    /// Whether a request is refused that arrives when so many others are in the system.
    pub fn refuses(&self, in_system: u64) -> bool {
        self.shed_from.is_some_and(|from| in_system >= from)
    }

    /// How many millionths of its work are to be done of one that arrives then.
    pub fn work_ppm(&self, in_system: u64) -> u64 {
        match self.degraded {
            Some((from, work_ppm)) if in_system >= from => work_ppm,
            _ => PPM as u64,
        }
    }

    /// Whether a request that runs leaves now, with what it has.
    pub fn cuts_off(&self, waited_us: u64, executed_us: u64) -> bool {
        let counted_us = if self.counts_waiting { waited_us } else { 0 };
        self.cut_off_us.is_some_and(|cut_us| executed_us.saturating_add(counted_us) >= cut_us)
    }

    /// When a request that starts leaves at the latest; none: at no time.
    pub(crate) fn cut_ns(&self, arrived_ns: u64, started_ns: u64) -> Option<u64> {
        let begun_ns = if self.counts_waiting { arrived_ns } else { started_ns };
        self.cut_off_us.map(|cut_us| (begun_ns + cut_us * 1_000).max(started_ns))
    }

    /// What a ladder that has been checked says of it.
    pub(crate) fn read(form: &policy::Ladder<'_>, counts_waiting: bool) -> Self {
        let told = form.overload();
        let positive = |value: Option<i64>| value.map(|value| value as u64);
        Self {
            shed_from: positive(told.and_then(|told| told.shed_from())),
            cut_off_us: positive(told.and_then(|told| told.cut_off_us())),
            degraded: positive(told.and_then(|told| told.degrade_from()))
                .zip(positive(told.and_then(|told| told.work_ppm()))),
            counts_waiting,
        }
    }
}

pub(crate) fn check_overload(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let told = form.overload();
    let parts = [
        (Rule::Shed, told.and_then(|told| told.shed_from())),
        (Rule::CutOff, told.and_then(|told| told.cut_off_us())),
        (Rule::Degrade, told.and_then(|told| told.degrade_from())),
    ];
    require(
        parts.iter().all(|(rule, part)| rules.contains(rule) == part.is_some()),
        "each rule for overload must have its field in `overload`, and each field its rule",
    )?;
    require(
        parts.iter().any(|(_, part)| part.is_some()) == told.is_some(),
        "`overload` must be absent without rule `shed`, `cut-off` or `degrade`",
    )?;
    let Some(told) = told else { return Ok(()) };
    require(told.shed_from().is_none_or(|from| from > 0), "`shed_from` must be at least 1")?;
    require(told.cut_off_us().is_none_or(|cut_us| cut_us > 0), "`cut_off_us` must be at least 1")?;
    check_degraded(&told)
}

fn check_degraded(told: &policy::Overload<'_>) -> Result<()> {
    require(
        told.degrade_from().is_some() == told.work_ppm().is_some(),
        "`degrade_from` and `work_ppm` must both be present or both be absent",
    )?;
    let (Some(from), Some(work_ppm)) = (told.degrade_from(), told.work_ppm()) else {
        return Ok(());
    };
    require(from >= 0, "`degrade_from` must not be negative")?;
    require(0 < work_ppm && work_ppm < PPM, "`work_ppm` must be 1 to 999,999")?;
    require(
        told.shed_from().is_none_or(|shed_from| from < shed_from),
        "`degrade_from` must be below `shed_from`",
    )
}
