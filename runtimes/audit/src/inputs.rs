//! Claims about the inputs of a policy: digests, numbers of requests, the summary of demand.

use crate::artifact::Artifact;
use crate::claims::Claims;
use crate::json::Json;
use crate::profile::Profile;

const PPM: i128 = 1_000_000;
/// Probability 0, every percent, then 99.5 %, 99.9 % and 100 %, in millionths.
const MORE_QUANTILES_PPM: [i128; 3] = [995_000, 999_000, PPM];

/// The design sample of requests.
pub fn check_design(
    artifact: &Artifact,
    profile: &Profile,
    claims: &mut Claims,
) -> Result<(), String> {
    let rows = profile.requests.len() as i128;
    check_input(artifact, &profile.digest(), rows, profile.total_weight(), claims)?;
    match design_input(artifact)?.member("demand") {
        Some(summary) => check_summary(summary, profile, claims),
        None => Ok(()),
    }
}

/// Digest and size of the design input.
pub fn check_input(
    artifact: &Artifact,
    digest: &str,
    rows: i128,
    requests: i128,
    claims: &mut Claims,
) -> Result<(), String> {
    let design = design_input(artifact)?;
    let stated = design.text("digest")?;
    let by = format!("{stated} is claimed, the given file has {digest}");
    claims.judge("digest", "the design input", stated == digest, &by);
    claims.equal("rows", "the design input", design.number("rows")?, rows);
    claims.equal("requests", "the design input", design.number("requests")?, requests);
    Ok(())
}

fn design_input(artifact: &Artifact) -> Result<&Json, String> {
    let inputs = artifact.policy.list("inputs")?.iter();
    let mut designs = inputs.filter(|input| input.text("role") == Ok("design"));
    match (designs.next(), designs.next()) {
        (Some(design), None) => Ok(design),
        (None, _) => Err("the policy has no design input".into()),
        (Some(_), Some(_)) => Err("the policy has several design inputs, and one is given".into()),
    }
}

pub fn check_spec(artifact: &Artifact, given: &str, claims: &mut Claims) -> Result<(), String> {
    match artifact.spec_digest()? {
        Some(stated) => {
            let by = format!("{stated} is claimed, {given} is given");
            claims.judge("compiled-spec", "the evidence", stated == given, &by);
        }
        None => claims.cannot_check("the spec: the evidence has no digest `compiled-spec`"),
    }
    Ok(())
}

fn check_summary(summary: &Json, profile: &Profile, claims: &mut Claims) -> Result<(), String> {
    let place = "the demand of the design input";
    claims.equal("mean_ns", place, summary.number("mean_ns")?, profile.mean_ns());
    let claimed = summary.numbers("quantiles_ns")?;
    let ppm: Vec<i128> =
        (0..100).map(|percent| percent * PPM / 100).chain(MORE_QUANTILES_PPM).collect();
    claims.equal("number of quantiles_ns", place, claimed.len() as i128, ppm.len() as i128);
    let total = profile.total_weight();
    for (claimed, ppm) in claimed.into_iter().zip(ppm) {
        let quantile = profile.demand_ns_at(percentile_rank(ppm, total));
        claims.equal("quantiles_ns", &format!("probability {ppm} ppm"), claimed, quantile);
    }
    Ok(())
}

/// Number ceil(p total), counted from 1; the first for p = 0.
pub fn percentile_rank(ppm: i128, total: i128) -> i128 {
    ((ppm * total + PPM - 1) / PPM).max(1)
}
