//! Claims of plans: capacities, the battery's balance, money, the promise, and the stated gap.
//!
//! The energy that servers use is green first; a battery replaces brown energy, and the rest is
//! brown. The value that was optimised and its bound need the jobs that were refused, and multipliers
//! that a policy does not state, so they are not checked.

use crate::artifact::Artifact;
use crate::claims::{Claims, MICRO};
use crate::json::Json;
use crate::part::part_of;
use crate::plan::{Battery, Plan};

const PPM: i128 = 1_000_000;
const MJ_PER_KWH: i128 = 3_600_000_000;

pub fn check(artifact: &Artifact, claims: &mut Claims) -> Result<(), String> {
    let form = artifact.form("plan")?;
    let plan = match Plan::of(form) {
        Ok(plan) => plan,
        Err(why) => {
            claims.judge("places", "the plan", false, &why);
            return Ok(());
        }
    };
    check_capacity(&plan, claims);
    if let Some(battery) = &plan.battery {
        check_battery(&plan, battery, claims);
    }
    check_gap(artifact, claims)?;
    match form.member("terms") {
        Some(terms) => check_money(artifact, form, terms, &plan, claims)?,
        None => check_cost(artifact, &plan, claims)?,
    }
    claims.cannot_check("the prices, the value and its bound: they need the jobs and multipliers");
    Ok(())
}

fn check_capacity(plan: &Plan, claims: &mut Claims) {
    let pools = plan.pools.len() as i128;
    for (epoch, state) in plan.epochs.iter().enumerate() {
        let place = format!("epoch {epoch}");
        for (number, pool) in plan.pools.iter().enumerate() {
            let busy = plan.busy(epoch, number);
            let by = format!("{busy} of {} servers of pool {number} are in use", pool.servers);
            claims.judge("capacity", &place, (0..=pool.servers).contains(&busy), &by);
        }
        let is_there = state.first_green_pool.is_none_or(|first| (0..=pools).contains(&first));
        claims.judge("first_green_pool", &place, is_there, "there is no such pool");
        let has_buses = plan.epochs[0].first_green_pool.is_some();
        let is_same = state.first_green_pool.is_some() == has_buses;
        claims.judge("buses", &place, is_same, "not the same buses as in the first epoch");
    }
    for job in &plan.jobs {
        let slots = job.slots();
        let by = format!("{} of {slots} servers and epochs are promised", job.green_slots);
        claims.judge("green_slots", &job.name, (0..=slots).contains(&job.green_slots), &by);
    }
}

fn check_battery(plan: &Plan, battery: &Battery, claims: &mut Claims) {
    let mut stored = battery.first_mj;
    for (number, epoch) in plan.epochs.iter().enumerate() {
        let place = format!("epoch {number}");
        let flow = epoch.battery_mj;
        let left = epoch.green_mw * plan.epoch_s - plan.drawn_mj(number);
        let most = left.max(0).min(battery.charge_mw * plan.epoch_s);
        let least = left.min(0).max(-battery.discharge_mw * plan.epoch_s);
        let by = format!("{flow} mJ, but {least} to {most} are possible");
        claims.judge("battery_mj", &place, (least..=most).contains(&flow), &by);
        stored += flow.max(0) * battery.kept_ppm / PPM + flow.min(0);
        let by = format!("{stored} of {} mJ are stored", battery.capacity_mj);
        claims.judge("stored energy", &place, (0..=battery.capacity_mj).contains(&stored), &by);
    }
}

/// Bought energy times its price, in millionths of a dollar times 3.6e9.
fn brown_cost(plan: &Plan) -> i128 {
    let of_epoch = |number: usize| {
        let epoch = &plan.epochs[number];
        let brown_mj = (plan.drawn_mj(number) - epoch.green_mw * plan.epoch_s).max(0);
        let used_mj = brown_mj + epoch.battery_mj.min(0);
        let is_paid = epoch.brown_udollars_per_kwh < 0;
        let bought_mj = if is_paid { plan.grid_mw * plan.epoch_s } else { 0 };
        used_mj.max(bought_mj) * epoch.brown_udollars_per_kwh
    };
    (0..plan.epochs.len()).map(of_epoch).sum()
}

fn check_gap(artifact: &Artifact, claims: &mut Claims) -> Result<(), String> {
    let (Some(bound), Some(gap)) = (artifact.setting("bound")?, artifact.setting("gap_ppm")?)
    else {
        return Ok(());
    };
    let value = artifact.required_setting("value")?;
    let is_cost = artifact.evidence()?.text("objective")? == "cost";
    let distance = if is_cost { value - bound } else { bound - value };
    claims.judge("bound", "the evidence", distance >= 0, "the plan is better than its bound");
    let right = part_of(distance.max(0) * PPM, value.abs().max(1), MICRO);
    claims.rounded_up("gap_ppm", "the evidence", gap, right);
    Ok(())
}

/// Payments for the jobs less penalties and brown energy, and the share of broken promises.
fn check_money(
    artifact: &Artifact,
    form: &Json,
    terms: &Json,
    plan: &Plan,
    claims: &mut Claims,
) -> Result<(), String> {
    let (mut income, mut broken) = (0, 0);
    for job in &plan.jobs {
        let promised = job.green_slots;
        let green: i128 = (0..plan.epochs.len())
            .flat_map(|epoch| (0..plan.pools.len()).map(move |pool| (epoch, pool)))
            .filter(|(epoch, pool)| plan.is_green(*epoch, *pool))
            .map(|(epoch, pool)| job.servers[epoch][pool])
            .sum();
        income += promised * terms.number("green_udollars")?;
        income += (job.slots() - promised) * terms.number("brown_udollars")?;
        income -= (promised - green).max(0) * terms.number("penalty_udollars")?;
        broken += i128::from(promised > green);
    }
    let profit = (income * MJ_PER_KWH - brown_cost(plan)).div_euclid(MJ_PER_KWH);
    let place = "the evidence";
    claims.equal("profit_udollars", place, artifact.required_setting("profit_udollars")?, profit);
    let jobs = plan.jobs.len() as i128;
    claims.equal("placed_jobs", place, artifact.required_setting("placed_jobs")?, jobs);
    let most_ppm = form.number("violations_ppm")?;
    if broken * PPM <= jobs * most_ppm {
        claims.judge("violations", "the plan", true, "");
    } else {
        claims.cannot_check(format!(
            "the promise: {broken} of {jobs} jobs miss their green energy, and jobs that ran before \
             are not counted if they cannot have it"
        ));
    }
    Ok(())
}

fn check_cost(artifact: &Artifact, plan: &Plan, claims: &mut Claims) -> Result<(), String> {
    let value = artifact.required_setting("value")?;
    let brown = part_of(brown_cost(plan), MJ_PER_KWH, MICRO);
    let by = format!("{value} in all, but brown energy alone costs {brown} millionths of it");
    // The value also has the run times of the jobs.
    claims.judge("value", "the evidence", value * MICRO >= brown, &by);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{brown_cost, check_battery, check_capacity};
    use crate::claims::{Claims, Verdict};
    use crate::json::Json;
    use crate::plan::Plan;

    /// One pool of two servers of 10 mW and 1 mW, two epochs of 10 s, one job on a server.
    fn plan(servers: i32, battery_mj: [i32; 2]) -> Plan {
        let epoch = |green: i32, battery: i32| {
            format!(
                "{{\"green_mw\":{green},\"brown_udollars_per_kwh\":7,\"battery_mj\":{battery}}}"
            )
        };
        let text = format!(
            "{{\"epoch_s\":10,\"pools\":[{{\"servers\":2,\"busy_mw\":10,\"asleep_mw\":1,\
             \"migration_mj\":0}}],\"epochs\":[{},{}],\"jobs\":[{{\"name\":\"j\",\"green_slots\":0,\
             \"spans\":[{{\"pool\":0,\"first_epoch\":0,\"epochs\":2,\"servers\":{servers}}}]}}],\
             \"malleable\":{{}},\"battery\":{{\"capacity_mj\":50,\"charge_mw\":5,\"discharge_mw\":4,\
             \"kept_ppm\":900000,\"first_mj\":0}}}}",
            epoch(14, battery_mj[0]),
            epoch(5, battery_mj[1])
        );
        Plan::of(&Json::parse(&text).unwrap()).unwrap()
    }

    fn verdict(plan: &Plan) -> Verdict {
        let mut claims = Claims::default();
        check_capacity(plan, &mut claims);
        check_battery(plan, plan.battery.as_ref().unwrap(), &mut claims);
        claims.verdict()
    }

    #[test]
    fn a_battery_gives_no_more_than_it_has_stored() {
        // 30 mJ are left in the first epoch, of which 27 are stored; 60 mJ are short in the second.
        assert_eq!(verdict(&plan(1, [30, -27])), Verdict::Holds);
        for flows in [[31, 0], [30, -28], [-1, 0]] {
            assert_eq!(verdict(&plan(1, flows)), Verdict::Refuted, "{flows:?}");
        }
    }

    #[test]
    fn brown_energy_is_what_green_energy_and_the_battery_leave() {
        assert_eq!(brown_cost(&plan(1, [30, -27])), (60 - 27) * 7);
    }

    #[test]
    fn a_pool_has_no_more_servers_in_use_than_it_has() {
        assert_eq!(verdict(&plan(3, [0, 0])), Verdict::Refuted);
    }
}
