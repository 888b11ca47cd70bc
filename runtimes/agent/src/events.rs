//! Cycles, instructions and cycles that wait for memory, as the processor counts them for each core.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::cores::Core;
use crate::fault::{warn, Exit, Fault};
use crate::machine::{Machine, Tree};
use crate::on_cores::ServerCores;
use crate::os::{open_counter, word_at, Counted, Event};

/// Folder of a copy of a machine; a real one does not have it. The file `counters/CPU` has cycles,
/// instructions and stalled cycles.
const COPY: &str = "counters";
/// Folders of control groups whose events can be counted: version 2, or the controller of version 1.
const GROUPS: [&str; 3] = ["sys/fs/cgroup/perf_event", "sys/fs/cgroup", "sys/fs/cgroup/unified"];
const HARDWARE: u32 = 0;
const RAW: u32 = 4;
const CYCLES: Event = Event { kind: HARDWARE, number: 0 };
const INSTRUCTIONS: Event = Event { kind: HARDWARE, number: 1 };
/// Cycles in which the back end of the pipeline waits, mostly for memory.
const STALLS: Event = Event { kind: HARDWARE, number: 8 };

/// Values that only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Counts {
    pub cycles: u64,
    pub instructions: u64,
    /// Cycles that wait for memory; always 0 where the processor does not count them.
    pub stalls: u64,
}

impl Counts {
    fn with(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            cycles: of(self.cycles, other.cycles),
            instructions: of(self.instructions, other.instructions),
            stalls: of(self.stalls, other.stalls),
        }
    }

    /// The counts since an earlier reading.
    pub fn since(self, before: Self) -> Self {
        self.with(before, u64::saturating_sub)
    }

    /// The sum of two counts.
    pub fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// The share `of / whole` of the counts, at most all of them.
    pub fn part(self, of: u64, whole: u64) -> Self {
        let (of, whole) = (u128::from(of.min(whole)), u128::from(whole.max(1)));
        self.with(self, |count, _| (u128::from(count) * of / whole) as u64)
    }

    /// Instructions per cycle; none without cycles.
    pub fn per_cycle(self) -> Option<f64> {
        (self.cycles > 0).then(|| self.instructions as f64 / self.cycles as f64)
    }
}

/// Which execution is counted for a core of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All threads that run on its CPU.
    Cpus,
    /// The thread of its request.
    Threads,
    /// The processes of a control group that run on its CPU.
    Group(String),
}

/// Options of the command line about counters.
#[derive(Clone, Debug, Default)]
pub struct Counting {
    /// None: nothing is counted.
    pub scope: Option<Scope>,
    /// The event of the processor for cycles that wait for memory; none: the kernel's own.
    pub stalls: Option<u64>,
}

/// The counters of all cores.
#[derive(Debug)]
pub enum Events {
    /// Counters of this machine.
    Kernel { scope: Scope, stalls: Event, meters: Vec<Meter> },
    /// Counters of a copy of a machine, one file for each CPU.
    Copy(Tree, Vec<PathBuf>),
}

impl Events {
    /// Opens all counters. None: the command line asks for none, or the machine has none, which a
    /// warning says.
    pub fn open(counting: &Counting, root: &Path, of: &ServerCores) -> Result<Option<Self>, Fault> {
        let Some(scope) = &counting.scope else { return Ok(None) };
        let (cpus, cores) = (&of.cpus, of.count);
        if *scope != Scope::Threads && cpus.len() != cores {
            let what = "requests of this policy move between CPUs, so `--count` is of threads";
            return Err(Fault::new(Exit::Usage, what, "give `--count threads`"));
        }
        let tree = Tree::new(root);
        if tree.path_of(Path::new(COPY)).is_dir() {
            let file = |cpu: &usize| Path::new(COPY).join(cpu.to_string());
            return Ok(Some(Self::Copy(tree, cpus.iter().map(file).collect())));
        }
        let stalls = counting.stalls.map_or(STALLS, |number| Event { kind: RAW, number });
        let group = match scope {
            Scope::Group(group) => Some(folder_of(&tree, group)?),
            _ => None,
        };
        let meters = (0..cores).map(|core| match (scope, &group) {
            (Scope::Threads, _) => Meter::open(Counted::Thread(0), stalls),
            (_, Some(folder)) => Meter::open(Counted::Group(folder, cpus[core]), stalls),
            _ => Meter::open(Counted::Cpu(cpus[core]), stalls),
        });
        match meters.collect::<io::Result<Vec<_>>>() {
            Err(why) => {
                warn(format_args!("nothing is counted: {}", reason(&why)));
                Ok(None)
            }
            Ok(meters) => {
                if meters.iter().any(|meter| meter.stalls.is_none()) {
                    warn(
                        "memory time is not counted: the processor has no such event; see --stalls",
                    );
                }
                Ok(Some(Self::Kernel { scope: scope.clone(), stalls, meters }))
            }
        }
    }

    /// The counts of a core now; none where it has no counter.
    pub fn counts(&mut self, at: usize, core: &Core) -> Option<Counts> {
        match self {
            Self::Copy(tree, files) => counts_in(&tree.read(files.get(at)?).ok()?),
            Self::Kernel { scope, stalls, meters } => {
                let meter = &mut meters[at];
                if *scope == Scope::Threads {
                    let thread = core.running.map_or(meter.thread, |running| running.thread);
                    if thread == 0 {
                        return Some(Counts::default());
                    }
                    meter.follow(thread, *stalls)?;
                }
                meter.read().ok()
            }
        }
    }
}

fn folder_of(tree: &Tree, group: &str) -> Result<File, Fault> {
    let below = group.trim_start_matches('/');
    let mut folders = GROUPS.iter().map(|mount| tree.path_of(&Path::new(mount).join(below)));
    let found = folders.find(|folder| folder.join("cgroup.procs").exists());
    found.and_then(|folder| File::open(folder).ok()).ok_or_else(|| {
        let what = format!("no cgroup `{group}` whose events can be counted");
        let help = "give the path in `/proc/PID/cgroup` of a process of the server";
        Fault::new(Exit::MissingPart, what, help)
    })
}

/// Why a counter cannot be opened, and what to do.
fn reason(why: &io::Error) -> String {
    let help = match why.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "the processor counts no cycles here, as in many virtual machines"
        }
        Some(libc::EACCES | libc::EPERM) => {
            "it needs the capability CAP_PERFMON, or a lower kernel.perf_event_paranoid"
        }
        Some(libc::ENOSYS) => "the kernel is built without perf events",
        _ => "check the CPUs of `--cpus`",
    };
    format!("{help} ({why})")
}

/// Cycles, instructions and, if the machine counts them, stalled cycles, as one text.
fn counts_in(text: &str) -> Option<Counts> {
    let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
    let (cycles, instructions) = (numbers.next()??, numbers.next()??);
    Some(Counts { cycles, instructions, stalls: numbers.next().flatten().unwrap_or(0) })
}

/// The counters of one core.
#[derive(Debug)]
pub struct Meter {
    /// The counters that are read together with the first one.
    first: File,
    _instructions: File,
    stalls: Option<File>,
    /// The thread whose events are counted; 0: none yet.
    thread: u64,
    /// Counts of the threads before it.
    before: Counts,
}

impl Meter {
    fn open(of: Counted<'_>, stalls: Event) -> io::Result<Self> {
        Self::of_events([CYCLES, INSTRUCTIONS, stalls], of)
    }

    fn of_events([cycles, instructions, stalls]: [Event; 3], of: Counted<'_>) -> io::Result<Self> {
        let first = open_counter(cycles, of, None)?;
        let instructions = open_counter(instructions, of, Some(&first))?;
        let stalls = open_counter(stalls, of, Some(&first)).ok();
        let (thread, before) = (0, Counts::default());
        Ok(Self { first, _instructions: instructions, stalls, thread, before })
    }

    /// Counts another thread from now on; returns none if it has ended or may not be counted.
    fn follow(&mut self, thread: u64, stalls: Event) -> Option<()> {
        if thread == self.thread {
            return Some(());
        }
        let id = u32::try_from(thread).ok().filter(|id| *id <= i32::MAX as u32)?;
        let before = if self.thread == 0 { Counts::default() } else { self.read().ok()? };
        *self = Self { thread, before, ..Self::open(Counted::Thread(id), stalls).ok()? };
        Some(())
    }

    fn read(&mut self) -> io::Result<Counts> {
        const WORDS: usize = 6;
        let mut bytes = [0; WORDS * size_of::<u64>()];
        let length = self.first.read(&mut bytes)?;
        let (enabled_ns, counted_ns) = (word_at(&bytes, 1), word_at(&bytes, 2));
        if length == 0 || counted_ns == 0 && enabled_ns > 0 {
            // Others use all counters of the processor.
            return Err(io::ErrorKind::WouldBlock.into());
        }
        // Counters that share the processor count for a part of the time, so counts are scaled up.
        let whole = |at: usize| {
            let scaled = u128::from(word_at(&bytes, at)) * u128::from(enabled_ns);
            (scaled / u128::from(counted_ns.max(1))) as u64
        };
        let counts = Counts { cycles: whole(3), instructions: whole(4), stalls: whole(5) };
        Ok(self.before.plus(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFTWARE: u32 = 1;
    const TASK_CLOCK: Event = Event { kind: SOFTWARE, number: 1 };
    const CPU_CLOCK: Event = Event { kind: SOFTWARE, number: 0 };
    /// An event that no kernel has.
    const NONE: Event = Event { kind: SOFTWARE, number: u64::MAX };

    #[test]
    fn the_kernel_counts_what_a_thread_does() {
        let own = Counted::Thread(0);
        // A kernel without perf events, or that does not permit them, has nothing to test.
        let Ok(mut meter) = Meter::of_events([TASK_CLOCK, CPU_CLOCK, NONE], own) else { return };
        assert!(meter.stalls.is_none());
        let before = meter.read().unwrap();
        assert_eq!((0..1_000_u64).map(std::hint::black_box).sum::<u64>(), 499_500);
        // The kernel updates clocks of a group when their thread leaves its CPU.
        std::thread::sleep(std::time::Duration::from_millis(1));
        let done = meter.read().unwrap().since(before);
        assert!(done.cycles > 0, "{done:?}");
        assert!(done.instructions > 0, "{done:?}");
        assert_eq!(done.stalls, 0);
    }

    #[test]
    fn an_event_that_cannot_be_counted_is_explained() {
        let why = open_counter(NONE, Counted::Thread(0), None).unwrap_err();
        assert!(reason(&why).contains(&why.to_string()));
        let explained = |number| reason(&io::Error::from_raw_os_error(number));
        assert!(explained(libc::ENOENT).contains("virtual machines"));
        assert!(explained(libc::EACCES).contains("CAP_PERFMON"));
        assert!(explained(libc::ENOSYS).contains("without perf events"));
    }

    #[test]
    fn counts_of_a_copy_are_numbers_in_a_text() {
        let counts = Counts { cycles: 7, instructions: 9, stalls: 2 };
        assert_eq!(counts_in("7 9 2\n"), Some(counts));
        assert_eq!(counts_in("7 9"), Some(Counts { stalls: 0, ..counts }));
        assert_eq!(counts_in("7"), None);
        assert_eq!(counts_in("x 9"), None);
    }
}
