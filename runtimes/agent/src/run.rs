//! The main loop: at each tick a kind decides, and what it wants is written.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tailc_runtime::{Change, Form, Ladder, Policy, Watched};

use crate::arguments::{Command, Run, HELP};
use crate::autopro::AutoPro;
use crate::bench::Subject;
use crate::climbs::Climbs;
use crate::elfen::Elfen;
use crate::fault::{warn, Exit, Fault};
use crate::journal::Journal;
use crate::kind::{Kind, Tick};
use crate::machine::{DryRun, Machine, Tree};
use crate::metrics::{Exposition, Publisher};
use crate::moves::Moves;
use crate::os::{now_ns, Signals};
use crate::policy::watched;
use crate::rubik::Rubik;
use crate::setting::Setting;
use crate::undo::{check_restored, warn_all, UndoFile, Writer};
use crate::watchdog::{self, Watchdog};
use crate::{bench_clock, bench_release};

const NS_PER_US: u64 = 1_000;
/// How often the policy's file and ended groups are checked, and metrics are published.
const CHECK_NS: u64 = 1_000_000_000;

/// Does what the command line says, and restores the machine before it returns.
pub fn carry_out(command: Command) -> Result<(), Fault> {
    match command {
        Command::Help => print!("{HELP}"),
        Command::Version => println!("tailc-agent {}", env!("CARGO_PKG_VERSION")),
        Command::Undo(place) => watchdog::restore(&place.root, &place.undo_file())?,
        Command::Bench(bench) => match &bench.subject {
            Subject::Clock => bench_clock::measure(&bench)?,
            Subject::Release(group) => bench_release::measure(&bench, group)?,
        },
        Command::Spin(path) => bench_release::spin(&path)?,
        Command::Run(run) => apply_policy(&run)?,
    }
    Ok(())
}

fn apply_policy(run: &Run) -> Result<(), Fault> {
    let signals = Signals::block();
    let policy = watched(&run.policy, &run.keys, run.service.as_deref())?;
    let mut tree = Tree::new(&run.place.root);
    if run.is_dry_run {
        let writer = Writer::new(DryRun::new(Tree::new(&run.place.root)), None);
        return Agent::new(run, policy, tree, writer, signals)?.run(None);
    }
    let state = run.place.undo_file();
    let mut undo = UndoFile::lock(&state)?;
    // What an agent left that crashed together with its watchdog.
    warn_all(&undo.restore(&mut tree));
    let mut watchdog = Watchdog::start(&run.place.root, &state, run.filter())?;
    let writer = Writer::new(Tree::new(&run.place.root), Some(undo));
    let agent = Agent::new(run, policy, tree, writer, signals);
    let done = agent.and_then(|agent| agent.run(Some(&mut watchdog)));
    watchdog.end();
    done
}

fn kind_of(policy: &Arc<Policy>, run: &Run, machine: &dyn Machine) -> Result<Box<dyn Kind>, Fault> {
    let has_lanes = |ladders: &[Ladder]| ladders.iter().any(Elfen::has_lanes);
    match policy.form() {
        Form::Shares(shares) => Ok(Box::new(AutoPro::new(shares, run, machine)?)),
        Form::TailTable(_) => Ok(Box::new(Rubik::new(policy, run, machine)?)),
        Form::Ladders(ladders) if has_lanes(ladders) => {
            Ok(Box::new(Elfen::new(policy, run, machine)?))
        }
        Form::Ladders(ladders) if ladders.iter().any(Moves::has_types) => {
            Ok(Box::new(Moves::new(policy, run)?))
        }
        Form::Ladders(_) => Ok(Box::new(Climbs::new(policy, run, machine)?)),
        _ => {
            let what = format!("the agent cannot apply a policy of kind `{}`", policy.kind());
            Err(Fault::new(Exit::MissingPart, what, "a server applies it with a runtime"))
        }
    }
}

/// One policy on one machine.
struct Agent<'a, M> {
    run: &'a Run,
    policy: Watched,
    kind: Box<dyn Kind>,
    tree: Tree,
    writer: Writer<M>,
    signals: Signals,
    journal: Journal,
    publisher: Publisher,
    counts: Counts,
    /// Whether a warning says which inputs are missing.
    is_warned: bool,
    /// When to tick before the next regular tick.
    again_ns: Option<u64>,
}

#[derive(Default)]
struct Counts {
    ticks: u64,
    late: u64,
    failures: u64,
    reloads: u64,
    is_blind: bool,
    /// Of the policy that is applied; a newer one may have been refused by its kind.
    generation: i64,
}

impl<'a, M: Machine> Agent<'a, M> {
    fn new(
        run: &'a Run,
        policy: Watched,
        tree: Tree,
        writer: Writer<M>,
        signals: Signals,
    ) -> Result<Self, Fault> {
        let kind = kind_of(&policy.current().to_arc(), run, &tree)?;
        let journal = Journal::create(run.journal.as_deref(), kind.journal_columns())?;
        let publisher = Publisher::new(run.metrics.as_deref(), run.listen.as_deref())?;
        let generation = policy.current().generation();
        let counts = Counts { is_blind: true, generation, ..Counts::default() };
        // From here on no file is opened but those of the machine, of the policy and of metrics.
        if let Err(why) = run.filter().install() {
            warn(why);
        }
        let (is_warned, again_ns) = (false, None);
        Ok(Self {
            run,
            policy,
            kind,
            tree,
            writer,
            signals,
            journal,
            publisher,
            counts,
            is_warned,
            again_ns,
        })
    }

    /// Until a signal, the last tick, or an error; then everything is restored.
    fn run(mut self, watchdog: Option<&mut Watchdog>) -> Result<(), Fault> {
        let done = self.ticks(watchdog);
        self.publish();
        let failures = self.writer.restore(&mut self.tree);
        let restored = check_restored(&failures, &self.run.place.undo_file());
        done.and(restored)
    }

    fn ticks(&mut self, mut watchdog: Option<&mut Watchdog>) -> Result<(), Fault> {
        let mut next_ns = now_ns();
        let (begun_ns, mut checked_ns) = (next_ns, next_ns);
        loop {
            let time_us = match self.run.inputs {
                Some(_) => (self.counts.ticks + 1) * self.kind.interval_us(),
                None => (now_ns() - begun_ns) / NS_PER_US,
            };
            if !self.tick(time_us)? || self.run.ticks.is_some_and(|most| self.counts.ticks >= most)
            {
                return Ok(());
            }
            if now_ns() - checked_ns >= CHECK_NS {
                checked_ns = now_ns();
                if let Some(watchdog) = &mut watchdog {
                    watchdog.replace_ended();
                }
                self.writer.forget_ended();
                self.check_policy();
                self.publish();
            }
            let is_ended = match self.run.inputs {
                Some(_) => self.signals.wait(Duration::ZERO),
                None => self.is_ended_at(&mut next_ns),
            };
            if is_ended {
                return Ok(());
            }
        }
    }

    /// Sleeps until the next tick; whether a signal came. `next_ns`: the next regular tick.
    fn is_ended_at(&mut self, next_ns: &mut u64) -> bool {
        let (interval_ns, now) = (self.kind.interval_us() * NS_PER_US, now_ns());
        if *next_ns <= now {
            *next_ns += interval_ns;
            if *next_ns < now {
                // Ticks that were missed are not made up for.
                self.counts.late += 1;
                *next_ns = now;
            }
        }
        let until_ns = self.again_ns.take().unwrap_or(u64::MAX).clamp(now, *next_ns);
        self.signals.wait(Duration::from_nanos(until_ns - now))
    }

    /// Whether there is more to see.
    fn tick(&mut self, time_us: u64) -> Result<bool, Fault> {
        match self.kind.tick(time_us)? {
            Tick::End => return Ok(false),
            Tick::Blind { why } => {
                if !self.counts.is_blind {
                    warn_all(&self.writer.restore(&mut self.tree));
                }
                self.counts.is_blind = true;
                if let Some(why) = why.filter(|_| !self.is_warned) {
                    warn(format_args!("no limits are set until all inputs can be read: {why}"));
                    self.is_warned = true;
                }
            }
            Tick::Want { settings, journal, again_us } => {
                self.again_ns = again_us.map(|again_us| now_ns() + again_us * NS_PER_US);
                (self.counts.is_blind, self.is_warned) = (false, false);
                for setting in &settings {
                    self.apply(setting)?;
                }
                self.journal.add(&journal);
            }
        }
        self.counts.ticks += 1;
        Ok(true)
    }

    /// A group that has ended needs no limit; anything else that cannot be written ends the agent.
    fn apply(&mut self, setting: &Setting) -> Result<(), Fault> {
        match self.writer.apply(setting) {
            Ok(()) => Ok(()),
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                self.counts.failures += 1;
                Ok(())
            }
            Err(why) => Err(Fault::unwritable(&self.tree.path_of(&setting.path), &why)),
        }
    }

    fn check_policy(&mut self) {
        match self.policy.check() {
            Change::Unchanged => {}
            Change::Refused(why) => warn(format_args!("the new policy is refused: {why}")),
            Change::Reloaded => match self.kind.reload(&self.policy.current().to_arc()) {
                Ok(()) => {
                    self.counts.reloads += 1;
                    self.counts.generation = self.policy.current().generation();
                }
                Err(why) => warn(format_args!("the new policy is not applied\n{why}")),
            },
        }
    }

    fn publish(&self) {
        if self.publisher.is_idle() {
            return;
        }
        let mut to = Exposition::default();
        let policy = self.policy.current();
        let counts = &self.counts;
        to.counter("tailc_agent_ticks", "Ticks.", counts.ticks);
        to.counter("tailc_agent_late_ticks", "Ticks that came late.", counts.late);
        to.counter("tailc_agent_writes", "Files written.", self.writer.writes);
        let help = "Writes to groups, CPUs or threads that have ended.";
        to.counter("tailc_agent_failed_writes", help, counts.failures);
        to.counter("tailc_agent_reloads", "Policies that replaced another.", counts.reloads);
        let help = "Files that were refused as a new policy.";
        to.counter("tailc_agent_refused_reloads", help, policy.counters().refused_reloads());
        let help = "Whether no limit is set because inputs are missing.";
        to.gauge("tailc_agent_blind", help, u8::from(counts.is_blind));
        to.gauge(
            "tailc_agent_policy_generation",
            "Of the policy that is applied.",
            counts.generation,
        );
        self.kind.expose(&mut to);
        self.publisher.publish(to.end());
    }
}
