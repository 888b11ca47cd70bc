//! A ladder that contradicts itself is refused, and one with a rule that is unknown to this version.

use super::overload::check_overload;
use super::setting::check_setting;
use super::sharing::check_sharing;
use super::Rule;
use crate::error::{refused, require, Refusal, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::{AdmissionKind, LoadAxis, Outside};
use crate::numbers::PPM;

pub(crate) fn check_ladder(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let is_axis = matches!(form.load_axis(), LoadAxis::IN_SYSTEM | LoadAxis::RATE);
    require(is_axis, "unknown value of `load_axis`")?;
    let guard = form.guard();
    let is_guard = matches!(guard.outside(), Outside::CLAMP | Outside::FIRST_RUNG);
    require(is_guard, "unknown value of `guard.outside`")?;
    require(
        rules.windows(2).all(|pair| pair[0].name() < pair[1].name()),
        "`rules` must be in ascending order without duplicates",
    )?;
    require(
        !rules.contains(&Rule::AgeFromArrival) || !rules.contains(&Rule::BusyPeriodAge),
        "rules `age-from-arrival` and `busy-period-age` exclude each other",
    )?;
    require(form.quantum_us() > 0, "`quantum_us` must be at least 1")?;
    require(
        !form.rungs().is_empty() && !form.rows().is_empty(),
        "`rungs` and `rows` must not be empty",
    )?;
    require(
        0 <= guard.min_load() && guard.min_load() <= guard.max_load(),
        "`guard` must have 0 <= `min_load` <= `max_load`",
    )?;
    check_rows(form)?;
    check_rungs(form)?;
    check_boost(form, rules)?;
    check_overload(form, rules)?;
    check_sharing(form, rules)?;
    check_cores(form, rules)
}

/// Refuses ages that a controller cannot scale.
pub(crate) fn check_scaled(form: &policy::Ladder<'_>) -> Result<()> {
    const LARGEST_AGE_US: u64 = 1 << 43;
    require(
        form.climbs().iter().all(|climb| climb.age_us() <= LARGEST_AGE_US),
        "`age_us` of a climb must be at most 2^43 with a controller",
    )
}

fn check_rows(form: &policy::Ladder<'_>) -> Result<()> {
    let mut before = None;
    for row in form.rows() {
        require(
            before.is_none_or(|first| first < row.first_load()),
            "`first_load` must increase from row to row",
        )?;
        before = Some(row.first_load());
        check_row(form, row)?;
    }
    Ok(())
}

fn check_row(form: &policy::Ladder<'_>, row: &policy::Row) -> Result<()> {
    let delays = row.admission() == AdmissionKind::DELAY;
    require(
        delays || matches!(row.admission(), AdmissionKind::AT_ONCE | AdmissionKind::ON_EXIT),
        "unknown value of `admission`",
    )?;
    require(
        delays == (row.delay_us() > 0),
        "`delay_us` must be at least 1 for admission `delay`, and otherwise 0",
    )?;
    let mut before: Option<&policy::Climb> = None;
    for climb in climbs_of(form, row) {
        let (age_us, rung) = before.map_or((None, None), |b| (Some(b.age_us()), Some(b.rung())));
        require(
            before.is_some() || climb.age_us() == 0,
            "`age_us` of the first climb of a row must be 0",
        )?;
        require(age_us < Some(climb.age_us()), "`age_us` must increase from climb to climb")?;
        require(rung < Some(climb.rung()), "`rung` must increase from climb to climb")?;
        before = Some(climb);
    }
    let last = before.map(|climb| climb.rung() as usize);
    require(last.is_some(), "`age_us` of the first climb of a row must be 0")?;
    require(
        last < Some(form.rungs().len()),
        "`rung` of a climb must be the number of a rung, counted from 0",
    )
}

/// The climbs of a row, whose structure has been checked.
pub(crate) fn climbs_of<'a>(
    form: &policy::Ladder<'a>,
    row: &policy::Row,
) -> impl Iterator<Item = &'a policy::Climb> {
    let climbs = form.climbs();
    let first = row.first_climb() as usize;
    (first..first + row.climb_count() as usize).map(move |at| climbs.get(at))
}

fn check_rungs(form: &policy::Ladder<'_>) -> Result<()> {
    for rung in form.rungs() {
        require(
            rung.cost_ppm().len() == form.cost_units().len(),
            "`cost_ppm` of a rung must have an entry for each cost unit",
        )?;
        check_setting(&rung)?;
    }
    Ok(())
}

fn check_boost(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let boost = form.boost();
    require(
        rules.contains(&Rule::BoostLastRung) == boost.is_some(),
        "`boost` must be present with rule `boost-last-rung`, and otherwise absent",
    )?;
    let Some(boost) = boost else { return Ok(()) };
    require(
        is_unit(form, boost.unit()),
        "`boost.unit` must be the number of a cost unit, counted from 0",
    )?;
    require(boost.below_ppm() > 0, "`boost.below_ppm` must be at least 1")
}

pub(crate) fn is_unit(form: &policy::Ladder<'_>, number: i64) -> bool {
    usize::try_from(number).is_ok_and(|unit| unit < form.cost_units().len())
}

/// The cost unit of the rung's core: the only one with a capacity in which it costs, one whole core.
pub(crate) fn core_unit_of(form: &policy::Ladder<'_>, rung: &policy::Rung<'_>) -> Result<usize> {
    let costs = form.cost_units().iter().zip(rung.cost_ppm()).enumerate();
    let mut cores = costs.filter(|(_, (unit, cost))| unit.capacity_ppm().is_some() && *cost != 0);
    match (cores.next(), cores.next()) {
        (Some((unit, (_, PPM))), None) => Ok(unit),
        _ => Err(refused(
            Refusal::BadMeaning,
            "`cost_ppm` of a rung must be 1,000,000 for one type of core and 0 for the others",
        )),
    }
}

fn check_cores(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let takes_over = rules.contains(&Rule::BusyPeriodAge) || rules.contains(&Rule::WaitedStartLast);
    if !rules.contains(&Rule::CorePerRequest) {
        return check_no_cores(form, rules, takes_over);
    }
    check_power(form)?;
    require(
        form.boost().is_none(),
        "rules `boost-last-rung` and `core-per-request` exclude each other",
    )?;
    require(form.sharing().is_none(), "`sharing` must be absent with rule `core-per-request`")?;
    let mut first = None;
    for rung in form.rungs() {
        let unit = core_unit_of(form, &rung)?;
        require(
            !takes_over || *first.get_or_insert(unit) == unit,
            "rules `busy-period-age` and `waited-start-last` need rungs on one type of core",
        )?;
    }
    Ok(())
}

fn check_no_cores(form: &policy::Ladder<'_>, rules: &[Rule], takes_over: bool) -> Result<()> {
    require(!rules.contains(&Rule::MakeRoom), "rule `make-room` needs rule `core-per-request`")?;
    require(
        !takes_over,
        "rules `busy-period-age` and `waited-start-last` need rule `core-per-request`",
    )?;
    require(form.power().is_none(), "`power` must be absent without rule `core-per-request`")?;
    require(
        form.rungs().iter().all(|rung| rung.move_us().is_none()),
        "`move_us` must be absent without rule `core-per-request`",
    )
}

fn check_power(form: &policy::Ladder<'_>) -> Result<()> {
    let Some(power) = form.power() else {
        return Err(refused(
            Refusal::BadMeaning,
            "`power` must be present with rule `core-per-request`",
        ));
    };
    let units = form.cost_units();
    require(
        power.idle_ppm().len() == units.len(),
        "`idle_ppm` must have an entry for each cost unit",
    )?;
    require(
        is_unit(form, power.unit()),
        "`power.unit` must be the number of a cost unit, counted from 0",
    )?;
    let unit = units.get(power.unit() as usize);
    require(
        unit.capacity_ppm().is_none(),
        "`power.unit` must be a cost unit without `capacity_ppm`",
    )?;
    for (unit, idle_ppm) in units.iter().zip(power.idle_ppm()) {
        let limit = unit.capacity_ppm();
        require(
            limit.is_none_or(|ppm| ppm > 0 && ppm % PPM == 0),
            "`capacity_ppm` must be a multiple of 1,000,000 (whole cores)",
        )?;
        require(
            idle_ppm == 0 || (idle_ppm > 0 && limit.is_some()),
            "`idle_ppm` must be 0 or more, and 0 for a cost unit without `capacity_ppm`",
        )?;
    }
    Ok(())
}
