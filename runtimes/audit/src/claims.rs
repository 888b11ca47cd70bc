//! What an audit finds about each claim: it holds, it is refuted, or it was not checked.

use std::collections::BTreeMap;
use std::fmt;

/// Rounded values are compared in millionths of the unit of the claim.
pub const MICRO: i128 = 1_000_000;
/// A compile rounds sums of floating point: this part of a value may be lost before rounding.
const LOST: i128 = 1_000_000_000_000;

#[derive(Default)]
pub struct Claims {
    held: BTreeMap<String, usize>,
    refuted: Vec<String>,
    unchecked: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Refuted,
    CannotCheck,
}

impl Claims {
    /// `claimed` is exactly `value`.
    pub fn equal(&mut self, claim: &str, place: &str, claimed: i128, value: i128) {
        let by = format!("{claimed} is claimed, {value} is right: off by {}", claimed - value);
        self.judge(claim, place, claimed == value, &by);
    }

    /// `claimed` is `micro` millionths, rounded to the nearest whole number.
    pub fn rounded(&mut self, claim: &str, place: &str, claimed: i128, micro: i128) {
        let off = claimed * MICRO - micro;
        self.judge(claim, place, off.abs() <= MICRO / 2 + spare(micro), &amounts(claimed, micro));
    }

    /// `claimed` is `micro` millionths, rounded up to a whole number from an exact value.
    pub fn rounded_up(&mut self, claim: &str, place: &str, claimed: i128, micro: i128) {
        let off = claimed * MICRO - micro;
        let holds = (-1..MICRO + 1).contains(&off);
        self.judge(claim, place, holds, &amounts(claimed, micro));
    }

    /// `claimed` is at most `micro` millionths.
    pub fn at_most(&mut self, claim: &str, place: &str, claimed: i128, micro: i128) {
        let holds = claimed * MICRO <= micro + spare(micro);
        self.judge(claim, place, holds, &amounts(claimed, micro));
    }

    pub fn judge(&mut self, claim: &str, place: &str, holds: bool, by: &str) {
        if holds {
            *self.held.entry(claim.to_string()).or_default() += 1;
        } else {
            self.refuted.push(format!("{claim} of {place}: {by}"));
        }
    }

    pub fn cannot_check(&mut self, what: impl Into<String>) {
        self.unchecked.push(what.into());
    }

    pub fn verdict(&self) -> Verdict {
        match (self.refuted.is_empty(), self.unchecked.is_empty()) {
            (false, _) => Verdict::Refuted,
            (true, false) => Verdict::CannotCheck,
            (true, true) => Verdict::Holds,
        }
    }

    pub fn refutations(&self) -> &[String] {
        &self.refuted
    }
}

/// By how much a value may differ before it is rounded, in millionths.
fn spare(micro: i128) -> i128 {
    1 + micro.abs() / LOST
}

fn amounts(claimed: i128, micro: i128) -> String {
    let off = claimed * MICRO - micro;
    format!("{claimed} is claimed, {} is right: off by {}", decimal(micro), decimal(off))
}

fn decimal(micro: i128) -> String {
    let sign = if micro < 0 { "-" } else { "" };
    format!("{sign}{}.{:06}", micro.abs() / MICRO, micro.abs() % MICRO)
}

impl fmt::Display for Claims {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (claim, count) in &self.held {
            let times = if *count == 1 { String::new() } else { format!(", {count} times") };
            writeln!(out, "holds    {claim}{times}")?;
        }
        for what in &self.unchecked {
            writeln!(out, "cannot check {what}")?;
        }
        for what in &self.refuted {
            writeln!(out, "refuted  {what}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Claims, Verdict};

    fn verdict(check: impl Fn(&mut Claims)) -> Verdict {
        let mut claims = Claims::default();
        check(&mut claims);
        claims.verdict()
    }

    #[test]
    fn a_half_may_be_rounded_to_either_side_and_no_more() {
        for (claimed, holds) in [(1, Verdict::Refuted), (2, Verdict::Holds), (3, Verdict::Holds)] {
            assert_eq!(verdict(|c| c.rounded("a", "b", claimed, 2_500_000)), holds);
        }
        assert_eq!(verdict(|c| c.rounded("a", "b", 3, 2_499_990)), Verdict::Refuted);
    }

    #[test]
    fn what_is_rounded_up_is_less_than_one_above() {
        for (claimed, holds) in [(2, Verdict::Refuted), (3, Verdict::Holds), (4, Verdict::Refuted)]
        {
            assert_eq!(verdict(|c| c.rounded_up("a", "b", claimed, 2_400_000)), holds);
        }
    }

    #[test]
    fn a_refutation_counts_more_than_a_claim_that_was_not_checked() {
        let both = |c: &mut Claims| {
            c.cannot_check("something");
            c.equal("a", "b", 1, 2);
        };
        assert_eq!(verdict(both), Verdict::Refuted);
        assert_eq!(verdict(|c| c.cannot_check("something")), Verdict::CannotCheck);
    }
}
