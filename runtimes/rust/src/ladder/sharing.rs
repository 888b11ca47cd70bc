//! How requests share threads, cores or power by a rule, if the rows by requests in the system do
//! not determine it.

use super::Rule;
use crate::error::{require, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::AdmissionKind;

/// Called whenever the used amount may have decreased, and at each tick of a request. Without a
/// rule for it in the ladder, all requests may start and none releases its threads or cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The cost unit, and millionths of it.
    start_below: Option<(usize, u64)>,
    give_up_us: Option<u64>,
    counts_waiting: bool,
}

impl Sharing {
    /// The cost unit that is counted at starts, where they go by what is in use.
    pub fn start_unit(&self) -> Option<usize> {
        self.start_below.map(|(unit, _)| unit)
    }

    /// Whether the request that came first of those that wait may start while all that run take so
    /// much of that unit.
    pub fn starts(&self, in_use_ppm: u64) -> bool {
        self.start_below.is_none_or(|(_, below_ppm)| in_use_ppm < below_ppm)
    }

    /// Whether a request is on the first rung from now on, and boosted no longer.
    pub fn gives_up(&self, waited_us: u64, executed_us: u64) -> bool {
        let counted_us = if self.counts_waiting { waited_us } else { 0 };
        self.give_up_us.is_some_and(|age_us| executed_us.saturating_add(counted_us) >= age_us)
    }

    /// What a ladder that has been checked says of it.
    pub(crate) fn read(form: &policy::Ladder<'_>, counts_waiting: bool) -> Self {
        let told = form.sharing();
        let unit = told.and_then(|told| told.start_unit()).map(|unit| unit as usize);
        let below_ppm = told.and_then(|told| told.start_below_ppm()).map(|ppm| ppm as u64);
        Self {
            start_below: unit.zip(below_ppm),
            give_up_us: told.and_then(|told| told.give_up_us()).map(|age_us| age_us as u64),
            counts_waiting,
        }
    }
}

pub(crate) fn check_sharing(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let told = form.sharing();
    let below_ppm = told.and_then(|told| told.start_below_ppm());
    let give_up_us = told.and_then(|told| told.give_up_us());
    require(
        rules.contains(&Rule::StartBelow) == below_ppm.is_some()
            && rules.contains(&Rule::GiveUp) == give_up_us.is_some(),
        "each rule for sharing must have its fields in `sharing`, and each field its rule",
    )?;
    require(
        (below_ppm.is_some() || give_up_us.is_some()) == told.is_some(),
        "`sharing` must be absent without rule `start-below` or `give-up`",
    )?;
    require(give_up_us.is_none_or(|age_us| age_us > 0), "`give_up_us` must be at least 1")?;
    require(below_ppm.is_none_or(|ppm| ppm > 0), "`start_below_ppm` must be at least 1")?;
    check_start_unit(form, told.and_then(|told| told.start_unit()), below_ppm.is_some())
}

fn check_start_unit(form: &policy::Ladder<'_>, unit: Option<i64>, is_limited: bool) -> Result<()> {
    require(
        unit.is_some() == is_limited,
        "`start_unit` and `start_below_ppm` must both be present or both be absent",
    )?;
    let Some(unit) = unit else { return Ok(()) };
    require(
        super::meaning::is_unit(form, unit),
        "`start_unit` must be the number of a cost unit, counted from 0",
    )?;
    require(
        form.rows().iter().all(|row| row.admission() == AdmissionKind::AT_ONCE),
        "`admission` of every row must be `at-once` with rule `start-below`",
    )
}
