//! The frequency of a core, through cpufreq in the forms that its drivers have.

use std::path::{Path, PathBuf};

use crate::fault::{Exit, Fault};
use crate::machine::Machine;
use crate::setting::Setting;

const POLICIES: &str = "sys/devices/system/cpu/cpufreq";

/// One cpufreq policy: CPUs that share a clock.
#[derive(Clone, Debug)]
pub struct Clock {
    folder: PathBuf,
    way: Way,
    least_khz: u64,
    most_khz: u64,
    /// Ascending; empty if the driver takes any frequency.
    table: Vec<u64>,
    last_khz: Option<u64>,
}

/// How a frequency is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Governor `userspace`, and `scaling_setspeed`.
    Userspace,
    /// Both limits, `scaling_min_freq` and `scaling_max_freq`, at that frequency: drivers that choose
    /// it themselves (intel_pstate and amd-pstate in active mode, HWP) have no other way.
    Limits,
}

impl Clock {
    /// The clock of a CPU.
    pub fn of(machine: &dyn Machine, cpu: usize) -> Result<Self, Fault> {
        for first in 0..=cpu {
            let folder = Path::new(POLICIES).join(format!("policy{first}"));
            let Ok(cpus) = machine.read(&folder.join("affected_cpus")) else { continue };
            if cpus.split_whitespace().any(|other| other.parse() == Ok(cpu)) {
                return Self::in_folder(machine, folder);
            }
        }
        let what = format!("CPU {cpu} has no cpufreq: its frequency cannot be set");
        let help = "load a cpufreq driver; most virtual machines have none";
        Err(Fault::new(Exit::MissingPart, what, help))
    }

    fn in_folder(machine: &dyn Machine, folder: PathBuf) -> Result<Self, Fault> {
        let text = |name: &str| {
            let file = folder.join(name);
            machine.read(&file).map_err(|why| Fault::unreadable(&file, &why))
        };
        let khz = |name: &str| {
            text(name)?.parse().map_err(|_| {
                let what = format!("`{}/{name}` is no frequency", folder.display());
                Fault::new(Exit::BadContent, what, "it is a number of kHz")
            })
        };
        let governors = text("scaling_available_governors")?;
        let has_userspace = governors.split_whitespace().any(|name| name == "userspace");
        let table = text("scaling_available_frequencies").unwrap_or_default();
        let mut table: Vec<u64> =
            table.split_whitespace().filter_map(|khz| khz.parse().ok()).collect();
        table.sort_unstable();
        let (least_khz, most_khz) = (khz("cpuinfo_min_freq")?, khz("cpuinfo_max_freq")?);
        let way = if has_userspace { Way::Userspace } else { Way::Limits };
        Ok(Self { folder, way, least_khz, most_khz, table, last_khz: None })
    }

    /// Its files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The limits of the hardware [kHz].
    pub fn range_khz(&self) -> (u64, u64) {
        (self.least_khz, self.most_khz)
    }

    /// An error where the hardware is slower than the highest frequency of a policy.
    pub fn check_reaches(&self, khz: u64) -> Result<(), Fault> {
        if khz <= self.most_khz {
            return Ok(());
        }
        let what = format!(
            "the policy uses {khz} kHz, but `{}` has at most {} kHz",
            self.folder.display(),
            self.most_khz
        );
        let help = "compile a policy with the frequencies of this machine";
        Err(Fault::new(Exit::MissingPart, what, help))
    }

    /// The lowest frequency that the driver has from `khz` on, so that requests are not slower than
    /// in the policy.
    fn available_khz(&self, khz: u64) -> u64 {
        let at = self.table.partition_point(|listed| *listed < khz);
        let khz = self.table.get(at).copied().unwrap_or(khz);
        khz.clamp(self.least_khz, self.most_khz)
    }

    /// Settings for that frequency, in their order: the lower limit never exceeds the upper one.
    pub fn settings(&mut self, khz: u64) -> Vec<Setting> {
        let khz = self.available_khz(khz);
        let before_khz = self.last_khz.replace(khz);
        let set = |name: &str, value: &dyn ToString| {
            Setting::new(self.folder.join(name), value.to_string())
        };
        let (min, max) = ("scaling_min_freq", "scaling_max_freq");
        match (self.way, before_khz) {
            (Way::Userspace, None) => vec![
                set(min, &self.least_khz),
                set(max, &self.most_khz),
                set("scaling_governor", &"userspace"),
                set("scaling_setspeed", &khz),
            ],
            (Way::Userspace, Some(_)) => vec![set("scaling_setspeed", &khz)],
            (Way::Limits, None) => vec![set(min, &self.least_khz), set(max, &khz), set(min, &khz)],
            (Way::Limits, Some(before)) if before > khz => vec![set(min, &khz), set(max, &khz)],
            (Way::Limits, Some(_)) => vec![set(max, &khz), set(min, &khz)],
        }
    }
}
