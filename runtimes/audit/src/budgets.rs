//! Claims of elfen policies with budgets: each is what the target leaves, and the table has it.
//!
//! A request that shares its core for a budget B is delayed by at most s B under `fixed`, and under
//! `safe` on one core, with s the interference; on several cores by at most B.

use crate::artifact::Artifact;
use crate::claims::{Claims, MICRO};
use crate::ladder::{Admission, Ladder, Row};
use crate::part::part_of;
use crate::profile::Profile;

const PPM: i128 = 1_000_000;

pub fn check(artifact: &Artifact, _profile: &Profile, claims: &mut Claims) -> Result<(), String> {
    let method = artifact.evidence()?.text("method")?;
    if method != "headroom" {
        claims.cannot_check(format!(
            "the budgets: their method is `{method}`; only budgets that a target leaves are checked"
        ));
        return Ok(());
    }
    let ladder = Ladder::of(artifact.form("ladder")?)?;
    if let Some(disorder) = ladder.disorder() {
        claims.judge("order", "the table", false, &disorder);
        return Ok(());
    }
    check_rungs(artifact, &ladder, claims)?;
    check_budgets(artifact, &ladder, claims)?;
    claims.cannot_check(
        "the tails and the batch work of each rate: they are from replays, which are not repeated",
    );
    Ok(())
}

fn check_rungs(artifact: &Artifact, ladder: &Ladder, claims: &mut Claims) -> Result<(), String> {
    let interference_ppm = artifact.required_setting("interference_ppm")?;
    let slowdown_ppm = artifact.required_setting("batch_slowdown_ppm")?;
    let [shared, alone] = ladder.rungs.as_slice() else {
        return Err("a ladder of lanes has two rungs".into());
    };
    claims.equal("speed_ppm", "rung 0", shared.speed_ppm, PPM - interference_ppm);
    claims.equal("speed_ppm", "rung 1", alone.speed_ppm, PPM);
    let given_up = |costs: &[i128]| costs.last().copied().unwrap_or(0);
    claims.equal("cost_ppm", "rung 0", given_up(&shared.cost_ppm), slowdown_ppm);
    claims.equal("cost_ppm", "rung 1", given_up(&alone.cost_ppm), PPM);
    Ok(())
}

/// Budgets of each rate, or the least of them at every rate.
fn check_budgets(artifact: &Artifact, ladder: &Ladder, claims: &mut Claims) -> Result<(), String> {
    let percentile = artifact.required_setting("percentile_ppm")?;
    let slo = artifact.policy.list("slos")?.first().ok_or("the policy has no SLO")?;
    claims.equal("percentile_ppm", "the evidence", percentile, slo.number("percentile_ppm")?);
    let target_us = artifact.required_setting("target_us")?;
    claims.at_most("target_us", "the SLO", target_us, slo.number("latency_us")? * MICRO);
    let rates = artifact.policy.numbers("rates_mrps")?;
    let rows = artifact.evidence()?.list("rows")?;
    claims.equal("number of rates", "the evidence", rows.len() as i128, rates.len() as i128);
    let of_rates = |what: &str| -> Result<Vec<i128>, String> {
        let setting = |n: usize| artifact.required_setting(&format!("rate_{n}_{what}"));
        (1..=rates.len()).map(setting).collect()
    };
    let (alone_us, budgets_us) = (of_rates("alone_us")?, of_rates("budget_us")?);
    let left_us: Vec<i128> = alone_us.iter().map(|alone| target_us - alone).collect();
    let form = artifact.form("ladder")?;
    let is_by_load = ladder.load_axis == "rate_mrps";
    let least = left_us.iter().copied().min().ok_or("the policy has no rates")?;
    for ((rate, left), stated) in rates.iter().zip(&left_us).zip(&budgets_us) {
        let right = if is_by_load { *left } else { least };
        claims.equal("budget_us", &format!("{rate} mrps"), *stated, right);
    }
    let has_rule = |word: &str| form.list("rules").is_ok_and(|rules| rules.contains(&text(word)));
    let (is_safe, is_fixed) = (has_rule("busy-period-age"), has_rule("waited-start-last"));
    if !is_safe && !is_fixed {
        claims.cannot_check("the table: policies without a bound of the delay are not checked");
        return Ok(());
    }
    // Ages over a busy period are read up to a microsecond late.
    let early_us = i128::from(is_safe);
    let cores = ladder.capacity_ppm.iter().flatten().sum::<i128>() / PPM;
    let interference_ppm = artifact.required_setting("interference_ppm")?;
    let mut next_load = if is_by_load { 0 } else { 1 };
    for (number, rate) in rates.iter().enumerate() {
        let place = format!("{rate} mrps");
        let budget_us = budgets_us[number];
        claims.equal("load", &place, rows[number].number("load")?, *rate);
        let row = if is_by_load { ladder.row_at(*rate) } else { &ladder.rows[0] };
        // Charged by harm, a budget lasts 1 / s as long.
        let by_harm_us = part_of(budget_us * PPM, interference_ppm.max(1), 1);
        let is_by_harm = climbs_at(row, by_harm_us - early_us);
        let is_whole = is_by_harm || is_safe && cores > 1;
        let delay_ppm = if is_whole { PPM } else { interference_ppm };
        let most = (alone_us[number] + 1) * MICRO + part_of(budget_us * delay_ppm, PPM, MICRO);
        claims.at_most("tail_us", &place, rows[number].number("tail_us")?, most);
        let is_right = is_by_harm || climbs_at(row, budget_us - early_us);
        let by = format!("a request must start shared and be alone after {budget_us} us");
        claims.judge("climbs", &place, is_right, &by);
        if is_by_load {
            claims.equal("first_load", &place, row.first_load, next_load);
            let is_last = number + 1 == rates.len() && row.last_load.is_none();
            claims.judge("last_load", &place, is_last || row.last_load == Some(*rate), "another");
            next_load = rate + 1;
        }
    }
    check_last(artifact, ladder, next_load, claims)
}

/// Above the last rate the last budget applies, or requests are alone as soon as they can be.
fn check_last(
    artifact: &Artifact,
    ladder: &Ladder,
    next_load: i128,
    claims: &mut Claims,
) -> Result<(), String> {
    let last = &ladder.rows[ladder.rows.len() - 1];
    if last.first_load < next_load || ladder.rows.len() == 1 {
        return Ok(());
    }
    claims.equal("first_load", "the last row", last.first_load, next_load);
    let release_us = artifact.required_setting("release_us")?;
    let by = format!("a request must be alone from {release_us} us");
    claims.judge("climbs", "the last row", climbs_at(last, release_us), &by);
    Ok(())
}

fn climbs_at(row: &Row, age_us: i128) -> bool {
    row.admission == Admission::AtOnce && row.climbs == [(0, 0), (age_us, 1)]
}

fn text(word: &str) -> crate::json::Json {
    crate::json::Json::Text(word.into())
}
