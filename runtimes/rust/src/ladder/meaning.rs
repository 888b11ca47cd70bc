//! A ladder that contradicts itself is refused, and one with a rule that is unknown to this version.

use super::overload::check_overload;
use super::sharing::check_sharing;
use super::Rule;
use crate::error::{refused, require, Refusal, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::{AdmissionKind, LoadAxis, Outside};
use crate::numbers::PPM;

pub(crate) fn check_ladder(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let is_axis = matches!(form.load_axis(), LoadAxis::IN_SYSTEM | LoadAxis::RATE);
    require(is_axis, "the load axis is not known here")?;
    let guard = form.guard();
    let is_guard = matches!(guard.outside(), Outside::CLAMP | Outside::FIRST_RUNG);
    require(is_guard, "the guard is not known here")?;
    require(
        rules.windows(2).all(|pair| pair[0].name() < pair[1].name()),
        "rules must be sorted and stand once",
    )?;
    require(
        !rules.contains(&Rule::AgeFromArrival) || !rules.contains(&Rule::BusyPeriodAge),
        "ages count from arrival, or over the busy period of a core",
    )?;
    require(form.quantum_us() > 0, "the quantum must be positive")?;
    require(
        !form.rungs().is_empty() && !form.rows().is_empty(),
        "a ladder needs a rung and a row",
    )?;
    require(
        0 <= guard.min_load() && guard.min_load() <= guard.max_load(),
        "a guard's range must ascend",
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
        "a controller scales no age beyond 2^43 us",
    )
}

fn check_rows(form: &policy::Ladder<'_>) -> Result<()> {
    let mut before = None;
    for row in form.rows() {
        require(before.is_none_or(|first| first < row.first_load()), "rows must ascend")?;
        before = Some(row.first_load());
        check_row(form, row)?;
    }
    Ok(())
}

fn check_row(form: &policy::Ladder<'_>, row: &policy::Row) -> Result<()> {
    let delays = row.admission() == AdmissionKind::DELAY;
    require(
        delays || matches!(row.admission(), AdmissionKind::AT_ONCE | AdmissionKind::ON_EXIT),
        "an admission is not known here",
    )?;
    require(delays == (row.delay_us() > 0), "only a delay has a length")?;
    let mut before: Option<&policy::Climb> = None;
    for climb in climbs_of(form, row) {
        let (age_us, rung) = before.map_or((None, None), |b| (Some(b.age_us()), Some(b.rung())));
        require(before.is_some() || climb.age_us() == 0, "a row's first rung must begin at age 0")?;
        require(age_us < Some(climb.age_us()), "a row's ages must ascend")?;
        require(rung < Some(climb.rung()), "a row's rungs must ascend")?;
        before = Some(climb);
    }
    let last = before.map(|climb| climb.rung() as usize);
    require(last.is_some(), "a row's first rung must begin at age 0")?;
    require(last < Some(form.rungs().len()), "a row climbs to no rung")
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
            "every rung must state a cost in every cost unit",
        )?;
        require(
            rung.move_us().is_none_or(|move_us| move_us > 0),
            "only a move that takes time states it",
        )?;
    }
    Ok(())
}

fn check_boost(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let boost = form.boost();
    require(
        rules.contains(&Rule::BoostLastRung) == boost.is_some(),
        "the boost rule and its limit go together",
    )?;
    let Some(boost) = boost else { return Ok(()) };
    require(is_unit(form, boost.unit()), "the boost names no cost unit")?;
    require(boost.below_ppm() > 0, "a boost needs a limit")
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
        _ => Err(refused(Refusal::BadMeaning, "a rung is not one core of one kind")),
    }
}

fn check_cores(form: &policy::Ladder<'_>, rules: &[Rule]) -> Result<()> {
    let takes_over = rules.contains(&Rule::BusyPeriodAge) || rules.contains(&Rule::WaitedStartLast);
    if !rules.contains(&Rule::CorePerRequest) {
        return check_no_cores(form, rules, takes_over);
    }
    check_power(form)?;
    require(form.boost().is_none(), "a request with a core of its own needs no boost")?;
    require(form.sharing().is_none(), "a request with a core of its own shares none")?;
    let mut first = None;
    for rung in form.rungs() {
        let unit = core_unit_of(form, &rung)?;
        require(
            !takes_over || *first.get_or_insert(unit) == unit,
            "rules of taking over a core need cores of one kind",
        )?;
    }
    Ok(())
}

fn check_no_cores(form: &policy::Ladder<'_>, rules: &[Rule], takes_over: bool) -> Result<()> {
    require(!rules.contains(&Rule::MakeRoom), "only requests with a core make room")?;
    require(!takes_over, "only requests with a core take one over")?;
    require(form.power().is_none(), "power is told of rungs that are cores")?;
    require(
        form.rungs().iter().all(|rung| rung.move_us().is_none()),
        "only a move to another core takes time",
    )
}

fn check_power(form: &policy::Ladder<'_>) -> Result<()> {
    let Some(power) = form.power() else {
        return Err(refused(Refusal::BadMeaning, "a ladder of cores needs its power"));
    };
    let units = form.cost_units();
    require(power.idle_ppm().len() == units.len(), "power is told by cost unit")?;
    require(is_unit(form, power.unit()), "power names no cost unit")?;
    let unit = units.get(power.unit() as usize);
    require(unit.capacity_ppm().is_none(), "power is no capacity that requests share")?;
    for (unit, idle_ppm) in units.iter().zip(power.idle_ppm()) {
        let limit = unit.capacity_ppm();
        require(
            limit.is_none_or(|ppm| ppm > 0 && ppm % PPM == 0),
            "cores are counted in whole numbers",
        )?;
        require(idle_ppm == 0 || (idle_ppm > 0 && limit.is_some()), "only free cores draw power")?;
    }
    Ok(())
}
