//! Claims of autopro policies: the model of each machine, what it needs, and a stable loop.
//!
//! The model y(k+1) = a y(k) + b r(k) is the least squares fit of throughput to the throughput a step
//! before and the share since. With the pole p, the law closes the loop with the characteristic
//! polynomial (z - a)(z - p), whose roots must lie inside the unit circle.

use crate::artifact::Artifact;
use crate::claims::{Claims, MICRO};
use crate::inputs::check_input;
use crate::json::Json;
use crate::part::part_of;
use crate::throughput::{Series, ThroughputTrace};

const PPM: i128 = 1_000_000;
const MILLI: f64 = 1e3;
/// Nearly constant shares have other first models.
const CONSTANT_POLE_PPM: i128 = 999_000;
/// A step is a whole number of rows up to this part of a step.
const MOST_DRIFT: f64 = 0.01;

pub fn check(artifact: &Artifact, design: &str, claims: &mut Claims) -> Result<(), String> {
    let reading = artifact.policy.member("reading").ok_or("the policy has no reading")?;
    let trace = ThroughputTrace::parse(design, reading)?;
    let rows = trace.rows();
    check_input(artifact, &trace.digest(), rows, rows, claims)?;
    let form = artifact.form("shares")?;
    let step_us = form.number("step_us")?;
    claims.equal("step_us", "the evidence", artifact.required_setting("step_us")?, step_us);
    let pole_ppm = form.number("pole_ppm")?;
    if pole_ppm == CONSTANT_POLE_PPM {
        claims
            .cannot_check("the first models of nearly constant shares, which replays have chosen");
        return Ok(());
    }
    let mut number = 0;
    for machine in form.list("machines")? {
        if machine.member("target_milli").is_none() {
            continue;
        }
        number += 1;
        let series = trace.series.get(machine.text("name")?);
        let series = series.ok_or("the trace does not have every machine with a target")?;
        check_model(artifact, machine, number, series, step_us, claims)?;
        check_loop(machine, pole_ppm, claims)?;
        check_needs(artifact, machine, number, form.number("host_ppm")?, claims)?;
    }
    let next = format!("machine_{}_needs_ppm", number + 1);
    let by = format!("`{next}` is claimed, but {number} machines have a target");
    claims.judge("machines", "the evidence", artifact.setting(&next)?.is_none(), &by);
    Ok(())
}

fn check_model(
    artifact: &Artifact,
    machine: &Json,
    number: usize,
    series: &Series,
    step_us: i128,
    claims: &mut Claims,
) -> Result<(), String> {
    let place = machine.text("name")?.to_string();
    let Some((a, b, error)) = fit(series, step_us as f64) else {
        claims.cannot_check(format!("the model of `{place}`: rows do not divide a step"));
        return Ok(());
    };
    let micro = |value: f64| (value * MICRO as f64).round() as i128;
    let a_ppm = machine.number("first_a_ppm")?;
    claims.rounded("first_a_ppm", &place, a_ppm, micro(a * 1e6));
    claims.rounded("first_b_milli", &place, machine.number("first_b_milli")?, micro(b * MILLI));
    let stated = artifact.required_setting(&format!("machine_{number}_error_ppm"))?;
    claims.rounded("error_ppm", &place, stated, micro(error * 1e6));
    Ok(())
}

/// a, b, and the root mean square error of a step relative to the mean throughput.
fn fit(series: &Series, step_us: f64) -> Option<(f64, f64, f64)> {
    let mut gaps: Vec<i64> = series.time_us.windows(2).map(|two| two[1] - two[0]).collect();
    gaps.sort_unstable();
    let middle = gaps.len().checked_sub(1)?;
    let interval = ((gaps[middle / 2] + gaps[middle.div_ceil(2)]) / 2) as f64;
    let lag = (step_us / interval).round();
    if lag < 1.0 || (lag * interval - step_us).abs() > MOST_DRIFT * step_us {
        return None;
    }
    let lag = lag as usize;
    let y = series.throughput.get(lag..)?;
    let x = &series.throughput[..y.len()];
    let mean = |k: usize| series.share[k + 1..=k + lag].iter().sum::<f64>() / lag as f64;
    let u: Vec<f64> = (0..y.len()).map(mean).collect();
    let dot =
        |left: &[f64], right: &[f64]| -> f64 { left.iter().zip(right).map(|(l, r)| l * r).sum() };
    let (xx, xu, uu, xy, uy) = (dot(x, x), dot(x, &u), dot(&u, &u), dot(x, y), dot(&u, y));
    let determinant = xx * uu - xu * xu;
    let a = (uu * xy - xu * uy) / determinant;
    let b = (xx * uy - xu * xy) / determinant;
    let left: Vec<f64> = (0..y.len()).map(|k| y[k] - (a * x[k] + b * u[k])).collect();
    let count = y.len() as f64;
    Some((a, b, (dot(&left, &left) / count).sqrt() / (y.iter().sum::<f64>() / count)))
}

/// Jury's conditions of (z - a)(z - p), in whole numbers.
fn check_loop(machine: &Json, pole_ppm: i128, claims: &mut Claims) -> Result<(), String> {
    let (a, p) = (machine.number("first_a_ppm")?, pole_ppm);
    let product = a * p;
    let square = PPM * PPM;
    let is_stable = product.abs() < square
        && (a + p) * PPM < square + product
        && -(a + p) * PPM < square + product
        && machine.number("first_b_milli")? > 0;
    let by = format!("the loop with a = {a} and p = {p} millionths is not");
    claims.judge("stability", machine.text("name")?, is_stable, &by);
    Ok(())
}

fn check_needs(
    artifact: &Artifact,
    machine: &Json,
    number: usize,
    host_ppm: i128,
    claims: &mut Claims,
) -> Result<(), String> {
    let place = machine.text("name")?;
    let (a, b) = (machine.number("first_a_ppm")?, machine.number("first_b_milli")?);
    let setting = |name: &str| artifact.required_setting(&format!("machine_{number}_{name}"));
    let target_milli = machine.number("target_milli")?;
    claims.at_most("target_milli", place, target_milli, setting("most_milli")? * MICRO);
    let needs = part_of(target_milli * (PPM - a), b.max(1), MICRO);
    claims.rounded_up("needs_ppm", place, setting("needs_ppm")?, needs);
    let most = part_of(b * host_ppm, (PPM - a).max(1), MICRO);
    claims.rounded("most_milli", place, setting("most_milli")?, most);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::fit;
    use crate::throughput::Series;

    #[test]
    fn a_machine_without_noise_is_found_exactly() {
        let share = vec![0.5, 0.2, 0.8, 0.4, 0.6, 0.1];
        let mut throughput: Vec<f64> = vec![10.0];
        for k in 1..share.len() {
            throughput.push(0.25 * throughput[k - 1] + 40.0 * share[k]);
        }
        let series = Series { time_us: (0..6).map(|k| k * 1_000).collect(), throughput, share };
        let (a, b, error) = fit(&series, 1_000.0).unwrap();
        assert!((a - 0.25).abs() < 1e-12 && (b - 40.0).abs() < 1e-10 && error < 1e-12);
        assert!(fit(&series, 1_400.0).is_none());
    }
}
