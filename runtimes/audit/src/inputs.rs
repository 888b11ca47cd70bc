//! Claims about the inputs of a policy: digests, numbers of requests, the summary of demand.

use crate::artifact::Artifact;
use crate::claims::Claims;
use crate::json::Json;
use crate::profile::Profile;

const PPM: i128 = 1_000_000;
/// Probability 0, every percent, then 99.5 %, 99.9 % and 100 %, in millionths.
const MORE_QUANTILES_PPM: [i128; 3] = [995_000, 999_000, PPM];

pub fn check_design(
    artifact: &Artifact,
    profile: &Profile,
    claims: &mut Claims,
) -> Result<(), String> {
    let inputs = artifact.policy.list("inputs")?;
    let is_design = |input: &&Json| input.text("role") == Ok("design");
    let design = inputs.iter().find(is_design).ok_or("the policy has no design input")?;
    let digest = profile.digest();
    let stated = design.text("digest")?;
    let by = format!("{stated} is claimed, the given profile has {digest}");
    claims.judge("digest", "the design input", stated == digest, &by);
    let rows = profile.requests.len() as i128;
    claims.equal("rows", "the design input", design.number("rows")?, rows);
    let requests = profile.total_weight();
    claims.equal("requests", "the design input", design.number("requests")?, requests);
    if let Some(summary) = design.member("demand") {
        check_summary(summary, profile, claims)?;
    }
    Ok(())
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
