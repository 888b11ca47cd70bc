//! How many tokens the next iteration of a language model's server batches.

use crate::error::{require, Result};
use crate::generated::tailc::policy;

/// Limits such that products of an amount and a time stay below 2^63.
const LARGEST_AMOUNT: i64 = 1 << 26;
const LARGEST_NS: i64 = 1 << 36;

/// What the next iteration may batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most tokens: every decoding sequence takes one first, and prompts take the rest.
    pub tokens: i64,
    /// How many sequences may start.
    pub new_sequences: i64,
}

/// Token budgets by sequences that decode and prompt tokens that wait.
#[derive(Debug)]
pub struct BudgetTable {
    first_waiting: Vec<u64>,
    first_decoding: Vec<u64>,
    new_sequences: Vec<i64>,
    /// Row after row.
    budgets: Vec<i64>,
    kv_blocks: i64,
    block_tokens: i64,
    max_sequences: i64,
}

impl BudgetTable {
    /// The budget of the next iteration, by the number of sequences that decode, and the tokens of
    /// prompts that are not computed yet: of sequences that run, and of requests that wait.
    pub fn lookup(&self, decoding: u64, waiting_tokens: u64) -> Budget {
        let row = cell_of(&self.first_decoding, decoding);
        let column = cell_of(&self.first_waiting, waiting_tokens);
        let tokens = self.budgets[row * self.first_waiting.len() + column];
        Budget { tokens, new_sequences: self.new_sequences[row] }
    }

    /// Blocks of the key-value cache of the engine that the table is for.
    pub fn kv_blocks(&self) -> i64 {
        self.kv_blocks
    }

    /// Tokens of a block of that cache.
    pub fn block_tokens(&self) -> i64 {
        self.block_tokens
    }

    /// The most sequences that the engine batches.
    pub fn max_sequences(&self) -> i64 {
        self.max_sequences
    }

    pub(crate) fn read(form: &policy::BudgetTable<'_>) -> Result<Self> {
        check(form)?;
        let (rows, engine) = (form.rows(), form.engine());
        Ok(Self {
            first_waiting: form.first_waiting().iter().map(|first| first as u64).collect(),
            first_decoding: rows.iter().map(|row| row.first_decoding() as u64).collect(),
            new_sequences: rows.iter().map(|row| row.new_sequences()).collect(),
            budgets: rows.iter().flat_map(|row| row.budgets()).collect(),
            kv_blocks: engine.kv_blocks(),
            block_tokens: engine.block_tokens(),
            max_sequences: engine.max_sequences(),
        })
    }
}

/// The number of the last edge that is at most `value`; the first is 0.
fn cell_of(edges: &[u64], value: u64) -> usize {
    edges.partition_point(|edge| *edge <= value) - 1
}

fn check(form: &policy::BudgetTable<'_>) -> Result<()> {
    const MOST_ROWS: usize = 4_096;
    const MOST_COLUMNS: usize = 1_024;
    let (columns, rows) = (form.first_waiting(), form.rows());
    let is_few = (1..=MOST_COLUMNS).contains(&columns.len());
    require(is_few, "`first_waiting` must have 1 to 1024 columns")?;
    let ascends = ascends_from_0(columns.iter());
    require(ascends, "`first_waiting` must ascend from 0 to at most 2^26")?;
    require((1..=MOST_ROWS).contains(&rows.len()), "`rows` must have 1 to 4096 rows")?;
    let ascends = ascends_from_0(rows.iter().map(|row| row.first_decoding()));
    require(ascends, "`first_decoding` must ascend from 0 to at most 2^26")?;
    for (at, row) in rows.iter().enumerate() {
        // Otherwise prompts wait for ever on an idle server.
        check_row(&row, columns.len(), i64::from(at == 0))?;
    }
    check_engine(&form.engine())
}

fn check_row(row: &policy::BudgetRow<'_>, columns: usize, least: i64) -> Result<()> {
    require(
        row.new_sequences() >= least,
        "`new_sequences` must not be negative, and above 0 in the first row",
    )?;
    let is_whole = row.budgets().len() == columns;
    require(is_whole, "`budgets` of a row must have a budget for each column")?;
    require(
        row.budgets().iter().all(|budget| (least..=LARGEST_AMOUNT).contains(&budget)),
        "`budgets` must be 0 to 2^26, and above 0 in the first row",
    )
}

fn check_engine(engine: &policy::BatchEngine<'_>) -> Result<()> {
    let (blocks, tokens) = (engine.kv_blocks(), engine.block_tokens());
    let sequences = engine.max_sequences();
    require(
        blocks.min(tokens).min(sequences) > 0,
        "`kv_blocks`, `block_tokens`, `max_sequences` must be above 0",
    )?;
    require(
        tokens.max(sequences) <= LARGEST_AMOUNT && blocks <= LARGEST_AMOUNT / tokens,
        "`kv_blocks` x `block_tokens` and `max_sequences` must be at most 2^26",
    )?;
    let step = engine.step();
    require((1..=LARGEST_NS).contains(&step.fixed_ns()), "`fixed_ns` must be 1 to 2^36")?;
    [step.tokens(), step.prompt(), step.decoding(), step.context()].iter().try_for_each(check_part)
}

fn check_part(part: &policy::StepPart<'_>) -> Result<()> {
    let (knots, time_ns) = (part.knots(), part.time_ns());
    require(knots.len() == time_ns.len(), "a knot must have a time, and no other")?;
    require(knots.len() > 1, "`knots` must have at least two amounts")?;
    require(ascends_from_0(knots.iter()), "`knots` must ascend from 0 to at most 2^26")?;
    let rises = time_ns.get(0) == 0 && time_ns.iter().is_sorted();
    require(rises, "`time_ns` must begin with 0 and not decrease")?;
    require(time_ns.get(time_ns.len() - 1) <= LARGEST_NS, "`time_ns` must be at most 2^36")
}

/// Whether the first of amounts is 0, and each is above the one before.
fn ascends_from_0(amounts: impl Iterator<Item = i64> + Clone) -> bool {
    let (next, last) = (amounts.clone().skip(1), amounts.clone().last());
    amounts.clone().next() == Some(0)
        && last <= Some(LARGEST_AMOUNT)
        && amounts.zip(next).all(|(one, next)| one < next)
}
