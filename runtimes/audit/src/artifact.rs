//! A policy as canonical JSON, with its own digest computed again.

use crate::claims::Claims;
use crate::digest::sha256;
use crate::json::Json;

const FORMAT: &str = "tailc-policy";
const MAJOR: i128 = 1;
/// The newest minor version that this program was written for.
const MINOR: i128 = 12;
const MEMBERS: [&str; 12] = [
    "evidence",
    "format",
    "forms",
    "generation",
    "inputs",
    "kind",
    "name",
    "policy_digest",
    "rates_mrps",
    "reading",
    "schema",
    "slos",
];
const OF_EVIDENCE: [&str; 9] = [
    "estimates",
    "evaluations",
    "method",
    "objective",
    "proof",
    "rows",
    "settings",
    "solver",
    "versions",
];
const OF_LADDERS: [&str; 10] = [
    "boost",
    "cost_units",
    "form",
    "guard",
    "load_axis",
    "power",
    "quantum_us",
    "rows",
    "rules",
    "rungs",
];
const OF_ROWS: [&str; 4] = ["admission", "climbs", "first_load", "last_load"];

pub struct Artifact {
    pub policy: Json,
}

impl Artifact {
    /// Checks form and digest; fails if the text is no policy of a version that this program knows.
    pub fn open(text: &str, claims: &mut Claims) -> Result<Artifact, String> {
        let policy = Json::parse(text)?;
        if policy.text("format") != Ok(FORMAT) {
            return Err("this JSON is not a policy of tailc: `format` is another".into());
        }
        let schema = policy.member("schema").ok_or("the policy has no `schema`")?;
        if schema.number("major")? != MAJOR {
            return Err("the policy has a major version that this program does not know".into());
        }
        let minor = schema.number("minor")?;
        if minor > MINOR {
            claims.cannot_check(format!(
                "what minor version {minor} of the schema added: this program knows {MINOR}"
            ));
        }
        check_members("the policy", &policy, &MEMBERS, claims);
        if let Some(evidence) = policy.member("evidence") {
            check_members("the evidence", evidence, &OF_EVIDENCE, claims);
        }
        let stated = policy.text("policy_digest")?.to_string();
        let is_canonical = policy.canonical() == text;
        claims.judge("canonical form", "the file", is_canonical, "the bytes are another spelling");
        let right = sha256(without_digest(&policy).canonical().as_bytes());
        let by = format!("{stated} is claimed, {right} is right");
        claims.judge("policy_digest", "the file", stated == right, &by);
        Ok(Artifact { policy })
    }

    pub fn evidence(&self) -> Result<&Json, String> {
        self.policy.member("evidence").ok_or_else(|| "the policy has no evidence".into())
    }

    pub fn setting(&self, name: &str) -> Result<Option<i128>, String> {
        match Json::paired(self.evidence()?.list("settings")?, name)? {
            Some(Json::Number(number)) => Ok(Some(i128::from(number))),
            Some(_) => Err(format!("the setting `{name}` is not a whole number")),
            None => Ok(None),
        }
    }

    /// Settings with other names than these were not looked at.
    pub fn check_settings(&self, checked: &[&str], claims: &mut Claims) -> Result<(), String> {
        for pair in self.evidence()?.list("settings")? {
            match pair {
                Json::List(two) => match two.first() {
                    Some(Json::Text(name)) if checked.contains(&name.as_str()) => {}
                    Some(Json::Text(name)) => claims.cannot_check(format!(
                        "the setting `{name}` of the evidence: this program does not check it"
                    )),
                    _ => return Err("a setting of the evidence has no name".into()),
                },
                _ => return Err("a setting of the evidence is no pair".into()),
            }
        }
        Ok(())
    }

    pub fn required_setting(&self, name: &str) -> Result<i128, String> {
        self.setting(name)?.ok_or_else(|| format!("the evidence has no setting `{name}`"))
    }

    /// The only form of that name.
    pub fn form(&self, name: &str) -> Result<&Json, String> {
        let mut of_name = self.policy.list("forms")?.iter().filter(|f| f.text("form") == Ok(name));
        match (of_name.next(), of_name.next()) {
            (Some(form), None) => Ok(form),
            (None, _) => Err(format!("the policy has no form `{name}`")),
            (Some(_), Some(_)) => Err(format!("the policy has several forms `{name}`")),
        }
    }

    /// Forms with other names than these were not looked at.
    pub fn check_forms(&self, checked: &[&str], claims: &mut Claims) -> Result<(), String> {
        for form in self.policy.list("forms")? {
            let name = form.text("form")?;
            if !checked.contains(&name) {
                let kind = self.policy.text("kind")?;
                claims.cannot_check(format!("the form `{name}`: not checked in a `{kind}` policy"));
            }
        }
        Ok(())
    }

    /// Other members of the ladder than the usual ones and `more` may change what its rows mean.
    pub fn check_ladder(&self, more: &[&str], claims: &mut Claims) -> Result<(), String> {
        let form = self.form("ladder")?;
        check_members("the ladder", form, &[&OF_LADDERS, more].concat(), claims);
        for row in form.list("rows")? {
            let place = format!("the row from load {}", row.number("first_load")?);
            check_members(&place, row, &OF_ROWS, claims);
        }
        Ok(())
    }

    pub fn spec_digest(&self) -> Result<Option<String>, String> {
        match Json::paired(self.evidence()?.list("versions")?, "compiled-spec")? {
            Some(Json::Text(digest)) => Ok(Some(digest)),
            _ => Ok(None),
        }
    }
}

fn check_members(place: &str, json: &Json, known: &[&str], claims: &mut Claims) {
    for name in json.names().filter(|name| !known.contains(name)) {
        claims.cannot_check(format!("`{name}` of {place}: this program does not check it"));
    }
}

/// The policy without its digest, which is computed over the other members.
pub fn without_digest(policy: &Json) -> Json {
    match policy {
        Json::Object(members) => {
            let others = members.iter().filter(|(name, _)| name != "policy_digest");
            Json::Object(others.cloned().collect())
        }
        other => other.clone(),
    }
}
