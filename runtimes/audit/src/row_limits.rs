//! The limits of a tail that a row of evidence states.

use crate::claims::{Claims, MICRO};
use crate::json::Json;
use crate::rank_limits::RankLimits;

/// Compares both limits with the order statistics `at_rank`, in millionths of a us.
pub fn check_limits(
    claimed: &Json,
    place: &str,
    limits: &RankLimits,
    total: i128,
    at_rank: impl Fn(i128) -> i128,
    claims: &mut Claims,
) -> Result<(), String> {
    let nearest = |ranks: [i128; 2], claimed: i128| {
        let [first, second] = ranks.map(|rank| at_rank(rank.clamp(1, total)));
        let is_first = (first - claimed * MICRO).abs() <= (second - claimed * MICRO).abs();
        if is_first {
            first
        } else {
            second
        }
    };
    let low = claimed.number("tail_low_us")?;
    claims.rounded("tail_low_us", place, low, nearest(limits.low, low));
    match (claimed.number_or_none("tail_high_us")?, limits.high) {
        (Some(high), ranks) if ranks[0] <= total => {
            claims.rounded("tail_high_us", place, high, nearest(ranks, high));
        }
        (None, ranks) if ranks[1] > total => {}
        (Some(_), _) => claims.judge("tail_high_us", place, false, "the sample has no upper limit"),
        (None, _) => claims.judge("tail_high_us", place, false, "the sample has an upper limit"),
    }
    Ok(())
}
