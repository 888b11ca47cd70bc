//! What a plan says, as plain values; units are at the end of the names, as in the artifact.

#![allow(missing_docs)]

use crate::generated::tailc::policy;

/// A group of servers without preference among them; `racks` may be absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    pub name: String,
    pub servers: i64,
    pub busy_mw: i64,
    pub asleep_mw: i64,
    pub migration_mj: i64,
    pub racks: Option<i64>,
}

/// What an epoch is expected to bring; without `first_green_pool` there is one bus, without
/// `battery_mj`, which is below 0 where it gives, no battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch {
    pub green_mw: i64,
    pub brown_udollars_per_kwh: i64,
    pub brown_mg_per_kwh: i64,
    pub first_green_pool: Option<i64>,
    pub battery_mj: Option<i64>,
}

/// So many servers of a pool, from an epoch on, for so many epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub pool: usize,
    pub first_epoch: usize,
    pub epochs: usize,
    pub servers: i64,
}

impl Span {
    /// The epoch after its last.
    pub fn end(&self) -> usize {
        self.first_epoch + self.epochs
    }
}

/// What a server-epoch that was promised to be green pays, and another, and what goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    pub green_udollars: i64,
    pub brown_udollars: i64,
    pub penalty_udollars: i64,
}

/// What an epoch more until a job is done counts, and how much slower it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malleable {
    pub delay_udollars: i64,
    pub slowdown_ppm: i64,
}

/// What stores green energy that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Battery {
    pub capacity_mj: i64,
    pub charge_mw: i64,
    pub discharge_mw: i64,
    pub kept_ppm: i64,
    pub first_mj: i64,
}

#[derive(Clone, Debug)]
pub(super) struct PlannedJob {
    pub name: String,
    pub spans: Vec<Span>,
    pub green_slots: i64,
}

/// All but the jobs. Just one of `terms` and `malleable` is there; `prices` by pool, then by epoch.
#[derive(Clone, Debug)]
pub(super) struct PlanData {
    pub start_unix_s: i64,
    pub epoch_s: i64,
    pub violations_ppm: i64,
    pub pools: Vec<Pool>,
    pub epochs: Vec<Epoch>,
    pub prices: Vec<Vec<i64>>,
    pub terms: Option<Terms>,
    pub malleable: Option<Malleable>,
    pub battery: Option<Battery>,
    pub grid_mw: Option<i64>,
    pub later_jobs: Option<String>,
}

impl PlanData {
    pub fn read(form: &policy::Plan<'_>) -> Self {
        let prices = form.prices().iter().map(|of_pool| of_pool.udollars().iter().collect());
        Self {
            start_unix_s: form.start_unix_s(),
            epoch_s: form.epoch_s(),
            violations_ppm: form.violations_ppm(),
            pools: form.pools().iter().map(pool_of).collect(),
            epochs: form.epochs().iter().map(epoch_of).collect(),
            prices: prices.collect(),
            terms: form.terms().map(|terms| Terms {
                green_udollars: terms.green_udollars(),
                brown_udollars: terms.brown_udollars(),
                penalty_udollars: terms.penalty_udollars(),
            }),
            malleable: form.malleable().map(|malleable| Malleable {
                delay_udollars: malleable.delay_udollars(),
                slowdown_ppm: malleable.slowdown_ppm(),
            }),
            battery: form.battery().map(|battery| Battery {
                capacity_mj: battery.capacity_mj(),
                charge_mw: battery.charge_mw(),
                discharge_mw: battery.discharge_mw(),
                kept_ppm: battery.kept_ppm(),
                first_mj: battery.first_mj(),
            }),
            grid_mw: form.grid_mw(),
            later_jobs: form.later_jobs().map(str::to_owned),
        }
    }
}

fn pool_of(pool: policy::Pool<'_>) -> Pool {
    Pool {
        name: pool.name().to_owned(),
        servers: pool.servers(),
        busy_mw: pool.busy_mw(),
        asleep_mw: pool.asleep_mw(),
        migration_mj: pool.migration_mj(),
        racks: pool.racks(),
    }
}

fn epoch_of(epoch: policy::Epoch<'_>) -> Epoch {
    Epoch {
        green_mw: epoch.green_mw(),
        brown_udollars_per_kwh: epoch.brown_udollars_per_kwh(),
        brown_mg_per_kwh: epoch.brown_mg_per_kwh(),
        first_green_pool: epoch.first_green_pool(),
        battery_mj: epoch.battery_mj(),
    }
}

pub(super) fn jobs_of(form: &policy::Plan<'_>) -> Vec<PlannedJob> {
    form.jobs().iter().map(job_of).collect()
}

fn job_of(job: policy::PlannedJob<'_>) -> PlannedJob {
    PlannedJob {
        name: job.name().to_owned(),
        spans: job.spans().iter().map(span_of).collect(),
        green_slots: job.green_slots(),
    }
}

/// What is negative becomes larger than any plan, and is refused as that.
fn span_of(span: policy::Span<'_>) -> Span {
    let number = |value: i64| usize::try_from(value).unwrap_or(usize::MAX);
    Span {
        pool: number(span.pool()),
        first_epoch: number(span.first_epoch()),
        epochs: number(span.epochs()),
        servers: span.servers(),
    }
}
