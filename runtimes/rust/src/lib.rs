//! Opens a policy that `tailc` compiled and answers, for every request and every scheduling quantum,
//! which rung it runs on. A look-up allocates nothing and locks nothing.
//!
//! What each form means, and what a server does with the answers, is in `docs/artifact-format.md` of
//! the tailc repository.

#![deny(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "tokio")]
mod async_scheduler;
mod budget_table;
mod controller;
#[cfg(any(feature = "threads", feature = "tokio"))]
mod core_binding;
mod counters;
mod demand_log;
mod error;
mod flat_form;
mod ladder;
mod latency_window;
mod layout;
mod numbers;
mod options;
mod plan;
mod plan_state;
mod policy;
mod schedule;
#[cfg(any(feature = "threads", feature = "tokio"))]
mod schedule_metrics;
#[cfg(feature = "threads")]
mod scheduler;
#[cfg(any(feature = "threads", feature = "tokio"))]
mod scheduling;
mod seal;
mod shares;
mod signature;
mod stamp;
mod structure;
mod tail_table;
#[cfg(feature = "threads")]
mod thread_time;
mod watched;

#[rustfmt::skip]
#[path = "generated/policy_generated.rs"]
#[allow(unsafe_code, warnings, clippy::all)]
mod generated;
#[rustfmt::skip]
#[path = "generated/layout.rs"]
mod generated_layout;

#[cfg(feature = "tokio")]
pub use async_scheduler::{Admitted, AsyncScheduler, Degree};
pub use budget_table::{Budget, BudgetTable};
pub use controller::{Actuator, Controller, Gains};
#[cfg(feature = "threads")]
pub use core_binding::Processors;
pub use counters::{Counters, RefusedReload};
pub use demand_log::DemandLog;
pub use error::{Error, Refusal, Result};
pub use ladder::{
    Answer, Boost, Guard, Ladder, Lane, LoadAxis, Overload, Rule, RungSetting, Sharing, Start,
};
pub use options::Options;
pub use plan::{
    Allocation, Battery, Bus, Epoch, Malleable, Plan, Pool, Quote, Span, Stored, Terms,
};
pub use plan_state::{BegunJob, PlanState, RanSeconds};
pub use policy::{Form, Policy};
pub use schedule::{Arrival, Decision, DecisionKind, RequestTimes, Schedule, ScheduleCounts};
#[cfg(feature = "threads")]
pub use scheduler::{Part, Scheduler, WHY_NO_BOOST};
#[cfg(any(feature = "threads", feature = "tokio"))]
pub use scheduling::{OnReload, Outcome, Source};
pub use shares::{Machine, Served, Shares};
pub use signature::PublicKey;
pub use tail_table::{Batch, Sleep, TailTable, Transition};
pub use watched::{Change, Checking, Current, Watched, INTERVAL};
