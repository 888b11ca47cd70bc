//! What servers do on each core: from shared memory, or from recorded inputs.

use std::path::Path;

use crate::board::Board;
use crate::events::{Counts, Events};
use crate::fault::Fault;
use crate::inputs::{Row, Table};
use crate::os::now_ns;

const NS_PER_US: u64 = 1_000;
/// A count of waiting requests above it is an error of the server, such as a count below 0.
pub const MOST_WAITING: u64 = 1 << 16;

/// All cores at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// On the clock of the requests.
    pub now_ns: u64,
    /// In the order of the server's cores.
    pub cores: Vec<Core>,
}

/// The requests of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    /// The one that runs.
    pub running: Option<Running>,
    /// Number of requests that wait for this core.
    pub waiting: u64,
    /// When those arrived, as far as the server reports it [ns].
    pub queue_ns: Vec<u64>,
    /// Requests that have ever arrived; 0 if the server does not count them.
    pub arrivals: u64,
    /// What the processor has counted, if it counts.
    pub counts: Option<Counts>,
}

/// A running request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// When it started [ns].
    pub started_ns: u64,
    /// When it arrived; the same as `started_ns` if it did not wait.
    pub arrived_ns: u64,
    /// Cycles that it has used, if the server counts them.
    pub cycles: Option<u64>,
    /// Memory time that it has used [ns].
    pub memory_ns: u64,
    /// The kernel's id of its thread; 0 if the server does not report it.
    pub thread: u64,
}

impl Running {
    /// How long it waited.
    pub fn waited_us(&self) -> u64 {
        self.started_ns.saturating_sub(self.arrived_ns) / NS_PER_US
    }
}

impl Seen {
    /// Requests in the system.
    pub fn in_system(&self) -> u64 {
        self.cores.iter().map(|core| core.waiting + u64::from(core.running.is_some())).sum()
    }
}

/// Where it is seen.
#[derive(Debug)]
pub enum Input {
    /// Memory that the server shares, and counters.
    Live(Board, Option<Events>),
    /// The next observations, the last first.
    Recorded(Vec<Seen>),
}

impl Input {
    /// The next observation; none at the end of recorded ones.
    pub fn next(&mut self) -> Result<Option<Seen>, Fault> {
        match self {
            Self::Live(board, events) => {
                let mut seen = board.seen(now_ns())?;
                for (at, core) in seen.cores.iter_mut().enumerate() {
                    core.counts = events.as_mut().and_then(|events| events.counts(at, core));
                }
                Ok(Some(seen))
            }
            Self::Recorded(seen) => Ok(seen.pop()),
        }
    }

    /// Rows of one `time_us` in a row are one observation; cores without a row are idle.
    pub fn recorded(path: &Path, cores: usize) -> Result<Self, Fault> {
        let table = Table::read(path)?;
        let columns = Columns::of(&table)?;
        let (mut all, mut has_row): (Vec<Seen>, _) = (Vec::new(), vec![false; cores]);
        for row in table.rows() {
            let now_ns = row.time_ns(columns.time)?;
            if all.last().is_none_or(|seen| seen.now_ns != now_ns) {
                if all.last().is_some_and(|seen| seen.now_ns > now_ns) {
                    return Err(row.wrong(columns.time, "is before the row above"));
                }
                all.push(Seen { now_ns, cores: vec![Core::default(); cores] });
                has_row.fill(false);
            }
            let at = row.whole(columns.core)? as usize;
            let core = all.last_mut().and_then(|seen| seen.cores.get_mut(at));
            let Some(core) = core else {
                return Err(row.wrong(columns.core, &format!("is not below {cores} cores")));
            };
            if std::mem::replace(&mut has_row[at], true) {
                return Err(row.wrong(columns.core, "has two rows of one time"));
            }
            *core = columns.core_in(&row, now_ns)?;
        }
        if all.is_empty() {
            return Err(table.empty("give one row for each busy core"));
        }
        all.reverse();
        Ok(Self::Recorded(all))
    }
}

/// Places of columns; those that are not in the table are 0 in all rows.
struct Columns {
    time: usize,
    core: usize,
    started: usize,
    arrived: Option<usize>,
    waiting: Option<usize>,
    queue: Option<usize>,
    arrivals: Option<usize>,
    cycles: Option<usize>,
    memory: Option<usize>,
    thread: Option<usize>,
    counted: [Option<usize>; 3],
}

impl Columns {
    fn of(table: &Table) -> Result<Self, Fault> {
        Ok(Self {
            time: table.column("time_us")?,
            core: table.column("core")?,
            started: table.column("started_us")?,
            arrived: table.optional_column("arrived_us"),
            waiting: table.optional_column("waiting"),
            queue: table.optional_column("queue_us"),
            arrivals: table.optional_column("arrivals"),
            cycles: table.optional_column("cycles"),
            memory: table.optional_column("memory_ns"),
            thread: table.optional_column("thread"),
            counted: ["counted_cycles", "counted_instructions", "counted_stalls"]
                .map(|name| table.optional_column(name)),
        })
    }

    fn core_in(&self, row: &Row<'_>, now_ns: u64) -> Result<Core, Fault> {
        let whole = |column: Option<usize>| match column {
            Some(column) if !row.text(column).is_empty() => row.whole(column).map(Some),
            _ => Ok(None),
        };
        let time_ns = |column: Option<usize>| match column {
            Some(column) if !row.text(column).is_empty() => row.time_ns(column).map(Some),
            _ => Ok(None),
        };
        let mut queue_ns = Vec::new();
        for text in self.queue.map_or("", |column| row.text(column)).split_whitespace() {
            let wrong = || row.wrong(self.queue.unwrap_or(0), "is no list of times");
            let time_us: Option<u64> = text.parse().ok();
            queue_ns.push(time_us.and_then(|us| us.checked_mul(NS_PER_US)).ok_or_else(wrong)?);
        }
        let running = match time_ns(Some(self.started))? {
            None => None,
            Some(started_ns) => {
                let arrived_ns = time_ns(self.arrived)?.unwrap_or(started_ns);
                if started_ns > now_ns || arrived_ns > started_ns {
                    return Err(row.wrong(self.started, "is after its time, or before its arrival"));
                }
                let cycles = whole(self.cycles)?;
                let memory_ns = whole(self.memory)?.unwrap_or(0);
                let thread = whole(self.thread)?.unwrap_or(0);
                Some(Running { started_ns, arrived_ns, cycles, memory_ns, thread })
            }
        };
        let waiting = whole(self.waiting)?.unwrap_or(queue_ns.len() as u64);
        if let Some(column) = self.waiting.filter(|_| waiting > MOST_WAITING) {
            return Err(row.wrong(column, &format!("is above {MOST_WAITING}")));
        }
        let [cycles, instructions, stalls] = self.counted.map(whole);
        let (instructions, stalls) = (instructions?.unwrap_or(0), stalls?.unwrap_or(0));
        let counts = cycles?.map(|cycles| Counts { cycles, instructions, stalls });
        let arrivals = whole(self.arrivals)?.unwrap_or(0);
        Ok(Core { running, waiting, queue_ns, arrivals, counts })
    }
}
