//! The lowest frequency at which all requests on a core end in time.

use std::sync::Arc;

use crate::controller::Controller;
use crate::counters::Counters;
use crate::error::{require, Error, Result};
use crate::generated::tailc::policy;
use crate::numbers::{LARGEST_WHOLE, PPM};

type Rows<'a> = flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<policy::TailRow<'a>>>;

/// What a core without requests does: it sleeps, and needs `wake_ns` to begin again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Sleep {
    pub power_mw: i64,
    pub wake_ns: i64,
}

/// Batch work of a core without requests; those run at `least_khz` at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Batch {
    pub least_khz: i64,
    pub frequency_khz: i64,
    pub power_mw: i64,
}

/// What a change of frequency costs; the entries of a table include halts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Transition {
    pub halt_ns: i64,
    pub energy_nj: i64,
}

/// The level at which a core runs, by its requests.
#[derive(Debug)]
pub struct TailTable {
    frequencies_khz: Vec<i64>,
    power_mw: Vec<i64>,
    percentile_ppm: i64,
    bound_us: i64,
    cores: i64,
    sleep: Sleep,
    batch: Option<Batch>,
    transition: Option<Transition>,
    least_level: usize,
    positions: usize,
    parts: Left,
    memory_ns: Left,
    controller: Option<Arc<Controller>>,
    counters: Arc<Counters>,
}

/// What is left, as many entries for each row.
#[derive(Debug)]
struct Left {
    from_elapsed: Vec<u64>,
    entries: Vec<i64>,
    positions: usize,
}

const LARGEST_KHZ: i64 = 1 << 23;
/// One kHz for one ns is a millionth of a cycle.
const PARTS_PER_CYCLE: i64 = 1_000_000;

impl TailTable {
    /// The number of the level that a core runs at until its next arrival or completion.
    ///
    /// `ages_ns`: the time since each request of the core arrived, that of the running one first; the
    /// other two are what that one has had. A core without requests is an invalid argument: it sleeps.
    pub fn level(
        &self,
        ages_ns: &[u64],
        elapsed_cycles: u64,
        elapsed_memory_ns: u64,
    ) -> Result<usize> {
        let scale_ppm = self.controller.as_ref().map_or(PPM, |held| held.output_ppm()) as u64;
        self.level_scaled(ages_ns, elapsed_cycles, elapsed_memory_ns, scale_ppm)
    }

    /// The same with the bound scaled by `scale_ppm` millionths, 0 to 2,000,000.
    pub fn level_scaled(
        &self,
        ages_ns: &[u64],
        elapsed_cycles: u64,
        elapsed_memory_ns: u64,
        scale_ppm: u64,
    ) -> Result<usize> {
        const NS_PER_US: i64 = 1_000;
        if ages_ns.is_empty() || scale_ppm > 2 * PPM as u64 {
            let why = "the ages must not be empty, and the scale must be 0 to 2,000,000";
            return Err(Error::InvalidArgument(why));
        }
        let top = self.frequencies_khz.len() - 1;
        if ages_ns.len() > self.positions {
            self.counters.count_outside();
            return Ok(top);
        }
        let parts = self.parts.at(elapsed_cycles);
        let memory_ns = self.memory_ns.at(elapsed_memory_ns);
        let bound_ns = self.bound_us * scale_ppm as i64 / NS_PER_US;
        let mut level = self.least_level;
        for ((age_ns, parts), memory_ns) in ages_ns.iter().zip(parts).zip(memory_ns) {
            // Compared before the subtraction, so that no value exceeds 64 bits.
            if *age_ns >= bound_ns as u64 || bound_ns - *age_ns as i64 <= *memory_ns {
                return Ok(top);
            }
            let slack_ns = bound_ns - *age_ns as i64 - memory_ns;
            while level < top && self.frequencies_khz[level] * slack_ns < *parts {
                level += 1;
            }
        }
        Ok(level)
    }

    /// The frequency of the level that a core runs at: see `level`.
    pub fn frequency_khz(
        &self,
        ages_ns: &[u64],
        elapsed_cycles: u64,
        elapsed_memory_ns: u64,
    ) -> Result<i64> {
        let level = self.level(ages_ns, elapsed_cycles, elapsed_memory_ns)?;
        Ok(self.frequencies_khz[level])
    }

    /// By level.
    pub fn frequencies_khz(&self) -> &[i64] {
        &self.frequencies_khz
    }

    /// Power of a core that serves a request, by level.
    pub fn power_mw(&self) -> &[i64] {
        &self.power_mw
    }

    /// So many millionths of the latencies should be at most the bound.
    pub fn percentile_ppm(&self) -> i64 {
        self.percentile_ppm
    }

    /// What latencies should be at most.
    pub fn bound_us(&self) -> i64 {
        self.bound_us
    }

    /// How many the server has.
    pub fn cores(&self) -> i64 {
        self.cores
    }

    /// A core with more requests runs at the last level.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// Number of cycles of a running request from which on each row of cycles applies.
    pub fn from_cycles(&self) -> &[u64] {
        &self.parts.from_elapsed
    }

    /// What a core without requests does, unless it does batch work.
    pub fn sleep(&self) -> Sleep {
        self.sleep
    }

    /// Batch work, if cores do any.
    pub fn batch(&self) -> Option<Batch> {
        self.batch
    }

    /// What a change of frequency costs, if anything.
    pub fn transition(&self) -> Option<Transition> {
        self.transition
    }

    pub(crate) fn read(
        form: &policy::TailTable<'_>,
        controller: Option<Arc<Controller>>,
        counters: Arc<Counters>,
    ) -> Result<Self> {
        check(form)?;
        let frequencies_khz: Vec<i64> =
            form.levels().iter().map(|level| level.frequency_khz()).collect();
        let batch = form.batch().map(|batch| Batch {
            least_khz: batch.least_khz(),
            frequency_khz: batch.frequency_khz(),
            power_mw: batch.power_mw(),
        });
        let least_khz = batch.map_or(0, |batch| batch.least_khz);
        Ok(Self {
            least_level: frequencies_khz.partition_point(|khz| *khz < least_khz),
            frequencies_khz,
            power_mw: form.levels().iter().map(|level| level.power_mw()).collect(),
            percentile_ppm: form.percentile_ppm(),
            bound_us: form.bound_us(),
            cores: form.cores(),
            sleep: Sleep { power_mw: form.sleep().power_mw(), wake_ns: form.sleep().wake_ns() },
            batch,
            transition: form.transition().map(|change| Transition {
                halt_ns: change.halt_ns(),
                energy_nj: change.energy_nj(),
            }),
            positions: form.cycles().get(0).left().len(),
            parts: Left::read(form.cycles(), PARTS_PER_CYCLE),
            memory_ns: Left::read(form.memory_ns(), 1),
            controller,
            counters,
        })
    }
}

impl Left {
    fn read(rows: Rows<'_>, parts: i64) -> Self {
        Self {
            from_elapsed: rows.iter().map(|row| row.from_elapsed() as u64).collect(),
            entries: rows.iter().flat_map(|row| row.left()).map(|left| left * parts).collect(),
            positions: rows.get(0).left().len(),
        }
    }

    fn at(&self, elapsed: u64) -> &[i64] {
        let row = self.from_elapsed.partition_point(|from| *from <= elapsed) - 1;
        &self.entries[row * self.positions..][..self.positions]
    }
}

/// Limits such that neither side of the comparison of levels leaves 64 bits.
fn check(form: &policy::TailTable<'_>) -> Result<()> {
    const LARGEST_BOUND_US: i64 = 1 << 28;
    const LARGEST_CYCLES: i64 = 1 << 43;
    let is_percentile = 0 < form.percentile_ppm() && form.percentile_ppm() < PPM;
    require(is_percentile, "`percentile_ppm` must be 1 to 999,999")?;
    let is_bound = 0 < form.bound_us() && form.bound_us() <= LARGEST_BOUND_US;
    require(is_bound, "`bound_us` must be 1 to 2^28")?;
    require(form.cores() > 0, "`cores` must be at least 1")?;
    let reference_khz = form.reference_khz().unwrap_or(1);
    require((1..=LARGEST_KHZ).contains(&reference_khz), "`reference_khz` must be 1 to 2^23")?;
    check_levels(form)?;
    require(
        form.sleep().power_mw() >= 0 && form.sleep().wake_ns() >= 0,
        "`power_mw` and `wake_ns` must not be negative",
    )?;
    check_batch(form)?;
    let is_cost = |change: policy::Transition<'_>| change.halt_ns() >= 0 && change.energy_nj() >= 0;
    require(
        form.transition().is_none_or(is_cost),
        "`halt_ns` and `energy_nj` of `transition` must not be negative",
    )?;
    check_rows(form.cycles(), LARGEST_CYCLES)?;
    check_rows(form.memory_ns(), LARGEST_WHOLE)?;
    require(
        form.cycles().get(0).left().len() == form.memory_ns().get(0).left().len(),
        "rows of `cycles` and `memory_ns` must have the same number of positions",
    )
}

fn check_levels(form: &policy::TailTable<'_>) -> Result<()> {
    let mut before_khz = 0;
    for level in form.levels() {
        require(
            before_khz < level.frequency_khz(),
            "`frequency_khz` must be at least 1 and increase from level to level",
        )?;
        require(level.frequency_khz() <= LARGEST_KHZ, "`frequency_khz` must be at most 2^23")?;
        require(level.power_mw() >= 0, "`power_mw` must not be negative")?;
        before_khz = level.frequency_khz();
    }
    require(before_khz > 0, "`levels` must not be empty, and `frequency_khz` must be at least 1")
}

fn check_batch(form: &policy::TailTable<'_>) -> Result<()> {
    let Some(batch) = form.batch() else { return Ok(()) };
    let is_level = |khz| form.levels().iter().any(|level| level.frequency_khz() == khz);
    require(
        is_level(batch.least_khz()) && is_level(batch.frequency_khz()),
        "`least_khz` and `frequency_khz` of `batch` must be frequencies of `levels`",
    )?;
    require(batch.power_mw() >= 0, "`power_mw` must not be negative")
}

fn check_rows(rows: Rows<'_>, most: i64) -> Result<()> {
    let mut before = None;
    let mut positions = None;
    for row in rows {
        let (from, left) = (row.from_elapsed(), row.left());
        require(before.is_some() || from == 0, "`from_elapsed` of the first row must be 0")?;
        require(before < Some(from), "`from_elapsed` must increase from row to row")?;
        before = Some(from);
        require(
            *positions.get_or_insert(left.len()) == left.len(),
            "all rows must have the same number of positions",
        )?;
        require(!left.is_empty(), "`left` of a row must not be empty")?;
        let is_within = left.get(0) >= 0 && left.get(left.len() - 1) <= most;
        require(is_within, "`left` of a row must be 0 to 2^43 cycles or 2^53 - 1 ns")?;
        require(left.iter().is_sorted(), "`left` of a row must not decrease with the position")?;
    }
    require(before.is_some(), "`from_elapsed` of the first row must be 0")
}
