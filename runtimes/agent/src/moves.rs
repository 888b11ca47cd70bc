//! Slow-to-fast on cores of several types: the thread of a request is moved to the core that it gets.

use std::sync::Arc;

use tailc_runtime::{Ladder, Policy, Rule as LadderRule};

use crate::arguments::Run;
use crate::climbs::the_ladder;
use crate::core_map::{CoreMap, Job, Types};
use crate::cores::{Running, Seen};
use crate::cpus::cpus_in;
use crate::fault::{Exit, Fault};
use crate::machine::AFFINITY;
use crate::metrics::Exposition;
use crate::on_cores::{Decision, OnCores, Rule, ServerCores};
use crate::setting::Setting;

const NS_PER_US: u64 = 1_000;

/// The core of each worker of a server by the age of its request.
#[derive(Debug)]
pub struct Moves {
    policy: Arc<Policy>,
    types: Types,
    /// The CPUs of each type.
    cpus: Vec<Vec<usize>>,
    /// Those that run, the oldest first.
    placed: Vec<Placed>,
    lead_us: u64,
}

/// A running request and its core.
#[derive(Clone, Copy, Debug)]
struct Placed {
    worker: usize,
    running: Running,
    load: u64,
    rung: usize,
    cpu: Option<usize>,
}

impl Placed {
    /// Older requests have smaller ones.
    fn age(&self) -> (u64, usize) {
        (self.running.arrived_ns, self.worker)
    }
}

impl Moves {
    /// For a server whose types of cores the command line names.
    pub fn new(policy: &Arc<Policy>, run: &Run) -> Result<OnCores<Self>, Fault> {
        let ladder = the_ladder(policy)?;
        let types = types_of(ladder);
        let cpus = cpus_of_types(ladder, &types, run)?;
        let workers = cpus.iter().map(Vec::len).sum();
        let rule = Self {
            policy: Arc::clone(policy),
            types,
            cpus,
            placed: Vec::new(),
            lead_us: run.lead_us,
        };
        OnCores::new(rule, policy, run, &ServerCores { count: workers, cpus: Vec::new(), queue: 1 })
    }

    /// Whether the rungs of a ladder are cores of several types.
    pub fn has_types(ladder: &Ladder) -> bool {
        let mut units = ladder.core_unit().iter();
        let first = units.next();
        units.any(|unit| Some(unit) != first)
    }

    fn wanted(&self, ladder: &Ladder, one: &Placed, load: u64, now_ns: u64) -> usize {
        let rereads = ladder.rules().contains(&LadderRule::RereadRow);
        let executed_us = (now_ns - one.running.started_ns.min(now_ns)) / NS_PER_US;
        let load = if rereads { load } else { one.load };
        ladder.lookup(load, one.running.waited_us(), executed_us + self.lead_us).rung
    }

    /// Forgets requests that have ended; returns those that have no core yet, the oldest first.
    fn started(&mut self, seen: &Seen) -> Vec<(usize, Running)> {
        let runs = |worker: usize| seen.cores[worker].running;
        let is_same = |worker: usize, before: &Running| {
            runs(worker).is_some_and(|now| now.started_ns == before.started_ns)
        };
        self.placed.retain(|one| is_same(one.worker, &one.running));
        let known: Vec<usize> = self.placed.iter().map(|one| one.worker).collect();
        let fresh = (0..seen.cores.len()).filter(|worker| !known.contains(worker));
        let mut fresh: Vec<_> = fresh.filter_map(|worker| Some((worker, runs(worker)?))).collect();
        fresh.sort_by_key(|(worker, running)| (running.arrived_ns, *worker));
        fresh
    }

    fn free_cpu(&self, rung: usize) -> Option<usize> {
        let is_held = |cpu: &&usize| self.placed.iter().any(|one| one.cpu == Some(**cpu));
        self.cpus[self.types.of_rung[rung]].iter().find(|cpu| !is_held(cpu)).copied()
    }

    fn jobs(&self, ladder: &Ladder, load: u64, now_ns: u64) -> Vec<Job> {
        let wanted = |one: &Placed| self.wanted(ladder, one, load, now_ns);
        self.placed.iter().map(|one| Job { wanted: wanted(one), rung: one.rung }).collect()
    }
}

/// The rung that the first waiting request wants, by its arrival if the server reports it.
fn first_waiting(ladder: &Ladder, seen: &Seen, load: u64) -> Option<usize> {
    let waits = seen.cores.iter().any(|core| core.waiting > 0);
    let arrived_ns = seen.cores.iter().filter_map(|core| core.queue_ns.first()).min();
    let waited_ns = arrived_ns.map_or(0, |arrived_ns| seen.now_ns.saturating_sub(*arrived_ns));
    waits.then(|| ladder.lookup(load, waited_ns / NS_PER_US, 0).rung)
}

fn types_of(ladder: &Ladder) -> Types {
    Types {
        of_rung: ladder.core_unit().to_vec(),
        counts: ladder.core_count().iter().map(|count| *count as usize).collect(),
        make_room: ladder.rules().contains(&LadderRule::MakeRoom),
    }
}

fn cpus_of_types(ladder: &Ladder, types: &Types, run: &Run) -> Result<Vec<Vec<usize>>, Fault> {
    let names: Vec<&str> = ladder.cost_units().iter().map(String::as_str).collect();
    run.types.check_known("--type", &names)?;
    let cpus = |(name, count): (&&str, &usize)| {
        if *count == 0 {
            return Ok(Vec::new());
        }
        let example = if *count == 1 { "0".to_owned() } else { format!("0-{}", count - 1) };
        let list = run.types.required("--type", name, &example)?;
        let cpus = cpus_in(list).filter(|cpus| cpus.len() == *count);
        cpus.ok_or_else(|| {
            let what =
                format!("`--type {name}={list}`: the policy's number of such cores is {count}");
            let help = format!("give a list of as many CPUs, such as `--type {name}={example}`");
            Fault::new(Exit::Usage, what, help)
        })
    };
    names.iter().zip(&types.counts).map(cpus).collect()
}

impl Rule for Moves {
    const COLUMNS: &'static str = "load,rung,cpu";

    fn decide(&mut self, seen: &Seen) -> Decision {
        // A policy without one was refused at the start.
        let policy = Arc::clone(&self.policy);
        let Ok(ladder) = policy.ladder() else { return Decision::default() };
        let (load, now_ns) = (seen.in_system(), seen.now_ns);
        let first_waiting = first_waiting(ladder, seen, load);
        let types = self.types.clone();
        let mut changed = Vec::new();
        let fresh = self.started(seen);
        let mut climbing: Vec<usize> = self.placed.iter().map(|one| one.worker).collect();
        for (worker, running) in fresh {
            let mut one = Placed { worker, running, load, rung: 0, cpu: None };
            let wanted = self.wanted(ladder, &one, load, now_ns);
            let older = self.placed.partition_point(|other| other.age() < one.age());
            let jobs = self.jobs(ladder, load, now_ns);
            let map = CoreMap { types: &types, jobs: &jobs, first_waiting, load: load as usize };
            // The server has started it, even where the policy would let it wait.
            let Some(rung) = map.start(older, wanted).or_else(|| map.any_free()) else { continue };
            (one.rung, one.cpu) = (rung, self.free_cpu(rung));
            self.placed.insert(older, one);
            changed.push(worker);
        }
        climbing.retain(|worker| !changed.contains(worker));
        for worker in climbing {
            let at = self.placed.iter().position(|one| one.worker == worker);
            let jobs = self.jobs(ladder, load, now_ns);
            let map = CoreMap { types: &types, jobs: &jobs, first_waiting, load: load as usize };
            let climb = at.and_then(|at| Some((at, map.climb(at)?)));
            if let Some((at, rung)) = climb {
                let stays = types.of_rung[rung] == types.of_rung[self.placed[at].rung];
                let cpu = if stays { self.placed[at].cpu } else { self.free_cpu(rung) };
                (self.placed[at].rung, self.placed[at].cpu) = (rung, cpu);
                changed.push(worker);
            }
        }
        self.decision(ladder, load, &changed)
    }

    fn settings(&mut self) -> Vec<Setting> {
        let of = |one: &Placed| {
            let cpu = one.cpu.filter(|_| one.running.thread > 0)?;
            Some(Setting::new(format!("{AFFINITY}/{}", one.running.thread), cpu))
        };
        self.placed.iter().filter_map(of).collect()
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        let ladder = the_ladder(policy)?;
        if types_of(ladder) != self.types {
            let what = "the new policy is for other types of cores";
            return Err(Fault::new(Exit::BadContent, what, "restart the agent"));
        }
        self.policy = Arc::clone(policy);
        Ok(())
    }

    fn expose(&self, to: &mut Exposition) {
        let on = |rung: usize| self.placed.iter().filter(|one| one.rung == rung).count();
        let Ok(ladder) = self.policy.ladder() else { return };
        let values = ladder.rungs().iter().enumerate().map(|(at, name)| (name.clone(), on(at)));
        to.gauges("tailc_agent_running", "Running requests by rung.", "rung", values);
    }
}

impl Moves {
    fn decision(&self, ladder: &Ladder, load: u64, changed: &[usize]) -> Decision {
        let mut decision = Decision::default();
        for worker in changed {
            let Some(one) = self.placed.iter().find(|one| one.worker == *worker) else { continue };
            let cpu = one.cpu.map_or(String::new(), |cpu| cpu.to_string());
            decision.changes.push((*worker, format!("{load},{},{cpu}", ladder.rungs()[one.rung])));
        }
        decision
    }
}
