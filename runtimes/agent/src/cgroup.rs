//! Control groups: where the files of one are, and what they take, in version 2 or 1.

use std::path::{Path, PathBuf};

use crate::fault::{Exit, Fault};
use crate::machine::Machine;
use crate::setting::Setting;

/// The kernel accepts no smaller quota in a period.
pub const LEAST_QUOTA_US: i64 = 1_000;
/// Limits of the kernel for a period.
pub const PERIODS_US: (i64, i64) = (1_000, 1_000_000);
/// Where version 2 is mounted: alone, or together with version 1.
const V2: [&str; 2] = ["sys/fs/cgroup", "sys/fs/cgroup/unified"];
const V1_CPU: [&str; 3] =
    ["sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct", "sys/fs/cgroup/cpuacct,cpu"];
const V1_FREEZER: &str = "sys/fs/cgroup/freezer";
const V1_CPUSET: &str = "sys/fs/cgroup/cpuset";
const PPM: i64 = 1_000_000;

/// The files of the processor time of a group.
#[derive(Clone, Debug)]
pub enum CpuLimit {
    /// `cpu.max` and `cpu.weight`.
    V2(PathBuf),
    /// `cpu.cfs_quota_us`, `cpu.cfs_period_us` and `cpu.shares`.
    V1(PathBuf),
}

impl CpuLimit {
    /// Finds the files of a group by its path, as in `/proc/PID/cgroup`.
    pub fn of(machine: &dyn Machine, group: &str) -> Result<Self, Fault> {
        let below = group.trim_start_matches('/');
        let has = |folder: &Path, file: &str| machine.read(&folder.join(file)).is_ok();
        for folder in V2.map(|mount| Path::new(mount).join(below)) {
            if has(&folder, "cpu.max") {
                return Ok(Self::V2(folder));
            }
        }
        for folder in V1_CPU.map(|mount| Path::new(mount).join(below)) {
            if has(&folder, "cpu.cfs_quota_us") {
                return Ok(Self::V1(folder));
            }
        }
        let is_v2 = V2.iter().any(|mount| has(&Path::new(mount).join(below), "cgroup.procs"));
        Err(without_controller(group, is_v2))
    }

    /// Settings for at most `quota_us` of processor time in a period, and a weight in millionths of
    /// the largest. In version 1 the period comes first: a quota must fit in it.
    pub fn settings(&self, quota_us: i64, period_us: i64, weight_ppm: i64) -> Vec<Setting> {
        let weight = |least: i64, most: i64| (most * weight_ppm / PPM).clamp(least, most);
        match self {
            Self::V2(folder) => vec![
                Setting::new(folder.join("cpu.max"), format!("{quota_us} {period_us}")),
                Setting::new(folder.join("cpu.weight"), weight(1, 10_000)),
            ],
            Self::V1(folder) => vec![
                Setting::new(folder.join("cpu.cfs_period_us"), period_us),
                Setting::new(folder.join("cpu.cfs_quota_us"), quota_us),
                Setting::new(folder.join("cpu.shares"), weight(2, 262_144)),
            ],
        }
    }
}

fn without_controller(group: &str, is_v2: bool) -> Fault {
    if is_v2 {
        let what =
            format!("the cgroup `{group}` has no `cpu.max`: its parent does not delegate `cpu`");
        let help =
            "`echo +cpu > cgroup.subtree_control` in the parent, or `Delegate=cpu` in its unit";
        return Fault::new(Exit::MissingPart, what, help);
    }
    let what = format!("no cgroup `{group}` with limits of processor time");
    let help = "give the path in `/proc/PID/cgroup` of a process of this machine, and see `--root`";
    Fault::new(Exit::MissingPart, what, help)
}

/// The file that stops all processes of a group, and lets them go on.
#[derive(Clone, Debug)]
pub enum Freezer {
    /// `cgroup.freeze`.
    V2(PathBuf),
    /// `freezer.state`.
    V1(PathBuf),
}

impl Freezer {
    /// Finds the files of a group by its path, as in `/proc/PID/cgroup`.
    pub fn of(machine: &dyn Machine, group: &str) -> Result<Self, Fault> {
        Self::find(machine, group)?.ok_or_else(|| {
            let what = format!("the cgroup `{group}` cannot be frozen");
            let help = "it needs `cgroup.freeze` (version 2), or a group of that path below \
                        `/sys/fs/cgroup/freezer` (version 1)";
            Fault::new(Exit::MissingPart, what, help)
        })
    }

    /// The freezer of a group; none if the group has no file for it.
    pub fn find(machine: &dyn Machine, group: &str) -> Result<Option<Self>, Fault> {
        let below = group.trim_start_matches('/');
        check_is_not_own(machine, group, &["freezer"])?;
        let v2 = V2.map(|mount| Path::new(mount).join(below).join("cgroup.freeze"));
        if let Some(file) = v2.into_iter().find(|file| machine.read(file).is_ok()) {
            return Ok(Some(Self::V2(file)));
        }
        let v1 = Path::new(V1_FREEZER).join(below).join("freezer.state");
        Ok(machine.read(&v1).is_ok().then_some(Self::V1(v1)))
    }

    /// The file.
    pub fn file(&self) -> &Path {
        match self {
            Self::V2(file) | Self::V1(file) => file,
        }
    }

    /// Whether the kernel reports that all processes are stopped.
    pub fn is_frozen(&self, machine: &dyn Machine) -> bool {
        match self {
            Self::V2(file) => {
                let events = machine.read(&file.with_file_name("cgroup.events"));
                events.is_ok_and(|text| text.lines().any(|line| line == "frozen 1"))
            }
            Self::V1(file) => machine.read(file).is_ok_and(|text| text == "FROZEN"),
        }
    }

    /// The setting that stops its processes, or lets them run.
    pub fn setting(&self, is_frozen: bool) -> Setting {
        match self {
            Self::V2(file) => Setting::new(file, u8::from(is_frozen)),
            Self::V1(file) => Setting::new(file, if is_frozen { "FROZEN" } else { "THAWED" }),
        }
    }
}

/// A group whose processes run only where no other process wants to (`cpu.idle`, that is SCHED_IDLE).
#[derive(Clone, Debug)]
pub struct IdleGroup {
    /// Settings that make the group idle.
    idle: Vec<Setting>,
    cpuset: PathBuf,
}

impl IdleGroup {
    /// Finds the files of a group by its path, as in `/proc/PID/cgroup`.
    pub fn of(machine: &dyn Machine, group: &str) -> Result<Self, Fault> {
        check_is_not_own(machine, group, &["cpu", "cpuset"])?;
        let (folder, weight) = match CpuLimit::of(machine, group)? {
            CpuLimit::V2(folder) => (folder, "cpu.weight"),
            CpuLimit::V1(folder) => (folder, "cpu.shares"),
        };
        let (file, cpuset) = (folder.join("cpu.idle"), cpuset_file(machine, group));
        let (Ok(before), Some(cpuset)) = (machine.read(&file), cpuset) else {
            let what = format!("the cgroup `{group}` has no `cpu.idle`, or no `cpuset.cpus`");
            let help = "it needs both controllers, and Linux 5.15 or later";
            return Err(Fault::new(Exit::MissingPart, what, help));
        };
        // The kernel forgets the weight of a group that becomes idle, so its value is to be restored.
        let weight = folder.join(weight);
        let weight = machine.read(&weight).map(|value| Setting::new(weight, value));
        let weight = weight.ok().filter(|_| before == "0");
        let idle = weight.into_iter().chain([Setting::new(file, 1)]).collect();
        Ok(Self { idle, cpuset })
    }

    /// Settings with which its processes run on these CPUs.
    pub fn settings(&self, cpus: &str) -> Vec<Setting> {
        let cpuset = Setting::new(&self.cpuset, cpus);
        self.idle.iter().cloned().chain([cpuset]).collect()
    }
}

/// An error where this process is in the group, by one of these controllers: it would stop itself, and
/// never start again.
fn check_is_not_own(machine: &dyn Machine, group: &str, controllers: &[&str]) -> Result<(), Fault> {
    let text = machine.read(Path::new("proc/self/cgroup")).unwrap_or_default();
    // Such as `7:freezer:/web`, or `0::/web` in version 2.
    let is_own = text.lines().any(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (names, own) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let is_such = names.is_empty() || names.split(',').any(|one| controllers.contains(&one));
        is_such && Path::new(own.trim_matches('/')).starts_with(group.trim_matches('/'))
    });
    if !is_own {
        return Ok(());
    }
    let what = format!("the agent is in the cgroup `{group}`, and would stop itself");
    Err(Fault::new(Exit::MissingPart, what, "start the agent in another cgroup, such as its unit"))
}

/// The file of the CPUs of a group; none where the group has no such limit.
pub fn cpuset_file(machine: &dyn Machine, group: &str) -> Option<PathBuf> {
    let below = group.trim_start_matches('/');
    let mounts = V2.into_iter().chain([V1_CPUSET]);
    let mut files = mounts.map(|mount| Path::new(mount).join(below).join("cpuset.cpus"));
    files.find(|file| machine.read(file).is_ok())
}
