//! Lists of CPUs as the kernel writes them, such as `0-3,8`.

use std::path::Path;

use crate::fault::{Exit, Fault};
use crate::machine::Machine;

const ONLINE: &str = "sys/devices/system/cpu/online";
/// No machine has a CPU with a larger number.
const MOST: usize = 1 << 14;

/// The CPUs of a list, in its order; none where it is no such list.
pub fn cpus_in(list: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= MOST {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// All CPUs that run.
pub fn online(machine: &dyn Machine) -> Result<Vec<usize>, Fault> {
    let path = Path::new(ONLINE);
    let text = machine.read(path).map_err(|why| Fault::unreadable(path, &why))?;
    cpus_in(&text).ok_or_else(|| {
        let what = format!("`{ONLINE}` is `{text}`, which is no list of CPUs");
        Fault::new(Exit::BadContent, what, "a list is such as `0-3,8`")
    })
}
