//! Claims of llm-batching: the table of token budgets, and the model of its iterations.

use crate::artifact::Artifact;
use crate::claims::Claims;
use crate::json::Json;

/// Tokens, sequences and amounts are at most this.
const MOST_AMOUNT: i128 = 1 << 26;
const MOST_NS: i128 = 1 << 36;
const MOST_COLUMNS: usize = 1_024;
const MOST_ROWS: usize = 4_096;
const PARTS: [&str; 4] = ["tokens", "prompt", "decoding", "context"];

pub fn check(artifact: &Artifact, claims: &mut Claims) -> Result<(), String> {
    let form = artifact.form("budget-table")?;
    let columns = form.numbers("first_waiting")?;
    claims.judge("columns", "the table", rises(&columns, MOST_COLUMNS), "they do not rise from 0");
    let rows = form.list("rows")?;
    let firsts =
        rows.iter().map(|row| row.number("first_decoding")).collect::<Result<Vec<_>, _>>()?;
    claims.judge("rows", "the table", rises(&firsts, MOST_ROWS), "they do not rise from 0");
    for (place, row) in rows.iter().enumerate() {
        // Without a token or a new sequence in the first row, an idle server would never start.
        let least = i128::from(place == 0);
        let budgets = row.numbers("budgets")?;
        let is_right = budgets.len() == columns.len()
            && budgets.iter().all(|budget| (least..=MOST_AMOUNT).contains(budget))
            && row.number("new_sequences")? >= least;
        let of_row = format!("the row from {} decoding sequences", firsts[place]);
        claims.judge("budgets", &of_row, is_right, "a number of it is not possible");
    }
    check_engine(form.member("engine").ok_or("the table has no engine")?, claims)?;
    let largest = artifact.required_setting("largest_budget")?;
    let budgets = rows.iter().map(|row| row.numbers("budgets")).collect::<Result<Vec<_>, _>>()?;
    let found = budgets.concat().into_iter().max().unwrap_or(0);
    let by = format!("{largest} is claimed, and a row has {found}");
    claims.judge("largest_budget", "the evidence", found <= largest, &by);
    claims.cannot_check("the design input, the step times that were fitted to it, and the search");
    Ok(())
}

fn check_engine(engine: &Json, claims: &mut Claims) -> Result<(), String> {
    let cache = engine.number("kv_blocks")? * engine.number("block_tokens")?;
    let sequences = engine.number("max_sequences")?;
    let is_right = (1..=MOST_AMOUNT).contains(&cache) && (1..=MOST_AMOUNT).contains(&sequences);
    claims.judge("sizes", "the engine", is_right, "a number of it is not possible");
    let step = engine.member("step").ok_or("the engine has no step times")?;
    let is_time = |ns: &i128| (0..=MOST_NS).contains(ns);
    let fixed_ns = step.number("fixed_ns")?;
    let is_right = fixed_ns > 0 && is_time(&fixed_ns);
    claims.judge("fixed_ns", "the step times", is_right, "an iteration takes time");
    for name in PARTS {
        let part = step.member(name).ok_or_else(|| format!("the step times have no `{name}`"))?;
        let (knots, time_ns) = (part.numbers("knots")?, part.numbers("time_ns")?);
        let is_right = knots.len() >= 2
            && knots.len() == time_ns.len()
            && rises(&knots, usize::MAX)
            && time_ns.iter().all(is_time)
            && time_ns.is_sorted();
        claims.judge("knots", &format!("the times by {name}"), is_right, "they do not rise");
    }
    Ok(())
}

/// From 0 on, each larger than the one before.
fn rises(numbers: &[i128], most: usize) -> bool {
    numbers.first() == Some(&0)
        && numbers.len() <= most
        && numbers.windows(2).all(|two| two[0] < two[1])
        && numbers.iter().all(|number| *number <= MOST_AMOUNT)
}

#[cfg(test)]
mod tests {
    use super::rises;

    #[test]
    fn numbers_rise_from_nothing() {
        assert!(rises(&[0, 1, 4], 3));
        for (numbers, most) in [(&[][..], 3), (&[1, 2], 3), (&[0, 0], 3), (&[0, 1, 2], 2)] {
            assert!(!rises(numbers, most), "{numbers:?}");
        }
    }
}
