//! What a rung is: its speed and costs, and what a server sets for a request on it.

use crate::error::{require, Result};
use crate::generated::tailc::policy;

/// Whether a request shares its cores with batch work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// It shares them.
    Shared,
    /// It has them alone.
    Alone,
}

/// The rung does not determine a setting that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct RungSetting {
    pub name: String,
    pub speed_ppm: i64,
    /// By cost unit.
    pub cost_ppm: Vec<i64>,
    pub move_us: Option<i64>,
    pub threads: Option<i64>,
    pub frequency_khz: Option<i64>,
    pub core_type: Option<String>,
    pub lane: Option<Lane>,
    /// Speed of one thread with the other settings.
    pub one_thread_ppm: Option<i64>,
}

impl RungSetting {
    pub(super) fn of(rung: &policy::Rung<'_>) -> Self {
        let is_shared = |lane| lane == policy::Lane::SHARED;
        Self {
            name: rung.name().to_owned(),
            speed_ppm: rung.speed_ppm(),
            cost_ppm: rung.cost_ppm().iter().collect(),
            move_us: rung.move_us(),
            threads: rung.threads(),
            frequency_khz: rung.frequency_khz(),
            core_type: rung.core_type().map(str::to_owned),
            lane: rung.lane().map(|lane| if is_shared(lane) { Lane::Shared } else { Lane::Alone }),
            one_thread_ppm: rung.one_thread_ppm(),
        }
    }
}

pub(super) fn check_setting(rung: &policy::Rung<'_>) -> Result<()> {
    let is_positive = |number: Option<i64>| number.is_none_or(|number| number > 0);
    require(rung.speed_ppm() > 0, "`speed_ppm` of a rung must be at least 1")?;
    require(
        rung.cost_ppm().iter().all(|cost| cost >= 0),
        "`cost_ppm` of a rung must not be negative",
    )?;
    require(is_positive(rung.move_us()), "`move_us` must be absent or at least 1")?;
    require(is_positive(rung.threads()), "`threads` must be absent or at least 1")?;
    require(is_positive(rung.frequency_khz()), "`frequency_khz` must be absent or at least 1")?;
    require(is_positive(rung.one_thread_ppm()), "`one_thread_ppm` must be absent or at least 1")?;
    require(
        rung.core_type().is_none_or(|name| !name.is_empty()),
        "`core_type` must be absent or not empty",
    )?;
    require(
        rung.lane().is_none_or(|lane| matches!(lane, policy::Lane::SHARED | policy::Lane::ALONE)),
        "unknown value of `lane`",
    )
}
