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

/// Decides for all cores at once, without input and output.
pub trait Rule {
    /// The columns of a row of the journal, after `time_us` and `core`.
    const COLUMNS: &'static str;
    /// What all cores want now, and a row of the journal for each that changes.
    fn decide(&mut self, seen: &Seen) -> Decision;
    /// Goes on with another policy, from the next request on.
    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault>;
    /// Its own metrics.
    fn expose(&self, to: &mut Exposition);
}

/// The settings of all cores, and cells of the journal by core.
#[derive(Debug, Default)]
pub struct Decision {
    /// Those that are there already are not written again.
    pub settings: Vec<Setting>,
    /// Number of a core, and its cells.
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
    /// How many.
    pub count: usize,
    /// The CPU of each; empty where its requests move.
    pub cpus: Vec<usize>,
    /// How many waiting requests of each the rule looks at.
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
    columns: String,
}

impl<R: Rule> OnCores<R> {
    /// For the cores of a server.
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
        Ok(Self { rule, policy, feedback, demands, input, tick_us: run.tick_us, columns })
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
        let Decision { settings, changes, again_us } = self.rule.decide(&seen);
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
