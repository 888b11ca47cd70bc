//! Claims of few-to-many and joint ladders: every row by the formula, its bound, and the table.

use crate::artifact::Artifact;
use crate::claims::{Claims, Verdict};
use crate::dual::{Objective, Problem, Slivers};
use crate::execution::Execution;
use crate::grid::Grid;
use crate::inputs::percentile_rank;
use crate::json::Json;
use crate::judged;
use crate::ladder::{Admission, Ladder, Row, FS_PER_US};
use crate::part::part_of;
use crate::profile::Profile;
use crate::rank_limits::{rank_limits, RankLimits};
use crate::row_limits::check_limits;

const PPM: i128 = 1_000_000;
const FS_PER_MICRO_US: i128 = 1_000;
/// A row may exceed its budget by this part: rows that are exactly on it are common.
const BUDGET_SPARE: i128 = 500_000_000;
/// What a search of multipliers in floating point may lose, in parts of the bound.
const SEARCH_LOSS: i128 = 1_000_000_000;
/// Loads that a search has at most: a compile has up to 10,000.
const MOST_SOLVED: i128 = 1 << 14;
/// Loads that are looked at one by one.
const MOST_LOADS: i128 = 1 << 20;

struct Table<'a> {
    artifact: &'a Artifact,
    profile: &'a Profile,
    ladder: Ladder,
    costs_ppm: Vec<i128>,
    budget_ppm: i128,
    objective: Objective,
    rank: i128,
    limits: RankLimits,
    tolerance_ppm: i128,
}

/// A schedule without a wait: cost times time [millionths of the cost unit, fs], mean and tail.
struct AtOnce {
    cost_time: i128,
    mean_fs: i128,
    tail_fs: i128,
}

const SETTINGS: [&str; 12] = [
    "budget_ppm",
    "judged_on",
    "kept_out",
    "longest_us",
    "loss_ppm",
    "max_in_system",
    "percentile_ppm",
    "requests",
    "rungs",
    "step_us",
    "target_us",
    "tolerance_ppm",
];

pub fn check(artifact: &Artifact, profile: &Profile, claims: &mut Claims) -> Result<(), String> {
    let evidence = artifact.evidence()?;
    let proof = evidence.text("proof")?;
    let kind = artifact.policy.text("kind")?;
    let is_replayed = proof == "replayed" && kind == "few-to-many";
    if !is_replayed && !["grid-exhausted", "dual-bound"].contains(&proof) {
        claims.cannot_check(format!(
            "the table: its proof is `{proof}`; only tables of the methods `grid` and `dual` are \
             checked by the formula, and those of few-to-many by replays"
        ));
        return Ok(());
    }
    // Replays have the rules for these numbers, and formulas have not.
    artifact.check_ladder(if is_replayed { &["sharing"] } else { &[] }, claims)?;
    artifact.check_settings(&SETTINGS, claims)?;
    let table = Table::of(artifact, profile)?;
    if let Some(disorder) = table.ladder.disorder() {
        claims.judge("order", "the table", false, &disorder);
        return Ok(());
    }
    if is_replayed {
        table.check_rungs(claims)?;
        return judged::check(artifact, table.ladder, profile, claims);
    }
    table.check_by_formula(evidence, claims)?;
    // Rungs of joint ladders have a frequency, which the simulated server has not.
    match evidence.member("estimates") {
        Some(_) if kind == "few-to-many" => judged::check(artifact, table.ladder, profile, claims),
        _ => Ok(()),
    }
}

impl Table<'_> {
    fn of<'a>(artifact: &'a Artifact, profile: &'a Profile) -> Result<Table<'a>, String> {
        let ladder = Ladder::of(artifact.form("ladder")?)?;
        let unit = ladder.limited_unit().ok_or(
            "a table with several limited resources is not checked: only one budget is supported",
        )?;
        if ladder.rungs.len() > profile.requests[0].speeds.len() {
            return Err("the profile has fewer speed-ups than the ladder has rungs".into());
        }
        let percentile_ppm = artifact.required_setting("percentile_ppm")?;
        let total = profile.total_weight();
        let objective = match artifact.setting("target_us")? {
            Some(target_us) => Objective::CostWithin(target_us * FS_PER_US),
            None => Objective::Tail,
        };
        Ok(Table {
            costs_ppm: ladder.costs_ppm(unit),
            budget_ppm: artifact.required_setting("budget_ppm")?,
            objective,
            rank: percentile_rank(percentile_ppm, total),
            limits: rank_limits(percentile_ppm, total),
            tolerance_ppm: artifact.setting("tolerance_ppm")?.unwrap_or(0),
            artifact,
            profile,
            ladder,
        })
    }

    fn check_by_formula(&self, evidence: &Json, claims: &mut Claims) -> Result<(), String> {
        let most = self.artifact.required_setting("max_in_system")?;
        if most > MOST_SOLVED || self.leanest(most).1 > MOST_LOADS {
            return Err(format!(
                "tables of more than {MOST_SOLVED} loads, or of {MOST_LOADS} with those that the \
                 capacity allows, are not checked"
            ));
        }
        let rows = evidence.list("rows")?;
        let loads = rows.iter().map(|row| row.number("load")).collect::<Result<Vec<_>, _>>()?;
        self.check_loads(&loads, claims)?;
        self.check_rungs(claims)?;
        self.check_boost(claims)?;
        let mut bounds = Vec::new();
        for row in rows {
            bounds.push(self.check_row(row, claims)?);
        }
        self.check_other_loads(&loads, claims)?;
        self.check_infeasible(&loads, claims)?;
        self.check_bounds(rows, &bounds, evidence.text("proof")?, claims)
    }

    /// Loads of the evidence rise from 1, and those that wait for an exit had the longest wait.
    fn check_loads(&self, loads: &[i128], claims: &mut Claims) -> Result<(), String> {
        let most = self.artifact.required_setting("max_in_system")?;
        let rise = loads.windows(2).all(|two| two[0] < two[1]);
        let are_within = loads.iter().all(|load| (1..=most).contains(load));
        claims.judge("loads", "the evidence", rise && are_within, "they do not rise from 1 on");
        Ok(())
    }

    /// Settings of the table that follow from one another and from the profile.
    fn check_rungs(&self, claims: &mut Claims) -> Result<(), String> {
        let ladder = &self.ladder;
        let axis = &ladder.load_axis;
        let by = format!("`{axis}` is claimed, and rows are of the requests in the system");
        claims.judge("load_axis", "the table", axis == "in_system", &by);
        let stated = self.artifact.required_setting("rungs")?;
        claims.equal("rungs", "the evidence", stated, ladder.rungs.len() as i128);
        for (degree, rung) in ladder.rungs.iter().enumerate() {
            let speed = self.profile.mean_speed_micro_ppm(degree);
            claims.rounded("speed_ppm", &format!("rung {degree}"), rung.speed_ppm, speed);
        }
        // Rungs of few-to-many are degrees; those of a joint ladder cost one core for each thread.
        let is_few_to_many = self.artifact.policy.text("kind")? == "few-to-many";
        let counts_cores = |name: &String| name == "threads" || name.ends_with("cores");
        let cores = ladder.unit_names.iter().position(counts_cores);
        if cores.is_none() || !is_few_to_many && ladder.rungs.iter().any(|r| r.threads.is_none()) {
            claims
                .cannot_check("the costs of rungs: no unit counts cores, or rungs have no threads");
        }
        for (degree, rung) in ladder.rungs.iter().enumerate() {
            let place = format!("rung {degree}");
            let threads = if is_few_to_many { Some(degree as i128 + 1) } else { rung.threads };
            if let (Some(unit), Some(threads)) = (cores, threads) {
                claims.equal("cost_ppm", &place, rung.cost_ppm[unit], threads * PPM);
                claims.equal("threads", &place, rung.threads.unwrap_or(threads), threads);
            }
        }
        let slos = self.artifact.policy.list("slos")?;
        let first = slos.first().ok_or("the policy has no SLO")?;
        let stated = self.artifact.required_setting("percentile_ppm")?;
        claims.equal("percentile_ppm", "the evidence", stated, first.number("percentile_ppm")?);
        if let Objective::CostWithin(target_fs) = self.objective {
            let target_us = target_fs / FS_PER_US;
            claims.at_most("target_us", "the SLO", target_us, first.number("latency_us")? * PPM);
        }
        let name = self.artifact.evidence()?.text("objective")?;
        let right = if self.objective == Objective::Tail { "tail" } else { "cost" };
        claims.judge("objective", "the evidence", name == right, &format!("`{name}` is claimed"));
        Ok(())
    }

    /// The formula's tables boost up to the number of cores.
    fn check_boost(&self, claims: &mut Claims) -> Result<(), String> {
        if let Some(boost) = &self.ladder.boost {
            let capacity = self.ladder.capacity_ppm.get(boost.unit).copied().flatten();
            let right = capacity.ok_or("boosting is limited by a unit without a capacity")?;
            claims.equal("below_ppm", "boosting", boost.below_ppm, right);
        }
        Ok(())
    }

    /// Checks a row of the evidence; returns its objective, recomputed [millionths of a us].
    fn check_row(&self, claimed: &Json, claims: &mut Claims) -> Result<i128, String> {
        let load = claimed.number("load")?;
        let place = format!("load {load}");
        let row = self.ladder.row_at(load);
        let Some(delay_us) = self.delay_us(row)? else {
            claims.judge("evidence", &place, false, "a request waits for an exit there");
            return Ok(0);
        };
        let start_us = if self.ladder.ages_from_arrival { delay_us } else { 0 };
        let execution = Execution::of(self.profile, &self.ladder.stays(&row.climbs, start_us));
        let us = |fs: i128| delay_us * PPM + fs / FS_PER_MICRO_US;
        let tail = us(execution.time_at(self.rank));
        let cost_time = execution.cost_time(&self.costs_ppm);
        let cost_micro_us = cost_time / PPM / FS_PER_MICRO_US;
        let residence_fs = delay_us * FS_PER_US + execution.mean_fs();
        let objective = if self.objective == Objective::Tail { tail } else { cost_micro_us };
        claims.rounded("objective_us", &place, claimed.number("objective_us")?, objective);
        claims.rounded("tail_us", &place, claimed.number("tail_us")?, tail);
        claims.rounded("mean_us", &place, claimed.number("mean_us")?, us(execution.mean_fs()));
        claims.rounded("cost_time_us", &place, claimed.number("cost_time_us")?, cost_micro_us);
        let total_cost = part_of(load * cost_time, residence_fs, PPM);
        claims.rounded("total_cost_ppm", &place, claimed.number("total_cost_ppm")?, total_cost);
        let at_rank = |rank: i128| us(execution.time_at(rank));
        let total = self.profile.total_weight();
        check_limits(claimed, &place, &self.limits, total, at_rank, claims)?;
        let most = self.budget_ppm * PPM + self.budget_ppm * PPM / BUDGET_SPARE;
        let by = format!("{total_cost} of {most} millionths of a millionth are used");
        claims.judge("budget", &place, total_cost <= most, &by);
        if let Objective::CostWithin(target_fs) = self.objective {
            claims.at_most(
                "target",
                &place,
                claimed.number("tail_us")?,
                target_fs / FS_PER_MICRO_US,
            );
        }
        Ok(objective)
    }

    /// The wait of a schedule; a row that waits for an exit had the longest wait of the grid.
    fn delay_us(&self, row: &Row) -> Result<Option<i128>, String> {
        match row.admission {
            Admission::AtOnce => Ok(Some(0)),
            Admission::DelayUs(delay_us) => Ok(Some(delay_us)),
            Admission::OnExit => self.artifact.setting("longest_us"),
        }
    }

    /// Loads without evidence: those that wait for an exit, and the leanest rung at the end.
    fn check_other_loads(&self, solved: &[i128], claims: &mut Claims) -> Result<(), String> {
        let ladder = &self.ladder;
        let most = self.artifact.required_setting("max_in_system")?;
        let (leanest, first) = self.leanest(most);
        let last = &ladder.rows[ladder.rows.len() - 1];
        claims.equal(
            "first_load",
            "the last row",
            last.first_load,
            self.start_of_last(leanest, first),
        );
        let is_lean = last.admission == Admission::AtOnce && last.climbs == [(0, leanest)];
        claims.judge(
            "climbs",
            "the last row",
            is_lean,
            &format!("all must start on rung {leanest}"),
        );
        claims.equal("min_load", "the guard", ladder.guard.min_load, 1);
        claims.equal("max_load", "the guard", ladder.guard.max_load, first);
        claims.equal("first_load", "the first row", ladder.rows[0].first_load, 1);
        let mut climbs: &[(i128, usize)] = &[(0, 0)];
        let mut may_start = true;
        for load in 1..first {
            let row = ladder.row_at(load);
            let place = format!("load {load}");
            let is_solved = solved.contains(&load);
            if is_solved {
                climbs = &row.climbs;
            }
            match row.admission {
                Admission::OnExit => {
                    may_start = false;
                    let is_right = row.climbs.first() == Some(&(0, 0))
                        && (is_solved || row.climbs.get(1..) == climbs.get(1..));
                    claims.judge(
                        "climbs",
                        &place,
                        is_right,
                        "not those of the row before, from rung 0",
                    );
                }
                _ if is_solved => {}
                _ => {
                    let is_last = may_start && row.climbs == climbs && load > most;
                    claims.judge("evidence", &place, is_last, "a row without evidence");
                }
            }
        }
        Ok(())
    }

    /// Loads of the search without evidence have no feasible schedule.
    fn check_infeasible(&self, solved: &[i128], claims: &mut Claims) -> Result<(), String> {
        let most = self.artifact.required_setting("max_in_system")?;
        let loads: Vec<i128> = (1..=most).filter(|load| !solved.contains(load)).collect();
        if loads.is_empty() || claims.verdict() == Verdict::Refuted {
            return Ok(());
        }
        let claim = "no feasible schedule";
        if self.artifact.setting("step_us")?.is_some() {
            let best = self.best_on_grid(&loads)?;
            let Some(best) = best else {
                claims.cannot_check(format!(
                    "{claim} of {} loads: the grid is too large",
                    loads.len()
                ));
                return Ok(());
            };
            for (load, best) in loads.iter().zip(best) {
                let by = format!("one on the grid has {best} millionths of a us");
                claims.judge(claim, &format!("load {load}"), best == i128::MAX, &by);
            }
            return Ok(());
        }
        let (Objective::CostWithin(target_fs), Some(slivers)) =
            (self.objective, Slivers::of(self.profile, self.ladder.rungs.len(), self.rank))
        else {
            let by = "a request that waits long enough is within every budget";
            claims.judge(claim, &format!("load {}", loads[0]), false, by);
            return Ok(());
        };
        for load in loads {
            let least_fs = slivers.bound(&self.problem(load, Objective::Tail));
            let by =
                format!("a tail of {least_fs} fs can be had, and the target is {target_fs} fs");
            claims.judge(claim, &format!("load {load}"), least_fs > target_fs, &by);
        }
        Ok(())
    }

    /// The rung with the most work for its cost, and the load from which all start on it.
    fn leanest(&self, most: i128) -> (usize, i128) {
        let (mut best, rungs) = (0, &self.ladder.rungs);
        for rung in 1..rungs.len() {
            let work = rungs[rung].speed_ppm * self.costs_ppm[best];
            if work > rungs[best].speed_ppm * self.costs_ppm[rung] {
                best = rung;
            }
        }
        let unit = self.ladder.limited_unit().expect("the table has one limited resource");
        let capacity = self.ladder.capacity_ppm[unit].expect("it is limited");
        (best, most.max(capacity / self.costs_ppm[best].max(1)) + 1)
    }

    /// Where the last row begins: earlier if the rows before it are the same.
    fn start_of_last(&self, leanest: usize, first: i128) -> i128 {
        let lean = |row: &&Row| row.admission == Admission::AtOnce && row.climbs == [(0, leanest)];
        let same = self.ladder.rows.iter().rev().take_while(lean).last();
        same.map_or(first, |row| row.first_load.min(first))
    }

    fn check_bounds(
        &self,
        rows: &[Json],
        objectives: &[i128],
        proof: &str,
        claims: &mut Claims,
    ) -> Result<(), String> {
        let slivers = Slivers::of(self.profile, self.ladder.rungs.len(), self.rank);
        let mut open = Vec::new();
        for (row, objective) in rows.iter().zip(objectives) {
            let load = row.number("load")?;
            let place = format!("load {load}");
            let bound = slivers.as_ref().map(|slivers| self.bound(slivers, load));
            match (row.number_or_none("bound_us")?, bound) {
                (Some(claimed), Some(bound)) => {
                    claims.at_most("bound_us", &place, claimed, bound + bound.abs() / SEARCH_LOSS);
                }
                (Some(_), None) => {
                    let why = "no bound is known if requests have their own speed-ups";
                    claims.judge("bound_us", &place, false, why);
                }
                (None, _) if proof == "dual-bound" => {
                    claims.judge("bound_us", &place, false, "the proof needs it");
                }
                (None, _) => {}
            }
            let near = |bound: i128| *objective <= bound + bound * self.tolerance_ppm / PPM + PPM;
            if proof == "grid-exhausted" && !bound.is_some_and(near) {
                open.push((load, *objective));
            } else if proof == "grid-exhausted" {
                claims.judge("best on the grid", &place, true, "");
            }
        }
        // Looking at the whole grid is worth its time only if all else holds.
        if open.is_empty() || claims.verdict() == Verdict::Refuted {
            return Ok(());
        }
        self.check_on_grid(&open, claims)
    }

    /// The bound of a load in millionths of a us.
    fn bound(&self, slivers: &Slivers, load: i128) -> i128 {
        let bound = slivers.bound(&self.problem(load, self.objective));
        match self.objective {
            Objective::Tail => bound.div_euclid(FS_PER_MICRO_US),
            Objective::CostWithin(_) => bound.div_euclid(PPM * FS_PER_MICRO_US),
        }
    }

    fn problem(&self, load: i128, objective: Objective) -> Problem {
        let budget = Some((load, self.budget_ppm));
        Problem { cost_ppm: self.costs_ppm.clone(), budget, objective }
    }

    /// Compares loads with the best schedule of the whole grid.
    fn check_on_grid(&self, open: &[(i128, i128)], claims: &mut Claims) -> Result<(), String> {
        let loads: Vec<i128> = open.iter().map(|(load, _)| *load).collect();
        let Some(best) = self.best_on_grid(&loads)? else {
            claims.cannot_check(format!(
                "best on the grid of {} loads: the grid is too large to look at, and the bound is \
                 not close enough",
                open.len()
            ));
            return Ok(());
        };
        for ((load, objective), best) in open.iter().zip(best) {
            let most = best.saturating_add(best / PPM * self.tolerance_ppm).saturating_add(PPM);
            let by = format!("{objective} millionths of a us, but {best} is on the grid");
            claims.judge("best on the grid", &format!("load {load}"), *objective <= most, &by);
        }
        Ok(())
    }

    /// The least objective of each load on the grid, the largest number if there is none; None if
    /// the grid is too large.
    fn best_on_grid(&self, loads: &[i128]) -> Result<Option<Vec<i128>>, String> {
        let grid = Grid {
            step_us: self.artifact.required_setting("step_us")?,
            longest_us: self.artifact.required_setting("longest_us")?,
            rungs: self.ladder.rungs.len(),
        };
        if grid.step_us < 1 || grid.longest_us < 0 {
            return Err("a grid has a step above 0 and times from 0 on".into());
        }
        if !grid.is_small(self.profile.requests.len().max(loads.len())) {
            return Ok(None);
        }
        let mut best = vec![i128::MAX; loads.len()];
        grid.each(self.profile, |execution| {
            let at_once = AtOnce {
                cost_time: execution.cost_time(&self.costs_ppm),
                mean_fs: execution.mean_fs(),
                tail_fs: execution.time_at(self.rank),
            };
            for (load, best) in loads.iter().zip(&mut best) {
                let value = self.value_on_grid(&at_once, &grid, *load);
                *best = (*best).min(value.unwrap_or(i128::MAX));
            }
        });
        Ok(Some(best))
    }

    /// The objective with the least wait that is feasible; None if there is none.
    fn value_on_grid(&self, at_once: &AtOnce, grid: &Grid, load: i128) -> Option<i128> {
        let cost_time = at_once.cost_time;
        let needed_fs = part_of(load * cost_time, self.budget_ppm, 1) - at_once.mean_fs;
        let step_fs = grid.step_us * FS_PER_US;
        // A wait that is short by a rounding is no better schedule.
        let wait_fs = (needed_fs.max(0) + step_fs - 1) / step_fs * step_fs;
        let tail_fs = wait_fs + at_once.tail_fs;
        match self.objective {
            _ if wait_fs > grid.longest_us * FS_PER_US => None,
            Objective::Tail => Some(tail_fs / FS_PER_MICRO_US),
            Objective::CostWithin(target_fs) if tail_fs <= target_fs => {
                Some(cost_time / PPM / FS_PER_MICRO_US)
            }
            Objective::CostWithin(_) => None,
        }
    }
}
