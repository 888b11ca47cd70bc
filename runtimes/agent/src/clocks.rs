//! The frequencies of all cores of a server: clocks that several of them share run for the fastest.

use crate::clock::Clock;
use crate::fault::Fault;
use crate::machine::Machine;
use crate::setting::Setting;

/// The clock of each core.
#[derive(Debug)]
pub struct Clocks {
    clocks: Vec<Clock>,
    /// By core of the server, which of the clocks it has.
    of_core: Vec<usize>,
}

impl Clocks {
    /// Of a server whose cores are these CPUs.
    pub fn of(machine: &dyn Machine, cpus: &[usize]) -> Result<Self, Fault> {
        let mut clocks: Vec<Clock> = Vec::new();
        let mut of_core = Vec::with_capacity(cpus.len());
        for cpu in cpus {
            let clock = Clock::of(machine, *cpu)?;
            let known = clocks.iter().position(|other| other.folder() == clock.folder());
            of_core.push(known.unwrap_or(clocks.len()));
            if known.is_none() {
                clocks.push(clock);
            }
        }
        Ok(Self { clocks, of_core })
    }

    /// An error where one is slower than the highest frequency of a policy.
    pub fn check_reach(&self, khz: u64) -> Result<(), Fault> {
        self.clocks.iter().try_for_each(|clock| clock.check_reaches(khz))
    }

    /// Settings for the frequencies that the cores want [kHz].
    pub fn settings(&mut self, wanted_khz: &[u64]) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (at, clock) in self.clocks.iter_mut().enumerate() {
            let own = self.of_core.iter().zip(wanted_khz).filter(|(of, _)| **of == at);
            settings.extend(own.map(|(_, khz)| *khz).max().map(|khz| clock.settings(khz)));
        }
        settings.into_iter().flatten().collect()
    }
}
