//! Lists of CPUs as the kernel writes them, such as `0-3,8`.

use std::path::Path;

use crate::fault::{Exit, Fault};
use crate::machine::Machine;

const ONLINE: &str = "sys/devices/system/cpu/online";
/// No machine has a CPU with a larger number.
pub const MOST_CPUS: usize = 1 << 14;

const CPUS_HELP: &str = "name the CPU of each core of the server, such as `--cpus 2-5`";

/// The CPUs of a list, in its order; none where it is no such list.
pub fn cpus_in(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// All CPUs that run.
pub fn online(machine: &dyn Machine) -> Result<Vec<usize>, Fault> {
    let path = Path::new(ONLINE);
    let text = machine.read(path).map_err(|why| {
        let what = format!("`{ONLINE}` below the root cannot be read: {why}");
        Fault::new(
            Exit::CannotRead,
            what,
            "give the folder that has the `sys` of a machine as `--root`",
        )
    })?;
    cpus_in(&text).ok_or_else(|| {
        let what = format!("`{ONLINE}` is `{text}`, which is no list of CPUs");
        Fault::new(Exit::BadContent, what, "a list is such as `0-3,8`")
    })
}

/// The CPUs of a server's cores: those of the list, or the first `count` that run.
pub fn cpus_of(
    machine: &dyn Machine,
    list: Option<&[usize]>,
    count: Option<usize>,
) -> Result<Vec<usize>, Fault> {
    let cpus = match (list, count) {
        (Some(cpus), _) => cpus.to_vec(),
        (None, Some(count)) => online(machine)?.into_iter().take(count).collect(),
        (None, None) => {
            let what = "the policy does not say how many cores the server has";
            return Err(Fault::new(Exit::Usage, what, CPUS_HELP));
        }
    };
    check_count(count, cpus.len())?;
    Ok(cpus)
}

/// An error for a policy that says that the server has another number of cores.
pub fn check_count(count: Option<usize>, cpus: usize) -> Result<(), Fault> {
    match count {
        Some(count) if count != cpus => {
            let what = format!("the policy is for {count} cores, but there are {cpus} CPUs");
            Err(Fault::new(Exit::MissingPart, what, CPUS_HELP))
        }
        _ => Ok(()),
    }
}

/// The other hardware threads of a CPU's core, as a list.
pub fn siblings_of(machine: &dyn Machine, cpu: usize) -> Result<String, Fault> {
    let path = format!("sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let path = Path::new(&path);
    let text = machine.read(path).map_err(|why| Fault::unreadable(path, &why))?;
    let others = cpus_in(&text).unwrap_or_default().into_iter().filter(|other| *other != cpu);
    let others: Vec<String> = others.map(|other| other.to_string()).collect();
    if others.is_empty() {
        let what = format!("CPU {cpu} has no other hardware thread for batch work");
        let help = "switch SMT on, or choose CPUs with `--cpus`";
        return Err(Fault::new(Exit::MissingPart, what, help));
    }
    Ok(others.join(","))
}
