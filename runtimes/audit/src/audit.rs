//! An audit of one policy: the file, its inputs, then the claims of its kind.

use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::artifact::Artifact;
use crate::claims::Claims;
use crate::profile::Profile;
use crate::seal::check_seal;
use crate::{
    budget_table, budgets, inputs, interval_table, judged, plan_claims, shares, tail_table,
    thresholds,
};

/// What a policy is compared with.
#[derive(Default)]
pub struct Given<'a> {
    /// The design sample or trace as CSV.
    pub design: Option<&'a str>,
    pub spec_digest: Option<&'a str>,
    /// The bytes of the `.tailc` file.
    pub sealed: Option<&'a [u8]>,
}

impl Given<'_> {
    fn design(&self) -> Result<&str, String> {
        self.design.ok_or_else(|| "give the design sample with --design".into())
    }
}

/// Claims about the text of a policy. What is missing or unknown is a claim that was not checked.
pub fn audit(policy: &str, given: &Given<'_>) -> Claims {
    let mut claims = Claims::default();
    // Arithmetic is checked: a number that is too large ends the audit here.
    let result = catch_unwind(AssertUnwindSafe(|| check(policy, given, &mut claims)));
    match result {
        Ok(Ok(())) => {}
        Ok(Err(why)) => claims.cannot_check(format!("more: {why}")),
        Err(_) => {
            claims.cannot_check("more: a number is too large for the arithmetic of this program")
        }
    }
    claims
}

fn check(policy: &str, given: &Given<'_>, claims: &mut Claims) -> Result<(), String> {
    let artifact = Artifact::open(policy, claims)?;
    if let Some(digest) = given.spec_digest {
        inputs::check_spec(&artifact, digest, claims)?;
    }
    if let Some(file) = given.sealed {
        check_seal(file, artifact.policy.text("policy_digest")?, claims);
    }
    let kind = artifact.policy.text("kind")?;
    let checked: &[&str] = match kind {
        "few-to-many" | "joint-ladder" | "elfen" => &["ladder"],
        "slow-to-fast" => &["ladder", "controller"],
        "rubik" => &["tail-table", "controller"],
        "autopro" => &["shares"],
        "green-sla" | "greenpar" => &["plan"],
        "llm-batching" => &["budget-table"],
        other => return Err(format!("policies of the kind `{other}` are not checked")),
    };
    artifact.check_forms(checked, claims)?;
    match artifact.evidence()?.member("estimates") {
        Some(estimates) if kind != "few-to-many" => {
            judged::check_stated(&artifact, estimates, claims)?;
        }
        _ => {}
    }
    let check_requests = match kind {
        "few-to-many" | "joint-ladder" => interval_table::check,
        "slow-to-fast" => thresholds::check,
        "rubik" => tail_table::check,
        "elfen" => budgets::check,
        "autopro" => return shares::check(&artifact, given.design()?, claims),
        "llm-batching" => return budget_table::check(&artifact, claims),
        _ => return plan_claims::check(&artifact, claims),
    };
    let profile =
        Profile::parse(given.design()?).map_err(|why| format!("the design sample: {why}"))?;
    inputs::check_design(&artifact, &profile, claims)?;
    check_requests(&artifact, &profile, claims)
}
