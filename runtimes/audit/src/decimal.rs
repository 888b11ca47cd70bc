//! Decimal numbers of a CSV file as whole numbers of a small unit.

/// `text` in units of 10^-digits, without what is smaller than one unit.
pub fn scaled(text: &str, digits: i32) -> Option<i128> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let shift = digits.checked_add(exponent)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let number: i128 = format!("{whole}{fraction}").parse().ok()?;
    let factor = 10_i128.checked_pow(shift.unsigned_abs());
    match (shift < 0, factor) {
        (true, factor) => Some(factor.map_or(0, |unit| number / unit)),
        (false, factor) => number.checked_mul(factor?),
    }
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn digits_and_exponents_move_the_point() {
        assert_eq!(scaled("12.5", 3), Some(12_500));
        assert_eq!(scaled("1.5e-05", 6), Some(15));
        assert_eq!(scaled("2E3", 0), Some(2_000));
        assert_eq!(scaled("0.0019", 3), Some(1));
        assert_eq!(scaled("7", 0), Some(7));
    }

    #[test]
    fn what_is_no_number_or_too_large_has_no_value() {
        for text in ["", ".", "x", "1.2.3", "1e", "1e99", "nan"] {
            assert_eq!(scaled(text, 6), None, "{text}");
        }
    }
}
