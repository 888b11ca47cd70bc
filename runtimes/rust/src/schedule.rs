//! The state machine of a server: admission, ticks and rules of a policy whose load is the number in
//! the system. `docs/scheduler.md` of the tailc repository defines the calls and the decisions.

mod core_places;
mod decision;
mod numbered;
mod on_cores;
mod request;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::ladder::{Ladder, LoadAxis, Rule, Start};
use crate::latency_window::LatencyWindow;
use crate::numbers::PPM;
use crate::policy::Policy;
pub use decision::{Arrival, Decision, DecisionKind, RequestTimes, ScheduleCounts};
use numbered::Numbered;
use on_cores::OnCores;
use request::Request;

/// At the same time cut-offs come before arrivals, and ends of delays before ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Cut,
    Start,
    Tick,
}

type Timer = (u64, Phase, u64);

/// Without clock, lock and thread.
#[derive(Debug)]
pub struct Schedule {
    /// What the server must do; the caller takes it.
    pub decisions: Vec<Decision>,
    counts: ScheduleCounts,
    policy: Arc<Policy>,
    /// By ladder, the numbers of waiting requests in order of arrival.
    waiting: Vec<VecDeque<u64>>,
    requests: Numbered<Request>,
    timers: BinaryHeap<Reverse<Timer>>,
    window: Option<LatencyWindow>,
    on_cores: Option<OnCores>,
    start_ns: Option<u64>,
    running: u64,
    boosted_ppm: i64,
    used_ppm: i64,
}

impl Schedule {
    /// A schedule without requests. Errors: `Schedule` for a policy that needs another server, and
    /// `other-form`.
    pub fn new(policy: Arc<Policy>, now_ns: u64) -> Result<Self> {
        check(&policy)?;
        let mut schedule = Self {
            decisions: Vec::new(),
            counts: ScheduleCounts::default(),
            policy: Arc::clone(&policy),
            waiting: Vec::new(),
            requests: Numbered::default(),
            timers: BinaryHeap::new(),
            window: None,
            on_cores: None,
            start_ns: None,
            running: 0,
            boosted_ppm: 0,
            used_ppm: 0,
        };
        schedule.apply(policy, now_ns)?;
        Ok(schedule)
    }

    /// What was counted.
    pub fn counts(&self) -> &ScheduleCounts {
        &self.counts
    }

    /// The policy in use.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Requests in the system, waiting ones included.
    pub fn in_system(&self) -> u64 {
        self.requests.len() as u64
    }

    /// Requests that have started.
    pub fn running(&self) -> u64 {
        self.running
    }

    /// Time of the next timer.
    pub fn due_ns(&mut self) -> Option<u64> {
        self.next_timer().map(|(due_ns, _, _)| due_ns)
    }

    /// The request that arrived; none: it is refused. The error is `unknown-class`.
    pub fn arrive(&mut self, now_ns: u64, class: Option<&str>) -> Result<Option<Arrival>> {
        let ladder = ladder_for(&self.policy, class)?;
        self.counts.arrived += 1;
        let (number, in_system) = (self.counts.arrived, self.in_system());
        let overload = ladder_in(&self.policy, ladder).overload();
        if overload.refuses(in_system) {
            self.counts.refused += 1;
            return Ok(None);
        }
        let work_ppm = overload.work_ppm(in_system);
        self.counts.degraded += u64::from(work_ppm < PPM as u64);
        let request = Request {
            class: class.map(str::to_owned),
            policy: Arc::clone(&self.policy),
            ladder,
            arrived_ns: now_ns,
            started_ns: 0,
            waited_us: 0,
            load_at_start: 0,
            tick_ns: None,
            cut_ns: None,
            rung: None,
            core: None,
            since_ns: 0,
            spent_ns: 0,
            granted_ns: 0,
            rung_ns: 0,
            late_ns: 0,
            is_boosted: false,
            has_given_up: false,
        };
        self.requests.insert(number, request);
        if let Some(window) = &mut self.window {
            window.count_arrival();
        }
        self.waiting[ladder].push_back(number);
        self.start_waiting(now_ns);
        Ok(Some(Arrival { request: number, work_ppm }))
    }

    /// The core type of the rung of a request.
    #[cfg(feature = "threads")]
    pub(crate) fn core_type_of(&self, number: u64) -> Option<&str> {
        let request = self.requests.get(&number)?;
        request.ladder().settings()[request.rung?].core_type.as_deref()
    }

    /// The times of a request that has started, if it exits now and its threads worked for
    /// `thread_ns` in all.
    pub fn times_of(&self, number: u64, now_ns: u64, thread_ns: u64) -> Option<RequestTimes> {
        let request = self.requests.get(&number).filter(|request| request.rung.is_some())?;
        Some(request.times(now_ns, thread_ns))
    }

    /// The request left; one that waited leaves no room for another. Numbers that are not in the
    /// system are ignored.
    pub fn exit(&mut self, number: u64, now_ns: u64) {
        let Some(request) = self.requests.get(&number) else { return };
        let (has_started, arrived_ns) = (request.rung.is_some(), request.arrived_ns);
        self.counts.exits += 1;
        if has_started {
            self.running -= 1;
            self.count_use(number, -1);
            self.exit_core(number, now_ns);
            self.requests.remove(&number);
            if let (Some(window), Some(controller)) = (&mut self.window, self.policy.controller()) {
                window.count_exit(controller, now_ns - arrived_ns, now_ns);
            }
            if self.on_cores.is_none() {
                self.release(now_ns);
            }
        } else {
            let ladder = request.ladder;
            self.waiting[ladder].retain(|held| *held != number);
            self.requests.remove(&number);
        }
        self.start_waiting(now_ns);
    }

    /// Handles the first due timer, if it is due.
    pub fn wake(&mut self, now_ns: u64) {
        let Some((due_ns, phase, number)) = self.next_timer().filter(|timer| timer.0 <= now_ns)
        else {
            return;
        };
        if phase == Phase::Start {
            return self.start_waiting(now_ns);
        }
        self.timers.pop();
        if phase == Phase::Tick {
            return self.tick(number, due_ns, now_ns);
        }
        if let Some(request) = self.requests.get_mut(&number) {
            (request.tick_ns, request.cut_ns) = (None, None);
        }
        self.counts.cut_off += 1;
        self.decide(DecisionKind::CutOff, number);
    }

    /// Uses another policy for waiting and new requests. After an error, as of `new` and
    /// `unknown-class`, the old one is in use.
    pub fn reload(&mut self, policy: Arc<Policy>, now_ns: u64) -> Result<()> {
        check(&policy)?;
        let mut waiting: Vec<u64> = self.waiting.iter().flatten().copied().collect();
        waiting.sort_unstable();
        let mut ladders = Vec::with_capacity(waiting.len());
        for number in &waiting {
            ladders.push(ladder_for(&policy, self.requests[number].class.as_deref())?);
        }
        self.apply(Arc::clone(&policy), now_ns)?;
        self.counts.reloads += 1;
        for (number, ladder) in waiting.into_iter().zip(ladders) {
            if let Some(request) = self.requests.get_mut(&number) {
                request.policy = Arc::clone(&policy);
                request.ladder = ladder;
            }
            self.waiting[ladder].push_back(number);
        }
        self.start_waiting(now_ns);
        Ok(())
    }

    fn apply(&mut self, policy: Arc<Policy>, now_ns: u64) -> Result<()> {
        self.on_cores = self.cores_of(&policy)?;
        self.waiting = vec![VecDeque::new(); policy.ladders()?.len()];
        for name in policy.ladders()?.iter().flat_map(Ladder::rungs) {
            self.counts.lookups.entry(name.clone()).or_insert(0);
        }
        self.window = policy.controller().map(|held| LatencyWindow::new(held, now_ns));
        self.policy = policy;
        Ok(())
    }

    /// The first timer that its request still has, or the end of a delay.
    fn next_timer(&mut self) -> Option<Timer> {
        while self.timers.peek().is_some_and(|timer| !self.is_set(&timer.0)) {
            self.timers.pop();
        }
        let first = self.timers.peek().map(|timer| timer.0);
        let start = self.start_ns.map(|at_ns| (at_ns, Phase::Start, 0));
        first.into_iter().chain(start).min_by_key(|timer| (timer.0, timer.1))
    }

    fn is_set(&self, timer: &Timer) -> bool {
        self.requests.get(&timer.2).is_some_and(|request| {
            let due_ns = if timer.1 == Phase::Cut { request.cut_ns } else { request.tick_ns };
            due_ns == Some(timer.0)
        })
    }

    /// Starts the waiting request that arrived first, unless starts depend on the use.
    fn release(&mut self, now_ns: u64) {
        if let Some(number) = self.first_waiting() {
            if self.requests[&number].ladder().sharing().start_unit().is_none() {
                self.start(number, None, now_ns);
            }
        }
    }

    fn first_waiting(&self) -> Option<u64> {
        self.waiting.iter().filter_map(VecDeque::front).min().copied()
    }

    /// Starts all waiting requests that may start; sets the timer of the next end of a delay.
    fn start_waiting(&mut self, now_ns: u64) {
        if self.on_cores.is_some() {
            return self.start_on_cores(now_ns);
        }
        loop {
            let heads = self.waiting.iter().filter_map(VecDeque::front);
            let starts =
                heads.filter_map(|number| Some((self.start_of(*number, now_ns)?, *number)));
            let first = starts.min();
            self.start_ns = first.map(|(at_ns, _)| at_ns);
            match first {
                Some((at_ns, number)) if at_ns <= now_ns => self.start(number, None, now_ns),
                _ => return,
            }
        }
    }

    /// When the first request of a queue starts if nothing else happens; none: not before.
    fn start_of(&self, number: u64, now_ns: u64) -> Option<u64> {
        let request = &self.requests[&number];
        let ladder = request.ladder();
        if ladder.sharing().start_unit().is_some() {
            return ladder.sharing().starts(self.used_ppm as u64).then_some(now_ns);
        }
        let waited_us = (now_ns - request.arrived_ns) / 1_000;
        match ladder.peek(self.in_system(), waited_us, 0).start {
            Start::Now => Some(now_ns),
            Start::OnExit => (self.running == 0).then_some(now_ns),
            Start::WaitUs(left_us) => Some(request.arrived_ns + (waited_us + left_us) * 1_000),
        }
    }

    /// Starts a waiting request on a core of a rung, or on the rung of its look-up.
    fn start(&mut self, number: u64, core_rung: Option<usize>, now_ns: u64) {
        let in_system = self.in_system();
        let Some(request) = self.requests.get_mut(&number) else { return };
        self.waiting[request.ladder].pop_front();
        (request.started_ns, request.rung_ns) = (now_ns, now_ns);
        request.load_at_start = in_system;
        request.waited_us = (now_ns - request.arrived_ns) / 1_000;
        request.rung = Some(0);
        self.running += 1;
        self.counts.started += 1;
        self.counts.waited += u64::from(now_ns > request.arrived_ns);
        let overload = request.ladder().overload();
        request.cut_ns = overload.cut_ns(request.arrived_ns, now_ns);
        if let Some(cut_ns) = request.cut_ns {
            self.timers.push(Reverse((cut_ns, Phase::Cut, number)));
        }
        let rung = core_rung.unwrap_or_else(|| self.look_up(number, now_ns));
        if let Some(request) = self.requests.get_mut(&number) {
            request.rung = Some(rung);
        }
        self.start_on_core(number, now_ns);
        self.count_use(number, 1);
        self.set_tick(number, now_ns);
        self.decide(DecisionKind::Start, number);
    }

    /// Sets the first tick after now; a request that gave up needs none.
    fn set_tick(&mut self, number: u64, now_ns: u64) {
        let Some(request) = self.requests.get_mut(&number) else { return };
        request.tick_ns = None;
        if !request.has_given_up {
            let quantum_ns = request.ladder().quantum_us() as u64 * 1_000;
            let ticks = (now_ns - request.started_ns) / quantum_ns + 1;
            let tick_ns = request.started_ns + ticks * quantum_ns;
            request.tick_ns = Some(tick_ns);
            self.timers.push(Reverse((tick_ns, Phase::Tick, number)));
        }
    }

    fn tick(&mut self, number: u64, due_ns: u64, now_ns: u64) {
        self.counts.ticks += 1;
        self.counts.late_ns += now_ns - due_ns;
        if let Some(request) = self.requests.get_mut(&number) {
            request.late_ns += now_ns - due_ns;
        }
        if self.on_cores.is_some() {
            return self.tick_on_core(number, now_ns);
        }
        let rung = self.look_up(number, now_ns);
        let request = &self.requests[&number];
        let own = request.rung.unwrap_or(0);
        let ladder = request.ladder();
        let may_descend = request.has_given_up || !ladder.rules().contains(&Rule::NeverDescend);
        let counts_use = ladder.sharing().start_unit().is_some();
        if rung > own {
            self.counts.climbs += 1;
            self.change(number, rung, DecisionKind::Climb, now_ns);
        } else if rung < own && may_descend {
            self.counts.descents += 1;
            self.change(number, rung, DecisionKind::Descend, now_ns);
        }
        self.set_tick(number, now_ns);
        if counts_use {
            self.start_waiting(now_ns);
        }
    }

    /// The rung of a running request, which may give up now.
    fn look_up(&mut self, number: u64, now_ns: u64) -> usize {
        let in_system = self.in_system();
        let Some(request) = self.requests.get_mut(&number) else { return 0 };
        let executed_us = (now_ns - request.started_ns) / 1_000;
        if request.ladder().sharing().gives_up(request.waited_us, executed_us) {
            self.counts.gave_up += u64::from(!request.has_given_up);
            request.has_given_up = true;
            return 0;
        }
        let ladder = request.ladder();
        let rereads = ladder.rules().contains(&Rule::RereadRow);
        let load = if rereads { in_system } else { request.load_at_start };
        let rung = ladder.lookup(load, request.waited_us, executed_us).rung;
        self.count_lookup(number, rung);
        rung
    }

    fn count_lookup(&mut self, number: u64, rung: usize) {
        let name = &self.requests[&number].ladder().rungs()[rung];
        // The rungs of requests that started under an earlier policy are there, too.
        if let Some(count) = self.counts.lookups.get_mut(name) {
            *count += 1;
        }
    }

    fn change(&mut self, number: u64, rung: usize, kind: DecisionKind, now_ns: u64) {
        self.count_use(number, -1);
        let boosted_ppm = self.boosted_ppm;
        if let Some(request) = self.requests.get_mut(&number) {
            request.granted_ns = request.granted_until(now_ns);
            request.rung_ns = now_ns;
            request.rung = Some(rung);
            request.is_boosted = kind == DecisionKind::Climb && may_boost(request, boosted_ppm);
            self.counts.boosts += u64::from(request.is_boosted);
        }
        self.count_use(number, 1);
        self.decide(kind, number);
    }

    /// Adds what a running request uses, or subtracts it.
    fn count_use(&mut self, number: u64, sign: i64) {
        let request = &self.requests[&number];
        let ladder = request.ladder();
        if let Some(boost) = ladder.boost().filter(|_| request.is_boosted) {
            self.boosted_ppm += sign * request.cost_ppm(boost.unit);
        }
        if let Some(unit) = ladder.sharing().start_unit() {
            self.used_ppm += sign * request.cost_ppm(unit);
        }
    }

    fn decide(&mut self, kind: DecisionKind, number: u64) {
        let request = &self.requests[&number];
        let rung = request.rung.unwrap_or(0);
        let threads = request.threads();
        self.decisions.push(Decision {
            kind,
            request: number,
            rung,
            threads: if kind == DecisionKind::CutOff { 0 } else { threads },
            is_boosted: request.is_boosted,
            core: request.core,
        });
    }
}

fn may_boost(request: &Request, boosted_ppm: i64) -> bool {
    let ladder = request.ladder();
    let is_last = request.rung == Some(ladder.rungs().len() - 1);
    let below = |boost: crate::Boost| boosted_ppm + request.cost_ppm(boost.unit) < boost.below_ppm;
    is_last && ladder.boost().is_some_and(below)
}

fn check(policy: &Policy) -> Result<()> {
    for ladder in policy.ladders()? {
        if ladder.load_axis() != LoadAxis::InSystem {
            return Err(Error::Schedule("the load of the policy is not the number in the system"));
        }
    }
    Ok(())
}

/// The number of the ladder of a class; see `Policy::ladder_of`.
fn ladder_for(policy: &Policy, class: Option<&str>) -> Result<usize> {
    let found = match class {
        Some(name) => policy.ladder_of(name)?,
        None => policy.ladder()?,
    };
    let position = policy.ladders()?.iter().position(|ladder| std::ptr::eq(ladder, found));
    Ok(position.unwrap_or(0))
}

/// A ladder of a policy that has been checked.
fn ladder_in(policy: &Policy, number: usize) -> &Ladder {
    policy.ladders().map_or_else(|_| unreachable!("checked"), |ladders| &ladders[number])
}
