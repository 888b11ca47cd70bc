//! Elfen: batch work on the other hardware thread of a core, as long as a request may share it.

use std::sync::Arc;

use tailc_runtime::{Ladder, Lane, Policy};

use crate::arguments::{Leave, Run};
use crate::cgroup::{cpuset_file, Freezer, IdleGroup};
use crate::climbs::{cores_of, the_ladder};
use crate::cores::Seen;
use crate::cpus::{check_count, cpus_of, siblings_of};
use crate::fault::{warn, Exit, Fault};
use crate::interference::Interference;
use crate::load::Load;
use crate::machine::Machine;
use crate::metrics::Exposition;
use crate::on_cores::{earlier, Decision, OnCores, Rule, ServerCores};
use crate::request::{Ahead, Requests, Rules};
use crate::setting::Setting;

/// The batch lane of each core by the age of its request.
#[derive(Debug)]
pub struct Elfen {
    policy: Arc<Policy>,
    rules: Rules,
    lanes: Vec<BatchLane>,
    requests: Vec<Requests>,
    load: Load,
    interference: Interference,
    lead_us: u64,
    tick_us: u64,
    states: Vec<State>,
}

/// How the batch work of a core leaves the lane.
#[derive(Debug)]
struct BatchLane {
    shared: Vec<Setting>,
    alone: Vec<Setting>,
}

impl BatchLane {
    /// Finds the lane of a CPU. None: batch work leaves in the way that its group supports.
    fn of(
        machine: &dyn Machine,
        cpu: usize,
        group: &str,
        leave: Option<Leave>,
    ) -> Result<Self, Fault> {
        let siblings = siblings_of(machine, cpu)?;
        let idle = || Ok(Self::idle(&IdleGroup::of(machine, group)?, cpu, &siblings));
        let can_freeze = Freezer::find(machine, group)?.is_some();
        match leave {
            Some(Leave::Idle) => idle(),
            None if !can_freeze => match idle() {
                Ok(lane) => {
                    let as_idle = "so it moves as with `--leave idle`";
                    warn(format_args!("`{group}` cannot be frozen, {as_idle}"));
                    Ok(lane)
                }
                Err(_) => Self::freezing(machine, group, &siblings),
            },
            _ => Self::freezing(machine, group, &siblings),
        }
    }

    fn freezing(machine: &dyn Machine, group: &str, siblings: &str) -> Result<Self, Fault> {
        let freezer = Freezer::of(machine, group)?;
        let cpuset = cpuset_file(machine, group).map(|file| Setting::new(file, siblings));
        let with = |is_frozen| cpuset.iter().cloned().chain([freezer.setting(is_frozen)]).collect();
        Ok(Self { shared: with(false), alone: with(true) })
    }

    /// The group moves to the CPU of the request, and runs there only while the request waits.
    fn idle(group: &IdleGroup, cpu: usize, siblings: &str) -> Self {
        Self { shared: group.settings(siblings), alone: group.settings(&cpu.to_string()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unknown,
    Idle,
    Shared,
    Alone,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Idle => "idle",
            Self::Shared => "shared",
            Self::Alone => "alone",
        }
    }

    /// The CPU of the request.
    fn lane(self) -> Option<Lane> {
        match self {
            Self::Unknown | Self::Idle => None,
            Self::Shared => Some(Lane::Shared),
            Self::Alone => Some(Lane::Alone),
        }
    }
}

impl Elfen {
    /// For a server whose cores, and batch groups, the command line names.
    pub fn new(
        policy: &Arc<Policy>,
        run: &Run,
        machine: &dyn Machine,
    ) -> Result<OnCores<Self>, Fault> {
        let ladder = the_ladder(policy)?;
        check_lanes(ladder)?;
        let cpus = cpus_of(machine, run.cpus.as_deref(), cores_of(ladder))?;
        let names: Vec<String> = (0..cpus.len()).map(|core| core.to_string()).collect();
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        run.batch.check_known("--batch", &known)?;
        run.batch.check_distinct_groups("--batch")?;
        let lane = |(cpu, name): (&usize, &String)| {
            let group = run.batch.required("--batch", name, "/batchNAME")?;
            BatchLane::of(machine, *cpu, group, run.leave)
        };
        let rule = Self {
            policy: Arc::clone(policy),
            rules: Rules::of(ladder),
            lanes: cpus.iter().zip(&names).map(lane).collect::<Result<_, Fault>>()?,
            requests: vec![Requests::default(); cpus.len()],
            load: Load::default(),
            interference: Interference::of(ladder, cpus.len()),
            lead_us: run.lead_us,
            tick_us: run.tick_us,
            states: vec![State::Unknown; cpus.len()],
        };
        OnCores::new(rule, policy, run, &ServerCores { count: cpus.len(), cpus, queue: 0 })
    }

    /// Whether a ladder is for lanes.
    pub fn has_lanes(ladder: &Ladder) -> bool {
        ladder.settings().iter().any(|rung| rung.lane.is_some())
    }
}

fn check_lanes(ladder: &Ladder) -> Result<(), Fault> {
    if ladder.settings().iter().all(|rung| rung.lane.is_some()) {
        return Ok(());
    }
    let what = "a rung of the policy does not say whether it shares its core with batch work";
    Err(Fault::new(Exit::MissingPart, what, "compile the policy again, with this version of tailc"))
}

impl Rule for Elfen {
    const COLUMNS: &'static str = "load,lane";

    fn decide(&mut self, seen: &Seen) -> Decision {
        // A policy without one was refused at the start.
        let Ok(ladder) = self.policy.ladder() else { return Decision::default() };
        let load = self.load.of(ladder, seen);
        let mut decision = Decision::default();
        for (at, core) in seen.cores.iter().enumerate() {
            let lead_us = self.lead_us;
            let lane = self.states[at].lane();
            let charged_ns = self.interference.charge_ns(at, core, lane, seen.now_ns);
            self.requests[at].charge(charged_ns);
            let rung = self.requests[at].rung(ladder, self.rules, core, load, seen.now_ns, lead_us);
            let state = match rung.map(|rung| ladder.settings()[rung].lane) {
                None => State::Idle,
                Some(Some(Lane::Shared)) => State::Shared,
                Some(_) => State::Alone,
            };
            if state == State::Shared {
                let ahead = Ahead { horizon_us: self.tick_us, load, lead_us };
                let climb = self.requests[at].climbs_in_us(ladder, self.rules, seen.now_ns, ahead);
                decision.again_us = earlier(decision.again_us, climb);
            }
            if state != self.states[at] {
                self.states[at] = state;
                decision.changes.push((at, format!("{load},{}", state.name())));
            }
        }
        decision
    }

    fn settings(&mut self) -> Vec<Setting> {
        let of = |(lane, state): (&BatchLane, &State)| match state {
            State::Alone => lane.alone.clone(),
            _ => lane.shared.clone(),
        };
        self.lanes.iter().zip(&self.states).flat_map(of).collect()
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        let ladder = the_ladder(policy)?;
        check_lanes(ladder)?;
        check_count(cores_of(ladder), self.lanes.len())?;
        self.rules = Rules::of(ladder);
        self.interference.reload(ladder);
        self.policy = Arc::clone(policy);
        self.requests.fill(Requests::default());
        Ok(())
    }

    fn expose(&self, to: &mut Exposition) {
        let alone = |state: &State| u8::from(*state == State::Alone);
        let values = self.states.iter().enumerate();
        let values = values.map(|(core, state)| (core.to_string(), alone(state)));
        let help = "Whether batch work has left a core.";
        to.gauges("tailc_agent_batch_stopped", help, "core", values);
        let help = "Loss of speed next to batch work, where counters measure it.";
        let losses = self.interference.losses().map(|(core, loss)| (core.to_string(), loss));
        to.gauges("tailc_agent_interference_ratio", help, "core", losses);
    }
}
