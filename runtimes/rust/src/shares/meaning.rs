//! Shares that contradict themselves are refused.

use std::collections::BTreeSet;

use crate::error::{require, Result};
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::ShareLaw;
use crate::numbers::PPM;

pub(super) fn check_shares(form: &policy::Shares<'_>) -> Result<()> {
    const LARGEST_COVARIANCE: i64 = 1_000_000;
    const LARGEST_LAG: i64 = 1_000_000;
    let is_law = matches!(form.law(), ShareLaw::POLE_PLACEMENT | ShareLaw::OBSERVER);
    require(is_law, "unknown value of `law`")?;
    require(0 <= form.pole_ppm() && form.pole_ppm() < PPM, "`pole_ppm` must be 0 to 999,999")?;
    let times = [form.window_us(), form.estimate_us(), form.step_us(), form.enforce_us()];
    require(
        times.iter().all(|time_us| *time_us > 0),
        "`window_us`, `estimate_us`, `step_us` and `enforce_us` must be at least 1",
    )?;
    require(
        form.step_us() % form.estimate_us() == 0,
        "`step_us` must be a multiple of `estimate_us`",
    )?;
    require(
        form.step_us() / form.estimate_us() <= LARGEST_LAG,
        "`step_us` must be at most 1,000,000 times `estimate_us`",
    )?;
    require((1..=PPM).contains(&form.forgetting_ppm()), "`forgetting_ppm` must be 1 to 1,000,000")?;
    require(
        (1..=LARGEST_COVARIANCE).contains(&form.first_covariance()),
        "`first_covariance` must be 1 to 1,000,000",
    )?;
    require(form.least_b_ppm() > 0, "`least_b_ppm` must be at least 1")?;
    require((1..=PPM).contains(&form.host_ppm()), "`host_ppm` must be 1 to 1,000,000")?;
    require(form.shortage_steps() > 0, "`shortage_steps` must be at least 1")?;
    require(form.tolerance_ppm() > 0, "`tolerance_ppm` must be at least 1")?;
    let served = check_machines(form)?;
    require(served > 0, "at least one machine must have `target_milli`")?;
    require(
        0 <= form.least_ppm() && form.least_ppm() <= form.host_ppm() / served,
        "`least_ppm` times the machines with `target_milli` must be 0 to `host_ppm`",
    )?;
    form.cap().map_or(Ok(()), check_cap)
}

fn check_cap(cap: policy::ShareCap<'_>) -> Result<()> {
    const MOST_STEPS: i64 = 1_000_000;
    const LARGEST_HEADROOM_PPM: i64 = 10 * PPM;
    let is_number = |steps: i64| (1..=MOST_STEPS).contains(&steps);
    require(
        is_number(cap.steps()) && is_number(cap.probe_steps()),
        "`steps` and `probe_steps` of `cap` must be 1 to 1,000,000",
    )?;
    require(
        (1..=LARGEST_HEADROOM_PPM).contains(&cap.headroom_ppm()),
        "`headroom_ppm` of `cap` must be 1 to 10,000,000",
    )
}

/// How many machines are served.
fn check_machines(form: &policy::Shares<'_>) -> Result<i64> {
    let mut served = 0;
    let mut names = BTreeSet::new();
    for machine in form.machines() {
        require(!machine.name().is_empty(), "`name` of a machine must not be empty")?;
        require(names.insert(machine.name()), "two machines have the same `name`")?;
        let target = machine.target_milli();
        require(target.is_none_or(|milli| milli > 0), "`target_milli` must be at least 1")?;
        let is_stable = -PPM < machine.first_a_ppm() && machine.first_a_ppm() < PPM;
        require(is_stable, "`first_a_ppm` must be -999,999 to 999,999")?;
        require(machine.first_b_milli() > 0, "`first_b_milli` must be at least 1")?;
        served += i64::from(target.is_some());
    }
    Ok(served)
}
