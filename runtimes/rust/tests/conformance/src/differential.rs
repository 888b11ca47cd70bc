//! Questions drawn from a seed, and a checksum of the answers: equal lines are equal answers.

use std::path::Path;

use tailc_runtime::{
    BudgetTable, Controller, Form, Ladder, Lane, Plan, Policy, Quote, RungSetting, Shares, Span,
    Start, TailTable,
};

use crate::lines::AnyResult;
use crate::Outcome;

/// Questions between two lines.
const STRETCH: u64 = 4_096;
/// Questions between two steps of a controller.
const EPOCH: u64 = 1_024;

/// Asks one question with its number, and folds what is answered.
type Ask<'a> = Box<dyn FnMut(u64, &mut Draws, &mut Checksum) -> AnyResult<()> + 'a>;

pub fn run(path: &Path, seed: u64, count: u64) -> Outcome {
    let policy = Policy::open(path)?;
    let mut ask = question_of(&policy)?;
    let (mut draws, mut sum) = (Draws(seed), Checksum(0xCBF2_9CE4_8422_2325));
    for number in 0..count {
        ask(number, &mut draws, &mut sum)?;
        if (number + 1) % STRETCH == 0 || number + 1 == count {
            println!("{:016x}", sum.0);
        }
    }
    Ok(true)
}

fn question_of(policy: &Policy) -> AnyResult<Ask<'_>> {
    let controller = policy.controller();
    Ok(match policy.form() {
        Form::Ladders(ladders) => Box::new(move |number, draws, sum| {
            step(controller, number, draws, sum);
            ask_ladder(ladders, draws, sum);
            Ok(())
        }),
        Form::TailTable(table) => Box::new(move |number, draws, sum| {
            step(controller, number, draws, sum);
            ask_table(table, draws, sum)
        }),
        Form::Shares(shares) => {
            let mut shares = shares.clone();
            Box::new(move |_, draws, sum| tick(&mut shares, draws, sum))
        }
        Form::Plan(plan) => {
            let mut asked = AskedPlan { opened: plan, plan: plan.clone(), admitted: Vec::new() };
            Box::new(move |number, draws, sum| asked.ask(number, draws, sum))
        }
        Form::BudgetTable(table) => Box::new(move |_, draws, sum| {
            ask_budgets(table, draws, sum);
            Ok(())
        }),
        _ => return Err("a form that is not asked here".into()),
    })
}

/// SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % count
    }
}

struct Checksum(u64);

impl Checksum {
    fn fold(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x0100_0000_01B3);
    }

    fn fold_all(&mut self, values: impl IntoIterator<Item = i64>) {
        values.into_iter().for_each(|value| self.fold(value as u64));
    }
}

fn step(controller: Option<&Controller>, number: u64, draws: &mut Draws, sum: &mut Checksum) {
    let Some(controller) = controller.filter(|_| number.is_multiple_of(EPOCH)) else { return };
    let last_mrps = controller.gains().last().map_or(0, |row| row.first_rate_mrps);
    let measured_us = draws.below(3 * controller.target_us() as u64);
    let rate_mrps = draws.below(2 * last_mrps + 2);
    sum.fold(controller.step(measured_us, rate_mrps) as u64);
}

fn ask_ladder(ladders: &[Ladder], draws: &mut Draws, sum: &mut Checksum) {
    let ladder = &ladders[draws.below(ladders.len() as u64) as usize];
    let load = draws.below(ladder.guard().max_load + 2);
    let waited_us = draws.below(2 * ladder.longest_delay_us() + 2);
    let executed_us = draws.below(2 * ladder.last_climb_us() + 2);
    let answer = ladder.lookup(load, waited_us, executed_us);
    let (start, wait_us) = match answer.start {
        Start::Now => (0, 0),
        Start::WaitUs(left_us) => (1, left_us),
        Start::OnExit => (2, 0),
    };
    [start, wait_us, answer.rung as u64].into_iter().for_each(|value| sum.fold(value));
    fold_setting(&ladder.settings()[answer.rung], sum);
}

fn fold_setting(rung: &RungSetting, sum: &mut Checksum) {
    let lane = match rung.lane {
        None => 0,
        Some(Lane::Shared) => 1,
        Some(Lane::Alone) => 2,
    };
    sum.fold_all([
        rung.speed_ppm,
        rung.threads.unwrap_or(0),
        rung.frequency_khz.unwrap_or(0),
        rung.core_type.as_ref().map_or(0, |name| name.len() as i64),
        lane,
        rung.one_thread_ppm.unwrap_or(0),
    ]);
}

fn ask_table(table: &TailTable, draws: &mut Draws, sum: &mut Checksum) -> AnyResult<()> {
    let bound_ns = table.bound_us() as u64 * 1_000;
    let count = 1 + draws.below(table.positions() as u64 + 1);
    let mut limit = 2 * bound_ns + 1;
    let mut ages_ns = Vec::new();
    for _ in 0..count {
        let age_ns = draws.below(limit);
        ages_ns.push(age_ns);
        limit = age_ns + 1;
    }
    let last_cycles = table.from_cycles().last().copied().unwrap_or(0);
    let cycles = draws.below(2 * last_cycles + 2);
    let memory_ns = draws.below(bound_ns + 1);
    sum.fold(table.frequency_khz(&ages_ns, cycles, memory_ns)? as u64);
    Ok(())
}

fn ask_budgets(table: &BudgetTable, draws: &mut Draws, sum: &mut Checksum) {
    let decoding = draws.below(2 * table.max_sequences() as u64);
    let waiting = draws.below(2 * (table.kv_blocks() * table.block_tokens()) as u64);
    let budget = table.lookup(decoding, waiting);
    sum.fold_all([budget.tokens, budget.new_sequences]);
}

fn tick(shares: &mut Shares, draws: &mut Draws, sum: &mut Checksum) -> AnyResult<()> {
    let throughput: Vec<f64> =
        shares.served().iter().map(|_| draws.below(1_000_000) as f64 / 1_000.0).collect();
    // Nothing waits once in a while.
    let waiting: Vec<u64> = shares.served().iter().map(|_| draws.below(64)).collect();
    sum.fold_all(shares.tick_waiting(&throughput, &waiting)?.iter().copied());
    for one in shares.served() {
        sum.fold(one.a.to_bits());
        sum.fold(one.b.to_bits());
    }
    Ok(())
}

/// Questions that are for one plan as it was opened: it fills up.
const SPELL: u64 = 128;

struct AskedPlan<'a> {
    opened: &'a Plan,
    plan: Plan,
    /// Names of jobs that were admitted, and not released.
    admitted: Vec<String>,
}

/// The word for an invalid argument, for a question of rigid jobs, and for one of malleable jobs.
const INVALID: u64 = 3;
const ONLY_RIGID: u64 = 8;
const ONLY_MALLEABLE: u64 = 9;

impl AskedPlan<'_> {
    fn ask(&mut self, number: u64, draws: &mut Draws, sum: &mut Checksum) -> AnyResult<()> {
        if number.is_multiple_of(SPELL) {
            self.plan = self.opened.clone();
            self.admitted.clear();
        }
        let what = draws.below(8);
        let first = draws.below(self.plan.epochs().len() as u64 + 2) as usize;
        let count = 1 + draws.below(8) as usize;
        let largest = self.plan.pools().iter().map(|pool| pool.servers).max().unwrap_or(0);
        let width = 1 + draws.below(largest as u64 + 2) as i64;
        let green_ppm = draws.below(1_000_001) as i64;
        match what {
            0..=5 if self.plan.malleable().is_some() => sum.fold(ONLY_RIGID),
            0..=3 => match self.plan.quote(first, count, width, green_ppm) {
                Ok(told) => fold_quote(&told, sum),
                Err(_) => sum.fold(INVALID),
            },
            4 | 5 => {
                let name = format!("q{number}");
                match self.plan.admit(&name, first, count, width, green_ppm) {
                    Ok(told) => {
                        fold_quote(&told, sum);
                        fold_places(told.places.as_deref().unwrap_or_default(), sum);
                        if told.is_admitted() {
                            self.admitted.push(name);
                        }
                    }
                    Err(_) => sum.fold(INVALID),
                }
            }
            6 => {
                let last = self.admitted.pop();
                if let Some(name) = &last {
                    self.plan.release(name, first)?;
                }
                sum.fold(u64::from(last.is_some()));
            }
            _ if self.plan.malleable().is_none() => sum.fold(ONLY_MALLEABLE),
            _ => match self.plan.take(&format!("t{number}"), first, count, width) {
                Ok(Some(places)) => {
                    sum.fold(1);
                    fold_places(&places, sum);
                }
                Ok(None) => sum.fold(0),
                Err(_) => sum.fold(INVALID),
            },
        }
        Ok(())
    }
}

fn fold_quote(told: &Quote, sum: &mut Checksum) {
    let answer = match &told.places {
        Some(_) if told.is_admitted() => 0,
        Some(_) => 1,
        None => 2,
    };
    sum.fold_all([answer, told.pays_udollars, told.worth_udollars, told.green_slots]);
}

fn fold_places(places: &[Span], sum: &mut Checksum) {
    for span in places {
        let numbers = [span.first_epoch, span.pool, span.epochs].map(|number| number as i64);
        sum.fold_all(numbers);
        sum.fold_all([span.servers]);
    }
}
