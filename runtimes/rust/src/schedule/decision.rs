//! What a schedule decides and counts.

use std::collections::BTreeMap;

/// What a server must do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// It runs the request on its rung.
    Start,
    /// It moves the request up to its rung.
    Climb,
    /// It moves the request down to its rung.
    Descend,
    /// It ends the request, unfinished.
    CutOff,
}

impl DecisionKind {
    /// The word that all languages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Climb => "climb",
            Self::Descend => "descend",
            Self::CutOff => "cut-off",
        }
    }
}

/// About the request of that number; `threads` of its rung are 0 if it is cut off. `core`: number of
/// its core among those of its rung's type; none unless rungs are cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Decision {
    pub kind: DecisionKind,
    pub request: u64,
    pub rung: usize,
    pub threads: usize,
    pub is_boosted: bool,
    pub core: Option<usize>,
}

/// A request that has entered: its number, counted from 1 in order of arrival with refused ones, and
/// millionths of its work to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Arrival {
    pub request: u64,
    pub work_ppm: u64,
}

/// When a request arrived and how it ran, in microseconds of the scheduler's clock. `thread_us`: for
/// which its threads worked, in all; `granted_us`: threads of its rungs times time; `late_us`: by how
/// much its ticks were late, in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RequestTimes {
    pub arrival_us: u64,
    pub wait_us: u64,
    pub run_us: u64,
    pub thread_us: u64,
    pub granted_us: u64,
    pub late_us: u64,
}

impl RequestTimes {
    pub(crate) fn in_order(&self) -> [u64; 6] {
        let ran = [self.run_us, self.thread_us, self.granted_us, self.late_us];
        [self.arrival_us, self.wait_us, ran[0], ran[1], ran[2], ran[3]]
    }
}

/// Counts since the schedule was made; `late_ns`: by how much ticks were late, in all; `lookups`: by
/// name of the rung.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ScheduleCounts {
    pub arrived: u64,
    pub refused: u64,
    pub degraded: u64,
    pub started: u64,
    pub waited: u64,
    pub climbs: u64,
    pub descents: u64,
    pub boosts: u64,
    pub gave_up: u64,
    pub cut_off: u64,
    pub exits: u64,
    pub reloads: u64,
    pub ticks: u64,
    pub late_ns: u64,
    pub lookups: BTreeMap<String, u64>,
}
