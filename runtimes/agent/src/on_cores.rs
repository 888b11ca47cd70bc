//! Kinds that decide for each core of a server, from the requests that it runs.

use std::sync::Arc;

use tailc_runtime::Policy;

use crate::arguments::Run;
use crate::board::Board;
use crate::cores::{Input, Seen};
use crate::demand::{Demands, COLUMNS};
use crate::events::Events;
use crate::fault::{Exit, Fault};
use crate::feedback::Feedback;
use crate::journal::Journal;
use crate::kind::{Kind, Tick};
use crate::metrics::Exposition;
use crate::setting::Setting;

/// Time between two checks of all settings, which write those that are missing.
const ALL_NS: u64 = 1_000_000_000;

/// Decides for all cores at once, without input and output.
pub trait Rule {
    /// The columns of a row of the journal, after `time_us` and `core`.
    const COLUMNS: &'static str;
    /// Settings that change now.
    fn decide(&mut self, seen: &Seen) -> Decision;
    /// All settings since the last decision.
    fn settings(&mut self) -> Vec<Setting>;
    /// Goes on with another policy, from the next request on.
    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault>;
    /// Its own metrics.
    fn expose(&self, to: &mut Exposition);
}

/// Which cores get other settings.
#[derive(Debug, Default)]
pub struct Decision {
    /// Number of a core, and its cells in the journal. Without changes the settings are as before.
    pub changes: Vec<(usize, String)>,
    /// When to decide again, if that is before the next tick.
    pub again_us: Option<u64>,
}

/// The earlier of two times, of which each may be none.
pub fn earlier(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// The cores of a server.
#[derive(Clone, Debug)]
pub struct ServerCores {
    /// Number of cores.
    pub count: usize,
    /// The CPU of each; empty where its requests move.
    pub cpus: Vec<usize>,
    /// Number of waiting requests of each core that the rule uses.
    pub queue: usize,
}

/// A rule with what it sees.
#[derive(Debug)]
pub struct OnCores<R> {
    rule: R,
    policy: Arc<Policy>,
    feedback: Feedback,
    demands: Demands,
    input: Input,
    tick_us: u64,
    /// Time of the next check of all settings.
    all_ns: u64,
    columns: String,
}

impl<R: Rule> OnCores<R> {
    /// Makes the decisions for the cores of a server.
    pub fn new(rule: R, policy: &Arc<Policy>, run: &Run, of: &ServerCores) -> Result<Self, Fault> {
        let cores = of.count;
        let input = match (&run.inputs, &run.board) {
            (Some(path), _) => Input::recorded(path, cores)?,
            (None, Some(path)) => {
                let events = Events::open(&run.counting, &run.place.root, of)?;
                Input::Live(Board::open(path, cores, of.queue)?, events)
            }
            (None, None) => {
                let what = "the policy needs to know the requests of each core";
                let help = "add `--board /dev/shm/tailc-board`, which the server writes, or \
                            `--inputs`";
                return Err(Fault::new(Exit::Usage, what, help));
            }
        };
        let columns = format!("time_us,core,{}", R::COLUMNS);
        let (policy, feedback) = (Arc::clone(policy), Feedback::default());
        let demands = Demands::new(cores, Journal::create(run.requests.as_deref(), COLUMNS)?);
        let (tick_us, all_ns) = (run.tick_us, 0);
        Ok(Self { rule, policy, feedback, demands, input, tick_us, all_ns, columns })
    }
}

impl<R: Rule> Kind for OnCores<R> {
    fn interval_us(&self) -> u64 {
        self.tick_us
    }

    fn tick(&mut self, _time_us: u64) -> Result<Tick, Fault> {
        let Some(mut seen) = self.input.next()? else { return Ok(Tick::End) };
        self.demands.observe(&mut seen);
        self.feedback.observe(&self.policy, &seen);
        let Decision { changes, again_us } = self.rule.decide(&seen);
        // Most ticks change nothing; files that were gone and are back get their settings later.
        let is_due = seen.now_ns >= self.all_ns;
        if is_due {
            self.all_ns = seen.now_ns + ALL_NS;
        }
        let needs_settings = is_due || !changes.is_empty();
        let settings = if needs_settings { self.rule.settings() } else { Vec::new() };
        let mut journal = String::new();
        for (core, cells) in changes {
            journal += &format!("{},{core},{cells}\n", seen.now_ns / 1_000);
        }
        Ok(Tick::Want { settings, journal, again_us })
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        self.rule.reload(policy)?;
        (self.policy, self.feedback) = (Arc::clone(policy), Feedback::default());
        Ok(())
    }

    fn journal_columns(&self) -> &str {
        &self.columns
    }

    fn expose(&self, to: &mut Exposition) {
        self.rule.expose(to);
        Feedback::expose(&self.policy, to);
    }
}
