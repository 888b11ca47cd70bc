//! AutoPro: processor time of each machine of a host, by the throughput of those with a target.

use std::fmt::Write as _;
use std::sync::Arc;

use tailc_runtime::{Policy, Shares};

use crate::arguments::{NamedValues, Run, Zero};
use crate::cgroup::{CpuLimit, Freezer, LEAST_QUOTA_US, PERIODS_US};
use crate::cpus::online;
use crate::fault::{Exit, Fault};
use crate::inputs::Table;
use crate::kind::{Kind, Tick};
use crate::machine::Machine;
use crate::metrics::Exposition;
use crate::os::now_ns;
use crate::setting::Setting;
use crate::source::{Source, Texts};
use crate::throughput::Throughput;

const PPM: i64 = 1_000_000;
const US_PER_MS: u64 = 1_000;

/// The shares of a policy, on the control groups of a host.
#[derive(Debug)]
pub struct AutoPro {
    /// As the policy has them.
    first: Shares,
    shares: Shares,
    host: Host,
    input: Input,
    ticks: u64,
    last: Measured,
}

/// What was measured at a tick, by machine with a target.
#[derive(Clone, Debug, Default)]
struct Measured {
    throughput: Vec<f64>,
    waiting: Vec<u64>,
}

impl AutoPro {
    /// For a host whose groups and sources the command line names.
    pub fn new(shares: &Shares, run: &Run, machine: &dyn Machine) -> Result<Self, Fault> {
        let host = Host::new(shares, run, machine)?;
        let input = match &run.inputs {
            Some(path) => Input::recorded(shares, &Table::read(path)?)?,
            None => Input::Live(Counters::new(shares, run)?),
        };
        let (first, shares) = (shares.clone(), shares.clone());
        Ok(Self { first, shares, host, input, ticks: 0, last: Measured::default() })
    }

    fn start(&mut self, shares: Shares) {
        self.shares = shares;
        self.ticks = 0;
    }

    /// Ticks from one step to the next.
    fn lag(&self) -> u64 {
        (self.shares.step_us() / self.shares.estimate_us()) as u64
    }

    fn rows(&self, time_us: u64, had_ppm: &[i64]) -> String {
        let mut rows = String::new();
        let granted = self.shares.granted_ppm();
        let pairs = self.shares.machines().iter().zip(had_ppm).zip(granted);
        let served = pairs.filter(|((machine, _), _)| machine.target_milli.is_some());
        for (i, ((machine, had), next)) in served.enumerate() {
            // Writing to a text never fails.
            let _ = writeln!(
                rows,
                "{}.{:03},{},{},{},{},{},{}",
                time_us / US_PER_MS,
                time_us % US_PER_MS,
                machine.name,
                self.last.throughput[i],
                ratio(*had),
                ratio(*next),
                self.host.quota_us(*next),
                self.last.waiting[i],
            );
        }
        rows
    }
}

fn ratio(ppm: i64) -> String {
    format!("{}.{:06}", ppm / PPM, ppm % PPM)
}

impl Kind for AutoPro {
    fn interval_us(&self) -> u64 {
        self.shares.estimate_us() as u64
    }

    fn tick(&mut self, time_us: u64) -> Result<Tick, Fault> {
        match self.input.next(self.shares.served().len())? {
            Seen::Values(measured) => self.last = measured,
            Seen::Missing => {}
            Seen::Blind(why) => {
                // What was estimated before says nothing of the time after.
                self.start(self.first.clone());
                return Ok(Tick::Blind { why });
            }
            Seen::End => return Ok(Tick::End),
        }
        self.ticks += 1;
        let had_ppm = self.shares.granted_ppm().to_vec();
        let Measured { throughput, waiting } = &self.last;
        self.shares.tick_waiting(throughput, waiting).map_err(|why| {
            Fault::new(Exit::BadContent, why.to_string(), "see `docs/agent.md` for the inputs")
        })?;
        let is_step = self.ticks.is_multiple_of(self.lag());
        let journal = if is_step { self.rows(time_us, &had_ppm) } else { String::new() };
        let settings = self.host.settings(self.shares.granted_ppm());
        Ok(Tick::Want { settings, journal, again_us: None })
    }

    fn reload(&mut self, policy: &Arc<Policy>) -> Result<(), Fault> {
        let shares = policy.shares().map_err(|why| {
            Fault::new(Exit::BadContent, why.to_string(), "restart the agent for another kind")
        })?;
        let names = |shares: &Shares| -> Vec<(String, bool)> {
            let machines = shares.machines().iter();
            machines.map(|one| (one.name.clone(), one.target_milli.is_some())).collect()
        };
        let is_same_interval = shares.estimate_us() == self.shares.estimate_us();
        if names(shares) != names(&self.shares) || !is_same_interval {
            let what = "the new policy is for other machines, or has another `estimate`";
            return Err(Fault::new(Exit::BadContent, what, "restart the agent"));
        }
        self.host.period_us = period_us(shares);
        self.input.use_window(shares);
        self.first = shares.clone();
        self.start(shares.clone());
        Ok(())
    }

    fn journal_columns(&self) -> &str {
        "time_ms,machine,throughput,share,next_share,quota_us,waiting"
    }

    fn expose(&self, to: &mut Exposition) {
        let machines = self.shares.machines().iter().zip(self.shares.granted_ppm());
        let shares = machines.map(|(machine, ppm)| (machine.name.clone(), ratio(*ppm)));
        to.gauges("tailc_agent_share_ratio", "Share of the host.", "machine", shares);
        let names = || self.shares.served().iter().map(|one| one.name.clone());
        let measured = names().zip(self.last.throughput.iter().copied());
        let help = "Work per second over the window.";
        to.gauges("tailc_agent_throughput", help, "machine", measured);
        let unmet = names().zip(self.shares.cannot_meet().into_iter().map(u8::from));
        let help = "Whether the target cannot be met.";
        to.gauges("tailc_agent_target_unmet", help, "machine", unmet);
        if let Input::Live(counters) = &self.input {
            let help = "Ticks at which a source could not be read.";
            to.counter("tailc_agent_missing_inputs", help, counters.missing);
        }
    }
}

/// The groups of a host, in the order of the policy's machines.
#[derive(Debug)]
struct Host {
    guests: Vec<Guest>,
    cores: i64,
    period_us: i64,
    floor_ppm: i64,
}

#[derive(Debug)]
struct Guest {
    limit: CpuLimit,
    /// Only where a share of 0 stops all processes.
    freezer: Option<Freezer>,
}

impl Host {
    fn new(shares: &Shares, run: &Run, machine: &dyn Machine) -> Result<Self, Fault> {
        let names: Vec<&str> = shares.machines().iter().map(|one| one.name.as_str()).collect();
        run.cgroups.check_known("--cgroup", &names)?;
        run.cgroups.check_distinct_groups("--cgroup")?;
        let guest = |one: &tailc_runtime::Machine| {
            let group = run.cgroups.required("--cgroup", &one.name, "/machine.slice/NAME")?;
            let freezes = run.zero == Zero::Freeze && one.target_milli.is_none();
            let freezer = freezes.then(|| Freezer::of(machine, group)).transpose()?;
            Ok(Guest { limit: CpuLimit::of(machine, group)?, freezer })
        };
        let guests = shares.machines().iter().map(guest).collect::<Result<_, Fault>>()?;
        let cores = match run.cores {
            Some(cores) => cores as i64,
            None => online(machine)?.len() as i64,
        };
        Ok(Self { guests, cores, period_us: period_us(shares), floor_ppm: run.floor_ppm })
    }

    /// Of each period, for all cores together.
    fn quota_us(&self, granted_ppm: i64) -> i64 {
        let ppm = granted_ppm.max(self.floor_ppm);
        (ppm * self.period_us * self.cores / PPM).max(LEAST_QUOTA_US)
    }

    fn settings(&self, granted_ppm: &[i64]) -> Vec<Setting> {
        let mut settings = Vec::new();
        for (guest, ppm) in self.guests.iter().zip(granted_ppm) {
            let weight_ppm = (*ppm).max(self.floor_ppm);
            settings.extend(guest.limit.settings(self.quota_us(*ppm), self.period_us, weight_ppm));
            settings.extend(guest.freezer.as_ref().map(|freezer| freezer.setting(*ppm == 0)));
        }
        settings
    }
}

fn period_us(shares: &Shares) -> i64 {
    shares.enforce_us().clamp(PERIODS_US.0, PERIODS_US.1)
}

/// Where throughput comes from.
#[derive(Debug)]
enum Input {
    Live(Counters),
    /// The next ticks, the last first.
    Recorded(Vec<Measured>),
}

#[derive(Debug)]
enum Seen {
    Values(Measured),
    Missing,
    /// As `Tick::Blind`.
    Blind(Option<String>),
    End,
}

impl Input {
    fn next(&mut self, served: usize) -> Result<Seen, Fault> {
        match self {
            Self::Live(counters) => Ok(counters.next(now_ns(), served)),
            Self::Recorded(rows) => Ok(rows.pop().map_or(Seen::End, Seen::Values)),
        }
    }

    fn use_window(&mut self, shares: &Shares) {
        if let Self::Live(counters) = self {
            counters.use_window(shares);
        }
    }

    /// Each tick has one row for each machine with a target, in any order.
    fn recorded(shares: &Shares, table: &Table) -> Result<Self, Fault> {
        let (machine, throughput) = (table.column("machine")?, table.column("throughput")?);
        let waiting = table.optional_column("waiting");
        let names: Vec<&str> = shares.served().iter().map(|one| one.name.as_str()).collect();
        let rows: Vec<_> = table.rows().collect();
        let mut ticks = Vec::with_capacity(rows.len() / names.len());
        for group in rows.chunks(names.len()) {
            let mut seen = vec![None; names.len()];
            for row in group {
                let name = row.text(machine);
                let at = names.iter().position(|known| *known == name);
                let Some(at) = at.filter(|at| seen[*at].is_none()) else {
                    let why = "is no machine with a target, or comes twice in one tick";
                    return Err(row.wrong(machine, why));
                };
                let waiting = waiting.map_or(Ok(1), |column| row.whole(column))?;
                seen[at] = Some((row.number(throughput)?, waiting));
            }
            let complete: Option<Vec<(f64, u64)>> = seen.into_iter().collect();
            let Some(complete) = complete else {
                let why = "belongs to a tick that lacks a machine with a target";
                return Err(group[0].wrong(machine, why));
            };
            let (throughput, waiting) = complete.into_iter().unzip();
            ticks.push(Measured { throughput, waiting });
        }
        if ticks.is_empty() {
            return Err(table.empty("give one row for each machine with a target"));
        }
        ticks.reverse();
        Ok(Self::Recorded(ticks))
    }
}

/// Counters of the machines with a target, read at each tick.
#[derive(Debug)]
struct Counters {
    done: Vec<Source>,
    waiting: Vec<Option<Source>>,
    windows: Vec<Throughput>,
    missing_ns: Option<u64>,
    stale_ns: u64,
    /// Before the first readings, and after too many that are missing.
    is_blind: bool,
    missing: u64,
}

impl Counters {
    fn new(shares: &Shares, run: &Run) -> Result<Self, Fault> {
        let names: Vec<&str> = shares.served().iter().map(|one| one.name.as_str()).collect();
        run.throughput.check_known("--throughput", &names)?;
        run.waiting.check_known("--waiting", &names)?;
        let source = |values: &NamedValues, option: &str, name: &str| {
            Source::parse(values.required(option, name, "unix:/run/NAME.sock")?)
        };
        let done = names.iter().map(|name| source(&run.throughput, "--throughput", name));
        let waiting = names.iter().map(|name| run.waiting.get(name).map(Source::parse).transpose());
        Ok(Self {
            done: done.collect::<Result<_, _>>()?,
            waiting: waiting.collect::<Result<_, _>>()?,
            windows: names.iter().map(|_| Throughput::over(window_ticks(shares))).collect(),
            missing_ns: None,
            stale_ns: run.stale_us * US_PER_MS,
            is_blind: true,
            missing: 0,
        })
    }

    fn use_window(&mut self, shares: &Shares) {
        let ticks = window_ticks(shares);
        self.windows.iter_mut().for_each(|window| window.resize(ticks));
    }

    fn next(&mut self, now_ns: u64, served: usize) -> Seen {
        let mut texts = Texts::default();
        let counts: Result<Vec<f64>, String> =
            self.done.iter().map(|one| texts.number(one)).collect();
        let waiting = |one: &Option<Source>| match one {
            Some(source) => texts.number(source).map(|number| number.ceil() as u64),
            None => Ok(1),
        };
        let waiting: Result<Vec<u64>, String> = self.waiting.iter().map(waiting).collect();
        let (counts, waiting) = match (counts, waiting) {
            (Ok(counts), Ok(waiting)) => (counts, waiting),
            (Err(why), _) | (_, Err(why)) => return self.miss(now_ns, why),
        };
        self.missing_ns = None;
        for (window, count) in self.windows.iter_mut().zip(counts) {
            window.add(now_ns, count);
        }
        let throughput: Vec<f64> = self.windows.iter().filter_map(Throughput::per_s).collect();
        // The first readings only begin the windows.
        self.is_blind = throughput.len() < served;
        if self.is_blind {
            return Seen::Blind(None);
        }
        Seen::Values(Measured { throughput, waiting })
    }

    /// The last measurement holds for a while.
    fn miss(&mut self, now_ns: u64, why: String) -> Seen {
        self.missing += 1;
        let since = *self.missing_ns.get_or_insert(now_ns);
        if !self.is_blind && now_ns - since < self.stale_ns {
            return Seen::Missing;
        }
        self.is_blind = true;
        self.windows.iter_mut().for_each(Throughput::clear);
        Seen::Blind(Some(why))
    }
}

fn window_ticks(shares: &Shares) -> usize {
    (shares.window_us() as u64).div_ceil(shares.estimate_us() as u64) as usize
}
