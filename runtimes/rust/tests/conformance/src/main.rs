//! Whether this runtime answers as every other does.
//!
//!     conformance vectors DIR              runs every look-up vector; prints the first difference of
//!                                          each file; succeeds if all answers are right
//!     conformance refusals files < LIST    as what each file of the list is refused, a word a line,
//!                                          `opened` where it is not
//!     conformance refusals damages FILE    the same of all single-bit flips of a file, all
//!                                          truncations, all appended bytes
//!     conformance differential FILE SEED COUNT
//!                                          checksums of the answers to drawn questions, one for
//!                                          each 4,096 and one for the rest
//!     conformance serving POLICY KEY LOG   metrics of a server with a log, of a signed policy

mod differential;
mod lines;
mod plans;
mod refusals;
mod schedules;
mod serving;
mod vectors;

use std::process::ExitCode;

type Outcome = Result<bool, Box<dyn std::error::Error>>;

const USAGE: &str =
    "usage: conformance vectors DIR | refusals files < LIST | refusals damages FILE \
                     | differential FILE SEED COUNT | serving POLICY KEY LOG";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome: Outcome = match words[..] {
        ["vectors", folder] => vectors::run_all(folder.as_ref()),
        ["differential", path, seed, count] => asked(path, seed, count),
        ["serving", policy, key, log] => serving::run(policy, key, log),
        ["refusals", "files"] => refusals::files(),
        ["refusals", "damages", path] => refusals::damages(path.as_ref()),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("conformance: {why}");
            ExitCode::from(64)
        }
    }
}

fn asked(path: &str, seed: &str, count: &str) -> Outcome {
    differential::run(path.as_ref(), seed.parse()?, count.parse()?)
}
