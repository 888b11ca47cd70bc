//! A plan that contradicts itself is refused, but for servers that jobs have twice.

use std::collections::BTreeSet;

use super::data::{PlanData, PlannedJob};
use crate::error::{require, Result};
use crate::numbers::{LARGEST_WHOLE, PPM};

const MOST_SERVERS: i64 = 1 << 20;
const LARGEST_UDOLLARS: i64 = 1 << 28;

pub(super) fn check_plan(data: &PlanData, jobs: &[PlannedJob]) -> Result<()> {
    check_times(data)?;
    require((0..=PPM).contains(&data.violations_ppm), "`violations_ppm` must be 0 to 1,000,000")?;
    check_pools(data)?;
    check_epochs(data)?;
    check_grid(data)?;
    let is_rule = data.later_jobs.as_deref() != Some("");
    require(is_rule, "`later_jobs` must not be empty")?;
    check_money(data)?;
    let has_names_apart = are_apart(jobs.iter().map(|job| job.name.as_str()));
    require(has_names_apart, "two jobs have the same `name`")?;
    jobs.iter().try_for_each(|job| check_job(data, job))
}

fn are_apart<'a>(mut names: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = BTreeSet::new();
    names.all(|name| seen.insert(name))
}

fn check_times(data: &PlanData) -> Result<()> {
    const LATEST_UNIX_S: i64 = 253_402_300_799;
    const MOST_EPOCHS: i64 = 1 << 14;
    require(data.epoch_s > 0, "`epoch_s` must be at least 1")?;
    let has_both = !data.pools.is_empty() && !data.epochs.is_empty();
    require(has_both, "`pools` and `epochs` must not be empty")?;
    let epochs = data.epochs.len() as i64;
    require(epochs <= MOST_EPOCHS, "`epochs` must have at most 2^14 entries")?;
    require(
        (0..=LATEST_UNIX_S).contains(&data.start_unix_s)
            && data.epoch_s <= (LATEST_UNIX_S - data.start_unix_s) / epochs,
        "`start_unix_s` and the end of the last epoch must be in the years 1970 to 9999",
    )
}

fn check_pools(data: &PlanData) -> Result<()> {
    let mut servers = 0;
    for pool in &data.pools {
        require(!pool.name.is_empty(), "`name` of a pool must not be empty")?;
        require(
            (1..=MOST_SERVERS).contains(&pool.servers),
            "`servers` of a pool must be 1 to 2^20",
        )?;
        require(
            0 <= pool.asleep_mw && pool.asleep_mw <= pool.busy_mw && pool.busy_mw > 0,
            "`busy_mw` of a pool must be at least 1, and `asleep_mw` 0 to `busy_mw`",
        )?;
        require(pool.migration_mj >= 0, "`migration_mj` of a pool must not be negative")?;
        require(
            pool.racks.is_none_or(|racks| racks > 0 && pool.servers % racks == 0),
            "`servers` of a pool must be a multiple of `racks`, which must be at least 1",
        )?;
        require(
            pool.racks.is_some() == data.pools[0].racks.is_some(),
            "`racks` must be present in every pool or in none",
        )?;
        servers += pool.servers;
    }
    require(servers <= MOST_SERVERS, "`pools` must have at most 2^20 servers in total")?;
    let has_names_apart = are_apart(data.pools.iter().map(|pool| pool.name.as_str()));
    require(has_names_apart, "two pools have the same `name`")
}

fn check_epochs(data: &PlanData) -> Result<()> {
    let has_buses = data.epochs[0].first_green_pool.is_some();
    for epoch in &data.epochs {
        let is_positive = epoch.green_mw >= 0 && epoch.brown_mg_per_kwh >= 0;
        require(is_positive, "`green_mw` and `brown_mg_per_kwh` must not be negative")?;
        let is_price = epoch.brown_udollars_per_kwh >= 0 || data.grid_mw.is_some();
        require(is_price, "`brown_udollars_per_kwh` is negative only with `grid_mw`")?;
        let is_alike = epoch.first_green_pool.is_some() == has_buses;
        require(is_alike, "`first_green_pool` must be present in every epoch or in none")?;
        let first = epoch.first_green_pool.unwrap_or(0);
        let is_there = 0 <= first && first <= data.pools.len() as i64;
        require(is_there, "`first_green_pool` must be 0 to the number of pools")?;
    }
    Ok(())
}

/// Divides, since a product may not fit into 64 bits.
fn check_grid(data: &PlanData) -> Result<()> {
    let Some(mut left) = data.grid_mw else { return Ok(()) };
    for pool in &data.pools {
        let is_enough = pool.busy_mw <= left / pool.servers;
        require(is_enough, "`grid_mw` must be at least the power of all servers")?;
        left -= pool.servers * pool.busy_mw;
    }
    Ok(())
}

fn check_money(data: &PlanData) -> Result<()> {
    let is_complete = data.prices.len() == data.pools.len()
        && data.prices.iter().all(|of_pool| of_pool.len() == data.epochs.len());
    require(is_complete, "`prices` must have an entry for each pool, with a price for each epoch")?;
    let is_rigid = data.terms.is_some();
    require(
        is_rigid != data.malleable.is_some(),
        "exactly one of `terms` and `malleable` must be present",
    )?;
    let terms = data
        .terms
        .iter()
        .flat_map(|terms| [terms.green_udollars, terms.brown_udollars, terms.penalty_udollars]);
    let amounts = data.prices.iter().flatten().copied().chain(terms);
    let mut most = 0;
    for udollars in amounts {
        let is_within = (0..=LARGEST_UDOLLARS).contains(&udollars);
        require(is_within, "amounts of `prices` and `terms` must be 0 to 2^28")?;
        most = most.max(udollars);
    }
    let servers: i64 = data.pools.iter().map(|pool| pool.servers).sum();
    let slots = servers * data.epochs.len() as i64;
    require(
        slots * most <= LARGEST_WHOLE,
        "servers times epochs times the largest price must be below 2^53",
    )?;
    let Some(malleable) = data.malleable else { return Ok(()) };
    let is_within = (0..=LARGEST_UDOLLARS).contains(&malleable.delay_udollars);
    require(is_within, "`delay_udollars` must be 0 to 2^28")?;
    require(malleable.slowdown_ppm >= PPM, "`slowdown_ppm` must be at least 1,000,000")
}

fn check_job(data: &PlanData, job: &PlannedJob) -> Result<()> {
    require(
        !job.name.is_empty() && !job.spans.is_empty(),
        "`name` and `spans` of a job must not be empty",
    )?;
    check_spans(data, job)?;
    let slots: i64 = job.spans.iter().map(|span| span.servers * span.epochs as i64).sum();
    require(
        (0..=slots).contains(&job.green_slots),
        "`green_slots` must be 0 to the number of server-epochs of the job",
    )?;
    let is_promised = data.terms.is_some() || job.green_slots == 0;
    require(is_promised, "`green_slots` of malleable jobs must be 0")
}

fn check_spans(data: &PlanData, job: &PlannedJob) -> Result<()> {
    let mut ends = vec![0; data.pools.len()];
    let mut before = None;
    for span in &job.spans {
        let runs = span.pool < data.pools.len() && span.epochs > 0 && span.servers > 0;
        require(
            runs,
            "a span needs an existing `pool`, `first_epoch` >= 0, `epochs` > 0 and `servers` > 0",
        )?;
        let end = span.first_epoch.checked_add(span.epochs);
        require(
            end.is_some_and(|end| end <= data.epochs.len()),
            "a span must end within the plan",
        )?;
        let is_held = span.servers <= data.pools[span.pool].servers;
        require(is_held, "`servers` of a span must be at most those of its pool")?;
        require(
            span.first_epoch >= ends[span.pool],
            "spans of a job in one pool must not overlap",
        )?;
        ends[span.pool] = span.end();
        let place = (span.first_epoch, span.pool);
        require(
            before <= Some(place),
            "`spans` must be in order of `first_epoch`, then of `pool`",
        )?;
        before = Some(place);
    }
    Ok(())
}
