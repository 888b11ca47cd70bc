//! What every kind of policy does for the main loop.

use std::sync::Arc;

use tailc_runtime::Policy;

use crate::fault::Fault;
use crate::metrics::Exposition;
use crate::setting::Setting;

/// One kind of policy on one machine: from what it sees to what it wants.
pub trait Kind {
    /// Time between two ticks [us].
    fn interval_us(&self) -> u64;
    /// Sees, and decides. `time_us` counts from the start of the agent.
    fn tick(&mut self, time_us: u64) -> Result<Tick, Fault>;
    /// Goes on with another policy; on an error it goes on with the one that it has.
    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault>;
    /// The columns of its journal.
    fn journal_columns(&self) -> &str;
    /// Its own metrics.
    fn expose(&self, to: &mut Exposition);
}

/// Result of a tick.
#[derive(Debug)]
pub enum Tick {
    /// All settings as they should be now, and lines for the journal, if a decision was made.
    Want {
        /// Those that are there already are not written again.
        settings: Vec<Setting>,
        /// Whole lines of CSV.
        journal: String,
        /// When to tick again, if that is before the next regular tick.
        again_us: Option<u64>,
    },
    /// Inputs are missing for too long: all limits are lifted until they are there again.
    Blind {
        /// Which input is missing, and why; none: the first readings of counters, which have no rate.
        why: Option<String>,
    },
    /// Recorded inputs have ended.
    End,
}
