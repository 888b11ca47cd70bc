//! Quotients of large whole numbers in small units.

/// Bits that a remainder may have, so that it can be multiplied by a unit below 2^46.
const MOST_BITS: u32 = 80;

/// `amount / whole` in units of 1 / `units`, rounded down; right to one unit or one part in 2^79.
pub fn part_of(amount: i128, whole: i128, units: i128) -> i128 {
    let quotient = amount.div_euclid(whole);
    let rest = amount.rem_euclid(whole);
    let bits = i128::BITS - whole.leading_zeros();
    let shift = bits.saturating_sub(MOST_BITS);
    quotient * units + (rest >> shift) * units / (whole >> shift)
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn a_quotient_is_rounded_down() {
        assert_eq!(part_of(7, 2, 10), 35);
        assert_eq!(part_of(-1, 3, 1000), -334);
        assert_eq!(part_of(1 << 120, 3 << 110, 1_000_000), 341_333_333);
    }
}
