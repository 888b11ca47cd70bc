//! Parallel requests of tokio, as a policy schedules them.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{watch, Notify};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep_until, Instant};

use crate::core_binding::CoreBinding;
use crate::schedule::DecisionKind;
use crate::scheduling::{OnReload, Outcome, Scheduling, Source};
use crate::Result;

/// How often a watched policy is looked at while nothing else happens.
const FOLLOW: Duration = Duration::from_secs(1);

/// Admits requests, and runs as many parts of each at once as its rung has threads. No request is
/// boosted: the threads of tokio are for all tasks.
pub struct AsyncScheduler {
    shared: Arc<Shared>,
    timers: AbortHandle,
}

struct Shared {
    began: Instant,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    scheduling: Scheduling,
    requests: HashMap<u64, watch::Sender<Degree>>,
}

/// Of a request: how many of its parts may run at once; 0 if it waits or must end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Degree {
    pub threads: usize,
    pub is_cut_off: bool,
}

/// A request that has started; dropped, it exits.
pub struct Admitted {
    shared: Arc<Shared>,
    number: u64,
    work_ppm: u64,
    degree: watch::Receiver<Degree>,
}

impl AsyncScheduler {
    /// `source`: a policy, or one that is watched. To be called in a runtime of tokio with time. The
    /// errors are those of `Schedule::new`.
    pub fn new(source: impl Into<Source>) -> Result<Self> {
        Self::with_reloads(source, Box::new(|_| {}))
    }

    /// The same, with a callback for each policy that replaces another.
    pub fn with_reloads(source: impl Into<Source>, on_reload: OnReload) -> Result<Self> {
        let scheduling = Scheduling::new(source.into(), on_reload, CoreBinding::default(), 0)?;
        let state = Mutex::new(State { scheduling, requests: HashMap::new() });
        let shared = Arc::new(Shared { began: Instant::now(), state, changed: Notify::new() });
        let timers = tokio::spawn(keep_time(Arc::clone(&shared))).abort_handle();
        Ok(Self { shared, timers })
    }

    /// Waits until a request starts; none: it is refused. The error is `unknown-class`. A request
    /// whose future is dropped leaves.
    pub async fn admit(&self, class: Option<&str>) -> Result<Option<Admitted>> {
        let Some(mut admitted) = self.shared.arrive(class)? else { return Ok(None) };
        // The sender is there as long as the request is.
        let _ = admitted.degree.wait_for(|degree| *degree != Degree::default()).await;
        Ok(Some(admitted))
    }

    /// Runs the parts of a request, and waits until it has ended. A panic of a part goes on here.
    pub async fn run<P>(&self, parts: Vec<P>, class: Option<&str>) -> Result<Outcome>
    where
        P: Future<Output = ()> + Send + 'static,
    {
        match self.admit(class).await? {
            Some(mut admitted) => Ok(admitted.run(parts).await),
            None => Ok(Outcome::Refused),
        }
    }

    /// Counters and gauges as OpenMetrics text.
    pub fn metrics(&self) -> String {
        let state = self.shared.lock();
        state.scheduling.metrics(self.shared.now_ns())
    }
}

impl Drop for AsyncScheduler {
    fn drop(&mut self) {
        self.timers.abort();
    }
}

impl Admitted {
    /// Millionths of its work to do.
    pub fn work_ppm(&self) -> u64 {
        self.work_ppm
    }

    /// How many of its parts may run at once, now and at each change.
    pub fn degree(&self) -> watch::Receiver<Degree> {
        self.degree.clone()
    }

    /// Runs at most as many parts at the same time as the degree allows. A cut-off or a panic aborts
    /// the parts that run, and waits until they have ended.
    pub async fn run<P>(&mut self, parts: Vec<P>) -> Outcome
    where
        P: Future<Output = ()> + Send + 'static,
    {
        let (mut parts, mut active) = (parts.into_iter(), JoinSet::new());
        loop {
            let degree = *self.degree.borrow_and_update();
            if degree.is_cut_off {
                active.shutdown().await;
                return Outcome::CutOff;
            }
            while active.len() < degree.threads {
                let Some(part) = parts.next() else { break };
                active.spawn(part);
            }
            if active.is_empty() {
                return Outcome::Done;
            }
            let ended = {
                let changed = std::pin::pin!(self.degree.changed());
                let ended = std::pin::pin!(active.join_next());
                first_of(changed, ended).await
            };
            if let Some(Some(Err(why))) = ended {
                if let Ok(panic) = why.try_into_panic() {
                    active.shutdown().await;
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        let now_ns = self.shared.now_ns();
        state.scheduling.follow(now_ns);
        state.scheduling.schedule.exit(self.number, now_ns);
        state.requests.remove(&self.number);
        self.shared.carry_out(&mut state);
    }
}

/// The output of the second future, or none if the first one is ready before.
async fn first_of<A: Future + Unpin, B: Future + Unpin>(mut a: A, mut b: B) -> Option<B::Output> {
    use std::pin::Pin;
    use std::task::Poll;
    std::future::poll_fn(|context| {
        if let Poll::Ready(output) = Pin::new(&mut b).poll(context) {
            return Poll::Ready(Some(output));
        }
        Pin::new(&mut a).poll(context).map(|_| None)
    })
    .await
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called under the lock, so that the times of the schedule never go back.
    fn now_ns(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    fn arrive(self: &Arc<Self>, class: Option<&str>) -> Result<Option<Admitted>> {
        let mut state = self.lock();
        let now_ns = self.now_ns();
        state.scheduling.follow(now_ns);
        let Some(arrival) = state.scheduling.schedule.arrive(now_ns, class)? else {
            return Ok(None);
        };
        let (sender, degree) = watch::channel(Degree::default());
        state.requests.insert(arrival.request, sender);
        self.carry_out(&mut state);
        let (number, work_ppm) = (arrival.request, arrival.work_ppm);
        Ok(Some(Admitted { shared: Arc::clone(self), number, work_ppm, degree }))
    }

    fn carry_out(&self, state: &mut State) {
        state.carry_out();
        self.changed.notify_one();
    }
}

impl State {
    fn carry_out(&mut self) {
        for decision in std::mem::take(&mut self.scheduling.schedule.decisions) {
            if let Some(request) = self.requests.get(&decision.request) {
                let is_cut_off = decision.kind == DecisionKind::CutOff;
                request.send_replace(Degree { threads: decision.threads, is_cut_off });
            }
        }
    }
}

async fn keep_time(shared: Arc<Shared>) {
    loop {
        let (now_ns, due_ns) = {
            let mut state = shared.lock();
            let now_ns = shared.now_ns();
            state.scheduling.wake(now_ns);
            state.carry_out();
            (now_ns, state.scheduling.schedule.due_ns())
        };
        let latest_ns = now_ns + FOLLOW.as_nanos() as u64;
        let until_ns = due_ns.map_or(latest_ns, |due_ns| due_ns.min(latest_ns));
        let alarm = sleep_until(shared.began + Duration::from_nanos(until_ns));
        first_of(std::pin::pin!(shared.changed.notified()), std::pin::pin!(alarm)).await;
    }
}
