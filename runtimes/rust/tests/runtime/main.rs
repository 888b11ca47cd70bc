//! What vectors do not tell: threads, allocations, counters, reloads, wrong arguments.

mod allocations;
mod arguments;
mod options;

use std::path::PathBuf;

use tailc_runtime::{Policy, Result};

/// A file among the look-up vectors of the repository, or in the folder that `TAILC_VECTORS` names.
fn vector(name: &str) -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/vectors/v1");
    let folder = std::env::var("TAILC_VECTORS").unwrap_or_else(|_| beside.to_owned());
    PathBuf::from(folder).join(name)
}

fn opened(name: &str) -> Policy {
    Policy::open(vector(name)).expect("a vector's policy opens")
}

/// The word of a refusal, or empty.
fn word<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.name(), |_| "")
}
