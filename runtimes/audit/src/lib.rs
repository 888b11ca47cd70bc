//! Checks what a policy claims, from its bytes and the design trace alone.
//!
//! Nothing here is shared with the compiler or with a runtime: the program is written from the
//! documentation of the artifact and of the formulas (docs/audit.md says what it proves).

mod artifact;
mod audit;
mod budget_table;
mod budgets;
mod claims;
mod decimal;
mod digest;
mod dual;
mod execution;
mod grid;
mod inputs;
mod interval_table;
mod json;
mod judged;
mod ladder;
mod part;
mod plan;
mod plan_claims;
mod profile;
mod rank_limits;
mod replays;
mod row_limits;
mod seal;
mod shared_cores;
mod shares;
mod tail_table;
mod thresholds;
mod throughput;

pub use artifact::without_digest;
pub use audit::{audit, Given};
pub use claims::{Claims, Verdict};
pub use digest::sha256;
pub use json::Json;
pub use judged::latencies;
