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

fn check_budgets(artifact: &Artifact, ladder: &Ladder, claims: &mut Claims) -> Result<(), String> {
    let target_us = artifact.required_setting("target_us")?;
    let interference_ppm = artifact.required_setting("interference_ppm")?;
    let percentile = artifact.required_setting("percentile_ppm")?;
    let slo = artifact.policy.list("slos")?.first().ok_or("the policy has no SLO")?;
    claims.equal("percentile_ppm", "the evidence", percentile, slo.number("percentile_ppm")?);
    let rates = artifact.policy.numbers("rates_mrps")?;
    let rows = artifact.evidence()?.list("rows")?;
    claims.equal("number of rates", "the evidence", rows.len() as i128, rates.len() as i128);
    let is_by_core = artifact.form("ladder")?.list("rules")?.contains(&text("busy-period-age"));
    let cores = ladder.capacity_ppm.iter().flatten().sum::<i128>() / PPM;
    let mut next_load = 0;
    for (number, (rate, row)) in rates.iter().zip(rows).enumerate() {
        let place = format!("{rate} mrps");
        claims.equal("load", &place, row.number("load")?, *rate);
        let setting =
            |what: &str| artifact.required_setting(&format!("rate_{}_{what}", number + 1));
        let (alone_us, budget_us) = (setting("alone_us")?, setting("budget_us")?);
        claims.equal("budget_us", &place, budget_us, target_us - alone_us);
        let tail_us = row.number("tail_us")?;
        let delay_ppm = if is_by_core && cores > 1 { PPM } else { interference_ppm };
        let most = (alone_us + 1) * MICRO + part_of(budget_us * delay_ppm, PPM, MICRO);
        claims.at_most("tail_us", &place, tail_us, most);
        let table_row = ladder.row_at(*rate);
        claims.equal("last_load", &place, table_row.last_load.unwrap_or(-1), *rate);
        claims.equal("first_load", &place, table_row.first_load, next_load);
        next_load = rate + 1;
        // Ages over a busy period are read up to a microsecond late.
        check_climb(table_row, budget_us - i128::from(is_by_core), &place, claims);
    }
    let last = &ladder.rows[ladder.rows.len() - 1];
    claims.equal("first_load", "the last row", last.first_load, next_load);
    check_climb(last, artifact.required_setting("release_us")?, "the last row", claims);
    Ok(())
}

fn check_climb(row: &Row, age_us: i128, place: &str, claims: &mut Claims) {
    let is_right = row.admission == Admission::AtOnce && row.climbs == [(0, 0), (age_us, 1)];
    let by = format!("a request must start shared and be alone from {age_us} us");
    claims.judge("climbs", place, is_right, &by);
}

fn text(word: &str) -> crate::json::Json {
    crate::json::Json::Text(word.into())
}
