//! Rubik: the lowest frequency of a core at which all its requests end in time.

use std::sync::Arc;

use tailc_runtime::{Policy, TailTable};

use crate::arguments::Run;
use crate::climbs::expose_frequencies;
use crate::clocks::Clocks;
use crate::cores::{Core, Running, Seen};
use crate::cpus::{check_count, cpus_of};
use crate::fault::{Exit, Fault};
use crate::machine::Machine;
use crate::metrics::Exposition;
use crate::on_cores::{Decision, OnCores, Rule, ServerCores};
use crate::setting::Setting;

/// One kHz for one ns is a millionth of a cycle.
const PARTS_PER_CYCLE: u128 = 1_000_000;

/// The frequency of each core by its requests.
#[derive(Debug)]
pub struct Rubik {
    policy: Arc<Policy>,
    clocks: Clocks,
    counted: Vec<Counted>,
    now_khz: Vec<u64>,
}

/// Cycles of the running request of a core, where the server does not count them: its time at the
/// frequencies that the agent set.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    started_ns: u64,
    until_ns: u64,
    parts: u128,
}

impl Rubik {
    /// For a server whose cores the command line names.
    pub fn new(
        policy: &Arc<Policy>,
        run: &Run,
        machine: &dyn Machine,
    ) -> Result<OnCores<Self>, Fault> {
        let table = the_table(policy)?;
        let cpus = cpus_of(machine, run.cpus.as_deref(), Some(table.cores() as usize))?;
        let clocks = Clocks::of(machine, &cpus)?;
        clocks.check_reach(highest_khz(table))?;
        let rule = Self {
            policy: Arc::clone(policy),
            clocks,
            counted: vec![Counted::default(); cpus.len()],
            now_khz: vec![0; cpus.len()],
        };
        OnCores::new(
            rule,
            policy,
            run,
            &ServerCores { count: cpus.len(), cpus, queue: table.positions() },
        )
    }
}

fn the_table(policy: &Policy) -> Result<&TailTable, Fault> {
    policy.tail_table().map_err(|why| {
        Fault::new(Exit::BadContent, why.to_string(), "restart the agent for another kind")
    })
}

fn highest_khz(table: &TailTable) -> u64 {
    table.frequencies_khz().last().map_or(0, |khz| *khz as u64)
}

impl Counted {
    /// The cycles until now, of which those since the last tick were at that frequency.
    fn cycles(&mut self, running: Running, now_ns: u64, khz: u64) -> u64 {
        if self.started_ns != running.started_ns {
            *self = Self { started_ns: running.started_ns, until_ns: running.started_ns, parts: 0 };
        }
        self.parts += u128::from(now_ns.saturating_sub(self.until_ns)) * u128::from(khz);
        self.until_ns = now_ns;
        (self.parts / PARTS_PER_CYCLE) as u64
    }
}

/// Ages since arrival, the running request first. A waiting request counts as old as that one if the
/// server does not report its arrival.
fn ages_ns(core: &Core, running: Running, now_ns: u64) -> Vec<u64> {
    let arrived = (0..core.waiting as usize)
        .map(|i| core.queue_ns.get(i).copied().unwrap_or(running.arrived_ns));
    std::iter::once(running.arrived_ns)
        .chain(arrived)
        .map(|arrived_ns| now_ns.saturating_sub(arrived_ns))
        .collect()
}

impl Rule for Rubik {
    const COLUMNS: &'static str = "in_system,cycles,frequency_khz";

    fn decide(&mut self, seen: &Seen) -> Decision {
        // A policy without one was refused at the start.
        let Ok(table) = self.policy.tail_table() else { return Decision::default() };
        let top_khz = highest_khz(table);
        let lowest = table.frequency_khz(&[0], 0, 0).map_or(top_khz, |khz| khz as u64);
        // A core without requests has the clock of its batch work, or of the request that comes next.
        let idle_khz = table.batch().map_or(lowest, |batch| batch.frequency_khz as u64);
        let mut changes = Vec::new();
        for (at, core) in seen.cores.iter().enumerate() {
            let (mut cycles, mut khz) = (0, idle_khz);
            if let Some(running) = core.running {
                let counted = self.counted[at].cycles(running, seen.now_ns, self.now_khz[at]);
                cycles = running.cycles.unwrap_or(counted);
                let ages_ns = ages_ns(core, running, seen.now_ns);
                let found = table.frequency_khz(&ages_ns, cycles, running.memory_ns);
                khz = found.map_or(top_khz, |khz| khz as u64);
            }
            if khz != self.now_khz[at] {
                self.now_khz[at] = khz;
                let in_system = core.waiting + u64::from(core.running.is_some());
                changes.push((at, format!("{in_system},{cycles},{khz}")));
            }
        }
        Decision { changes, again_us: None }
    }

    fn settings(&mut self) -> Vec<Setting> {
        self.clocks.settings(&self.now_khz)
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        let table = the_table(policy)?;
        check_count(Some(table.cores() as usize), self.now_khz.len())?;
        self.clocks.check_reach(highest_khz(table))?;
        self.policy = Arc::clone(policy);
        Ok(())
    }

    fn expose(&self, to: &mut Exposition) {
        expose_frequencies(&self.now_khz, to);
    }
}
