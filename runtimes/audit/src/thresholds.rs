//! Claims of slow-to-fast policies by formula: energy, tail and bound of the climb ages.
//!
//! Each request has a core of every type when it wants one, the problem at low load. Speeds and
//! powers are whole millionths, demands whole nanoseconds and ages whole microseconds, so work is a
//! whole number of millionths of a nanosecond, and energy is right to 2^-20 of its smallest unit.

use crate::artifact::Artifact;
use crate::claims::{Claims, MICRO};
use crate::dual::{Objective, Problem, Slivers};
use crate::execution::Execution;
use crate::inputs::percentile_rank;
use crate::json::Json;
use crate::ladder::{Admission, Ladder, FS_PER_US};
use crate::part::part_of;
use crate::profile::Profile;
use crate::rank_limits::rank_limits;
use crate::row_limits::check_limits;

const PPM: i128 = 1_000_000;
const FS_PER_MICRO_US: i128 = 1_000;
const NS_PER_US: i128 = 1_000;
const NS_PER_FS: i128 = 1_000_000;
/// Parts of the smallest unit of energy.
const FINE_BITS: u32 = 20;
/// What a search of multipliers in floating point may lose, in parts of the bound.
const SEARCH_LOSS: i128 = 1_000_000_000_000;

pub fn check(artifact: &Artifact, profile: &Profile, claims: &mut Claims) -> Result<(), String> {
    let evidence = artifact.evidence()?;
    let proof = evidence.text("proof")?;
    if proof != "dual-bound" {
        claims.cannot_check(format!(
            "the ages: their proof is `{proof}`; only ages with the proof `dual-bound` are checked"
        ));
        return Ok(());
    }
    artifact.check_ladder(&[], claims)?;
    let ladder = Ladder::of(artifact.form("ladder")?)?;
    let disorder = ladder.disorder();
    claims.judge("order", "the table", disorder.is_none(), &disorder.unwrap_or_default());
    if claims.verdict() == crate::claims::Verdict::Refuted {
        return Ok(());
    }
    let [row] = evidence.list("rows")? else {
        return Err("the evidence of ages has one row".into());
    };
    check_table(artifact, &ladder, claims)?;
    check_row(artifact, &ladder, &profile.in_whole_units(), row, claims)?;
    if artifact.policy.list("forms")?.len() > 1 {
        claims.cannot_check(
            "the controller: its plant was identified from replays, which are not repeated",
        );
    }
    Ok(())
}

fn check_table(artifact: &Artifact, ladder: &Ladder, claims: &mut Claims) -> Result<(), String> {
    claims.equal("rows", "the table", ladder.rows.len() as i128, 1);
    let row = &ladder.rows[0];
    claims.equal("first_load", "the row", row.first_load, 1);
    claims.judge("admission", "the row", row.admission == Admission::AtOnce, "requests must start");
    let rungs = artifact.required_setting("rungs")?;
    claims.equal("rungs", "the evidence", rungs, ladder.rungs.len() as i128);
    let cores: i128 = ladder.capacity_ppm.iter().flatten().sum();
    claims.equal("max_load", "the guard", ladder.guard.max_load, cores / PPM);
    claims.equal("min_load", "the guard", ladder.guard.min_load, 1);
    let percentile = artifact.required_setting("percentile_ppm")?;
    let first = artifact.policy.list("slos")?.first().ok_or("the policy has no SLO")?;
    claims.equal("percentile_ppm", "the evidence", percentile, first.number("percentile_ppm")?);
    let target_us = artifact.required_setting("target_us")?;
    claims.at_most("target_us", "the SLO", target_us, first.number("latency_us")? * MICRO);
    if let Ok(controller) = artifact.form("controller") {
        let place = "the controller";
        claims.equal("percentile_ppm", place, controller.number("percentile_ppm")?, percentile);
    }
    Ok(())
}

fn check_row(
    artifact: &Artifact,
    ladder: &Ladder,
    profile: &Profile,
    claimed: &Json,
    claims: &mut Claims,
) -> Result<(), String> {
    let place = "the row";
    let unit = ladder.capacity_ppm.iter().position(Option::is_none);
    let powers_ppm = ladder.costs_ppm(unit.ok_or("the ladder has no unit of power")?);
    let percentile_ppm = artifact.required_setting("percentile_ppm")?;
    let total = profile.total_weight();
    let rank = percentile_rank(percentile_ppm, total);
    let stays = ladder.stays(&ladder.rows[0].climbs, 0);
    let execution = Execution::of(profile, &stays);
    let micro = |fs: i128| fs / FS_PER_MICRO_US;
    let energy = energy_micro(profile, &stays, &powers_ppm);
    claims.equal("load", place, claimed.number("load")?, 1);
    claims.rounded_up("objective_us", place, claimed.number("objective_us")?, energy);
    let tail_us = claimed.number("tail_us")?;
    claims.rounded_up("tail_us", place, tail_us, micro(execution.time_at(rank)));
    let mean_us = claimed.number("mean_us")?;
    claims.rounded("mean_us", place, mean_us, micro(execution.mean_fs()));
    claims.rounded("cost_time_us", place, claimed.number("cost_time_us")?, energy / PPM);
    let total_cost = energy / mean_us.max(1);
    claims.rounded("total_cost_ppm", place, claimed.number("total_cost_ppm")?, total_cost);
    let limits = rank_limits(percentile_ppm, total);
    check_limits(claimed, place, &limits, total, |rank| micro(execution.time_at(rank)), claims)?;
    let target_us = artifact.required_setting("target_us")?;
    claims.at_most("target", place, tail_us, target_us * MICRO);
    let slivers = Slivers::of(profile, ladder.rungs.len(), rank)
        .ok_or("the bound of ages is not checked if requests have their own speed-ups")?;
    let objective = Objective::CostWithin(target_us * FS_PER_US);
    let bound = slivers.bound(&Problem { cost_ppm: powers_ppm, budget: None, objective });
    let bound = bound / FS_PER_MICRO_US;
    claims.at_most("bound_us", place, claimed.number("bound_us")?, bound + bound / SEARCH_LOSS);
    for (rung, stated) in ladder.rungs.iter().enumerate() {
        let speed = profile.mean_speed_micro_ppm(rung);
        claims.rounded("speed_ppm", &format!("rung {rung}"), stated.speed_ppm, speed);
    }
    Ok(())
}

/// Mean energy of a request in millionths of a millionth of the unit of power times us.
fn energy_micro(profile: &Profile, stays: &[Option<i128>], powers_ppm: &[i128]) -> i128 {
    let mut energy = 0;
    for request in &profile.requests {
        let weight = i128::from(request.weight);
        // Millionths of a nanosecond of work.
        let mut left = i128::from(request.demand_ns) * PPM;
        let speed = |rung: usize| i128::from(request.speeds_ppm[rung]);
        let mut rung = 0;
        while let Some(Some(stay)) = stays.get(rung) {
            let stay_ns = stay / NS_PER_FS;
            if stay_ns * speed(rung) >= left {
                break;
            }
            left -= stay_ns * speed(rung);
            energy += (weight * stay_ns * powers_ppm[rung]) << FINE_BITS;
            rung += 1;
        }
        energy += ((weight * left * powers_ppm[rung]) << FINE_BITS) / speed(rung);
    }
    part_of(energy >> FINE_BITS, profile.total_weight() * NS_PER_US, MICRO)
}
