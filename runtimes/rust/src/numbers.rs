//! Numbers that several forms share.

/// Millionths in one.
pub(crate) const PPM: i64 = 1_000_000;
/// No whole number of a policy is larger: every JSON reader keeps it exact.
pub(crate) const LARGEST_WHOLE: i64 = (1 << 53) - 1;
