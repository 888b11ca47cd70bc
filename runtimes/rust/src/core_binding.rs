//! Threads on the processors of their requests' cores, which Linux permits.

use std::collections::BTreeMap;

use crate::policy::Policy;
use crate::{Error, Result};

/// Numbers of processors by core type, for policies whose rungs are cores.
pub type Processors = BTreeMap<String, Vec<usize>>;

/// Without processors, no thread is bound, and no policy whose rungs are cores is accepted.
#[derive(Debug, Default)]
pub(crate) struct CoreBinding {
    processors: Processors,
    all: Vec<usize>,
}

impl CoreBinding {
    #[cfg(feature = "threads")]
    pub(crate) fn new(processors: Processors) -> Result<Self> {
        let all: Vec<usize> = processors.values().flatten().copied().collect();
        let permitted = affinity::permitted();
        if all.iter().any(|number| !permitted.contains(number)) {
            return Err(Error::Schedule("no thread can be bound to one of the processors"));
        }
        Ok(Self { processors, all })
    }

    /// Refuses a policy that needs other processors.
    pub(crate) fn check(&self, policy: &Policy) -> Result<()> {
        for ladder in policy.ladders()? {
            if !self.all.is_empty() && ladder.core_unit().is_empty() {
                return Err(Error::Schedule("the rungs of the policy are not cores"));
            }
            for (setting, unit) in ladder.settings().iter().zip(ladder.core_unit()) {
                self.check_type(setting.core_type.as_deref(), ladder.core_count()[*unit])?;
            }
        }
        Ok(())
    }

    fn check_type(&self, core_type: Option<&str>, count: i64) -> Result<()> {
        if self.all.is_empty() {
            return Err(Error::Schedule(
                "the rule `core-per-request` needs a server that places requests",
            ));
        }
        let Some(name) = core_type else {
            return Err(Error::Schedule("a rung has no core type, so its processors are unknown"));
        };
        if (self.processors.get(name).map_or(0, Vec::len) as i64) < count {
            return Err(Error::Schedule("the policy needs more processors of a core type"));
        }
        Ok(())
    }
}

#[cfg(feature = "threads")]
impl CoreBinding {
    /// The number of this thread; none if none is bound.
    pub(crate) fn this_thread(&self) -> Option<i32> {
        if self.all.is_empty() {
            return None;
        }
        affinity::thread_number()
    }

    /// The processor of a core of a type.
    pub(crate) fn processor(&self, core_type: &str, core: usize) -> Option<usize> {
        self.processors.get(core_type)?.get(core).copied()
    }

    /// Binds a thread; it stays where it is if the system no longer permits the processor.
    pub(crate) fn bind(&self, thread: i32, processor: usize) {
        affinity::bind(thread, &[processor]);
    }

    /// A thread that waits for its next request may run on any of the processors.
    pub(crate) fn release(&self, thread: i32) {
        affinity::bind(thread, &self.all);
    }
}

#[cfg(all(feature = "threads", target_os = "linux"))]
mod affinity {
    use std::fs::read_link;

    /// A `cpu_set_t` of 4,096 processors.
    type Set = [u64; 64];
    const NONE: Set = [0; 64];

    /// The standard library links libc, but has no names for these.
    #[allow(unsafe_code)]
    mod libc {
        use super::Set;

        extern "C" {
            fn sched_getaffinity(thread: i32, size: usize, set: *mut Set) -> i32;
            fn sched_setaffinity(thread: i32, size: usize, set: *const Set) -> i32;
        }

        pub(super) fn get(set: &mut Set) -> bool {
            // SAFETY: the size is that of the set, which outlives the call.
            unsafe { sched_getaffinity(0, size_of::<Set>(), set) >= 0 }
        }

        pub(super) fn set(thread: i32, set: &Set) {
            // SAFETY: the size is that of the set, which outlives the call.
            unsafe { sched_setaffinity(thread, size_of::<Set>(), set) };
        }
    }

    pub(super) fn permitted() -> Vec<usize> {
        let mut set = NONE;
        if !libc::get(&mut set) {
            return Vec::new();
        }
        (0..64 * set.len()).filter(|number| set[number / 64] >> (number % 64) & 1 == 1).collect()
    }

    pub(super) fn bind(thread: i32, processors: &[usize]) {
        let mut set = NONE;
        for number in processors {
            set[number / 64] |= 1 << (number % 64);
        }
        libc::set(thread, &set);
    }

    pub(super) fn thread_number() -> Option<i32> {
        read_link("/proc/thread-self").ok()?.file_name()?.to_str()?.parse().ok()
    }
}

#[cfg(all(feature = "threads", not(target_os = "linux")))]
mod affinity {
    pub(super) fn permitted() -> Vec<usize> {
        Vec::new()
    }

    pub(super) fn bind(_thread: i32, _processors: &[usize]) {}

    pub(super) fn thread_number() -> Option<i32> {
        None
    }
}
