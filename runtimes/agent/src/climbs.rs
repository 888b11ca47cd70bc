//! Slow-to-fast on cores that change their frequency: a request's rung is the clock of its core.

use std::sync::Arc;

use tailc_runtime::{Ladder, Policy};

use crate::arguments::Run;
use crate::clocks::Clocks;
use crate::cores::Seen;
use crate::cpus::{check_count, cpus_of};
use crate::fault::{Exit, Fault};
use crate::load::Load;
use crate::machine::Machine;
use crate::metrics::Exposition;
use crate::on_cores::{earlier, Decision, OnCores, Rule, ServerCores};
use crate::request::{Ahead, Requests, Rules};
use crate::setting::Setting;

/// The frequency of each core by the age of its request.
#[derive(Debug)]
pub struct Climbs {
    policy: Arc<Policy>,
    rules: Rules,
    /// By rung.
    khz: Vec<u64>,
    clocks: Clocks,
    requests: Vec<Requests>,
    load: Load,
    lead_us: u64,
    tick_us: u64,
    now_khz: Vec<u64>,
}

impl Climbs {
    /// For a server whose cores the command line names.
    pub fn new(
        policy: &Arc<Policy>,
        run: &Run,
        machine: &dyn Machine,
    ) -> Result<OnCores<Self>, Fault> {
        let ladder = the_ladder(policy)?;
        let khz = frequencies(ladder)?;
        let cpus = cpus_of(machine, run.cpus.as_deref(), cores_of(ladder))?;
        let clocks = Clocks::of(machine, &cpus)?;
        clocks.check_reach(khz.iter().copied().max().unwrap_or(0))?;
        let rule = Self {
            policy: Arc::clone(policy),
            rules: Rules::of(ladder),
            khz,
            clocks,
            requests: vec![Requests::default(); cpus.len()],
            load: Load::default(),
            lead_us: run.lead_us,
            tick_us: run.tick_us,
            now_khz: vec![0; cpus.len()],
        };
        OnCores::new(rule, policy, run, &ServerCores { count: cpus.len(), cpus, queue: 0 })
    }
}

/// The ladder for all classes: the agent does not know the class of a request.
pub fn the_ladder(policy: &Policy) -> Result<&Ladder, Fault> {
    policy.ladder().map_err(|why| {
        let help = "a server that knows the class of a request applies it with a runtime";
        Fault::new(Exit::MissingPart, why.to_string(), help)
    })
}

/// How many cores the first rung has; none: the policy does not say.
pub fn cores_of(ladder: &Ladder) -> Option<usize> {
    let unit = *ladder.core_unit().first()?;
    ladder.core_count().get(unit).map(|count| *count as usize)
}

/// By rung; an error where a rung has none.
fn frequencies(ladder: &Ladder) -> Result<Vec<u64>, Fault> {
    let khz = ladder.settings().iter().map(|rung| rung.frequency_khz.map(|khz| khz as u64));
    khz.collect::<Option<_>>().ok_or_else(|| {
        let what = "a rung of the policy has no frequency, so the agent cannot apply it";
        Fault::new(Exit::MissingPart, what, "a server applies it with a runtime")
    })
}

impl Rule for Climbs {
    const COLUMNS: &'static str = "load,rung,frequency_khz";

    fn decide(&mut self, seen: &Seen) -> Decision {
        // A policy without one was refused at the start.
        let Ok(ladder) = self.policy.ladder() else { return Decision::default() };
        let load = self.load.of(ladder, seen);
        let ahead = Ahead { horizon_us: self.tick_us, load, lead_us: self.lead_us };
        let (mut changes, mut again_us) = (Vec::new(), None);
        for (core, requests) in self.requests.iter_mut().enumerate() {
            let rung = requests.rung(
                ladder,
                self.rules,
                &seen.cores[core],
                load,
                seen.now_ns,
                self.lead_us,
            );
            again_us =
                earlier(again_us, requests.climbs_in_us(ladder, self.rules, seen.now_ns, ahead));
            // An idle core has the clock of the request that arrives next.
            let next = || ladder.lookup(load + 1, 0, self.lead_us).rung;
            let khz = self.khz[rung.unwrap_or_else(next)];
            if khz != self.now_khz[core] {
                self.now_khz[core] = khz;
                let name = rung.map_or("", |rung| ladder.rungs()[rung].as_str());
                changes.push((core, format!("{load},{name},{khz}")));
            }
        }
        Decision { changes, again_us }
    }

    fn settings(&mut self) -> Vec<Setting> {
        self.clocks.settings(&self.now_khz)
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        let ladder = the_ladder(policy)?;
        let khz = frequencies(ladder)?;
        check_count(cores_of(ladder), self.now_khz.len())?;
        self.clocks.check_reach(khz.iter().copied().max().unwrap_or(0))?;
        self.rules = Rules::of(ladder);
        self.khz = khz;
        self.policy = Arc::clone(policy);
        self.requests.fill(Requests::default());
        Ok(())
    }

    fn expose(&self, to: &mut Exposition) {
        expose_frequencies(&self.now_khz, to);
    }
}

/// The wanted frequency of each core.
pub fn expose_frequencies(now_khz: &[u64], to: &mut Exposition) {
    let values = now_khz.iter().enumerate().map(|(core, khz)| (core.to_string(), khz * 1_000));
    to.gauges("tailc_agent_frequency_hertz", "Wanted frequency of a core.", "core", values);
}
