//! Ranks of the order statistics that enclose a percentile with 95 % probability.

/// Probability beyond each limit.
const BEYOND: f64 = 0.025;
/// Sums of binomial probabilities are right to this; a rank at the limit may be either.
const ACCURACY: f64 = 1e-9;
/// Terms this far below the largest change nothing.
const NEGLIGIBLE: f64 = 1e-20;

/// Lowest and highest permitted rank of the lower and of the upper limit; rank 0 is before all.
pub struct RankLimits {
    pub low: [i128; 2],
    pub high: [i128; 2],
}

/// Of `size` values, number r is at or below the percentile with P(Bin(size, p) >= r) at least.
pub fn rank_limits(percentile_ppm: i128, size: i128) -> RankLimits {
    let share = percentile_ppm as f64 / 1e6;
    let (first, cumulated) = cumulated_binomial(size, share);
    let below = |limit: f64| first + cumulated.iter().filter(|sum| **sum <= limit).count() as i128;
    let under = |limit: f64| first + cumulated.iter().filter(|sum| **sum < limit).count() as i128;
    RankLimits {
        low: [below(BEYOND - ACCURACY), below(BEYOND + ACCURACY)],
        high: [under(1.0 - BEYOND - ACCURACY) + 1, under(1.0 - BEYOND + ACCURACY) + 1],
    }
}

/// P(Bin(size, share) <= k) for all k whose probability counts, from the first of them on.
fn cumulated_binomial(size: i128, share: f64) -> (i128, Vec<f64>) {
    let odds = share / (1.0 - share);
    let mode = (((size + 1) as f64 * share) as i128).min(size);
    let mut below = Vec::new();
    let (mut term, mut k) = (1.0, mode);
    while k > 0 && term > NEGLIGIBLE {
        term *= k as f64 / ((size - k + 1) as f64 * odds);
        k -= 1;
        below.push(term);
    }
    let first = k;
    let mut terms: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
    (term, k) = (1.0, mode);
    while k < size && term > NEGLIGIBLE {
        term *= (size - k) as f64 / (k + 1) as f64 * odds;
        k += 1;
        terms.push(term);
    }
    let total: f64 = terms.iter().sum();
    let mut sum = 0.0;
    let cumulate = |term: f64| {
        sum += term;
        sum / total
    };
    (first, terms.into_iter().map(cumulate).collect())
}

#[cfg(test)]
mod tests {
    use super::rank_limits;

    #[test]
    fn the_median_of_twenty_five_lies_between_the_eighth_and_the_eighteenth() {
        // The usual table of the sign test.
        let limits = rank_limits(500_000, 25);
        assert_eq!((limits.low, limits.high), ([8, 8], [18, 18]));
    }

    #[test]
    fn a_small_sample_has_no_upper_limit_of_a_high_percentile() {
        // 0.99^100 = 0.366: the largest of 100 may well be below the percentile.
        assert_eq!(rank_limits(990_000, 100).high, [101, 101]);
    }
}
