//! A host agent: reads a policy, measures the machine, and writes its limits, until it ends and
//! restores them. `docs/agent.md` of the tailc repository describes it for users.
//!
//! A *kind* decides: from what it sees to the settings that it wants, without input or output. The
//! *machine* reads and writes files below a root folder, which may be a copy made by hand.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod arguments;
mod autopro;
mod bench;
mod bench_clock;
mod bench_release;
mod board;
mod cgroup;
mod climbs;
mod clock;
mod clocks;
mod core_map;
mod cores;
mod counter;
mod cpus;
mod demand;
mod elfen;
mod events;
mod fault;
mod feedback;
mod filter;
mod inputs;
mod interference;
mod journal;
mod kind;
mod load;
mod machine;
mod metrics;
mod moves;
mod on_cores;
mod os;
mod policy;
mod request;
mod rubik;
mod run;
mod samples;
mod setting;
mod source;
mod throughput;
mod undo;
mod watchdog;

pub use fault::Fault;
pub use run::carry_out;
