//! The rows of a ladder as flat arrays: no allocation and no lock in a look-up.

use super::meaning::climbs_of;
use super::Guard;
use crate::generated::tailc::policy;
use crate::generated::tailc::policy::AdmissionKind;

/// Up to this many loads, each load has an entry; for more, rows are found by bisection.
const MOST_ENTRIES: u64 = 4096;
/// This number of climbs is stored in the row itself.
const SHORT_ROW: usize = 8;
const NEVER_US: u64 = u64::MAX;

/// Entries from one load up to that of the next row.
#[derive(Debug)]
pub(super) struct Row {
    /// Of the climbs, where they are few; those beyond the last repeat its rung, and never come.
    ages_us: [u64; SHORT_ROW],
    rungs: [u32; SHORT_ROW],
    pub(super) delay_us: u64,
    pub(super) is_on_exit: bool,
    /// Where they are many.
    long: Option<LongRow>,
}

#[derive(Debug)]
struct LongRow {
    first_climb: usize,
    climb_count: usize,
}

/// Rows from load 0 on, each to the first load of the next.
#[derive(Debug, Default)]
pub(super) struct Table {
    row_of_load: Vec<u16>,
    first_loads: Vec<u64>,
    rows: Vec<Row>,
    /// The climbs of long rows.
    ages_us: Vec<u64>,
    rungs: Vec<u32>,
}

impl Table {
    #[inline]
    pub(super) fn row_at(&self, load: u64) -> &Row {
        let entry = usize::try_from(load).ok().and_then(|load| self.row_of_load.get(load));
        if let Some(row) = entry {
            return &self.rows[usize::from(*row)];
        }
        self.row_beyond(load)
    }

    fn row_beyond(&self, load: u64) -> &Row {
        let last = self.rows.len() - 1;
        if load >= self.first_loads[last] {
            return &self.rows[last];
        }
        &self.rows[self.first_loads.partition_point(|first| *first <= load) - 1]
    }

    /// Bisection without branches: in which half the last climb is that has come cannot be predicted.
    #[inline]
    pub(super) fn rung_at(&self, row: &Row, age_us: u64) -> u32 {
        if let Some(long) = &row.long {
            return self.rung_of_long(long, age_us);
        }
        let ages = &row.ages_us;
        let mut at = if ages[4] <= age_us { 4 } else { 0 };
        at += if ages[at + 2] <= age_us { 2 } else { 0 };
        at += if ages[at + 1] <= age_us { 1 } else { 0 };
        row.rungs[at]
    }

    fn rung_of_long(&self, row: &LongRow, age_us: u64) -> u32 {
        let (mut at, mut left) = (0, row.climb_count);
        let ages = &self.ages_us[row.first_climb..][..left];
        while left > 1 {
            at += if ages[at + left / 2] <= age_us { left / 2 } else { 0 };
            left -= left / 2;
        }
        self.rungs[row.first_climb + at]
    }

    /// A row that begins where the one before does takes its place.
    fn add_row<'a>(
        &mut self,
        first_load: u64,
        delay_us: u64,
        is_on_exit: bool,
        climbs: impl Iterator<Item = &'a policy::Climb>,
    ) {
        if self.first_loads.last() == Some(&first_load) {
            self.rows.pop();
            self.first_loads.pop();
        }
        let climbs: Vec<(u64, u32)> = climbs.map(|climb| (climb.age_us(), climb.rung())).collect();
        let last = climbs.last().map_or(0, |climb| climb.1);
        let of_short = |at: usize| climbs.get(at).copied().unwrap_or((NEVER_US, last));
        let row = Row {
            ages_us: std::array::from_fn(|at| of_short(at).0),
            rungs: std::array::from_fn(|at| of_short(at).1),
            delay_us,
            is_on_exit,
            long: (climbs.len() > SHORT_ROW).then(|| self.long_row(&climbs)),
        };
        self.first_loads.push(first_load);
        self.rows.push(row);
    }

    fn long_row(&mut self, climbs: &[(u64, u32)]) -> LongRow {
        let first_climb = self.ages_us.len();
        self.ages_us.extend(climbs.iter().map(|climb| climb.0));
        self.rungs.extend(climbs.iter().map(|climb| climb.1));
        LongRow { first_climb, climb_count: climbs.len() }
    }

    fn index_loads(&mut self) {
        let dense = self.first_loads.last().map_or(0, |last| (*last).min(MOST_ENTRIES));
        let mut row = 0;
        for load in 0..dense {
            if self.first_loads[usize::from(row) + 1] == load {
                row += 1;
            }
            self.row_of_load.push(row);
        }
    }
}

/// The rows of the policy, and the guard's first rung on either side.
pub(super) fn table_of(form: &policy::Ladder<'_>, guard: Guard) -> Table {
    let first_rung = policy::Climb::new(0, 0);
    let is_cut = guard.is_first_rung_outside;
    let low = if is_cut { guard.min_load } else { 0 };
    let end = if is_cut { guard.max_load + 1 } else { u64::MAX };
    let mut table = Table::default();
    if low > 0 {
        table.add_row(0, 0, false, [&first_rung].into_iter());
    }
    for (at, row) in form.rows().iter().enumerate() {
        if row.first_load() >= end && at > 0 {
            break;
        }
        let first_load = if at == 0 { low } else { row.first_load().max(low) };
        let is_on_exit = row.admission() == AdmissionKind::ON_EXIT;
        table.add_row(first_load, row.delay_us(), is_on_exit, climbs_of(form, row));
    }
    if is_cut {
        table.add_row(end, 0, false, [&first_rung].into_iter());
    }
    table.index_loads();
    table
}
