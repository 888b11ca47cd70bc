//! A pool of threads that runs parallel requests as a policy schedules them.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::core_binding::{CoreBinding, Processors};
use crate::demand_log::DemandLog;
use crate::schedule::{Decision, DecisionKind};
use crate::scheduling::{OnReload, Outcome, Scheduling, Source};
use crate::thread_time::thread_time_ns;
use crate::{Error, Result};

/// A part of a request, which any thread may run.
pub type Part = Box<dyn FnOnce() + Send>;

/// Why no request is boosted.
pub const WHY_NO_BOOST: &str = "the standard library sets no priority of threads";

/// How often a watched policy is looked at while nothing else happens.
const FOLLOW: Duration = Duration::from_secs(1);

type Panic = Box<dyn Any + Send>;

/// Runs the parts of each request on as many threads as it has at its age. Requests are for any
/// thread; dropped, it waits until all have ended.
pub struct Scheduler {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    began: Instant,
    state: Mutex<State>,
    timer_changed: Condvar,
    work_added: Condvar,
    idle: Condvar,
}

struct State {
    scheduling: Scheduling,
    tasks: HashMap<u64, Task>,
    /// A number for each thread that a request is to get.
    waiting: VecDeque<u64>,
    alarm_ns: u64,
    is_closed: bool,
    log: Option<Arc<DemandLog>>,
}

struct Task {
    class: String,
    /// The log that gets its processor time.
    log: Option<Arc<DemandLog>>,
    used_ns: u64,
    /// For which its threads worked.
    worked_ns: u64,
    /// Threads at work, by their numbers, and the processor to which they are bound.
    threads: Vec<i32>,
    processor: Option<usize>,
    parts: VecDeque<Part>,
    ended: Sender<std::result::Result<Outcome, Panic>>,
    panic: Option<Panic>,
    allowed: usize,
    active: usize,
    is_cut: bool,
}

impl Task {
    fn has_parts(&self) -> bool {
        self.panic.is_none() && !self.is_cut && !self.parts.is_empty()
    }
}

impl Scheduler {
    /// `source`: a policy, or one that is watched. `threads`: of all requests together, at least 1.
    /// Errors: `InvalidArgument`, and those of `Schedule::new`.
    pub fn new(source: impl Into<Source>, threads: usize) -> Result<Self> {
        Self::with_reloads(source, threads, Box::new(|_| {}))
    }

    /// The same, with a callback for each policy that replaces another.
    pub fn with_reloads(
        source: impl Into<Source>,
        threads: usize,
        on_reload: OnReload,
    ) -> Result<Self> {
        Self::on_processors(source, threads, Processors::new(), on_reload)
    }

    /// The same for a policy whose rungs are cores: on Linux, threads of requests are bound to
    /// `processors`, and a climb moves them. `threads`: at least as many as the policy has cores.
    pub fn on_processors(
        source: impl Into<Source>,
        threads: usize,
        processors: Processors,
        on_reload: OnReload,
    ) -> Result<Self> {
        let binding = CoreBinding::new(processors)?;
        if threads == 0 {
            return Err(Error::InvalidArgument("the number of threads must be at least 1"));
        }
        let shared = Arc::new(Shared {
            began: Instant::now(),
            state: Mutex::new(State {
                scheduling: Scheduling::new(source.into(), on_reload, binding, 0)?,
                tasks: HashMap::new(),
                waiting: VecDeque::new(),
                alarm_ns: 0,
                is_closed: false,
                log: None,
            }),
            timer_changed: Condvar::new(),
            work_added: Condvar::new(),
            idle: Condvar::new(),
        });
        let mut scheduler = Self { shared, threads: Vec::new() };
        scheduler.spawn(Shared::keep_time)?;
        for _ in 0..threads {
            scheduler.spawn(Shared::work)?;
        }
        Ok(scheduler)
    }

    /// Runs a request, and waits until it has ended. The error is `unknown-class`. A panic of a part
    /// goes on here.
    pub fn run(&self, parts: Vec<Part>, class: Option<&str>) -> Result<Outcome> {
        let Some(ended) = self.shared.submit(parts, class)? else { return Ok(Outcome::Refused) };
        match ended.recv() {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => Ok(Outcome::CutOff),
        }
    }

    /// The log gets the processor time of each request that arrives from now on and whose parts do not
    /// panic, on Linux, and its times if the log has them. In a log with classes, a request without
    /// one has the empty class. What cannot be written stays in the memory of the log. The error is
    /// `Schedule` on other systems.
    pub fn log_to(&self, log: Arc<DemandLog>) -> Result<()> {
        if thread_time_ns().is_none() {
            return Err(Error::Schedule("this system has no processor time of threads"));
        }
        self.shared.lock().log = Some(log);
        Ok(())
    }

    /// Counters and gauges as OpenMetrics text.
    pub fn metrics(&self) -> String {
        let state = self.shared.lock();
        state.scheduling.metrics(self.shared.now_ns())
    }

    fn spawn(&mut self, work: fn(&Shared)) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = Builder::new().name("tailc".to_owned()).spawn(move || work(&shared));
        self.threads.push(thread.map_err(|_| Error::Schedule("no thread can be started"))?);
        Ok(())
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        while !state.tasks.is_empty() {
            state = self.shared.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_closed = true;
        drop(state);
        self.shared.timer_changed.notify_all();
        self.shared.work_added.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called under the lock, so that the times of the schedule never go back.
    fn now_ns(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    fn submit(
        &self,
        parts: Vec<Part>,
        class: Option<&str>,
    ) -> Result<Option<Receiver<std::result::Result<Outcome, Panic>>>> {
        let mut state = self.lock();
        let now_ns = self.now_ns();
        state.scheduling.follow(now_ns);
        let Some(arrival) = state.scheduling.schedule.arrive(now_ns, class)? else {
            return Ok(None);
        };
        let (ended, outcome) = channel();
        let task = Task {
            class: class.unwrap_or_default().to_owned(),
            log: state.log.clone(),
            used_ns: 0,
            worked_ns: 0,
            threads: Vec::new(),
            processor: None,
            parts: parts.into(),
            ended,
            panic: None,
            allowed: 0,
            active: 0,
            is_cut: false,
        };
        state.tasks.insert(arrival.request, task);
        self.carry_out(&mut state);
        Ok(Some(outcome))
    }

    /// Gives requests the threads that the schedule decided on, and sets the alarm.
    fn carry_out(&self, state: &mut State) {
        while !state.scheduling.schedule.decisions.is_empty() {
            for decision in std::mem::take(&mut state.scheduling.schedule.decisions) {
                let Some(task) = state.tasks.get_mut(&decision.request) else { continue };
                task.is_cut |= decision.kind == DecisionKind::CutOff;
                task.allowed = decision.threads;
                move_threads(task, &state.scheduling, decision);
                self.grow(state, decision.request);
            }
        }
        if state.scheduling.schedule.due_ns().is_some_and(|due_ns| due_ns < state.alarm_ns) {
            self.timer_changed.notify_one();
        }
    }

    /// Adds the threads that a request does not use yet; ends it if it has none.
    fn grow(&self, state: &mut State, number: u64) {
        let Some(task) = state.tasks.get_mut(&number) else { return };
        if task.has_parts() {
            let missing = task.allowed.saturating_sub(task.active).min(task.parts.len());
            task.active += missing;
            for _ in 0..missing {
                state.waiting.push_back(number);
                self.work_added.notify_one();
            }
        }
        if task.active == 0 {
            self.end(state, number);
        }
    }

    fn end(&self, state: &mut State, number: u64) {
        let Some(task) = state.tasks.remove(&number) else { return };
        let now_ns = self.now_ns();
        state.scheduling.follow(now_ns);
        let times = state.scheduling.schedule.times_of(number, now_ns, task.worked_ns);
        state.scheduling.schedule.exit(number, now_ns);
        let log = task.log.filter(|_| task.panic.is_none());
        if let (Some(log), Some(times)) = (log, times) {
            // The request has ended, whether or not the file can be written.
            let _ = log.record_any(task.used_ns / 1_000, &task.class, &times);
        }
        let outcome = if task.is_cut { Outcome::CutOff } else { Outcome::Done };
        // Who asked may have gone.
        let _ = task.ended.send(task.panic.map_or(Ok(outcome), Err));
        if state.tasks.is_empty() {
            self.idle.notify_all();
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            let Some(number) = state.waiting.pop_front() else {
                if state.is_closed {
                    return;
                }
                state = self.work_added.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let thread = state.scheduling.binding.this_thread();
            if let Some(thread) = thread {
                join(&mut state, number, thread);
            }
            let begun_ns = self.now_ns();
            let before_ns = state.log.as_ref().and_then(|_| thread_time_ns());
            while let Some(part) = next_part(&mut state, number) {
                drop(state);
                let ran = catch_unwind(AssertUnwindSafe(part));
                state = self.lock();
                if let (Err(panic), Some(task)) = (ran, state.tasks.get_mut(&number)) {
                    task.panic.get_or_insert(panic);
                }
            }
            let after_ns = before_ns.and_then(|_| thread_time_ns());
            if let Some(thread) = thread {
                leave(&mut state, number, thread);
            }
            if let Some(task) = state.tasks.get_mut(&number) {
                let used_ns = after_ns.zip(before_ns).map(|(after, before)| after - before);
                task.used_ns += used_ns.unwrap_or(0);
                task.worked_ns += self.now_ns() - begun_ns;
                task.active -= 1;
                if task.active == 0 {
                    self.end(&mut state, number);
                    self.carry_out(&mut state);
                }
            }
        }
    }

    fn keep_time(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            let now_ns = self.now_ns();
            state.scheduling.wake(now_ns);
            self.carry_out(&mut state);
            let latest_ns = now_ns + FOLLOW.as_nanos() as u64;
            let due_ns = state.scheduling.schedule.due_ns();
            state.alarm_ns = due_ns.map_or(latest_ns, |due_ns| due_ns.min(latest_ns));
            let left = Duration::from_nanos(state.alarm_ns.saturating_sub(self.now_ns()));
            let waited = self.timer_changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Binds the threads of a request to the processor of the core that a decision gives it.
fn move_threads(task: &mut Task, scheduling: &Scheduling, decision: Decision) {
    let (Some(core), binding) = (decision.core, &scheduling.binding) else { return };
    let core_type = scheduling.schedule.core_type_of(decision.request);
    task.processor = core_type.and_then(|name| binding.processor(name, core));
    for thread in &task.threads {
        task.processor.inspect(|processor| binding.bind(*thread, *processor));
    }
}

/// A thread begins to work for a request.
fn join(state: &mut State, number: u64, thread: i32) {
    let Some(task) = state.tasks.get_mut(&number) else { return };
    task.threads.push(thread);
    if let Some(processor) = task.processor {
        state.scheduling.binding.bind(thread, processor);
    }
}

/// A thread has worked for a request.
fn leave(state: &mut State, number: u64, thread: i32) {
    state.scheduling.binding.release(thread);
    if let Some(task) = state.tasks.get_mut(&number) {
        task.threads.retain(|other| *other != thread);
    }
}

/// The next part of a request; none if this thread leaves.
fn next_part(state: &mut State, number: u64) -> Option<Part> {
    let task = state.tasks.get_mut(&number)?;
    if task.has_parts() && task.active <= task.allowed {
        return task.parts.pop_front();
    }
    None
}
