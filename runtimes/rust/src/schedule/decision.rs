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
