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
    require(is_law, "the law is not known here")?;
    require(0 <= form.pole_ppm() && form.pole_ppm() < PPM, "a pole lies from 0 to 1")?;
    let times = [form.window_us(), form.estimate_us(), form.step_us(), form.enforce_us()];
    require(times.iter().all(|time_us| *time_us > 0), "times are positive")?;
    require(form.step_us() % form.estimate_us() == 0, "a step is a whole number of estimates")?;
    require(
        form.step_us() / form.estimate_us() <= LARGEST_LAG,
        "a step is a million estimates at most",
    )?;
    require((1..=PPM).contains(&form.forgetting_ppm()), "forgetting lies between 0 and 1")?;
    require(
        (1..=LARGEST_COVARIANCE).contains(&form.first_covariance()),
        "a first covariance is positive and at most a million",
    )?;
    require(form.least_b_ppm() > 0, "the least b is positive")?;
    require((1..=PPM).contains(&form.host_ppm()), "a host gives no more than itself")?;
    require(form.shortage_steps() > 0, "a shortage lasts a step at least")?;
    require(form.tolerance_ppm() > 0, "no throughput is exactly on its target")?;
    let served = check_machines(form)?;
    require(served > 0, "a host needs a machine with a target")?;
    require(
        0 <= form.least_ppm() && form.least_ppm() <= form.host_ppm() / served,
        "the least shares are more than the host",
    )?;
    form.cap().map_or(Ok(()), check_cap)
}

fn check_cap(cap: policy::ShareCap<'_>) -> Result<()> {
    const MOST_STEPS: i64 = 1_000_000;
    const LARGEST_HEADROOM_PPM: i64 = 10 * PPM;
    let is_number = |steps: i64| (1..=MOST_STEPS).contains(&steps);
    require(
        is_number(cap.steps()) && is_number(cap.probe_steps()),
        "a cap is decided on one step at least, and on a million at most",
    )?;
    require(
        (1..=LARGEST_HEADROOM_PPM).contains(&cap.headroom_ppm()),
        "the headroom of a cap is above 0 and at most ten times the share",
    )
}

/// How many machines are served.
fn check_machines(form: &policy::Shares<'_>) -> Result<i64> {
    let mut served = 0;
    let mut names = BTreeSet::new();
    for machine in form.machines() {
        require(!machine.name().is_empty(), "a machine needs a name")?;
        require(names.insert(machine.name()), "two machines have one name")?;
        let target = machine.target_milli();
        require(target.is_none_or(|milli| milli > 0), "a target is positive")?;
        let is_stable = -PPM < machine.first_a_ppm() && machine.first_a_ppm() < PPM;
        require(is_stable, "a model with |a| >= 1 is not stable")?;
        require(machine.first_b_milli() > 0, "more share gives more throughput")?;
        served += i64::from(target.is_some());
    }
    Ok(served)
}
