//! What jobs and energy of a datacentre do, epoch by epoch, and the free servers left.

mod battery;
mod data;
mod meaning;
mod pricing;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::counters::Counters;
use crate::error::{require, Error, Result};
use crate::generated::tailc::policy;
use crate::numbers::PPM;
use battery::stored_by_epoch;
pub use battery::Stored;
use data::{jobs_of, PlanData};
pub use data::{Battery, Epoch, Malleable, Pool, Span, Terms};
use meaning::check_plan;
pub use pricing::Quote;
use pricing::{spans_of, Pricing};

/// By epoch, then by pool.
type Servers = Vec<Vec<i64>>;

/// What a pool hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bus {
    /// Green energy alone.
    Green,
    /// Brown energy, and the green that is left.
    Brown,
    /// There is one bus: green energy first.
    Mixed,
}

/// So many servers of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Allocation {
    pub pool: usize,
    pub servers: i64,
}

/// Pools and epochs are numbered from 0; times are Unix seconds. What `admit`, `take` and `release`
/// change is remembered here. The plan of a policy contains only its own jobs: clone it, and admit
/// jobs to the clone. Invalid numbers are invalid arguments, and change nothing.
#[derive(Clone, Debug)]
pub struct Plan {
    data: PlanData,
    counters: Arc<Counters>,
    pricing: Pricing,
    places: BTreeMap<String, Vec<Span>>,
    free: Servers,
    stored: Vec<Stored>,
}

impl Plan {
    /// The epoch of a moment; none outside the plan.
    pub fn epoch_at(&self, unix_s: i64) -> Option<usize> {
        let passed_s = unix_s.checked_sub(self.data.start_unix_s).filter(|passed_s| *passed_s >= 0);
        let epoch = passed_s.map(|passed_s| (passed_s / self.data.epoch_s) as usize);
        let epoch = epoch.filter(|epoch| *epoch < self.data.epochs.len());
        if epoch.is_none() {
            self.counters.count_outside();
        }
        epoch
    }

    /// Which bus a pool hangs on at a moment; none outside the plan, and of no pool.
    pub fn source(&self, pool: usize, unix_s: i64) -> Option<Bus> {
        let epoch = self.epoch_at(unix_s)?;
        if pool >= self.data.pools.len() {
            return None;
        }
        Some(match self.data.epochs[epoch].first_green_pool {
            None => Bus::Mixed,
            Some(first) if pool as i64 >= first => Bus::Green,
            Some(_) => Bus::Brown,
        })
    }

    /// Power of the battery in the epoch of a time, and its energy at the end of the epoch; none
    /// without a battery, and outside the plan.
    pub fn stored(&self, unix_s: i64) -> Option<Stored> {
        self.stored.get(self.epoch_at(unix_s)?).copied()
    }

    /// What a job has at a moment, in order of pool; none: the plan does not say, since it has no such
    /// job, or the moment is outside it.
    pub fn allocation(&self, job: &str, unix_s: i64) -> Option<Vec<Allocation>> {
        let epoch = self.epoch_at(unix_s)?;
        let spans = self.places.get(job)?;
        let is_held = |span: &&Span| (span.first_epoch..span.end()).contains(&epoch);
        let held = spans.iter().filter(is_held);
        let mut found: Vec<Allocation> =
            held.map(|span| Allocation { pool: span.pool, servers: span.servers }).collect();
        found.sort_by_key(|allocation| allocation.pool);
        Some(found)
    }

    /// Servers of each pool that no job has; none: there is no such epoch.
    pub fn free(&self, epoch: usize) -> Option<&[i64]> {
        self.free.get(epoch).map(Vec::as_slice)
    }

    /// What a rigid job of `width` servers for so many epochs would pay, and be worth; `green_ppm` is
    /// the share of its server-epochs that shall be green. Ties go to the earlier epoch, then the
    /// lower pool. Takes O(pools epochs log epochs).
    pub fn quote(
        &self,
        first_epoch: usize,
        epochs: usize,
        width: i64,
        green_ppm: i64,
    ) -> Result<Quote> {
        if self.data.terms.is_none() {
            let why = "jobs of this plan are malleable: use the cheapest width, not a quote";
            return Err(Error::InvalidArgument(why));
        }
        check_size(epochs, width)?;
        if !(0..=PPM).contains(&green_ppm) {
            return Err(Error::InvalidArgument(
                "the share of green energy must be 0 to 1,000,000 (millionths)",
            ));
        }
        Ok(self.pricing.quote(&self.free, first_epoch, epochs, width, green_ppm))
    }

    /// The quote of a job, which has its places from now on if it is admitted.
    pub fn admit(
        &mut self,
        job: &str,
        first_epoch: usize,
        epochs: usize,
        width: i64,
        green_ppm: i64,
    ) -> Result<Quote> {
        self.check_new(job)?;
        let told = self.quote(first_epoch, epochs, width, green_ppm)?;
        if let Some(places) = told.places.as_ref().filter(|_| told.is_admitted()) {
            self.give(job, places);
        }
        Ok(told)
    }

    /// Of the widths of a malleable job, each with the epochs that it then takes, the one whose places
    /// and epochs cost least; of equal costs the smallest; none has room: none.
    pub fn cheapest_width(
        &self,
        first_epoch: usize,
        epochs_of: &BTreeMap<i64, usize>,
    ) -> Result<Option<i64>> {
        let Some(malleable) = self.data.malleable else {
            return Err(Error::InvalidArgument(
                "jobs of this plan are rigid: use a quote, not the cheapest width",
            ));
        };
        let mut best: Option<(i64, i64)> = None;
        for (width, epochs) in epochs_of {
            check_size(*epochs, *width)?;
            let within = self.pricing.within(&self.free, first_epoch, *epochs, *width);
            let Some(within) = within else { continue };
            let places = self.pricing.filled(&self.free, &within, *width);
            let worth_udollars = self.pricing.worth(&within, &places);
            let udollars = worth_udollars + *epochs as i64 * malleable.delay_udollars;
            if best.is_none_or(|(least_udollars, _)| udollars < least_udollars) {
                best = Some((udollars, *width));
            }
        }
        Ok(best.map(|(_, width)| width))
    }

    /// The cheapest places of a job, which has them from now on; none: there is no room.
    pub fn take(
        &mut self,
        job: &str,
        first_epoch: usize,
        epochs: usize,
        width: i64,
    ) -> Result<Option<Vec<Span>>> {
        self.check_new(job)?;
        check_size(epochs, width)?;
        let Some(within) = self.pricing.within(&self.free, first_epoch, epochs, width) else {
            return Ok(None);
        };
        let spans = spans_of(&within, &self.pricing.filled(&self.free, &within, width));
        self.give(job, &spans);
        Ok(Some(spans))
    }

    /// The job is done: its places from an epoch on are free.
    pub fn release(&mut self, job: &str, epoch: usize) -> Result<()> {
        let Some(held) = self.places.remove(job) else {
            return Err(Error::InvalidArgument("the plan has no job of that name"));
        };
        let mut kept = Vec::new();
        for span in held {
            let from = epoch.clamp(span.first_epoch, span.end());
            self.add_free(&Span { first_epoch: from, epochs: span.end() - from, ..span }, 1);
            if from > span.first_epoch {
                kept.push(Span { epochs: from - span.first_epoch, ..span });
            }
        }
        if !kept.is_empty() {
            self.places.insert(job.to_owned(), kept);
        }
        Ok(())
    }

    /// By number.
    pub fn pools(&self) -> &[Pool] {
        &self.data.pools
    }

    /// By number.
    pub fn epochs(&self) -> &[Epoch] {
        &self.data.epochs
    }

    /// What rigid jobs pay; none: jobs are malleable.
    pub fn terms(&self) -> Option<Terms> {
        self.data.terms
    }

    /// What delays of malleable jobs count; none: jobs are rigid.
    pub fn malleable(&self) -> Option<Malleable> {
        self.data.malleable
    }

    /// What stores green energy, if anything does.
    pub fn battery(&self) -> Option<Battery> {
        self.data.battery
    }

    /// Power that is bought at negative prices; none: no price is negative.
    pub fn grid_mw(&self) -> Option<i64> {
        self.data.grid_mw
    }

    /// The rule that decides about other jobs; none: the prices of the plan.
    pub fn later_jobs(&self) -> Option<&str> {
        self.data.later_jobs.as_deref()
    }

    fn check_new(&self, job: &str) -> Result<()> {
        if job.is_empty() || self.places.contains_key(job) {
            return Err(Error::InvalidArgument(
                "a job must have a name that no other job of the plan has",
            ));
        }
        Ok(())
    }

    fn give(&mut self, job: &str, spans: &[Span]) {
        for span in spans {
            self.add_free(span, -1);
        }
        self.places.insert(job.to_owned(), spans.to_vec());
    }

    /// Adds a span's servers to the free ones, or takes them away.
    fn add_free(&mut self, span: &Span, sign: i64) {
        for row in &mut self.free[span.first_epoch..span.end()] {
            row[span.pool] += sign * span.servers;
        }
    }

    pub(crate) fn read(form: &policy::Plan<'_>, counters: Arc<Counters>) -> Result<Self> {
        let (data, jobs) = (PlanData::read(form), jobs_of(form));
        check_plan(&data, &jobs)?;
        let servers: Vec<i64> = data.pools.iter().map(|pool| pool.servers).collect();
        let mut plan = Self {
            pricing: Pricing::new(&data),
            counters,
            places: BTreeMap::new(),
            free: vec![servers; data.epochs.len()],
            stored: Vec::new(),
            data,
        };
        for job in &jobs {
            plan.give(&job.name, &job.spans);
        }
        let is_enough = plan.free.iter().flatten().all(|servers| *servers >= 0);
        require(is_enough, "the jobs of an epoch use more servers of a pool than it has")?;
        plan.stored = stored_by_epoch(&plan.data, &jobs)?;
        Ok(plan)
    }
}

fn check_size(epochs: usize, width: i64) -> Result<()> {
    const LARGEST_JOB: i64 = 1 << 20;
    let is_epochs = (1..=LARGEST_JOB as usize).contains(&epochs);
    if !is_epochs || !(1..=LARGEST_JOB).contains(&width) {
        return Err(Error::InvalidArgument(
            "a job must start in epoch 0 or later, with 1 to 2^20 epochs and servers",
        ));
    }
    Ok(())
}
