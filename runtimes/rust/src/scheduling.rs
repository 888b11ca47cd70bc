//! What schedulers on threads and in tokio share: the policy, and its reloads.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use crate::core_binding::CoreBinding;
use crate::policy::Policy;
use crate::schedule::Schedule;
use crate::schedule_metrics::open_metrics;
use crate::watched::Watched;
use crate::Result;

/// A policy that stays, or one that is followed.
#[derive(Clone, Debug)]
pub enum Source {
    /// It stays.
    Policy(Arc<Policy>),
    /// It is followed.
    Watched(Watched),
}

impl From<Arc<Policy>> for Source {
    fn from(policy: Arc<Policy>) -> Self {
        Self::Policy(policy)
    }
}

impl From<Watched> for Source {
    fn from(watched: Watched) -> Self {
        Self::Watched(watched)
    }
}

impl Source {
    fn current(&self) -> Arc<Policy> {
        match self {
            Self::Policy(policy) => Arc::clone(policy),
            Self::Watched(watched) => watched.current().to_arc(),
        }
    }
}

/// Called with each policy that replaces another, under the lock of the scheduler, which it must not
/// call. A panic in it ends only this call.
pub type OnReload = Box<dyn FnMut(&Policy) + Send>;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of its parts ended.
    Done,
    /// The policy refused it: too many others were in the system.
    Refused,
    /// It was ended before all of its parts.
    CutOff,
}

/// A schedule and the policy that it follows.
pub(crate) struct Scheduling {
    pub(crate) schedule: Schedule,
    pub(crate) binding: CoreBinding,
    source: Source,
    used: Arc<Policy>,
    on_reload: OnReload,
    reloaded_ns: u64,
}

impl Scheduling {
    pub(crate) fn new(
        source: Source,
        on_reload: OnReload,
        binding: CoreBinding,
        now_ns: u64,
    ) -> Result<Self> {
        let used = source.current();
        binding.check(&used)?;
        let schedule = Schedule::new(Arc::clone(&used), now_ns)?;
        Ok(Self { schedule, binding, source, used, on_reload, reloaded_ns: now_ns })
    }

    /// Uses the policy that has replaced the one in use, if any.
    pub(crate) fn follow(&mut self, now_ns: u64) {
        let current = self.source.current();
        if Arc::ptr_eq(&current, &self.used) {
            return;
        }
        self.used = Arc::clone(&current);
        let checked = self.binding.check(&current);
        match checked.and_then(|()| self.schedule.reload(Arc::clone(&current), now_ns)) {
            Ok(()) => {
                self.reloaded_ns = now_ns;
                // The hook of the program has the panic.
                let _ = catch_unwind(AssertUnwindSafe(|| (self.on_reload)(&current)));
            }
            Err(why) => current.counters().count_refused(&why),
        }
    }

    /// Handles all timers that are due.
    pub(crate) fn wake(&mut self, now_ns: u64) {
        self.follow(now_ns);
        while self.schedule.due_ns().is_some_and(|due_ns| due_ns <= now_ns) {
            self.schedule.wake(now_ns);
        }
    }

    pub(crate) fn metrics(&self, now_ns: u64) -> String {
        open_metrics(&self.schedule, now_ns - self.reloaded_ns)
    }
}
