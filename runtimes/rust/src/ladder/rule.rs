//! What a server must do beyond the look-up.

use crate::generated::tailc::policy;

/// What a server must do beyond the look-up; `docs/artifact-format.md` of tailc says it in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// At every tick the row of the current load is read.
    RereadRow,
    /// A running request stays on its rung if a look-up gives a lower one.
    NeverDescend,
    /// A request raised to the last rung is boosted if there is room.
    BoostLastRung,
    /// Ages of climbs count from arrival.
    AgeFromArrival,
    /// A running request has a core of its rung's kind to itself.
    CorePerRequest,
    /// Where cores of a kind run out, the oldest requests on it climb early.
    MakeRoom,
    /// A request that has waited runs on the last rung of its row.
    WaitedStartLast,
    /// Ages of climbs count over the busy period of a core.
    BusyPeriodAge,
    /// A request that arrives when too many are in the system is refused.
    Shed,
    /// A request that has run too long leaves with what it has.
    CutOff,
    /// Of a request that arrives when many are in the system only a part is done.
    Degrade,
    /// Requests start by what is in use.
    StartBelow,
    /// A request that has missed its tail falls to the first rung.
    GiveUp,
}

impl Rule {
    pub(crate) fn of(number: policy::Rule) -> Option<Self> {
        Some(match number {
            policy::Rule::REREAD_ROW => Self::RereadRow,
            policy::Rule::NEVER_DESCEND => Self::NeverDescend,
            policy::Rule::BOOST_LAST_RUNG => Self::BoostLastRung,
            policy::Rule::AGE_FROM_ARRIVAL => Self::AgeFromArrival,
            policy::Rule::CORE_PER_REQUEST => Self::CorePerRequest,
            policy::Rule::MAKE_ROOM => Self::MakeRoom,
            policy::Rule::WAITED_START_LAST => Self::WaitedStartLast,
            policy::Rule::BUSY_PERIOD_AGE => Self::BusyPeriodAge,
            policy::Rule::SHED => Self::Shed,
            policy::Rule::CUT_OFF => Self::CutOff,
            policy::Rule::DEGRADE => Self::Degrade,
            policy::Rule::START_BELOW => Self::StartBelow,
            policy::Rule::GIVE_UP => Self::GiveUp,
            _ => return None,
        })
    }

    /// The word of every runtime for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RereadRow => "reread-row",
            Self::NeverDescend => "never-descend",
            Self::BoostLastRung => "boost-last-rung",
            Self::AgeFromArrival => "age-from-arrival",
            Self::CorePerRequest => "core-per-request",
            Self::MakeRoom => "make-room",
            Self::WaitedStartLast => "waited-start-last",
            Self::BusyPeriodAge => "busy-period-age",
            Self::Shed => "shed",
            Self::CutOff => "cut-off",
            Self::Degrade => "degrade",
            Self::StartBelow => "start-below",
            Self::GiveUp => "give-up",
        }
    }
}
