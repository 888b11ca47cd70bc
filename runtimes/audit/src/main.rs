//! The command `tailc-audit`: see USAGE.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use tailc_audit::{audit, Given, Verdict};

const USAGE: &str = "usage: tailc-audit POLICY.json [--design DESIGN.csv] [--sealed POLICY.tailc] \
                     [--spec-digest SHA256]";

struct Arguments {
    policy: String,
    design: Option<String>,
    sealed: Option<String>,
    spec_digest: Option<String>,
}

fn main() -> ExitCode {
    // The one panic that arithmetic may cause is reported as a claim that was not checked.
    std::panic::set_hook(Box::new(|_| {}));
    match run() {
        Ok(code) => code,
        Err(why) => {
            eprintln!("tailc-audit: {why}");
            ExitCode::from(code_of(Verdict::CannotCheck))
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let given: Result<Vec<String>, OsString> =
        std::env::args_os().skip(1).map(OsString::into_string).collect();
    let not_text = |argument: OsString| format!("the argument {argument:?} is not UTF-8; {USAGE}");
    let arguments = arguments(given.map_err(not_text)?.into_iter())?;
    let policy = read(&arguments.policy)?;
    let design = arguments.design.as_deref().map(read).transpose()?;
    let sealed = arguments.sealed.as_deref().map(bytes_of).transpose()?;
    let claims = audit(
        &policy,
        &Given {
            design: design.as_deref(),
            spec_digest: arguments.spec_digest.as_deref(),
            sealed: sealed.as_deref(),
        },
    );
    let verdict = claims.verdict();
    // A verdict that nobody can read is none.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{claims}{}", sentence(verdict))
        .and_then(|()| out.flush())
        .map_err(|why| format!("the result cannot be written: {why}"))?;
    Ok(ExitCode::from(code_of(verdict)))
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let (mut policy, mut design, mut sealed, mut spec_digest) = (None, None, None, None);
    while let Some(argument) = given.next() {
        let place = match argument.as_str() {
            "--design" => &mut design,
            "--sealed" => &mut sealed,
            "--spec-digest" => &mut spec_digest,
            _ if argument.starts_with('-') => {
                return Err(format!("`{argument}` is unknown; {USAGE}"))
            }
            _ => {
                if policy.replace(argument).is_some() {
                    return Err(format!("give one policy; {USAGE}"));
                }
                continue;
            }
        };
        let value = given.next().ok_or_else(|| format!("`{argument}` needs a value; {USAGE}"))?;
        *place = Some(value);
    }
    Ok(Arguments { policy: policy.ok_or(USAGE)?, design, sealed, spec_digest })
}

fn bytes_of(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|why| format!("{path}: {why}"))
}

fn read(path: &str) -> Result<String, String> {
    let not_text =
        |_| format!("{path}: not UTF-8; give the JSON of a policy and the CSV of its sample");
    String::from_utf8(bytes_of(path)?).map_err(not_text)
}

fn sentence(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "every claim holds",
        Verdict::Refuted => "the policy makes a false claim",
        Verdict::CannotCheck => "no claim is refuted, but not all were checked",
    }
}

fn code_of(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Holds => 0,
        Verdict::Refuted => 1,
        Verdict::CannotCheck => 2,
    }
}
