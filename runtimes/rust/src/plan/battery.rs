//! Power and energy of a battery by epoch, within its limits and the energy that servers leave.

use super::data::{Battery, PlanData, PlannedJob};
use super::Servers;
use crate::error::{require, Result};
use crate::numbers::{LARGEST_WHOLE, PPM};

/// In an epoch `battery_mj` go in, below 0 come out; `stored_mj` at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Stored {
    pub battery_mj: i64,
    pub stored_mj: i64,
}

/// By epoch; none where the plan has no battery. Jobs have no server twice.
pub(super) fn stored_by_epoch(data: &PlanData, jobs: &[PlannedJob]) -> Result<Vec<Stored>> {
    require(
        data.epochs.iter().all(|epoch| epoch.battery_mj.is_some() == data.battery.is_some()),
        "`battery_mj` must be present in every epoch with a `battery`, and otherwise in none",
    )?;
    let Some(battery) = &data.battery else { return Ok(Vec::new()) };
    check_battery(data, battery)?;
    let mut stored_mj = battery.first_mj;
    let mut states = Vec::with_capacity(data.epochs.len());
    for (epoch, spare_mj) in data.epochs.iter().zip(spare_mj(data, jobs)) {
        let battery_mj = epoch.battery_mj.unwrap_or(0);
        check_flow(data, battery, battery_mj, spare_mj)?;
        let kept = kept_mj(battery, battery_mj);
        let is_held = -stored_mj <= kept && kept <= battery.capacity_mj - stored_mj;
        require(is_held, "`battery_mj` must leave the stored energy at 0 to `capacity_mj`")?;
        stored_mj += kept;
        states.push(Stored { battery_mj, stored_mj });
    }
    Ok(states)
}

fn check_battery(data: &PlanData, battery: &Battery) -> Result<()> {
    require(battery.capacity_mj > 0, "`capacity_mj` must be at least 1")?;
    let has_power = battery.charge_mw > 0 && battery.discharge_mw > 0;
    require(has_power, "`charge_mw` and `discharge_mw` must be at least 1")?;
    require((1..=PPM).contains(&battery.kept_ppm), "`kept_ppm` must be 1 to 1,000,000")?;
    let is_held = (0..=battery.capacity_mj).contains(&battery.first_mj);
    require(is_held, "`first_mj` must be 0 to `capacity_mj`")?;
    let is_whole = largest_mj(data, battery).is_some_and(|most| most <= LARGEST_WHOLE);
    require(is_whole, "the energy of an epoch must be below 2^53 mJ")
}

/// The largest energy that an epoch may use, receive, or charge to or discharge from a battery;
/// none: beyond 64 bits.
fn largest_mj(data: &PlanData, battery: &Battery) -> Option<i64> {
    let mut drawn_mj: i64 = 0;
    for pool in &data.pools {
        let busy_mj = pool.busy_mw.checked_mul(data.epoch_s)?;
        let each_mj = busy_mj.checked_add(pool.migration_mj.checked_mul(2)?)?;
        drawn_mj = drawn_mj.checked_add(each_mj.checked_mul(pool.servers)?)?;
    }
    let greenest_mw = data.epochs.iter().map(|epoch| epoch.green_mw).max()?;
    let most_mw = battery.charge_mw.max(battery.discharge_mw).max(greenest_mw);
    Some(drawn_mj.max(most_mw.checked_mul(data.epoch_s)?))
}

/// Green energy minus the energy of servers, by epoch.
fn spare_mj(data: &PlanData, jobs: &[PlannedJob]) -> Vec<i64> {
    let mut busy: Servers = vec![vec![0; data.pools.len()]; data.epochs.len()];
    let mut moved = busy.clone();
    for job in jobs {
        add_job(data, job, &mut busy, &mut moved);
    }
    let of_epoch =
        |at: usize| data.epochs[at].green_mw * data.epoch_s - drawn_mj(data, &busy[at], &moved[at]);
    (0..data.epochs.len()).map(of_epoch).collect()
}

fn add_job(data: &PlanData, job: &PlannedJob, busy: &mut Servers, moved: &mut Servers) {
    let places = places_of(data, job);
    let first = job.spans[0].first_epoch;
    for (at, row) in places.iter().enumerate() {
        add(&mut busy[first + at], row);
        // A job that starts or ends moves nothing; the first epoch has no epoch before it.
        if at > 0 && row.iter().any(|servers| *servers > 0) {
            add(&mut moved[first + at], &moves(&places[at - 1], row, data.terms.is_none()));
        }
    }
}

/// Servers of a job by epoch, from its first to its last, then by pool.
fn places_of(data: &PlanData, job: &PlannedJob) -> Servers {
    let start = job.spans[0].first_epoch;
    let end = job.spans.iter().map(|span| span.end()).max().unwrap_or(start);
    let mut places = vec![vec![0; data.pools.len()]; end - start];
    for span in &job.spans {
        for row in &mut places[span.first_epoch - start..span.end() - start] {
            row[span.pool] = span.servers;
        }
    }
    places
}

/// Servers by pool whose work moves; for a malleable job that shrinks, the servers that it
/// releases.
fn moves(before: &[i64], now: &[i64], is_malleable: bool) -> Vec<i64> {
    let more = |some: &[i64], others: &[i64]| -> Vec<i64> {
        some.iter().zip(others).map(|(one, other)| (one - other).max(0)).collect()
    };
    let (taken, given) = (more(now, before), more(before, now));
    let shrinks = given.iter().sum::<i64>() > taken.iter().sum();
    if is_malleable && shrinks {
        given
    } else {
        taken
    }
}

fn add(row: &mut [i64], more: &[i64]) {
    for (sum, one) in row.iter_mut().zip(more) {
        *sum += one;
    }
}

fn drawn_mj(data: &PlanData, busy: &[i64], moved: &[i64]) -> i64 {
    let of_pool = |(pool, (busy, moved)): (&super::Pool, (&i64, &i64))| {
        let asleep = pool.servers - busy;
        (busy * pool.busy_mw + asleep * pool.asleep_mw) * data.epoch_s + moved * pool.migration_mj
    };
    data.pools.iter().zip(busy.iter().zip(moved)).map(of_pool).sum()
}

/// Of what goes in, in two parts, since the whole product may leave 64 bits; all of what comes out.
fn kept_mj(battery: &Battery, flow_mj: i64) -> i64 {
    if flow_mj <= 0 {
        return flow_mj;
    }
    flow_mj / PPM * battery.kept_ppm + flow_mj % PPM * battery.kept_ppm / PPM
}

fn check_flow(data: &PlanData, battery: &Battery, flow_mj: i64, spare_mj: i64) -> Result<()> {
    require(
        -battery.discharge_mw * data.epoch_s <= flow_mj
            && flow_mj <= battery.charge_mw * data.epoch_s,
        "`battery_mj` must be at most `charge_mw` or `discharge_mw` times `epoch_s`",
    )?;
    require(
        spare_mj.min(0) <= flow_mj && flow_mj <= spare_mj.max(0),
        "`battery_mj` may only charge unused green energy or replace brown energy",
    )
}
