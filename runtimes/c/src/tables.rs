//! Tail tables and budget tables.

use tailc_runtime::TailTable;

use crate::border::*;
use crate::policy::Handle;

/// The tail table of a policy.
#[no_mangle]
pub unsafe extern "C" fn tailc_tail_table(
    policy: *const Handle,
    table: *mut *const TailTable,
) -> Status {
    status_of(|| put(table, held(policy)?.tail_table()?))
}

/// What a tail table has.
#[repr(C)]
pub struct TailTableInfo {
    frequencies_khz: *const i64,
    power_mw: *const i64,
    levels: usize,
    positions: usize,
    percentile_ppm: i64,
    bound_us: i64,
    cores: i64,
    last_cycles: u64,
}

/// Numbers of a tail table.
#[no_mangle]
pub unsafe extern "C" fn tailc_tail_table_info(
    table: *const TailTable,
    info: *mut TailTableInfo,
) -> Status {
    status_of(|| {
        let table = held(table)?;
        put(
            info,
            TailTableInfo {
                frequencies_khz: table.frequencies_khz().as_ptr(),
                power_mw: table.power_mw().as_ptr(),
                levels: table.frequencies_khz().len(),
                positions: table.positions(),
                percentile_ppm: table.percentile_ppm(),
                bound_us: table.bound_us(),
                cores: table.cores(),
                last_cycles: table.from_cycles().last().copied().unwrap_or(0),
            },
        )
    })
}

/// The level of a core.
#[no_mangle]
pub unsafe extern "C" fn tailc_tail_table_level(
    table: *const TailTable,
    ages_ns: *const u64,
    requests: usize,
    elapsed_cycles: u64,
    elapsed_memory_ns: u64,
    level: *mut usize,
) -> Status {
    status_of(|| {
        let ages_ns = array(ages_ns, requests)?;
        put(level, held(table)?.level(ages_ns, elapsed_cycles, elapsed_memory_ns)?)
    })
}

/// The level with a scaled bound.
#[no_mangle]
pub unsafe extern "C" fn tailc_tail_table_level_scaled(
    table: *const TailTable,
    ages_ns: *const u64,
    requests: usize,
    elapsed_cycles: u64,
    elapsed_memory_ns: u64,
    scale_ppm: u64,
    level: *mut usize,
) -> Status {
    status_of(|| {
        let (table, ages_ns) = (held(table)?, array(ages_ns, requests)?);
        put(level, table.level_scaled(ages_ns, elapsed_cycles, elapsed_memory_ns, scale_ppm)?)
    })
}

/// What the next iteration batches.
#[repr(C)]
pub struct Budget {
    tokens: i64,
    new_sequences: i64,
}

/// The budget of the next iteration.
#[no_mangle]
pub unsafe extern "C" fn tailc_budget_lookup(
    policy: *const Handle,
    decoding: u64,
    waiting_tokens: u64,
    budget: *mut Budget,
) -> Status {
    status_of(|| {
        let found = held(policy)?.budget_table()?.lookup(decoding, waiting_tokens);
        put(budget, Budget { tokens: found.tokens, new_sequences: found.new_sequences })
    })
}

/// The limits of the server that a budget table is for.
#[repr(C)]
pub struct BudgetInfo {
    kv_blocks: i64,
    block_tokens: i64,
    max_sequences: i64,
}

/// Limits of a budget table.
#[no_mangle]
pub unsafe extern "C" fn tailc_budget_info(policy: *const Handle, info: *mut BudgetInfo) -> Status {
    status_of(|| {
        let table = held(policy)?.budget_table()?;
        put(
            info,
            BudgetInfo {
                kv_blocks: table.kv_blocks(),
                block_tokens: table.block_tokens(),
                max_sequences: table.max_sequences(),
            },
        )
    })
}
