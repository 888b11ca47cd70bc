//! The command line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::{Arg, Parser, ValueExt};

use crate::bench::{Bench, Subject};
use crate::bench_release;
use crate::cpus::{cpus_in, MOST_CPUS};
use crate::events::{Counting, Scope};
use crate::fault::{Exit, Fault};
use crate::filter::Filter;

/// What `--help` prints.
pub const HELP: &str = include_str!("help.txt");

/// What the program shall do.
#[derive(Debug)]
pub enum Command {
    /// Apply a policy.
    Run(Box<Run>),
    /// Restore what a crashed agent has left.
    Undo(Place),
    /// Measure the machine.
    Bench(Bench),
    /// Be the batch work of a measurement.
    Spin(PathBuf),
    /// Print the help.
    Help,
    /// Print the version.
    Version,
}

/// Which machine, and where the values to restore are.
#[derive(Debug)]
pub struct Place {
    /// Folder that has the files of the kernel.
    pub root: PathBuf,
    /// The undo file; none: `run/tailc-agent/undo` below the root.
    pub state: Option<PathBuf>,
}

impl Place {
    /// The undo file.
    pub fn undo_file(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| self.root.join("run/tailc-agent/undo"))
    }
}

/// Treatment of a machine whose share is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Zero {
    /// It gets the smallest quota.
    #[default]
    Floor,
    /// All its processes stop.
    Freeze,
}

/// How batch work leaves the lane next to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// All its processes stop.
    Freeze,
    /// It goes to the CPU of the request, with SCHED_IDLE.
    Idle,
}

/// Options of `run`.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Run {
    pub policy: PathBuf,
    pub keys: Vec<PathBuf>,
    pub service: Option<String>,
    pub place: Place,
    pub is_dry_run: bool,
    pub inputs: Option<PathBuf>,
    pub ticks: Option<u64>,
    pub journal: Option<PathBuf>,
    pub metrics: Option<PathBuf>,
    pub listen: Option<String>,
    pub cgroups: NamedValues,
    pub throughput: NamedValues,
    pub waiting: NamedValues,
    pub batch: NamedValues,
    pub types: NamedValues,
    pub board: Option<PathBuf>,
    pub cpus: Option<Vec<usize>>,
    pub tick_us: u64,
    pub lead_us: u64,
    pub cores: Option<u64>,
    pub floor_ppm: i64,
    pub zero: Zero,
    pub stale_us: u64,
    pub leave: Option<Leave>,
    pub counting: Counting,
    pub requests: Option<PathBuf>,
}

impl Run {
    /// An error where a file that the agent writes is one that it reads, or writes for another option.
    fn check_distinct_files(&self) -> Result<(), Fault> {
        let is_device = |path: &Path| fs::metadata(path).is_ok_and(|about| !about.is_file());
        let written = [
            ("--journal", &self.journal),
            ("--requests", &self.requests),
            ("--metrics", &self.metrics),
            ("--board", &self.board),
            ("--state", &self.place.state),
        ];
        let written =
            written.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)));
        let keys = self.keys.iter().map(|key| (whole(key), "`--trust`".to_owned()));
        let inputs = self.inputs.iter().map(|path| (whole(path), "`--inputs`".to_owned()));
        let mut files: BTreeMap<_, _> = keys.chain(inputs).collect();
        files.insert(whole(&self.policy), "the policy".to_owned());
        for (option, path) in written.filter(|(_, path)| !is_device(path)) {
            if let Some(other) = files.insert(whole(path), format!("`{option}`")) {
                let what = format!("`{option} {}` is also the file of {other}", path.display());
                return Err(Fault::new(Exit::Usage, what, "give each a file of its own"));
            }
        }
        Ok(())
    }

    /// Which system calls these options need.
    pub fn filter(&self) -> Filter {
        let sources = self.throughput.0.values().chain(self.waiting.0.values());
        let mut addresses =
            sources.filter(|source| source.starts_with("http://") || source.starts_with("unix:"));
        Filter {
            connects: addresses.next().is_some(),
            moves_threads: !self.types.0.is_empty(),
            counts_threads: self.counting.scope == Some(Scope::Threads),
        }
    }
}

/// Values of an option `--option NAME=VALUE` that may be repeated.
#[derive(Debug, Default)]
pub struct NamedValues(BTreeMap<String, String>);

impl NamedValues {
    fn add(&mut self, option: &str, text: &str) -> Result<(), Fault> {
        let pair =
            text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
        let Some((name, value)) = pair else {
            return Err(usage(format!("`{option} {text}`: it is written `NAME=VALUE`")));
        };
        match self.0.insert(name.to_owned(), value.to_owned()) {
            Some(_) => Err(usage(format!("`{option}` is given twice for `{name}`"))),
            None => Ok(()),
        }
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of a name; its absence is an error with an example.
    pub fn required(&self, option: &str, name: &str, example: &str) -> Result<&str, Fault> {
        self.get(name).ok_or_else(|| {
            let what = format!("no `{option}` is for `{name}` of the policy");
            let example = example.replace("NAME", name);
            Fault::new(Exit::Usage, what, format!("add `{option} {name}={example}`"))
        })
    }

    /// An error where two names have the same cgroup: each would undo what the other one sets.
    pub fn check_distinct_groups(&self, option: &str) -> Result<(), Fault> {
        let mut names = BTreeMap::new();
        for (name, group) in &self.0 {
            if let Some(other) = names.insert(group.trim_matches('/'), name) {
                let what = format!("`{option}`: `{other}` and `{name}` have one cgroup, `{group}`");
                return Err(Fault::new(Exit::Usage, what, "give each a cgroup of its own"));
            }
        }
        Ok(())
    }

    /// An error for a name that the policy does not have.
    pub fn check_known(&self, option: &str, known: &[&str]) -> Result<(), Fault> {
        match self.0.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => {
                let what = format!("`{option} {name}=...`: the policy has no `{name}`");
                let help = format!("the names are: {}", known.join(", "));
                Err(Fault::new(Exit::Usage, what, help))
            }
            None => Ok(()),
        }
    }
}

fn usage(what: impl Into<String>) -> Fault {
    Fault::new(Exit::Usage, what, "`tailc-agent --help` describes the options")
}

/// Reads the words after the name of the program.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Command, Fault> {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help);
    }
    let mut words = Words(Parser::from_args(words));
    let Some(first) = words.next()? else { return Ok(Command::Help) };
    match first {
        Arg::Long("version") => Ok(Command::Version),
        Arg::Value(word) => match word.to_str() {
            Some("run") => run(&mut words),
            Some("undo") => Ok(Command::Undo(place(&mut words)?)),
            Some("bench") => bench(&mut words),
            Some(bench_release::WORD) => Ok(Command::Spin(words.path()?)),
            _ => Err(usage(format!("no command `{}`", word.to_string_lossy()))),
        },
        other => Err(unknown(other)),
    }
}

fn unknown(argument: Arg<'_>) -> Fault {
    usage(argument.unexpected().to_string())
}

struct Words(Parser);

impl Words {
    fn next(&mut self) -> Result<Option<Arg<'_>>, Fault> {
        self.0.next().map_err(|why| usage(why.to_string()))
    }

    fn path(&mut self) -> Result<PathBuf, Fault> {
        self.0.value().map(PathBuf::from).map_err(|why| usage(why.to_string()))
    }

    fn text(&mut self) -> Result<String, Fault> {
        self.0.value().and_then(|value| value.string()).map_err(|why| usage(why.to_string()))
    }

    fn whole(&mut self, option: &str) -> Result<u64, Fault> {
        let text = self.text()?;
        text.parse()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| usage(format!("`--{option} {text}`: it is a whole number of 1 or more")))
    }
}

fn place(words: &mut Words) -> Result<Place, Fault> {
    let mut place = Place { root: "/".into(), state: None };
    while let Some(argument) = words.next()? {
        match argument {
            Arg::Long("root") => place.root = words.path()?,
            Arg::Long("state") => place.state = Some(words.path()?),
            other => return Err(unknown(other)),
        }
    }
    Ok(place)
}

fn bench(words: &mut Words) -> Result<Command, Fault> {
    const REPEAT: u64 = 100;
    let subject = match words.next()? {
        Some(Arg::Value(word)) => word.to_string_lossy().into_owned(),
        _ => return Err(usage("`bench` measures `clock` or `release`")),
    };
    let place = Place { root: "/".into(), state: None };
    let mut bench = Bench { place, subject: Subject::Clock, cpu: 0, repeat: REPEAT };
    let mut batch = None;
    while let Some(argument) = words.next()? {
        match argument {
            Arg::Long("root") => bench.place.root = words.path()?,
            Arg::Long("state") => bench.place.state = Some(words.path()?),
            Arg::Long("repeat") => bench.repeat = words.whole("repeat")?,
            Arg::Long("batch") => batch = Some(words.text()?),
            Arg::Long("cpu") => {
                let text = words.text()?;
                let cpu = cpu_list(&text)?;
                bench.cpu = cpu[0];
            }
            other => return Err(unknown(other)),
        }
    }
    bench.subject = match (subject.as_str(), batch) {
        ("clock", None) => Subject::Clock,
        ("release", Some(group)) => Subject::Release(group),
        ("release", None) => return Err(usage("`bench release` needs `--batch PATH`, a cgroup")),
        _ => return Err(usage(format!("`bench {subject}`: it measures `clock` or `release`"))),
    };
    Ok(Command::Bench(bench))
}

impl Run {
    fn new() -> Self {
        const STALE_US: u64 = 5_000_000;
        const TICK_US: u64 = 4_000;
        Self {
            policy: PathBuf::new(),
            keys: Vec::new(),
            service: None,
            place: Place { root: "/".into(), state: None },
            is_dry_run: false,
            inputs: None,
            ticks: None,
            journal: None,
            metrics: None,
            listen: None,
            cgroups: NamedValues::default(),
            throughput: NamedValues::default(),
            waiting: NamedValues::default(),
            batch: NamedValues::default(),
            types: NamedValues::default(),
            board: None,
            cpus: None,
            tick_us: TICK_US,
            lead_us: 0,
            cores: None,
            floor_ppm: 0,
            zero: Zero::default(),
            stale_us: STALE_US,
            leave: None,
            counting: Counting::default(),
            requests: None,
        }
    }
}

fn run(words: &mut Words) -> Result<Command, Fault> {
    let mut run = Run::new();
    let mut policy = None;
    while let Some(argument) = words.next()? {
        let option = match argument {
            Arg::Long(option) => option.to_owned(),
            Arg::Value(path) if policy.is_none() => {
                policy = Some(PathBuf::from(path));
                continue;
            }
            other => return Err(unknown(other)),
        };
        run_option(&mut run, &option, words)?;
    }
    run.policy = policy.ok_or_else(|| usage("`run` needs a policy: `tailc-agent run POLICY`"))?;
    run.check_distinct_files()?;
    Ok(Command::Run(Box::new(run)))
}

fn run_option(run: &mut Run, option: &str, words: &mut Words) -> Result<(), Fault> {
    match option {
        "trust" => run.keys.push(words.path()?),
        "service" => run.service = Some(words.text()?),
        "root" => run.place.root = words.path()?,
        "state" => run.place.state = Some(words.path()?),
        "dry-run" => run.is_dry_run = true,
        "inputs" => run.inputs = Some(words.path()?),
        "ticks" => run.ticks = Some(words.whole(option)?),
        "journal" => run.journal = Some(words.path()?),
        "metrics" => run.metrics = Some(words.path()?),
        "listen" => run.listen = Some(words.text()?),
        "cgroup" => run.cgroups.add("--cgroup", &words.text()?)?,
        "throughput" => run.throughput.add("--throughput", &words.text()?)?,
        "waiting" => run.waiting.add("--waiting", &words.text()?)?,
        "batch" => run.batch.add("--batch", &words.text()?)?,
        "type" => run.types.add("--type", &words.text()?)?,
        "board" => run.board = Some(words.path()?),
        "cpus" => run.cpus = Some(cpu_list(&words.text()?)?),
        "tick" => {
            let text = words.text()?;
            run.tick_us = time_us(&text)?;
            if run.tick_us == 0 {
                return Err(usage(format!("`--tick {text}`: it is 1 us or more")));
            }
        }
        "lead" => run.lead_us = time_us(&words.text()?)?,
        "cores" => {
            let count = words.whole(option)?;
            if count > MOST_CPUS as u64 {
                return Err(usage(format!("`--cores {count}`: a host has at most {MOST_CPUS}")));
            }
            run.cores = Some(count);
        }
        "floor" => run.floor_ppm = share_ppm(&words.text()?)?,
        "zero" => run.zero = zero(&words.text()?)?,
        "stale" => run.stale_us = time_us(&words.text()?)?,
        "leave" => run.leave = Some(leave(&words.text()?)?),
        "count" => run.counting.scope = Some(scope(&words.text()?)?),
        "stalls" => run.counting.stalls = Some(raw_event(&words.text()?)?),
        "requests" => run.requests = Some(words.path()?),
        _ => return Err(usage(format!("no option `--{option}` of `run`"))),
    }
    Ok(())
}

fn cpu_list(text: &str) -> Result<Vec<usize>, Fault> {
    cpus_in(text).ok_or_else(|| usage(format!("`--cpus {text}`: it is a list such as `0-3,8`")))
}

fn zero(text: &str) -> Result<Zero, Fault> {
    match text {
        "floor" => Ok(Zero::Floor),
        "freeze" => Ok(Zero::Freeze),
        _ => Err(usage(format!("`--zero {text}`: it is `floor` or `freeze`"))),
    }
}

fn leave(text: &str) -> Result<Leave, Fault> {
    match text {
        "freeze" => Ok(Leave::Freeze),
        "idle" => Ok(Leave::Idle),
        _ => Err(usage(format!("`--leave {text}`: it is `freeze` or `idle`"))),
    }
}

fn scope(text: &str) -> Result<Scope, Fault> {
    match text {
        "cpus" => Ok(Scope::Cpus),
        "threads" => Ok(Scope::Threads),
        group if group.starts_with('/') => Ok(Scope::Group(group.to_owned())),
        _ => Err(usage(format!("`--count {text}`: it is `cpus`, `threads` or `/` and a cgroup"))),
    }
}

/// The number of an event of the processor, such as `r14a3`, as `perf` takes it.
fn raw_event(text: &str) -> Result<u64, Fault> {
    let number = text.strip_prefix('r').and_then(|hex| u64::from_str_radix(hex, 16).ok());
    number.ok_or_else(|| usage(format!("`--stalls {text}`: it is an event such as `r14a3`")))
}

/// A path without links, also of a file that does not exist yet.
fn whole(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let of_new = || Some(fs::canonicalize(folder).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(of_new).unwrap_or_else(|| path.to_owned())
}

/// Millionths in a share such as `2.5%`.
fn share_ppm(text: &str) -> Result<i64, Fault> {
    const PPM_PER_PERCENT: f64 = 10_000.0;
    let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match percent.filter(|percent| (0.0..=100.0).contains(percent)) {
        Some(percent) => Ok((percent * PPM_PER_PERCENT).round() as i64),
        None => Err(usage(format!("`{text}` is no share such as `2%`, from 0 to 100 %"))),
    }
}

/// Microseconds in a time such as `500ms`.
fn time_us(text: &str) -> Result<u64, Fault> {
    const UNITS: [(&str, f64); 3] = [("us", 1.0), ("ms", 1e3), ("s", 1e6)];
    for (unit, us) in UNITS {
        let number = text.strip_suffix(unit).and_then(|number| number.trim().parse::<f64>().ok());
        if let Some(number) = number.filter(|number| (0.0..1e9).contains(number)) {
            return Ok((number * us).round() as u64);
        }
    }
    Err(usage(format!("`{text}` is no time such as `5s`, `200ms` or `50us`")))
}
